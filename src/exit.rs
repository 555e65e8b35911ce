//! The exit codes.
//!
//! A signal is raised again, so that a shell reports 128 plus the number of the signal.

use crate::terminal;
use nubbin_session::failure::{Failure, Fault};
use nubbin_session::text;
use std::fmt::Write as _;
use std::io::Write;
use std::process::ExitCode;

/// An exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// The reduction ended, or the requested information was printed.
    Success = 0,
    /// An error without a specific code.
    Unexpected = 1,
    /// The command line is not valid.
    Usage = 2,
    /// The unreduced input does not fail.
    NotInteresting = 3,
    /// The empty input fails as well.
    EmptyIsInteresting = 4,
    /// The test cannot be run, times out on the unreduced input, or behaves differently in the sandbox.
    Oracle = 5,
    /// The language is unknown, or the grammar cannot be loaded.
    Language = 6,
    /// The input cannot be read.
    Input = 7,
    /// The result or a report cannot be written.
    Output = 8,
    /// The test is flaky.
    Flaky = 9,
    /// There is no journal of an earlier run, or it does not match.
    Journal = 10,
    /// The test is unsound, according to `nubbin check` or to the checks before a run.
    Wrong = 11,
}

/// The meaning of a success, for a reduction.
pub const REDUCED: &str = "reduced";

/// The meaning of an end by a signal, for a reduction.
pub const SIGNAL: &str = "ended by signal n; the output holds the smallest input found so far";

/// The meanings of the exit codes, for the help.
const MEANINGS: [(Exit, &str); 12] = [
    (Exit::Success, REDUCED),
    (Exit::Unexpected, "an unexpected error"),
    (Exit::Usage, "the command line is not valid"),
    (Exit::NotInteresting, "the unreduced input does not fail"),
    (Exit::EmptyIsInteresting, "the empty input fails as well (see --allow-empty)"),
    (Exit::Oracle, "the test cannot be run (in the sandbox), or hangs on the unreduced input"),
    (Exit::Language, "the language is unknown, or the grammar cannot be loaded"),
    (Exit::Input, "the input cannot be read"),
    (Exit::Output, "the result or a report cannot be written"),
    (Exit::Flaky, "the test is flaky (see --flaky)"),
    (Exit::Journal, "there is no earlier run to resume, or it does not match"),
    (Exit::Wrong, "the test is unsound (found by `nubbin check`, or before the run)"),
];

/// Lists the exit codes and their meanings.
pub fn meanings() -> impl Iterator<Item = (String, &'static str)> {
    let signals = ("128+n".to_owned(), SIGNAL);
    MEANINGS.into_iter().map(|(exit, meaning)| ((exit as u8).to_string(), meaning)).chain([signals])
}

/// Returns the exit codes and their meanings, for the help.
pub fn list() -> String {
    let mut text = String::from("Exit codes:\n");
    for (code, meaning) in meanings() {
        let _ = writeln!(text, "  {code:<6} {meaning}");
    }
    text
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        (exit as u8).into()
    }
}

impl From<Fault> for Exit {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Unexpected | Fault::Interrupted => Self::Unexpected,
            Fault::Usage => Self::Usage,
            Fault::NotInteresting | Fault::NotPassing => Self::NotInteresting,
            Fault::EmptyIsInteresting => Self::EmptyIsInteresting,
            Fault::Oracle => Self::Oracle,
            Fault::Language => Self::Language,
            Fault::Input => Self::Input,
            Fault::Output => Self::Output,
            Fault::Flaky => Self::Flaky,
            Fault::Journal => Self::Journal,
            Fault::Wrong => Self::Wrong,
        }
    }
}

/// Prints a failure to standard error, and returns its exit code.
pub fn report(failure: &Failure) -> Exit {
    let hint = failure.advice().map(|hint| format!("hint: {hint}\n")).unwrap_or_default();
    let text = format!("error: {failure}\n{}{hint}", failure.lines());
    let _ = std::io::stderr().lock().write_all(terminal::styled(&text::printable(&text)).as_bytes());
    failure.fault().into()
}
