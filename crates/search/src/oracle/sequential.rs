//! Wald's sequential test, as plain numbers: it decides how often a test has to find the failure before a candidate
//! counts.
//!
//! It runs nothing; it is told what the runs said.

/// The confidence of a decision, as a share: more than 0.5, less than 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Confidence(f64);

impl Confidence {
    /// A confidence, if `share` is more than 0.5 and less than 1.
    #[must_use]
    pub fn new(share: f64) -> Option<Self> {
        (share > 0.5 && share < 1.0).then_some(Self(share))
    }

    /// Returns it as a share of 1.
    #[must_use]
    pub fn share(self) -> f64 {
        self.0
    }

    /// The share of decisions that may be wrong.
    fn doubt(self) -> f64 {
        1.0 - self.0
    }
}

/// The least rate of a failure that is waited for, as a share: more than 0, less than 1.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct LeastRate(f64);

impl LeastRate {
    /// A least rate, if `share` is more than 0 and less than 1.
    #[must_use]
    pub fn new(share: f64) -> Option<Self> {
        (share > 0.0 && share < 1.0).then_some(Self(share))
    }

    /// Returns it as a share of 1.
    #[must_use]
    pub fn share(self) -> f64 {
        self.0
    }

    /// Returns the number of runs of which at least one finds a failure of this rate, with this confidence.
    #[must_use]
    pub fn runs(self, confidence: Confidence) -> usize {
        (confidence.doubt().ln() / (-self.0).ln_1p()).ceil().max(1.0) as usize
    }
}

impl Default for LeastRate {
    /// Returns one run in twenty: below that a reduction takes hundreds of runs for each candidate.
    fn default() -> Self {
        Self(0.05)
    }
}

/// The number of runs on the same bytes, and of those that found the failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rate {
    /// Runs that found it.
    pub interesting: usize,
    /// All runs.
    pub runs: usize,
}

impl Rate {
    /// Takes one more run.
    pub fn add(&mut self, is_interesting: bool) {
        self.interesting += usize::from(is_interesting);
        self.runs += 1;
    }

    /// Tells whether the runs agree, so far.
    #[must_use]
    pub fn is_constant(self) -> bool {
        self.interesting == 0 || self.interesting == self.runs
    }

    /// Returns it as a share of 1; 0 without a run.
    #[must_use]
    pub fn share(self) -> f64 {
        if self.runs == 0 { 0.0 } else { self.interesting as f64 / self.runs as f64 }
    }

    /// The lower end of Wilson's score interval ("Probable Inference, the Law of Succession, and Statistical
    /// Inference", JASA 1927) for this many standard deviations.
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

/// The numbers that were tuned.
struct Tuning {
    /// The true rate may be lower than the measured one by this many standard deviations.
    deviations: f64,
    /// Below this rate the input fails rarely: there it takes several times the runs to tell rates apart.
    rare: f64,
    /// The test gives up after this many times the runs that an acceptance takes on average.
    patience: f64,
    /// False acceptances are made rarer by this than the confidence asks for: many candidates are tried, and each
    /// false one is built upon.
    false_accepts: f64,
    /// False rejections of candidates are made rarer by this: one may have been the last way to a smaller result.
    false_rejects: f64,
    /// The same for what confirms a best, either way: to be wrong there costs far more runs than to be sure.
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

/// The part of the unchanged input's rate that a candidate has to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// A candidate that has lost a third of the rate must not pass (a half, where the input fails rarely). This is
    /// enough where a candidate either fails as the input does or not at all, as most do.
    Coarse,
    /// A candidate that has lost a fifth of the rate must not pass (a third, where the input fails rarely).
    Fine,
}

impl Care {
    /// The share of a rate that must not pass.
    fn lost(self, rate: f64) -> f64 {
        match (self, rate < TUNING.rare) {
            (Self::Coarse, false) | (Self::Fine, true) => 2.0 / 3.0,
            (Self::Coarse, true) => 0.5,
            (Self::Fine, false) => 0.8,
        }
    }
}

/// A sequential probability ratio test (Wald, "Sequential Tests of Statistical Hypotheses", Annals of Mathematical
/// Statistics 1945) of "fails about as often as the unchanged input" against "has lost too much of that".
///
/// Both hypotheses are about the unchanged input's rate, whatever the best's rate is: else a reduction could drift
/// away from it in steps that are too small to be seen.
///
/// Two things are not Wald's.
/// A candidate that has not failed once is rejected as soon as that is unlikely enough for one that fails as the
/// input does: most candidates do not fail at all, and they are done with in a few runs; each of the two ways to
/// reject has half of the allowed errors.
/// And it gives up, rejecting, after several times as many runs as an acceptance takes on average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sequential {
    /// The logarithm of the likelihood ratio grows by this for a run that finds the failure, and by `miss` for one that
    /// does not.
    hit: f64,
    miss: f64,
    accept: f64,
    reject: f64,
    /// After this many misses and no hit the test rejects.
    barren: usize,
    /// After this many runs the test rejects.
    most: usize,
}

