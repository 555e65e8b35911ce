//! What a run opens: what is asked for, and what was seen, as plain values.
//!
//! A warden sees it, in `warden/tracer.rs`; what it means is decided elsewhere.

use super::lab;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What is noted of a run's files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tracing {
    /// Files that are opened below this directory are noted.
    pub reads: PathBuf,
    /// All that the run changes below this directory is taken back after it.
    pub undone: Option<PathBuf>,
    /// What the run cannot change at all.
    pub protected: Vec<PathBuf>,
}

/// What a run did with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Act {
    /// It opened the file that is there, or executed it.
    Read,
    /// It opened, made, moved or removed it, to change something.
    Write,
}

/// A path that a run used, and the program that did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opened {
    /// The absolute path, as far as it leads through directories that are there.
    pub path: PathBuf,
    /// What was done.
    pub act: Act,
    /// The name of the process.
    pub program: String,
}

/// What was seen of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// Each path and act once, in the order of the first time.
    pub opened: Vec<Opened>,
}

impl Trace {
    /// The files that were read.
    pub fn reads(&self) -> impl Iterator<Item = &Path> {
        self.opened.iter().filter(|one| one.act == Act::Read).map(|one| one.path.as_path())
    }

    /// What was to be changed outside of a probe's directory and these places; devices are left out, and what is in `/proc`.
    pub fn writes_outside<'t>(&'t self, places: &'t [PathBuf]) -> impl Iterator<Item = &'t Opened> {
        let is_free = |path: &Path| {
            let is_device = path.starts_with("/dev") && !path.starts_with("/dev/shm");
            is_device || path.starts_with("/proc") || lab::is_inside(path) || places.iter().any(|place| path.starts_with(place))
        };
        self.opened.iter().filter(move |one| one.act == Act::Write && !is_free(&one.path))
    }
}
