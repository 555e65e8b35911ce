//! Describes a run of the command so that another machine can perform it: files, arguments and a time limit.
//!
//! The module sends nothing; the caller transfers the files and reports the result.

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

/// The offset of the exit status by which a shell or a worker reports the signal that killed a process.
const SIGNALS: i32 = 128;

/// The number of bytes at the end of each output that another machine returns, if no expression is searched
/// in them.
const ELSEWHERE: u64 = 1 << 20;

/// A run of the command on another machine. All paths except the targets of links are relative to the
/// directory of the run. The arguments contain relative paths from the current directory to the candidate.
#[derive(Debug)]
pub struct Errand<'c> {
    /// The files of the candidate: path, contents, and whether the file is executable.
    pub files: Vec<(PathBuf, &'c [u8], bool)>,
    /// Symbolic links of the candidate: path and target.
    pub leads: Vec<(PathBuf, &'c Path)>,
    /// Directories that must exist even if they are empty.
    pub directories: Vec<PathBuf>,
    /// Files and directories of this machine: their paths in the run, and their paths on this machine.
    pub links: Vec<(PathBuf, PathBuf)>,
    /// The current directory.
    pub directory: PathBuf,
    /// The program and its arguments.
    pub words: Vec<OsString>,
    /// The time limit of the run.
    pub limit: Duration,
    /// The number of bytes at the end of each output that are needed.
    pub most_output: u64,
}

impl CommandOracle {
    /// Returns a description of the run on `candidate` for another machine.
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

    /// Returns the verdict on a run that another machine has performed, and reports the run to the observer.
    /// On that machine, a process that was killed by a signal can have exited with 128 plus the number of the
    /// signal.
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

    /// Converts an exit status to the signal of the failure if the status represents that signal.
    fn meant(&self, status: Status) -> Status {
        let Protocol::Match(matcher) = &self.protocol else { return status };
        match (status, matcher.status) {
            (Status::Exit(code), Some(Status::Signal(signal))) if code == SIGNALS + signal => {
                Status::Signal(signal)
            }
            _ => status,
        }
    }

    /// Records the duration of a run on another machine, which determines the time limit there.
    pub fn took_elsewhere(&self, elapsed: Duration) {
        self.patience.took(elapsed, false);
    }

    /// Returns an oracle whose time limit follows only from its own runs.
    #[must_use]
    pub fn with_own_limit(mut self) -> Self {
        self.patience = std::sync::Arc::default();
        self
    }

    /// Returns whether the runs depend on this machine: because they run in the user's directory, or in a
    /// directory that keeps the results of earlier runs.
    #[must_use]
    pub fn is_bound(&self) -> bool {
        self.in_place.is_some()
            || self.surroundings.is_in_place
            || self.shape.is_kept()
            || self.kind.is_server()
    }
}
