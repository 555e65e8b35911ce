//! `nubbin maximize`: its options, and its help.

use super::group::{
    FailureOptions, HouseOptions, JournalOptions, RunOptions, SearchOptions, TimeOptions, Words,
};
use clap::Args;
use std::path::PathBuf;

const USAGE: &str =
    "nubbin maximize [OPTIONS] <ORACLE> <FILE>\n       nubbin maximize [OPTIONS] <FILE> -- <COMMAND> {}";
const EXAMPLES: &str = "\
Examples:
  nubbin maximize ./oracle.sh broken.json
      the largest part of a file that does not fail: broken.passing.json
  nubbin maximize -o mended.json ./oracle.sh broken.json
      it goes there
  nubbin maximize --unit char broken.json -- python3 -m json.tool {}
      by characters; as a rule by lines, then by tokens";

/// Finds the largest part of a file that does not fail.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment, override_usage = USAGE, after_long_help = EXAMPLES)]
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

    /// Where the largest part that passes goes [default: FILE with `.passing` before its extension]; `-` is standard
    /// output, instead of the patch.
    #[arg(short, long, value_name = "FILE", help_heading = "Result")]
    pub output: Option<PathBuf>,
}
