//! The executed statements that are needed for a failure: STRIPE (Cleve and Zeller, AADEBUG 2000, section 5).
//!
//! The circumstances are the executed statements in their order. To omit one, the debugger continues after
//! it. First all executions of a statement are tested, then calls, loops and iterations, then single
//! executions.

use crate::failure::{Failure, Run};
use crate::fault::Fault;
use crate::lab::Lab;
use crate::protocol::Event;
use crate::trace::Trace;
use nubbin_search::dd;
use nubbin_search::search::{Group, GroupKind, Groups, Hierarchy};
use nubbin_search::{Cause, Verdict};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// The remaining executed statements.
#[derive(Debug)]
pub struct Reduced {
    /// The trace of the whole run.
    pub trace: Trace,
    /// For each event, whether it remains.
    pub kept: Vec<bool>,
    /// The failure.
    pub failure: Failure,
    /// The number of events that were tested alone, each of which is needed.
    pub proven: usize,
    /// The number of runs of the program.
    pub runs: usize,
}

/// Ranges of events that are removed together.
type Unit = Vec<Range<usize>>;

/// A progress callback: receives the numbers of remaining events and of runs.
pub type Told<'t> = &'t mut dyn FnMut(usize, usize);

/// Finds a minimal sequence of executed statements that fails like the whole run. If `failure` is `None`, it
/// is learned from the whole run.
///
/// # Errors
/// Returns an error if the program cannot be run, or if the run with all statements does not fail.
pub fn reduce(lab: &Lab, jobs: usize, failure: Option<Failure>, told: Told<'_>) -> Result<Reduced, Fault> {
    let answer = lab.trace()?;
    let whole = Run::of(&answer);
    let trace = Trace::of(answer);
    if trace.is_cut {
        let most = trace.events.len();
        return Err(Fault::Runs(format!("the run executes more than {most} statements")));
    }
    let failure = failure.map_or_else(|| Failure::of_run(&whole), Ok)?;
    if !failure.verdict(&whole).is_interesting() {
        return Err(Fault::Runs("the whole run does not show the failure".to_owned()));
    }
    let mut search = Stripe::new(lab, jobs, &trace, &failure);
    if !search.test(&search.kept).is_interesting() {
        search.fault()?;
        let text = "the run does not show the failure when its statements are executed one by one";
        return Err(Fault::Runs(text.to_owned()));
    }
    let proven = search.run(told)?;
    let (kept, runs) = (search.kept.clone(), lab.runs());
    Ok(Reduced { trace, kept, failure, proven, runs })
}

struct Stripe<'s> {
    lab: &'s Lab,
    jobs: usize,
    trace: &'s Trace,
    failure: &'s Failure,
    /// For each event, the index at which its calls have ended.
    ends: Vec<usize>,
    can_go: Vec<bool>,
    kept: Vec<bool>,
    known: Mutex<HashMap<Vec<bool>, Verdict>>,
    fault: Mutex<Option<Fault>>,
}

impl<'s> Stripe<'s> {
    fn new(lab: &'s Lab, jobs: usize, trace: &'s Trace, failure: &'s Failure) -> Self {
        let kept = vec![true; trace.events.len()];
        Self {
            lab,
            jobs,
            trace,
            failure,
            ends: trace.ends(),
            can_go: trace.can_go(),
            kept,
            known: Mutex::default(),
            fault: Mutex::default(),
        }
    }

    /// Runs all phases. Returns the number of events that were finally tested alone.
    fn run(&mut self, told: Told<'_>) -> Result<usize, Fault> {
        let whole = self.statements().iter().map(|executions| executions.concat()).collect();
        self.minimize(&[whole], told)?;
        self.divide(told)?;
        let by_statement = self.statements();
        self.minimize(&by_statement, told)?;
        // Finally, each event is tested alone until none can be removed.
        loop {
            let alone: Vec<Vec<Unit>> =
                self.statements().concat().into_iter().map(|unit| vec![unit]).collect();
            let (count, before) = (alone.len(), self.left());
            self.minimize(&alone, told)?;
            if self.left() == before {
                return Ok(count);
            }
        }
    }

    fn left(&self) -> usize {
        self.kept.iter().filter(|&&kept| kept).count()
    }

    /// Returns the remaining executions of each statement.
    fn statements(&self) -> Vec<Vec<Unit>> {
        let mut places: BTreeMap<u32, Vec<Unit>> = BTreeMap::new();
        for (at, event) in self.trace.events.iter().enumerate().filter(|(at, _)| self.may_go(*at)) {
            places.entry(event.place).or_default().push(self.unit(at));
        }
        places.into_values().collect()
    }

