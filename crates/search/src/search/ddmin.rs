//! ddmin as published, and its weight-balanced variant.

use super::{Search, balance};
use crate::Verdict;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// ddmin (Zeller and Hildebrandt, TSE 2002, figure 5): three-valued, with reduction to a subset, reduction to
/// a complement, and increasing granularity. No configuration is tested twice.
///
/// The result is 1-minimal (proposition 11). For n circumstances there are at most n² + 3·n probes
/// (proposition 12), and at best 2·log₂ n if a single circumstance is needed (proposition 13). Since repeated
/// questions are skipped, the worst known runs need (n² + 7·n) / 2 probes.
///
/// [`Ddmin::weighted`] splits into parts of nearly equal weight instead of nearly equal length (Zhou and
/// others, "WDD: Weighted Delta Debugging", ICSE 2025). The guarantees are the same.
#[derive(Clone, Debug)]
pub struct Ddmin {
    weights: Option<Arc<[u32]>>,
    config: Arc<[u32]>,
    /// If false, only complements are tested.
    has_subsets: bool,
    /// The number of parts into which `config` is to be split.
    granularity: usize,
    /// The ends of the current parts; the last one is the length of `config`.
    ends: Arc<[usize]>,
    turn: DdminQuestion,
    seen: imbl::HashSet<u128>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DdminQuestion {
    Subset(usize),
    Complement(usize),
    Done,
}

impl Ddmin {
    /// Starts ddmin over `n` circumstances.
    #[must_use]
    pub fn new(n: u32) -> Self {
        Self::start((0..n).collect(), None, true)
    }

    /// Starts a ddmin that only reduces to complements, as in the author's code (Zeller, *The Debugging
    /// Book*, chapter "Reducing Failure-Inducing Inputs", function `ddmin`).
    ///
    /// All parts have the same size, rounded down, and an additional part contains the remainder. The result
    /// is 1-minimal. The worst known runs need (n² + 3·n) / 2 probes if n is a power of two, and slightly
    /// more otherwise.
    #[must_use]
    pub fn complements(n: u32) -> Self {
        Self::start((0..n).collect(), None, false)
    }

    /// Starts ddmin over circumstances with these weights, split by weight.
    #[must_use]
    pub fn weighted(weights: Vec<u32>) -> Self {
        Self::start((0..weights.len() as u32).collect(), Some(weights.into()), true)
    }

    fn start(config: Arc<[u32]>, weights: Option<Arc<[u32]>>, has_subsets: bool) -> Self {
        let mut search = Self {
            weights,
            config,
            has_subsets,
            granularity: 2,
            ends: [].into(),
            turn: DdminQuestion::Done,
            seen: imbl::HashSet::new(),
        };
        search.split(2);
        search
    }

    /// Splits the configuration into `parts` parts and starts with the first one.
    fn split(&mut self, parts: usize) {
        let parts = parts.min(self.config.len());
        let mut ends = vec![self.config.len()];
        match &self.weights {
            None if !self.has_subsets => {
                let n = self.config.len();
                let size = (n / parts.max(1)).max(1);
                ends = (1..=n.div_ceil(size)).map(|i| n.min(i * size)).collect();
            }
            None => ends = (1..=parts).map(|i| i * self.config.len() / parts).collect(),
            Some(weights) => {
                while ends.len() < parts {
                    ends.push(self.cut_heaviest(weights, &ends));
                    ends.sort_unstable();
                }
            }
        }
        self.ends = ends.into();
        self.granularity = parts;
        self.turn = match self.config.len() {
            0 | 1 => DdminQuestion::Done,
            _ if self.has_subsets => DdminQuestion::Subset(0),
            _ => DdminQuestion::Complement(0),
        };
        self.skip_seen();
    }

    /// Returns the position at which to split the heaviest part that can be split.
    fn cut_heaviest(&self, weights: &[u32], ends: &[usize]) -> usize {
        let of = |from: usize, to: usize| -> Vec<u32> {
            self.config[from..to].iter().map(|&i| weights[i as usize]).collect()
        };
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let heaviest =
            starts.zip(ends.iter().copied()).filter(|(from, to)| to - from > 1).max_by_key(|&(from, to)| {
                (of(from, to).iter().map(|&w| u64::from(w)).sum::<u64>(), to - from, to)
            });
        let (from, to) = heaviest.expect("fewer parts than circumstances");
        from + balance(&of(from, to))
    }

