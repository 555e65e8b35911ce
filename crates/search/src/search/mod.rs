//! The delta-debugging algorithms as state machines over circumstances that are numbered from 0.
//!
//! A search provides the [`next`](Search::next) question and receives the verdict through
//! [`advance`](Search::advance). It is cheap to clone, so that a schedule can assume verdicts and look ahead.
//! Searches do not depend on any syntax or oracle, and use no threads, clock, files or randomness.

mod any;
mod bisect;
mod cdd;
mod dd;
mod ddmax;
mod ddmin;
mod hierarchy;
mod partition;

pub use any::AnySearch;
pub use bisect::Bisect;
pub use cdd::Cdd;
pub use dd::Dd;
pub use ddmax::Ddmax;
pub use ddmin::Ddmin;
pub use hierarchy::{Group, GroupKind, Groups, Hierarchy};
pub use partition::{Knowledge, Outline, Partition};

use crate::Verdict;

/// An algorithm that looks for a small interesting configuration.
///
/// It starts with the configuration of all circumstances, which is interesting, and holds the smallest
/// interesting configuration found so far. Each find removes the circumstances of its question permanently.
pub trait Search: Clone {
    /// Returns the circumstances to remove from the held configuration, in ascending order, or `None` when
    /// the search is done.
    fn next(&self) -> Option<Vec<u32>>;

    /// Handles the verdict on the question that [`next`](Search::next) returns.
    ///
    /// # Panics
    /// May panic if there is no question.
    fn advance(&mut self, verdict: Verdict);

    /// Handles an interesting verdict on the question that [`next`](Search::next) returns, if the removed
    /// circumstances `gone` differ from those of the question.
    ///
    /// # Panics
    /// May panic if there is no question.
    fn take(&mut self, gone: &[u32]) {
        let _ = gone;
        self.advance(Verdict::Interesting);
    }

    /// Skips the question that [`next`](Search::next) returns, and all questions about parts of it.
    ///
    /// # Panics
    /// May panic if there is no question.
    fn skip(&mut self) {
        self.advance(Verdict::Uninteresting);
    }

    /// Returns whether the question is relative to the configuration that was held before the last question
    /// that was not apart. Its answer does not depend on the questions in between, so all of these can be
    /// tested at the same time.
    ///
    /// The first interesting one of them is applied as usual. The circumstances of the others stay in the
    /// configuration until a question that is not apart removes them.
    fn is_apart(&self) -> bool {
        false
    }

    /// Returns whether the question combines finds of questions that were [apart](Search::is_apart).
    fn is_merge(&self) -> bool {
        false
    }

    /// Returns whether the search distinguishes unresolved from uninteresting verdicts.
    fn is_three_valued(&self) -> bool {
        false
    }

    /// Returns whether this verdict is a find. An interesting verdict is, except in a search for passing
    /// configurations.
    #[must_use]
    fn is_find(verdict: Verdict) -> bool {
        verdict.is_interesting()
    }
}

/// Returns the index that splits `weights` into two non-empty parts of nearly equal sum.
fn balance(weights: &[u32]) -> usize {
    debug_assert!(weights.len() > 1, "one circumstance cannot be split");
    let total: u64 = weights.iter().map(|&w| u64::from(w)).sum();
    let mut left = 0u64;
    for (i, &weight) in weights.iter().enumerate() {
        let with = left + u64::from(weight);
        if 2 * with >= total {
            let closer = if 2 * with - total > total - 2 * left { i } else { i + 1 };
            return closer.clamp(1, weights.len() - 1);
        }
        left = with;
    }
    weights.len() / 2
}

