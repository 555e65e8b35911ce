//! The option about including the files that an input includes or imports.

use clap::{Args, ValueEnum};
use nubbin_session::inline::InlineChoice;

/// The choice of the files that are included.
#[derive(Debug, Args)]
#[group(skip)]
pub struct InlineOptions {
    /// Insert the files that FILE includes or imports: auto, always or never
    ///
    /// Files are searched next to FILE and in the directories that `-I`, `-iquote` and `-isystem` name in the command.
    /// Files are inserted only if the failure still reproduces. `auto` does this for directories only. `--inline` alone
    /// means `always`.
    #[arg(long, value_name = "WHEN", num_args = 0..=1, require_equals = true, default_missing_value = "always", default_value = "auto", hide_default_value = true, hide_possible_values = true, help_heading = "Input")]
    inline: When,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum When {
    Auto,
    Always,
    Never,
}

impl InlineOptions {
    /// Returns the choice.
    pub fn choice(&self) -> InlineChoice {
        match self.inline {
            When::Auto => InlineChoice::Auto,
            When::Always => InlineChoice::Always,
            When::Never => InlineChoice::Never,
        }
    }
}
