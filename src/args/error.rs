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

/// Options that have another form, and what to type instead.
const RENAMED: [(&str, &str); 40] = [
    ("any-errors", "--match any-errors"),
    ("cpu-time", "--limit cpu=TIME"),
    ("dump-deltas", "nubbin debug deltas PASS FILE"),
    ("dump-tree", "nubbin debug tree FILE"),
    ("events", "--json-log FILE"),
    ("flaky-rate", "--flaky CONFIDENCE,RATE"),
    ("grammar", "--language DIR/"),
    ("jobs-from", "--remote COMMAND"),
    ("keep-function", "--keep function:NAME"),
    ("keep-message", "--match message"),
    ("list-languages", "nubbin languages"),
    ("list-passes", "nubbin passes"),
    ("max-probes", "--max-candidates N"),
    ("memory", "--limit memory=SIZE"),
    ("no-formatter", "--formatter none"),
    ("no-inline", "--inline never"),
    ("no-keep-message", "--match status"),
    ("no-network", "--sandbox no-network"),
    ("no-preprocessor", "--preprocessor none"),
    ("no-server", "--server none"),
    ("not-stderr", "--reject REGEX"),
    ("not-stdout", "--reject REGEX"),
    ("objective-command", "--metric COMMAND"),
    ("output-size", "--limit output=SIZE"),
    ("private", "--sandbox private"),
    ("processes", "--limit processes=N"),
    ("propose-timeout", "--limit proposer=TIME"),
    ("remote-ca", "--remote-option ca=FILE"),
    ("remote-cache", "--remote-option cache=on"),
    ("remote-certificate", "--remote-option certificate=FILE"),
    ("remote-env", "--remote-option env=NAME"),
    ("remote-helper", "--remote-option credential-helper=PATH"),
    ("remote-instance", "--remote-option instance=NAME"),
    ("remote-key", "--remote-option key=FILE"),
    ("remote-lost", "--remote-option lost=wait"),
    ("remote-patience", "--remote-option patience=TIME"),
    ("remote-platform", "--remote-option platform=KEY=VALUE"),
    ("remote-token", "--remote-option token=FILE"),
    ("summary", "--json"),
    ("until-stalled", "--stop-at 10%/min"),
];

/// Returns what to type instead of an option that has another form.
pub fn renamed(option: &str) -> Option<&'static str> {
    RENAMED.iter().find(|(name, _)| *name == option).map(|(_, now)| *now)
}

/// Returns the failure that describes this error.
pub fn failure(words: &[OsString], error: &clap::Error) -> Failure {
    let argument = text_of(error, ContextKind::InvalidArg).unwrap_or_default();
    let option = argument.split([' ', '=']).next().unwrap_or_default().to_owned();
    let value = text_of(error, ContextKind::InvalidValue).unwrap_or_default();
    let typed = TypedCommand::of(words);
    match error.kind() {
        ErrorKind::UnknownArgument if option.starts_with('-') => typed.unknown(&option),
        ErrorKind::UnknownArgument => {
            Failure::usage(format!("unexpected argument `{option}`")).hint(typed.usage())
        }
        ErrorKind::InvalidValue if value.is_empty() => {
            let failure = Failure::usage(format!("`{option}` needs a value"));
            failure.hint(values(error, &option, &value).unwrap_or_else(|| typed.about(&option, &argument)))
        }
        ErrorKind::InvalidValue => Failure::usage(format!("`{value}` is not a valid value of `{option}`"))
            .hint(values(error, &option, &value).unwrap_or_else(|| typed.about(&option, &argument))),
        ErrorKind::ValueValidation => {
            let reason = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
            let (message, details) = reason_of(&reason);
            let value = if value.contains(char::is_whitespace) { format!("'{value}'") } else { value };
            let failure = Failure::usage(format!("`{option} {value}`: {message}"));
            if details.is_empty() {
                failure.hint(typed.about(&option, &argument))
            } else {
                failure.details(details).hint("escape literal brackets, dots and stars with `\\`")
            }
        }
        ErrorKind::ArgumentConflict => {
            let other = text_of(error, ContextKind::PriorArg).unwrap_or_default();
            let other = other.split([' ', '=']).next().unwrap_or_default().to_owned();
            if other == option || other.is_empty() {
                return Failure::usage(format!("`{option}` is given twice")).hint("leave out one of the two");
            }
            Failure::usage(format!("`{option}` and `{other}` exclude each other"))
                .hint("leave out one of the two")
        }
        ErrorKind::MissingRequiredArgument => {
            Failure::usage(format!("`{option}` is missing")).hint(typed.usage())
        }
        _ => {
            let whole = error.to_string();
            let first = whole.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
            Failure::usage(first.replace('\'', "`")).hint(typed.help())
        }
    }
}

