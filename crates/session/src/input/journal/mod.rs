//! The journal of a reduction: the verdicts, the steps and the input, on disk, for a run that goes on from them.
//!
//! It is a file that only grows. What a verdict is and how the settings are compared is for its user to know: here a
//! verdict is the hash of a candidate and a letter.
//!
//! Nothing is synced at a verdict: what a killed process has written is not lost. At a step everything is.

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

/// The journal itself, in its folder.
const JOURNAL: &str = "journal.jsonl";
/// The journal of the run before, if there was one.
const OLDER: &str = "journal.old.jsonl";
/// The untouched input.
const INPUT: &str = "input";
/// Locked while a run uses the folder.
const LOCK: &str = "lock";
/// The length of an input that is not known: any edit fits.
const ANY_LENGTH: u64 = u64::MAX / 2;

/// The numbers that were tuned.
struct Tuning {
    /// A held lock is tried again this many times, with `lock_pause` in between: a run that was killed may have left a
    /// process that has not yet become the oracle, and so holds it for a moment.
    lock_attempts: usize,
    /// The pause between two attempts to take a held lock.
    lock_pause: rustix::event::Timespec,
}

const TUNING: Tuning =
    Tuning { lock_attempts: 30, lock_pause: rustix::event::Timespec { tv_sec: 0, tv_nsec: 10_000_000 } };

/// The reasons why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// A file of it cannot be read or written.
    #[error("cannot use `{}`: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// It is reached by a symbolic link.
    #[error("`{}` is a symbolic link, so a journal is not written there", .0.display())]
    Link(PathBuf),
    /// Another run uses it.
    #[error("`{}` is in use by another run", .0.display())]
    Locked(PathBuf),
    /// Another version of the program wrote it, in a format that this one does not know.
    #[error("`{}` was written by version {program} of the program, in another format", path.display())]
    Format {
        /// The journal.
        path: PathBuf,
        /// The version.
        program: String,
    },
    /// The input beside the journal is not the one that it is about.
    #[error("`{}` is not the input that the journal beside it is about", .0.display())]
    Input(PathBuf),
}

impl JournalError {
    fn file(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::File { path, source }
    }
}

/// A journal that a run writes to; no other run can at the same time.
#[derive(Debug)]
pub struct Journal {
    file: File,
    /// Held as long as this lives.
    _lock: File,
    content: Content,
    /// The number of steps that this run has taken.
    taken: usize,
    /// The number of times that a new verdict was asked for, by candidate.
    asked_again: HashMap<Hash, usize>,
    failure: Option<io::Error>,
    skipped: usize,
}

/// The content of a folder, for those who only look.
#[derive(Debug)]
pub struct StoredRun {
    /// The content of the journal.
    pub content: Content,
    /// The input that it is about.
    pub input: Vec<u8>,
}

impl Journal {
    /// Begins a journal about `input` in `folder`. An older one there is kept beside it, but only the last one.
    ///
    /// # Errors
    /// Returns an error when the folder cannot be made or written, or another run uses it.
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

    /// Goes on with the journal in `folder`; `None` if there is none, or its header is damaged. Other damaged lines are
    /// skipped, and those at the end are removed.
    ///
    /// # Errors
    /// Returns an error when it cannot be read or written, has an unknown format, is about another input than the one
    /// next to it, or another run uses it.
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
            // A line that took steps back may be among those that were skipped.
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

    /// Returns the reason why nothing is written any more, if that is so: after the first failure, all goes on as if
    /// there were no journal.
    #[must_use]
    pub fn failure(&self) -> Option<&io::Error> {
        self.failure.as_ref()
    }

    /// Notes what the first run of the oracle has taught.
    pub fn baseline(&mut self, value: Value) {
        self.take(Line::Baseline(value));
    }

    /// Returns the code of the verdict on a candidate: the first one that was given, or the one after those that were
    /// asked for again.
    #[must_use]
    pub fn verdict(&self, name: &Hash) -> Option<char> {
        self.content.verdict(name, self.earlier(name))
    }

    /// Notes a verdict, unless there is one that counts.
    pub fn judged(&mut self, name: &Hash, code: char) {
        if self.verdict(name).is_none() {
            self.take(Line::Verdict(*name, code));
        }
    }

    /// Makes the verdict after the current one count from now on.
    pub fn ask_again(&mut self, name: &Hash) {
        if self.verdict(name).is_some() {
            *self.asked_again.entry(*name).or_default() += 1;
        }
    }

    /// Forgets all verdicts of this code, for good.
    pub fn forget(&mut self, code: char) {
        self.take(Line::Forgotten(code));
    }

    /// Begins again with the first step: the verdicts on these candidates, and all steps but the first `steps`, no longer
    /// hold.
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

    /// Returns the number of steps that this run has taken.
    #[must_use]
    pub fn taken(&self) -> usize {
        self.taken
    }

    /// Tells whether the journal has steps that this run has not reached yet.
    #[must_use]
    pub fn is_behind(&self) -> bool {
        self.taken < self.content.steps.len()
    }

    /// Takes a step that an earlier run has taken too; `false` if it is another one, which is still to be added.
    pub fn retake(&mut self, hash: &Hash) -> bool {
        let is_known = self.content.steps.get(self.taken).is_some_and(|step| step.hash == *hash);
        self.taken += usize::from(is_known);
        is_known
    }

    /// Notes a step, in place of those that an earlier run went on with, and makes sure that it is on disk.
    pub fn step(&mut self, mut step: JournalStep) {
        self.drop_rest();
        step.number = self.taken + 1;
        self.take(Line::Step(step));
        self.taken += 1;
        self.sync();
    }

    /// Notes that the last `steps` that this run has taken do not hold, nor what came after them.
    pub fn undo(&mut self, steps: usize) {
        self.taken = self.taken.saturating_sub(steps);
        self.drop_rest();
        self.sync();
    }

    /// Notes that the run has ended. Where it has finished with fewer steps than an earlier run, the others no longer
    /// hold.
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

    /// Takes a line, and writes it.
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
    /// Reads the journal in `folder`, whether a run uses it or not; `None` if there is no journal.
    ///
    /// # Errors
    /// Returns an error when it cannot be read, has an unknown format, or is about another input than the one next to it.
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

/// Returns the input that the journal in `folder` is about.
///
/// # Errors
/// Returns an error when it cannot be read, or is another one.
pub fn input(folder: &Path, content: &Content) -> Result<Vec<u8>, JournalError> {
    let path = folder.join(INPUT);
    let input = fs::read(&path).map_err(JournalError::file(&path))?;
    if blake3::hash(&input) == content.header.input { Ok(input) } else { Err(JournalError::Input(path)) }
}

/// Tells whether the journal in `folder` has content, but no readable header.
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

/// Makes a folder for a journal, in which nothing leads elsewhere.
fn make(folder: &Path) -> Result<(), JournalError> {
    let home = folder.parent().unwrap_or(folder);
    for path in [home, folder] {
        if links::is_link(path) {
            return Err(JournalError::Link(path.to_owned()));
        }
    }
    fs::create_dir_all(folder).and_then(|()| links::remove_links(folder)).map_err(JournalError::file(folder))
}

/// Locks a folder for as long as the file is open.
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

/// Writes a file that is there whole or not at all, unless it is there already.
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
