//! Runs a search against an oracle: sequentially, or with the most likely next probes at the same time.
//!
//! The schedule does not depend on syntax or passes. A [`Workbench`] turns the questions of a search into
//! candidates.

mod cache;
mod lookahead;
mod rates;
mod simulation;
mod worker;

pub use cache::{Cache, Name, name};
pub use rates::Likeness;
pub use simulation::Clock;

use crate::oracle::{NoVerdict, Oracle};
use crate::search::Search;
use crate::{Cause, Verdict};
use rates::Rates;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::thread::ScopedJoinHandle;
use std::time::{Duration, Instant};
use worker::Workers;

/// The answer of a workbench to a question.
#[derive(Debug)]
pub enum Answer<V, P> {
    /// No probe is needed: the candidate is not interesting. Contains the next state.
    Settled(V),
    /// No probe is needed for the question or any part of it. Contains the next state.
    Futile(V),
    /// The oracle must decide.
    Open(P),
}

/// A question that the oracle must decide.
pub trait Open {
    /// Returns the candidate.
    fn candidate(&self) -> &Arc<[u8]>;

    /// Returns the name of the candidate.
    fn name(&self) -> Name;

    /// Returns the circumstances that the candidate removes, if they differ from those of the question.
    fn gone(&self) -> Option<&[u32]>;
}

impl<O: Open> Open for Arc<O> {
    fn candidate(&self) -> &Arc<[u8]> {
        O::candidate(self)
    }

    fn name(&self) -> Name {
        O::name(self)
    }

    fn gone(&self) -> Option<&[u32]> {
        O::gone(self)
    }
}

/// Passes the verdict on an open question to the search.
fn advance<S: Search>(search: &mut S, open: &impl Open, verdict: Verdict) {
    match open.gone() {
        Some(gone) if verdict.is_interesting() => search.take(gone),
        _ => search.advance(verdict),
    }
}

/// Answers a question that needs no probe.
///
/// A three-valued search receives an unresolved verdict, since the candidate is not known to pass.
fn settle<S: Search>(search: &mut S) {
    let verdict =
        if search.is_three_valued() { Verdict::Unresolved(Cause::Test) } else { Verdict::Uninteresting };
    search.advance(verdict);
}

/// Turns questions into candidates and stores results.
///
/// Answers depend only on a *state*, which is a value. A schedule can therefore compute what would follow
/// from verdicts that are not known yet. Only [`commit`](Workbench::commit) and
/// [`commit_turn`](Workbench::commit_turn) make a state permanent. Other methods may cache what they have
/// computed, such as a parsed text, if no answer depends on it.
pub trait Workbench {
    /// The state of the run: everything that is known and found so far. Must be cheap to clone.
    type State: Clone;
    /// A question that the oracle must decide.
    type Open: Open;
    /// The type of search that asks the questions.
    type Search: Search;
    /// The error if a result could not be stored.
    type Error: From<NoVerdict>;

    /// Returns the features by which the success of the question is estimated.
    fn likeness(&self, state: &Self::State, open: &Self::Open) -> Likeness;

    /// Answers the question about removing the circumstances `without`. If `apart` is set, the question
    /// refers to the configuration before the last question that was not [apart](Search::is_apart).
    fn ask(&mut self, state: &Self::State, without: &[u32], apart: bool) -> Answer<Self::State, Self::Open>;

    /// Returns the state after an open question and its verdict.
    fn after(&self, state: &Self::State, open: &Self::Open, verdict: Verdict) -> Self::State;

    /// Returns the search that follows a finished one, and its initial state; `None` at the end.
    fn turn(&mut self, state: &Self::State) -> Option<(Self::Search, Self::State)>;

    /// Returns whether the next search must wait until this state is committed, and cannot be prepared
    /// speculatively.
    fn waits(&self, state: &Self::State) -> bool {
        let _ = state;
        false
    }

    /// Returns the candidates for which the search needs new verdicts instead of the known ones.
    fn asks_again(&self, state: &Self::State) -> Vec<Name>;

    /// Commits a state, after a verdict of the oracle or after a question without a probe.
    ///
    /// # Errors
    /// Returns an error if the result cannot be stored. This ends the run.
    fn commit(&mut self, state: &Self::State, verdict: Option<Verdict>) -> Result<(), Self::Error>;

