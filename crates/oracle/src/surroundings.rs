//! The files in the directory of a probe in addition to the candidate, and the locations of the command and
//! the candidate.
//!
//! This module contains only values; `work_directory.rs` creates the files.

use super::trace::as_bytes;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The locations of the command and the candidate in the directory of a probe, and the other files there.
///
/// All paths are relative to the directory of the probe, except the targets of links.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Surroundings {
    /// The current directory of the command.
    #[serde(with = "as_bytes")]
    pub directory: PathBuf,
    /// The directory that the candidate is in.
    #[serde(with = "as_bytes")]
    pub candidate: PathBuf,
    /// Links: their paths and their absolute targets.
    #[serde(with = "as_bytes")]
    pub links: Vec<(PathBuf, PathBuf)>,
    /// Whether the candidate replaces the user's files in place, visible only to the runs.
    #[serde(default)]
    pub is_in_place: bool,
    /// Whether the command finds the candidate without its path as an argument.
    #[serde(default)]
    pub is_found: bool,
    /// A separate home directory, if the command writes to the user's home.
    #[serde(default)]
    pub home: Option<Home>,
}

/// The parts of a home directory that the run can change. Everything else is linked to the user's home.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Home {
    /// The user's home.
    #[serde(with = "as_bytes")]
    pub from: PathBuf,
    /// Directories that the run can write to, relative to the home; outer directories come first.
    #[serde(with = "as_bytes")]
    pub own: Vec<PathBuf>,
    /// Files that the run can change, relative to the home.
    #[serde(with = "as_bytes")]
    pub copied: Vec<PathBuf>,
}

impl Home {
    /// Adds a path that the run changes; `from` is the user's home.
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
    /// Returns the current directory of the command; `work` is the directory of the probe.
    pub(super) fn directory_in(&self, work: &Path) -> PathBuf {
        below(work, &self.directory)
    }

    /// Returns the directory of the candidate; `work` is the directory of the probe.
    pub(super) fn candidate_in(&self, work: &Path) -> PathBuf {
        below(work, &self.candidate)
    }

    pub(super) fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}

/// Joins two paths, without a trailing slash if the second one is empty.
fn below(work: &Path, path: &Path) -> PathBuf {
    if path.as_os_str().is_empty() { work.to_owned() } else { work.join(path) }
}
