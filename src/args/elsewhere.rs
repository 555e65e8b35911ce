//! An option of one command that was typed for another: this module says so.
//!
//! It has no list of options: which command has which is in their definitions.

use super::{changes, definition, options};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command};
use nubbin_session::failure::Failure;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// Returns the word that this error refuses, as far as it was understood: an option without its value, or a word that
/// is no option.
pub fn refused_word(error: &clap::Error) -> Option<&str> {
    match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(word)) => Some(word),
        _ => None,
    }
}

/// Tells whether some command has this option.
pub fn knows(option: &OsStr) -> bool {
    option.to_str().is_some_and(|option| long(option).is_some())
}

/// Returns the failure for a word that the command `word` does not take: an option that another command has, or a word
/// before the `--` where only a command is taken.
pub fn failure(word: Option<&OsString>, unknown: &str) -> Option<Failure> {
    let word = word.map_or(Some(""), |word| word.to_str())?;
    if !unknown.starts_with('-') {
        return stray(word, unknown);
    }
    let whole = definition();
    let option = long(unknown)?;
    let owners: Vec<&str> = commands(&whole).filter(|one| has(one, &option)).map(Command::get_name).collect();
    let (message, command) = match owners[..] {
        [] => return None,
        [only] if only != whole.get_name() => {
            (format!("`--{option}` is an option of `nubbin {only}`"), format!("nubbin {only}"))
        }
        _ => (format!("`--{option}` makes no sense {}", place(word)?), format!("nubbin {word}")),
    };
    Some(Failure::usage(message).hint(format!("`{command} --help` shows how it is used")))
}

/// Returns the failure for an option that was typed beside `--resume` alone.
pub fn beside_resume(error: &clap::Error) -> Failure {
    match refused_word(error).and_then(long) {
        Some(option) => Failure::usage(format!(
            "`--{option}` is given with `--resume` alone, without an oracle and a file"
        )),
        None => Failure::usage(error.to_string()),
    }
}

/// Returns the failure for a word that stands where a command takes none.
fn stray(word: &str, unknown: &str) -> Option<Failure> {
    let line = match word {
        "options" => options::LINE,
        "changes" => changes::LINE,
        _ => return None,
    };
    Some(Failure::usage(format!("`{unknown}` stands before the `--`")).hint(line))
}

/// Returns the words that name what a command is about.
fn place(word: &str) -> Option<&'static str> {
    Some(match word {
        "options" => "for the options of a command",
        "isolate" => "for the difference between two files",
        "maximize" => "for the largest part that passes",
        "changes" => "for the changes between two versions",
        "check" => "where an oracle is examined",
        "init" => "where an oracle is written",
        "triage" => "for a folder of failing files",
        "events" | "state" | "causes" | "explain" => "where a program is looked into",
        _ => return None,
    })
}

/// Returns the definitions of all commands that take an oracle, of which the reduction is the first.
fn commands(whole: &Command) -> impl Iterator<Item = &Command> {
    let runs = whole.get_subcommands().filter(|command| place(command.get_name()).is_some());
    std::iter::once(whole).chain(runs)
}

/// Returns the long name of an option that was typed, if some command has it.
fn long(typed: &str) -> Option<String> {
    let whole = definition();
    let is_it = |arg: &&Arg| match typed.strip_prefix("--") {
        Some(long) => arg.get_long().is_some_and(|own| long.split('=').next() == Some(own)),
        None => typed.starts_with('-') && arg.get_short() == typed.chars().nth(1),
    };
    let found = commands(&whole).flat_map(Command::get_arguments).find(is_it)?;
    found.get_long().map(str::to_owned)
}

fn has(command: &Command, long: &str) -> bool {
    command.get_arguments().any(|arg| arg.get_long() == Some(long))
}

/// Tells whether a word has the form of an option.
pub fn is_option(word: &OsStr) -> bool {
    word.as_bytes().starts_with(b"-") && word.len() > 1 && word != "--"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{meant, parsed};

    const OF_CHANGES: [&str; 5] = ["good", "bad", "diff", "allow-dirty", "fresh"];
    const OF_OPTIONS: [&str; 2] = ["env", "invert"];
    const OF_INIT: [&str; 1] = ["wrong-code"];
    /// The options that shape a smaller input, or show something about it.
    const OF_INPUTS: [&str; 24] = [
        "in-place",
        "compact",
        "anonymize",
        "effort",
        "options",
        "formatter",
        "no-formatter",
        "preprocessor",
        "no-preprocessor",
        "inline",
        "no-inline",
        "objective",
        "stop-at",
        "only",
        "skip",
        "keep",
        "keep-function",
        "no-markers",
        "list-passes",
        "list-languages",
        "dump-tree",
        "dump-deltas",
        "propose",
        "propose-timeout",
    ];
    /// The options that inputs and the options of a command have in common.
    const OF_REDUCTIONS: [&str; 8] =
        ["flaky", "flaky-rate", "max-probes", "events", "summary", "report", "bug-report", "ui"];

    fn told(words: &[&str]) -> Option<String> {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        let error = parsed(&words).err()?;
        meant::refused(&words, &error).map(|failure| failure.to_string())
    }

    #[test]
    fn an_option_is_refused_by_each_command_for_which_it_makes_no_sense() {
        let none: &[&str] = &[];
        for (word, own, reductions, senseless) in [
            ("", &OF_INPUTS[..], &OF_REDUCTIONS[..], none),
            (
                "options",
                &OF_OPTIONS,
                &OF_REDUCTIONS,
                &["unit", "output", "language", "grammar", "search", "differs-from"],
            ),
            ("isolate", none, none, &["allow-empty", "language", "grammar"]),
            ("maximize", none, none, &["allow-empty", "language", "grammar"]),
            (
                "changes",
                &OF_CHANGES,
                none,
                &["unit", "allow-empty", "language", "grammar", "search", "differs-from", "max-time"],
            ),
            ("check", none, none, &["max-time", "output", "unit", "resume", "no-journal", "search"]),
            (
                "init",
                &OF_INIT,
                none,
                &[
                    "max-time",
                    "unit",
                    "resume",
                    "no-journal",
                    "search",
                    "any-errors",
                    "not-stderr",
                    "not-stdout",
                ],
            ),
        ] {
            let all =
                [&OF_CHANGES[..], &OF_OPTIONS, &OF_INIT, &OF_INPUTS, &OF_REDUCTIONS, senseless].concat();
            for option in all {
                let typed = format!("--{option}");
                let words: Vec<&str> = [word, &typed].into_iter().filter(|word| !word.is_empty()).collect();
                let told = told(&words).unwrap_or_default();
                let has = own.contains(&option) || reductions.contains(&option);
                let is_refused = told.starts_with(&format!("`{typed}` makes no sense "))
                    || told.starts_with(&format!("`{typed}` is an option of `nubbin "));
                assert_eq!(is_refused, !has, "{words:?}: {told}");
            }
        }
    }

    #[test]
    fn an_option_is_understood_in_each_of_its_forms() {
        let makes = |what: &str| Some(format!("`--output` makes no sense {what}"));
        for typed in [&["-o"][..], &["-ox"], &["-qo", "x"], &["--output=x"], &["./o", "f", "-o", "x"]] {
            assert_eq!(
                told(&[&["check"], typed].concat()),
                makes("where an oracle is examined"),
                "{typed:?}"
            );
        }
        assert_eq!(told(&["-o"]), None);
        assert_eq!(told(&["check", "--nonsense"]), None);
        assert_eq!(told(&["options", "x", "--", "y"]).as_deref(), Some("`x` stands before the `--`"));
    }
}
