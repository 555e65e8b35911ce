//! Counter-based delta debugging.

use super::Search;
use crate::Verdict;
use std::sync::Arc;

/// The subset sizes, indexed by the lowest counter. The first is about −1 / ln(1 − p), where p = 0.1 is the
/// probability that a circumstance is needed, as assumed by the authors. Each further size is the previous
/// one times 1 − 1/e, rounded down.
const SIZES: [usize; 4] = [9, 5, 3, 1];

/// Counter-based delta debugging (CDD; Zhang, Xu, Tian, Cheng and Sun, "Toward a Better Understanding of
/// Probabilistic Delta Debugging", ICSE 2025).
///
/// Each circumstance counts the subsets containing it that could not be removed. The next question removes
/// the circumstances with the lowest counters; the lowest counter determines how many: 9, 5, 3, then a single
/// one. A circumstance that cannot be removed alone is kept. Complements are not tested, and no subset is
/// tested twice.
///
/// For n circumstances there are at most 4·n probes. The result need not be 1-minimal: each remaining
/// circumstance was tested alone, but possibly before others were removed.
#[derive(Clone, Debug)]
pub struct Cdd {
    /// The counters and numbers of the undecided circumstances, in ascending order.
    open: Arc<[(u32, u32)]>,
    /// The number of circumstances that must stay.
    decided: usize,
}

impl Cdd {
    /// Starts a search over `n` circumstances.
    #[must_use]
    pub fn new(n: u32) -> Self {
        let mut search = Self { open: (0..n).map(|i| (0, i)).collect(), decided: 0 };
        search.pass_over_all();
        search
    }

    fn size(&self) -> usize {
        let lowest = self.open.first().map_or(0, |&(counter, _)| counter as usize);
        SIZES[lowest.min(SIZES.len() - 1)].min(self.open.len())
    }

    /// Skips questions about the empty configuration.
    fn pass_over_all(&mut self) {
        while self.decided == 0 && !self.open.is_empty() && self.size() == self.open.len() {
            self.count();
        }
    }

    /// Counts the subset as not removable.
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
            // The lowest counter is 0; the last subset is filled up with circumstances whose counter is 1.
            (0..9).collect::<Vec<u32>>(),
            (9..18).collect(),
            vec![0, 1, 2, 3, 4, 5, 6, 18, 19],
            // The lowest counter is 1, then 2, then 3; the last subset is the whole configuration and is
            // skipped.
            vec![0, 7, 8, 18, 19],
            vec![1, 2, 3],
            vec![4, 5, 6],
            vec![1],
            vec![2],
        ];
        assert_eq!(asked, subsets);
    }

    #[test]
    fn a_single_circumstance_is_never_removed() {
        assert_eq!((Cdd::new(0).next(), Cdd::new(1).next()), (None, None));
    }
}
