//! Running the user's test: closures and commands, and how each says what it saw.
//!
//! It knows bytes and processes only: no trees, no passes, no edits.

use crate::verdict::Verdict;

/// Decides about a candidate.
pub trait Oracle {
    /// Runs the test once on `candidate`.
    ///
    /// # Errors
    /// When the test itself could not be run, or the run was interrupted; that is no verdict, and the reduction stops with the best it has.
    fn probe(&self, candidate: &[u8]) -> Result<Verdict, Error>;
}

/// Why an oracle could not be run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The user asked to stop while the probe ran.
    #[error("interrupted")]
    Interrupted,
}

impl<F: Fn(&[u8]) -> Verdict> Oracle for F {
    fn probe(&self, candidate: &[u8]) -> Result<Verdict, Error> {
        Ok(self(candidate))
    }
}
