//! Keeps the outputs of the latest runs. Rejected candidates give the reasons for tokens; runs with the failure describe
//! the result.

use super::said::Book;
use nubbin_oracle::{CommandRun, Observer, Status};
use nubbin_search::Verdict;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The numbers that were tuned.
struct Tuning {
    /// At most this many bytes of all candidates are kept.
    all_bytes: usize,
    /// At most this number of candidates is kept.
    candidates: usize,
    /// At most this number of runs with the failure is kept.
    shown_runs: usize,
    /// At most this many characters of a line are kept.
    line_characters: usize,
}

const TUNING: Tuning =
    Tuning { all_bytes: 24 << 20, candidates: 40_000, shown_runs: 64, line_characters: 200 };

/// The greatest size of a candidate that is kept, in bytes.
pub const LARGEST: usize = 64 << 10;
/// The words that mark a line as an error.
const ERRORS: [&str; 9] =
    ["error", "fatal", "exception", "panic", "assert", "undefined", "fail", "abort", "not found"];

/// A candidate without the failure.
#[derive(Debug)]
pub struct Rejected {
    pub candidate: Vec<u8>,
    pub said: Said,
}

/// The exit of a run, and the first line of its output that looks like an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// The status; `None` if only the verdict is known, from the earlier part of a resumed run.
    pub status: Option<Status>,
    pub line: Option<String>,
}

/// A run with its outputs.
#[derive(Clone, Debug)]
pub struct RunOutput {
    pub status: Status,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

impl From<CommandRun> for RunOutput {
    fn from(run: CommandRun) -> Self {
        Self { status: run.status, stdout: run.stdout, stderr: run.stderr }
    }
}

/// Collects the outputs of all runs.
#[derive(Debug, Default)]
pub struct Runs {
    /// The names of the files of the candidate.
    own: Vec<String>,
    /// True if rejected candidates are kept.
    keeps_rejected: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    rejected: VecDeque<Rejected>,
    bytes: usize,
    shown: VecDeque<(blake3::Hash, RunOutput)>,
    book: Option<Book>,
}

impl Runs {
    pub fn new(own: Vec<String>, keeps_rejected: bool) -> Self {
        Self { own, keeps_rejected, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on, also saves the outputs in the folder of a journal. A resumed run reads the earlier outputs from
    /// there.
    pub fn keep_in(&self, folder: &Path, is_resumed: bool) {
        if self.keeps_rejected {
            self.state().book = Some(Book::open(folder, is_resumed));
        }
    }

    /// Takes a candidate of the earlier part of a resumed run.
    pub fn recalled(&self, candidate: &[u8], verdict: Verdict) {
        if verdict.is_interesting() || !self.keeps_rejected || candidate.len() > LARGEST {
            return;
        }
        let mut state = self.state();
        let said = state.book.as_ref().and_then(|book| book.find(&blake3::hash(candidate))).cloned();
        state.reject(Rejected { candidate: candidate.to_vec(), said: said.unwrap_or_default() });
    }

    /// Removes and returns the rejected candidates, the oldest first.
    pub fn take_rejected(&self) -> Vec<Rejected> {
        std::mem::take(&mut self.state().rejected).into()
    }

    /// Returns the run on this text, if it is still known.
    pub fn of(&self, best: &[u8]) -> Option<RunOutput> {
        let hash = blake3::hash(best);
        self.state().shown.iter().rev().find(|(name, _)| *name == hash).map(|(_, run)| run.clone())
    }

    fn reject(&self, candidate: &[u8], run: &CommandRun) {
        if !self.keeps_rejected || candidate.len() > LARGEST {
            return;
        }
        let line = telling(&run.stderr, &self.own).or_else(|| telling(&run.stdout, &self.own));
        let line = line.or_else(|| last(&run.stderr, &self.own));
        let said = Said { status: Some(run.status), line };
        let mut state = self.state();
        if let Some(book) = &mut state.book {
            book.add(blake3::hash(candidate), &said);
        }
        state.reject(Rejected { candidate: candidate.to_vec(), said });
    }
}

impl State {
    /// Adds a candidate, and removes the oldest candidates above the limits.
    fn reject(&mut self, rejected: Rejected) {
        self.bytes += rejected.candidate.len();
        self.rejected.push_back(rejected);
        while self.bytes > TUNING.all_bytes || self.rejected.len() > TUNING.candidates {
            let Some(oldest) = self.rejected.pop_front() else { return };
            self.bytes -= oldest.candidate.len();
        }
    }
}

impl Observer for Runs {
    fn ran(&self, candidate: &[u8], run: &CommandRun) {
        if !run.verdict.is_interesting() {
            return self.reject(candidate, run);
        }
        let shown = RunOutput::from(run.clone());
        let mut state = self.state();
        state.shown.push_back((blake3::hash(candidate), shown));
        if state.shown.len() > TUNING.shown_runs {
            state.shown.pop_front();
        }
    }
}

/// Returns the first line that looks like an error.
fn telling(output: &[u8], own: &[String]) -> Option<String> {
    let is_telling = |line: &[u8]| {
        let line = line.to_ascii_lowercase();
        ERRORS.iter().any(|word| line.windows(word.len()).any(|part| part == word.as_bytes()))
    };
    output.split(|&byte| byte == b'\n').find(|line| is_telling(line)).map(|line| clean(line, own))
}

/// Returns the last line that is not empty.
fn last(output: &[u8], own: &[String]) -> Option<String> {
    let is_full = |line: &&[u8]| !line.trim_ascii().is_empty();
    output.rsplit(|&byte| byte == b'\n').find(is_full).map(|line| clean(line, own))
}

/// Returns a line for display: without the directory of the probe before files of the candidate, and without control
/// characters.
fn clean(line: &[u8], own: &[String]) -> String {
    let text: String = String::from_utf8_lossy(line)
        .trim()
        .chars()
        .filter(|c| !c.is_control())
        .take(4 * TUNING.line_characters)
        .collect();
    let text = without_directories(&text, own);
    text.chars().take(TUNING.line_characters).collect()
}

/// Removes the directories before files with these names from a text.
pub fn without_directories(text: &str, own: &[String]) -> String {
    let mut text = text.to_owned();
    for name in own {
        let named = format!("/{name}");
        let mut from = 0;
        while let Some(found) = text[from..].find(&named).map(|found| found + from) {
            let is_start = |c: char| c.is_whitespace() || "\"'`(<[=‘“".contains(c);
            let start = text[..found].char_indices().rev().find(|&(_, c)| is_start(c));
            let start = start.map_or(0, |(at, c)| at + c.len_utf8());
            if text[start..].starts_with('/') {
                text.replace_range(start..=found, "");
                from = start + name.len();
            } else {
                from = found + named.len();
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_displayed_without_the_directory_of_the_probe() {
        let own = ["bug.c".to_owned()];
        let output =
            b"In file included\n/dev/shm/n-1/work/bug.c:3:1: \x1b[1merror: no \xff\n/x/bug.c: more\n";
        assert_eq!(telling(output, &own).as_deref(), Some("bug.c:3:1: [1merror: no \u{fffd}"));
        assert_eq!(last(output, &own).as_deref(), Some("bug.c: more"));
        assert_eq!(without_directories("at ‘/a/bug.c’, src/bug.c", &own), "at ‘bug.c’, src/bug.c");
        assert_eq!(telling(b"fine\n", &own), None);
    }
}
