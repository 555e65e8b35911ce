//! The options about the two versions that are compared.

use std::ffi::OsString;
use std::path::PathBuf;

/// What was typed.
#[derive(Debug, Default, clap::Args)]
#[group(skip)]
pub struct Typed {
    /// The version that works: a directory, or a git revision.
    #[arg(long, value_name = "G", hide = true, help_heading = "What is compared")]
    pub good: Option<OsString>,

    /// The version that fails: a directory, or a git revision.
    #[arg(long, value_name = "B", hide = true, conflicts_with = "diff", help_heading = "What is compared")]
    pub bad: Option<OsString>,

    /// Instead of the version that fails: a patch that makes it of the one that works.
    #[arg(long, value_name = "FILE", hide = true, help_heading = "What is compared")]
    pub diff: Option<PathBuf>,

    /// Go on although the work tree has changes that the revision that is checked out does not have.
    #[arg(long, hide = true, help_heading = "What is compared")]
    pub allow_dirty: bool,

    /// Begin each run with the files of the version alone, without what earlier builds have left.
    #[arg(long, hide = true, help_heading = "Run")]
    pub fresh: bool,
}

/// The ids of these options.
pub const IDS: [&str; 5] = ["good", "bad", "diff", "allow_dirty", "fresh"];
