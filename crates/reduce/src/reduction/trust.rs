//! Checks whether the oracle can be trusted, by probing the unchanged input and bests again.
//!
//! The oracle decides how many runs a verdict needs. This module decides when a best is probed again, and what is
//! reverted if it is no longer interesting.

use super::{Driver, Engine, Error, Flakiness, size};
use crate::event::{Event, Size};
use nubbin_search::Verdict;
use nubbin_search::oracle::{self, Care, Confidence, Decision, LeastRate, Oracle, Rate, Record, Repeated};
use nubbin_search::schedule::{self, Cache, name};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The default number of initial probes of the unchanged input.
pub(super) const CONFIRM: usize = 3;
struct Tuning {
    /// The minimum number of probes between two confirmations. A confirmation waits for the end of the running pass.
    every: usize,
    /// The number of runs from which a failure rate is shown to the user.
    measured: usize,
    /// The number of failures after which the failure rate of the unchanged input is precise enough. The rate is then
    /// known with a relative error of about a tenth, however low it is (inverse sampling: Haldane, "On a Method of
    /// Estimating Frequencies", Biometrika 1945). Each time that a best is doubted, the same number of additional
    /// failures is required, up to ten times as many in total.
    hits: usize,
    /// The number of runs after which the measurement ends even without enough failures.
    most_runs: usize,
    /// The number of times that a best is probed again after a timeout before that counts.
    patience: usize,
    /// The approximate maximum size of all earlier bests that are kept, in bytes.
    kept: usize,
}

const TUNING: Tuning =
    Tuning { every: 200, measured: 20, hits: 100, most_runs: 1000, patience: 3, kept: 64 << 20 };

/// An earlier best that can be restored.
#[derive(Clone, Debug)]
struct OlderBest {
    /// The index of the step at which it was accepted, counted from the confirmed best.
    step: usize,
    best: Arc<[u8]>,
}

/// The bests since the last confirmed one.
#[derive(Debug)]
pub(super) struct History {
    input: Arc<[u8]>,
    confirmed: Arc<[u8]>,
    /// The bests since then, the oldest first. Some are dropped to limit memory.
    since: Vec<OlderBest>,
    steps: usize,
    /// Whether no candidate was ever accepted and the input has not been probed again.
    is_input: bool,
    /// Whether earlier bests are kept, because steps may have to be reverted.
    keeps: bool,
    /// The number of probes at which the next confirmation is due; `None` if single verdicts are trusted.
    due: Option<usize>,
}

impl History {
    pub fn new(input: Arc<[u8]>, keeps: bool, trusts: bool) -> Self {
        Self {
            input: Arc::clone(&input),
            confirmed: input,
            since: Vec::new(),
            steps: 0,
            is_input: true,
            keeps,
            due: (!trusts).then_some(TUNING.every),
        }
    }

    /// Records a new best.
    pub fn accepted(&mut self, best: &Arc<[u8]>) {
        self.steps += 1;
        self.is_input = false;
        if !self.keeps {
            self.since.clear();
        }
        self.since.push(OlderBest { step: self.steps, best: Arc::clone(best) });
        let bytes: usize = self.since.iter().map(|kept| kept.best.len()).sum();
        if bytes > TUNING.kept && self.since.len() > 2 {
            self.thin();
        }
    }

    /// Drops every second of the earlier bests.
    fn thin(&mut self) {
        let last = self.since.len() - 1;
        let mut at = 0;
        self.since.retain(|_| {
            at += 1;
            at % 2 == 0 || at > last
        });
    }

    /// Returns whether the current best has changed since the last confirmation.
    fn has_changed(&self) -> bool {
        !self.since.is_empty()
    }

    /// Returns whether a confirmation is due at the end of a pass, after this many probes.
    pub fn is_due(&self, probes: usize) -> bool {
        self.has_changed() && self.due.is_some_and(|due| probes >= due)
    }

    /// Records that `best` is confirmed.
    fn confirm(&mut self, best: Arc<[u8]>, probes: usize) {
        self.confirmed = best;
        self.since.clear();
        self.steps = 0;
        self.due = self.due.map(|_| probes + TUNING.every);
    }
}

/// The oracle without the record that the search uses.
pub(super) struct Trust<'o> {
    oracle: Repeated<'o, dyn Oracle + 'o>,
    /// The record of the verdicts, if any. It returns repeated verdicts on the same text in their original order.
    record: Option<&'o dyn Record>,
    confidence: Option<Confidence>,
    /// The number of initial probes of the unchanged input.
    confirm: usize,
    /// The number of runs without any failure after which the unchanged input counts as not interesting.
    barren: usize,
    /// The failure rate of the unchanged input, if measured.
    input: Option<Rate>,
    /// The failure rate of the text that was confirmed last.
    best: Rate,
    spent: Duration,
    /// The number of probes of this module that were run.
    runs: usize,
    /// The number of probes of this module whose verdicts were recalled.
    recalled: usize,
}

