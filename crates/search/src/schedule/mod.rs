//! Runs a search against an oracle: one probe after the other, or the likeliest next ones at the same time.
//!
//! It knows neither syntax nor passes: a [`Workbench`] says what becomes of a search's questions.

mod cache;
mod lookahead;
mod rates;
mod worker;

pub use cache::{Cache, Name, name};
pub use rates::Likeness;

use crate::oracle::{NoVerdict, Oracle};
use crate::search::Search;
use crate::{Cause, Verdict};
use rates::Rates;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, Instant};
use worker::Workers;

/// What becomes of a question.
#[derive(Debug)]
pub enum Answer<V, P> {
    /// No probe is needed: it is not interesting. The view after it.
    Settled(V),
    /// Nor is it for any part of the question.
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
/// All that the answers depend on is in a *view*: a value. So a schedule can ask what would come after verdicts
/// that nobody has given yet; only [`commit`](Workbench::commit) and [`commit_turn`](Workbench::commit_turn) make
/// one true.
pub trait Workbench {
    /// What is known and found so far; cheap to clone.
    type View: Clone;
    /// A question that the oracle has to decide.
    type Open: Open;
    /// What asks the questions.
    type Search: Search;
    /// Why a find could not be kept.
    type Error: From<NoVerdict>;

    /// Whether the user asked to stop: asked before each question, since many need no probe.
    fn is_stopped(&self) -> bool;

    /// Whether the user has switched something that the view does not know yet: asked before each question.
    fn is_switched(&self) -> bool {
        false
    }

    /// What a question has in common with others; how often they succeeded is the best guess for it.
    fn likeness(&self, view: &Self::View, open: &Self::Open) -> Likeness;

    /// What becomes of the question for the candidate without these circumstances; one that is
    /// [`apart`](Search::is_apart) is about the configuration before the last one that was not.
    fn ask(&mut self, view: &Self::View, without: &[u32], apart: bool) -> Answer<Self::View, Self::Open>;

    /// The view after an open question and its verdict.
    fn after(&self, view: &Self::View, open: &Self::Open, verdict: Verdict) -> Self::View;

    /// The search that comes after one that is done, and the view that it begins with; `None` at the end.
    fn turn(&mut self, view: &Self::View) -> Option<(Self::Search, Self::View)>;

    /// Whether the turn after this view has to wait until the view is true: it is not prepared ahead then.
    fn waits(&self, view: &Self::View) -> bool {
        let _ = view;
        false
    }

    /// Whether the run is to pause here, where all that came before is true: asked before each question.
    fn pauses(&mut self, view: &Self::View) -> bool {
        let _ = view;
        false
    }

    /// The candidates for which the search at this turn wants new verdicts, instead of those that are known.
    fn asks_again(&self, view: &Self::View) -> Vec<Name>;

    /// Makes a view true, after a verdict of the oracle or, where there is none, without one.
    ///
    /// # Errors
    /// When what was found cannot be kept; that ends the run.
    fn commit(&mut self, view: &Self::View, verdict: Option<Verdict>) -> Result<(), Self::Error>;

