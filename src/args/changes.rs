//! `nubbin changes`: its options, and its help.

use super::group::{CommandOptions, HouseOptions, JournalOptions, RunOptions};
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

const USAGE: &str = "nubbin changes [OPTIONS] --good <G> --bad <B> -- <COMMAND>\n       nubbin changes [OPTIONS] --good <DIR> --diff <FILE> -- <COMMAND>";
/// Its line, for a hint.
pub const LINE: &str = "`nubbin changes --good G --bad B -- COMMAND`; `./changes` is a file of that name";
const EXAMPLES: &str = "\
Examples:
  nubbin changes --good v1.2 --bad v1.3 -- sh -c 'make -s && ./test'
      the smallest set of changes between two git revisions that makes the test fail, as a patch
  nubbin changes --good HEAD --bad . -o culprit.patch -- ./test.sh
      of what has not been committed yet; the patch goes to a file
  nubbin changes --good ../works --bad ../fails --stderr 'assertion' -- make check
      between two directories; a failure by its message
  nubbin changes --good works --diff new.patch -- ./test.sh
      of a patch

The command runs in a copy of the version with some of the changes made. How it ends on B is the
failure, how it ends on G is passing, and anything else, such as a failed build, tells nothing: so let
a failed build end in another way than a failed test, or exit with 125. What it builds is kept
from one run to the next.";

/// Finds the smallest set of changes between two versions that makes a command fail.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment, override_usage = USAGE, after_long_help = EXAMPLES)]
#[group(skip)]
pub struct Changes {
    /// What fails, run in a copy of each version.
    #[arg(value_name = "COMMAND", last = true)]
    pub command: Vec<OsString>,

    #[command(flatten)]
    pub failure: CommandOptions,
    #[command(flatten)]
    pub run: RunOptions,
    #[command(flatten)]
    pub journal: JournalOptions,
    #[command(flatten)]
    pub house: HouseOptions,

    /// Where the patch goes [default: standard output].
    #[arg(short, long, value_name = "FILE", help_heading = "Result")]
    pub output: Option<PathBuf>,

    /// The version that works: a directory, or a git revision.
    #[arg(long, value_name = "G", help_heading = "What is compared")]
    pub good: Option<OsString>,

    /// The version that fails: a directory, or a git revision.
    #[arg(long, value_name = "B", conflicts_with = "diff", help_heading = "What is compared")]
    pub bad: Option<OsString>,

    /// Instead of the version that fails: a patch that makes it of the one that works.
    #[arg(long, value_name = "FILE", help_heading = "What is compared")]
    pub diff: Option<PathBuf>,

    /// Go on although the work tree has changes that the revision that is checked out does not have.
    #[arg(long, help_heading = "What is compared")]
    pub allow_dirty: bool,

    /// Begin each run with the files of the version alone, without what earlier builds have left.
    #[arg(long, help_heading = "Run")]
    pub fresh: bool,
}
