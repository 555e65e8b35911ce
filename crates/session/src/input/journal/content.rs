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

/// The reason why a journal makes no sense.
#[derive(Debug)]
pub(super) struct Senseless {
    /// The number of the line; the first has 1.
    pub line: usize,
    pub why: String,
}

impl Content {
    /// Returns the content of a journal that begins with this header, about an input of this length.
    pub(super) fn new(header: Header, length: u64) -> Self {
        let (steps, verdicts) = (Vec::new(), HashMap::new());
        Self { header, baseline: None, steps, end: None, verdicts, lengths: vec![length] }
    }

    /// Parses these bytes, and returns the content and the number of bytes in whole lines; `None` if there is no whole
    /// header.
    ///
    /// The last line may be torn: whoever wrote it was killed, or the machine was. Any other line must make sense.
    ///
    /// `length` is that of the input.
    pub(super) fn read(bytes: &[u8], length: u64) -> Result<Option<(Self, usize)>, Senseless> {
        let mut content: Option<Self> = None;
        let mut whole = 0;
        let lines = bytes.split_inclusive(|&byte| byte == b'\n').filter(|line| line.ends_with(b"\n"));
        let last = lines.clone().count();
        for (line, number) in lines.zip(1..) {
            let senseless = |why: String| Senseless { line: number, why };
            let parsed = match serde_json::from_slice::<Line>(line) {
                Ok(parsed) => parsed,
                Err(_) if number == last && bytes.len() == whole + line.len() => break,
                Err(error) => return Err(senseless(error.to_string())),
            };
            match (&mut content, parsed) {
                (None, Line::Header(header)) if header.is_known() => {
                    content = Some(Self::new(header, length));
                }
                (None, Line::Header(header)) => {
                    return Err(senseless(format!("version {} of the program wrote it", header.program)));
                }
                (None, _) => return Err(senseless("the header is missing".to_owned())),
                (Some(content), line) => content.take(line).map_err(senseless)?,
            }
            whole += line.len();
        }
        Ok(content.map(|content| (content, whole)))
    }

    /// Takes one more line.
    pub(super) fn take(&mut self, line: Line) -> Result<(), String> {
        self.end = None;
        match line {
            Line::Header(_) => return Err("there is a second header".to_owned()),
            Line::Baseline(value) => self.baseline = Some(value),
            Line::Verdict(name, code) => self.verdicts.entry(name).or_default().push(code),
            Line::Step(step) if step.number != self.steps.len() + 1 => {
                return Err(format!("step {} comes after step {}", step.number, self.steps.len()));
            }
            Line::Step(step) => {
                let before = self.lengths.last().copied().unwrap_or_default();
                self.lengths.push(step.length(before).ok_or("its edits do not fit the best before it")?);
                if self.lengths.last().is_some_and(|length| step.bytes as u64 > *length) {
                    return Err(format!("a best of {} bytes has not so many", step.bytes));
                }
                self.steps.push(step);
            }
            Line::Undone(number) if number == 0 || number > self.steps.len() => {
                return Err(format!("step {number} is undone, of {}", self.steps.len()));
            }
            Line::Undone(number) => {
                self.steps.truncate(number - 1);
                self.lengths.truncate(number);
            }
            Line::Forgotten(code) => self.verdicts.values_mut().for_each(|codes| codes.retain(|c| c != code)),
            Line::Doubted(name) => drop(self.verdicts.remove(&name)),
            Line::End(end) => self.end = Some(end),
        }
        Ok(())
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

    /// Tells whether a file with this hash is the input or one of the bests. A best whose step could not be noted any
    /// more has only the verdict of this code.
    #[must_use]
    pub fn knows(&self, hash: &Hash, interesting: char) -> bool {
        *hash == self.header.input
            || self.steps.iter().any(|step| step.hash == *hash)
            || self.verdicts.get(hash).is_some_and(|codes| codes.contains(interesting))
    }
}
