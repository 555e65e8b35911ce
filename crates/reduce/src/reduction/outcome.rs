//! What a reduction comes to: the best, what it cost, and what is proven of it.

use super::Stop;
use crate::event::{Counts, Size};
use crate::pass::Part;
use nubbin_search::oracle::{Confidence, Rate};
use nubbin_syntax::edit::Span;
use std::time::Duration;

/// What a reduction came to.
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
    /// Where in the best is what [had to stay](crate::Reduction::keep).
    pub kept: Vec<Span>,
    /// What was proven about the best, or why nothing could be.
    pub proof: Proof,
    /// What each pass brought and cost, in the order of their first run.
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
    /// How many of the probes were no runs: the [record](crate::Reduction::record) knew their verdicts.
    pub recalled: usize,
    /// Where the oracle does not repeat itself, how often it finds the failure.
    pub flaky: Option<Flakiness>,
    /// The passes that were [switched off](crate::Switches) in the end, or skipped on the final best.
    pub skipped: Vec<&'static str>,
}

/// What is known of an oracle that does not repeat itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flakiness {
    /// How often it found the failure in the unchanged input.
    pub input: Rate,
    /// How sure each verdict is.
    pub confidence: Confidence,
    /// How often it found the failure in the best that was confirmed last.
    pub best: Rate,
}

/// What is known about the best in the end.
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
    /// Whether the run ended before it was through, and can go on.
    #[must_use]
    pub fn is_cut_short(self) -> bool {
        matches!(self, Self::Interrupted | Self::Stopped(_))
    }
}

/// What one pass brought and cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassReport {
    /// Its name.
    pub name: String,
    /// How many times it ran.
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

/// What a sweep has proven, by how many questions of each of its passes the oracle has answered.
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
