//! Repeats a flaky oracle until its verdict is statistically reliable.
//!
//! The failure rate of the unchanged input is measured elsewhere and passed in.

use super::{Care, Confidence, NoVerdict, Oracle, Rate, Sequential};
use crate::{Cause, Verdict};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// The state shared by the runs of an oracle: their number, and the statistical test.
#[derive(Debug, Default)]
pub struct Trials {
    /// The tests for candidates and for confirmations; `None` while a single run is enough.
    tests: RwLock<Option<[Sequential; 2]>>,
    runs: AtomicUsize,
    stop: Option<Arc<AtomicBool>>,
}

impl Trials {
    /// Creates trials that end early with [`NoVerdict::Interrupted`] once `stop` is set.
    #[must_use]
    pub fn new(stop: Option<Arc<AtomicBool>>) -> Self {
        Self { stop, ..Self::default() }
    }

    /// Sets the failure rate of the unchanged input. From now on, each candidate is run until it is clear
    /// whether it fails about as often as `rate`.
    pub fn expect(&self, rate: Rate, confidence: Confidence, care: Care) {
        let of_candidates = Sequential::of_candidates(rate, confidence, care);
        let tests = Some([of_candidates, Sequential::of_bests(rate, confidence)]);
        *self.tests.write().unwrap_or_else(PoisonError::into_inner) = tests;
    }

    fn tests(&self) -> Option<[Sequential; 2]> {
        *self.tests.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of runs of the oracle.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.runs.load(Ordering::Relaxed)
    }

    fn is_stopped(&self, cancelled: &AtomicBool) -> bool {
        let stop = self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
        stop || cancelled.load(Ordering::Relaxed)
    }
}

/// The result of several runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Interesting if the candidate failed often enough, unresolved if every run was unresolved.
    pub verdict: Verdict,
    /// The number of runs, and of runs that showed the failure.
    pub seen: Rate,
}

/// Runs an oracle once for each candidate; once its [`Trials`] know a failure rate, as often as necessary.
///
/// An unresolved run counts as one that did not show the failure.
#[derive(Debug)]
pub struct Repeated<'o, O: ?Sized> {
    oracle: &'o O,
    trials: &'o Trials,
}

impl<'o, O: Oracle + ?Sized> Repeated<'o, O> {
    /// Wraps `oracle`, repeated according to `trials`.
    #[must_use]
    pub fn new(oracle: &'o O, trials: &'o Trials) -> Self {
        Self { oracle, trials }
    }

    /// Returns the state that is shared between oracles.
    #[must_use]
    pub fn trials(&self) -> &'o Trials {
        self.trials
    }

    /// Runs the oracle once, regardless of the rate.
    ///
    /// # Errors
    /// Returns the same errors as [`Oracle::probe`].
    pub fn once(&self, candidate: &[u8]) -> Result<Verdict, NoVerdict> {
        self.trials.runs.fetch_add(1, Ordering::Relaxed);
        self.oracle.probe(candidate)
    }

    /// Confirms a current best, independently of earlier runs and with a lower error probability than for a
    /// candidate. If no rate is known, a single run decides.
    ///
    /// # Errors
    /// Returns the same errors as [`Oracle::probe`].
    pub fn confirm(&self, best: &[u8]) -> Result<Decision, NoVerdict> {
        let test = self.trials.tests().map(|[_, of_bests]| of_bests);
        self.decide(test, &AtomicBool::new(false), || self.oracle.probe(best))
    }

    fn decide(
        &self,
        test: Option<Sequential>,
        cancelled: &AtomicBool,
        run: impl Fn() -> Result<Verdict, NoVerdict>,
    ) -> Result<Decision, NoVerdict> {
        let (mut seen, mut unresolved) = (Rate::default(), None);
        loop {
            if seen.runs > 0 && self.trials.is_stopped(cancelled) {
                return Err(NoVerdict::Interrupted);
            }
            self.trials.runs.fetch_add(1, Ordering::Relaxed);
            let verdict = run()?;
            let Some(test) = test else {
                seen.add(verdict.is_interesting());
                return Ok(Decision { verdict, seen });
            };
            unresolved = unresolved_so_far(unresolved, seen.runs == 0, verdict);
            seen.add(verdict.is_interesting());
            match test.decide(seen) {
                Some(true) => return Ok(Decision { verdict: Verdict::Interesting, seen }),
                Some(false) => {
                    let verdict = unresolved.map_or(Verdict::Uninteresting, Verdict::Unresolved);
                    return Ok(Decision { verdict, seen });
                }
                None => {}
            }
        }
    }
}

