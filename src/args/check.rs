//! `nubbin check`: its options, and its help.

use super::group::{EmptyOptions, FailureOptions, HouseOptions, LanguageOptions, RunOptions, Words};
use clap::Args;

const USAGE: &str =
    "nubbin check [OPTIONS] <ORACLE> <FILE>…\n       nubbin check [OPTIONS] <FILE>… -- <COMMAND> {}";
const EXAMPLES: &str = "\
Examples:
  nubbin check ./oracle.sh bug.c
      does it repeat itself, what does it accept that it should not, what does it depend on
  nubbin check ./oracle.sh project/
      a directory, or several files, as in a reduction
  nubbin check bug.c -- gcc -O2 -c {}
      whether what Nubbin would keep of a command's failure is enough

It prints findings, each with the reason, the fix and the command that shows it:
  wrong  a reduction would end in something wrong
  doubt  it may be meant so, or not
  tip    it would be better otherwise

Exit codes: 0 if nothing is wrong, 11 if something is; where the unreduced input is not interesting, or the
oracle cannot be run, the code of a reduction, with the reason if it is found. Nothing is changed.";

/// Examines an oracle before hours are spent: what would make a reduction wrong or slow, and the fix.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment, override_usage = USAGE, after_long_help = EXAMPLES)]
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
