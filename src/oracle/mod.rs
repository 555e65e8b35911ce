//! Running the user's test: closures and commands, and how each says what it saw.
//!
//! It knows bytes and processes only: no trees, no passes, no edits.

pub mod command;
mod descent;
mod error;
mod filter;
mod home;
mod lab;
pub mod limits;
mod observer;
mod patience;
mod pause;
mod process;
pub mod protocol;
mod recorded;
mod repeated;
mod sequential;
mod start;
pub mod surroundings;
pub mod trace;
pub mod warden;

use crate::verdict::Verdict;
use std::sync::atomic::AtomicBool;

pub use command::{CommandOracle, Run, Shape};
pub use error::Error;
pub use filter::{Filter, FilterError};
pub use limits::{Confinement, Limit, Limits, Sandbox};
pub use observer::Observer;
pub use pause::Pause;
pub use protocol::{Matcher, Protocol, Status};
pub use recorded::{Record, Recorded};
pub use repeated::{Decision, Repeated, Trials};
pub use sequential::{Care, Confidence, Rate, Sequential};
pub use surroundings::Surroundings;
pub use trace::{Trace, Tracing};
pub use warden::Helper;

/// Decides about a candidate.
pub trait Oracle {
    /// Runs the test once on `candidate`.
    ///
    /// # Errors
    /// When the test itself could not be run, or the run was interrupted; that is no verdict, and the reduction stops with the best it has.
    fn probe(&self, candidate: &[u8]) -> Result<Verdict, Error>;

    /// Runs the test once, or ends it early with [`Error::Interrupted`] when `cancelled` is set meanwhile.
    ///
    /// # Errors
    /// As [`probe`](Self::probe).
    fn probe_unless(&self, candidate: &[u8], cancelled: &AtomicBool) -> Result<Verdict, Error> {
        let _ = cancelled;
        self.probe(candidate)
    }

    /// The verdict on the candidate of this name, the blake3 hash of its bytes, where it is known without a run.
    fn recall(&self, name: &blake3::Hash) -> Option<Verdict> {
        let _ = name;
        None
    }

    /// Takes note that the verdict on this candidate was known, and that it counts as a probe without a run.
    fn recalled(&self, candidate: &[u8], verdict: Verdict) {
        let _ = (candidate, verdict);
    }

    /// Says that the next probe of this candidate wants a new verdict, not the one that is known.
    fn ask_again(&self, name: &blake3::Hash) {
        let _ = name;
    }
}

impl<F: Fn(&[u8]) -> Verdict> Oracle for F {
    fn probe(&self, candidate: &[u8]) -> Result<Verdict, Error> {
        Ok(self(candidate))
    }
}
