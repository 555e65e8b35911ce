//! Reduces the options of a command: finds the arguments and environment variables on which its failure depends.
//!
//! For `nubbin options -- COMMAND …` the input is a text with a numbered line for each of them. For `nubbin --options
//! FILE -- COMMAND …` it is an archive of the file and that text. The oracle is this program with a hidden first
//! argument: it reads the remaining lines, puts the file in its place, and executes the command with the remaining
//! arguments.

mod paired;

use crate::failure::Failure;
use crate::{command, text};
use nubbin_oracle::command::holds_placeholder;
use nubbin_reduce::pass::{escape, unescape};
pub use paired::{LeftOptions, Paired};
pub(crate) use paired::{file as paired_file, left_in};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::ops::Range;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The hidden first argument.
const WORD: &str = "__command-with";
/// The exit status if a command cannot be started, as in a shell.
const NO_START: u8 = 127;
/// Variables that are set for each run.
const OWN: [&str; 2] = ["TMPDIR", "PWD"];
/// Options whose value is the next argument and must not be mistaken for anything else: an output file, or an option
/// of another program. The values of other options are removed together with them if neither can be removed alone.
const WITH_VALUE: [&str; 21] = [
    "-o",
    "--output",
    "-I",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-include",
    "-imacros",
    "-isysroot",
    "-MF",
    "-MT",
    "-MQ",
    "--param",
    "-aux-info",
    "-target",
    "-arch",
    "-Xclang",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-mllvm",
];
/// Marks the line of a variable.
const VARIABLE: &str = "$";

/// A command with removable arguments, and removable environment variables.
#[derive(Clone, Debug)]
pub struct Choices {
    command: Vec<OsString>,
    variables: Vec<OsString>,
    /// The remaining lines are removed from the command instead of kept. Then only arguments that start with `-` are
    /// removable, because most commands do nothing without operands.
    invert: bool,
    /// The positions of arguments that are never removed, nor are their values.
    fixed: Vec<usize>,
}

impl Choices {
    /// Makes the arguments of `command` removable, except those at the `fixed` positions, and with `env` the
    /// variables of this process.
    ///
    /// # Errors
    /// Returns an error when nothing is removable.
    pub fn new(command: Vec<OsString>, fixed: Vec<usize>, env: bool, invert: bool) -> Result<Self, Failure> {
        let names = std::env::vars_os().map(|(name, _)| name);
        let variables: BTreeSet<OsString> =
            names.filter(|name| env && !OWN.iter().any(|own| name == own)).collect();
        let choices = Self { command, variables: variables.into_iter().collect(), invert, fixed };
        if choices.count() == 0 {
            return Err(Failure::usage("the command has no options to reduce").hint(
                "use `nubbin options -- COMMAND OPTION…`; to reduce environment variables as well, add `--env`",
            ));
        }
        Ok(choices)
    }

    /// Makes the arguments of a command removable that runs on a file, whose path is `{}` in the arguments.
    ///
    /// # Errors
    /// Returns an error when nothing is removable.
    pub fn beside_file(command: Vec<OsString>) -> Result<Self, Failure> {
        let choices = Self { command, variables: Vec::new(), invert: false, fixed: Vec::new() };
        if choices.count() == 0 {
            return Err(Failure::usage("the command has no options to reduce")
                .hint("to reduce only the file, remove `--options`"));
        }
        Ok(choices)
    }

    /// Returns the ranges of arguments that are removed together. An argument with the candidate's path, and an
    /// option whose value it is, are not removable.
    fn groups(&self) -> Vec<Range<usize>> {
        let (mut groups, mut at) = (Vec::new(), 1);
        while let Some(word) = self.command.get(at) {
            let has_value = WITH_VALUE.iter().any(|option| word == option) && at + 1 < self.command.len();
            let group = at..at + 1 + usize::from(has_value);
            at = group.end;
            let is_choice =
                (!self.invert || word.as_bytes().starts_with(b"-")) && !self.fixed.contains(&group.start);
            if is_choice && !self.command[group.clone()].iter().any(|word| holds_placeholder(word, false)) {
                groups.push(group);
            }
        }
        groups
    }

    /// Returns the number of removable elements.
    #[must_use]
    pub fn count(&self) -> usize {
        self.variables.len() + self.groups().len()
    }

    /// Returns the text of the input: a numbered line for each element.
    #[must_use]
    pub fn text(&self) -> Vec<u8> {
        let variable = |(number, name): (usize, &OsString)| {
            let value = escape(std::env::var_os(name).unwrap_or_default().as_bytes());
            [format!("{VARIABLE}{number} ").as_bytes(), name.as_bytes(), b"=", &value, b"\n"].concat()
        };
        let words = |group: Range<usize>| {
            let number = format!("{} ", self.variables.len() + group.start);
            let words: Vec<Vec<u8>> =
                self.command[group].iter().map(|word| escape(word.as_bytes())).collect();
            [number.as_bytes(), &words.join(&b'\t'), b"\n"].concat()
        };
        let variables = self.variables.iter().enumerate().flat_map(variable);
        variables.chain(self.groups().into_iter().flat_map(words)).collect()
    }

