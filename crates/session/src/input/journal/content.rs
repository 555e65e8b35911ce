//! The content of a journal, all lines together.
//!
//! It reads no files: it gets the bytes of one.

use super::line::{JournalStep, Line};
use super::{End, Header};
use blake3::Hash;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// The content of a journal.
#[derive(Clone, Debug)]
pub struct Content {
    /// The run and the input that the journal is about.
    pub header: Header,
    /// The facts that the first run of the oracle has taught, if they were noted.
    pub baseline: Option<Value>,
    /// The steps that hold, in their order.
    pub steps: Vec<JournalStep>,
    /// The end of the last run that wrote to it, if it came to one.
    pub end: Option<End>,
    /// The codes of the verdicts of each candidate, in the order in which they were given.
    verdicts: HashMap<Hash, String>,
    /// The lengths of the input and of the bests after it.
    lengths: Vec<u64>,
}

/// A journal that another version of the program wrote, in a format that this one does not know.
#[derive(Debug)]
pub(super) struct UnknownFormat {
    /// The version of the program.
    pub program: String,
}

/// What was read from a journal.
pub(super) struct ReadJournal {
    pub content: Content,
    /// The number of bytes up to the end of the last good line.
    pub whole: usize,
    /// The number of lines that were skipped.
    pub skipped: usize,
}

impl Content {
    /// Returns the content of a journal that begins with this header, about an input of this length.
    pub(super) fn new(header: Header, length: u64) -> Self {
        let (steps, verdicts) = (Vec::new(), HashMap::new());
        Self { header, baseline: None, steps, end: None, verdicts, lengths: vec![length] }
    }

    /// Parses these bytes; `None` if they hold no header.
    ///
    /// Lines that are damaged, or do not fit what comes before them, are skipped. An unfinished last line is normal: the
    /// process that wrote it was killed, or the machine lost power. It does not count as skipped.
    ///
    /// `length` is that of the input.
    pub(super) fn read(bytes: &[u8], length: u64) -> Result<Option<ReadJournal>, UnknownFormat> {
        let mut journal: Option<ReadJournal> = None;
        let (mut at, mut skipped, mut has_sums) = (0, 0, false);
        for line in bytes.split_inclusive(|&byte| byte == b'\n').filter(|line| line.ends_with(b"\n")) {
            at += line.len();
            let read = Line::read(line).filter(|read| read.is_checked || !has_sums);
            let is_checked = read.as_ref().is_some_and(|read| read.is_checked);
            let is_good = match (&mut journal, read.map(|read| read.line)) {
                (None, Some(Line::Header(header))) if header.is_known() => {
                    has_sums = is_checked;
                    let content = Self::new(header, length);
                    journal = Some(ReadJournal { content, whole: 0, skipped: 0 });
                    true
                }
                (None, Some(Line::Header(header))) => return Err(UnknownFormat { program: header.program }),
                (Some(journal), Some(line)) => journal.content.take(line).is_ok(),
                (_, None) | (None, Some(_)) => false,
            };
            match &mut journal {
                Some(journal) if is_good => journal.whole = at,
                _ => skipped += 1,
            }
        }
        Ok(journal.map(|journal| ReadJournal { skipped, ..journal }))
    }

    /// Takes one more line. A line that does not fit what comes before it is an error, and changes nothing.
    pub(super) fn take(&mut self, line: Line) -> Result<(), String> {
        let end = self.end.take();
        self.add(line).inspect_err(|_| self.end = end)
    }

    fn add(&mut self, line: Line) -> Result<(), String> {
        match line {
            Line::Header(_) => return Err("there is a second header".to_owned()),
            Line::Baseline(value) => self.baseline = Some(value),
            Line::Verdict(name, code) => self.verdicts.entry(name).or_default().push(code),
            Line::Step(step) if step.number != self.steps.len() + 1 => {
                return Err(format!("step {} comes after step {}", step.number, self.steps.len()));
            }
            Line::Step(step) => {
                let before = self.lengths.last().copied().unwrap_or_default();
                let length = step.length(before).ok_or("its edits do not fit the best before it")?;
                if step.bytes as u64 > length {
                    return Err(format!("it claims {} bytes of a best that has {length}", step.bytes));
                }
                self.lengths.push(length);
                self.steps.push(step);
            }
            Line::Undone(number) if number == 0 || number > self.steps.len() => {
                return Err(format!("step {number} is undone, of {}", self.steps.len()));
            }
            Line::Undone(number) => self.keep_steps(number - 1),
            Line::Forgotten(code) => self.verdicts.values_mut().for_each(|codes| codes.retain(|c| c != code)),
            Line::Doubted(name) => drop(self.verdicts.remove(&name)),
            Line::End(end) => self.end = Some(end),
        }
        Ok(())
    }

    /// Drops all steps but the first ones.
    pub(super) fn keep_steps(&mut self, number: usize) {
        self.steps.truncate(number);
        self.lengths.truncate(number + 1);
    }

    /// Returns the code of the verdict that was given on a candidate after `earlier` others.
    #[must_use]
    pub fn verdict(&self, name: &Hash, earlier: usize) -> Option<char> {
        self.verdicts.get(name)?.chars().nth(earlier)
    }

    /// Returns the number of candidates with a verdict.
    #[must_use]
    pub fn judged(&self) -> usize {
        self.verdicts.values().filter(|codes| !codes.is_empty()).count()
    }

    /// Returns the candidates with a verdict of this code.
    #[must_use]
    pub fn interesting(&self, code: char) -> HashSet<Hash> {
        let judged = self.verdicts.iter().filter(|(_, codes)| codes.contains(code));
        judged.map(|(name, _)| *name).collect()
    }

    /// Returns the best after `number` steps, from the input; `None` where the journal does not fit it.
    #[must_use]
    pub fn rebuild(&self, input: &[u8], number: usize) -> Option<Vec<u8>> {
        let steps = self.steps.get(..number)?;
        let best = steps.iter().try_fold(input.to_vec(), |best, step| step.apply(&best))?;
        let hash = steps.last().map_or(self.header.input, |step| step.hash);
        (blake3::hash(&best) == hash).then_some(best)
    }

    /// Returns the number of steps, from the first one on, that fit the input.
    pub(super) fn fitting(&self, input: &[u8]) -> usize {
        let mut best = input.to_vec();
        let fits = |step: &&JournalStep| {
            let after = step.apply(&best).filter(|after| blake3::hash(after) == step.hash);
            after.map(|after| best = after).is_some()
        };
        self.steps.iter().take_while(fits).count()
    }

    /// Tells whether a file with this hash is the input or one of the bests. A best whose step could not be noted any
    /// more has only the verdict of this code.
    #[must_use]
    pub fn knows(&self, hash: &Hash, interesting: char) -> bool {
        *hash == self.header.input
            || self.steps.iter().any(|step| step.hash == *hash)
            || self.verdicts.get(hash).is_some_and(|codes| codes.contains(interesting))
    }
}
