//! The options about programs that propose what to try.

use clap::Args;
use std::ffi::OsString;
use std::time::Duration;

/// The names of these options.
pub const IDS: [&str; 2] = ["propose", "propose_timeout"];
/// What was typed.
#[derive(Debug, Args)]
#[group(skip)]
pub struct Typed {
    /// A program that is given the best, as {} or its last argument, and proposes edits or whole texts as JSON lines, or as
    /// C-Vise's hints; can be given more than once.
    #[arg(long, value_name = "COMMAND", help_heading = "Passes")]
    pub propose: Vec<OsString>,

    /// How long such a program may take [default: 60].
    #[arg(long, value_name = "SECONDS", value_parser = crate::args::seconds, requires = "propose", help_heading = "Passes")]
    pub propose_timeout: Option<Duration>,
}
