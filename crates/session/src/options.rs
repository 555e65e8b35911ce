//! `nubbin options -- COMMAND …`: which of a command's words, and of the variables around it, its failure depends on.
//!
//! The input is a text with a line for each of them, its number first; lines go, as of any text. The oracle is this
//! program under a hidden first word: it reads which numbers are left, and becomes the command with those words.

use crate::failure::Failure;
use crate::{command, text};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The first word by which this program knows that it is to become a command.
const WORD: &str = "__command-with";
/// The exit status of a command that cannot be started, as in a shell.
const NO_START: u8 = 127;
/// Variables that are a run's own.
const OWN: [&str; 2] = ["TMPDIR", "PWD"];

/// A command, some of whose words may be left out, and variables that may.
#[derive(Clone, Debug)]
pub struct Choices {
    command: Vec<OsString>,
    variables: Vec<OsString>,
    /// The chosen words are left out, and the rest stays. Then only words that begin with `-` are choices: without its
    /// operands a command seldom does anything.
    invert: bool,
}

impl Choices {
    /// Returns the words behind the program in `command`, and the variables of this process with `env`.
    ///
    /// # Errors
    /// Returns an error when there is nothing to choose.
    pub fn new(command: Vec<OsString>, env: bool, invert: bool) -> Result<Self, Failure> {
        let names = std::env::vars_os().map(|(name, _)| name);
        let variables: BTreeSet<OsString> =
            names.filter(|name| env && !OWN.iter().any(|own| name == own)).collect();
        let choices = Self { command, variables: variables.into_iter().collect(), invert };
        if choices.numbers().is_empty() {
            return Err(Failure::usage("the command has no options that could matter").hint(
                "`nubbin options -- COMMAND OPTION…`; `--env` tries the environment's variables, too",
            ));
        }
        Ok(choices)
    }

    /// Returns the numbers of all choices: variables first, then words.
    fn numbers(&self) -> Vec<usize> {
        let first = self.variables.len();
        let is_choice = |word: &OsString| !self.invert || word.as_bytes().starts_with(b"-");
        let words = self.command.iter().enumerate().skip(1).filter(|(_, word)| is_choice(word));
        (0..first).chain(words.map(|(at, _)| first + at)).collect()
    }

    /// Returns the text of all choices: a line each, with its number.
    #[must_use]
    pub fn text(&self) -> Vec<u8> {
        let line = |number: usize| {
            let shown = match self.variables.get(number) {
                Some(name) => {
                    [name.as_bytes(), b"=", std::env::var_os(name).unwrap_or_default().as_bytes()].concat()
                }
                None => self.command[number - self.variables.len()].as_bytes().to_vec(),
            };
            let shown: Vec<u8> =
                shown.into_iter().map(|byte| if byte == b'\n' { b' ' } else { byte }).collect();
            [format!("{number} ").as_bytes(), &shown[..], b"\n"].concat()
        };
        self.numbers().into_iter().flat_map(line).collect()
    }

    /// Returns the words that run it: the candidate's path is `{}`.
    pub fn oracle(&self) -> Vec<OsString> {
        let kind = if self.invert { "without" } else { "with" };
        let count = self.variables.len().to_string();
        let first = ["/proc/self/exe", WORD, kind, "{}", &count].map(OsString::from);
        first.into_iter().chain(self.variables.iter().cloned()).chain(self.command.iter().cloned()).collect()
    }

    /// Shows a result: a command line, or the choices that prevent the failure.
    #[must_use]
    pub fn shown(&self, result: &[u8]) -> Vec<u8> {
        let (chosen, first) = (numbers(result), self.variables.len());
        let value = |name: &OsStr| text::quote(&std::env::var_os(name).unwrap_or_default());
        let variables = self.variables.iter().enumerate().filter(|(number, _)| chosen.contains(number));
        let mut all: Vec<String> =
            variables.map(|(_, name)| format!("{}={}", name.display(), value(name))).collect();
        if !self.invert {
            if first > 0 {
                all.insert(0, "env -i".to_owned());
            }
            all.push(text::quote(&self.command[0]));
        }
        let words = self.command.iter().enumerate().skip(1);
        let words = words.filter(|(at, _)| chosen.contains(&(first + at)));
        all.extend(words.map(|(_, word)| text::quote(word)));
        (all.join(" ") + "\n").into_bytes()
    }

