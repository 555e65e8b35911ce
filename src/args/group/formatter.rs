//! The options about the formatter.

use clap::Args;
use nubbin_session::failure::Failure;
use nubbin_session::program::ProgramChoice;
use std::ffi::OsString;

/// The formatter that was typed, or that there is to be none.
#[derive(Debug, Args)]
#[group(skip)]
pub struct FormatterOptions {
    /// The formatter for the result, which reads standard input or the file `{}` [default: one for the language that is
    /// installed, or that in `NUBBIN_FORMATTER`]. What it writes is used if the failure stays.
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["compact", "no_formatter"], help_heading = "Result")]
    formatter: Option<OsString>,

    /// Leave the result as it is.
    #[arg(long, help_heading = "Result")]
    no_formatter: bool,
}

impl FormatterOptions {
    /// Tells whether a formatter is named.
    pub fn has_command(&self) -> bool {
        self.formatter.is_some()
    }

    /// Returns the chosen formatter.
    pub fn choice(self) -> Result<ProgramChoice, Failure> {
        ProgramChoice::new("formatter", self.formatter, self.no_formatter)
    }
}
