//! Answers probes after the initial runs: with their verdicts, from servers, from a cluster, or by a new run.

use super::Baseline;
use crate::beside::{Company, Measured};
use crate::failure::Failure;
use crate::settings::Settings;
use crate::slow::Slow;
use crate::stop::Stop;
use nubbin_language::Language;
use nubbin_oracle::{CommandRun, Error, NoVerdict, Oracle, Served, Shape, Status, Tracing};
use nubbin_reduce::{Coverage, MARKS, Reached};
use nubbin_search::Verdict;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

impl Baseline<'_> {
    /// Runs the oracle on the input that must pass and treats its exit status there as passing. Returns the status
    /// and the verdict.
    ///
    /// # Errors
    /// Returns an error when it cannot be run.
    pub fn learn_passing(&mut self, passing: &[u8]) -> Result<(Status, Verdict), Error> {
        let run = self.oracle.run(passing)?;
        if !run.verdict.is_interesting() {
            self.oracle = self.oracle.clone().passing(run.status);
        }
        Ok((run.status, run.verdict))
    }

    /// Returns whether the failure to keep is a syntax error, which almost any malformed input causes.
    pub fn is_about_syntax(&self) -> bool {
        let message = self.failure.as_ref().and_then(|failure| failure.message.as_ref());
        message.is_some_and(|message| message.beside.is_some() && message.signature.is_about_syntax())
    }

    /// Returns whether the failure was learned, not requested by the user, and ends with this status.
    pub fn keeps(&self, status: Status) -> bool {
        self.learned.ends.is_some_and(|ends| ends.status() == status)
    }

    /// Returns whether a candidate is interesting in a fresh directory.
    ///
    /// # Errors
    /// Returns an error when the oracle cannot be run.
    pub fn is_interesting_afresh(&self, candidate: &[u8]) -> Result<bool, Error> {
        let fresh = self.oracle.clone().shape(Shape::Tree { is_kept: false });
        fresh.run(candidate).map(|run| run.verdict.is_interesting())
    }

    /// Runs the oracle, or returns `None` if that is not possible at the moment.
    pub fn run(&self, candidate: &[u8]) -> Option<CommandRun> {
        self.oracle.run(candidate).ok()
    }

    /// Runs a candidate once more, for at most `limit` and even after a stop, and returns whether it is interesting.
    pub fn is_interesting_in(&self, limit: Duration, candidate: &[u8]) -> bool {
        let oracle = self.oracle.clone().stop(Arc::default()).limit(limit);
        oracle.run(candidate).is_ok_and(|run| run.verdict.is_interesting()) && self.agrees(candidate)
    }

    /// Returns whether the failure is that the command hangs.
    pub fn is_hang(&self) -> bool {
        self.failure.as_ref().is_some_and(|failure| failure.status == Some(Status::TimedOut))
    }

    /// Returns the time limit of a run.
    pub fn time_limit(&self) -> Duration {
        self.oracle.time_limit()
    }

    /// Sets the time limit of all later runs.
    pub fn lengthen(&self, limit: Duration) {
        self.oracle.lengthen(limit);
    }

    /// Returns whether a candidate is interesting under the time limit `limit`; `None` if it cannot be run.
    pub fn is_interesting_with(&self, limit: Duration, candidate: &[u8]) -> Option<bool> {
        let run = self.oracle.clone().limit(limit).run(candidate).ok()?;
        Some(run.verdict.is_interesting())
    }

    /// Returns whether an interesting candidate is also slow enough, if that is the failure, and meets all
    /// conditions.
    fn agrees(&self, candidate: &[u8]) -> bool {
        let judged = |slow: &Slow| slow.judge(candidate, || self.oracle.probe(candidate));
        let is_slow = self.slow.as_deref().is_none_or(|slow| judged(slow).is_ok_and(Verdict::is_interesting));
        is_slow && self.company.as_ref().is_none_or(|company| company.agrees(candidate))
    }

    fn asked(&self) -> &dyn Oracle {
        match &self.served {
            Some(served) => served,
            None => &self.oracle,
        }
    }

    /// Starts to use a cluster for candidates, if the settings name one.
    ///
    /// # Errors
    /// Returns an error when it cannot be used.
    #[cfg(feature = "remote")]
    pub fn spread(&mut self, settings: &Settings, stop: &Stop) -> Result<(), Failure> {
        self.spread = crate::remote::reach(settings, &self.oracle, self.input, stop)?;
        if let Some(spread) = &self.spread {
            settings.voice.say(&spread.told());
        }
        Ok(())
    }

    /// Runs the additional commands on the unchanged input, and from now on for each candidate.
    ///
    /// # Errors
    /// Returns an error if one of them does not succeed there, or cannot be run.
    pub fn accompany(
        &mut self,
        settings: &Settings,
        language: Option<&Language>,
        stop: &Stop,
    ) -> Result<(), Failure> {
        let around = (&self.learned.surroundings, self.limits);
        self.company = Company::new(settings, self.input, language, stop, around)?;
        Ok(())
    }

    /// Returns the metric of the unchanged input and of a result, if one is measured.
    pub fn measured(&self, result: &[u8]) -> Option<Measured> {
        self.company.as_ref()?.measured(result)
    }

    /// Returns the combined verdict of the test, which `ask` runs, and of the additional commands.
    fn agreed(
        &self,
        candidate: &[u8],
        cancelled: &AtomicBool,
        ask: impl Fn() -> Result<Verdict, NoVerdict>,
    ) -> Result<Verdict, NoVerdict> {
        let ask = || match &self.slow {
            Some(slow) => slow.judge(candidate, &ask),
            None => ask(),
        };
        match &self.company {
            Some(company) => company.judge(candidate, cancelled, ask),
            None => ask(),
        }
    }

    /// Returns the number of runs that are useful at the same time.
    #[cfg_attr(
        not(feature = "remote"),
        expect(clippy::unused_self, reason = "only a cluster has another number")
    )]
    pub fn jobs(&self, settings: &Settings) -> usize {
        #[cfg(feature = "remote")]
        if let Some(spread) = &self.spread {
            return spread.jobs();
        }
        settings.jobs
    }

    /// Returns the servers, if any.
    pub fn served(&self) -> Option<&Served> {
        self.served.as_ref()
    }

    /// Returns a known verdict: from the initial runs for the unchanged input, or from another reduction.
    fn said(&self, candidate: &[u8]) -> Option<Verdict> {
        let is_unchanged = candidate == self.input;
        let said = || self.said.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        is_unchanged
            .then(said)
            .flatten()
            .or_else(|| self.sharing.as_ref().and_then(|sharing| sharing.verdict(candidate, &self.oracle)))
    }
}

