//! The word by which a test says that it has got ready, for a test that is run by hand: then its candidate is there
//! already, and nothing is waited for.
//!
//! Nubbin puts a word of the same name on the `PATH` of its probes. If a test finds this one first, it does what that
//! one does.

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

/// The variable with the path of the word that waits, in a process that Nubbin has started ahead.
const VARIABLE: &str = "NUBBIN_WAIT";

fn main() -> ExitCode {
    let Some(word) = std::env::var_os(VARIABLE) else { return ExitCode::SUCCESS };
    let error = Command::new(&word).exec();
    eprintln!("nubbin-wait: {}: {error}", word.display());
    ExitCode::FAILURE
}
