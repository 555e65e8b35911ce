//! Observers, which see the runs of a command, beside the caller that asked for them.
//!
//! Looking changes nothing: neither verdicts nor the order of probes may depend on it.

use super::CommandRun;
use std::fmt;

/// Sees every run of a [`CommandOracle`](super::CommandOracle) that has finished.
pub trait Observer: Send + Sync + fmt::Debug {
    /// Takes one run, on the thread that has made it, before its verdict is used; so it should take its time elsewhere.
    ///
    /// A candidate that runs into the time limit is run once more, and then there are two of them.
    /// Runs that were interrupted are not told, nor what is known without a run.
    fn ran(&self, candidate: &[u8], run: &CommandRun);
}
