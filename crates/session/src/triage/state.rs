//! The state of a triage as a plain value: the files, the bugs, and how far each of them is. It is on disk as `triage.json`.
//!
//! `docs/guide/triage.md` describes the fields for those who read the file.

use super::crash::{Crash, FileSort};
use crate::baseline::Known;
use crate::failure::{Failure, Fault};
use crate::input::product;
use nubbin_reduce::event::Size;
use nubbin_syntax::edit::{count_lines, count_tokens};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The name of the file.
pub const FILE: &str = "triage.json";
/// The number of this form of the file.
const FORM: u32 = 2;

/// All that a triage knows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TriageState {
    /// The number of the file's form.
    pub form: u32,
    /// The folder with the files, as it was typed.
    pub folder: String,
    /// The command, as it was typed.
    pub command: String,
    /// The settings on which verdicts depend, in words.
    pub terms: BTreeMap<String, String>,
    /// The number of runs of the command, from the first one on, without those that bug reports make.
    pub runs: usize,
    /// The number of runs that were not needed, since another reduction had made them.
    pub shared_runs: usize,
    /// The time that was spent, in seconds.
    pub seconds: f64,
    /// The bugs, by their numbers.
    pub bugs: Vec<Bug>,
    /// The files of the folder.
    pub files: Vec<FileSeen>,
    /// The surroundings of the command for files of each folder.
    pub known: BTreeMap<String, Known>,
}

/// A file of the folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FileSeen {
    /// Its path in the folder.
    pub path: String,
    /// Its size in bytes.
    pub bytes: usize,
    /// The hash of its content.
    pub hash: String,
    /// Its sort, by what the command does on it.
    pub sort: FileSort,
    /// The failure in words.
    pub title: String,
    /// The number of the bug that it shows.
    pub bug: Option<usize>,
    /// The file with the same content, which was run in its place.
    pub same_as: Option<String>,
    /// The time that the run took, in seconds.
    pub seconds: f64,
}

/// A file that shows a bug.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Member {
    /// Its path in the folder; that of a text which was seen on the way is in the folder of the bugs.
    pub path: String,
    /// The number of the bug in whose reduction it was seen, if it was.
    pub found: Option<usize>,
    /// Its size in bytes.
    pub bytes: usize,
    /// The time that a run takes, in seconds.
    pub seconds: f64,
    /// The reason why it was given up, if it was tried and did not show the failure again.
    pub failed: Option<String>,
}

/// The state of a bug.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BugState {
    /// It waits for its first turn, or for the next one.
    Waiting,
    /// Its reduction is under way.
    Running,
    /// Its small file is there.
    Small,
    /// Its reduction came to a bound, which is named.
    Stopped(String),
    /// No file of it shows the failure again.
    Unreproduced(String),
    /// It cannot be reduced, for this reason.
    Failed(String),
    /// It is the same as another bug.
    Merged(usize),
}

/// A size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measure {
    /// The number of tokens.
    pub tokens: usize,
    /// The number of bytes.
    pub bytes: usize,
    /// The number of lines that hold more than blanks.
    pub lines: usize,
}

impl From<Size> for Measure {
    fn from(Size { tokens, bytes, lines }: Size) -> Self {
        Self { tokens, bytes, lines }
    }
}

impl Measure {
    /// Measures a text.
    pub(super) fn of(text: &[u8]) -> Self {
        Self { tokens: count_tokens(text), bytes: text.len(), lines: count_lines(text) }
    }
}

/// The size of the best at a moment of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SizeAt {
    /// The number of probes.
    pub probes: usize,
    /// The number of tokens of the best.
    pub tokens: usize,
}

/// A bug: a group of files, and its small file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Bug {
    /// Its number; the first has 1.
    pub number: usize,
    /// The name of its folder.
    pub folder: String,
    /// The failure in words.
    pub title: String,
    /// The failure.
    pub crash: Crash,
    /// Its state: it waits, runs, is small, or came to something else.
    pub state: BugState,
    /// The number of the bug in whose reduction it was seen first, if no file shows it.
    pub found: Option<usize>,
    /// The number of the bug that it may be the same as: the message does not say where the command dies, so another file of
    /// the group is reduced to compare.
    pub compared_with: Option<usize>,
    /// The number of its files that were reduced to compare and came to the same small file, since one last did not.
    pub agreed: usize,
    /// The files that show it.
    pub members: Vec<Member>,
    /// The folder of its files whose surroundings hold for it.
    pub place: String,
    /// The name of the candidate, in the folder of the bug.
    pub name: Option<String>,
    /// The member that is reduced.
    pub representative: Option<String>,
    /// The size of that member.
    pub before: Measure,
    /// The size of the smallest file so far.
    pub after: Measure,
    /// The proof of the small file, in words.
    pub proof: String,
    /// The number of probes.
    pub probes: usize,
    /// The time that its turns took, in seconds.
    pub seconds: f64,
    /// The number of turns.
    pub turns: usize,
    /// The time from the start of the triage to its small file, in seconds.
    pub small_after: Option<f64>,
    /// The sizes as they went down.
    pub curve: Vec<SizeAt>,
    /// The failures that its small file shows, as keys.
    pub shows: Vec<String>,
}