    /// Commits the start of the next search, or requests a pause before it.
    ///
    /// # Errors
    /// Returns the same errors as [`commit`](Workbench::commit).
    fn commit_turn(&mut self, state: &Self::State) -> Result<ControlFlow<()>, Self::Error>;
}

/// A workbench whose run can be controlled from outside. These methods are called before each question, since
/// many questions need no probe.
pub trait Steered: Workbench {
    /// Returns whether the run must stop.
    fn is_stopped(&self) -> bool {
        false
    }

    /// Returns whether a setting was changed that the state does not reflect yet.
    fn is_switched(&self) -> bool {
        false
    }

    /// Returns whether the run must pause at this state. Everything before it is committed.
    fn pauses(&mut self, state: &Self::State) -> bool {
        let _ = state;
        false
    }
}

/// The point at which a run stopped.
pub enum Stand<S, V> {
    /// All searches are done.
    Ended(V),
    /// The run can be continued from here.
    Paused(S, V),
    /// A setting was changed; the run can be continued once the state reflects it.
    Switched(S, V),
}

/// The oracle, and how it may be run.
#[derive(Clone, Copy)]
pub enum Runner<'o> {
    /// One probe at a time.
    Serial(&'o dyn Oracle),
    /// Several probes at a time.
    Parallel(&'o (dyn Oracle + Sync), Jobs),
}

/// The workers of a parallel run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jobs {
    /// This number of threads.
    Threads(usize),
    /// Simulated workers. The run takes as long as it needs, and [`Prober::spent`] returns how long it would
    /// have waited for probes.
    Simulated(Clock),
}

/// Returns the number of cores that are available to this program.
#[must_use]
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Runs `job` this many times concurrently and returns the results. If the system cannot start a thread, its
/// job runs sequentially.
///
/// # Panics
/// Panics if a job panics.
pub fn at_once<T: Send>(times: usize, job: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let job = &job;
    std::thread::scope(|scope| {
        let start = |number| std::thread::Builder::new().spawn_scoped(scope, move || job(number));
        let started: Vec<_> = (0..times).map(|number| start(number).map_err(|_| number)).collect();
        let end = |one: Result<ScopedJoinHandle<'_, T>, usize>| match one {
            Ok(thread) => thread.join().expect("it does not panic"),
            Err(number) => job(number),
        };
        started.into_iter().map(end).collect()
    })
}

/// Runs searches against an oracle.
pub struct Prober<'o> {
    oracle: &'o dyn Oracle,
    /// The worker threads, if there are any. Between two runs they continue with the started probes.
    workers: Option<Workers<'o>>,
    /// Verdicts that no question has asked for yet, from speculative probes. An error (the oracle could not
    /// be run) matters only once a question asks for it.
    in_hand: HashMap<Name, Result<Verdict, NoVerdict>>,
    rates: Rates,
    since: Instant,
    spent: Duration,
    started: usize,
    recalled: usize,
}

impl<'o> Prober<'o> {
    /// Passes a new prober to `work`. Probes that still run when `work` drops it are cancelled.
    pub fn with<T>(runner: Runner<'o>, work: impl FnOnce(Self) -> T) -> T {
        let prober = |oracle, workers| Self {
            oracle,
            workers,
            in_hand: HashMap::new(),
            rates: Rates::default(),
            since: Instant::now(),
            spent: Duration::ZERO,
            started: 0,
            recalled: 0,
        };
        match runner {
            Runner::Parallel(oracle, Jobs::Threads(jobs)) if jobs > 1 => std::thread::scope(|scope| {
                let workers = Workers::start(scope, oracle, jobs);
                work(prober(oracle, workers))
            }),
            Runner::Parallel(oracle, Jobs::Simulated(clock)) => {
                work(prober(oracle, Some(Workers::simulated(oracle, clock))))
            }
            Runner::Parallel(oracle, Jobs::Threads(_)) => work(prober(oracle, None)),
            Runner::Serial(oracle) => work(prober(oracle, None)),
        }
    }

    /// Returns the time spent waiting for the oracle.
    #[must_use]
    pub fn spent(&self) -> Duration {
        self.spent
    }

    /// Returns the number of started runs of the oracle, including those that were cancelled or not needed.
    #[must_use]
    pub fn started(&self) -> usize {
        self.started + self.workers.as_ref().map_or(0, Workers::started)
    }

    /// Returns the number of verdicts that were known without a run.
    #[must_use]
    pub fn recalled(&self) -> usize {
        self.recalled
    }

