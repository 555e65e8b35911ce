//! `nubbin changes`: options and help.

use super::group::{CommandOptions, HouseOptions, JournalOptions, RunOptions};
use clap::{Args, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;

const USAGE: &str = "nubbin changes [OPTIONS] --good <G> --bad <B> -- <COMMAND>\n       nubbin changes [OPTIONS] --good <DIR> --diff <FILE> -- <COMMAND>";
/// The usage, for a hint.
pub const LINE: &str =
    "`nubbin changes --good G --bad B -- COMMAND`; use `./changes` for a file with this name";
const EXAMPLES: &str = "\
Examples:
  nubbin changes --good v1.2 --bad v1.3 -- sh -c 'make -s && ./test'
      find the smallest set of changes between two git revisions that makes the test fail
  nubbin changes --good HEAD --bad . -o culprit.patch -- ./test.sh
      among uncommitted changes; write the patch to a file
  nubbin changes --good ../works --bad ../fails --stderr 'assertion' -- make check
      between two directories; define the failure by its message
  nubbin changes --good works --diff new.patch -- ./test.sh
      among the changes of a patch

The command runs in a copy of the good version with some of the changes applied. The outcome on the bad
version counts as failing, that on the good version as passing; any other outcome is unresolved. A failed
build should therefore differ from a failed test, or exit with 125. Build products are kept from one run
to the next.";

/// Find the changes between two versions that make a command fail
#[derive(Debug, Args)]
#[command(override_usage = USAGE, after_long_help = EXAMPLES)]
#[group(skip)]
pub struct Changes {
    /// The failing command, which runs in a copy of each version
    #[arg(value_name = "COMMAND", last = true, value_hint = ValueHint::CommandWithArguments)]
    pub command: Vec<OsString>,

    #[command(flatten)]
    pub failure: CommandOptions,
    #[command(flatten)]
    pub run: RunOptions,
    #[command(flatten)]
    pub journal: JournalOptions,
    #[command(flatten)]
    pub house: HouseOptions,

    /// Write the patch to FILE [default: standard output]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,

    /// The passing version: a directory, or a git revision
    #[arg(long, value_name = "G")]
    pub good: Option<OsString>,

    /// The failing version: a directory, or a git revision
    #[arg(long, value_name = "B", conflicts_with = "diff")]
    pub bad: Option<OsString>,

    /// A patch from the passing to the failing version, instead of --bad
    #[arg(long, value_name = "FILE")]
    pub diff: Option<PathBuf>,

    /// Allow uncommitted changes in the work tree
    #[arg(long)]
    pub allow_dirty: bool,

    /// Start each run without the build products of earlier runs
    #[arg(long)]
    pub fresh: bool,
}
