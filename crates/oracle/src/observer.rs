//! Observers receive every run of a command, in addition to the caller that requested it.
//!
//! An observer must not influence verdicts or the order of probes.

use super::CommandRun;
use std::fmt;

/// Receives every finished run of a [`CommandOracle`](super::CommandOracle).
pub trait Observer: Send + Sync + fmt::Debug {
    /// Receives one run, before its verdict is used. The call blocks the thread that made the run, so
    /// expensive work belongs on another thread.
    ///
    /// A candidate that reaches the time limit is run again, so it is reported twice. Interrupted runs and
    /// cached results are not reported.
    fn ran(&self, candidate: &[u8], run: &CommandRun);
}