/// Returns the reason why a value is not valid, and lines that show the place.
fn reason_of(reason: &str) -> (String, String) {
    if reason.starts_with("regex parse error") {
        let lines: Vec<&str> = reason.lines().skip(1).collect();
        let (place, why): (Vec<&str>, Vec<&str>) = lines.iter().partition(|line| line.starts_with("  "));
        let why = why.first().map_or("", |why| why.trim_start_matches("error: "));
        return (format!("not a regular expression: {why}"), place.join("\n") + "\n");
    }
    if let Some((_, range)) = reason.split_once(" is not in ") {
        let (least, most) = range.split_once("..=").unwrap_or((range.trim_end_matches(".."), ""));
        let most = if most.is_empty() { String::new() } else { format!(" and at most {most}") };
        return (format!("must be at least {least}{most}"), String::new());
    }
    if reason.starts_with("invalid digit") || reason.starts_with("cannot parse integer") {
        return ("not a number".to_owned(), String::new());
    }
    (reason.lines().next().unwrap_or_default().trim_end_matches(':').to_owned(), String::new())
}

/// The command of a command line, with its name.
struct TypedCommand {
    name: String,
    command: clap::Command,
}

impl TypedCommand {
    fn of(words: &[OsString]) -> Self {
        let mut command = definition();
        command.build();
        let mut name = "nubbin".to_owned();
        let own = meant::command(words).is_some();
        for word in words.iter().take(if own { words.len() } else { 0 }) {
            let Some(inner) = command.find_subcommand(word) else { break };
            command = inner.clone();
            name = format!("{name} {}", word.display());
        }
        Self { name, command }
    }

    fn help(&self) -> String {
        format!("`{} --help` lists all options", self.name)
    }

    /// Returns the usage, for a hint.
    fn usage(&self) -> String {
        let usage = match self.name.as_str() {
            "nubbin" => reduce::USAGE.to_owned(),
            _ => self.command.clone().render_usage().to_string(),
        };
        let lines: Vec<&str> = usage.trim_start_matches("Usage:").lines().map(str::trim).collect();
        format!("usage:\n  {}", lines.join("\n  "))
    }

    /// Returns the description of an option, for a hint. `form` is the option with the name of its value.
    fn about(&self, option: &str, form: &str) -> String {
        let found = self.command.get_arguments().find(|arg| arg.get_long() == option.strip_prefix("--"));
        match found.and_then(clap::Arg::get_help) {
            Some(help) => format!("`{form}`: {help}"),
            None => self.help(),
        }
    }

    /// Returns the failure for an option that the command does not have.
    fn unknown(&self, option: &str) -> Failure {
        let name = &self.name;
        if option.as_bytes().get(1).is_some_and(u8::is_ascii_digit) {
            return Failure::usage(format!("unexpected negative number `{option}`"))
                .hint(format!("no option of `{name}` takes a negative number"));
        }
        let failure = Failure::usage(format!("`{name}` has no option `{option}`"));
        if let Some(now) = option.strip_prefix("--").and_then(renamed) {
            return failure.hint(format!("use `{now}`"));
        }
        let near: Vec<String> = self.near(option).iter().map(|near| format!("`--{near}`")).collect();
        let more = self.help();
        failure.hint(match &near[..] {
            [] => more,
            near => format!("did you mean {}?\n      {more}", near.join(" or ")),
        })
    }

    /// Returns the options that are similar to an unknown one, or that start with it.
    fn near(&self, option: &str) -> Vec<String> {
        let Some(typed) = option.strip_prefix("--") else { return Vec::new() };
        let known = || {
            let shown = self.command.get_arguments().filter(|arg| !arg.is_hide_set());
            shown.filter_map(clap::Arg::get_long)
        };
        let longer: Vec<String> = known().filter(|one| one.starts_with(typed)).map(str::to_owned).collect();
        if typed.len() > 1 && (1..=3).contains(&longer.len()) {
            return longer;
        }
        let near = text::nearest(typed, known(), 1).into_iter().next();
        let most = (typed.len() / 3).max(1);
        near.filter(|near| text::distance(typed, near) <= most).map(str::to_owned).into_iter().collect()
    }
}

/// Returns a hint with the values of an option: all, or those that are similar to the typed one.
fn values(error: &clap::Error, option: &str, typed: &str) -> Option<String> {
    const MOST: usize = 16;
    let Some(ContextValue::Strings(values)) = error.get(ContextKind::ValidValue) else { return None };
    if values.is_empty() {
        return None;
    }
    let quoted = |values: &[String]| {
        let values: Vec<String> = values.iter().map(|value| format!("`{value}`")).collect();
        values.join(", ")
    };
    if values.len() <= MOST {
        return Some(format!("the values are {}", quoted(values)));
    }
    let near = text::nearest(typed, values.iter().map(String::as_str), 1).into_iter().next();
    let list = if ["--only", "--skip"].contains(&option) { "`nubbin passes` lists the passes" } else { "" };
    let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
    Some(format!("{near}{list}"))
}

fn text_of(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) => texts.first().cloned(),
        _ => None,
    }
}
