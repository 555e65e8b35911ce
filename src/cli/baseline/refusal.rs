//! Why a run cannot begin, as failures that say what to do: the first runs showed no failure, or another one each time.

use super::{CHECK, LINES};
use crate::cli::exit::Exit;
use crate::cli::failure::Failure;
use crate::cli::settings::{Input, Settings};
use crate::cli::text;
use nubbin::oracle::{Matcher, Run, Shape, Status};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a failure looks like, as the rest of a sentence about the command.
pub(super) fn wanted(failure: &Matcher) -> String {
    let ends = failure.status.map(|status| match status {
        Status::Exit(status) => format!("exits with status {status}"),
        Status::Signal(signal) => format!("is killed by {}", crate::cli::signal::name(signal)),
        Status::TimedOut => "runs into the time limit".to_owned(),
        Status::OverLimit(limit) => format!("runs into the {limit}"),
    });
    let writes = |regex: &Option<_>, stream| {
        regex.as_ref().map(|regex: &regex::bytes::Regex| format!("writes `{regex}` to standard {stream}"))
    };
    let says = failure.message.as_ref().map(|message| format!("says `{}`", message.signature.title()));
    let parts = [ends, writes(&failure.stdout, "output"), writes(&failure.stderr, "error"), says];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" and ")
}

/// What the first runs are on.
fn whole(settings: &Settings) -> String {
    match &settings.input {
        Input::Changes(sides) => format!("`{}`, which should fail", sides.bad_name()),
        _ => "the unreduced input".to_owned(),
    }
}

pub(super) fn hangs(settings: &Settings, limit: Duration) -> Failure {
    let (limit, label, whole) = (text::time(limit), &settings.test.label, whole(settings));
    let message = format!("`{label}` did not end within {limit} on {whole}; nothing was changed");
    Failure::message(Exit::Oracle, message).hint("if it needs longer, say so with `--timeout SECONDS`")
}

pub(super) fn writes_outside(settings: &Settings, first: &Run) -> Failure {
    let message = format!(
        "`{}` {} in the sandbox on {}, and does something else without it: it seems to write outside of \
         its directory; nothing was changed",
        settings.test.label,
        text::ending(first.status),
        whole(settings)
    );
    let output = [first.stdout.as_slice(), first.stderr.as_slice()].concat();
    Failure::message(Exit::Oracle, message)
        .details(text::last_lines(&output, LINES))
        .hint("allow it a directory with `--writable DIR`, or everything with `--sandbox off`")
}

pub(super) fn succeeds(settings: &Settings) -> Failure {
    let message = format!(
        "`{}` succeeds on {}, so there is no failure to keep; nothing was changed",
        settings.test.label,
        whole(settings)
    );
    Failure::message(Exit::NotInteresting, message)
        .hint("say what the failure is with `--stdout REGEX`, `--stderr REGEX` or `--exit-code N`")
}

pub(super) fn not_interesting(settings: &Settings, path: &Path, first: &Run) -> Failure {
    let test = &settings.test;
    let (ending, cannot_tell) = (text::ending(first.status), first.status == Status::Exit(125));
    let unresolved = if cannot_tell && test.failure.is_none() { " (cannot tell)" } else { "" };
    let message =
        format!("`{}` {ending}{unresolved} on {}; nothing was changed", test.label, whole(settings));
    let must = match &test.failure {
        None => "it must exit with status 0 on an input that fails".to_owned(),
        Some(failure) => format!("an input that fails is one on which it {}", wanted(failure)),
    };
    let by_hand = by_hand(settings, path);
    let check = if settings.can_be_checked() { CHECK } else { "" };
    let output = [first.stdout.as_slice(), first.stderr.as_slice()].concat();
    Failure::message(Exit::NotInteresting, message)
        .details(text::last_lines(&output, LINES))
        .hint(format!("{must}{check}; repeat the run by hand with\n  {by_hand}"))
}

/// The first run as a command for a shell, in an empty directory.
pub fn by_hand(settings: &Settings, path: &Path) -> String {
    if let Input::Options(choices) = &settings.input {
        return choices.first_run();
    }
    if let Input::Changes(sides) = &settings.input {
        return format!("{}\nin a copy of `{}`", text::words(&settings.test.words), sides.bad_name());
    }
    let own = path.file_name().unwrap_or(OsStr::new("input")).into();
    let names = if let Shape::Files(names) = &settings.shape { names.clone() } else { vec![own] };
    let from = |at: usize| match settings.input.paths().get(at).map(std::path::absolute) {
        Some(Ok(file)) => text::quote(file.as_os_str()),
        _ => "INPUT".to_owned(),
    };
    let all = if settings.shape == Shape::Folder { "-a " } else { "" };
    let copy = |(at, name): (usize, &PathBuf)| {
        let parent = name.parent().filter(|parent| *parent != Path::new(""));
        let make = parent.map(|parent| format!("mkdir -p ./{} && ", text::quote(parent.as_os_str())));
        format!("{}cp {all}-- {} ./{} && ", make.unwrap_or_default(), from(at), text::quote(name.as_os_str()))
    };
    let copies: String = names.iter().enumerate().map(copy).collect();
    let run = text::command_line(&settings.test.words, &names);
    format!(r#"(cd "$(mktemp -d)" && {copies}{run}; echo "status $?")"#)
}
