//! Finds the bugs in a folder of failing files: each file is run once, files with the same failure are grouped, and
//! one small file is produced for each group.
//!
//! | what | where |
//! |---|---|
//! | the files, and the result of the command on each | `survey` |
//! | the classification of a run: a bug, an ordinary error, nothing | [`crash`] |
//! | the bug to which a failure belongs | `group` |
//! | the next bug, and its number of jobs | `queue` |
//! | a turn of a bug: its reduction continues for a while | `turn` |
//! | groups that are one bug, and new bugs found during reductions | `merge`, `split` |
//! | the complete state, which is written to disk after each event | [`state`] |
//! | the worker threads and their supervisor | `work` |
//!
//! Each reduction is a [`reduce::run`](crate::reduce::run) with its own settings and journal, so it continues after
//! each turn, and after the process was killed. Nothing is printed: an [`Onlooker`] shows the events and adds its
//! pages to the folders.

pub mod crash;
mod follow;
mod group;
mod merge;
mod place;
mod queue;
mod split;
pub mod state;
mod survey;
mod turn;
mod work;

use crate::failure::Failure;
use crate::reduce::{Audience, Nobody, Reduced};
use crate::settings::Settings;
use crate::stop::Stop;
use crate::voice::Voice;
use nubbin_reduce::event::Size;
use state::{Bug, TriageState};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The request for a triage.
pub struct Triage<'t> {
    /// The folder with the files.
    pub folder: PathBuf,
    /// The folder for the bugs.
    pub out: PathBuf,
    /// Creates the settings of a reduction of this file. Output, journal and jobs are replaced, and the failure to
    /// keep is narrowed to that of the bug.
    pub settings: &'t (dyn Fn(&Path) -> Result<Settings, Failure> + Sync),
    /// The number of parallel runs.
    pub jobs: usize,
    /// The triage continues to look for new files until it is stopped.
    pub watch: bool,
    /// Ordinary errors count as bugs.
    pub errors_too: bool,
    /// Other failures seen during a reduction count as bugs.
    pub others: bool,
    /// The time after which the triage ends.
    pub total_time: Option<Duration>,
    /// The receiver of notes.
    pub voice: Voice,
}

/// An event.
#[derive(Clone, Copy, Debug)]
pub enum Happening<'h> {
    /// Files were run.
    Surveyed {
        /// The number of files run so far.
        done: usize,
        /// The number of new files.
        all: usize,
    },
    /// All existing files have been run.
    Grouped,
    /// A reduction starts or continues.
    Began(&'h Bug),
    /// A reduction made progress.
    Progressed {
        /// The number of the bug.
        number: usize,
        /// The size of the current best.
        size: Size,
        /// The number of probes.
        probes: usize,
    },
    /// A turn of a bug has ended: it has a small file, waits for its next turn, or failed.
    Ended(&'h Bug),
    /// A failure seen during a reduction became a bug.
    Found(&'h Bug),
    /// All work is done; the triage waits for new files.
    Waits,
}

/// Observes one turn of a bug.
pub trait Follower: Audience {
    /// Is called with the result of the turn.
    ///
    /// # Errors
    /// Returns an error if a record cannot be written; it ends the triage.
    fn tell(&mut self, _reduced: &Reduced) -> Result<(), Failure> {
        Ok(())
    }
}

impl Follower for Nobody {}

/// Observes a triage. Its methods are called from several threads, one at a time.
pub trait Onlooker: Sync {
    /// Is called for each event, with the current state.
    fn happened(&self, _what: Happening<'_>, _state: &TriageState) {}

    /// Is called after the state was written.
    ///
    /// # Errors
    /// Returns an error if a page cannot be written; it ends the triage.
    fn saved(&self, _state: &TriageState) -> Result<(), Failure> {
        Ok(())
    }

    /// Returns the observer of the next turn of this bug, whose folder is `folder`.
    ///
    /// # Errors
    /// Returns an error if a record cannot be written; it ends the triage.
    fn follower<'a>(
        &'a self,
        _settings: &'a Settings,
        _bug: &Bug,
        _folder: &Path,
    ) -> Result<Box<dyn Follower + 'a>, Failure> {
        Ok(Box::new(Nobody))
    }
}

impl Onlooker for Nobody {}

/// Finds the bugs of a folder and produces a small file for each. Returns the final state, which is also on disk.
///
/// # Errors
/// Returns an error when there are no files, none of them fails, the command cannot be run, or a file cannot be read
/// or written. Small files that already exist are kept, and a triage with the same settings continues with them.
pub fn run(triage: &Triage<'_>, stop: &Stop, onlooker: &dyn Onlooker) -> Result<TriageState, Failure> {
    work::run(triage, stop, onlooker)
}
