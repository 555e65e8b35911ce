//! Defines the events of a reduction as data, and the sink that receives them.
//!
//! It does not print; other modules show events to people.

use nubbin_search::Verdict;
use nubbin_syntax::edit::Edit;

/// The size of an input, in the three units that people compare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    /// The number of words and single punctuation characters (`\w+|[^\w\s]`), the same for all languages.
    pub tokens: usize,
    /// The number of bytes.
    pub bytes: usize,
    /// The number of lines that hold more than blanks.
    pub lines: usize,
}

/// The numbers of candidates, by their outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of candidates that the oracle decided about: each by one run, or by several if the oracle does not
    /// repeat itself.
    pub probes: usize,
    /// The number of candidates whose verdict was known already.
    pub cached: usize,
    /// The number of candidates whose verdict was known from a candidate that differs only in the blanks between
    /// tokens.
    pub alike: usize,
    /// The number of candidates that the syntax filter rejected without a probe.
    pub rejected: usize,
    /// The number of probes that found the failure.
    pub interesting: usize,
    /// The number of probes whose verdict is unresolved.
    pub unresolved: usize,
}

/// An event of a reduction.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// The unchanged input is interesting; the reduction begins.
    Started {
        /// Size of the input.
        size: Size,
    },
    /// A pass begins to propose.
    Pass {
        /// The name of the pass.
        name: &'a str,
        /// The number of deltas that the pass has proposed.
        deltas: usize,
    },
    /// The oracle has run once.
    Probed {
        /// The verdict of the run.
        verdict: Verdict,
        /// All counts, this probe included.
        counts: Counts,
    },
    /// There is a new best. It is on disk when this event arrives.
    Accepted {
        /// The pass that found it.
        pass: &'a str,
        /// The edits that turn the best before it into the new best: sorted and disjoint, with positions in the old
        /// best.
        edits: &'a [Edit],
        /// The size of the new best.
        size: Size,
        /// The bytes of the new best.
        best: &'a [u8],
    },
    /// The oracle does not repeat itself, or might not. The share of failing runs of the unchanged input was measured,
    /// and every candidate is now run several times.
    Measured {
        /// The number of runs that found the failure.
        interesting: usize,
        /// The number of all runs.
        runs: usize,
    },
    /// The best did not fail as often as it should. An older one is the best again, and it is on disk when this event
    /// arrives.
    Undone {
        /// The number of steps that no longer count.
        steps: usize,
        /// The size of the older best.
        size: Size,
        /// The bytes of the older best.
        best: &'a [u8],
    },
    /// A message that the user should know.
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
