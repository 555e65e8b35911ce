//! `nubbin isolate`: its options, and its help.

use super::group::{
    FailureOptions, HouseOptions, JournalOptions, RunOptions, SearchOptions, TimeOptions, Words,
};
use clap::Args;
use std::path::PathBuf;

const USAGE: &str = "nubbin isolate [OPTIONS] <ORACLE> [PASSING] <FAILING>\n       nubbin isolate [OPTIONS] [PASSING] <FAILING> -- <COMMAND> {}";
const EXAMPLES: &str = "\
Examples:
  nubbin isolate ./oracle.sh works.c bug.c
      the smallest difference between a file that passes and one that fails; bug.passing.c,
      bug.failing.c and a patch on standard output
  nubbin isolate works.c bug.c -- gcc -O2 -c {}
      the failure is how the command ends on bug.c
  nubbin isolate ./oracle.sh bug.c
      between the empty file and one that fails
  nubbin isolate -o why.patch works.c bug.c -- gcc -O2 -c {}
      the patch goes to a file
  nubbin isolate --unit line,char ./oracle.sh works.txt bug.txt
      by lines, then by characters; as a rule by the syntax trees, or by lines, then by tokens

An oracle exits with 0 where the failure is, with 125 where it cannot tell, with anything else where
the candidate passes.";

/// Finds the smallest difference between a file that passes and one that fails.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment, override_usage = USAGE, after_long_help = EXAMPLES)]
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

    /// Where the patch goes [default: standard output].
    #[arg(short, long, value_name = "FILE", help_heading = "Result")]
    pub output: Option<PathBuf>,
}
