//! Runs a search against an oracle: one probe after the other, or the likeliest next ones at the same time.
//!
//! It knows neither syntax nor passes: a [`Workbench`] says what becomes of a search's questions.

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
    /// No probe is needed: it is not interesting. The state after it.
    Settled(V),
    /// No probe is needed, and none for any part of the question. The state after it.
    Futile(V),
    /// The oracle has to decide.
    Open(P),
}

/// A question that the oracle has to decide.
pub trait Open {
    /// The candidate.
    fn candidate(&self) -> &Arc<[u8]>;

    /// Its name.
    fn name(&self) -> Name;

    /// The circumstances that go with it, if they are not those that the question asked for.
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

/// Takes the verdict on an open question.
fn advance<S: Search>(search: &mut S, open: &impl Open, verdict: Verdict) {
    match open.gone() {
        Some(gone) if verdict.is_interesting() => search.take(gone),
        _ => search.advance(verdict),
    }
}

/// Answers a question that needs no probe.
///
/// A search that tells three verdicts apart learns that nobody can tell: it is not known to pass.
fn settle<S: Search>(search: &mut S) {
    let verdict =
        if search.is_three_valued() { Verdict::Unresolved(Cause::Test) } else { Verdict::Uninteresting };
    search.advance(verdict);
}

/// Turns questions into candidates, and keeps what was found.
///
/// All that the answers depend on is in a *state*: a value. So a schedule can ask what would come after verdicts
/// that nobody has given yet; only [`commit`](Workbench::commit) and [`commit_turn`](Workbench::commit_turn) make
/// one true. Other methods may remember what they have worked out, such as a parsed text, as long as no answer depends on
/// that.
pub trait Workbench {
    /// The state of the run: what is known and found so far; cheap to clone.
    type State: Clone;
    /// A question that the oracle has to decide.
    type Open: Open;
    /// The kind of search that asks the questions.
    type Search: Search;
    /// The error if a find could not be kept.
    type Error: From<NoVerdict>;

    /// Returns what a question has in common with others; how often those succeeded is the best guess for it.
    fn likeness(&self, state: &Self::State, open: &Self::Open) -> Likeness;

    /// Answers the question about the candidate without these circumstances; one that is [`apart`](Search::is_apart) is
    /// about the configuration before the last one that was not.
    fn ask(&mut self, state: &Self::State, without: &[u32], apart: bool) -> Answer<Self::State, Self::Open>;

    /// The state after an open question and its verdict.
    fn after(&self, state: &Self::State, open: &Self::Open, verdict: Verdict) -> Self::State;

    /// The search that comes after one that is done, and the state that it begins with; `None` at the end.
    fn turn(&mut self, state: &Self::State) -> Option<(Self::Search, Self::State)>;

    /// Tells whether the turn after this state has to wait until the state is true: it is not prepared ahead then.
    fn waits(&self, state: &Self::State) -> bool {
        let _ = state;
        false
    }

    /// The candidates for which the search at this turn wants new verdicts, instead of those that are known.
    fn asks_again(&self, state: &Self::State) -> Vec<Name>;

    /// Makes a state true, after a verdict of the oracle or, where there is none, without one.
    ///
    /// # Errors
    /// Returns an error if what was found cannot be kept; that ends the run.
    fn commit(&mut self, state: &Self::State, verdict: Option<Verdict>) -> Result<(), Self::Error>;

    /// Makes a turn to the next search true, or asks for a pause before it.
    ///
    /// # Errors
    /// Returns the same errors as [`commit`](Workbench::commit).
    fn commit_turn(&mut self, state: &Self::State) -> Result<ControlFlow<()>, Self::Error>;
}

/// A workbench whose run somebody steers from outside; it is looked at before each question, since many need no probe.
pub trait Steered: Workbench {
    /// Tells whether the run is to stop.
    fn is_stopped(&self) -> bool {
        false
    }

