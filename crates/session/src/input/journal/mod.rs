//! The journal of a reduction on disk: verdicts, steps and the input, from which a run can be resumed.
//!
//! A journal is append-only. It stores a verdict as a candidate's hash and a letter; their meaning and the comparison
//! of settings are defined by the caller.
//!
//! Data is synced after each step, but not after each verdict: a killed process does not lose what it has written.

mod content;
mod line;
mod place;

use super::best::directory;
use super::links;
use blake3::Hash;
use rustix::fs::{FlockOperation, flock};
use serde_json::Value;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

pub use content::Content;
use content::{ReadJournal, UnknownFormat};
use line::Line;
pub use line::{End, Header, JournalStep, Latin1};
pub(super) use place::HOME;
pub use place::{folder, folders_in, folders_of};

/// The journal in its folder.
const JOURNAL: &str = "journal.jsonl";
/// The journal of the previous run, if any.
const OLDER: &str = "journal.old.jsonl";
/// The original input.
const INPUT: &str = "input";
/// Locked while a run uses the folder.
const LOCK: &str = "lock";
/// An unknown length, with which any edit fits.
const ANY_LENGTH: u64 = u64::MAX / 2;

/// Tuned parameters.
struct Tuning {
    /// The number of attempts to lock, with `lock_pause` between them. A child of a killed run can hold the lock
    /// until it executes the oracle.
    lock_attempts: usize,
    lock_pause: rustix::event::Timespec,
}

const TUNING: Tuning =
    Tuning { lock_attempts: 30, lock_pause: rustix::event::Timespec { tv_sec: 0, tv_nsec: 10_000_000 } };

/// The reasons why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// A file of the journal cannot be read or written.
    #[error("cannot use `{}`: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The path is a symbolic link.
    #[error("`{}` is a symbolic link, so a journal is not written there", .0.display())]
    Link(PathBuf),
    /// Another run uses the journal.
    #[error("`{}` is in use by another run", .0.display())]
    Locked(PathBuf),
    /// Another version of the program wrote it in an unknown format.
    #[error("`{}` was written by version {program} of nubbin in an unsupported format", path.display())]
    Format {
        /// The journal.
        path: PathBuf,
        /// The version.
        program: String,
    },
    /// The stored input is not the one to which the journal belongs.
    #[error("`{}` is not the input to which the journal next to it belongs", .0.display())]
    Input(PathBuf),
}

impl JournalError {
    fn file(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::File { path, source }
    }
}

/// A journal opened for writing, locked against other runs.
#[derive(Debug)]
pub struct Journal {
    file: File,
    /// Holds the lock.
    _lock: File,
    content: Content,
    /// The number of steps of this run.
    taken: usize,
    /// The number of requests for a new verdict, for each candidate.
    asked_again: HashMap<Hash, usize>,
    failure: Option<io::Error>,
    skipped: usize,
}

/// A journal opened for reading.
#[derive(Debug)]
pub struct StoredRun {
    /// The content of the journal.
    pub content: Content,
    /// The input.
    pub input: Vec<u8>,
}

