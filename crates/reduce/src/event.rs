//! The events of a reduction, as data, and the sink that they are sent to.
//!
//! It does not print: what a person sees is made from these events elsewhere.

use nubbin_search::Verdict;
use nubbin_syntax::edit::Edit;

/// The size of an input, in the three units that people compare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    /// Words and single punctuation characters (`\w+|[^\w\s]`), in any language alike.
    pub tokens: usize,
    /// Bytes.
    pub bytes: usize,
    /// Lines that hold more than blanks.
    pub lines: usize,
}

/// The numbers of candidates, by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Candidates that the oracle decided about, each by one run or, where it does not repeat itself, by several.
    pub probes: usize,
    /// Candidates whose verdict was known already.
    pub cached: usize,
    /// Candidates that differ only in the blanks between tokens from one whose verdict was known already.
    pub alike: usize,
    /// Candidates that the syntax filter rejected without a probe.
    pub rejected: usize,
    /// Probes that found the failure.
    pub interesting: usize,
    /// Probes that could not tell.
    pub unresolved: usize,
}

/// One thing that happened.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// The unchanged input has proven interesting; the reduction begins.
    Started {
        /// Size of the input.
        size: Size,
    },
    /// A pass begins to propose.
    Pass {
        /// Its name.
        name: &'a str,
        /// The number of deltas that it has proposed.
        deltas: usize,
    },
    /// The oracle has run once.
    Probed {
        /// Its verdict.
        verdict: Verdict,
        /// All counts, this probe included.
        counts: Counts,
    },
    /// There is a new best; it is on disk when this arrives.
    Accepted {
        /// The pass that found it.
        pass: &'a str,
        /// The edits that make it of the best before it: sorted and disjoint, in terms of that one's bytes.
        edits: &'a [Edit],
        /// Its size.
        size: Size,
        /// Its bytes.
        best: &'a [u8],
    },
    /// The oracle does not repeat itself, or might not: how often the unchanged input fails was measured, and every
    /// candidate is now run several times.
    Measured {
        /// The number of runs that found the failure.
        interesting: usize,
        /// The number of all runs.
        runs: usize,
    },
    /// The best did not fail as often as it should: an older one is the best again, and on disk when this arrives.
    Undone {
        /// The number of steps that are void.
        steps: usize,
        /// The older best's size.
        size: Size,
        /// Its bytes.
        best: &'a [u8],
    },
    /// Something that the user should know, in a sentence.
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