    /// Tells whether somebody has switched something that the state does not know yet.
    fn is_switched(&self) -> bool {
        false
    }

    /// Tells whether the run is to pause at this state, where all that came before is true.
    fn pauses(&mut self, state: &Self::State) -> bool {
        let _ = state;
        false
    }
}

/// The point at which a run stands.
pub enum Stand<S, V> {
    /// All searches are done.
    Ended(V),
    /// It can go on from here.
    Paused(S, V),
    /// Somebody has switched something; it can go on from here once the state knows that.
    Switched(S, V),
}

/// The oracle, and how it may be run.
#[derive(Clone, Copy)]
pub enum Runner<'o> {
    /// It runs one probe at a time.
    Serial(&'o dyn Oracle),
    /// It runs several probes at a time.
    Parallel(&'o (dyn Oracle + Sync), Jobs),
}

/// The workers of a parallel run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jobs {
    /// So many threads.
    Threads(usize),
    /// A simulation of them: the run takes as long as it needs, and [`Prober::spent`] tells how long it would have waited for
    /// probes.
    Simulated(Clock),
}

/// Returns the number of cores that the machine has for this program.
#[must_use]
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Does the same so many times at once, and returns what came of each. Where the system has no thread left, it is done in
/// turn.
///
/// # Panics
/// Panics if one of them does.
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

/// Runs searches.
pub struct Prober<'o> {
    oracle: &'o dyn Oracle,
    /// The threads that run probes ahead, if there are any; between two runs they go on with what they have.
    workers: Option<Workers<'o>>,
    /// The oracle's answers that no question has asked for yet: a probe was run ahead, and not needed so far. An error
    /// (the oracle could not be run) matters only once a question asks for it.
    in_hand: HashMap<Name, Result<Verdict, NoVerdict>>,
    rates: Rates,
    since: Instant,
    spent: Duration,
    started: usize,
    recalled: usize,
}

impl<'o> Prober<'o> {
    /// Hands a prober with nothing in hand to `work`. What is under way when `work` drops it is cancelled.
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

    /// The time that was spent waiting for the oracle.
    #[must_use]
    pub fn spent(&self) -> Duration {
        self.spent
    }

    /// Returns the number of runs of the oracle that were started, those included that were cancelled or never needed.
    #[must_use]
    pub fn started(&self) -> usize {
        self.started + self.workers.as_ref().map_or(0, Workers::started)
    }

    /// Returns the number of verdicts that the oracle knew without a run.
    #[must_use]
    pub fn recalled(&self) -> usize {
        self.recalled
    }

    /// Runs the oracle once, unless it knows the verdict without that, or a probe of this candidate is under way.
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

    /// The time by the clock of this run: only differences mean anything.
    fn now(&self) -> Duration {
        self.workers.as_ref().map_or_else(|| self.since.elapsed(), Workers::now)
    }

    /// Waits for the verdict of a probe that is under way.
    fn await_verdict(&mut self, name: &Name) -> Option<Result<Verdict, NoVerdict>> {
        while let Some(workers) = self.workers.as_mut().filter(|workers| workers.knows(name)) {
            self.in_hand.extend(workers.wait());
        }
        self.in_hand.remove(name)
    }

    /// Makes a turn true; the verdicts that it asks for again are to be new ones.
    fn turn<W: Workbench>(&self, workbench: &mut W, state: &W::State) -> Result<ControlFlow<()>, W::Error> {
        for name in workbench.asks_again(state) {
            self.oracle.ask_again(&name);
        }
        workbench.commit_turn(state)
    }

    /// Runs a search and those that come after it, to the end or to a pause; every verdict is committed in the
    /// order in which the searches ask.
    ///
    /// The commits do not depend on how many probes run at a time.
    ///
    /// # Errors
    /// Returns an error if the oracle cannot be run, or a find cannot be kept.
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
    fn what_needs_no_probe_is_nothing_that_passes() {
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
