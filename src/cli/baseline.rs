//! The first run of the oracle, on the unchanged input: is the failure there, what is it, and how long does it take.
//!
//! It reduces nothing; the run counts as the reduction's first probe.

use super::exit::Exit;
use super::failure::Failure;
use super::settings::{Settings, Test};
use super::text;
use nubbin::Verdict;
use nubbin::oracle::{CommandOracle, Error, Matcher, Oracle, Protocol, Run, Status};
use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How long the first run may take.
const FIRST: Duration = Duration::from_secs(60);
/// How long the others may take at least, and how many times as long as the first.
const LATER: (Duration, u32) = (Duration::from_secs(5), 10);
/// How many lines of output are shown.
const LINES: usize = 10;

/// An oracle that has proven the input interesting, and answers for it from then on without running again.
pub struct Baseline<'a> {
    input: &'a [u8],
    oracle: CommandOracle,
    /// The failure to keep, as a sentence; a script knows it by itself.
    pub kept: Option<String>,
}

impl Oracle for Baseline<'_> {
    fn probe(&self, candidate: &[u8]) -> Result<Verdict, Error> {
        if candidate == self.input { Ok(Verdict::Interesting) } else { self.oracle.probe(candidate) }
    }

    fn probe_unless(&self, candidate: &[u8], cancelled: &AtomicBool) -> Result<Verdict, Error> {
        self.oracle.probe_unless(candidate, cancelled)
    }
}

/// Runs the oracle on the unchanged input.
pub fn run<'a>(settings: &Settings, input: &'a [u8], stop: Arc<AtomicBool>) -> Result<Baseline<'a>, Failure> {
    let (test, path) = (&settings.test, settings.input.path(&settings.language));
    let limit = settings.timeout.unwrap_or(FIRST);
    let mut oracle = CommandOracle::new(&test.words[0], &test.words[1..], &path);
    oracle = oracle.append_path(true).limit(limit).stop(stop).protocol(protocol(test));
    if let Some(Ok(found)) = settings.input.file().map(Path::metadata) {
        oracle = oracle.permissions(found.permissions());
    }
    let first = oracle.run(input)?;
    let failure = failure(test, &first);
    match &failure {
        _ if first.status == Status::TimedOut => return Err(hangs(test, limit)),
        Some(Matcher { status: Some(Status::Exit(0)), stdout: None, stderr: None })
            if test.failure.as_ref().is_some_and(is_open) =>
        {
            return Err(succeeds(test));
        }
        _ if first.verdict != Verdict::Interesting => {
            return Err(not_interesting(settings, &path, &first));
        }
        _ => {}
    }
    let kept =
        failure.as_ref().map(|failure| format!("the failure to keep: `{}` {}", test.label, wanted(failure)));
    let later = settings.timeout.unwrap_or_else(|| LATER.0.max(first.elapsed.saturating_mul(LATER.1)));
    oracle = oracle.limit(later).protocol(failure.map_or(Protocol::Script, Protocol::Match));
    Ok(Baseline { input, oracle, kept })
}

fn protocol(test: &Test) -> Protocol {
    test.failure.clone().map_or(Protocol::Script, Protocol::Match)
}

/// The failure to keep: what was asked for, or else how the first run ended.
fn failure(test: &Test, first: &Run) -> Option<Matcher> {
    let asked = test.failure.clone()?;
    Some(if is_open(&asked) { Matcher { status: Some(first.status), ..asked } } else { asked })
}

fn is_open(matcher: &Matcher) -> bool {
    matcher.status.is_none() && matcher.stdout.is_none() && matcher.stderr.is_none()
}

/// What a failure looks like, as the rest of a sentence about the command.
fn wanted(failure: &Matcher) -> String {
    let ends = failure.status.map(|status| match status {
        Status::Exit(status) => format!("exits with status {status}"),
        Status::Signal(signal) => format!("is killed by {}", super::signal::name(signal)),
        Status::TimedOut => "runs into the time limit".to_owned(),
        Status::OverLimit(limit) => format!("runs into the {limit}"),
    });
    let writes = |regex: &Option<_>, stream| {
        regex.as_ref().map(|regex: &regex::bytes::Regex| format!("writes `{regex}` to standard {stream}"))
    };
    let parts = [ends, writes(&failure.stdout, "output"), writes(&failure.stderr, "error")];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" and ")
}

fn hangs(test: &Test, limit: Duration) -> Failure {
    let limit = text::time(limit);
    let message =
        format!("`{}` did not end within {limit} on the unreduced input; nothing was changed", test.label);
    Failure::message(Exit::Oracle, message).hint("if it needs longer, say so with `--timeout SECONDS`")
}

fn succeeds(test: &Test) -> Failure {
    let message = format!(
        "`{}` succeeds on the unreduced input, so there is no failure to keep; nothing was changed",
        test.label
    );
    Failure::message(Exit::NotInteresting, message)
        .hint("say what the failure is with `--stdout REGEX`, `--stderr REGEX` or `--exit-code N`")
}

fn not_interesting(settings: &Settings, path: &Path, first: &Run) -> Failure {
    let test = &settings.test;
    let (ending, cannot_tell) = (text::ending(first.status), first.status == Status::Exit(125));
    let unresolved = if cannot_tell && test.failure.is_none() { " (cannot tell)" } else { "" };
    let message =
        format!("`{}` {ending}{unresolved} on the unreduced input; nothing was changed", test.label);
    let must = match &test.failure {
        None => "it must exit with status 0 on an input that fails".to_owned(),
        Some(failure) => format!("an input that fails is one on which it {}", wanted(failure)),
    };
    let by_hand = by_hand(settings, path);
    let output = [first.stdout.as_slice(), first.stderr.as_slice()].concat();
    Failure::message(Exit::NotInteresting, message)
        .details(text::last_lines(&output, LINES))
        .hint(format!("{must}; repeat the run by hand with\n  {by_hand}"))
}

/// The first run as a command for a shell, in an empty directory.
fn by_hand(settings: &Settings, path: &Path) -> String {
    let name = path.file_name().unwrap_or(OsStr::new("input"));
    let from = match settings.input.file().map(std::path::absolute) {
        Some(Ok(file)) => text::quote(file.as_os_str()),
        _ => "INPUT".to_owned(),
    };
    let run = text::command_line(&settings.test.words, name);
    let name = text::quote(name);
    format!(r#"(cd "$(mktemp -d)" && cp -- {from} ./{name} && {run}; echo "status $?")"#)
}
