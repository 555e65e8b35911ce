//! The outcome of a reduction: the best, its cost, and its proof.

use super::Stop;
use crate::event::{Counts, Size};
use crate::pass::Part;
use nubbin_search::oracle::{Confidence, Rate};
use nubbin_syntax::edit::Span;
use std::time::Duration;

/// The outcome of a reduction.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The smallest interesting input found.
    pub best: Vec<u8>,
    /// Size of the input.
    pub before: Size,
    /// Size of the best.
    pub after: Size,
    /// Probes and what became of all other candidates.
    pub counts: Counts,
    /// The spans of the best that [had to stay](crate::Reduction::keep).
    pub kept: Vec<Span>,
    /// The proof about the best, or the reason why there is none.
    pub proof: Proof,
    /// The gain and the cost of each pass, in the order of their first run.
    pub passes: Vec<PassReport>,
    /// Wall time of it all.
    pub elapsed: Duration,
    /// The part of it that was spent waiting for the oracle.
    pub oracle_time: Duration,
    /// Runs of the oracle, those included that were ahead of the search and turned out not to be needed.
    pub started: usize,
    /// All runs of the oracle: more than were started where each candidate takes several, and where the unchanged
    /// input's rate is measured.
    pub runs: usize,
    /// The number of probes that were no runs: the [record](crate::Reduction::record) knew their verdicts.
    pub recalled: usize,
    /// The rates at which the oracle finds the failure, if it does not repeat itself.
    pub flaky: Option<Flakiness>,
    /// The passes that were [switched off](crate::Switches) in the end, or skipped on the final best.
    pub skipped: Vec<&'static str>,
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

/// The knowledge about the best in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Each of these parts was taken away alone from the final best, and the failure went with it.
    OneMinimal {
        /// Files and directories.
        files: usize,
        /// Syntax nodes.
        nodes: usize,
        /// Tokens.
        tokens: usize,
        /// Lines, of an input in no known language, or where they are the finest [unit](crate::Reduction::units).
        lines: usize,
        /// Characters, where they are the finest unit.
        characters: usize,
        /// Bytes, of an input in no known language, or where they are the finest unit.
        bytes: usize,
    },
    /// The run was interrupted before the sweep was through.
    Interrupted,
    /// A bound ended the run before the sweep was through.
    Stopped(Stop),
    /// Every pass that was to run is dry; those that take single parts away were [left out](crate::Reduction::passes).
    Dry,
}

impl Proof {
    /// Tells whether the run ended before it was through, and can go on.
    #[must_use]
    pub fn is_cut_short(self) -> bool {
        matches!(self, Self::Interrupted | Self::Stopped(_))
    }
}

/// The gain and the cost of one pass.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassReport {
    /// Its name.
    pub name: String,
    /// The number of times that it ran.
    pub runs: usize,
    /// Probes that it cost.
    pub probes: usize,
    /// Probes that succeeded.
    pub accepted: usize,
    /// Tokens that it removed.
    pub tokens: usize,
    /// Bytes that it removed.
    pub bytes: usize,
}

/// Returns the proof of a sweep, from the number of questions of each of its passes that the oracle has answered.
pub(super) fn proven(judged: &[(Option<Part>, usize)]) -> Proof {
    let of = |part| judged.iter().filter(|(of, _)| *of == Some(part)).map(|(_, judged)| judged).sum();
    Proof::OneMinimal {
        files: of(Part::File),
        nodes: of(Part::Node),
        tokens: of(Part::Token),
        lines: of(Part::Line),
        characters: of(Part::Character),
        bytes: of(Part::Byte),
    }
}
