//! The content of a journal, parsed from the bytes of its file.

use super::line::{JournalStep, Line};
use super::{End, Header};
use blake3::Hash;
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// The content of a journal.
#[derive(Clone, Debug)]
pub struct Content {
    /// The run and the input to which the journal belongs.
    pub header: Header,
    /// The facts learned from the initial runs of the oracle, if recorded.
    pub baseline: Option<Value>,
    /// The valid steps in order.
    pub steps: Vec<JournalStep>,
    /// How the last run ended, if it ended normally.
    pub end: Option<End>,
    /// The codes of the verdicts for each candidate, in order.
    verdicts: HashMap<Hash, String>,
    /// The lengths of the input and of each later current best.
    lengths: Vec<u64>,
}

/// The journal was written by a version with an unknown format.
#[derive(Debug)]
pub(super) struct UnknownFormat {
    /// The version of the program.
    pub program: String,
}

pub(super) struct ReadJournal {
    pub content: Content,
    /// The number of bytes up to the end of the last valid line.
    pub whole: usize,
    /// The number of skipped lines.
    pub skipped: usize,
}

impl Content {
    /// Returns the content of a new journal for an input of this length.
    pub(super) fn new(header: Header, length: u64) -> Self {
        let (steps, verdicts) = (Vec::new(), HashMap::new());
        Self { header, baseline: None, steps, end: None, verdicts, lengths: vec![length] }
    }

    /// Parses a journal; returns `None` if it has no header.
    ///
    /// Lines that are damaged or inconsistent with earlier lines are skipped. An incomplete last line is normal,
    /// because the process can be killed or the machine lose power; it does not count as skipped.
    ///
    /// `length` is the length of the input.
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

    /// Adds a line. A line that is inconsistent with earlier lines is rejected and changes nothing.
    pub(super) fn take(&mut self, line: Line) -> Result<(), String> {
        let end = self.end.take();
        self.add(line).inspect_err(|_| self.end = end)
    }

    fn add(&mut self, line: Line) -> Result<(), String> {
        match line {
            Line::Header(_) => return Err("duplicate header".to_owned()),
            Line::Baseline(value) => self.baseline = Some(value),
            Line::Verdict(name, code) => self.verdicts.entry(name).or_default().push(code),
            Line::Step(step) if step.number != self.steps.len() + 1 => {
                return Err(format!("step {} follows step {}", step.number, self.steps.len()));
            }
            Line::Step(step) => {
                let before = self.lengths.last().copied().unwrap_or_default();
                let length = step.length(before).ok_or("its edits do not apply to the preceding step")?;
                if step.bytes as u64 > length {
                    return Err(format!("it records {} bytes, but its edits result in {length}", step.bytes));
                }
                self.lengths.push(length);
                self.steps.push(step);
            }
            Line::Undone(number) if number == 0 || number > self.steps.len() => {
                return Err(format!("step {number} of {} is undone", self.steps.len()));
            }
            Line::Undone(number) => self.keep_steps(number - 1),
            Line::Forgotten(code) => self.verdicts.values_mut().for_each(|codes| codes.retain(|c| c != code)),
            Line::Doubted(name) => drop(self.verdicts.remove(&name)),
            Line::End(end) => self.end = Some(end),
        }
        Ok(())
    }

    /// Removes all steps after the first `number`.
    pub(super) fn keep_steps(&mut self, number: usize) {
        self.steps.truncate(number);
        self.lengths.truncate(number + 1);
    }

    /// Returns the code of a candidate's verdict, ignoring the first `earlier` ones.
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

    /// Applies the first `number` steps to the input; returns `None` if they do not fit.
    #[must_use]
    pub fn rebuild(&self, input: &[u8], number: usize) -> Option<Vec<u8>> {
        let steps = self.steps.get(..number)?;
        let best = steps.iter().try_fold(input.to_vec(), |best, step| step.apply(&best))?;
        let hash = steps.last().map_or(self.header.input, |step| step.hash);
        (blake3::hash(&best) == hash).then_some(best)
    }

    /// Returns the number of leading steps that fit the input.
    pub(super) fn fitting(&self, input: &[u8]) -> usize {
        let mut best = input.to_vec();
        let fits = |step: &&JournalStep| {
            let after = step.apply(&best).filter(|after| blake3::hash(after) == step.hash);
            after.map(|after| best = after).is_some()
        };
        self.steps.iter().take_while(fits).count()
    }

    /// Returns whether a file with this hash is the input or a recorded result. A result whose step was not recorded
    /// has only a verdict of the code `interesting`.
    #[must_use]
    pub fn knows(&self, hash: &Hash, interesting: char) -> bool {
        *hash == self.header.input
            || self.steps.iter().any(|step| step.hash == *hash)
            || self.verdicts.get(hash).is_some_and(|codes| codes.contains(interesting))
    }
}
