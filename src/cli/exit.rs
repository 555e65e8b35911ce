//! The exit codes: the one list of them, for the program and for its help.
//!
//! Signals are not in it: they are raised again, so that a shell sees 128 and the signal's number.

use std::fmt::Write;
use std::process::ExitCode;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// The input was reduced as far as it goes, or as was asked for; or there was something to show.
    Success = 0,
    /// Something went wrong that has no code of its own.
    Unexpected = 1,
    /// The command line makes no sense.
    Usage = 2,
    /// The unreduced input is not interesting.
    NotInteresting = 3,
    /// The empty input is interesting.
    EmptyIsInteresting = 4,
    /// The oracle cannot be run, runs into the time limit on the unreduced input, or does something else in the sandbox.
    Oracle = 5,
    /// A language is unknown, or a grammar cannot be used.
    Language = 6,
    /// The input cannot be read.
    Input = 7,
    /// The result cannot be written.
    Output = 8,
    /// The oracle does not repeat itself.
    Flaky = 9,
    /// There is no journal of an earlier run, or it does not fit this one.
    Journal = 10,
    /// `nubbin check`, or the look at garbage before a run or a script, has found what would make a reduction wrong.
    Wrong = 11,
}

const MEANINGS: [(Exit, &str); 12] = [
    (Exit::Success, "reduced"),
    (Exit::Unexpected, "an unexpected error"),
    (Exit::Usage, "the command line makes no sense"),
    (Exit::NotInteresting, "the unreduced input is not interesting"),
    (Exit::EmptyIsInteresting, "the empty input is interesting (see --allow-empty)"),
    (Exit::Oracle, "the oracle cannot be run (in the sandbox), or hangs on the unreduced input"),
    (Exit::Language, "a language is unknown, or a grammar cannot be used"),
    (Exit::Input, "the input cannot be read"),
    (Exit::Output, "the result cannot be written"),
    (Exit::Flaky, "the oracle does not repeat itself (see --flaky)"),
    (Exit::Journal, "there is no earlier run to go on with, or it does not fit any more"),
    (Exit::Wrong, "what would make a reduction wrong was found, by `nubbin check` or before the run"),
];

/// The codes and what they mean, for people.
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