    /// Returns the command line of the oracle, in which `{}` is the candidate's path.
    #[must_use]
    pub fn oracle(&self) -> Vec<OsString> {
        self.helper(if self.invert { "without" } else { "with" })
    }

    /// Returns the arguments with which this program executes the command.
    fn helper(&self, kind: &str) -> Vec<OsString> {
        let groups: Vec<String> =
            self.groups().into_iter().map(|group| format!("{}:{}", group.start, group.len())).collect();
        let (groups, count) = (groups.join(","), self.variables.len().to_string());
        let first = ["/proc/self/exe", WORD, kind, "{}", &groups, &count].map(OsString::from);
        first.into_iter().chain(self.variables.iter().cloned()).chain(self.command.iter().cloned()).collect()
    }

    /// Returns the command line with the arguments of these lines.
    fn line(&self, options: &[u8]) -> Vec<OsString> {
        chosen(&self.command, &self.groups(), self.variables.len(), self.invert, &lines(options))
    }

    /// Formats a result: a command line, or the options that prevent the failure.
    #[must_use]
    pub fn shown(&self, result: &[u8]) -> Vec<u8> {
        let (lines, variables) = (lines(result), variables(result));
        let value = |name: &OsStr| text::quote(&std::env::var_os(name).unwrap_or_default());
        let left = self.variables.iter().enumerate().filter(|(number, _)| variables.contains(number));
        let mut all: Vec<String> =
            left.map(|(_, name)| format!("{}={}", name.display(), value(name))).collect();
        if self.invert {
            all.extend(lines.into_values().flatten().map(|word| text::quote(&word)));
        } else {
            if !self.variables.is_empty() {
                all.insert(0, "env -i".to_owned());
            }
            all.extend(self.line(result).iter().map(|word| text::quote(word)));
        }
        (all.join(" ") + "\n").into_bytes()
    }

    /// Checks that the program of the command exists. A missing program would look like a failure that depends on no
    /// option.
    ///
    /// # Errors
    /// Returns an error if it does not exist.
    pub fn has_program(&self) -> Result<(), Failure> {
        let program = PathBuf::from(&self.command[0]);
        if program.is_file() || command::in_path(&program).is_some() {
            return Ok(());
        }
        Err(Failure::from(nubbin_oracle::Error::NotFound { program }))
    }

    /// Returns the command line of the first run: with all options, or without any.
    pub(crate) fn first_run(&self) -> String {
        text::words(&self.line(&self.text()))
    }

    /// Returns whether the result consists of options that prevent the failure.
    pub(crate) fn is_inverted(&self) -> bool {
        self.invert
    }
}

/// Returns the arguments of the lines of a candidate, by line number.
fn lines(candidate: &[u8]) -> BTreeMap<usize, Vec<OsString>> {
    let line = |line: &[u8]| {
        let (number, words) = numbered(line)?;
        let words = words.split(|&byte| byte == b'\t').map(unescape).map(OsString::from_vec);
        Some((number, words.collect()))
    };
    candidate.split(|&byte| byte == b'\n').filter_map(line).collect()
}

/// Returns the numbers of the variables in a candidate.
fn variables(candidate: &[u8]) -> BTreeSet<usize> {
    let lines = candidate.split(|&byte| byte == b'\n');
    let number = |line: &[u8]| Some(numbered(line.strip_prefix(VARIABLE.as_bytes())?)?.0);
    lines.filter_map(number).collect()
}

/// Splits a line into its number and the rest.
fn numbered(line: &[u8]) -> Option<(usize, &[u8])> {
    let blank = line.iter().position(|&byte| byte == b' ')?;
    Some((std::str::from_utf8(&line[..blank]).ok()?.parse().ok()?, &line[blank + 1..]))
}

/// Returns the command line for the lines of a candidate. Groups without a line are removed, or with `invert`, groups
/// with a line. The line numbers of arguments start at `first`, after those of variables.
fn chosen(
    command: &[OsString],
    groups: &[Range<usize>],
    first: usize,
    invert: bool,
    lines: &BTreeMap<usize, Vec<OsString>>,
) -> Vec<OsString> {
    let (mut words, mut at) = (Vec::new(), 0);
    let mut groups = groups.iter().peekable();
    while let Some(word) = command.get(at) {
        let Some(group) = groups.next_if(|group| group.start == at) else {
            words.push(word.clone());
            at += 1;
            continue;
        };
        match (invert, lines.get(&(first + at))) {
            (false, Some(left)) => words.extend_from_slice(left),
            (true, None) => words.extend_from_slice(&command[group.clone()]),
            (false, None) | (true, Some(_)) => {}
        }
        at = group.end.max(at + 1);
    }
    words
}

