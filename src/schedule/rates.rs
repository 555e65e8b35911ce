//! How often probes succeed: what a schedule that looks ahead guesses by.

use crate::verdict::Verdict;
use std::collections::HashMap;

/// How many probes a guess from less is worth.
const WEIGHT: f64 = 3.0;

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

/// Running estimates: for each label, and for each context of a search under it.
#[derive(Clone, Debug, Default)]
pub(super) struct Rates {
    all: Rate,
    labels: HashMap<&'static str, Rate>,
    contexts: HashMap<u32, Rate>,
    both: HashMap<(&'static str, u32), Rate>,
}

impl Rates {
    /// Takes a verdict on a question.
    pub fn learn(&mut self, label: &'static str, context: u32, verdict: Verdict) {
        let hit = verdict.is_interesting();
        self.all.learn(hit);
        self.labels.entry(label).or_default().learn(hit);
        self.contexts.entry(context).or_default().learn(hit);
        self.both.entry((label, context)).or_default().learn(hit);
    }

    /// The probability that such a question succeeds.
    pub fn guess(&self, label: &'static str, context: u32) -> f64 {
        let all = self.all.guess(0.25);
        let label_alone = self.labels.get(label).copied().unwrap_or_default().guess(all);
        let context_alone = self.contexts.get(&context).copied().unwrap_or_default().guess(all);
        self.both
            .get(&(label, context))
            .copied()
            .unwrap_or_default()
            .guess((label_alone * context_alone).sqrt())
    }
}
