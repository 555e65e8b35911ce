//! Wald's sequential test: decides how often a candidate must fail in order to count as interesting.
//!
//! This module only computes; it runs nothing.

/// The confidence of a decision: more than 0.5, less than 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Confidence(f64);

impl Confidence {
    /// Returns a confidence, or `None` if `share` is not between 0.5 and 1.
    #[must_use]
    pub fn new(share: f64) -> Option<Self> {
        (share > 0.5 && share < 1.0).then_some(Self(share))
    }

    /// Returns the confidence as a number between 0.5 and 1.
    #[must_use]
    pub fn share(self) -> f64 {
        self.0
    }

    /// Returns the share of decisions that may be wrong.
    fn doubt(self) -> f64 {
        1.0 - self.0
    }
}

/// The lowest failure rate that must be detected: more than 0, less than 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct LeastRate(f64);

impl LeastRate {
    /// Returns a rate, or `None` if `share` is not between 0 and 1.
    #[must_use]
    pub fn new(share: f64) -> Option<Self> {
        (share > 0.0 && share < 1.0).then_some(Self(share))
    }

    /// Returns the rate as a number between 0 and 1.
    #[must_use]
    pub fn share(self) -> f64 {
        self.0
    }

    /// Returns how many runs are needed to observe a failure of this rate at least once, with this
    /// confidence.
    #[must_use]
    pub fn runs(self, confidence: Confidence) -> usize {
        (confidence.doubt().ln() / (-self.0).ln_1p()).ceil().max(1.0) as usize
    }
}

impl Default for LeastRate {
    /// Returns 0.05. With a lower rate a reduction needs hundreds of runs for each candidate.
    fn default() -> Self {
        Self(0.05)
    }
}

/// The number of runs of one candidate, and of runs that showed the failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rate {
    /// The number of runs that showed the failure.
    pub interesting: usize,
    /// The number of all runs.
    pub runs: usize,
}

impl Rate {
    /// Adds one run.
    pub fn add(&mut self, is_interesting: bool) {
        self.interesting += usize::from(is_interesting);
        self.runs += 1;
    }

    /// Returns whether all runs so far agree.
    #[must_use]
    pub fn is_constant(self) -> bool {
        self.interesting == 0 || self.interesting == self.runs
    }

    /// Returns the rate as a number between 0 and 1; 0 if there was no run.
    #[must_use]
    pub fn share(self) -> f64 {
        if self.runs == 0 { 0.0 } else { self.interesting as f64 / self.runs as f64 }
    }

    /// Returns the lower bound of Wilson's score interval ("Probable Inference, the Law of Succession, and
    /// Statistical Inference", JASA 1927) for this many standard deviations.
    #[must_use]
    pub fn at_least(self, deviations: f64) -> f64 {
        if self.interesting == 0 {
            return 0.0;
        }
        let (runs, share, square) = (self.runs as f64, self.share(), deviations * deviations);
        let spread = deviations * (share * (1.0 - share) / runs + square / (4.0 * runs * runs)).sqrt();
        (share + square / (2.0 * runs) - spread) / (1.0 + square / runs)
    }
}

/// Tuned constants.
struct Tuning {
    /// The true rate is assumed to be lower than the measured one by this many standard deviations.
    deviations: f64,
    /// Below this rate the input fails rarely, and distinguishing rates takes several times as many runs.
    rare: f64,
    /// The test gives up after this many times the average number of runs of an acceptance.
    patience: f64,
    /// False acceptances are made this many times rarer than the confidence requires: many candidates are
    /// tested, and each false acceptance is built upon.
    false_accepts: f64,
    /// False rejections of candidates are made this many times rarer: each may discard the last path to a
    /// smaller result.
    false_rejects: f64,
    /// Both errors of a confirmation are made this many times rarer: an error there costs far more runs than
    /// the additional certainty.
    false_confirms: f64,
}

const TUNING: Tuning = Tuning {
    deviations: 1.0,
    rare: 0.25,
    patience: 2.5,
    false_accepts: 10.0,
    false_rejects: 5.0,
    false_confirms: 20.0,
};

/// The share of the unchanged input's failure rate that a candidate must keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// A candidate that has lost a third of the rate must be rejected (half, if the input fails rarely). This
    /// is enough if candidates fail either as often as the input or not at all, as most do.
    Coarse,
    /// A candidate that has lost a fifth of the rate must be rejected (a third, if the input fails rarely).
    Fine,
}

