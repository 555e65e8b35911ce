//! Oracles: tests of candidates that are bytes, and wrappers that record and repeat them.
//!
//! This module runs nothing itself. An oracle is a closure or an implementation from another crate.

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

/// The reason why a test gave no verdict.
#[derive(Debug)]
pub enum NoVerdict {
    /// The user requested a stop while the probe ran.
    Interrupted,
    /// The test could not be run, for this reason.
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

/// Decides whether a candidate is interesting.
pub trait Oracle {
    /// Runs the test once on `candidate`.
    ///
    /// # Errors
    /// Returns an error if the test could not be run or was interrupted. This is not a verdict: the reduction
    /// stops and keeps the current best.
    fn probe(&self, candidate: &[u8]) -> Result<Verdict, NoVerdict>;

    /// Runs the test once, but ends it early with [`NoVerdict::Interrupted`] if `cancelled` is set while it
    /// runs.
    ///
    /// # Errors
    /// Returns the same errors as [`probe`](Self::probe).
    fn probe_unless(&self, candidate: &[u8], cancelled: &AtomicBool) -> Result<Verdict, NoVerdict> {
        let _ = cancelled;
        self.probe(candidate)
    }

    /// Returns how many concurrent probes are currently useful, or `None` for the number that the run was
    /// started with.
    fn room(&self) -> Option<usize> {
        None
    }

    /// Returns the verdict on the candidate with this name if it is known without a run.
    fn recall(&self, name: &Name) -> Option<Verdict> {
        let _ = name;
        None
    }

    /// Reports that a known verdict was used for this candidate. It counts as a probe without a run.
    fn recalled(&self, candidate: &[u8], verdict: Verdict) {
        let _ = (candidate, verdict);
    }

    /// Returns the verdict that counts for this candidate, usually `verdict` itself.
    ///
    /// This is called in the order in which the search asks, regardless of the number of jobs, so the result
    /// may depend on earlier finds.
    ///
    /// # Errors
    /// Returns the same errors as [`probe`](Self::probe).
    fn counted(&self, candidate: &[u8], verdict: Verdict) -> Result<Verdict, NoVerdict> {
        let _ = candidate;
        Ok(verdict)
    }

    /// Requires the next probe of this candidate to produce a new verdict instead of the known one.
    fn ask_again(&self, name: &Name) {
        let _ = name;
    }
}

impl<F: Fn(&[u8]) -> Verdict> Oracle for F {
    fn probe(&self, candidate: &[u8]) -> Result<Verdict, NoVerdict> {
        Ok(self(candidate))
    }
}
