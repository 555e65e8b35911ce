//! Defines the errors of a reduction.

use nubbin_search::Verdict;
use nubbin_search::oracle::{self, Rate};

/// The reason why a reduction failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The unchanged input does not show the failure.
    #[error("the unchanged input is not interesting")]
    NotInteresting(Verdict),
    /// The oracle accepts the empty input.
    #[error("the empty input is interesting")]
    EmptyIsInteresting,
    /// The input is too large for 32-bit positions.
    #[error("the input has {0} bytes; at most 4 GiB can be reduced")]
    TooLarge(usize),
    /// The oracle gives different verdicts on the same input.
    #[error("the oracle is flaky: interesting in {} of {} runs", rate.interesting, rate.runs)]
    Flaky {
        /// The measured failure rate.
        rate: Rate,
        /// Whether this was found for the current best, which is kept, instead of the unchanged input.
        reduced: bool,
    },
    /// The oracle could not be run.
    #[error(transparent)]
    Oracle(#[from] oracle::NoVerdict),
    /// The current best could not be written.
    #[error("cannot write the current best: {0}")]
    Write(#[from] std::io::Error),
}
