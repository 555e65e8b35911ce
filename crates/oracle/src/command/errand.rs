//! A run of the command as something that another machine can do: files, words, and a time limit.
//!
//! It sends nothing: whoever does tells here what came of it.

use super::{CommandOracle, CommandRun, Shape};
use crate::Status;
use crate::excerpt;
use crate::protocol::Protocol;
use nubbin_archive::{self as archive, Type};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

/// The first status by which a shell or a worker tells that a signal has killed a process.
const SIGNALS: i32 = 128;

/// At most this many bytes at the end of each output come back from another machine, if no expression is looked for in them.
const ELSEWHERE: u64 = 1 << 20;

/// A run of the command in a directory that somebody else makes. All paths but those of the links are relative to that
/// directory, and the words lead from the current directory to the candidate.
#[derive(Debug)]
pub struct Errand<'c> {
    /// The candidate's files: where each stands, its bytes, and whether it can be executed.
    pub files: Vec<(PathBuf, &'c [u8], bool)>,
    /// Symbolic links of the candidate: where each stands, and where it leads.
    pub leads: Vec<(PathBuf, &'c Path)>,
    /// Directories that are there even if nothing is in them.
    pub directories: Vec<PathBuf>,
    /// Files and directories of this machine: where they stand, and where they are here.
    pub links: Vec<(PathBuf, PathBuf)>,
    /// The current directory.
    pub directory: PathBuf,
    /// The program and its arguments.
    pub words: Vec<OsString>,
    /// The time that the run may take.
    pub limit: Duration,
    /// The number of bytes at the end of each output that are of use.
    pub most_output: u64,
}

impl CommandOracle {
    /// Returns a run of the command on `candidate` that another machine can do.
    #[must_use]
    pub fn errand<'c>(&'c self, candidate: &'c [u8]) -> Errand<'c> {
        let surroundings = &self.surroundings;
        let up: PathBuf = surroundings.directory.components().map(|_| Component::ParentDir).collect();
        let (program, arguments) = self.words_in(&Path::new(".").join(up));
        let can_be_run = self.mode.as_ref().is_some_and(|mode| mode.mode() & 0o111 != 0);
        let mut errand = Errand {
            files: Vec::new(),
            leads: Vec::new(),
            directories: vec![surroundings.candidate.clone()],
            links: surroundings.links.clone(),
            directory: surroundings.directory.clone(),
            words: std::iter::once(program).chain(arguments).collect(),
            limit: self.current_limit(),
            most_output: self.protocol.reads().max(ELSEWHERE),
        };
        let place = match &self.shape {
            Shape::File => {
                errand.files.push((surroundings.candidate.join(&self.name), candidate, can_be_run));
                return errand;
            }
            Shape::Folder => surroundings.candidate.join(&self.name),
            Shape::Files(_) | Shape::Tree { .. } => surroundings.candidate.clone(),
        };
        errand.directories.push(place.clone());
        for entry in archive::entries(candidate) {
            let at = place.join(&entry.path);
            match entry.kind {
                Type::Directory => errand.directories.push(at),
                Type::Link => {
                    errand.leads.push((at, Path::new(OsStr::from_bytes(entry.content_in(candidate)))));
                }
                Type::File | Type::Options => {
                    errand.files.push((at, entry.content_in(candidate), entry.mode & 0o111 != 0));
                }
            }
        }
        errand
    }

    /// Judges a run that another machine has done, and tells the observer of it. A process that was killed by a signal may
    /// have ended with 128 and the signal's number there.
    #[must_use]
    pub fn done(
        &self,
        candidate: &[u8],
        status: Status,
        [stdout, stderr]: [Vec<u8>; 2],
        elapsed: Duration,
    ) -> CommandRun {
        let status = self.meant(status);
        let verdict = self.protocol.judge(status, &self.reader, &stdout, &stderr);
        let [stdout, stderr] = [stdout, stderr].map(|output| excerpt::of(&output, &self.reader).into_owned());
        let run = CommandRun { verdict, status, stdout, stderr, elapsed, is_lost: false };
        if let Some(observer) = &self.observer {
            observer.ran(candidate, &run);
        }
        run
    }

    /// Returns the status that is meant: the signal that the failure ends with, where it is told as a number.
    fn meant(&self, status: Status) -> Status {
        let Protocol::Match(matcher) = &self.protocol else { return status };
        match (status, matcher.status) {
            (Status::Exit(code), Some(Status::Signal(signal))) if code == SIGNALS + signal => {
                Status::Signal(signal)
            }
            _ => status,
        }
    }

    /// Takes note of how long a run has taken elsewhere: the time limit there follows from it.
    pub fn took_elsewhere(&self, elapsed: Duration) {
        self.patience.took(elapsed, false);
    }

    /// Returns an oracle whose time limit follows from its own runs only.
    #[must_use]
    pub fn with_own_limit(mut self) -> Self {
        self.patience = std::sync::Arc::default();
        self
    }

    /// Tells whether it runs where a candidate cannot be taken away from: in the user's own directory, or in a directory
    /// that keeps what the last run has made.
    #[must_use]
    pub fn is_bound(&self) -> bool {
        self.in_place.is_some()
            || self.surroundings.is_in_place
            || self.shape.is_kept()
            || self.kind.is_server()
    }
}
