//! The bugs in a folder of failing files: each file is run once, the files are grouped by their failure, and one small file is
//! made for each group.
//!
//! | what | where |
//! |---|---|
//! | the files, and what the command does on each | `survey` |
//! | what a run shows: a bug, an ordinary error, nothing | [`crash`] |
//! | which bug a failure belongs to | `group` |
//! | which bug is next, and with how many jobs | `queue` |
//! | a turn of a bug: its reduction goes on for a while | `turn` |
//! | groups that are one bug, and failures seen on the way that are bugs of their own | `merge`, `split` |
//! | all of it as a value, which is on disk after each event | [`state`] |
//! | the workers, and whoever looks after them | `work` |
//!
//! A reduction is [`reduce::run`](crate::reduce::run) with settings of its own and a journal, so it goes on where it was after
//! each turn, and after a kill. Nothing is printed: an [`Onlooker`] shows what happens, and adds its pages to the folders.

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

/// The request of a triage.
pub struct Triage<'t> {
    /// The folder with the files.
    pub folder: PathBuf,
    /// The folder for the bugs.
    pub out: PathBuf,
    /// Makes the settings of a reduction of this file. Output, journal and jobs are set anew, and the failure to keep is
    /// narrowed to that of the bug.
    pub settings: &'t (dyn Fn(&Path) -> Result<Settings, Failure> + Sync),
    /// The number of runs that may go on at once.
    pub jobs: usize,
    /// The triage goes on looking for new files until it is stopped.
    pub watch: bool,
    /// Ordinary errors are bugs, too.
    pub errors_too: bool,
    /// Failures that are seen on the way are bugs, too.
    pub others: bool,
    /// The time after which the triage ends.
    pub total_time: Option<Duration>,
    /// Whoever listens to notes.
    pub voice: Voice,
}

/// Something that has happened.
#[derive(Clone, Copy, Debug)]
pub enum Happening<'h> {
    /// Files were run.
    Surveyed {
        /// The number of files that were run so far.
        done: usize,
        /// The number of all new files.
        all: usize,
    },
    /// All files that are there have been run.
    Grouped,
    /// A reduction begins, or goes on.
    Began(&'h Bug),
    /// A reduction has come this far.
    Progressed {
        /// The number of the bug.
        number: usize,
        /// The size of the best.
        size: Size,
        /// The number of probes.
        probes: usize,
    },
    /// A turn of a bug has ended: it has a small file, waits for its next turn, or came to nothing.
    Ended(&'h Bug),
    /// A failure that was seen on the way became a bug.
    Found(&'h Bug),
    /// Nothing is left to do, and new files are waited for.
    Waits,
}

/// Whoever looks at one turn of a bug.
pub trait Follower: Audience {
    /// Is called with what the turn has come to.
    ///
    /// # Errors
    /// Returns an error if a record cannot be written; it ends the triage.
    fn tell(&mut self, _reduced: &Reduced) -> Result<(), Failure> {
        Ok(())
    }
}

impl Follower for Nobody {}

/// Whoever looks at a triage. Its methods are called from several threads, one at a time.
pub trait Onlooker: Sync {
    /// Takes what has happened, with the state as it is then.
    fn happened(&self, _what: Happening<'_>, _state: &TriageState) {}

    /// Is called when the state was written.
    ///
    /// # Errors
    /// Returns an error if a page cannot be written; it ends the triage.
    fn saved(&self, _state: &TriageState) -> Result<(), Failure> {
        Ok(())
    }

    /// Returns whoever looks at the next turn of this bug, whose folder this is.
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

/// Finds the bugs of a folder, and makes a small file for each. Returns the state at the end, which is on disk as well.
///
/// # Errors
/// Returns an error when there are no files, none of them fails, the command cannot be run, or something cannot be read or
/// written. Small files that there are by then stay, and the same triage goes on with them.
pub fn run(triage: &Triage<'_>, stop: &Stop, onlooker: &dyn Onlooker) -> Result<TriageState, Failure> {
    work::run(triage, stop, onlooker)
}
