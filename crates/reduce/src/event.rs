//! Defines the events of a reduction and the sink that receives them.
//!
//! Other modules print them.

use nubbin_search::Verdict;
use nubbin_syntax::edit::Edit;

/// The size of an input in three units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    /// The number of words and single punctuation characters (`\w+|[^\w\s]`), counted in the same way for all
    /// languages.
    pub tokens: usize,
    /// The number of bytes.
    pub bytes: usize,
    /// The number of lines that are not blank.
    pub lines: usize,
}

/// The number of candidates by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of candidates that the oracle decided: each in one run, or in several runs if the oracle is flaky.
    pub probes: usize,
    /// The number of candidates whose verdict was cached.
    pub cached: usize,
    /// The number of candidates whose verdict is that of a candidate which differs only in whitespace between tokens.
    pub alike: usize,
    /// The number of candidates that do not parse and were rejected without a probe.
    pub rejected: usize,
    /// The number of interesting probes.
    pub interesting: usize,
    /// The number of unresolved probes.
    pub unresolved: usize,
}

/// An event of a reduction.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// The unchanged input is interesting, and the reduction begins.
    Started {
        /// The size of the input.
        size: Size,
    },
    /// A pass begins.
    Pass {
        /// The name of the pass.
        name: &'a str,
        /// The number of proposed deltas.
        deltas: usize,
    },
    /// A probe has ended.
    Probed {
        /// The verdict of the probe.
        verdict: Verdict,
        /// The counts, including this probe.
        counts: Counts,
    },
    /// The current best has changed. It is on disk when this event arrives.
    Accepted {
        /// The pass that found the new best.
        pass: &'a str,
        /// The edits that turn the previous best into the new one: sorted and disjoint, with positions in the previous
        /// best.
        edits: &'a [Edit],
        /// The size of the new best.
        size: Size,
        /// The bytes of the new best.
        best: &'a [u8],
    },
    /// The oracle is flaky, or may be. The failure rate of the unchanged input was measured, and every candidate is now
    /// run several times.
    Measured {
        /// The number of runs that showed the failure.
        interesting: usize,
        /// The total number of runs.
        runs: usize,
    },
    /// The current best failed less often than required. An earlier best replaces it, and is on disk when this event
    /// arrives.
    Undone {
        /// The number of reverted steps.
        steps: usize,
        /// The size of the earlier best.
        size: Size,
        /// The bytes of the earlier best.
        best: &'a [u8],
    },
    /// A message for the user.
    Note {
        /// The sentence, without a final period.
        text: &'a str,
    },
}

/// Receives the events of one reduction, in order, on the thread that runs it.
pub trait Sink {
    /// Takes one event.
    fn event(&mut self, event: Event<'_>);
}

impl<F: FnMut(Event<'_>)> Sink for F {
    fn event(&mut self, event: Event<'_>) {
        self(event);
    }
}
