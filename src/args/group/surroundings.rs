//! The options about the files that the test needs in addition to the candidate.

use clap::Args;
use std::path::PathBuf;

/// The files that the test needs, and the directory that it runs in.
#[derive(Debug, Args)]
#[group(skip)]
pub struct SurroundingOptions {
    /// A file or directory that the test reads and that is not reduced; repeatable
    ///
    /// Files that a COMMAND opens when it runs on FILE are found automatically.
    #[arg(long, value_name = "PATH", help_heading = "Run")]
    pub needs: Vec<PathBuf>,

    /// Run in this directory, with each candidate in place of FILE
    ///
    /// Other runs do not see the candidate. The test cannot write to this directory without --writable.
    #[arg(long, conflicts_with = "needs", help_heading = "Run")]
    pub here: bool,
}