    fn part(&self, i: usize) -> std::ops::Range<usize> {
        if i == 0 { 0..self.ends[0] } else { self.ends[i - 1]..self.ends[i] }
    }

    /// Returns the configuration of the current question.
    fn asked(&self) -> Option<Vec<u32>> {
        match self.turn {
            DdminQuestion::Subset(i) => Some(self.config[self.part(i)].to_vec()),
            DdminQuestion::Complement(i) => {
                let part = self.part(i);
                Some([&self.config[..part.start], &self.config[part.end..]].concat())
            }
            DdminQuestion::Done => None,
        }
    }

    /// Advances to the first question whose answer is not known yet.
    fn skip_seen(&mut self) {
        while let Some(asked) = self.asked() {
            if !asked.is_empty() && !self.seen.contains(&key(&asked)) {
                return;
            }
            self.step();
        }
    }

    /// Advances to the next question after a verdict that was not interesting.
    fn step(&mut self) {
        let parts = self.ends.len();
        match self.turn {
            DdminQuestion::Subset(i) if i + 1 < parts => self.turn = DdminQuestion::Subset(i + 1),
            // With two parts, each part is the complement of the other.
            DdminQuestion::Subset(_) if parts > 2 => self.turn = DdminQuestion::Complement(0),
            DdminQuestion::Complement(i) if i + 1 < parts => self.turn = DdminQuestion::Complement(i + 1),
            _ if self.granularity < self.config.len() => self.split(2 * self.granularity),
            _ => self.turn = DdminQuestion::Done,
        }
    }
}

/// Returns the key of a configuration: two independent 64-bit hashes, which makes a collision practically
/// impossible.
pub(super) fn key(config: &[u32]) -> u128 {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        salt.hash(&mut hasher);
        config.hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}

impl Search for Ddmin {
    fn next(&self) -> Option<Vec<u32>> {
        match self.turn {
            DdminQuestion::Subset(i) => {
                let part = self.part(i);
                Some([&self.config[..part.start], &self.config[part.end..]].concat())
            }
            DdminQuestion::Complement(i) => Some(self.config[self.part(i)].to_vec()),
            DdminQuestion::Done => None,
        }
    }

    fn advance(&mut self, verdict: Verdict) {
        let asked = self.asked().expect("a verdict answers a question");
        if !verdict.is_interesting() {
            self.seen.insert(key(&asked));
            self.step();
            self.skip_seen();
            return;
        }
        let parts =
            if matches!(self.turn, DdminQuestion::Subset(_)) { 2 } else { (self.granularity - 1).max(2) };
        self.config = asked.into();
        self.split(parts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Verdict::{Interesting, Uninteresting};
    use crate::search::tests::run;

    #[test]
    fn one_needed_circumstance_takes_at_most_two_log_n_probes() {
        for needed in 0..64 {
            let test = |c: &[u32]| if c.contains(&needed) { Interesting } else { Uninteresting };
            let (kept, probes) = run(Ddmin::new(64), 64, test);
            assert_eq!(kept, [needed]);
            assert!(probes <= 12, "{probes} probes");
        }
    }

    #[test]
    fn the_published_example_takes_its_published_steps() {
        // The worked example of the paper: of 8 changes, 1, 7 and 8 are needed together. Its 19 different
        // tests are these 17, the empty configuration and the whole one.
        let mut asked = Vec::new();
        let (kept, _) = run(Ddmin::new(8), 8, |config| {
            asked.push(config.iter().map(|i| char::from(b'1' + *i as u8)).collect::<String>());
            if [0, 6, 7].iter().all(|i| config.contains(i)) { Interesting } else { Uninteresting }
        });
        assert_eq!(kept, [0, 6, 7]);
        let steps = "1234 5678 12 34 56 78 345678 125678 1278 1 2 7 8 278 178 18 17";
        assert_eq!(asked.join(" "), steps);
    }

    #[test]
    fn a_single_circumstance_is_never_removed() {
        let (kept, probes) = run(Ddmin::new(1), 1, |_| Interesting);
        assert_eq!((kept, probes), (vec![0], 0));
    }
}
