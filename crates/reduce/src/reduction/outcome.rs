//! Defines the outcome of a reduction: the best, its cost, and its proof.

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
    /// The size of the best.
    pub after: Size,
    /// The number of probes, and the numbers of other candidates by their outcome.
    pub counts: Counts,
    /// The spans of the best that [had to stay](crate::Reduction::keep).
    pub kept: Vec<Span>,
    /// The proof about the best, or the reason why there is none.
    pub proof: Proof,
    /// The gain and the cost of each pass, in the order of their first run.
    pub passes: Vec<PassReport>,
    /// The wall time of the whole reduction.
    pub elapsed: Duration,
    /// The part of that time that was spent waiting for the oracle.
    pub oracle_time: Duration,
    /// The number of runs of the oracle, including runs ahead of the search that were not needed.
    pub started: usize,
    /// The number of all runs of the oracle. It is larger than `started` if candidates take several runs each, or if
    /// the rate of the unchanged input is measured.
    pub runs: usize,
    /// The number of probes without a run: the [record](crate::Reduction::record) knew their verdicts.
    pub recalled: usize,
    /// The rates at which the oracle finds the failure, if it does not repeat itself.
    pub flaky: Option<Flakiness>,
    /// The passes that were [switched off](crate::Switches) in the end, or skipped on the final best.
    pub skipped: Vec<&'static str>,
    /// Is true if the proof tried of many equal parts in a row only the first and the last alone, and otherwise halves of them.
    pub is_thinned: bool,
}

/// The facts about an oracle that does not repeat itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flakiness {
    /// The rate at which it found the failure in the unchanged input.
    pub input: Rate,
    /// The confidence of each verdict.
    pub confidence: Confidence,
    /// The rate at which it found the failure in the best that was confirmed last.
    pub best: Rate,
}

/// The proof about the best, or the reason why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Each of these parts was removed alone from the final best, and the failure disappeared.
    OneMinimal {
        /// The number of files and directories.
        files: usize,
        /// The number of syntax nodes.
        nodes: usize,
        /// The number of tokens.
        tokens: usize,
        /// The number of lines, for an input in no known language, or if lines are the finest
        /// [unit](crate::Reduction::units).
        lines: usize,
        /// The number of characters, if they are the finest unit.
        characters: usize,
        /// The number of bytes, for an input in no known language, or if bytes are the finest unit.
        bytes: usize,
        /// The number of pairs of nodes and tokens, if all of them were tried that fit the grammar.
        pairs: usize,
        /// The number of options, for the [options of a command](crate::Reduction::option_list).
        options: usize,
        /// The number of parts of lists in these options.
        option_parts: usize,
    },
    /// The run was interrupted before the final sweep was complete.
    Interrupted,
    /// A bound ended the run before the final sweep was complete.
    Stopped(StopReason),
    /// Every pass is dry, but the passes that remove single parts were [left out](crate::Reduction::passes).
    Dry,
}

impl Proof {
    /// Tells whether the run ended early and can be continued.
    #[must_use]
    pub fn is_cut_short(self) -> bool {
        matches!(self, Self::Interrupted | Self::Stopped(_))
    }
}

/// The gain and the cost of one pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassReport {
    /// The name of the pass.
    pub name: String,
    /// The number of times that the pass ran.
    pub runs: usize,
    /// The number of its probes.
    pub probes: usize,
    /// The number of its probes that succeeded.
    pub accepted: usize,
    /// The number of tokens that it removed.
    pub tokens: usize,
    /// The number of bytes that it removed.
    pub bytes: usize,
}

/// Returns the proof of a sweep, from the number of questions of each of its passes that the oracle has answered.
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

/// Adds two sets of counts.
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
