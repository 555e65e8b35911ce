//! `nubbin check`: options and help.

use super::group::{EmptyOptions, FailureOptions, HouseOptions, LanguageOptions, RunOptions, Words};
use clap::Args;

const USAGE: &str =
    "nubbin check [OPTIONS] <SCRIPT> <FILE>…\n       nubbin check [OPTIONS] <FILE>… -- <COMMAND> {}";
const EXAMPLES: &str = "\
Examples:
  nubbin check ./oracle.sh bug.c
      is the script deterministic, does it accept too much, what does it depend on
  nubbin check ./oracle.sh project/
      for a directory, or several files
  nubbin check bug.c -- gcc -O2 -c {}
      whether the failure that Nubbin infers from a command is specific enough

Each finding has a reason, a fix, and a command that shows the problem:
  wrong  a reduction would produce a wrong result
  doubt  the behaviour may be intended
  tip    an improvement

Exit codes: 0 if nothing is wrong, 11 if something is wrong. If the unreduced input does not fail, or the
test cannot be run, the exit code is that of a reduction. No file is changed.";

/// Find out what is wrong with a test before a long reduction
#[derive(Debug, Args)]
#[command(override_usage = USAGE, after_long_help = EXAMPLES)]
#[group(skip)]
pub struct Check {
    #[command(flatten)]
    pub words: Words,
    #[command(flatten)]
    pub empty: EmptyOptions,
    #[command(flatten)]
    pub failure: FailureOptions,
    #[command(flatten)]
    pub run: RunOptions,
    #[command(flatten)]
    pub house: HouseOptions,
    #[command(flatten)]
    pub language: LanguageOptions,
}
