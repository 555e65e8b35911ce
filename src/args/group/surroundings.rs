//! The options about what the oracle sees beside the candidate.

use clap::Args;
use std::path::PathBuf;

/// The files that the oracle sees, and the directory that it runs in.
#[derive(Debug, Args)]
#[group(skip)]
pub struct SurroundingOptions {
    /// A file or a directory here that the oracle needs beside FILE: it can read it, and it is not reduced. What a COMMAND
    /// opens on FILE is found by itself. Can be given more than once.
    #[arg(long, value_name = "PATH", help_heading = "Run")]
    pub needs: Vec<PathBuf>,

    /// Run the oracle in this directory, where each candidate stands in place of FILE, for its run alone; it may not write
    /// here without --writable.
    #[arg(long, conflicts_with = "needs", help_heading = "Run")]
    pub here: bool,
}