impl Journal {
    /// Creates a journal about `input` in `folder`. The previous journal there is kept under another name.
    ///
    /// # Errors
    /// Returns an error when the folder cannot be created or written, or another run uses it.
    pub fn begin(folder: &Path, header: Header, input: &[u8]) -> Result<Self, JournalError> {
        make(folder)?;
        if let Some(home) = folder.parent() {
            let path = home.join(".gitignore");
            if fs::symlink_metadata(&path).is_err() {
                fs::write(&path, "*\n").map_err(JournalError::file(&path))?;
            }
        }
        let lock = lock(folder)?;
        let path = folder.join(JOURNAL);
        match fs::rename(&path, folder.join(OLDER)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(JournalError::file(&path)(error));
            }
            _ => {}
        }
        write_whole(&folder.join(INPUT), input)?;
        let file =
            File::options().append(true).create_new(true).open(&path).map_err(JournalError::file(&path))?;
        let content = Content::new(header.clone(), input.len() as u64);
        let mut journal = Self::new(file, lock, content);
        journal.append(&Line::Header(header));
        journal.sync();
        match journal.failure.take() {
            Some(error) => Err(JournalError::file(&path)(error)),
            None => Ok(journal),
        }
    }

    /// Continues the journal in `folder`; returns `None` if there is none, or its header is damaged. Other damaged
    /// lines are skipped, and those at the end are removed.
    ///
    /// # Errors
    /// Returns an error when the journal cannot be read or written, has an unknown format, does not belong to the
    /// input next to it, or is in use by another run.
    pub fn resume(folder: &Path) -> Result<Option<Self>, JournalError> {
        let path = folder.join(JOURNAL);
        if !path.exists() {
            return Ok(None);
        }
        make(folder)?;
        let lock = lock(folder)?;
        let Some(ReadJournal { content, whole, skipped }) = read(&path)? else { return Ok(None) };
        let file = File::options().append(true).open(&path).map_err(JournalError::file(&path))?;
        file.set_len(whole as u64).map_err(JournalError::file(&path))?;
        let mut journal = Self { skipped, ..Self::new(file, lock, content) };
        if skipped > 0 {
            // The skipped lines can include one that invalidated steps.
            journal.taken = journal.content.fitting(&input(folder, &journal.content)?);
            journal.drop_rest();
            journal.taken = 0;
        }
        Ok(Some(journal))
    }

    fn new(file: File, lock: File, content: Content) -> Self {
        Self { file, _lock: lock, content, taken: 0, asked_again: HashMap::new(), failure: None, skipped: 0 }
    }

    /// Returns the number of damaged lines that were skipped when the journal was read.
    #[must_use]
    pub fn skipped(&self) -> usize {
        self.skipped
    }

    /// Returns the content so far.
    #[must_use]
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// Returns the first error while writing. Nothing is written after it, and the run continues without a journal.
    #[must_use]
    pub fn failure(&self) -> Option<&io::Error> {
        self.failure.as_ref()
    }

    /// Records the facts learned from the initial runs of the oracle.
    pub fn baseline(&mut self, value: Value) {
        self.take(Line::Baseline(value));
    }

    /// Returns the code of a candidate's current verdict: the first one, or the one after those discarded by
    /// [`ask_again`](Self::ask_again).
    #[must_use]
    pub fn verdict(&self, name: &Hash) -> Option<char> {
        self.content.verdict(name, self.earlier(name))
    }

    /// Records a verdict, unless the candidate has a current one.
    pub fn judged(&mut self, name: &Hash, code: char) {
        if self.verdict(name).is_none() {
            self.take(Line::Verdict(*name, code));
        }
    }

    /// Discards the current verdict on a candidate.
    pub fn ask_again(&mut self, name: &Hash) {
        if self.verdict(name).is_some() {
            *self.asked_again.entry(*name).or_default() += 1;
        }
    }

    /// Permanently discards all verdicts of this code.
    pub fn forget(&mut self, code: char) {
        self.take(Line::Forgotten(code));
    }

    /// Restarts at the first step, discarding the verdicts on these candidates and all steps but the first `steps`.
    pub fn begin_again(&mut self, doubted: &[Hash], steps: usize) {
        for name in doubted {
            if self.content.verdict(name, 0).is_some() {
                self.take(Line::Doubted(*name));
            }
        }
        self.asked_again.clear();
        self.taken = steps.min(self.taken);
        self.drop_rest();
        self.taken = 0;
        self.sync();
    }

    fn earlier(&self, name: &Hash) -> usize {
        self.asked_again.get(name).copied().unwrap_or_default()
    }

    /// Returns the number of steps of this run.
    #[must_use]
    pub fn taken(&self) -> usize {
        self.taken
    }

    /// Returns whether the journal contains steps that this run has not repeated yet.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        self.taken < self.content.steps.len()
    }

    /// Repeats a step of an earlier run. Returns whether the next recorded step has this hash.
    pub fn retake(&mut self, hash: &Hash) -> bool {
        let is_known = self.content.steps.get(self.taken).is_some_and(|step| step.hash == *hash);
        self.taken += usize::from(is_known);
        is_known
    }

    /// Records a step, which replaces the remaining steps of an earlier run, and syncs it.
    pub fn step(&mut self, mut step: JournalStep) {
        self.drop_rest();
        step.number = self.taken + 1;
        self.take(Line::Step(step));
        self.taken += 1;
        self.sync();
    }

    /// Discards the last `steps` steps of this run and everything after them.
    pub fn undo(&mut self, steps: usize) {
        self.taken = self.taken.saturating_sub(steps);
        self.drop_rest();
        self.sync();
    }

    /// Records the end of the run. If it finished, the remaining steps of an earlier run are discarded.
    pub fn end(&mut self, end: End) {
        if end == End::Finished {
            self.drop_rest();
        }
        self.take(Line::End(end));
        self.sync();
    }

    fn drop_rest(&mut self) {
        if self.is_behind() {
            self.take(Line::Undone(self.taken + 1));
        }
    }

    /// Adds a line and writes it.
    fn take(&mut self, line: Line) {
        self.append(&line);
        let taken = self.content.take(line);
        debug_assert!(taken.is_ok(), "{taken:?}");
    }

    fn append(&mut self, line: &Line) {
        if self.failure.is_some() {
            return;
        }
        let text = line.write().map_err(io::Error::from);
        self.failure = text.and_then(|text| self.file.write_all(&text)).err();
    }

    fn sync(&mut self) {
        if self.failure.is_none() {
            self.failure = self.file.sync_data().err();
        }
    }
}