impl Care {
    /// Returns the factor of the rate that must be rejected.
    fn lost(self, rate: f64) -> f64 {
        match (self, rate < TUNING.rare) {
            (Self::Coarse, false) | (Self::Fine, true) => 2.0 / 3.0,
            (Self::Coarse, true) => 0.5,
            (Self::Fine, false) => 0.8,
        }
    }
}

/// A sequential probability ratio test (Wald, "Sequential Tests of Statistical Hypotheses", Annals of
/// Mathematical Statistics 1945) of "fails about as often as the unchanged input" against "fails much less
/// often".
///
/// Both hypotheses refer to the rate of the unchanged input and not to that of the current best. Otherwise a
/// reduction could drift away from the original rate in unnoticeably small steps.
///
/// Two rules are additions to Wald's test:
///
/// - A candidate that has never failed is rejected as soon as this is improbable enough for one that fails as
///   often as the input. Most candidates never fail, so they are rejected after a few runs. Each of the two
///   ways to reject has half of the error budget.
/// - The test gives up and rejects after several times the average number of runs of an acceptance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sequential {
    /// The log-likelihood ratio grows by `hit` for a run that shows the failure, and by `miss` for any other
    /// run.
    hit: f64,
    miss: f64,
    accept: f64,
    reject: f64,
    /// After this many runs without a failure the test rejects.
    barren: usize,
    /// After this many runs the test rejects.
    most: usize,
}

impl Sequential {
    /// Returns the test for candidates.
    ///
    /// With d = 1 − `confidence`, a candidate that has lost too much of `rate` is accepted with a probability
    /// of at most d / 10, and one that has lost nothing is rejected with a probability of at most d / 5.
    #[must_use]
    pub fn of_candidates(rate: Rate, confidence: Confidence, care: Care) -> Self {
        let doubt = confidence.doubt();
        Self::new(rate, care, doubt / TUNING.false_accepts, doubt / TUNING.false_rejects)
    }

    /// Returns the test for confirming a current best, with [`Care::Fine`]. Each error has a probability of
    /// at most (1 − `confidence`) / 20.
    #[must_use]
    pub fn of_bests(rate: Rate, confidence: Confidence) -> Self {
        let errors = confidence.doubt() / TUNING.false_confirms;
        Self::new(rate, Care::Fine, errors, errors)
    }

    /// Returns the test with these bounds on false acceptances and false rejections.
    fn new(rate: Rate, care: Care, false_accepts: f64, false_rejects: f64) -> Self {
        let kept = rate.at_least(TUNING.deviations).clamp(1e-6, 1.0 - 1e-6);
        // If the rate is known imprecisely, its lower bound is far below it.
        let lost = (rate.share() * care.lost(rate.share())).min(kept * 0.9);
        let (hit, miss) = ((kept / lost).ln(), ((1.0 - kept) / (1.0 - lost)).ln());
        let false_rejects = false_rejects / 2.0;
        let accept = ((1.0 - false_rejects) / false_accepts).ln();
        let towards = kept * hit + (1.0 - kept) * miss;
        Self {
            hit,
            miss,
            accept,
            reject: (false_rejects / (1.0 - false_accepts)).ln(),
            barren: (false_rejects.ln() / (1.0 - kept).ln()).ceil().max(1.0) as usize,
            most: (TUNING.patience * accept / towards).ceil() as usize,
        }
    }

    /// Returns the decision after these runs, or `None` if another run is needed.
    #[must_use]
    pub fn decide(&self, seen: Rate) -> Option<bool> {
        let misses = seen.runs - seen.interesting;
        let ratio = seen.interesting as f64 * self.hit + misses as f64 * self.miss;
        if ratio >= self.accept {
            return Some(true);
        }
        let is_barren = seen.interesting == 0 && misses >= self.barren;
        (ratio <= self.reject || is_barren || seen.runs >= self.most).then_some(false)
    }

