//! Weight-balanced bisection: remove everything, otherwise each half separately, and so on down to single
//! circumstances.

use super::{Search, balance};
use crate::Verdict;
use std::ops::Range;
use std::sync::Arc;

/// Bisection over weighted circumstances, repeated until a complete descent finds nothing.
///
/// The result is 1-minimal. For n circumstances, a descent needs at most 2·n − 1 probes, and about 2·k·log₂(n
/// / k) if k independent circumstances are needed. There are at most n + 1 descents, usually two.
///
/// Halves are balanced by weight, as in weighted delta debugging (Zhou and others, ICSE 2025). The later half
/// is tested first, since later parts depend on earlier ones more often than the reverse.
#[derive(Clone, Debug)]
pub struct Bisect {
    weights: Arc<[u32]>,
    kept: Arc<[u32]>,
    /// Ranges of `kept` that are still to be tested; the next one is last.
    stack: Vec<Range<u32>>,
    /// The ranges of `kept` that this descent has removed.
    gone: Vec<Range<u32>>,
}

impl Bisect {
    /// Bisects circumstances with these weights.
    #[must_use]
    pub fn new(weights: Vec<u32>) -> Self {
        let kept: Arc<[u32]> = (0..weights.len() as u32).collect();
        let mut search = Self { weights: weights.into(), kept, stack: Vec::new(), gone: Vec::new() };
        search.descend();
        search
    }

    fn descend(&mut self) {
        if !self.kept.is_empty() {
            self.stack.push(0..self.kept.len() as u32);
        }
    }

    /// At the end of a descent, applies its removals, and starts another descent if there were any.
    fn settle(&mut self) {
        if !self.stack.is_empty() || self.gone.is_empty() {
            return;
        }
        let gone = std::mem::take(&mut self.gone);
        let stays = |i: &u32| !gone.iter().any(|range| range.contains(i));
        self.kept = (0..self.kept.len() as u32).filter(stays).map(|i| self.kept[i as usize]).collect();
        self.descend();
    }
}

impl Search for Bisect {
    fn next(&self) -> Option<Vec<u32>> {
        let range = self.stack.last()?;
        Some(self.kept[range.start as usize..range.end as usize].to_vec())
    }

    fn advance(&mut self, verdict: Verdict) {
        let range = self.stack.pop().expect("a verdict answers a question");
        if verdict.is_interesting() {
            self.gone.push(range);
        } else if range.len() > 1 {
            let weights: Vec<u32> =
                range.clone().map(|i| self.weights[self.kept[i as usize] as usize]).collect();
            let cut = range.start + balance(&weights) as u32;
            self.stack.push(range.start..cut);
            self.stack.push(cut..range.end);
        }
        self.settle();
    }
}
