//! `nubbin options`: its options, and its help.

use super::group::{
    BoundOptions, CommandOptions, EmptyOptions, FlakyOptions, HouseOptions, JournalOptions, RunOptions,
};
use crate::show::{record, ui};
use clap::Args;
use std::ffi::OsString;

/// Its line, for a hint.
pub const LINE: &str = "`nubbin options [OPTIONS] -- COMMAND OPTION…`; `./options` is a file of that name";
const EXAMPLES: &str = "\
Examples:
  nubbin options -- gcc -O2 -g -fno-plt -funroll-loops -c bug.c
      which of these options the failure of the command depends on, as the shortest command
  nubbin options --stderr 'internal compiler error' -- gcc -O2 -c bug.c
      a failure by its message
  nubbin options --env -- ./program --fast
      variables of the environment, too
  nubbin options --invert --stdout bug -- ./program --safe --fast
      what prevents the failure, which is there without any options
  nubbin options --invert --fixed=-O2 --stdout bug -- ./program -O2 --safe --fast
      the same, where the failure needs `-O2`

The command runs in a fresh directory; files of this directory are found all the same.";

/// Finds out which of a command's options its failure depends on.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment, override_usage = "nubbin options [OPTIONS] -- <COMMAND> <OPTION>…", after_long_help = EXAMPLES)]
#[group(skip)]
pub struct Options {
    /// The command that fails, with its options.
    #[arg(value_name = "COMMAND", last = true)]
    pub command: Vec<OsString>,

    #[command(flatten)]
    pub empty: EmptyOptions,
    #[command(flatten)]
    pub failure: CommandOptions,
    #[command(flatten)]
    pub run: RunOptions,
    #[command(flatten)]
    pub flaky: FlakyOptions,
    #[command(flatten)]
    pub journal: JournalOptions,
    #[command(flatten)]
    pub records: record::RecordOptions,
    #[command(flatten)]
    pub bounds: BoundOptions,
    #[command(flatten)]
    pub ui: ui::UiOptions,
    #[command(flatten)]
    pub house: HouseOptions,

    /// Try the variables of the environment, too.
    #[arg(long, help_heading = "What is tried")]
    pub env: bool,

    /// Find what prevents the failure: which options have to go for it to be there.
    #[arg(long, help_heading = "What is tried")]
    pub invert: bool,

    /// An argument of the command that stays in every run; give the option once for each.
    #[arg(long, value_name = "ARGUMENT", allow_hyphen_values = true, help_heading = "What is tried")]
    pub fixed: Vec<OsString>,
}
