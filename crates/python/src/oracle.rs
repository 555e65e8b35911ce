//! A test that is written in Python, as an oracle.

use crate::verdict;
use crate::worker::{Trouble, Workers};
use nubbin_oracle::{NoVerdict, Oracle, Verdict};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::atomic::{AtomicBool, Ordering};

/// A Python function that is called with the bytes of a candidate, in the calling thread.
pub struct Function(pub Py<PyAny>);

impl Oracle for Function {
    fn probe(&self, candidate: &[u8]) -> Result<Verdict, NoVerdict> {
        Python::attach(|py| {
            let answer = self.0.bind(py).call1((PyBytes::new(py, candidate),));
            verdict::read(answer, py).map_err(|error| NoVerdict::Failed(Box::new(error)))
        })
    }
}

/// Processes that are called with the bytes of a candidate, several at a time.
pub struct Processes<'w> {
    /// The processes.
    pub workers: &'w Workers,
    /// Is set when the run must end; no further candidates are tested then.
    pub stop: &'w AtomicBool,
}

impl Oracle for Processes<'_> {
    fn probe(&self, candidate: &[u8]) -> Result<Verdict, NoVerdict> {
        self.probe_unless(candidate, &AtomicBool::new(false))
    }

    fn probe_unless(&self, candidate: &[u8], cancelled: &AtomicBool) -> Result<Verdict, NoVerdict> {
        let answer = self.workers.ask_unless(candidate, cancelled);
        answer.map_err(|trouble| match trouble {
            Trouble::Cancelled => NoVerdict::Interrupted,
            _ if self.stop.load(Ordering::Acquire) => NoVerdict::Interrupted,
            trouble => NoVerdict::Failed(Box::new(trouble)),
        })
    }
}
