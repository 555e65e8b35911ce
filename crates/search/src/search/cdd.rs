//! Counter-based delta debugging.

use super::Search;
use crate::Verdict;
use std::sync::Arc;

/// The number of circumstances that go together, by the lowest counter: first about −1 / ln(1 − p), where one is needed
/// with the probability p = 0.1, as the authors assume, then each time 1 − 1/e of that, rounded down.
const SIZES: [usize; 4] = [9, 5, 3, 1];

/// Counter-based delta debugging (CDD; Zhang, Xu, Tian, Cheng and Sun, "Toward a Better Understanding of
/// Probabilistic Delta Debugging", ICSE 2025).
///
/// Each circumstance counts how often it was in a subset that could not go. Those with the lowest counters are asked
/// for next, and the lowest counter says how many: 9, 5, 3, then one alone. One that cannot go alone is decided.
/// No complement is asked for, and no subset twice.
///
/// At most 4·n probes over n circumstances. The result need not be 1-minimal: each circumstance left was tried
/// alone, but perhaps before others went.
#[derive(Clone, Debug)]
pub struct Cdd {
    /// The counters and numbers of what may still go, in ascending order.
    open: Arc<[(u32, u32)]>,
    /// The number of circumstances that were decided to stay.
    decided: usize,
}

impl Cdd {
    /// Counter-based delta debugging over `n` circumstances.
    #[must_use]
    pub fn new(n: u32) -> Self {
        let mut search = Self { open: (0..n).map(|i| (0, i)).collect(), decided: 0 };
        search.pass_over_all();
        search
    }

    /// Returns the number of circumstances that the question is about.
    fn size(&self) -> usize {
        let lowest = self.open.first().map_or(0, |&(counter, _)| counter as usize);
        SIZES[lowest.min(SIZES.len() - 1)].min(self.open.len())
    }

    /// Nobody is asked for the empty configuration.
    fn pass_over_all(&mut self) {
        while self.decided == 0 && !self.open.is_empty() && self.size() == self.open.len() {
            self.count();
        }
    }

    /// Counts that the subset could not go.
    fn count(&mut self) {
        let size = self.size();
        if size == 1 {
            self.open = self.open[1..].into();
            self.decided += 1;
            return;
        }
        let open = self.open.iter().enumerate();
        let mut open: Vec<(u32, u32)> =
            open.map(|(at, &(counter, i))| (counter + u32::from(at < size), i)).collect();
        open.sort_unstable();
        self.open = open.into();
    }
}

impl Search for Cdd {
    fn next(&self) -> Option<Vec<u32>> {
        let mut subset: Vec<u32> = self.open[..self.size()].iter().map(|&(_, i)| i).collect();
        subset.sort_unstable();
        (!subset.is_empty()).then_some(subset)
    }

    fn advance(&mut self, verdict: Verdict) {
        if verdict.is_interesting() {
            self.open = self.open[self.size()..].into();
        } else {
            self.count();
        }
        self.pass_over_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Verdict::{Interesting, Uninteresting};

    #[test]
    fn subsets_become_smaller_as_counters_rise() {
        let mut search = Cdd::new(20);
        let mut asked = Vec::new();
        while let Some(without) = search.next() {
            search.advance(if without.contains(&3) { Uninteresting } else { Interesting });
            asked.push(without);
        }
        let subsets = [
            // The lowest counter is 0; the last subset is filled up with those that have 1.
            (0..9).collect::<Vec<u32>>(),
            (9..18).collect(),
            vec![0, 1, 2, 3, 4, 5, 6, 18, 19],
            // It is 1, then 2, then 3; the last one is the whole configuration, and not asked for.
            vec![0, 7, 8, 18, 19],
            vec![1, 2, 3],
            vec![4, 5, 6],
            vec![1],
            vec![2],
        ];
        assert_eq!(asked, subsets);
    }

    #[test]
    fn a_single_circumstance_is_never_taken_away() {
        assert_eq!((Cdd::new(0).next(), Cdd::new(1).next()), (None, None));
    }
}