impl Bug {
    /// Makes a bug without members.
    #[must_use]
    pub fn new(number: usize, crash: Crash, title: String) -> Self {
        Self {
            number,
            folder: format!("{number:03}-{}", crash.slug()),
            title,
            crash,
            state: BugState::Waiting,
            found: None,
            compared_with: None,
            agreed: 0,
            members: Vec::new(),
            place: String::new(),
            name: None,
            representative: None,
            before: Measure::default(),
            after: Measure::default(),
            proof: String::new(),
            probes: 0,
            seconds: 0.0,
            turns: 0,
            small_after: None,
            curve: Vec::new(),
            shows: Vec::new(),
        }
    }

    /// Puts its files in the order in which they are listed: those of the folder first, and the smallest first. The order
    /// does not depend on how long they run, nor on the turns that brought them here.
    pub(super) fn sort_members(&mut self) {
        self.members.sort_by(|one, other| {
            let key = |member: &Member| (member.found.is_some(), member.bytes);
            key(one).cmp(&key(other)).then_with(|| one.path.cmp(&other.path))
        });
    }

    /// Tells whether it has a small file, even if not the smallest one.
    #[must_use]
    pub fn has_result(&self) -> bool {
        matches!(self.state, BugState::Small | BugState::Stopped(_))
    }
}

impl TriageState {
    /// Returns the state of a triage that has not begun.
    #[must_use]
    pub fn new(folder: String, command: String, terms: BTreeMap<String, String>) -> Self {
        Self {
            form: FORM,
            folder,
            command,
            terms,
            runs: 0,
            shared_runs: 0,
            seconds: 0.0,
            bugs: Vec::new(),
            files: Vec::new(),
            known: BTreeMap::new(),
        }
    }

    /// Reads the state of an earlier triage in this folder; `None` if there is none.
    ///
    /// # Errors
    /// Returns an error when it cannot be read, or makes no sense.
    pub fn read(out: &Path) -> Result<Option<Self>, Failure> {
        let path = out.join(FILE);
        let text = match fs::read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(senseless(&path, &error.to_string())),
            Ok(text) => text,
        };
        let mut state: Self =
            serde_json::from_slice(&text).map_err(|error| senseless(&path, &error.to_string()))?;
        if state.form != FORM {
            return Err(senseless(
                &path,
                &format!("it has the form {}, and this program knows {FORM}", state.form),
            ));
        }
        for bug in &mut state.bugs {
            // A bound may be another one now, and what was under way was killed.
            if matches!(bug.state, BugState::Running | BugState::Stopped(_)) {
                bug.state = BugState::Waiting;
            }
        }
        Ok(Some(state))
    }

    /// Writes it, in one instant.
    ///
    /// # Errors
    /// Returns an error when it cannot be written.
    pub fn write(&self, out: &Path) -> Result<(), Failure> {
        let text = serde_json::to_vec_pretty(self).unwrap_or_default();
        put(&out.join(FILE), &text)
    }

    /// Returns the bug of this number.
    #[must_use]
    pub fn bug(&self, number: usize) -> Option<&Bug> {
        self.bugs.get(number.checked_sub(1)?)
    }

    pub(super) fn bug_mut(&mut self, number: usize) -> &mut Bug {
        &mut self.bugs[number - 1]
    }

    /// Returns the number of the bug that has this one's files: itself, unless it was merged.
    #[must_use]
    pub fn root(&self, number: usize) -> usize {
        match self.bug(number).map(|bug| &bug.state) {
            Some(BugState::Merged(other)) if *other != number => self.root(*other),
            _ => number,
        }
    }

    /// Returns the bugs that are not the same as another one.
    pub fn own_bugs(&self) -> impl Iterator<Item = &Bug> {
        self.bugs.iter().filter(|bug| !matches!(bug.state, BugState::Merged(_)))
    }
}

/// Writes a file of the folder of bugs in one instant. A file that somebody has edited is kept beside it.
pub(super) fn put(path: &Path, text: &[u8]) -> Result<(), Failure> {
    product::write(path, text).map(|_| ()).map_err(Into::into)
}

fn senseless(path: &Path, why: &str) -> Failure {
    Failure::message(Fault::Input, format!("`{}` cannot be used: {why}", path.display()))
        .hint("choose another place with `--output DIR`, or remove this one")
}

/// Returns a path as text. What is no UTF-8 is escaped.
pub(super) fn shown(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    match path.to_str() {
        Some(text) => text.to_owned(),
        None => path.as_os_str().as_bytes().escape_ascii().to_string(),
    }
}

/// Returns the folder of a bug.
#[must_use]
pub fn folder_of(out: &Path, bug: &Bug) -> PathBuf {
    out.join(&bug.folder)
}
