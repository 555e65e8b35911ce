//! The chain of causes of a failure, and the transitions in it (Cleve and Zeller, ICSE 2005).
//!
//! A moment is a pair of points of both runs with the same backtrace. At a moment, the relevant difference is what makes the
//! passing run fail. Where one variable stops to be the cause and another begins, there is a transition: a place where the
//! bug may be. Transitions are looked for by divide and conquer, and each moment is looked at only where it is needed.

use crate::failure::Run;
use crate::fault::Fault;
use crate::protocol::{Place, Point, Spot};
use crate::state::{Found, Isolated, Pair, SAME, Variable};
use crate::trace::Trace;
use serde::Serialize;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The numbers that were tuned.
struct Tuning {
    /// The first and the last moment with a cause are looked for in steps of this part of all moments.
    steps: usize,
    /// Between two moments, so many are tried before they count as neighbours.
    tries: usize,
    /// At most so many statements of a transition are told.
    places: usize,
}

const TUNING: Tuning = Tuning { steps: 16, tries: 3, places: 20 };

/// A moment: a point in both runs.
#[derive(Clone, Debug)]
struct Moment {
    place: Place,
    points: [Point; 2],
    /// The event of the failing run.
    event: usize,
}

/// A link of the chain: the cause of the failure at a moment.
#[derive(Clone, Debug, Serialize)]
pub struct Link {
    /// The moment's number, from 0 on.
    pub moment: usize,
    /// The statement that is executed next.
    pub place: Place,
    /// The arrival at this place in the passing and in the failing run.
    pub arrivals: [u32; 2],
    /// The cause.
    #[serde(flatten)]
    pub cause: Isolated,
}

/// A transition: the cause before a statement is another one than behind it.
#[derive(Clone, Debug, Serialize)]
pub struct Transition {
    /// The links of the chain that it lies between.
    pub links: [usize; 2],
    /// The statements that the failing run executes there, at most 20 of them: that of the first link, and what it executes
    /// up to the second.
    pub places: Vec<Place>,
    /// No moment lies between the two links.
    pub is_exact: bool,
    /// The sort of change there.
    pub sort: Sort,
}

/// The sort of change at a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    /// Another value comes about.
    Made,
    /// The values stay, in another variable of the same function.
    Moved,
    /// The values stay, and are handed to another function or back.
    Handed,
}

impl Sort {
    fn of(before: &Isolated, behind: &Isolated) -> Self {
        let values = |one: &Isolated| one.values.iter().cloned().collect::<BTreeSet<_>>();
        if values(before) != values(behind) {
            return Self::Made;
        }
        if before.frames == behind.frames { Self::Moved } else { Self::Handed }
    }
}

/// A chain of causes.
#[derive(Debug, Serialize)]
pub struct Chain {
    /// The links, in the order of the runs.
    pub links: Vec<Link>,
    /// The transitions, in the same order.
    pub transitions: Vec<Transition>,
    /// The numbers of the transitions, those where the bug is likelier first: where another value comes about, before where
    /// one is only moved or handed on.
    pub ranking: Vec<usize>,
    /// The number of moments.
    pub moments: usize,
    /// The number of moments that were looked at.
    pub examined: usize,
    /// The number of events of the passing and of the failing run.
    pub events: [usize; 2],
    /// A run executes more statements than were recorded, so the chain is that of the beginning.
    pub is_cut: bool,
    /// The number of runs of the program.
    pub runs: usize,
    /// The reason why there is no link, where there is none.
    pub reason: Option<String>,
}

/// Somebody who is told the number of moments looked at and of runs.
pub type Told<'t> = &'t mut dyn FnMut(usize, usize);

/// Finds the chain of causes of the failure of a pair of runs. It goes on until it is complete, or `is_over` says so.
///
/// # Errors
/// Returns an error if the program cannot be run, or the two runs have no moment in common.
pub fn chain(pair: &Pair<'_>, is_over: &dyn Fn() -> bool, told: Told<'_>) -> Result<Chain, Fault> {
    let [passing, failing] = [pair.passing.trace()?, pair.failing.trace()?];
    let check = [Run::of(&passing), Run::of(&failing)];
    if !pair.failure.verdict(&check[1]).is_interesting() {
        return Err(Fault::Runs("the failing run does not fail in the debugger".to_owned()));
    }
    let traces = [Trace::of(passing), Trace::of(failing)];
    let moments = moments(&traces);
    if moments.is_empty() {
        return Err(Fault::Runs("the two runs have no statement with the same callers in common".to_owned()));
    }
    let events = [traces[0].events.len(), traces[1].events.len()];
    let failing = &traces[1];
    let mut search =
        Search { pair, moments, failing, is_over, told, known: BTreeMap::new(), reasons: Vec::new() };
    let ends = search.ends()?;
    let mut pairs = Vec::new();
    if let Some((first, last)) = ends {
        search.transitions(first, last, &mut pairs)?;
    }
    let is_cut = traces.iter().any(|trace| trace.is_cut);
    Ok(Chain { is_cut, ..search.chain(&pairs, events) })
}