impl Oracle for Baseline<'_> {
    fn probe(&self, candidate: &[u8]) -> Result<Verdict, NoVerdict> {
        if let Some(said) = self.said(candidate) {
            return Ok(said);
        }
        self.agreed(candidate, &AtomicBool::new(false), || self.asked().probe(candidate))
    }

    fn probe_unless(&self, candidate: &[u8], cancelled: &AtomicBool) -> Result<Verdict, NoVerdict> {
        if let Some(said) = self.said(candidate) {
            return Ok(said);
        }
        self.agreed(candidate, cancelled, || {
            #[cfg(feature = "remote")]
            if let Some(spread) = &self.spread {
                return spread.ask(candidate, cancelled, self.asked());
            }
            self.asked().probe_unless(candidate, cancelled)
        })
    }

    fn counted(&self, candidate: &[u8], verdict: Verdict) -> Result<Verdict, NoVerdict> {
        match &self.company {
            Some(company) => company.counted(candidate, verdict),
            None => Ok(verdict),
        }
    }

    #[cfg(feature = "remote")]
    fn room(&self) -> Option<usize> {
        self.spread.as_ref().map(crate::remote::Spread::room)
    }
}

impl Coverage for Baseline<'_> {
    fn reached(&self, candidate: &[u8]) -> Option<Reached> {
        let marks = Path::new(MARKS);
        let root = self.oracle.root().canonicalize().ok()?;
        let tracing = Tracing { marks: Some(marks.to_owned()), reads: root, ..Tracing::default() };
        let (run, trace) = self.oracle.run_traced(candidate, tracing, None).ok()?;
        let number = |path: &Path| path.strip_prefix(marks).ok()?.to_str()?.parse().ok();
        Some(Reached {
            is_interesting: run.verdict.is_interesting() && self.agrees(candidate),
            marks: trace.reads().filter_map(number).collect(),
            files: trace.reads().filter_map(|path| self.oracle.of_candidate(path)).collect(),
        })
    }
}
