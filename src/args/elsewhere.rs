//! Options that were given to a command that does not have them.
//!
//! The options of each command are read from the definitions.

use super::{changes, definition, options};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command};
use nubbin_session::failure::Failure;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// Returns the argument that the parser refuses: an option without its value, or another argument.
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

/// Returns the failure for an argument that the command `word` does not accept: an option of another command, or an
/// argument before `--`.
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
        _ if word.is_empty() => return None,
        _ => (format!("`nubbin {word}` has no option `--{option}`"), format!("nubbin {word}")),
    };
    Some(Failure::usage(message).hint(format!("`{command} --help` lists its options")))
}

/// Returns the failure for an option that cannot be changed by `nubbin --resume`.
pub fn with_resume(error: &clap::Error) -> Failure {
    match refused_word(error).and_then(long) {
        Some(option) => Failure::usage(format!("`--{option}` cannot be changed when a run is resumed"))
            .hint("leave it out, or repeat the whole command line with `--resume`"),
        None => Failure::usage(error.to_string()),
    }
}

/// Returns the failure for an argument before `--` of a command that has none.
fn stray(word: &str, unknown: &str) -> Option<Failure> {
    let line = match word {
        "options" => options::LINE,
        "changes" => changes::LINE,
        _ => return None,
    };
    Some(Failure::usage(format!("unexpected `{unknown}` before `--`")).hint(line))
}

/// Tells whether a command runs a test or a program.
fn runs(name: &str) -> bool {
    !["history", "trust", "languages", "passes", "debug", "completions", "manual", "help"].contains(&name)
}

/// Returns the definitions of all commands that run something; the reduction is the first.
fn commands(whole: &Command) -> impl Iterator<Item = &Command> {
    let runs = whole.get_subcommands().filter(|command| runs(command.get_name()));
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
    /// The options about the input, the result and the passes.
    const OF_INPUTS: [&str; 14] = [
        "in-place",
        "compact",
        "anonymize",
        "effort",
        "options",
        "formatter",
        "preprocessor",
        "inline",
        "objective",
        "stop-at",
        "only",
        "skip",
        "keep",
        "propose",
    ];
    /// The options that inputs and the options of a command have in common.
    const OF_REDUCTIONS: [&str; 7] =
        ["flaky", "max-candidates", "json-log", "json", "report", "bug-report", "ui"];

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
                &["unit", "output", "language", "search", "differs-from"],
            ),
            ("isolate", none, none, &["allow-empty", "language"]),
            ("maximize", none, none, &["allow-empty", "language"]),
            (
                "changes",
                &OF_CHANGES,
                none,
                &["unit", "allow-empty", "language", "search", "differs-from", "max-time"],
            ),
            ("check", none, none, &["max-time", "output", "unit", "resume", "no-journal", "search"]),
            ("init", &OF_INIT, none, &["max-time", "unit", "resume", "no-journal", "search", "reject"]),
        ] {
            let all =
                [&OF_CHANGES[..], &OF_OPTIONS, &OF_INIT, &OF_INPUTS, &OF_REDUCTIONS, senseless].concat();
            for option in all {
                let typed = format!("--{option}");
                let words: Vec<&str> = [word, &typed].into_iter().filter(|word| !word.is_empty()).collect();
                let told = told(&words).unwrap_or_default();
                let has = own.contains(&option) || reductions.contains(&option);
                let is_refused = told.ends_with(&format!(" has no option `{typed}`"))
                    || told.starts_with(&format!("`{typed}` is an option of `nubbin "));
                assert_eq!(is_refused, !has, "{words:?}: {told}");
            }
        }
    }

    #[test]
    fn an_option_is_understood_in_each_of_its_forms() {
        let refused = Some("`nubbin check` has no option `--output`".to_owned());
        for typed in [&["-o"][..], &["-ox"], &["-qo", "x"], &["--output=x"], &["./o", "f", "-o", "x"]] {
            assert_eq!(told(&[&["check"], typed].concat()), refused, "{typed:?}");
        }
        assert_eq!(told(&["-o"]), None);
        assert_eq!(told(&["check", "--nonsense"]), None);
        assert_eq!(told(&["options", "x", "--", "y"]).as_deref(), Some("unexpected `x` before `--`"));
    }
}