/// The moments of two runs, in order: events with equal backtraces.
fn moments(traces: &[Trace; 2]) -> Vec<Moment> {
    let mut known = HashMap::new();
    let backtraces = traces.each_ref().map(|trace| trace.backtraces(&mut known));
    let counts = traces.each_ref().map(Trace::counts);
    let ops = capture_diff_slices(Algorithm::Myers, &backtraces[0], &backtraces[1]);
    let mut moments = Vec::new();
    for op in ops {
        let DiffOp::Equal { old_index, new_index, len } = op else { continue };
        for at in 0..len {
            let at = [old_index + at, new_index + at];
            let place = traces[0].place(at[0]).clone();
            if place.fixed {
                continue;
            }
            let point = |run: usize| Point { place: Spot::Known(place.clone()), count: counts[run][at[run]] };
            moments.push(Moment { points: [point(0), point(1)], event: at[1], place });
        }
    }
    moments
}

struct Search<'s> {
    pair: &'s Pair<'s>,
    moments: Vec<Moment>,
    /// The trace of the failing run.
    failing: &'s Trace,
    is_over: &'s dyn Fn() -> bool,
    told: Told<'s>,
    /// The causes at the moments that were looked at.
    known: BTreeMap<usize, Option<Isolated>>,
    reasons: Vec<String>,
}

