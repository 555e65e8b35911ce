//! Turns errors of the parser into messages of this program: what is wrong, and what to type instead.

use super::{definition, meant, reduce};
use crate::exit::{self, Exit};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use nubbin_session::failure::Failure;
use nubbin_session::text;
use std::ffi::OsString;

/// Prints the answer to a request for help or the version, or the error, and returns the exit code.
pub fn report(words: &[OsString], error: &clap::Error) -> Exit {
    if !error.use_stderr() {
        let _ = error.print();
        return Exit::Success;
    }
    exit::report(&meant::refused(words, error).unwrap_or_else(|| failure(words, error)))
}

/// Prints the short help for an empty command line.
pub fn nothing_typed() -> Exit {
    let mut whole = definition();
    let help = whole.render_help();
    anstream::eprint!("{}", help.ansi());
    Exit::Usage
}

/// Returns the failure that describes this error.
pub fn failure(words: &[OsString], error: &clap::Error) -> Failure {
    let argument = text_of(error, ContextKind::InvalidArg).unwrap_or_default();
    let option = argument.split([' ', '=']).next().unwrap_or_default().to_owned();
    let value = text_of(error, ContextKind::InvalidValue).unwrap_or_default();
    let program =
        meant::command(words).map_or("nubbin".to_owned(), |word| format!("nubbin {}", word.display()));
    let more = format!("`{program} --help` lists all options");
    match error.kind() {
        ErrorKind::UnknownArgument if option.starts_with('-') => {
            let message = format!("`{program}` has no option `{option}`");
            let near = nearest(words, &option);
            let hint = near.map_or(more.clone(), |near| format!("did you mean `{near}`? {more}"));
            Failure::usage(message).hint(hint)
        }
        ErrorKind::UnknownArgument => {
            Failure::usage(format!("unexpected argument `{option}`")).hint(usage(words))
        }
        ErrorKind::InvalidValue if value.is_empty() => {
            Failure::usage(format!("`{option}` needs a value")).hint(value_hint(error, &argument, &more))
        }
        ErrorKind::InvalidValue => Failure::usage(format!("`{value}` is not a valid value of `{option}`"))
            .hint(value_hint(error, &argument, &more)),
        ErrorKind::ValueValidation => {
            let reason = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
            let (first, rest) = reason.split_once('\n').unwrap_or((&reason, ""));
            let first = first.trim_end_matches(':');
            let failure = Failure::usage(format!("`{option} {}`: {first}", text::quote(value.as_ref())));
            let failure = if rest.is_empty() { failure } else { failure.details(format!("{rest}\n")) };
            failure.hint(more)
        }
        ErrorKind::ArgumentConflict => {
            let other = text_of(error, ContextKind::PriorArg).unwrap_or_default();
            let other = other.split([' ', '=']).next().unwrap_or_default().to_owned();
            if other == option || other.is_empty() {
                return Failure::usage(format!("`{option}` is given twice")).hint(more);
            }
            let (one, two) = (option.clone(), other);
            Failure::usage(format!("`{one}` and `{two}` exclude each other")).hint("leave out one of the two")
        }
        ErrorKind::MissingRequiredArgument => {
            let other = option;
            Failure::usage(format!("`{other}` is missing")).hint(usage(words))
        }
        _ => {
            let whole = error.to_string();
            let first = whole.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
            Failure::usage(first.replace('\'', "`")).hint(more)
        }
    }
}

/// Returns the usage of the command, for a hint.
fn usage(words: &[OsString]) -> String {
    let mut whole = definition();
    whole.build();
    let command = meant::command(words).and_then(|word| whole.find_subcommand_mut(word));
    let usage = match command {
        Some(command) => command.render_usage().to_string(),
        None => reduce::USAGE.to_owned(),
    };
    let lines: Vec<&str> = usage.trim_start_matches("Usage:").lines().map(str::trim).collect();
    format!("usage:\n  {}", lines.join("\n  "))
}

fn value_hint(error: &clap::Error, argument: &str, more: &str) -> String {
    match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(values)) if !values.is_empty() => {
            let values: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
            format!("the values are {}", values.join(", "))
        }
        _ if argument.contains('<') => format!("write `{argument}`"),
        _ => more.to_owned(),
    }
}

/// Returns the option of this command that is most similar to an unknown one, if it is similar enough.
fn nearest(words: &[OsString], option: &str) -> Option<String> {
    let typed = option.strip_prefix("--")?;
    let whole = definition();
    let command = meant::command(words).and_then(|word| whole.find_subcommand(word)).unwrap_or(&whole);
    let known = command.get_arguments().filter(|arg| !arg.is_hide_set()).filter_map(clap::Arg::get_long);
    let near = text::nearest(typed, known, 1).into_iter().next()?;
    let most = (typed.len() / 3).max(1);
    (text::distance(typed, near) <= most).then(|| format!("--{near}"))
}

fn text_of(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => texts.first().cloned(),
        _ => None,
    }
}
