//! What a schedule that looks ahead guesses by: how often probes of a pass succeeded, and how the last ones ended.
//!
//! Tried and given up: what a question is (a whole group, a half, which half, how many circumstances) says less
//! than the last four verdicts; see `docs/notes/speculation.md`.

use crate::verdict::Verdict;
use std::collections::HashMap;

/// How often a probe succeeds before anything is known.
const PRIOR: f64 = 0.15;
/// How many probes a guess from less is worth.
const WEIGHT: f64 = 4.0;
/// How many of the last verdicts say how the next one may be.
const RECENT: usize = 4;

/// Successes and probes.
#[derive(Clone, Copy, Debug, Default)]
struct Rate {
    hits: f64,
    probes: f64,
}

impl Rate {
    fn learn(&mut self, hit: bool) {
        self.hits += f64::from(u8::from(hit));
        self.probes += 1.0;
    }

    /// The rate, where `prior` is the guess before the first probe.
    fn guess(self, prior: f64) -> f64 {
        (self.hits + WEIGHT * prior) / (self.probes + WEIGHT)
    }
}

/// Running estimates.
#[derive(Clone, Debug, Default)]
pub(super) struct Rates {
    recent: Vec<bool>,
    by_pass: HashMap<&'static str, Rate>,
    by_heat: HashMap<(&'static str, usize), Rate>,
}

impl Rates {
    /// How many of the last probes succeeded.
    fn heat(&self) -> usize {
        self.recent.iter().filter(|&&hit| hit).count()
    }

    /// Takes a committed verdict.
    pub fn learn(&mut self, pass: &'static str, verdict: Verdict) {
        let hit = verdict.is_interesting();
        self.by_pass.entry(pass).or_default().learn(hit);
        self.by_heat.entry((pass, self.heat())).or_default().learn(hit);
        if self.recent.len() == RECENT {
            self.recent.remove(0);
        }
        self.recent.push(hit);
    }

    /// The probability that the next probe of a pass succeeds.
    pub fn guess(&self, pass: &'static str) -> f64 {
        let prior = self.by_pass.get(pass).copied().unwrap_or_default().guess(PRIOR);
        self.by_heat.get(&(pass, self.heat())).copied().unwrap_or_default().guess(prior)
    }
}
