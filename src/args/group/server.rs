//! The options about servers: processes that test many candidates.

use clap::{Args, ValueHint};

/// The options about a process that tests one candidate after another.
#[derive(Debug, Default, Args)]
#[group(skip)]
pub struct ServerOptions {
    /// A test server that answers for one candidate after another, or `none`
    ///
    /// The command replaces a script or COMMAND. It is started once for each job, and exchanges JSON lines through its
    /// standard input and output. With `none`, each run is a new process, even if the test could be loaded once (as
    /// for Python and Node).
    #[arg(long, value_name = "COMMAND", value_hint = ValueHint::CommandString, help_heading = "Run")]
    pub server: Option<String>,

    /// Start N processes per job in advance, up to a line `nubbin-wait` of the script
    ///
    /// Each of them tests one candidate. Without this option, `nubbin-wait` does nothing.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=16),
        conflicts_with = "flaky", help_heading = "Run")]
    pub prestart: Option<u8>,
}

impl ServerOptions {
    /// Returns the command of the server.
    pub fn command(&self) -> Option<&str> {
        self.server.as_deref().filter(|command| *command != NONE)
    }

    /// Tells whether each run is to be a new process.
    pub fn is_off(&self) -> bool {
        self.server.as_deref() == Some(NONE)
    }
}

const NONE: &str = "none";
