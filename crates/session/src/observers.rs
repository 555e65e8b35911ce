//! Several who look at the runs of the oracle, as one.
//!
//! Each of them draws its own conclusions.

use nubbin_oracle::{CommandRun, Observer};
use std::sync::Arc;

/// Returns all of them, in order; none where there are none, so that no output is read for nobody.
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