/// Returns whether the arguments of this process request to execute a command.
pub fn is_asked_for(mut arguments: impl Iterator<Item = OsString>) -> bool {
    arguments.nth(1).is_some_and(|word| word == WORD)
}

/// Executes the command with the arguments that a candidate selects. Returns only if that fails.
pub fn become_command(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.skip(2).collect();
    let Some(error) = exec(&arguments) else { return ExitCode::from(NO_START) };
    // As a shell would report it on the oracle's output.
    crate::helper::say(&format!("nubbin: {error}"));
    ExitCode::from(NO_START)
}

/// Executes the command. The arguments are `with`, `without` or `beside`, the candidate's path, the groups of
/// arguments, the number of variables, their names, and the command.
fn exec(arguments: &[OsString]) -> Option<std::io::Error> {
    let [kind, path, groups, count, rest @ ..] = arguments else { return None };
    let (variables, command) = rest.split_at_checked(count.to_str()?.parse().ok()?)?;
    let options = match std::fs::read(Path::new(path)) {
        Ok(candidate) if kind == paired::KIND => match paired::put(Path::new(path), &candidate) {
            Ok(options) => options,
            Err(error) => return Some(error),
        },
        Ok(candidate) => Some(candidate),
        Err(error) => return Some(error),
    };
    let group = |group: &str| {
        let (start, length) = group.split_once(':')?;
        let start: usize = start.parse().ok()?;
        Some(start..start + length.parse::<usize>().ok()?)
    };
    let groups: Vec<Range<usize>> = groups.to_str()?.split(',').filter_map(group).collect();
    let invert = kind == "without";
    let words = match &options {
        Some(options) => chosen(command, &groups, variables.len(), invert, &lines(options)),
        // The user's own file, which is not a candidate.
        None => command.to_vec(),
    };
    let mut kept = Command::new(words.first()?);
    kept.args(&words[1..]);
    if let Some(options) = &options {
        let left = self::variables(options);
        for (_, name) in variables.iter().enumerate().filter(|(number, _)| left.contains(number) == invert) {
            kept.env_remove(name);
        }
    }
    Some(kept.exec())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choices(invert: bool) -> Choices {
        let command = ["gcc", "-O2", "a b", "x\ny"].map(OsString::from);
        Choices::new(command.into(), Vec::new(), false, invert).expect("it has options")
    }

    #[test]
    fn a_result_is_shown_as_a_command_that_a_shell_reads() {
        assert_eq!(choices(false).text(), b"1 -O2\n2 a b\n3 x\\ny\n");
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
    fn a_fixed_option_is_no_choice_and_keeps_its_value() {
        let words = ["gcc", "-c", "-O2", "-I", "dir", "a.c"].map(OsString::from);
        let fixed = |fixed: &[usize], invert| Choices::new(words.clone().into(), fixed.into(), false, invert);
        let choices = fixed(&[1, 3], true).expect("one option is left");
        assert_eq!(choices.text(), b"2 -O2\n");
        assert_eq!(choices.first_run(), "gcc -c -I dir a.c");
        let choices = fixed(&[2, 5], false).expect("two options are left");
        assert_eq!(choices.text(), b"1 -c\n3 -I\tdir\n");
        assert_eq!(choices.shown(b""), b"gcc -O2 a.c\n");
        assert!(fixed(&[1, 2, 3], true).is_err(), "nothing is left to choose");
    }

    #[test]
    fn a_command_without_words_has_no_options() {
        let new = |words: &[&str], env, invert| {
            Choices::new(words.iter().map(OsString::from).collect(), Vec::new(), env, invert)
        };
        assert!(new(&["gcc"], false, false).is_err());
        assert!(new(&["gcc", "a.c"], false, true).is_err());
        assert!(new(&["gcc"], true, false).is_ok());
    }

    #[test]
    fn the_value_of_an_option_goes_with_it_and_the_candidate_stays() {
        let words = ["gcc", "-O2", "-o", "-x", "a{}", "-I", "{}", "-Xclang", "-mx", "-I"];
        let choices =
            Choices::new(words.map(OsString::from).into(), Vec::new(), false, false).expect("it has options");
        assert_eq!(choices.text(), b"1 -O2\n2 -o\t-x\n7 -Xclang\t-mx\n9 -I\n");
        assert_eq!(choices.shown(b"7 -Xclang\t-m\n"), b"gcc a{} -I {} -Xclang -m\n");
    }
}