    /// Makes sure that the command's program is there: that it is not would look like a failure of its own, which does
    /// not depend on any option.
    ///
    /// # Errors
    /// Returns an error if it is not there.
    pub fn has_program(&self) -> Result<(), Failure> {
        let program = PathBuf::from(&self.command[0]);
        if program.is_file() || command::in_path(&program).is_some() {
            return Ok(());
        }
        Err(Failure::from(nubbin_oracle::Error::NotFound { program }))
    }

    /// Returns the first run as a command line: with all choices, or with none of them.
    pub(crate) fn first_run(&self) -> String {
        let chosen = self.numbers();
        let is_kept = |at: &usize| !self.invert || !chosen.contains(&(self.variables.len() + at));
        let kept = (0..self.command.len()).filter(is_kept).map(|at| text::quote(&self.command[at]));
        kept.collect::<Vec<_>>().join(" ")
    }

    /// Tells whether the result is the choices that prevent the failure.
    pub(crate) fn is_inverted(&self) -> bool {
        self.invert
    }
}

/// Returns the numbers that the lines of a candidate begin with.
fn numbers(candidate: &[u8]) -> BTreeSet<usize> {
    let number = |line: &[u8]| {
        let end = line.iter().position(|&byte| byte == b' ')?;
        std::str::from_utf8(&line[..end]).ok()?.parse().ok()
    };
    candidate.split(|&byte| byte == b'\n').filter_map(number).collect()
}

/// Tells whether this program's arguments ask it to become a command.
pub fn is_asked_for(mut arguments: impl Iterator<Item = OsString>) -> bool {
    arguments.nth(1).is_some_and(|word| word == WORD)
}

/// Becomes the command with the words that a candidate chooses; returns only if that cannot be.
pub fn become_command(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.skip(2).collect();
    let Some(error) = exec(&arguments) else { return ExitCode::from(NO_START) };
    // What a shell would say; the oracle's output is nobody else's.
    crate::helper::say(&format!("nubbin: {error}"));
    ExitCode::from(NO_START)
}

/// Becomes the command. The arguments are `with` or `without`, the candidate's path, the number of variables, their
/// names, and the command.
fn exec(arguments: &[OsString]) -> Option<std::io::Error> {
    let [kind, path, count, rest @ ..] = arguments else { return None };
    let count: usize = count.to_str()?.parse().ok()?;
    let (variables, command) = rest.split_at_checked(count)?;
    let choices =
        Choices { command: command.to_vec(), variables: variables.to_vec(), invert: kind == "without" };
    let candidate = match std::fs::read(Path::new(path)) {
        Ok(candidate) => candidate,
        Err(error) => return Some(error),
    };
    let (all, chosen) = (choices.numbers(), numbers(&candidate));
    let is_kept = |number: usize| !all.contains(&number) || chosen.contains(&number) != choices.invert;
    let mut kept = Command::new(command.first()?);
    kept.args(command.iter().enumerate().skip(1).filter(|(at, _)| is_kept(count + at)).map(|(_, word)| word));
    for (_, name) in variables.iter().enumerate().filter(|(number, _)| !is_kept(*number)) {
        kept.env_remove(name);
    }
    Some(kept.exec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices(invert: bool) -> Choices {
        let command = ["gcc", "-O2", "a b", "x\ny"].map(OsString::from);
        Choices::new(command.into(), false, invert).expect("it has options")
    }

    #[test]
    fn a_result_is_shown_as_a_command_that_a_shell_reads() {
        assert_eq!(choices(false).text(), b"1 -O2\n2 a b\n3 x y\n");
        assert_eq!(choices(false).shown(b"2 a b\n"), b"gcc 'a b'\n");
        assert_eq!(choices(false).shown(b""), b"gcc\n");
        assert_eq!(choices(false).first_run(), "gcc -O2 'a b' 'x\ny'");
    }

    #[test]
    fn what_prevents_a_failure_is_an_option_and_operands_stay() {
        assert_eq!(choices(true).text(), b"1 -O2\n");
        assert_eq!(choices(true).shown(b"1 -O2\n"), b"-O2\n");
        assert_eq!(choices(true).first_run(), "gcc 'a b' 'x\ny'");
    }

    #[test]
    fn a_command_without_words_has_no_options() {
        assert!(Choices::new(vec!["gcc".into()], false, false).is_err());
        assert!(Choices::new(vec!["gcc".into(), "a.c".into()], false, true).is_err());
        assert!(Choices::new(vec!["gcc".into()], true, false).is_ok());
    }
}