impl Search<'_> {
    /// The cause at a moment; `None` if there is none.
    fn at(&mut self, moment: usize, near: [Option<usize>; 2]) -> Result<bool, Fault> {
        if let Some(known) = self.known.get(&moment) {
            return Ok(known.is_some());
        }
        let first: Vec<(usize, BTreeSet<Variable>)> =
            near.into_iter().flatten().filter_map(|near| self.names(near)).collect();
        let points = &self.moments[moment].points;
        let found = match self.pair.isolate([&points[0], &points[1]], &first, false) {
            Ok(Found::Relevant(isolated)) => Some(*isolated),
            Ok(Found::Nothing(reason)) => {
                self.reasons.push(reason);
                None
            }
            // A run that was ended since the search is over: what was found by then is the chain.
            Err(_) if (self.is_over)() => return Ok(false),
            Err(fault @ Fault::Oracle(_)) => return Err(fault),
            // A point that is not reached this time, or a state that cannot be taken, is no reason to end.
            Err(fault) => {
                self.reasons.push(fault.to_string());
                None
            }
        };
        let has_cause = found.is_some();
        self.known.insert(moment, found);
        (self.told)(self.known.len(), self.pair.passing.runs() + self.pair.failing.runs());
        Ok(has_cause)
    }

    /// All names of the variables that are the cause at a moment.
    fn names(&self, moment: usize) -> Option<(usize, BTreeSet<Variable>)> {
        let isolated = self.known.get(&moment)?.as_ref()?;
        Some((isolated.aliases.len(), isolated.aliases.iter().flatten().cloned().collect()))
    }

    fn are_the_same(&self, from: usize, to: usize) -> bool {
        let cause = |moment| self.known.get(&moment).and_then(Option::as_ref);
        cause(from).zip(cause(to)).is_some_and(|(from, to)| from.is_about_the_same(to))
    }

    /// The first and the last moment that have a cause.
    fn ends(&mut self) -> Result<Option<(usize, usize)>, Fault> {
        let last = self.moments.len() - 1;
        let step = (self.moments.len() / TUNING.steps).max(1);
        let Some(first) = self.end(&mut (0..=last).step_by(step).chain([last]))? else { return Ok(None) };
        let backwards = (0..=last).rev().step_by(step).take_while(|&at| at > first);
        let last = self.end(&mut backwards.chain([first]))?;
        Ok(Some((first, last.unwrap_or(first))))
    }

    /// The end of the moments that have a cause: the first of these with one, or one between it and the one before.
    fn end(&mut self, candidates: &mut dyn Iterator<Item = usize>) -> Result<Option<usize>, Fault> {
        let mut without = None;
        for moment in candidates {
            if (self.is_over)() {
                return Ok(None);
            }
            if !self.at(moment, [None, None])? {
                without = Some(moment);
                continue;
            }
            let mut with = moment;
            while let Some(outer) = without.filter(|outer: &usize| outer.abs_diff(with) > 1) {
                if (self.is_over)() {
                    break;
                }
                let middle = usize::midpoint(outer, with);
                if self.at(middle, [Some(with), None])? {
                    with = middle;
                } else {
                    without = Some(middle);
                }
            }
            return Ok(Some(with));
        }
        Ok(None)
    }

    /// `cts`: the pairs of neighbouring moments with other causes between two moments.
    fn transitions(
        &mut self,
        first: usize,
        last: usize,
        found: &mut Vec<(usize, usize)>,
    ) -> Result<(), Fault> {
        let mut stack = vec![(first, last)];
        while let Some((from, to)) = stack.pop() {
            if from == to || self.are_the_same(from, to) {
                continue;
            }
            match self.between(from, to)? {
                Some(middle) => stack.extend([(middle, to), (from, middle)]),
                None => found.push((from, to)),
            }
        }
        Ok(())
    }

    /// Returns a moment with a cause between two moments, one near to the middle.
    fn between(&mut self, from: usize, to: usize) -> Result<Option<usize>, Fault> {
        let middle = usize::midpoint(from, to);
        let mut near: Vec<usize> = (from + 1..to).collect();
        near.sort_by_key(|&at| at.abs_diff(middle));
        let known = near.iter().copied().find(|at| self.known.get(at).is_some_and(Option::is_some));
        let fresh: Vec<usize> = near.into_iter().filter(|at| !self.known.contains_key(at)).collect();
        // The middle, and where nothing is known about it, neighbours on both sides.
        let step = (fresh.len() / (TUNING.tries + 1)).max(1);
        for &at in fresh.iter().step_by(step).take(TUNING.tries) {
            if (self.is_over)() {
                return Ok(None);
            }
            if self.at(at, [Some(from), Some(to)])? {
                return Ok(Some(at));
            }
        }
        Ok(known)
    }

    /// The statements that the failing run executes from one moment up to another.
    fn places(&self, from: usize, to: usize) -> Vec<Place> {
        let mut places: Vec<Place> = Vec::new();
        for event in self.moments[from].event..self.moments[to].event {
            let place = self.failing.place(event);
            let is_new = places.iter().all(|known| (known.line, &known.file) != (place.line, &place.file));
            if is_new && !place.fixed && places.len() < TUNING.places {
                places.push(place.clone());
            }
        }
        places
    }

    fn chain(self, pairs: &[(usize, usize)], events: [usize; 2]) -> Chain {
        let first = self.known.iter().find(|(_, cause)| cause.is_some()).map(|(&at, _)| at);
        let used: BTreeSet<usize> =
            first.into_iter().chain(pairs.iter().flat_map(|&(from, to)| [from, to])).collect();
        let mut numbers = HashMap::new();
        let mut links = Vec::new();
        for moment in used {
            let Some(Some(cause)) = self.known.get(&moment) else { continue };
            let Moment { place, points, .. } = &self.moments[moment];
            numbers.insert(moment, links.len());
            let arrivals = [points[0].count, points[1].count];
            links.push(Link { moment, place: place.clone(), arrivals, cause: cause.clone() });
        }
        let transition = |&(from, to): &(usize, usize)| {
            let links = [*numbers.get(&from)?, *numbers.get(&to)?];
            let cause = |moment| self.known.get(&moment).and_then(Option::as_ref);
            let sort = Sort::of(cause(from)?, cause(to)?);
            Some(Transition { links, places: self.places(from, to), is_exact: to == from + 1, sort })
        };
        let reason = links.is_empty().then(|| most_common(&self.reasons)).flatten();
        let transitions: Vec<Transition> = pairs.iter().filter_map(transition).collect();
        let mut ranking: Vec<usize> = (0..transitions.len()).collect();
        ranking.sort_by_key(|&at| transitions[at].sort);
        Chain {
            transitions,
            ranking,
            links,
            moments: self.moments.len(),
            examined: self.known.len(),
            events,
            is_cut: false,
            runs: self.pair.passing.runs() + self.pair.failing.runs(),
            reason,
        }
    }
}

/// The commonest reason. That nothing differs, as before the input is read, says less than any other one.
fn most_common(reasons: &[String]) -> Option<String> {
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    let says_more = |reason: &&String| *reason != SAME;
    let is_all = !reasons.iter().any(|reason| says_more(&reason));
    for reason in reasons.iter().filter(|reason| is_all || says_more(reason)) {
        *counts.entry(reason).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(reason, _)| reason.clone())
}
