//! `nubbin maximize`: options and help.

use super::group::{
    FailureOptions, HouseOptions, JournalOptions, RunOptions, SearchOptions, TimeOptions, Words,
};
use clap::{Args, ValueHint};
use std::path::PathBuf;

const USAGE: &str =
    "nubbin maximize [OPTIONS] <SCRIPT> <FILE>\n       nubbin maximize [OPTIONS] <FILE> -- <COMMAND> {}";
const EXAMPLES: &str = "\
Examples:
  nubbin maximize ./oracle.sh broken.json
      find the largest part of a file that passes: broken.passing.json
  nubbin maximize -o fixed.json ./oracle.sh broken.json
      write it to this file
  nubbin maximize --unit char broken.json -- python3 -m json.tool {}
      by characters [default: by lines, then by tokens]";

/// Find the largest part of a failing file that passes
#[derive(Debug, Args)]
#[command(override_usage = USAGE, after_long_help = EXAMPLES)]
#[group(skip)]
pub struct Maximize {
    #[command(flatten)]
    pub words: Words,
    #[command(flatten)]
    pub failure: FailureOptions,
    #[command(flatten)]
    pub run: RunOptions,
    #[command(flatten)]
    pub journal: JournalOptions,
    #[command(flatten)]
    pub time: TimeOptions,
    #[command(flatten)]
    pub house: HouseOptions,
    #[command(flatten)]
    pub search: SearchOptions,

    /// Write the result to FILE [default: bug.passing.c for bug.c]
    ///
    /// `-` is standard output, in place of the patch.
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
}
