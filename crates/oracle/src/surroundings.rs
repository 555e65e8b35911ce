//! The files that a probe's directory holds beside the candidate, and the places in it where the command and the
//! candidate stand: plain values.
//!
//! `work_directory.rs` makes it so.

use super::trace::as_bytes;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The places in a probe's directory where the command and its candidate stand, and the other files that can be read
/// there.
///
/// All paths but those that links lead to are relative to the probe's directory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Surroundings {
    /// The current directory of the command.
    #[serde(with = "as_bytes")]
    pub directory: PathBuf,
    /// The directory that the candidate is in.
    #[serde(with = "as_bytes")]
    pub candidate: PathBuf,
    /// Links: where they stand, and the absolute paths that they lead to.
    #[serde(with = "as_bytes")]
    pub links: Vec<(PathBuf, PathBuf)>,
    /// Is true if the candidate stands in place of the user's own files, for the runs alone.
    #[serde(default)]
    pub is_in_place: bool,
    /// Is true if the command finds the candidate by itself, so that its path is no argument.
    #[serde(default)]
    pub is_found: bool,
    /// The home of the run's own, where the command writes to the user's.
    #[serde(default)]
    pub home: Option<Home>,
}

/// The parts of a user's home that are the run's own: all else is there as links.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Home {
    /// The user's home.
    #[serde(with = "as_bytes")]
    pub from: PathBuf,
    /// Directories in which the run may write, by their paths in the home, the outer ones first.
    #[serde(with = "as_bytes")]
    pub own: Vec<PathBuf>,
    /// Files that the run may change, by their paths in the home.
    #[serde(with = "as_bytes")]
    pub copied: Vec<PathBuf>,
}

impl Home {
    /// Gives the run a path of its own, which it wants to change; `from` is the user's home.
    pub fn gives(&mut self, path: &Path, from: &Path) {
        let is_folder = from.join(path).is_dir();
        let folders = path.ancestors().filter(|folder| is_folder || *folder != path);
        for folder in folders.collect::<Vec<_>>().into_iter().rev() {
            if !self.own.iter().any(|own| own == folder) {
                self.own.push(folder.to_owned());
            }
        }
        let is_known = is_folder || self.copied.iter().any(|copied| copied == path);
        if !is_known {
            self.copied.push(path.to_owned());
        }
        self.own.sort_by_key(|own| own.components().count());
    }
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
