//! The state of a triage: its files, its bugs and their progress. It is stored as `triage.json`, whose fields are
//! described in `docs/guide/triage.md`.

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

/// The name of the state file.
pub const FILE: &str = "triage.json";
/// The version of the file format.
const FORM: u32 = 2;

/// The state of a triage.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TriageState {
    /// The version of the file format.
    pub form: u32,
    /// The folder with the files, as typed by the user.
    pub folder: String,
    /// The command, as typed by the user.
    pub command: String,
    /// The settings that influence verdicts, as text.
    pub terms: BTreeMap<String, String>,
    /// The number of runs of the command, without those for bug reports.
    pub runs: usize,
    /// The number of runs avoided because another reduction had made them.
    pub shared_runs: usize,
    /// The elapsed time in seconds.
    pub seconds: f64,
    /// The bugs, ordered by number.
    pub bugs: Vec<Bug>,
    /// The files of the folder.
    pub files: Vec<FileSeen>,
    /// The files needed by the command, for each folder of input files.
    pub known: BTreeMap<String, Known>,
}

/// A file of the folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FileSeen {
    /// The path relative to the folder.
    pub path: String,
    /// The size in bytes.
    pub bytes: usize,
    /// The hash of the content.
    pub hash: String,
    /// The class of the file.
    pub sort: FileSort,
    /// A description of the failure.
    pub title: String,
    /// The number of the bug that the file shows.
    pub bug: Option<usize>,
    /// A file with the same content, which was run instead.
    pub same_as: Option<String>,
    /// The time of the run in seconds.
    pub seconds: f64,
}

/// A file that shows a bug.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Member {
    /// The path relative to the folder. For a text found during a reduction, relative to the folder of the bugs.
    pub path: String,
    /// The number of the bug during whose reduction the text was found, if so.
    pub found: Option<usize>,
    /// The size in bytes.
    pub bytes: usize,
    /// The time of a run in seconds.
    pub seconds: f64,
    /// The reason why the member was abandoned, if it did not show the failure again.
    pub failed: Option<String>,
}

/// The state of a bug.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BugState {
    /// It waits for its first or next turn.
    Waiting,
    /// Its reduction is running.
    Running,
    /// Its small file exists.
    Small,
    /// Its reduction reached the named limit.
    Stopped(String),
    /// None of its files shows the failure again.
    Unreproduced(String),
    /// It cannot be reduced, for this reason.
    Failed(String),
    /// It equals another bug.
    Merged(usize),
}

/// The size of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measure {
    /// The number of tokens.
    pub tokens: usize,
    /// The number of bytes.
    pub bytes: usize,
    /// The number of lines that contain more than whitespace.
    pub lines: usize,
}

impl From<Size> for Measure {
    fn from(Size { tokens, bytes, lines }: Size) -> Self {
        Self { tokens, bytes, lines }
    }
}

impl Measure {
    pub(super) fn of(text: &[u8]) -> Self {
        Self { tokens: count_tokens(text), bytes: text.len(), lines: count_lines(text) }
    }
}

/// The size of the current best at one moment of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SizeAt {
    /// The number of probes.
    pub probes: usize,
    /// The number of tokens of the current best.
    pub tokens: usize,
}

/// A group of files with the same failure, and its small file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Bug {
    /// Its number; the first bug has 1.
    pub number: usize,
    /// The name of its folder.
    pub folder: String,
    /// A description of the failure.
    pub title: String,
    /// The failure.
    pub crash: Crash,
    /// Its progress.
    pub state: BugState,
    /// The number of the bug during whose reduction it was found, if no file shows it.
    pub found: Option<usize>,
    /// The number of a bug that can be the same. The message does not name the position of the crash, so another file
    /// of the group is reduced for comparison.
    pub compared_with: Option<usize>,
    /// The number of consecutive files reduced for comparison that ended in the same small file.
    pub agreed: usize,
    /// The files that show it.
    pub members: Vec<Member>,
    /// The folder of files whose needed files are used for it.
    pub place: String,
    /// The file name of the candidate, in the folder of the bug.
    pub name: Option<String>,
    /// The member to reduce.
    pub representative: Option<String>,
    /// The size of that member.
    pub before: Measure,
    /// The size of the smallest file so far.
    pub after: Measure,
    /// The proof of the small file, as text.
    pub proof: String,
    /// The number of probes.
    pub probes: usize,
    /// The time of its turns in seconds.
    pub seconds: f64,
    /// The number of turns.
    pub turns: usize,
    /// The time from the start of the triage to its small file, in seconds.
    pub small_after: Option<f64>,
    /// The decreasing sizes.
    pub curve: Vec<SizeAt>,
    /// The keys of the failures that its small file shows.
    pub shows: Vec<String>,
}

impl Bug {
    /// Creates a bug without members.
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

    /// Sorts the members: those in the folder first, then by size. The order does not depend on run times or on the
    /// order of turns.
    pub(super) fn sort_members(&mut self) {
        self.members.sort_by(|one, other| {
            let key = |member: &Member| (member.found.is_some(), member.bytes);
            key(one).cmp(&key(other)).then_with(|| one.path.cmp(&other.path))
        });
    }

    /// Returns whether it has a small file, even if a limit stopped its reduction.
    #[must_use]
    pub fn has_result(&self) -> bool {
        matches!(self.state, BugState::Small | BugState::Stopped(_))
    }
}

impl TriageState {
    /// Returns the state of a triage that has not started.
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

    /// Reads the state of an earlier triage in this folder, or returns `None`.
    ///
    /// # Errors
    /// Returns an error when the file cannot be read or is malformed.
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
                &format!("its format version is {}, and this version of nubbin supports {FORM}", state.form),
            ));
        }
        for bug in &mut state.bugs {
            // Limits can be different now, and running reductions were killed.
            if matches!(bug.state, BugState::Running | BugState::Stopped(_)) {
                bug.state = BugState::Waiting;
            }
        }
        Ok(Some(state))
    }

    /// Writes the state atomically.
    ///
    /// # Errors
    /// Returns an error when the file cannot be written.
    pub fn write(&self, out: &Path) -> Result<(), Failure> {
        let text = serde_json::to_vec_pretty(self).unwrap_or_default();
        put(&out.join(FILE), &text)
    }

    /// Returns the bug with this number.
    #[must_use]
    pub fn bug(&self, number: usize) -> Option<&Bug> {
        self.bugs.get(number.checked_sub(1)?)
    }

    pub(super) fn bug_mut(&mut self, number: usize) -> &mut Bug {
        &mut self.bugs[number - 1]
    }

    /// Returns the number of the bug into which this one was merged, or its own number.
    #[must_use]
    pub fn root(&self, number: usize) -> usize {
        match self.bug(number).map(|bug| &bug.state) {
            Some(BugState::Merged(other)) if *other != number => self.root(*other),
            _ => number,
        }
    }

    /// Returns the bugs that were not merged into another.
    pub fn own_bugs(&self) -> impl Iterator<Item = &Bug> {
        self.bugs.iter().filter(|bug| !matches!(bug.state, BugState::Merged(_)))
    }
}

/// Atomically writes a file in the folder of bugs. A file that the user has edited is kept under another name.
pub(super) fn put(path: &Path, text: &[u8]) -> Result<(), Failure> {
    product::write(path, text).map(|_| ()).map_err(Into::into)
}

fn senseless(path: &Path, why: &str) -> Failure {
    Failure::message(Fault::Input, format!("`{}` cannot be used: {why}", path.display()))
        .hint("choose another place with `--output DIR`, or remove this file")
}

/// Returns a path as text, with escapes for bytes that are not UTF-8.
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
