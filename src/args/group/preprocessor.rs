//! The options about the preprocessor.

use clap::Args;
use nubbin_session::failure::Failure;
use nubbin_session::program::ProgramChoice;
use std::ffi::OsString;

/// The preprocessor that was typed, or that there is to be none.
#[derive(Debug, Args)]
#[group(skip)]
pub struct PreprocessorOptions {
    /// The preprocessor that the input goes through at the beginning, which reads standard input or the file `{}`
    /// [default: the compilers that the oracle names, or one that is installed, or that in `NUBBIN_PREPROCESSOR`].
    /// What it writes is used if the failure stays and tokens go; `#include` stays as it is.
    #[arg(long, value_name = "COMMAND", conflicts_with = "no_preprocessor", help_heading = "Run")]
    preprocessor: Option<OsString>,

    /// Leave macros and conditions to the passes.
    #[arg(long, help_heading = "Run")]
    no_preprocessor: bool,
}

impl PreprocessorOptions {
    /// Returns the chosen preprocessor.
    pub fn choice(self) -> Result<ProgramChoice, Failure> {
        ProgramChoice::new("preprocessor", self.preprocessor, self.no_preprocessor)
    }
}