impl<'o> Trust<'o> {
    pub fn new(
        oracle: Repeated<'o, dyn Oracle + 'o>,
        record: Option<&'o dyn Record>,
        flaky: Option<(Confidence, LeastRate)>,
        confirm: usize,
    ) -> Self {
        let confidence = flaky.map(|(confidence, _)| confidence);
        let barren = flaky.map_or(0, |(confidence, rate)| rate.runs(confidence));
        let (input, best, spent) = (None, Rate::default(), Duration::ZERO);
        Self { oracle, record, confidence, confirm, barren, input, best, spent, runs: 0, recalled: 0 }
    }

    /// Returns the time spent waiting for the oracle in this module.
    pub fn spent(&self) -> Duration {
        self.spent
    }

    /// Returns the number of probes of this module.
    pub fn probes(&self) -> usize {
        self.runs
    }

    /// Returns the number of recalled verdicts of this module.
    pub fn recalled(&self) -> usize {
        self.recalled
    }

    /// Returns the number of all runs of the oracle.
    pub fn runs(&self) -> usize {
        self.oracle.trials().runs()
    }

    /// Probes the unchanged input again if nothing else was interesting: an oracle that depends on the state left by
    /// its first run rejects everything afterwards.
    ///
    /// # Errors
    /// Returns an error if the input is not interesting.
    fn check_input(&mut self, engine: &mut Engine<'_, '_, '_>) -> Result<(), Error> {
        let input = Arc::clone(&engine.best);
        let decision = self.decide(engine, &input)?;
        if decision.verdict.is_interesting() {
            let probes = engine.counts.probes;
            engine.history.confirm(input, probes);
            engine.history.is_input = false;
            return Ok(());
        }
        let rate = self.measure(engine, &input, decision.seen)?;
        Err(Error::Flaky { rate, reduced: false })
    }

    /// Returns what is known about a flaky oracle, or `None` if flakiness is not allowed.
    pub fn flakiness(&self) -> Option<Flakiness> {
        let (input, confidence) = (self.input?, self.confidence?);
        Some(Flakiness { input, confidence, best: self.best })
    }

    /// Returns whether the failure rate of the unchanged input must be known before a verdict on a candidate counts.
    pub fn is_to_measure(&self) -> bool {
        self.confidence.is_some()
    }

    /// Runs the oracle once on `bytes`, as a probe.
    fn once(&mut self, engine: &mut Engine<'_, '_, '_>, bytes: &[u8]) -> Result<Verdict, Error> {
        engine.may_probe()?;
        let decision = self.again(bytes, |oracle| {
            let verdict = oracle.once(bytes)?;
            Ok(Decision { verdict, seen: Rate::default() })
        })?;
        engine.probed(decision.verdict);
        Ok(decision.verdict)
    }

    /// Returns the decision of the oracle about `bytes` now, or the recorded verdict for this point.
    fn again(
        &mut self,
        bytes: &[u8],
        ask: impl FnOnce(&Repeated<'o, dyn Oracle + 'o>) -> Result<Decision, oracle::NoVerdict>,
    ) -> Result<Decision, Error> {
        let name = schedule::name(bytes);
        if let Some(record) = self.record {
            record.ask_again(&name);
            if let Some(verdict) = record.find(&name) {
                self.recalled += 1;
                let mut seen = Rate::default();
                seen.add(verdict.is_interesting());
                return Ok(Decision { verdict, seen });
            }
        }
        let start = Instant::now();
        let decision = ask(&self.oracle);
        self.spent += start.elapsed();
        let decision = decision?;
        self.runs += 1;
        if let Some(record) = self.record {
            record.add(&name, decision.verdict);
        }
        Ok(decision)
    }

    /// Decides about the current best or an earlier one. This counts as one probe, even if it takes several runs.
    fn decide(&mut self, engine: &mut Engine<'_, '_, '_>, best: &[u8]) -> Result<Decision, Error> {
        engine.may_probe()?;
        let decision = self.again(best, |oracle| oracle.confirm(best))?;
        engine.probed(decision.verdict);
        Ok(decision)
    }

    /// Runs the oracle on `bytes` until `rate` has enough runs to be shown to the user.
    fn measure(
        &mut self,
        engine: &mut Engine<'_, '_, '_>,
        bytes: &[u8],
        mut rate: Rate,
    ) -> Result<Rate, Error> {
        while rate.runs < TUNING.measured {
            rate.add(self.once(engine, bytes)?.is_interesting());
        }
        Ok(rate)
    }

