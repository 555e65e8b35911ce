//! Runs a test by servers, and compares some verdicts with those of fresh processes: state that a server kept
//! from earlier candidates must not change later verdicts.
//!
//! The module only records which verdicts are invalid; the caller decides how to continue.

use crate::patience::lock;
use crate::{CommandOracle, Error};
use nubbin_search::oracle::{NoVerdict, Oracle};
use nubbin_search::schedule::{Name, name};
use nubbin_search::{Cause, Verdict};
use std::collections::{HashSet, VecDeque};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Tuned constants.
struct Tuning {
    /// One in this many uninteresting candidates is also tested by a fresh process.
    sample: u64,
    /// A new current best is also tested by a fresh process after this many verdicts without a confirmation.
    verdicts_for_a_best: usize,
    /// The number of most recent uninteresting candidates that are tested again by a fresh server at the end.
    last: usize,
    /// The number of disagreements after which servers are no longer used.
    most_doubts: usize,
}

const TUNING: Tuning = Tuning { sample: 50, verdicts_for_a_best: 50, last: 5, most_doubts: 2 };

/// Asks servers, and compares their verdicts with those of fresh processes.
///
/// If both agree on an uninteresting candidate, all earlier verdicts that are not interesting are confirmed.
/// If they agree on a current best, it is confirmed together with the versions that it was derived from.
/// After a disagreement every probe fails until [`go_on`](Self::go_on) is called.
#[derive(Debug)]
pub struct Served {
    servers: CommandOracle,
    /// The same test with a separate process for each candidate.
    fresh: Fresh,
    state: Mutex<State>,
}

/// How a candidate is tested by a separate process.
#[derive(Debug)]
enum Fresh {
    /// A command that is run for it.
    Command(Box<CommandOracle>),
    /// A server that is asked about no other candidate.
    Server(Box<CommandOracle>),
}

/// The results of the comparisons so far.
#[derive(Debug, Default)]
struct State {
    /// The candidates that were found not interesting since the last confirmation.
    since: Vec<Name>,
    /// The candidates that were found interesting, except for those that became the current best.
    interesting: HashSet<Name>,
    /// The versions that became the current best since the last confirmation.
    bests: Vec<Name>,
    /// The other candidates with a verdict.
    before: Vec<Name>,
    /// The number of verdicts since the last confirmation.
    verdicts: usize,
    /// The most recent uninteresting candidates with their verdicts.
    last: VecDeque<(Vec<u8>, Verdict)>,
    /// The number of disagreements.
    doubts: usize,
    /// A disagreement that has not been reported to the caller.
    doubt: Option<Doubt>,
}

/// A disagreement between a server and a fresh process, or between servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// The verdicts of the server and of the fresh process; `None` if servers gave different verdicts on one
    /// candidate.
    pub said: Option<[Verdict; 2]>,
    /// Whether this is the last one: from now on each candidate has a separate process.
    pub is_last: bool,
}

impl Served {
    /// Creates an oracle that asks `servers`. For comparisons it runs `fresh`, or without it a server that is
    /// asked about one candidate only.
    #[must_use]
    pub fn new(servers: CommandOracle, fresh: Option<CommandOracle>) -> Self {
        let fresh = match fresh {
            Some(oracle) => Fresh::Command(Box::new(oracle)),
            None => Fresh::Server(Box::new(servers.clone().asked_once())),
        };
        Self { servers, fresh, state: Mutex::default() }
    }

    /// Starts a fresh server for the first comparison, if fresh servers are used. If the start fails, it is
    /// repeated at the comparison.
    pub fn get_ready(&self) {
        if let Fresh::Server(servers) = &self.fresh {
            let _ = servers.get_ready();
        }
    }

    /// Returns whether servers are still used.
    pub fn is_in_use(&self) -> bool {
        lock(&self.state).doubts < TUNING.most_doubts
    }

    /// Returns whether a current best must be [confirmed](Self::confirm) now.
    pub fn wants_confirmation(&self) -> bool {
        let state = lock(&self.state);
        state.doubts < TUNING.most_doubts && state.verdicts >= TUNING.verdicts_for_a_best
    }

    /// Returns whether there are unconfirmed verdicts.
    pub fn is_unconfirmed(&self) -> bool {
        let state = lock(&self.state);
        state.doubts < TUNING.most_doubts && (state.verdicts > 0 || !state.bests.is_empty())
    }

    /// Tests the most recent uninteresting candidates again with fresh servers. A server that rejects every
    /// candidate because of leftover state would end the search too early. Servers that fork for each
    /// candidate keep no such state.
    ///
    /// # Errors
    /// Returns an error if a server cannot be run.
    pub fn confirm_last(&self) -> Result<(), Error> {
        let last = std::mem::take(&mut lock(&self.state).last);
        for (candidate, verdict) in last {
            if self.is_doubted() || !self.compare(verdict, self.fresh().run(&candidate)?.verdict) {
                break;
            }
        }
        Ok(())
    }

    /// Tests a candidate that a server found interesting with a fresh process. Returns false, and records a
    /// disagreement, if the verdicts differ.
    ///
    /// # Errors
    /// Returns an error if the process cannot be run.
    pub fn confirm(&self, best: &[u8]) -> Result<bool, Error> {
        let run = self.fresh().run(best)?;
        Ok(self.confirmed(run.verdict))
    }