impl Sequential {
    /// The test for candidates.
    ///
    /// One that has lost too much of the input's `rate` is accepted with a probability of at most a tenth of what
    /// `confidence` leaves, one that has lost nothing is rejected with a probability of at most a fifth of it.
    #[must_use]
    pub fn of_candidates(rate: Rate, confidence: Confidence, care: Care) -> Self {
        let doubt = confidence.doubt();
        Self::new(rate, care, doubt / TUNING.false_accepts, doubt / TUNING.false_rejects)
    }

    /// The test for bests that are confirmed, with [`Care::Fine`]: wrong either way with a probability of at most a
    /// twentieth of what `confidence` leaves.
    #[must_use]
    pub fn of_bests(rate: Rate, confidence: Confidence) -> Self {
        let errors = confidence.doubt() / TUNING.false_confirms;
        Self::new(rate, Care::Fine, errors, errors)
    }

    /// The test with these bounds on false acceptances and on false rejections.
    fn new(rate: Rate, care: Care, false_accepts: f64, false_rejects: f64) -> Self {
        let kept = rate.at_least(TUNING.deviations).clamp(1e-6, 1.0 - 1e-6);
        // A rate that is known badly has a lower end that is far below it.
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

    /// Returns the decision after these runs; `None` if one more is needed.
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

    /// The most runs that it takes.
    #[must_use]
    pub fn most(&self) -> usize {
        self.most
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the probability that a candidate of this rate is accepted, and the average number of its runs. Both are
    /// exact, since the probability of each number of hits is followed.
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
    fn errors_stay_within_the_bounds_that_the_confidence_asks_for() {
        for (rate, share) in RATES.iter().flat_map(|&rate| [0.6, 0.9, 0.95].map(|share| (rate, share))) {
            let test = Sequential::of_candidates(measured(rate), confidence(share), Care::Coarse);
            let kept = characteristic(&test, rate).0;
            assert!(kept >= share, "{rate}: {kept} with {share}");
            let accepted = characteristic(&test, rate * Care::Coarse.lost(rate)).0;
            // Wald's bound, and what stopping late adds to it.
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
    fn a_best_that_has_kept_its_rate_is_confirmed() {
        for rate in RATES {
            let test = Sequential::of_bests(measured(rate), confidence(0.95));
            assert!(characteristic(&test, rate).0 > 0.997, "{rate}");
            assert!(characteristic(&test, rate * Care::Fine.lost(rate)).0 < 0.003, "{rate}");
        }
    }

    #[test]
    fn a_rate_knows_its_lower_end() {
        let rate = Rate { interesting: 14, runs: 20 };
        assert!((rate.at_least(1.96) - 0.481).abs() < 0.001, "{}", rate.at_least(1.96));
        assert!(Rate::default().at_least(1.0) <= 0.0);
        assert!(!rate.is_constant());
        assert!(Rate { interesting: 3, runs: 3 }.is_constant());
    }

    #[test]
    fn a_failure_that_is_rarer_is_waited_for_in_more_runs() {
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