    /// Probes the unchanged input until it is clear whether the oracle is flaky, and if so, measures the failure rate.
    ///
    /// # Errors
    /// Returns an error if the input is not interesting, or if the oracle is flaky without permission.
    pub fn begin(
        &mut self,
        engine: &mut Engine<'_, '_, '_>,
        input: &[u8],
        first: Verdict,
    ) -> Result<(), Error> {
        let mut rate = Rate::default();
        rate.add(first.is_interesting());
        while rate.runs < self.confirm {
            rate.add(self.once(engine, input)?.is_interesting());
        }
        while rate.interesting == 0 && rate.runs < self.barren {
            rate.add(self.once(engine, input)?.is_interesting());
        }
        if !rate.is_constant() || self.confidence.is_some() && rate.interesting > 0 {
            rate = self.measure(engine, input, rate)?;
        }
        if rate.interesting == 0 {
            return Err(Error::NotInteresting(first));
        }
        let Some(confidence) = self.confidence else {
            return if rate.is_constant() { Ok(()) } else { Err(Error::Flaky { rate, reduced: false }) };
        };
        self.best = rate;
        self.expect(engine, rate, confidence, Care::Coarse)
    }

    /// Measures the failure rate of the unchanged input more precisely, and decides by the new rate from now on. These
    /// runs do not count as probes.
    fn expect(
        &mut self,
        engine: &mut Engine<'_, '_, '_>,
        mut rate: Rate,
        confidence: Confidence,
        care: Care,
    ) -> Result<(), Error> {
        let input = Arc::clone(&engine.history.input);
        let (hits, runs) = (
            rate.interesting / TUNING.hits * TUNING.hits + TUNING.hits,
            rate.runs / TUNING.most_runs * TUNING.most_runs + TUNING.most_runs,
        );
        while rate.interesting < hits && rate.runs < runs && rate.interesting < 10 * TUNING.hits {
            let (runs, recalled) = (self.runs, self.recalled);
            let decision = self.again(&input, |oracle| {
                let verdict = oracle.once(&input)?;
                Ok(Decision { verdict, seen: Rate::default() })
            })?;
            (self.runs, self.recalled) = (runs, recalled);
            rate.add(decision.verdict.is_interesting());
        }
        self.oracle.trials().expect(rate, confidence, care);
        self.input = Some(rate);
        engine.sink.event(Event::Measured { interesting: rate.interesting, runs: rate.runs });
        Ok(())
    }

    /// Probes the current best again. Returns `None` if it is still interesting, and otherwise the earlier best that
    /// replaces it.
    ///
    /// # Errors
    /// Returns an error if it is no longer interesting and flakiness is not allowed.
    fn check(&mut self, engine: &mut Engine<'_, '_, '_>) -> Result<Option<Older>, Error> {
        let best = Arc::clone(&engine.best);
        let mut decision = self.decide(engine, &best)?;
        let mut patience = TUNING.patience;
        while !decision.verdict.is_lasting() && patience > 0 {
            patience -= 1;
            decision = self.decide(engine, &best)?;
        }
        if let (false, Some(rate), Some(confidence)) =
            (decision.verdict.is_interesting(), self.input, self.confidence)
        {
            // Either the current best fails too seldom, or the rate with which it is compared is wrong.
            self.expect(engine, rate, confidence, Care::Fine)?;
            decision = self.decide(engine, &best)?;
        }
        if decision.verdict.is_interesting() {
            self.best = decision.seen;
            let probes = engine.counts.probes;
            engine.history.confirm(best, probes);
            return Ok(None);
        }
        if self.confidence.is_none() {
            let rate = self.measure(engine, &best, decision.seen)?;
            return Err(Error::Flaky { rate, reduced: true });
        }
        self.go_back(engine).map(Some)
    }

    /// Finds an earlier best that is confirmed, and the next one that is not.
    ///
    /// The search goes back in doubling steps and then bisects the last step (Bentley and Yao, "An Almost Optimal
    /// Algorithm for Unbounded Searching", IPL 1976). It assumes that all bests after a wrong one are wrong. The result
    /// does not depend on this assumption, because the earlier best has been confirmed itself.
    fn go_back(&mut self, engine: &mut Engine<'_, '_, '_>) -> Result<Older, Error> {
        let since = engine.history.since.clone();
        let mut wrong = vec![Arc::clone(&engine.best)];
        // Invariant: the first `good` bests are interesting, and the one at `bad` is not.
        let (mut good, mut bad, mut stride) = (0, since.len() - 1, 1);
        while good < bad {
            let at = if stride > 0 { bad.saturating_sub(stride) } else { usize::midpoint(good, bad) };
            let decision = match self.decide(engine, &since[at].best) {
                // The earlier best has been confirmed already.
                Err(Error::Oracle(oracle::NoVerdict::Interrupted)) => break,
                decision => decision?,
            };
            if decision.verdict.is_interesting() {
                (good, stride) = (at + 1, 0);
                self.best = decision.seen;
            } else {
                wrong.push(Arc::clone(&since[at].best));
                (bad, stride) = (at, stride * 2);
            }
        }
        let newest = since.last().map_or(0, |kept| kept.step);
        let (step, best) = match good.checked_sub(1).map(|at| &since[at]) {
            Some(kept) => (kept.step, Arc::clone(&kept.best)),
            None => (0, Arc::clone(&engine.history.confirmed)),
        };
        Ok(Older { steps: newest - step, best, wrong })
    }
}