/// Returns `all` without `some`; both are in ascending order.
pub(crate) fn subtract(all: &[u32], some: &[u32]) -> Vec<u32> {
    let mut some = some.iter().peekable();
    let mut rest = Vec::with_capacity(all.len());
    for &i in all {
        while some.next_if(|&&s| s < i).is_some() {}
        if some.next_if(|&&s| s == i).is_none() {
            rest.push(i);
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cause;
    use crate::Verdict::{Interesting, Uninteresting, Unresolved};
    use crate::random::Random;
    use std::collections::BTreeSet;

    /// Runs `search` on `n` circumstances. Returns the remaining circumstances and the number of probes.
    pub(super) fn run<S: Search>(
        mut search: S,
        n: u32,
        mut test: impl FnMut(&[u32]) -> Verdict,
    ) -> (Vec<u32>, usize) {
        let mut kept: Vec<u32> = (0..n).collect();
        let mut mark = kept.clone();
        let mut probes = 0;
        while let Some(without) = search.next() {
            if !search.is_apart() {
                mark.clone_from(&kept);
            }
            let trial: Vec<u32> = mark.iter().copied().filter(|i| !without.contains(i)).collect();
            assert!(trial.len() < mark.len(), "a question takes something away");
            probes += 1;
            let verdict = test(&trial);
            if S::is_find(verdict) && kept == mark {
                kept = trial;
            }
            search.advance(verdict);
        }
        (kept, probes)
    }

    /// Returns a test that needs all of `needed` and is unresolved on some other configurations.
    fn wants(needed: &[u32], odd: u32) -> impl Fn(&[u32]) -> Verdict + '_ {
        move |config| {
            let sum: u32 = config.iter().sum::<u32>() + config.len() as u32;
            if odd > 0 && sum % (odd + 2) == 1 {
                return Unresolved(Cause::Test);
            }
            if needed.iter().all(|n| config.contains(n)) { Interesting } else { Verdict::Uninteresting }
        }
    }

    fn one_minimal(kept: &[u32], test: impl Fn(&[u32]) -> Verdict) -> bool {
        kept.iter().all(|&out| {
            let trial: Vec<u32> = kept.iter().copied().filter(|&i| i != out).collect();
            trial.is_empty() || test(&trial) != Interesting
        })
    }

    /// Returns test cases, smallest first: the number of circumstances, the needed ones, the weights, and how
    /// often the test is unresolved.
    fn cases() -> impl Iterator<Item = (u32, Vec<u32>, Vec<u32>, u32)> {
        (0..256)
            .map(|i| {
                let mut random = Random::new(i);
                let n = 1 + (i * 23 / 256) as u32;
                let needed: BTreeSet<u32> = (0..=random.below(n.min(5))).map(|_| random.below(n)).collect();
                let weights = (0..n).map(|_| random.below(9)).collect();
                (n, needed.into_iter().collect(), weights, random.below(4))
            })
            // If a test fails, the last case printed is the failing one.
            .inspect(|case| println!("{case:?}"))
    }

    #[test]
    fn ddmin_is_interesting_one_minimal_and_within_the_published_bound() {
        for (n, needed, weights, odd) in cases() {
            for search in [Ddmin::new(n), Ddmin::weighted(weights.clone())] {
                let (kept, probes) = run(search, n, wants(&needed, odd));
                assert!(needed.iter().all(|i| kept.contains(i)));
                assert!(one_minimal(&kept, wants(&needed, odd)));
                let n = n as usize;
                assert!(2 * probes <= n * n + 7 * n, "{probes} probes for {n}");
            }
        }
    }

    #[test]
    fn bisection_is_interesting_one_minimal_and_within_its_bound() {
        for (n, needed, weights, odd) in cases() {
            let (kept, probes) = run(Bisect::new(weights.clone()), n, wants(&needed, odd));
            assert!(needed.iter().all(|i| kept.contains(i)));
            assert!(one_minimal(&kept, wants(&needed, odd)));
            let n = n as usize;
            assert!(probes < (2 * n) * (n + 1), "{probes} probes for {n}");
            // Without unresolved verdicts, one descent and one confirming pass are enough.
            let (kept, probes) = run(Bisect::new(weights), n as u32, wants(&needed, 0));
            assert_eq!(&kept, &needed);
            assert!(probes < 4 * n, "{probes} probes for {n}");
        }
    }

    #[test]
    fn cdd_tests_each_remaining_circumstance_alone_within_its_bound() {
        for (n, needed, _, odd) in cases() {
            let mut alone = Vec::new();
            let mut held = n as usize;
            let (kept, probes) = run(Cdd::new(n), n, |config| {
                if config.len() + 1 == held {
                    alone.push(config.to_vec());
                }
                let verdict = wants(&needed, odd)(config);
                held = if verdict == Interesting { config.len() } else { held };
                verdict
            });
            assert!(needed.iter().all(|i| kept.contains(i)));
            assert!(probes <= 4 * n as usize, "{probes} probes for {n}");
            let tried = |i: &u32| alone.iter().any(|config| !config.contains(i));
            assert!(kept.len() == 1 || kept.iter().all(tried));
        }
    }

    #[test]
    fn dd_ends_with_a_one_minimal_difference_within_the_published_bound() {
        for (n, needed, _, odd) in cases() {
            let test = wants(&needed, odd);
            let passing: Vec<u32> = (0..n).filter(|i| !needed.contains(i) && i % 3 == 0).collect();
            let above = if test(&passing) == Uninteresting { passing } else { Vec::new() };
            for mut search in [Dd::new(n), Dd::above(&above, n), Dd::book(n)] {
                let d = search.difference().len();
                let mut probes = 0;
                while let Some(without) = search.next() {
                    let asked: Vec<u32> =
                        search.failing().iter().copied().filter(|i| !without.contains(i)).collect();
                    search.advance(test(&asked));
                    probes += 1;
                }
                let (passing, failing) = (search.passing().to_vec(), search.failing().to_vec());
                assert!(passing.iter().all(|i| failing.contains(i)));
                assert!(passing.is_empty() || test(&passing) == Uninteresting);
                assert!(failing.len() == n as usize || test(&failing) == Interesting);
                for delta in search.difference() {
                    let with: Vec<u32> = (0..n).filter(|i| passing.contains(i) || *i == delta).collect();
                    let without: Vec<u32> = failing.iter().copied().filter(|&i| i != delta).collect();
                    assert!(search.difference().len() == 1 || test(&with) != Uninteresting);
                    assert!(search.difference().len() == 1 || test(&without) != Interesting);
                }
                assert!(probes <= d * d + 7 * d, "{probes} probes for {d}");
            }
        }
    }

    #[test]
    fn ddmax_passes_is_one_maximal_and_within_the_bound_of_ddmin() {
        for (n, needed, _, odd) in cases() {
            let test = wants(&needed, odd);
            let of = |omitted: &[u32]| -> Vec<u32> { (0..n).filter(|i| !omitted.contains(i)).collect() };
            let (omitted, probes) = run(Ddmax::new(n), n, |omitted| test(&of(omitted)));
            assert!(omitted.len() == n as usize || test(&of(&omitted)) == Uninteresting);
            assert!(one_minimal(&omitted, |omitted| test(&of(omitted)).mirrored()));
            let n = n as usize;
            assert!(2 * probes <= n * n + 7 * n, "{probes} probes for {n}");
        }
    }

    #[test]
    fn a_search_along_groups_is_one_minimal_whatever_the_groups() {
        for ((n, needed, _, odd), cut) in cases().zip((1..7).cycle()) {
            let inside = (0..n.div_ceil(cut))
                .map(|i| Outline { members: i * cut..n.min((i + 1) * cut), inside: vec![] });
            let outline = Outline { members: 0..n, inside: inside.collect() };
            for stages in [vec![], (1..=n).collect()] {
                let search = Partition::new(&outline, Knowledge { needs: vec![], stages });
                let (kept, probes) = run(search, n, wants(&needed, odd));
                assert!(needed.iter().all(|i| kept.contains(i)));
                assert!(one_minimal(&kept, wants(&needed, odd)));
                let n = n as usize;
                assert!(probes <= n * n + 5 * n, "{probes} probes for {n}");
            }
        }
    }

    #[test]
    fn the_books_searches_are_one_minimal() {
        for (n, needed, _, odd) in cases() {
            let (kept, _) = run(Dd::book_minimizing(n), n, wants(&needed, odd));
            assert!(needed.iter().all(|i| kept.contains(i)));
            assert!(one_minimal(&kept, wants(&needed, odd)));
            let (kept, probes) = run(Ddmin::complements(n), n, wants(&needed, odd));
            assert!(one_minimal(&kept, wants(&needed, odd)));
            let n = n as usize;
            assert!(2 * probes <= n * n + 4 * n, "{probes} probes for {n}");
        }
    }
    #[test]
    fn weights_are_balanced() {
        assert_eq!(balance(&[1, 1, 1, 1]), 2);
        assert_eq!(balance(&[9, 1, 1, 1]), 1);
        assert_eq!(balance(&[1, 1, 1, 9]), 3);
        assert_eq!(balance(&[0, 0]), 1);
    }

    #[test]
    fn subtraction_keeps_the_order_and_ignores_missing_items() {
        assert_eq!(subtract(&[1, 3, 4, 7], &[0, 3, 5, 7, 9]), [1, 4]);
        assert_eq!(subtract(&[1, 2], &[]), [1, 2]);
    }
}