    /// Returns the maximum number of runs.
    #[must_use]
    pub fn most(&self) -> usize {
        self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the probability that a candidate of this rate is accepted, and the average number of its runs.
    /// Both are exact: the probability of every number of hits is tracked.
    fn characteristic(test: &Sequential, rate: f64) -> (f64, f64) {
        let (mut accepted, mut runs) = (0.0, 0.0);
        let mut waiting = vec![1.0];
        for n in 1..=test.most() {
            let mut next = vec![0.0; n + 1];
            for (hits, weight) in waiting.iter().enumerate() {
                next[hits] += weight * (1.0 - rate);
                next[hits + 1] += weight * rate;
            }
            for (hits, weight) in next.iter_mut().enumerate() {
                if let Some(decision) = test.decide(Rate { interesting: hits, runs: n }) {
                    accepted += if decision { *weight } else { 0.0 };
                    runs += *weight * n as f64;
                    *weight = 0.0;
                }
            }
            waiting = next;
        }
        (accepted, runs)
    }

    fn measured(rate: f64) -> Rate {
        let runs = (100.0 / rate).ceil();
        Rate { interesting: (runs * rate).round() as usize, runs: runs as usize }
    }

    const RATES: [f64; 7] = [0.05, 0.2, 0.3, 0.5, 0.7, 0.95, 1.0];

    fn confidence(share: f64) -> Confidence {
        Confidence::new(share).expect("between a half and one")
    }

    #[test]
    fn errors_stay_within_the_bounds_of_the_confidence() {
        for (rate, share) in RATES.iter().flat_map(|&rate| [0.6, 0.9, 0.95].map(|share| (rate, share))) {
            let test = Sequential::of_candidates(measured(rate), confidence(share), Care::Coarse);
            let kept = characteristic(&test, rate).0;
            assert!(kept >= share, "{rate}: {kept} with {share}");
            let accepted = characteristic(&test, rate * Care::Coarse.lost(rate)).0;
            // Wald's bound plus the overshoot of the last run.
            assert!(accepted <= 1.1 * (1.0 - share) / 10.0, "{rate}: {accepted} with {share}");
            assert!(characteristic(&test, 0.0).0 <= 0.0, "what never fails is never accepted");
        }
    }

    #[test]
    fn a_candidate_that_never_fails_is_rejected_after_a_few_runs() {
        for (rate, runs) in [(1.0, 2.0), (0.95, 3.0), (0.7, 6.0), (0.5, 9.0), (0.2, 27.0), (0.05, 115.0)] {
            for care in [Care::Coarse, Care::Fine] {
                let test = Sequential::of_candidates(measured(rate), confidence(0.95), care);
                let (_, taken) = characteristic(&test, 0.0);
                assert!(taken <= runs, "{rate}: {taken}");
            }
        }
    }

    #[test]
    fn a_result_that_kept_its_rate_is_confirmed() {
        for rate in RATES {
            let test = Sequential::of_bests(measured(rate), confidence(0.95));
            assert!(characteristic(&test, rate).0 > 0.997, "{rate}");
            assert!(characteristic(&test, rate * Care::Fine.lost(rate)).0 < 0.003, "{rate}");
        }
    }

    #[test]
    fn the_lower_bound_of_a_rate_is_correct() {
        let rate = Rate { interesting: 14, runs: 20 };
        assert!((rate.at_least(1.96) - 0.481).abs() < 0.001, "{}", rate.at_least(1.96));
        assert!(Rate::default().at_least(1.0) <= 0.0);
        assert!(!rate.is_constant());
        assert!(Rate { interesting: 3, runs: 3 }.is_constant());
    }

    #[test]
    fn a_rarer_failure_needs_more_runs() {
        for (rate, share, runs) in
            [(0.05, 0.95, 59), (0.05, 0.9, 45), (0.01, 0.95, 299), (0.5, 0.95, 5), (0.999, 0.6, 1)]
        {
            let rate = LeastRate::new(rate).expect("between nought and one");
            assert_eq!(rate.runs(confidence(share)), runs, "{rate:?}, {share}");
            assert!((1.0 - rate.share()).powi(runs as i32) <= 1.0 - share);
        }
        for share in [0.0, 1.0, f64::NAN, -1.0, 5.0] {
            assert!(LeastRate::new(share).is_none(), "{share}");
        }
    }

    #[test]
    fn a_confidence_is_more_than_a_half_and_less_than_one() {
        for share in [0.5, 1.0, f64::NAN, -1.0, 95.0] {
            assert!(Confidence::new(share).is_none(), "{share}");
        }
    }
}
