//! Tests of candidates that are bytes: what each has in common, and wrappers that remember and repeat.
//!
//! It runs nothing by itself: a test is a closure, or comes from elsewhere.

mod recorded;
mod repeated;
mod sequential;

use crate::Verdict;
use crate::schedule::Name;
use std::error::Error;
use std::fmt;
use std::sync::atomic::AtomicBool;

pub use recorded::{Record, Recorded};
pub use repeated::{Decision, Repeated, Trials};
pub use sequential::{Care, Confidence, LeastRate, Rate, Sequential};

/// The reason for which a test gave no verdict.
#[derive(Debug)]
pub enum NoVerdict {
    /// The user asked to stop while the probe ran.
    Interrupted,
    /// The test could not be run, for the reason that is inside.
    Failed(Box<dyn Error + Send + Sync>),
}

impl fmt::Display for NoVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interrupted => f.write_str("interrupted"),
            Self::Failed(reason) => reason.fmt(f),
        }
    }
}

impl Error for NoVerdict {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Interrupted => None,
            Self::Failed(reason) => reason.source(),
        }
    }
}

/// Decides about a candidate.
pub trait Oracle {
    /// Runs the test once on `candidate`.
    ///
    /// # Errors
    /// Returns an error if the test itself could not be run, or the run was interrupted; that is no verdict, and the
    /// reduction stops with the best it has.
    fn probe(&self, candidate: &[u8]) -> Result<Verdict, NoVerdict>;

    /// Runs the test once, or ends it early with [`NoVerdict::Interrupted`] when `cancelled` is set meanwhile.
    ///
    /// # Errors
    /// Returns the same errors as [`probe`](Self::probe).
    fn probe_unless(&self, candidate: &[u8], cancelled: &AtomicBool) -> Result<Verdict, NoVerdict> {
        let _ = cancelled;
        self.probe(candidate)
    }

    /// The number of probes that are of use at once as things are, where it is not as many as the run began with.
    fn room(&self) -> Option<usize> {
        None
    }

    /// The verdict on the candidate of this name, where it is known without a run.
    fn recall(&self, name: &Name) -> Option<Verdict> {
        let _ = name;
        None
    }

    /// Takes note that the verdict on this candidate was known, and that it counts as a probe without a run.
    fn recalled(&self, candidate: &[u8], verdict: Verdict) {
        let _ = (candidate, verdict);
    }

    /// The verdict that counts, of the one that was given: it comes here in the order in which the search asks, at any number
    /// of jobs, so it may depend on what was found before.
    ///
    /// # Errors
    /// Returns the same errors as [`probe`](Self::probe).
    fn counted(&self, candidate: &[u8], verdict: Verdict) -> Result<Verdict, NoVerdict> {
        let _ = candidate;
        Ok(verdict)
    }

    /// Says that the next probe of this candidate wants a new verdict, not the one that is known.
    fn ask_again(&self, name: &Name) {
        let _ = name;
    }
}

impl<F: Fn(&[u8]) -> Verdict> Oracle for F {
    fn probe(&self, candidate: &[u8]) -> Result<Verdict, NoVerdict> {
        Ok(self(candidate))
    }
}
