//! `nubbin history`: its words.

use std::path::PathBuf;

/// Lists the steps that a run has taken from the input to the result, or brings the input back as it was after one of them.
#[derive(Clone, Debug, clap::Args)]
#[group(skip)]
pub struct History {
    /// The file that was reduced [default: that of the latest run in this directory].
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,

    /// The step to bring back; 0 is the input itself.
    #[arg(value_name = "STEP")]
    pub step: Option<usize>,

    /// Where it goes [default: FILE with `.stepN` before its extension]; `-` is standard output.
    #[arg(short, long, value_name = "FILE", requires = "file")]
    pub output: Option<PathBuf>,
}

impl From<History> for nubbin_session::history::HistoryQuery {
    fn from(typed: History) -> Self {
        Self { file: typed.file, step: typed.step, output: typed.output }
    }
}