/// An earlier best that replaces the current one.
struct Older {
    /// The number of reverted steps.
    steps: usize,
    best: Arc<[u8]>,
    /// The bests that were not confirmed. They are known not to be interesting.
    wrong: Vec<Arc<[u8]>>,
}

impl Driver<'_, '_, '_, '_, '_> {
    /// Probes the unchanged input again before anything is called proven, if no candidate was ever accepted.
    pub(super) fn confirm_input(&mut self) -> Result<(), Error> {
        let engine = &mut self.engine;
        let is_due =
            engine.history.due.is_some() && engine.history.is_input && self.trust.confidence.is_none();
        if !is_due || engine.left() == Some(0) {
            return Ok(());
        }
        engine.report();
        engine.running = Some(("confirm", engine.counts, engine.size));
        let answer = self.trust.check_input(engine);
        engine.report();
        answer
    }

    /// Probes the current best again if it has changed since the last confirmation. If it is no longer interesting, an
    /// earlier best replaces it, everything found since is discarded, and the function returns `true`.
    pub(super) fn confirm(&mut self, cache: &mut Cache) -> Result<bool, Error> {
        let engine = &mut self.engine;
        if engine.history.due.is_none() || !engine.history.has_changed() {
            return Ok(false);
        }
        let running = engine.running.map(|(pass, counts, _)| (pass, counts.probes));
        // If the running pass has used probes, its work so far is reported. Otherwise it has not run yet.
        if running.is_some_and(|(_, probes)| probes < engine.counts.probes) {
            engine.report();
        }
        engine.running = Some(("confirm", engine.counts, engine.size));
        let older = self.trust.check(engine);
        engine.report();
        let older = older?;
        engine.running = running.map(|(pass, _)| (pass, engine.counts, engine.size));
        let Some(older) = older else { return Ok(false) };
        for wrong in &older.wrong {
            cache.insert(name(wrong), engine.control.objective.rank(size(wrong)));
        }
        engine.running = None;
        engine.undo(older.steps, older.best)?;
        Ok(true)
    }
}

impl Engine<'_, '_, '_> {
    /// Restores an earlier best. It is stored before anything else happens.
    fn undo(&mut self, steps: usize, best: Arc<[u8]>) -> Result<(), Error> {
        if let Some(keeper) = &mut self.keeper {
            keeper.undone(steps, &best)?;
        }
        let size: Size = size(&best);
        // The run begins again with new states.
        (self.best, self.size, self.number) = (Arc::clone(&best), size, 0);
        self.sink.event(Event::Undone { steps, size, best: &best });
        self.history.confirm(best, self.counts.probes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(steps: usize, length: usize) -> History {
        let mut history = History::new(Arc::default(), true, false);
        for _ in 0..steps {
            history.accepted(&vec![0; length].into());
        }
        history
    }

    #[test]
    fn a_history_of_large_bests_is_thinned_and_keeps_the_newest() {
        let history = history(40, TUNING.kept / 10);
        let steps: Vec<usize> = history.since.iter().map(|kept| kept.step).collect();
        assert!(steps.len() <= 11, "{steps:?}");
        assert_eq!(steps.last(), Some(&40));
        assert!(steps.is_sorted());
    }

    #[test]
    fn a_confirmation_is_due_once_the_best_has_changed_and_enough_was_probed() {
        let mut history = history(0, 1);
        assert!(!history.is_due(10 * TUNING.every));
        history.accepted(&Arc::default());
        assert!(!history.is_due(TUNING.every - 1));
        assert!(history.is_due(TUNING.every));
        history.confirm(Arc::default(), 300);
        history.accepted(&Arc::default());
        assert!(!history.is_due(TUNING.every + 299));
        assert!(history.is_due(TUNING.every + 300));
    }

    #[test]
    fn where_one_verdict_is_trusted_no_confirmation_is_due() {
        let mut history = History::new(Arc::default(), false, true);
        history.accepted(&Arc::default());
        assert!(!history.is_due(usize::MAX));
    }
}
