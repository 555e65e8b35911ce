//! `nubbin debug`: options and help.

use super::group::LanguageOptions;
use clap::{Args, Subcommand, ValueHint};
use std::ffi::OsString;

const EXAMPLES: &str = "\
Examples:
  nubbin debug tree bug.c
      print the syntax tree
  nubbin debug deltas hoist bug.c
      print the first edits that a pass proposes";

/// Show how Nubbin parses a file, and what a pass proposes
#[derive(Debug, Args)]
#[command(override_usage = "nubbin debug tree [OPTIONS] <FILE>\n       nubbin debug deltas [OPTIONS] <PASS> <FILE>", after_long_help = EXAMPLES)]
#[group(skip)]
pub struct Debug {
    #[command(subcommand)]
    pub dump: Dump,

    #[command(flatten)]
    pub language: LanguageOptions,
}

/// The information to print.
#[derive(Debug, Subcommand)]
pub enum Dump {
    /// Print the syntax tree of FILE
    Tree {
        /// The file
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: OsString,
    },
    /// Print the first edits that PASS proposes for FILE
    Deltas {
        /// The pass
        #[arg(value_name = "PASS")]
        pass: String,
        /// The file
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: OsString,
    },
}
