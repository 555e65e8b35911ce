//! `nubbin options -- COMMAND …`: which of a command's words, and of the variables around it, its failure depends on.
//!
//! The input is a text with a line for each of them, its number first; lines go, as of any text. The oracle is this
//! program under a hidden first word: it reads which numbers are left, and becomes the command with those words.

use super::failure::Failure;
use super::text;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

/// The first word by which this program knows that it is to become a command.
const WORD: &str = "__command-with";
/// What a command ends with that cannot be started, as in a shell.
const NO_START: u8 = 127;
/// Variables that are a run's own.
const OWN: [&str; 2] = ["TMPDIR", "PWD"];

/// A command, whose words may be left out.
#[derive(Clone, Debug)]
pub struct Choices {
    program: OsString,
    words: Vec<OsString>,
    /// The names of variables that may be left out, too.
    variables: Vec<OsString>,
    /// Whether what is numbered in a candidate is left out, and the rest stays.
    invert: bool,
}

impl Choices {
    /// The words behind the program in `command`, and the variables of this process with `env`.
    pub fn new(command: &[OsString], env: bool, invert: bool) -> Result<Self, Failure> {
        let variables: BTreeSet<OsString> = std::env::vars_os()
            .map(|(name, _)| name)
            .filter(|name| env && !OWN.iter().any(|own| name == own))
            .collect();
        let choices = Self {
            program: command[0].clone(),
            words: command[1..].to_vec(),
            variables: variables.into_iter().collect(),
            invert,
        };
        if choices.words.is_empty() && choices.variables.is_empty() {
            return Err(Failure::usage("the command has no options that could matter").hint(
                "`nubbin options -- COMMAND OPTION…`; `--env` tries the environment's variables, too",
            ));
        }
        Ok(choices)
    }

    /// The text of all choices: a line each, with its number.
    pub fn text(&self) -> Vec<u8> {
        let variables = self.variables.iter().map(|name| {
            let value = std::env::var_os(name).unwrap_or_default();
            [name.as_bytes(), b"=", value.as_bytes()].concat()
        });
        let all = variables.chain(self.words.iter().map(|word| word.as_bytes().to_vec()));
        let lines = all.enumerate().map(|(number, shown)| {
            let shown: Vec<u8> =
                shown.into_iter().map(|byte| if byte == b'\n' { b' ' } else { byte }).collect();
            [format!("{number} ").as_bytes(), &shown[..], b"\n"].concat()
        });
        lines.collect::<Vec<_>>().concat()
    }

    /// The words that run it: the candidate's path is `{}`.
    pub fn oracle(&self) -> Vec<OsString> {
        let kind = if self.invert { "without" } else { "with" };
        let count = self.variables.len().to_string();
        let mut words: Vec<OsString> =
            ["/proc/self/exe", WORD, kind, "{}", &count].map(OsString::from).into();
        words.extend(self.variables.iter().cloned());
        words.push(self.program.clone());
        words.extend(self.words.iter().cloned());
        words
    }

    /// The command with the words that a candidate chooses, whatever is looked for.
    pub fn plain(&self, chosen: &[u8]) -> Vec<u8> {
        Self { invert: false, ..self.clone() }.shown(chosen)
    }

    /// What a result says, as a command line or, of what prevents the failure, as its words.
    pub fn shown(&self, result: &[u8]) -> Vec<u8> {
        let chosen = numbers(result);
        let variables = self.variables.iter().enumerate().filter(|(number, _)| chosen.contains(number));
        let value = |name: &OsStr| std::env::var_os(name).unwrap_or_default();
        let set = variables.map(|(_, name)| format!("{}={}", name.display(), text::quote(&value(name))));
        let first = self.variables.len();
        let words = self.words.iter().enumerate().filter(|(number, _)| chosen.contains(&(first + number)));
        let words = words.map(|(_, word)| text::quote(word));
        let program = (!self.invert).then(|| text::quote(&self.program));
        let all: Vec<String> = set.chain(program).chain(words).collect();
        let env = if !self.invert && first > 0 { "env -i " } else { "" };
        format!("{env}{}\n", all.join(" ")).into_bytes()
    }

    /// Whether the result is what prevents the failure.
    pub fn is_inverted(&self) -> bool {
        self.invert
    }
}

/// The numbers that the lines of a candidate begin with.
fn numbers(candidate: &[u8]) -> BTreeSet<usize> {
    let number = |line: &[u8]| {
        let end = line.iter().position(|&byte| byte == b' ')?;
        std::str::from_utf8(&line[..end]).ok()?.parse().ok()
    };
    candidate.split(|&byte| byte == b'\n').filter_map(number).collect()
}

/// Whether this program's arguments ask it to become a command.
pub fn is_asked_for(mut arguments: impl Iterator<Item = OsString>) -> bool {
    arguments.nth(1).is_some_and(|word| word == WORD)
}

/// Becomes the command with the words that a candidate chooses; returns only if that cannot be.
pub fn become_command(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.skip(2).collect();
    let Some(error) = exec(&arguments) else { return ExitCode::from(NO_START) };
    // What a shell would say; the oracle's output is nobody else's.
    super::voice::Voice::Plain.say(&format!("nubbin: {error}"));
    ExitCode::from(NO_START)
}

/// `with` or `without`, the candidate's path, how many variables there are, their names, the command.
fn exec(arguments: &[OsString]) -> Option<std::io::Error> {
    let [kind, path, count, rest @ ..] = arguments else { return None };
    let count: usize = count.to_str()?.parse().ok()?;
    let (variables, command) = rest.split_at_checked(count)?;
    let (program, words) = command.split_first()?;
    let candidate = match std::fs::read(Path::new(path)) {
        Ok(candidate) => candidate,
        Err(error) => return Some(error),
    };
    let (chosen, inverted) = (numbers(&candidate), kind == "without");
    let is_kept = |number: usize| chosen.contains(&number) != inverted;
    let kept = words.iter().enumerate().filter(|(number, _)| is_kept(count + number));
    let mut command = Command::new(program);
    command.args(kept.map(|(_, word)| word));
    for (_, name) in variables.iter().enumerate().filter(|(number, _)| !is_kept(*number)) {
        command.env_remove(name);
    }
    Some(command.exec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices(invert: bool) -> Choices {
        let command = ["gcc", "-O2", "a b", "x\ny"].map(OsString::from);
        Choices::new(&command, false, invert).expect("it has options")
    }

    #[test]
    fn a_result_is_shown_as_a_command_that_a_shell_reads() {
        assert_eq!(choices(false).text(), b"0 -O2\n1 a b\n2 x y\n");
        assert_eq!(choices(false).shown(b"1 a b\n"), b"gcc 'a b'\n");
        assert_eq!(choices(true).shown(b"0 -O2\n"), b"-O2\n");
        assert_eq!(choices(false).shown(b""), b"gcc\n");
    }

    #[test]
    fn a_command_without_words_has_no_options() {
        assert!(Choices::new(&["gcc".into()], false, false).is_err());
        assert!(Choices::new(&["gcc".into()], true, false).is_ok());
    }
}
