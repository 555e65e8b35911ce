//! A test that is asked of servers, and now and then of a fresh process: what a server has kept of earlier candidates
//! must not change what it says of later ones.
//!
//! It does not know what becomes of a run whose servers were wrong: it notes which verdicts no longer hold.

use crate::patience::lock;
use crate::{CommandOracle, Error};
use nubbin_search::oracle::{NoVerdict, Oracle};
use nubbin_search::schedule::{Name, name};
use nubbin_search::{Cause, Verdict};
use std::collections::{HashSet, VecDeque};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The numbers that were tuned.
struct Tuning {
    /// One in so many uninteresting candidates is asked of a fresh process, too.
    sample: u64,
    /// A new best is asked of a fresh process, too, if there were so many verdicts since the last agreement.
    verdicts_for_a_best: usize,
    /// In the end so many of the last uninteresting candidates are asked of a fresh server, too.
    last: usize,
    /// So many disagreements end the use of servers.
    most_doubts: usize,
}

const TUNING: Tuning = Tuning { sample: 50, verdicts_for_a_best: 50, last: 5, most_doubts: 2 };

/// Asks servers, and compares what they say with what fresh processes say.
///
/// An agreement about an uninteresting candidate confirms all verdicts up to then that are not interesting, and one
/// about a best confirms the bests that it was made of.
/// After a disagreement no candidate has a verdict until somebody [goes on](Self::go_on).
#[derive(Debug)]
pub struct Served {
    servers: CommandOracle,
    /// The same test with a process for each candidate.
    fresh: Fresh,
    state: Mutex<State>,
}

/// The way in which a candidate has a process to itself.
#[derive(Debug)]
enum Fresh {
    /// A command that is run for it.
    Command(Box<CommandOracle>),
    /// A server that is asked about nothing else.
    Server(Box<CommandOracle>),
}

/// What has come of the comparisons so far.
#[derive(Debug, Default)]
struct State {
    /// The candidates that were found not interesting since the last agreement.
    since: Vec<Name>,
    /// The candidates that were found interesting, but for the bests that a confirmed one was made of.
    interesting: HashSet<Name>,
    /// The bests since the last confirmed one.
    bests: Vec<Name>,
    /// The other candidates with a verdict.
    before: Vec<Name>,
    /// The number of verdicts since the last agreement.
    verdicts: usize,
    /// The last uninteresting candidates, with their verdicts.
    last: VecDeque<(Vec<u8>, Verdict)>,
    /// The number of disagreements.
    doubts: usize,
    /// A disagreement that nobody has heard of.
    doubt: Option<Doubt>,
}

/// A disagreement: a server said something else than a fresh process, or than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// What the server and the fresh process said; `None` where servers said different things of one candidate.
    pub said: Option<[Verdict; 2]>,
    /// It is the last one: from now on there is a process for each candidate.
    pub is_last: bool,
}

impl Served {
    /// Asks the servers of `servers`. A candidate has a process to itself by `fresh`, or if there is none by a server
    /// that is asked about nothing else.
    #[must_use]
    pub fn new(servers: CommandOracle, fresh: Option<CommandOracle>) -> Self {
        let fresh = match fresh {
            Some(oracle) => Fresh::Command(Box::new(oracle)),
            None => Fresh::Server(Box::new(servers.clone().asked_once())),
        };
        Self { servers, fresh, state: Mutex::default() }
    }

    /// Has a fresh server get ready for the first comparison, where fresh servers are asked. What cannot be started now is
    /// started then.
    pub fn get_ready(&self) {
        if let Fresh::Server(servers) = &self.fresh {
            let _ = servers.get_ready();
        }
    }

    /// Tells whether servers are still asked.
    pub fn is_in_use(&self) -> bool {
        lock(&self.state).doubts < TUNING.most_doubts
    }

    /// Tells whether a best is to be [confirmed](Self::confirm) now.
    pub fn wants_confirmation(&self) -> bool {
        let state = lock(&self.state);
        state.doubts < TUNING.most_doubts && state.verdicts >= TUNING.verdicts_for_a_best
    }

