//! Defines the outcome of a reduction: the result, its cost, and its proof.

use super::StopReason;
use crate::event::{Counts, Size};
use crate::pass::PartKind;
use nubbin_search::oracle::{Confidence, Rate};
use nubbin_syntax::edit::Span;
use std::time::Duration;

/// The outcome of a reduction.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The smallest interesting input found.
    pub best: Vec<u8>,
    /// The size of the input.
    pub before: Size,
    /// The size of the result.
    pub after: Size,
    /// The number of probes, and of other candidates by outcome.
    pub counts: Counts,
    /// The [kept spans](crate::Reduction::keep), as positions in the result.
    pub kept: Vec<Span>,
    /// What is proven about the result.
    pub proof: Proof,
    /// The gain and the cost of each pass, in the order of their first run.
    pub passes: Vec<PassReport>,
    /// The wall time of the whole reduction.
    pub elapsed: Duration,
    /// The part of that time spent waiting for the oracle.
    pub oracle_time: Duration,
    /// The number of runs of the oracle, including speculative runs that were not needed.
    pub started: usize,
    /// The total number of runs of the oracle. It is larger than `started` if candidates take several runs each, or if
    /// the failure rate of the unchanged input was measured.
    pub runs: usize,
    /// The number of probes whose verdicts the [record](crate::Reduction::record) knew.
    pub recalled: usize,
    /// The failure rates, if the oracle is flaky.
    pub flaky: Option<Flakiness>,
    /// The passes that were [switched off](crate::Switches) at the end, or skipped on the result.
    pub skipped: Vec<&'static str>,
    /// Whether the proof tried only the first and the last of many equal adjacent parts alone, and otherwise halves of
    /// them.
    pub is_thinned: bool,
}

/// What is known about a flaky oracle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flakiness {
    /// The failure rate of the unchanged input.
    pub input: Rate,
    /// The confidence of each verdict.
    pub confidence: Confidence,
    /// The failure rate of the text that was confirmed last.
    pub best: Rate,
}

/// What is proven about the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Each of these parts was deleted alone from the result, and the failure disappeared.
    OneMinimal {
        /// The number of files and directories.
        files: usize,
        /// The number of syntax nodes.
        nodes: usize,
        /// The number of tokens.
        tokens: usize,
        /// The number of lines, for an input in an unknown language, or if lines are the finest
        /// [unit](crate::Reduction::units).
        lines: usize,
        /// The number of characters, if they are the finest unit.
        characters: usize,
        /// The number of bytes, for an input in an unknown language, or if bytes are the finest unit.
        bytes: usize,
        /// The number of pairs of nodes and tokens, if all pairs that can be deleted without syntax errors were tried.
        pairs: usize,
        /// The number of options, for the [options of a command](crate::Reduction::option_list).
        options: usize,
        /// The number of list elements in these options.
        option_parts: usize,
    },
    /// The run was interrupted before the final sweep was complete.
    Interrupted,
    /// A limit ended the run before the final sweep was complete.
    Stopped(StopReason),
    /// All passes are exhausted, but the passes that delete single parts were [excluded](crate::Reduction::passes).
    Dry,
}

impl Proof {
    /// Returns whether the run ended early and can be resumed.
    #[must_use]
    pub fn is_cut_short(self) -> bool {
        matches!(self, Self::Interrupted | Self::Stopped(_))
    }
}

/// The gain and the cost of a pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassReport {
    /// The name of the pass.
    pub name: String,
    /// The number of times that the pass ran.
    pub runs: usize,
    /// The number of probes.
    pub probes: usize,
    /// The number of interesting probes.
    pub accepted: usize,
    /// The number of tokens that it removed.
    pub tokens: usize,
    /// The number of bytes that it removed.
    pub bytes: usize,
}

/// Returns the proof of a sweep, given the number of questions of each pass that the oracle has answered.
pub(super) fn proven(judged: &[(Option<PartKind>, usize)]) -> Proof {
    let of = |part| judged.iter().filter(|(of, _)| *of == Some(part)).map(|(_, judged)| judged).sum();
    Proof::OneMinimal {
        files: of(PartKind::File),
        nodes: of(PartKind::Node),
        tokens: of(PartKind::Token),
        lines: of(PartKind::Line),
        characters: of(PartKind::Character),
        bytes: of(PartKind::Byte),
        pairs: of(PartKind::Pair),
        options: of(PartKind::Option),
        option_parts: of(PartKind::OptionPart),
    }
}

impl Outcome {
    /// Returns the outcome before the first turn.
    pub(super) fn nothing(best: Vec<u8>, before: Size) -> Self {
        Self {
            best,
            before,
            after: before,
            kept: Vec::new(),
            counts: Counts::default(),
            proof: Proof::Interrupted,
            passes: Vec::new(),
            elapsed: Duration::ZERO,
            oracle_time: Duration::ZERO,
            started: 0,
            runs: 0,
            recalled: 0,
            flaky: None,
            skipped: Vec::new(),
            is_thinned: false,
        }
    }

    /// Adds the cost and the gain of a turn.
    pub(super) fn add(&mut self, turn: &Self) {
        self.counts = sum(self.counts, turn.counts);
        for report in &turn.passes {
            let known = self.passes.iter().position(|known| known.name == report.name);
            let at = known.unwrap_or_else(|| {
                self.passes.push(PassReport { name: report.name.clone(), ..PassReport::default() });
                self.passes.len() - 1
            });
            let known = &mut self.passes[at];
            known.runs += report.runs;
            known.probes += report.probes;
            known.accepted += report.accepted;
            known.tokens += report.tokens;
            known.bytes += report.bytes;
        }
        self.oracle_time += turn.oracle_time;
        self.started += turn.started;
        self.runs += turn.runs;
        self.recalled += turn.recalled;
        self.is_thinned |= turn.is_thinned;
        self.flaky = turn.flaky.or(self.flaky);
        for name in &turn.skipped {
            if !self.skipped.contains(name) {
                self.skipped.push(name);
            }
        }
    }
}

pub(super) fn sum(one: Counts, other: Counts) -> Counts {
    Counts {
        probes: one.probes + other.probes,
        cached: one.cached + other.cached,
        alike: one.alike + other.alike,
        rejected: one.rejected + other.rejected,
        interesting: one.interesting + other.interesting,
        unresolved: one.unresolved + other.unresolved,
    }
}
