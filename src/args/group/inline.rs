//! The options about files that come into others.

use clap::Args;
use nubbin_session::inline::InlineChoice;

/// The part of the files that the input takes in.
#[derive(Debug, Args)]
#[group(skip)]
pub struct InlineOptions {
    /// Put the files that FILE includes or imports into it, where they are found beside it or in a directory that `-I`,
    /// `-iquote` or `-isystem` names in the command: all of them, or those with which the failure stays. Of a directory
    /// the files come into each other by themselves.
    #[arg(long, conflicts_with = "no_inline", help_heading = "Run")]
    inline: bool,

    /// Leave every file of a directory by itself.
    #[arg(long, help_heading = "Run")]
    no_inline: bool,
}

impl InlineOptions {
    /// Returns what was chosen.
    pub fn choice(&self) -> InlineChoice {
        match (self.inline, self.no_inline) {
            (true, _) => InlineChoice::Always,
            (false, true) => InlineChoice::Never,
            (false, false) => InlineChoice::Auto,
        }
    }
}
