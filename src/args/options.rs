//! `nubbin options`: options and help.

use super::group::{
    BoundOptions, CommandOptions, EmptyOptions, FlakyOptions, HouseOptions, JournalOptions, RunOptions,
};
use crate::show::{record, ui};
use clap::{Args, ValueHint};
use std::ffi::OsString;

/// The usage, for a hint.
pub const LINE: &str =
    "`nubbin options [OPTIONS] -- COMMAND OPTION…`; use `./options` for a file with this name";
const EXAMPLES: &str = "\
Examples:
  nubbin options -- gcc -O2 -g -fno-plt -funroll-loops -c bug.c
      find the shortest command with the same failure
  nubbin options --stderr 'internal compiler error' -- gcc -O2 -c bug.c
      define the failure by its message
  nubbin options --env -- ./program --fast
      reduce the environment variables as well
  nubbin options --invert --stdout bug -- ./program --safe --fast
      find the options that prevent a failure which occurs without any options
  nubbin options --invert --fixed=-O2 --stdout bug -- ./program -O2 --safe --fast
      the same, if the failure needs `-O2`

The command runs in an empty directory, and can read the files of the current directory.";

/// Find the options of a command that its failure depends on
#[derive(Debug, Args)]
#[command(override_usage = "nubbin options [OPTIONS] -- <COMMAND> <OPTION>…", after_long_help = EXAMPLES)]
#[group(skip)]
pub struct Options {
    /// The failing command with its options, after `--`
    #[arg(value_name = "COMMAND", last = true, value_hint = ValueHint::CommandWithArguments)]
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

    /// Reduce the environment variables as well
    #[arg(long)]
    pub env: bool,

    /// Find the options that prevent the failure
    #[arg(long)]
    pub invert: bool,

    /// An argument that is kept in every run; repeatable
    #[arg(long, value_name = "ARGUMENT", allow_hyphen_values = true)]
    pub fixed: Vec<OsString>,
}
