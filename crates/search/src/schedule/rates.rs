//! Success rates for speculation: how often probes of the same pass and of similar size succeeded, and how
//! the last probes ended.
//!
//! Other features of a question (a whole group, a half, which half, how many circumstances) were tried and
//! predict less; see `docs/notes/verdict-prediction.md`.

use crate::{Cause, Verdict};
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

/// Tuned constants.
struct Tuning {
    /// The estimated success rate before anything is known.
    prior: f64,
    /// As above, for probes that combine independent finds.
    merged: f64,
    /// An estimate from less data counts as this many probes.
    weight: f64,
    /// The number of remembered durations of each kind.
    remembered: usize,
}

const TUNING: Tuning = Tuning { prior: 0.15, merged: 0.8, weight: 8.0, remembered: 32 };

/// The results of the last four probes, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Recent(u8);

impl Recent {
    /// Returns the results after one more probe.
    pub fn and(self, verdict: Verdict) -> Self {
        Self((self.0 << 1 | u8::from(verdict.is_interesting())) & 0b1111)
    }

    fn heat(self) -> u32 {
        self.0.count_ones()
    }
}

/// The features that questions share: the pass, and the order of magnitude of the removed part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Likeness {
    /// The name of the pass.
    pub pass: &'static str,
    /// The removed share of the current best, as an exponent.
    pub share: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct SuccessRate {
    hits: f64,
    probes: f64,
}

impl SuccessRate {
    fn learn(&mut self, hit: bool) {
        self.hits += f64::from(u8::from(hit));
        self.probes += 1.0;
    }

    /// Returns the rate, where `prior` is the estimate before the first probe.
    fn guess(self, prior: f64) -> f64 {
        (self.hits + TUNING.weight * prior) / (self.probes + TUNING.weight)
    }
}

/// The durations of the last probes, by verdict. For example, a compiler that crashes at the end takes longer
/// than one that reports an error in the first line.
#[derive(Clone, Debug, Default)]
pub(super) struct Pace {
    interesting: VecDeque<Duration>,
    others: VecDeque<Duration>,
}

impl Pace {
    /// Records a finished probe.
    pub fn learn(&mut self, verdict: Verdict, took: Duration) {
        let like = if verdict.is_interesting() { &mut self.interesting } else { &mut self.others };
        if like.len() == TUNING.remembered {
            like.pop_front();
        }
        like.push_back(took);
    }

    /// Returns the mean duration of the last probes, or zero before the first one.
    pub fn mean(&self) -> Duration {
        let known = self.interesting.iter().chain(&self.others);
        let count = self.interesting.len() + self.others.len();
        known.sum::<Duration>() / u32::try_from(count.max(1)).unwrap_or(u32::MAX)
    }

    /// Returns the probability that a probe succeeds after it has run for `elapsed`, where `guess` was the
    /// probability at its start.
    pub fn revise(&self, guess: f64, elapsed: Duration) -> f64 {
        let share = |like: &VecDeque<Duration>| {
            let longer = like.iter().filter(|took| **took > elapsed).count();
            (longer as f64 + 1.0) / (like.len() as f64 + 2.0)
        };
        let (hit, miss) = (guess * share(&self.interesting), (1.0 - guess) * share(&self.others));
        hit / (hit + miss)
    }
}

#[derive(Clone, Debug)]
pub(super) struct Rates {
    recent: Recent,
    questions: Table,
    /// Probes that combine independent finds; most of them succeed.
    merges: Table,
    /// The share of unresolved verdicts among those that are not interesting.
    doubt: SuccessRate,
}

/// Success rates by feature.
#[derive(Clone, Debug)]
struct Table {
    /// The estimated success rate before anything is known.
    prior: f64,
    by_pass: HashMap<&'static str, SuccessRate>,
    by_share: HashMap<Likeness, SuccessRate>,
    by_heat: HashMap<(Likeness, u32), SuccessRate>,
}

impl Table {
    fn new(prior: f64) -> Self {
        Self { prior, by_pass: HashMap::new(), by_share: HashMap::new(), by_heat: HashMap::new() }
    }

    fn learn(&mut self, like: Likeness, recent: Recent, hit: bool) {
        self.by_pass.entry(like.pass).or_default().learn(hit);
        self.by_share.entry(like).or_default().learn(hit);
        self.by_heat.entry((like, recent.heat())).or_default().learn(hit);
    }

    fn guess(&self, like: Likeness, recent: Recent) -> f64 {
        let known = |rate: Option<&SuccessRate>| rate.copied().unwrap_or_default();
        let by_pass = known(self.by_pass.get(like.pass)).guess(self.prior);
        let by_share = known(self.by_share.get(&like)).guess(by_pass);
        known(self.by_heat.get(&(like, recent.heat()))).guess(by_share)
    }
}

impl Default for Rates {
    fn default() -> Self {
        Self {
            recent: Recent::default(),
            questions: Table::new(TUNING.prior),
            merges: Table::new(TUNING.merged),
            doubt: SuccessRate::default(),
        }
    }
}

impl Rates {
    pub fn recent(&self) -> Recent {
        self.recent
    }

    /// Records a committed verdict.
    pub fn learn(&mut self, like: Likeness, is_merge: bool, verdict: Verdict) {
        let hit = verdict.is_interesting();
        let table = if is_merge { &mut self.merges } else { &mut self.questions };
        table.learn(like, self.recent, hit);
        if !hit {
            self.doubt.learn(verdict != Verdict::Uninteresting);
        }
        self.recent = self.recent.and(verdict);
    }

    /// Returns the probabilities of the verdicts on a question that follows `recent`. `so_far` revises the
    /// success probability by the progress of the probe. If the search is not three-valued, unresolved
    /// verdicts count as uninteresting.
    pub fn outcomes(
        &self,
        like: Likeness,
        is_merge: bool,
        recent: Recent,
        is_three_valued: bool,
        so_far: impl Fn(f64) -> f64,
    ) -> [(Verdict, f64); 3] {
        let success = so_far(if is_merge { &self.merges } else { &self.questions }.guess(like, recent));
        let doubt = if is_three_valued { self.doubt.guess(TUNING.prior) } else { 0.0 };
        [
            (Verdict::Interesting, success),
            (Verdict::Uninteresting, (1.0 - success) * (1.0 - doubt)),
            (Verdict::Unresolved(Cause::Test), (1.0 - success) * doubt),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_that_runs_longer_than_failing_ones_will_probably_succeed() {
        let mut pace = Pace::default();
        let milliseconds = Duration::from_millis;
        assert!((pace.revise(0.1, milliseconds(50)) - 0.1).abs() < 1e-9, "nothing is known");
        for i in 0..100 {
            pace.learn(Verdict::Uninteresting, milliseconds(20 + i % 10));
            pace.learn(Verdict::Interesting, milliseconds(100 + i % 10));
        }
        assert!((pace.revise(0.1, milliseconds(10)) - 0.1).abs() < 1e-9, "each may take as long");
        assert!(pace.revise(0.1, milliseconds(50)) > 0.75);
        (0..100).for_each(|_| pace.learn(Verdict::Uninteresting, milliseconds(80)));
        assert!(pace.revise(0.1, milliseconds(50)) < 0.15, "what was long ago is forgotten");
    }
}