/// Returns the common cause if every run so far was unresolved. A timeout takes precedence, so that the
/// candidate is tested again.
fn unresolved_so_far(before: Option<Cause>, is_first: bool, verdict: Verdict) -> Option<Cause> {
    match (verdict, before) {
        (Verdict::Unresolved(Cause::Timeout), Some(_)) => Some(Cause::Timeout),
        (Verdict::Unresolved(_), Some(cause)) => Some(cause),
        (Verdict::Unresolved(cause), None) if is_first => Some(cause),
        _ => None,
    }
}

impl<O: Oracle + ?Sized> Oracle for Repeated<'_, O> {
    fn probe(&self, candidate: &[u8]) -> Result<Verdict, NoVerdict> {
        let test = self.trials.tests().map(|[of_candidates, _]| of_candidates);
        let decision = self.decide(test, &AtomicBool::new(false), || self.oracle.probe(candidate));
        decision.map(|decision| decision.verdict)
    }

    fn probe_unless(&self, candidate: &[u8], cancelled: &AtomicBool) -> Result<Verdict, NoVerdict> {
        let test = self.trials.tests().map(|[of_candidates, _]| of_candidates);
        let decision = self.decide(test, cancelled, || self.oracle.probe_unless(candidate, cancelled));
        decision.map(|decision| decision.verdict)
    }

    fn room(&self) -> Option<usize> {
        self.oracle.room()
    }

    fn counted(&self, candidate: &[u8], verdict: Verdict) -> Result<Verdict, NoVerdict> {
        self.oracle.counted(candidate, verdict)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn trials() -> Trials {
        let trials = Trials::default();
        let confidence = Confidence::new(0.95).expect("between a half and one");
        trials.expect(Rate { interesting: 70, runs: 100 }, confidence, Care::Coarse);
        trials
    }

    #[test]
    fn without_a_rate_every_verdict_is_passed_on() {
        let trials = Trials::default();
        for verdict in [Verdict::Interesting, Verdict::Uninteresting, Verdict::Unresolved(Cause::Timeout)] {
            let oracle = |_: &[u8]| verdict;
            let repeated = Repeated::new(&oracle, &trials);
            assert_eq!(repeated.probe(b"x").expect("a verdict"), verdict);
            assert_eq!(repeated.confirm(b"x").expect("a decision").verdict, verdict);
        }
        assert_eq!(trials.runs(), 6);
    }

    #[test]
    fn with_a_rate_a_candidate_is_interesting_if_it_fails_often_enough() {
        let (trials, runs) = (trials(), Cell::new(0));
        let oracle = |_: &[u8]| {
            runs.set(runs.get() + 1);
            if runs.get() % 3 == 0 { Verdict::Uninteresting } else { Verdict::Interesting }
        };
        let repeated = Repeated::new(&oracle, &trials);
        assert_eq!(repeated.probe(b"x").expect("a verdict"), Verdict::Interesting);
        assert!(runs.get() > 20, "{}", runs.get());
        assert_eq!(trials.runs(), runs.get());
        let rare = |_: &[u8]| {
            runs.set(runs.get() + 1);
            if runs.get() % 3 == 0 { Verdict::Interesting } else { Verdict::Uninteresting }
        };
        assert_eq!(Repeated::new(&rare, &trials).probe(b"x").expect("a verdict"), Verdict::Uninteresting);
    }

    #[test]
    fn unresolved_runs_are_misses_unless_all_runs_are_unresolved() {
        let trials = trials();
        let (test, timeout) = (Verdict::Unresolved(Cause::Test), Verdict::Unresolved(Cause::Timeout));
        for (script, expected) in [
            ([test, test], test),
            ([test, timeout], timeout),
            ([timeout, test], timeout),
            ([test, Verdict::Uninteresting], Verdict::Uninteresting),
            ([Verdict::Uninteresting, timeout], Verdict::Uninteresting),
        ] {
            let runs = Cell::new(0);
            let oracle = |_: &[u8]| {
                runs.set(runs.get() + 1);
                script[(runs.get() - 1) % 2]
            };
            let repeated = Repeated::new(&oracle, &trials);
            assert_eq!(repeated.probe(b"x").expect("a verdict"), expected);
            assert_eq!(runs.get(), 6);
        }
    }

    #[test]
    fn a_cancelled_decision_makes_no_further_run() {
        let (trials, cancelled, runs) = (trials(), AtomicBool::new(false), Cell::new(0));
        let oracle = |_: &[u8]| {
            runs.set(runs.get() + 1);
            cancelled.store(runs.get() == 5, Ordering::Relaxed);
            Verdict::Interesting
        };
        let repeated = Repeated::new(&oracle, &trials);
        assert!(matches!(repeated.probe_unless(b"x", &cancelled), Err(NoVerdict::Interrupted)));
        assert_eq!(runs.get(), 5);
    }
}