    /// Makes a turn to the next search true, or asks for a pause before it.
    ///
    /// # Errors
    /// As [`commit`](Workbench::commit).
    fn commit_turn(&mut self, view: &Self::View) -> Result<ControlFlow<()>, Self::Error>;
}

/// Where a run stands.
pub enum Stand<S, V> {
    /// All searches are done.
    Ended(V),
    /// It can go on from here.
    Paused(S, V),
    /// Somebody has switched something; it can go on from here once the view knows that.
    Switched(S, V),
}

/// The oracle, and how it may be run.
#[derive(Clone, Copy)]
pub enum Runner<'o> {
    /// One probe at a time.
    Serial(&'o dyn Oracle),
    /// So many probes at a time.
    Parallel(&'o (dyn Oracle + Sync), usize),
}

/// How many cores the machine has for this program.
#[must_use]
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Does the same so many times at once, and returns what came of each.
///
/// # Panics
/// When one of them does.
pub fn at_once<T: Send>(times: usize, job: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let job = &job;
    std::thread::scope(|scope| {
        let started: Vec<_> = (0..times).map(|number| scope.spawn(move || job(number))).collect();
        started.into_iter().map(|one| one.join().expect("it does not panic")).collect()
    })
}

/// Runs searches.
pub struct Prober<'o> {
    oracle: &'o dyn Oracle,
    /// Who runs probes ahead, if anybody does; between two runs they go on with what they have.
    workers: Option<Workers>,
    /// What the oracle said and no question has asked for yet: a probe was run ahead, and not needed so far.
    /// That it could not be run matters only once a question asks for it.
    in_hand: HashMap<Name, Result<Verdict, NoVerdict>>,
    rates: Rates,
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
            spent: Duration::ZERO,
            started: 0,
            recalled: 0,
        };
        match runner {
            Runner::Parallel(oracle, jobs) if jobs > 1 => std::thread::scope(|scope| {
                let workers = Workers::start(scope, oracle, jobs);
                work(prober(oracle, Some(workers)))
            }),
            Runner::Parallel(oracle, _) => work(prober(oracle, None)),
            Runner::Serial(oracle) => work(prober(oracle, None)),
        }
    }

    /// The time that was spent waiting for the oracle.
    #[must_use]
    pub fn spent(&self) -> Duration {
        self.spent
    }

    /// How many runs of the oracle were started, those included that were cancelled or never needed.
    #[must_use]
    pub fn started(&self) -> usize {
        self.started + self.workers.as_ref().map_or(0, Workers::started)
    }

    /// How many verdicts were known to the oracle without a run.
    #[must_use]
    pub fn recalled(&self) -> usize {
        self.recalled
    }

    /// Runs the oracle once, unless it knows the verdict without that, or a probe of this candidate is under way.
    ///
    /// # Errors
    /// When the oracle cannot be run.
    pub fn probe(&mut self, candidate: &[u8]) -> Result<Verdict, NoVerdict> {
        let name = name(candidate);
        if let Some(verdict) = self.oracle.recall(&name) {
            self.recalled += 1;
            self.oracle.recalled(candidate, verdict);
            return Ok(verdict);
        }
        let start = Instant::now();
        let verdict = self.await_verdict(&name).unwrap_or_else(|| {
            self.started += 1;
            self.oracle.probe(candidate)
        });
        self.spent += start.elapsed();
        verdict
    }

    /// Waits for the verdict of a probe that is under way.
    fn await_verdict(&mut self, name: &Name) -> Option<Result<Verdict, NoVerdict>> {
        while let Some(workers) = self.workers.as_mut().filter(|workers| workers.knows(name)) {
            self.in_hand.extend(workers.wait());
        }
        self.in_hand.remove(name)
    }

    /// Makes a turn true; the verdicts that it asks for again are to be new ones.
    fn turn<W: Workbench>(&self, bench: &mut W, view: &W::View) -> Result<ControlFlow<()>, W::Error> {
        for name in bench.asks_again(view) {
            self.oracle.ask_again(&name);
        }
        bench.commit_turn(view)
    }

    /// Runs a search and those that come after it, to the end or to a pause; every verdict is committed in the
    /// order in which the searches ask.
    ///
    /// What is committed does not depend on how many probes run at a time.
    ///
    /// # Errors
    /// When the oracle cannot be run, or a find cannot be kept.
    pub fn run<W: Workbench>(
        &mut self,
        search: W::Search,
        bench: &mut W,
        view: W::View,
    ) -> Result<Stand<W::Search, W::View>, W::Error> {
        let Some(mut workers) = self.workers.take() else { return self.run_in_turn(search, bench, view) };
        let stand = self.run_ahead(&mut workers, search, bench, view);
        self.workers = Some(workers);
        stand
    }

    fn run_in_turn<W: Workbench>(
        &mut self,
        mut search: W::Search,
        bench: &mut W,
        mut view: W::View,
    ) -> Result<Stand<W::Search, W::View>, W::Error> {
        loop {
            if bench.is_stopped() {
                return Err(NoVerdict::Interrupted.into());
            }
            if bench.is_switched() {
                return Ok(Stand::Switched(search, view));
            }
            if bench.pauses(&view) {
                return Ok(Stand::Paused(search, view));
            }
            let Some(without) = search.next() else {
                let Some(next) = bench.turn(&view) else { return Ok(Stand::Ended(view)) };
                (search, view) = next;
                if self.turn(bench, &view)?.is_break() {
                    return Ok(Stand::Paused(search, view));
                }
                continue;
            };
            match bench.ask(&view, &without, search.is_apart()) {
                Answer::Settled(next) => {
                    view = next;
                    bench.commit(&view, None)?;
                    settle(&mut search);
                }
                Answer::Futile(next) => {
                    view = next;
                    bench.commit(&view, None)?;
                    search.skip();
                }
                Answer::Open(open) => {
                    let verdict = self.probe(open.candidate())?;
                    view = bench.after(&view, &open, verdict);
                    bench.commit(&view, Some(verdict))?;
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
