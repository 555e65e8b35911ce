//! Lists the exit codes, for the program and for its help.
//!
//! It does not list signals: they are raised again, so that a shell sees 128 and the signal's number.

use crate::args::meant;
use nubbin_oracle as oracle;
use nubbin_session::failure::{Failure, Fault};
use nubbin_session::text;
use std::fmt::Write as _;
use std::io::Write;
use std::process::ExitCode;

/// The end of the program, as an exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// The input was reduced as far as possible, or as far as the user asked for; or the requested information was
    /// shown.
    Success = 0,
    /// An error that has no code of its own.
    Unexpected = 1,
    /// The command line is not valid.
    Usage = 2,
    /// The unreduced input is not interesting.
    NotInteresting = 3,
    /// The empty input is interesting.
    EmptyIsInteresting = 4,
    /// The oracle cannot be run, reaches the time limit on the unreduced input, or behaves differently in the sandbox.
    Oracle = 5,
    /// A language is unknown, or a grammar cannot be used.
    Language = 6,
    /// The input cannot be read.
    Input = 7,
    /// The result, or a record of the run, cannot be written.
    Output = 8,
    /// The oracle does not repeat itself.
    Flaky = 9,
    /// There is no journal of an earlier run, or it does not fit this one.
    Journal = 10,
    /// `nubbin check`, or the check for garbage before a run or a script, has found a problem that would make a
    /// reduction wrong.
    Wrong = 11,
}

/// The meaning of each exit code, in the order of the help.
const MEANINGS: [(Exit, &str); 12] = [
    (Exit::Success, "reduced"),
    (Exit::Unexpected, "an unexpected error"),
    (Exit::Usage, "the command line makes no sense"),
    (Exit::NotInteresting, "the unreduced input is not interesting"),
    (Exit::EmptyIsInteresting, "the empty input is interesting (see --allow-empty)"),
    (Exit::Oracle, "the oracle cannot be run (in the sandbox), or hangs on the unreduced input"),
    (Exit::Language, "a language is unknown, or a grammar cannot be used"),
    (Exit::Input, "the input cannot be read"),
    (Exit::Output, "the result, or a record of the run, cannot be written"),
    (Exit::Flaky, "the oracle does not repeat itself (see --flaky)"),
    (Exit::Journal, "there is no earlier run to go on with, or it does not fit any more"),
    (Exit::Wrong, "what would make a reduction wrong was found, by `nubbin check` or before the run"),
];

/// Returns the codes and what they mean, for people.
pub fn list() -> String {
    let mut text = String::from("Exit codes:\n");
    for (exit, meaning) in MEANINGS {
        let _ = writeln!(text, "  {:<6} {meaning}", exit as u8);
    }
    text.push_str("  128+n  ended by signal n; the best so far is in the output\n");
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

/// Prints a failure on standard error, and returns the exit code.
pub fn report(failure: &Failure) -> Exit {
    let hint = misspelt(failure).or_else(|| failure.advice().map(str::to_owned));
    let hint = hint.map(|hint| format!("hint: {hint}\n")).unwrap_or_default();
    let text = format!("error: {failure}\n{}{hint}", failure.lines());
    let _ = std::io::stderr().lock().write_all(text::printable(&text).as_bytes());
    failure.fault().into()
}

/// Returns the hint for an oracle that does not exist, if the user may have meant a command of this program.
fn misspelt(failure: &Failure) -> Option<String> {
    let Some(oracle::Error::NotFound { program }) = failure.cause().downcast_ref() else { return None };
    let command = meant::misspelt(program.as_os_str()).filter(|_| !program.is_absolute())?;
    Some(format!(
        "`nubbin {command}` is a command; a script is given by its path, as `./{}`",
        program.display()
    ))
}