    /// Runs the oracle once, unless the verdict is already known or a probe of this candidate is running.
    ///
    /// # Errors
    /// Returns an error if the oracle cannot be run.
    pub fn probe(&mut self, candidate: &[u8]) -> Result<Verdict, NoVerdict> {
        let name = name(candidate);
        if let Some(verdict) = self.oracle.recall(&name) {
            self.recalled += 1;
            self.oracle.recalled(candidate, verdict);
            return self.oracle.counted(candidate, verdict);
        }
        let start = self.now();
        let verdict = self.await_verdict(&name).unwrap_or_else(|| {
            self.started += 1;
            let verdict = self.oracle.probe(candidate);
            if let Some(workers) = &mut self.workers {
                workers.probed();
            }
            verdict
        });
        self.spent += self.now().saturating_sub(start);
        self.oracle.counted(candidate, verdict?)
    }

    /// Returns the time of this run's clock. Only differences are meaningful.
    fn now(&self) -> Duration {
        self.workers.as_ref().map_or_else(|| self.since.elapsed(), Workers::now)
    }

    /// Waits for the verdict of a running probe.
    fn await_verdict(&mut self, name: &Name) -> Option<Result<Verdict, NoVerdict>> {
        while let Some(workers) = self.workers.as_mut().filter(|workers| workers.knows(name)) {
            self.in_hand.extend(workers.wait());
        }
        self.in_hand.remove(name)
    }

    /// Commits the start of the next search, and requires new verdicts for the candidates that it asks again.
    fn turn<W: Workbench>(&self, workbench: &mut W, state: &W::State) -> Result<ControlFlow<()>, W::Error> {
        for name in workbench.asks_again(state) {
            self.oracle.ask_again(&name);
        }
        workbench.commit_turn(state)
    }

    /// Runs a search and its successors to the end or to a pause. Every verdict is committed in the order in
    /// which the searches ask.
    ///
    /// The commits do not depend on the number of concurrent probes.
    ///
    /// # Errors
    /// Returns an error if the oracle cannot be run or a result cannot be stored.
    pub fn run<W: Steered>(
        &mut self,
        search: W::Search,
        workbench: &mut W,
        state: W::State,
    ) -> Result<Stand<W::Search, W::State>, W::Error> {
        let Some(mut workers) = self.workers.take() else {
            return self.run_in_turn(search, workbench, state);
        };
        let stand = self.run_ahead(&mut workers, search, workbench, state);
        self.workers = Some(workers);
        stand
    }

    fn run_in_turn<W: Steered>(
        &mut self,
        mut search: W::Search,
        workbench: &mut W,
        mut state: W::State,
    ) -> Result<Stand<W::Search, W::State>, W::Error> {
        loop {
            if workbench.is_stopped() {
                return Err(NoVerdict::Interrupted.into());
            }
            if workbench.is_switched() {
                return Ok(Stand::Switched(search, state));
            }
            if workbench.pauses(&state) {
                return Ok(Stand::Paused(search, state));
            }
            let Some(without) = search.next() else {
                let Some(next) = workbench.turn(&state) else { return Ok(Stand::Ended(state)) };
                (search, state) = next;
                if self.turn(workbench, &state)?.is_break() {
                    return Ok(Stand::Paused(search, state));
                }
                continue;
            };
            match workbench.ask(&state, &without, search.is_apart()) {
                Answer::Settled(next) => {
                    state = next;
                    workbench.commit(&state, None)?;
                    settle(&mut search);
                }
                Answer::Futile(next) => {
                    state = next;
                    workbench.commit(&state, None)?;
                    search.skip();
                }
                Answer::Open(open) => {
                    let verdict = self.probe(open.candidate())?;
                    state = workbench.after(&state, &open, verdict);
                    workbench.commit(&state, Some(verdict))?;
                    advance(&mut search, &open, verdict);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{Dd, Ddmax, Ddmin};

    #[test]
    fn a_question_without_a_probe_does_not_count_as_passing() {
        let (mut dd, mut ddmax, mut ddmin) = (Dd::new(2), Ddmax::new(2), Ddmin::new(2));
        for _ in 0..2 {
            settle(&mut dd);
            settle(&mut ddmax);
            settle(&mut ddmin);
        }
        assert_eq!((dd.next(), dd.passing().len(), dd.failing().len()), (None, 0, 2));
        assert_eq!((ddmax.next(), ddmin.next()), (None, None));
    }
}