    /// Like [`confirm`](Self::confirm), with a time limit, and also after a stop was requested.
    ///
    /// # Errors
    /// Returns an error if the process cannot be run.
    pub fn confirm_in(&self, limit: Duration, best: &[u8]) -> Result<bool, Error> {
        let run = self.fresh().stop(Arc::default()).limit(limit).run(best)?;
        Ok(self.confirmed(run.verdict))
    }

    /// Records that a candidate has become the current best.
    pub fn accepted(&self, best: &[u8]) {
        let mut state = lock(&self.state);
        let name = name(best);
        if state.interesting.remove(&name) {
            state.bests.push(name);
        }
    }

    /// Removes and returns all candidates on which servers gave a verdict.
    pub fn all(&self) -> Vec<Name> {
        let mut state = lock(&self.state);
        let State { since, interesting, bests, before, .. } = &mut *state;
        let all = since.drain(..).chain(interesting.drain()).chain(bests.drain(..)).chain(before.drain(..));
        all.collect()
    }

    /// Compares the verdict of a fresh process on the current best. If it agrees, the versions that it was
    /// derived from are also confirmed.
    fn confirmed(&self, fresh: Verdict) -> bool {
        let is_so = self.compare(Verdict::Interesting, fresh);
        if is_so {
            let mut state = lock(&self.state);
            let bests = std::mem::take(&mut state.bests);
            state.before.extend(bests);
        }
        is_so
    }

    /// Records that servers gave different verdicts on the same candidate.
    pub fn contradicts_itself(&self) {
        if self.is_in_use() {
            lock(&self.state).begin_doubt(None);
        }
    }

    /// Removes and returns the disagreement, if there is one, with the candidates whose verdicts are invalid.
    /// All servers are ended, and probes succeed again: with fresh servers, or after the last disagreement
    /// with fresh processes.
    pub fn go_on(&self) -> Option<(Doubt, Vec<Name>)> {
        let (doubt, doubted) = {
            let mut state = lock(&self.state);
            state.last.clear();
            let doubt = state.doubt.take()?;
            state.verdicts = 0;
            let State { since, interesting, bests, .. } = &mut *state;
            (doubt, since.drain(..).chain(interesting.drain()).chain(bests.drain(..)).collect())
        };
        self.servers.restart();
        Some((doubt, doubted))
    }

    fn fresh(&self) -> CommandOracle {
        match &self.fresh {
            Fresh::Command(oracle) => (**oracle).clone(),
            Fresh::Server(servers) => (**servers).clone(),
        }
    }

    /// Returns whether the verdict of a server agrees with that of a fresh process. If one of them timed out,
    /// this counts as agreement.
    fn compare(&self, served: Verdict, fresh: Verdict) -> bool {
        let mut state = lock(&self.state);
        let late = Verdict::Unresolved(Cause::Timeout);
        if served == late || fresh == late {
            return true;
        }
        if served == fresh {
            let agreed = std::mem::take(&mut state.since);
            state.before.extend(agreed);
            state.verdicts = 0;
        } else {
            state.begin_doubt(Some([served, fresh]));
        }
        served == fresh
    }

    fn is_doubted(&self) -> bool {
        lock(&self.state).doubt.is_some()
    }

    fn ask(&self, candidate: &[u8], cancelled: &AtomicBool) -> Result<Verdict, NoVerdict> {
        if self.is_doubted() {
            return Err(doubted());
        }
        let fresh = || self.fresh().probe_unless(candidate, cancelled);
        if !self.is_in_use() {
            return fresh();
        }
        let run = self.servers.run_unless(candidate, cancelled)?;
        if run.is_lost && matches!(self.fresh, Fresh::Command(_)) {
            // A failure of the server is not a result of the command.
            return fresh();
        }
        let verdict = run.verdict;
        let name = name(candidate);
        // An interesting empty candidate would also end the run.
        let is_compared = if verdict.is_interesting() { candidate.is_empty() } else { is_sampled(&name) };
        if is_compared && !self.compare(verdict, fresh()?) {
            return Err(doubted());
        }
        let mut state = lock(&self.state);
        if state.doubt.is_some() {
            return Err(doubted());
        }
        state.verdicts += 1;
        if verdict.is_interesting() {
            state.interesting.insert(name);
        } else {
            state.since.push(name);
        }
        if matches!(self.fresh, Fresh::Server(_)) && !verdict.is_interesting() {
            state.last.truncate(TUNING.last - 1);
            state.last.push_front((candidate.to_owned(), verdict));
        }
        Ok(verdict)
    }
}

impl State {
    fn begin_doubt(&mut self, said: Option<[Verdict; 2]>) {
        if self.doubt.is_none() {
            self.doubts += 1;
            self.doubt = Some(Doubt { said, is_last: self.doubts >= TUNING.most_doubts });
        }
    }
}

/// The error that ends a search whose verdicts are invalid.
fn doubted() -> NoVerdict {
    NoVerdict::Failed("a server and a fresh process gave different verdicts for the same candidate".into())
}

/// Returns whether a candidate is in the sample. This depends only on the candidate, not on the schedule.
fn is_sampled(name: &Name) -> bool {
    let bytes = name.as_bytes();
    u64::from_le_bytes(std::array::from_fn(|at| bytes[at])).is_multiple_of(TUNING.sample)
}

impl Oracle for Served {
    fn probe(&self, candidate: &[u8]) -> Result<Verdict, NoVerdict> {
        self.ask(candidate, &AtomicBool::new(false))
    }

    fn probe_unless(&self, candidate: &[u8], cancelled: &AtomicBool) -> Result<Verdict, NoVerdict> {
        self.ask(candidate, cancelled)
    }
}