    /// Tells whether there are verdicts that no agreement has confirmed.
    pub fn is_unconfirmed(&self) -> bool {
        let state = lock(&self.state);
        state.doubts < TUNING.most_doubts && (state.verdicts > 0 || !state.bests.is_empty())
    }

    /// Asks fresh servers about the last candidates that were not interesting: a server that has got used to saying no
    /// would end any search. One that forks for each candidate does not get used to anything.
    ///
    /// # Errors
    /// Returns an error when a server cannot be run.
    pub fn confirm_last(&self) -> Result<(), Error> {
        let last = std::mem::take(&mut lock(&self.state).last);
        for (candidate, verdict) in last {
            if self.is_doubted() || !self.compare(verdict, self.fresh().run(&candidate)?.verdict) {
                break;
            }
        }
        Ok(())
    }

    /// Asks a fresh process about a candidate that a server found interesting. It is in doubt if that says otherwise.
    ///
    /// # Errors
    /// Returns an error when the process cannot be run.
    pub fn confirm(&self, best: &[u8]) -> Result<bool, Error> {
        let run = self.fresh().run(best)?;
        Ok(self.confirmed(run.verdict))
    }

    /// Does what [`confirm`](Self::confirm) does in at most this time, and also after a stop.
    ///
    /// # Errors
    /// Returns an error when the process cannot be run.
    pub fn confirm_in(&self, limit: Duration, best: &[u8]) -> Result<bool, Error> {
        let run = self.fresh().stop(Arc::default()).limit(limit).run(best)?;
        Ok(self.confirmed(run.verdict))
    }

    /// Takes note that a candidate is the best from now on.
    pub fn accepted(&self, best: &[u8]) {
        let mut state = lock(&self.state);
        let name = name(best);
        if state.interesting.remove(&name) {
            state.bests.push(name);
        }
    }

    /// Returns all candidates that servers gave a verdict on, and forgets them.
    pub fn all(&self) -> Vec<Name> {
        let mut state = lock(&self.state);
        let State { since, interesting, bests, before, .. } = &mut *state;
        let all = since.drain(..).chain(interesting.drain()).chain(bests.drain(..)).chain(before.drain(..));
        all.collect()
    }

    /// Takes what a fresh process said of a best. If that agrees, so are the bests that it was made of.
    fn confirmed(&self, fresh: Verdict) -> bool {
        let is_so = self.compare(Verdict::Interesting, fresh);
        if is_so {
            let mut state = lock(&self.state);
            let bests = std::mem::take(&mut state.bests);
            state.before.extend(bests);
        }
        is_so
    }

    /// Takes note that servers said different things of the same candidate.
    pub fn contradicts_itself(&self) {
        if self.is_in_use() {
            lock(&self.state).begin_doubt(None);
        }
    }

    /// Takes the disagreement, if there was one, and the candidates whose verdicts no longer hold. All servers are
    /// ended, and the next candidates have verdicts again: those of fresh servers, or after the last doubt those of fresh
    /// processes.
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

    /// Returns an oracle that has a process for each candidate.
    fn fresh(&self) -> CommandOracle {
        match &self.fresh {
            Fresh::Command(oracle) => (**oracle).clone(),
            Fresh::Server(servers) => (**servers).clone(),
        }
    }

    /// Compares the verdict of a server with that of a fresh process, and tells whether they agree. Where one of them ran
    /// out of time, that says nothing.
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
            // What became of the server is not what becomes of the command.
            return fresh();
        }
        let verdict = run.verdict;
        let name = name(candidate);
        // That nothing fails, too, would end the run.
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

/// The error that ends a search whose verdicts no longer hold.
fn doubted() -> NoVerdict {
    NoVerdict::Failed("a server and a fresh process say different things of the same candidate".into())
}

/// Tells whether a candidate is in the sample: always the same ones, whatever runs at the same time.
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
