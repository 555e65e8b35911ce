//! Records the current best, the steps and the notes of a reduction.

use nubbin_reduce::event::{Event, Size};
use nubbin_reduce::{Outcome, Proof};
use nubbin_syntax::edit::{count_lines, count_tokens};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The data that a progress callback receives.
#[derive(IntoPyObject)]
pub struct Moment {
    event: &'static str,
    tokens: usize,
    bytes: usize,
    lines: usize,
    probes: usize,
    pass_name: String,
    seconds: f64,
    note: Option<String>,
}

/// A step: the pass that made it, the size after it, and the number of probes and the seconds until it.
type Step = (String, (usize, usize, usize), usize, f64);

/// The record of a reduction.
pub struct Record {
    start: Instant,
    /// The input, once it is known.
    pub input: Vec<u8>,
    limit: Option<Duration>,
    stop: Arc<AtomicBool>,
    before: Size,
    size: Size,
    best: Option<Vec<u8>>,
    has_begun: bool,
    /// The result is that of an earlier run.
    is_left: bool,
    probes: usize,
    pass: String,
    steps: Vec<Step>,
    notes: Vec<String>,
}

impl Record {
    /// Creates a record that sets `stop` when the time limit is reached.
    pub fn new(limit: Option<Duration>, stop: Arc<AtomicBool>) -> Self {
        Self {
            start: Instant::now(),
            input: Vec::new(),
            limit,
            stop,
            before: Size::default(),
            size: Size::default(),
            best: None,
            has_begun: false,
            is_left: false,
            probes: 0,
            pass: String::new(),
            steps: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Handles an event. Returns the data for a callback; before the start of the reduction only notes are
    /// reported.
    pub fn take(&mut self, event: Event<'_>) -> Option<Moment> {
        let seconds = self.start.elapsed().as_secs_f64();
        let mut said = None;
        let name = match event {
            Event::Started { size } => {
                (self.before, self.size, self.has_begun) = (size, size, true);
                "started"
            }
            Event::Pass { name, .. } => {
                name.clone_into(&mut self.pass);
                "pass"
            }
            Event::Probed { counts, .. } => {
                self.probes = counts.probes;
                "probed"
            }
            Event::Accepted { pass, size, best, .. } => {
                (self.size, self.best) = (size, Some(best.to_vec()));
                let sizes = (size.tokens, size.bytes, size.lines);
                self.steps.push((pass.to_owned(), sizes, self.probes, seconds));
                "accepted"
            }
            Event::Undone { steps, size, best } => {
                (self.size, self.best) = (size, Some(best.to_vec()));
                self.steps.truncate(self.steps.len().saturating_sub(steps));
                "undone"
            }
            Event::Note { text } => {
                self.add_notes([text.to_owned()]);
                said = Some(text.to_owned());
                "note"
            }
            Event::Measured { .. } => "measured",
        };
        if self.limit.is_some_and(|limit| self.start.elapsed() > limit) {
            self.stop.store(true, Ordering::Release);
        }
        let is_told = self.has_begun || said.is_some();
        is_told.then(|| Moment {
            event: name,
            tokens: self.size.tokens,
            bytes: self.size.bytes,
            lines: self.size.lines,
            probes: self.probes,
            pass_name: self.pass.clone(),
            seconds,
            note: said,
        })
    }

    /// Records the result that an earlier run has left for an input.
    pub fn left(&mut self, input: Vec<u8>, best: Vec<u8>) {
        let size =
            |text: &[u8]| Size { tokens: count_tokens(text), bytes: text.len(), lines: count_lines(text) };
        (self.before, self.size) = (size(&input), size(&best));
        (self.input, self.best, self.is_left) = (input, Some(best), true);
    }

    /// Returns whether the result is that of an earlier run.
    pub fn is_left(&self) -> bool {
        self.is_left
    }

    /// Adds notes from elsewhere.
    pub fn add_notes(&mut self, notes: impl IntoIterator<Item = String>) {
        self.notes.extend(notes.into_iter().map(|note| match note.strip_prefix("note: ") {
            Some(note) => note.to_owned(),
            None => note,
        }));
    }

    /// Returns whether the time limit was reached.
    pub fn is_late(&self) -> bool {
        self.limit.is_some_and(|limit| self.start.elapsed() > limit)
    }

    /// Converts the record for Python. `outcome` is set if the reduction completed or was stopped.
    pub fn report<'py>(&self, py: Python<'py>, outcome: Option<&Outcome>) -> PyResult<Bound<'py, PyDict>> {
        let report = PyDict::new(py);
        let sizes = |size: Size| (size.tokens, size.bytes, size.lines);
        let first = self.has_begun.then_some(&self.input);
        let best = outcome.map(|outcome| &outcome.best).or(self.best.as_ref()).or(first);
        report.set_item("best", best.map(|best| PyBytes::new(py, best)))?;
        report.set_item("before", sizes(outcome.map_or(self.before, |outcome| outcome.before)))?;
        report.set_item("after", sizes(outcome.map_or(self.size, |outcome| outcome.after)))?;
        report.set_item("seconds", self.start.elapsed().as_secs_f64())?;
        report.set_item("steps", self.steps.clone())?;
        report.set_item("notes", self.notes.clone())?;
        report.set_item("probes", outcome.map_or(self.probes, |outcome| outcome.counts.probes))?;
        let proof = if self.is_left { "earlier" } else { proof(outcome.map(|outcome| outcome.proof)) };
        report.set_item("proof", proof)?;
        report.set_item("proven", outcome.map_or_else(Vec::new, |outcome| parts(outcome.proof)))?;
        let Some(outcome) = outcome else { return Ok(report) };
        report.set_item("runs", outcome.runs)?;
        report.set_item("interesting", outcome.counts.interesting)?;
        report.set_item("unresolved", outcome.counts.unresolved)?;
        report.set_item("cached", outcome.counts.cached + outcome.counts.alike)?;
        report.set_item("unparsable", outcome.counts.rejected)?;
        report.set_item("test_seconds", outcome.oracle_time.as_secs_f64())?;
        let passes = PyList::empty(py);
        for pass in &outcome.passes {
            passes.append((&pass.name, pass.runs, pass.probes, pass.accepted, pass.tokens, pass.bytes))?;
        }
        report.set_item("passes", passes)?;
        Ok(report)
    }
}

/// Returns the kind of a proof.
fn proof(proof: Option<Proof>) -> &'static str {
    match proof {
        Some(Proof::OneMinimal { .. }) => "1-minimal",
        Some(Proof::Stopped(nubbin_reduce::StopReason::Probes)) => "probes",
        Some(Proof::Stopped(nubbin_reduce::StopReason::Size)) => "size",
        Some(Proof::Dry) => "dry",
        Some(Proof::Interrupted) | None => "interrupted",
    }
}

/// Returns the parts covered by a proof, with their numbers.
fn parts(proof: Proof) -> Vec<(&'static str, usize)> {
    // Functions test texts, which have no command-line options.
    let Proof::OneMinimal { files, nodes, tokens, lines, characters, bytes, pairs, .. } = proof else {
        return Vec::new();
    };
    let all = [
        ("files", files),
        ("nodes", nodes),
        ("tokens", tokens),
        ("lines", lines),
        ("characters", characters),
        ("bytes", bytes),
        ("pairs", pairs),
    ];
    all.into_iter().filter(|(_, number)| *number > 0).collect()
}
