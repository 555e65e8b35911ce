//! The option about the preprocessor.

use clap::{Args, ValueHint};
use nubbin_session::failure::Failure;
use nubbin_session::program::ProgramChoice;
use std::ffi::OsString;

/// The preprocessor for the input.
#[derive(Debug, Args)]
#[group(skip)]
pub struct PreprocessorOptions {
    /// Preprocessor to expand the input with at the start, or `none`
    ///
    /// It reads standard input, or the file `{}`. Its output is used if the failure still reproduces and the input gets
    /// smaller; `#include` lines are kept. The default is `NUBBIN_PREPROCESSOR`, the compiler that the test calls, or an
    /// installed one.
    #[arg(long, value_name = "COMMAND", value_hint = ValueHint::CommandString, help_heading = "Input")]
    preprocessor: Option<OsString>,
}

impl PreprocessorOptions {
    /// Returns the chosen preprocessor.
    pub fn choice(self) -> Result<ProgramChoice, Failure> {
        ProgramChoice::new("preprocessor", self.preprocessor)
    }
}
