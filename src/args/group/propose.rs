//! The options about programs that propose what to try.

use clap::Args;
use std::ffi::OsString;
use std::time::Duration;

/// The programs that propose, and how long they may take.
#[derive(Debug, Args)]
#[group(skip)]
pub struct ProposeOptions {
    /// A program that is given the best, as {} or its last argument, and proposes edits or whole texts as JSON lines, or as
    /// C-Vise's hints; can be given more than once.
    #[arg(long, value_name = "COMMAND", help_heading = "Passes")]
    pub propose: Vec<OsString>,

    /// How long such a program may take [default: 60].
    #[arg(long, value_name = "SECONDS", value_parser = super::run::seconds, requires = "propose", help_heading = "Passes")]
    pub propose_timeout: Option<Duration>,
}