impl StoredRun {
    /// Reads the journal in `folder`, even while a run uses it; returns `None` if there is none.
    ///
    /// # Errors
    /// Returns an error when it cannot be read, has an unknown format, or does not belong to the input next to it.
    pub fn look(folder: &Path) -> Result<Option<Self>, JournalError> {
        let Some(ReadJournal { mut content, skipped, .. }) = read(&folder.join(JOURNAL))? else {
            return Ok(None);
        };
        let input = input(folder, &content)?;
        if skipped > 0 {
            content.keep_steps(content.fitting(&input));
        }
        Ok(Some(Self { content, input }))
    }
}

/// Returns the input to which the journal in `folder` belongs.
///
/// # Errors
/// Returns an error when it cannot be read, or has another hash.
pub fn input(folder: &Path, content: &Content) -> Result<Vec<u8>, JournalError> {
    let path = folder.join(INPUT);
    let input = fs::read(&path).map_err(JournalError::file(&path))?;
    if blake3::hash(&input) == content.header.input { Ok(input) } else { Err(JournalError::Input(path)) }
}

/// Returns whether the journal in `folder` is not empty but has no readable header.
#[must_use]
pub fn is_headless(folder: &Path) -> bool {
    let path = folder.join(JOURNAL);
    fs::metadata(&path).is_ok_and(|found| found.len() > 0) && matches!(read(&path), Ok(None))
}

fn read(path: &Path) -> Result<Option<ReadJournal>, JournalError> {
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(JournalError::file(path))?,
    };
    let length = fs::metadata(path.with_file_name(INPUT)).map_or(ANY_LENGTH, |input| input.len());
    Content::read(&bytes, length)
        .map_err(|UnknownFormat { program }| JournalError::Format { path: path.to_owned(), program })
}

/// Creates a folder for a journal, without symbolic links.
fn make(folder: &Path) -> Result<(), JournalError> {
    let home = folder.parent().unwrap_or(folder);
    for path in [home, folder] {
        if links::is_link(path) {
            return Err(JournalError::Link(path.to_owned()));
        }
    }
    fs::create_dir_all(folder).and_then(|()| links::remove_links(folder)).map_err(JournalError::file(folder))
}

/// Locks a folder until the file is closed.
pub(crate) fn lock(folder: &Path) -> Result<File, JournalError> {
    let path = folder.join(LOCK);
    let file = File::options().append(true).create(true).open(&path).map_err(JournalError::file(&path))?;
    for _ in 0..TUNING.lock_attempts {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(file),
            Err(rustix::io::Errno::WOULDBLOCK) => {}
            Err(error) => return Err(JournalError::file(&path)(error.into())),
        }
        let _ = rustix::event::poll(&mut [], Some(&TUNING.lock_pause));
    }
    Err(JournalError::Locked(folder.to_owned()))
}

/// Atomically writes a file, unless it already has this content.
fn write_whole(path: &Path, content: &[u8]) -> Result<(), JournalError> {
    if fs::read(path).is_ok_and(|found| found == content) {
        return Ok(());
    }
    let half = path.with_extension("half");
    let write = || {
        let mut file = File::create(&half)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&half, path)
    };
    write().map_err(JournalError::file(path))
}

#[cfg(test)]
mod tests;
