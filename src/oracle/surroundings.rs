//! What a probe's directory holds beside the candidate, and where in it the command and the candidate stand: plain values.
//!
//! `lab.rs` makes it so.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Where a command and its candidate stand in a probe's directory, and what else is there to be read.
///
/// All paths but those that links lead to are relative to the probe's directory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Surroundings {
    /// The current directory of the command.
    pub directory: PathBuf,
    /// The directory that the candidate is in.
    pub candidate: PathBuf,
    /// Links: where they stand, and the absolute paths that they lead to.
    pub links: Vec<(PathBuf, PathBuf)>,
}

impl Surroundings {
    /// The current directory of the command, where `work` is the probe's.
    pub(super) fn directory_in(&self, work: &Path) -> PathBuf {
        below(work, &self.directory)
    }

    /// The directory that the candidate is in, where `work` is the probe's.
    pub(super) fn candidate_in(&self, work: &Path) -> PathBuf {
        below(work, &self.candidate)
    }

    pub(super) fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}

/// A path below another one, without a slash at its end.
fn below(work: &Path, path: &Path) -> PathBuf {
    if path.as_os_str().is_empty() { work.to_owned() } else { work.join(path) }
}
