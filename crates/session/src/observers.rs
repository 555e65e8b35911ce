//! Combines several observers of the runs of the oracle.

use nubbin_oracle::{CommandRun, Observer};
use std::sync::Arc;

/// Combines observers in order. Returns `None` if there are none, so that output is not collected unnecessarily.
pub fn all(observers: &[Arc<dyn Observer>]) -> Option<Arc<dyn Observer>> {
    match observers {
        [] => None,
        [one] => Some(Arc::clone(one)),
        several => Some(Arc::new(All(several.to_vec()))),
    }
}

#[derive(Debug)]
struct All(Vec<Arc<dyn Observer>>);

impl Observer for All {
    fn ran(&self, candidate: &[u8], run: &CommandRun) {
        for observer in &self.0 {
            observer.ran(candidate, run);
        }
    }
}
