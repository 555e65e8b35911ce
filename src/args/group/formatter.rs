//! The option about the formatter.

use clap::{Args, ValueHint};
use nubbin_session::failure::Failure;
use nubbin_session::program::ProgramChoice;
use std::ffi::OsString;

/// The formatter for the result.
#[derive(Debug, Args)]
#[group(skip)]
pub struct FormatterOptions {
    /// Formatter for the result, or `none`
    ///
    /// It reads standard input, or the file `{}`. Its output is used if the failure still reproduces. The default is
    /// `NUBBIN_FORMATTER`, or an installed formatter for the language.
    #[arg(long, value_name = "COMMAND", value_hint = ValueHint::CommandString, help_heading = "Result")]
    formatter: Option<OsString>,
}

impl FormatterOptions {
    /// Tells whether a formatter is named.
    pub fn has_command(&self) -> bool {
        self.formatter.as_ref().is_some_and(|command| command != "none")
    }

    /// Returns the chosen formatter.
    pub fn choice(self) -> Result<ProgramChoice, Failure> {
        ProgramChoice::new("formatter", self.formatter)
    }
}
