//! The initial runs of a flaky test. It is run until it fails, at most as often as the requested rate requires.
//!
//! The reduction itself measures how often the test fails.

use super::{Trial, is_open};
use crate::differ;
use crate::failure::Failure;
use crate::message::Message;
use nubbin_oracle::{CommandRun, Status};
use nubbin_search::Verdict;

/// The number of failing runs from which a message is learned; two show which parts stay the same.
const TOLD: usize = 2;

impl Trial<'_> {
    /// Returns the number of runs after which a test counts as passing; `None` for a test that is not flaky.
    pub(super) fn most_runs(&self) -> Option<usize> {
        self.settings.flaky.map(|confidence| self.settings.flaky_rate.runs(confidence))
    }

    /// Runs a flaky test until a run in a fresh directory fails, and returns that run, or `None`. A test that is not
    /// flaky is not run again.
    pub(super) fn seek(&mut self) -> Result<Option<CommandRun>, Failure> {
        let most = self.most_runs().unwrap_or(0);
        loop {
            if let Some(failing) = self.seen.iter().find(|run| self.fails(run)) {
                return Ok(Some(failing.clone()));
            }
            if self.seen.len() >= most {
                return Ok(None);
            }
            self.run(&self.oracle.clone())?;
        }
    }

    /// Returns whether a run shows the requested failure, or any failure if none was requested.
    pub(super) fn fails(&self, run: &CommandRun) -> bool {
        let test = &self.settings.test;
        let Some(asked) = test.failure.as_ref().filter(|asked| is_open(asked)) else {
            return run.verdict.is_interesting();
        };
        let is_silent = test.message == Message::None || self.messages(run).is_empty();
        let is_there = match run.status {
            Status::TimedOut => false,
            status if test.other.is_some() => differ::is_difference(status),
            status => status != Status::Exit(0) || !is_silent,
        };
        is_there && !asked.is_refused(&run.stdout, &run.stderr)
    }

    /// Reclassifies the earlier runs by comparison with `failing`.
    pub(super) fn learn_from(&mut self, failing: &CommandRun) {
        let misses = self.seen.iter().filter(|run| !self.fails(run)).count();
        (self.said, self.messages, self.errors) = (vec![Verdict::Interesting], Vec::new(), Vec::new());
        self.said.extend(std::iter::repeat_n(Verdict::Uninteresting, misses));
        self.messages.push(self.messages(failing));
        self.see_errors(failing);
    }

    /// Repeats runs until the failure occurred often enough to learn its message.
    pub(super) fn compare_messages(&mut self) -> Result<(), Failure> {
        let is_told = self.messages.first().is_some_and(|said| !said.is_empty());
        let asks = self.settings.test.failure.is_some() && self.settings.test.message != Message::None;
        let most = self.most_runs().filter(|_| is_told && asks).unwrap_or(0);
        for _ in 0..most {
            if self.messages.len() >= TOLD {
                break;
            }
            self.run(&self.oracle.clone())?;
        }
        Ok(())
    }

    /// Repeats runs with `again` until one shows the requested failure, because the test is flaky.
    pub(super) fn until_failing<T>(
        &self,
        first: T,
        run: impl Fn(&T) -> &CommandRun,
        again: impl Fn() -> Result<Option<T>, Failure>,
    ) -> Result<T, Failure> {
        let mut typed = first;
        for _ in 1..self.most_runs().unwrap_or(0) {
            if run(&typed).verdict.is_interesting() {
                break;
            }
            match again()? {
                Some(next) => typed = next,
                None => break,
            }
        }
        Ok(typed)
    }
}
