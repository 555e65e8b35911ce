//! Verdicts by content.

use crate::verdict::Verdict;
use std::collections::HashMap;

/// Remembers the verdict on every candidate that was not interesting, by a hash of its bytes.
///
/// An interesting candidate becomes the best, and no candidate as large as the best is ever made again.
#[derive(Clone, Debug, Default)]
pub struct Cache {
    verdicts: HashMap<blake3::Hash, Verdict>,
}

impl Cache {
    /// What is known of a candidate.
    #[must_use]
    pub fn get(&self, candidate: &[u8]) -> Option<Verdict> {
        self.verdicts.get(&blake3::hash(candidate)).copied()
    }

    /// Remembers a verdict.
    pub fn insert(&mut self, candidate: &[u8], verdict: Verdict) {
        if !verdict.is_interesting() {
            self.verdicts.insert(blake3::hash(candidate), verdict);
        }
    }
}
