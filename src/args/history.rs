//! `nubbin history`: options and help.

use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  nubbin history
      list the steps of the latest run in this directory
  nubbin history bug.c 3
      restore the third step, as bug.step3.c
  nubbin history bug.c 0 -o -
      print the original input";

/// List the steps of a run, or restore one of them
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
#[group(skip)]
pub struct History {
    /// The reduced file [default: that of the latest run in this directory]
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::AnyPath)]
    pub file: Option<PathBuf>,

    /// The step to restore; 0 is the input
    #[arg(value_name = "STEP")]
    pub step: Option<usize>,

    /// Write the step to FILE [default: bug.step3.c for bug.c and 3]; `-` is standard output
    #[arg(short, long, value_name = "FILE", requires = "file")]
    pub output: Option<PathBuf>,
}

impl From<History> for nubbin_session::history::HistoryQuery {
    fn from(typed: History) -> Self {
        Self { file: typed.file, step: typed.step, output: typed.output }
    }
}
