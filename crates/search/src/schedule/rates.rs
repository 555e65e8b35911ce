//! The rates by which a schedule that looks ahead guesses: how often probes of a pass succeeded that took about as much
//! away, and how the last ones ended.
//!
//! Tried and given up: what else a question is (a whole group, a half, which half, how many circumstances) says less
//! than these; see `docs/notes/verdict-prediction.md`.

use crate::{Cause, Verdict};
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

/// The numbers that were tuned.
struct Tuning {
    /// The guess for the rate of success before anything is known.
    prior: f64,
    /// The same for a probe that puts together what was found apart.
    merged: f64,
    /// A guess from less data is worth this many probes.
    weight: f64,
    /// The number of durations of each kind that are remembered.
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

    /// Returns how many of them succeeded.
    fn heat(self) -> u32 {
        self.0.count_ones()
    }
}

/// The features that questions share: the pass, and about how much they take away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Likeness {
    /// The name of the pass.
    pub pass: &'static str,
    /// The share of the best that goes, as a power.
    pub share: u32,
}

/// Successes and probes.
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

    /// The rate, where `prior` is the guess before the first probe.
    fn guess(self, prior: f64) -> f64 {
        (self.hits + TUNING.weight * prior) / (self.probes + TUNING.weight)
    }
}

/// The durations of the last probes, those that were interesting and the others: a compiler that crashes in the end
/// takes longer than one that finds an error in the first line.
#[derive(Clone, Debug, Default)]
pub(super) struct Pace {
    interesting: VecDeque<Duration>,
    others: VecDeque<Duration>,
}

impl Pace {
    /// Takes a probe that has ended.
    pub fn learn(&mut self, verdict: Verdict, took: Duration) {
        let like = if verdict.is_interesting() { &mut self.interesting } else { &mut self.others };
        if like.len() == TUNING.remembered {
            like.pop_front();
        }
        like.push_back(took);
    }

    /// Returns the mean duration of the last ones; zero before the first one.
    pub fn mean(&self) -> Duration {
        let known = self.interesting.iter().chain(&self.others);
        let count = self.interesting.len() + self.others.len();
        known.sum::<Duration>() / u32::try_from(count.max(1)).unwrap_or(u32::MAX)
    }

    /// The probability that a probe succeeds, where it was `guess` before it had run for so long.
    pub fn revise(&self, guess: f64, elapsed: Duration) -> f64 {
        let share = |like: &VecDeque<Duration>| {
            let longer = like.iter().filter(|took| **took > elapsed).count();
            (longer as f64 + 1.0) / (like.len() as f64 + 2.0)
        };
        let (hit, miss) = (guess * share(&self.interesting), (1.0 - guess) * share(&self.others));
        hit / (hit + miss)
    }
}

/// Running estimates.
#[derive(Clone, Debug)]
pub(super) struct Rates {
    recent: Recent,
    questions: Table,
    /// Probes that put together what was found apart: most of them succeed.
    merges: Table,
    /// The rate of unresolved verdicts among those that are not interesting.
    doubt: SuccessRate,
}

/// Rates of like probes.
#[derive(Clone, Debug)]
struct Table {
    /// The guess for the rate of success before anything is known.
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
    /// Returns the results of the last committed probes.
    pub fn recent(&self) -> Recent {
        self.recent
    }

    /// Takes a committed verdict.
    pub fn learn(&mut self, like: Likeness, is_merge: bool, verdict: Verdict) {
        let hit = verdict.is_interesting();
        let table = if is_merge { &mut self.merges } else { &mut self.questions };
        table.learn(like, self.recent, hit);
        if !hit {
            self.doubt.learn(verdict != Verdict::Uninteresting);
        }
        self.recent = self.recent.and(verdict);
    }

    /// The probabilities of the verdicts on a question that comes after `recent`, where that of success is revised by
    /// what its probe did `so_far`; unresolved ones count as uninteresting where a search does not tell them apart.
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
    fn a_probe_that_runs_longer_than_those_that_fail_will_succeed() {
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
