//! The reasons why a reduction ends without an outcome.

use nubbin_search::Verdict;
use nubbin_search::oracle::{self, Rate};

/// The reason why a reduction could not be done, or could not be completed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The unchanged input does not fail.
    #[error("the unreduced input is not interesting")]
    NotInteresting(Verdict),
    /// The oracle accepts the empty input.
    #[error("the empty input is interesting")]
    EmptyIsInteresting,
    /// The input is too large to be numbered.
    #[error("the input has {0} bytes; at most 4 GiB can be reduced")]
    TooLarge(usize),
    /// The oracle does not give the same verdict on the same input each time.
    #[error("the oracle does not repeat itself: interesting in {} of {} runs", rate.interesting, rate.runs)]
    Flaky {
        /// The rate at which it found the failure.
        rate: Rate,
        /// Is true if this was found for the best so far, which is kept, and not for the unchanged input.
        reduced: bool,
    },
    /// The oracle could not be run.
    #[error(transparent)]
    Oracle(#[from] oracle::NoVerdict),
    /// The best could not be written.
    #[error("cannot write the best: {0}")]
    Write(#[from] std::io::Error),
}