    /// Returns an event together with everything in the calls that it makes.
    fn unit(&self, event: usize) -> Unit {
        std::iter::once(event..self.ends[event]).collect()
    }

    fn may_go(&self, event: usize) -> bool {
        self.kept[event] && self.can_go[event]
    }

    /// Removes units; those of a group are bisected.
    fn minimize(&mut self, groups: &[Vec<Unit>], told: Told<'_>) -> Result<(), Fault> {
        let mut from = 0;
        let ranges = groups.iter().map(|units| {
            let members = from..from + units.len() as u32;
            from = members.end;
            Group { members, kind: GroupKind::Set, owner: None }
        });
        let ranges = ranges.collect();
        self.search(ranges, &groups.concat(), told)
    }

    /// Removes calls, loops and iterations, the largest first.
    fn divide(&mut self, told: Told<'_>) -> Result<(), Fault> {
        let parts = self.trace.parts();
        let is_left =
            |range: &Range<usize>| self.can_go[range.start] && self.kept[range.clone()].contains(&true);
        let mut order: Vec<usize> = (0..parts.len()).filter(|&at| is_left(&parts[at].events)).collect();
        // Units with the same owner form a group with consecutive numbers.
        let owner = |at: usize| parts[at].owner;
        order.sort_by_key(|&at| (owner(at), parts[at].events.start));
        let number: HashMap<usize, u32> = (0..).zip(&order).map(|(new, &old)| (old, new)).collect();
        let mut groups: Vec<Group> = Vec::new();
        let mut from = 0;
        for chunk in order.chunk_by(|&a, &b| owner(a) == owner(b)) {
            let members = from..from + chunk.len() as u32;
            from = members.end;
            let owner = owner(chunk[0]).and_then(|owner| number.get(&owner).copied());
            groups.push(Group { members, kind: GroupKind::Set, owner });
        }
        let units: Vec<Unit> = order.iter().map(|&at| vec![parts[at].events.clone()]).collect();
        self.search(groups, &units, told)
    }

    fn weight(&self, unit: &[Range<usize>]) -> u32 {
        let kept = unit.iter().flat_map(Clone::clone).filter(|&at| self.kept[at]).count();
        u32::try_from(kept).unwrap_or(u32::MAX).max(1)
    }

    fn search(&mut self, groups: Vec<Group>, units: &[Unit], told: Told<'_>) -> Result<(), Fault> {
        if units.is_empty() {
            return Ok(());
        }
        let weights = units.iter().map(|unit| self.weight(unit)).collect();
        let search = Hierarchy::new(Arc::new(Groups::heaviest_first(groups, weights)));
        let count = units.len() as u32;
        let base = &self.kept;
        let rest = |config: &[u32]| {
            let mut config = config.iter().peekable();
            let is_out = |at: &u32| config.next_if(|&&next| next == *at).is_none();
            let gone: Vec<&Unit> = (0..count).filter(is_out).map(|at| &units[at as usize]).collect();
            without(base, &gone)
        };
        let this = &*self;
        let test = |config: &[u32]| this.test(&rest(config));
        let told = |config: &[u32], verdict: Verdict| {
            if verdict.is_interesting() {
                told(rest(config).iter().filter(|&&kept| kept).count(), this.lab.runs());
            }
        };
        let (_, config) = dd::run_telling(search, count, dd::parallel(self.jobs, test), told);
        self.kept = rest(&config);
        self.fault()
    }

    /// Runs the program with only these events.
    fn test(&self, kept: &[bool]) -> Verdict {
        if let Some(verdict) = lock(&self.known).get(kept) {
            return *verdict;
        }
        if lock(&self.fault).is_some() {
            return Verdict::Unresolved(Cause::Test);
        }
        let events: Vec<Event> =
            self.trace.events.iter().zip(kept).filter(|(_, kept)| **kept).map(|(event, _)| *event).collect();
        let verdict = match self.lab.partial(&self.trace.places, &events) {
            Ok(run) => self.failure.verdict(&run),
            Err(fault) => {
                lock(&self.fault).get_or_insert(fault);
                return Verdict::Unresolved(Cause::Test);
            }
        };
        lock(&self.known).insert(kept.to_vec(), verdict);
        verdict
    }

    fn fault(&self) -> Result<(), Fault> {
        lock(&self.fault).take().map_or(Ok(()), Err)
    }
}

/// Returns the remaining events without some units.
fn without(kept: &[bool], gone: &[&Unit]) -> Vec<bool> {
    let mut rest = kept.to_vec();
    for range in gone.iter().flat_map(|unit| unit.iter()) {
        rest[range.clone()].fill(false);
    }
    rest
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
