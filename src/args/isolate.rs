//! `nubbin isolate`: options and help.

use super::group::{
    FailureOptions, HouseOptions, JournalOptions, RunOptions, SearchOptions, TimeOptions, Words,
};
use clap::{Args, ValueHint};
use std::path::PathBuf;

const USAGE: &str = "nubbin isolate [OPTIONS] <SCRIPT> [PASSING] <FAILING>\n       nubbin isolate [OPTIONS] [PASSING] <FAILING> -- <COMMAND> {}";
const EXAMPLES: &str = "\
Examples:
  nubbin isolate ./oracle.sh works.c bug.c
      find the smallest difference between a passing and a failing file: writes bug.passing.c,
      bug.failing.c, and a patch to standard output
  nubbin isolate works.c bug.c -- gcc -O2 -c {}
      the failure is the outcome of the command on bug.c
  nubbin isolate ./oracle.sh bug.c
      between the empty file and a failing one
  nubbin isolate -o why.patch works.c bug.c -- gcc -O2 -c {}
      write the patch to a file
  nubbin isolate --unit line,char ./oracle.sh works.txt bug.txt
      by lines, then by characters [default: by syntax tree, or by lines, then tokens]

A script exits with 0 if the candidate fails, with 125 if it cannot decide, and with any other status if
the candidate passes.";

/// Find the smallest difference between a passing and failing file
#[derive(Debug, Args)]
#[command(override_usage = USAGE, after_long_help = EXAMPLES)]
#[group(skip)]
pub struct Isolate {
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

    /// Write the patch to FILE [default: standard output]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
}
