//! The first runs of a test that fails now and then: it is run until it fails, at most as often as the rate that the
//! user waits for asks.
//!
//! How often it fails is measured by the reduction.

use super::{Trial, is_open};
use crate::differ;
use crate::failure::Failure;
use crate::message::Message;
use nubbin_oracle::{CommandRun, Status};
use nubbin_search::Verdict;

/// The runs that show the failure, of those that a message is learned from: two tell what is the same each time.
const TOLD: usize = 2;

impl Trial<'_> {
    /// Returns the number of runs after which a test counts as one that does not fail; `None` for a test that is
    /// expected to repeat itself.
    pub(super) fn most_runs(&self) -> Option<usize> {
        self.settings.flaky.map(|confidence| self.settings.flaky_rate.runs(confidence))
    }

    /// Makes runs until one of those in a fresh directory fails, and returns that one; it returns `None` if none of
    /// them does. A test that is expected to repeat itself is not run again.
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

    /// Tells whether a run shows a failure: the one that was asked for, or else any.
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

    /// Makes the runs up to now count as what this one of them has taught: it fails, and what does not fail like it
    /// does not.
    pub(super) fn learn_from(&mut self, failing: &CommandRun) {
        let misses = self.seen.iter().filter(|run| !self.fails(run)).count();
        (self.said, self.messages, self.errors) = (vec![Verdict::Interesting], Vec::new(), Vec::new());
        self.said.extend(std::iter::repeat_n(Verdict::Uninteresting, misses));
        self.messages.push(self.messages(failing));
        self.see_errors(failing);
    }

    /// Makes runs with this oracle until the failure was seen often enough to know what its message is.
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

    /// Makes runs with `typed` until one of them shows what was asked for, since the test fails now and then.
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
