//! The option about programs that propose candidates.

use clap::{Args, ValueHint};
use std::ffi::OsString;

/// The programs that propose candidates.
#[derive(Debug, Args)]
#[group(skip)]
pub struct ProposeOptions {
    /// A program that proposes edits or whole candidates; repeatable
    ///
    /// It gets the path of the current best as {} or as its last argument, and prints edits or texts as JSON lines, or
    /// hints in the format of C-Vise. `--limit proposer=TIME` limits each run.
    #[arg(long, value_name = "COMMAND", value_hint = ValueHint::CommandString, help_heading = "Passes")]
    pub propose: Vec<OsString>,
}
