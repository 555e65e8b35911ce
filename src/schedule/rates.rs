//! What a schedule that looks ahead guesses by: how often probes succeeded, and what is known of single circumstances.

use crate::verdict::Verdict;
use std::collections::{HashMap, HashSet};

/// How often a probe succeeds before anything is known.
const PRIOR: f64 = 0.15;
/// How many probes a guess from less is worth.
const WEIGHT: f64 = 4.0;
/// How many of the last verdicts say how the next one may be.
const RECENT: usize = 4;
/// How often a failure, or a success, that was seen on a sibling of the configuration shows again.
const AGAIN: (f64, f64) = (0.03, 0.93);
/// How many stages are remembered.
const STAGES: usize = 8;

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

/// What questions have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// The pass that proposed them.
    pub pass: &'static str,
    /// The proposal that numbers their circumstances.
    pub stage: u64,
}

/// What probes of one stage have shown, on whatever configuration.
#[derive(Clone, Debug, Default)]
struct Seen {
    stage: u64,
    /// Circumstances that could go, alone or with others.
    gone: HashSet<u32>,
    /// Those that could not go together.
    stuck: Vec<Vec<u32>>,
}

/// Running estimates.
#[derive(Clone, Debug, Default)]
pub(super) struct Rates {
    recent: Vec<bool>,
    by_recent: HashMap<(&'static str, usize), Rate>,
    by_pass: HashMap<&'static str, Rate>,
    seen: Vec<Seen>,
}

impl Rates {
    fn heat(&self) -> usize {
        self.recent.iter().filter(|&&hit| hit).count()
    }

    /// Takes a committed verdict.
    pub fn learn(&mut self, kind: Kind, verdict: Verdict) {
        let hit = verdict.is_interesting();
        self.by_pass.entry(kind.pass).or_default().learn(hit);
        self.by_recent.entry((kind.pass, self.heat())).or_default().learn(hit);
        if self.recent.len() == RECENT {
            self.recent.remove(0);
        }
        self.recent.push(hit);
    }

    /// Takes a verdict on the candidate without these circumstances, whatever else is left out of it.
    pub fn see(&mut self, stage: u64, without: &[u32], verdict: Verdict) {
        let at = self.seen.iter().position(|seen| seen.stage == stage).unwrap_or_else(|| {
            if self.seen.len() == STAGES {
                self.seen.remove(0);
            }
            self.seen.push(Seen { stage, ..Seen::default() });
            self.seen.len() - 1
        });
        let seen = &mut self.seen[at];
        if verdict.is_interesting() {
            seen.gone.extend(without);
        } else {
            seen.stuck.push(without.to_vec());
        }
    }

    /// Whether a probe without these circumstances would tell anything new.
    pub fn is_known(&self, stage: u64, without: &[u32]) -> bool {
        let Some(seen) = self.seen.iter().find(|seen| seen.stage == stage) else { return false };
        without.iter().all(|i| seen.gone.contains(i)) || seen.stuck.iter().any(|s| within(s, without))
    }

    /// The probability that the candidate without these circumstances is interesting.
    pub fn guess(&self, kind: Kind, without: &[u32]) -> f64 {
        if let Some(seen) = self.seen.iter().find(|seen| seen.stage == kind.stage) {
            if seen.stuck.iter().any(|stuck| within(stuck, without)) {
                return AGAIN.0;
            }
            if without.iter().all(|i| seen.gone.contains(i)) {
                return AGAIN.1;
            }
        }
        let pass = self.by_pass.get(kind.pass).copied().unwrap_or_default().guess(PRIOR);
        self.by_recent.get(&(kind.pass, self.heat())).copied().unwrap_or_default().guess(pass)
    }
}

/// Whether all of `part`, which is in ascending order, are in `whole`, which is too.
fn within(part: &[u32], whole: &[u32]) -> bool {
    part.len() <= whole.len()
        && part.first() >= whole.first()
        && part.last() <= whole.last()
        && part.iter().all(|i| whole.binary_search(i).is_ok())
}
