//! The chain of causes of a failure, and its transitions (Cleve and Zeller, ICSE 2005).
//!
//! A *moment* is a pair of points, one in each run, with the same backtrace. The *cause* at a moment is the
//! difference of the two states that makes the passing run fail. A *transition* is where one variable stops
//! being the cause and another starts; the bug may be at that place. Transitions are found by divide and
//! conquer, so a moment is examined only if it is needed.

use crate::effect::{Behind, Effect, Later};
use crate::failure::Run;
use crate::fault::Fault;
use crate::protocol::{Place, Point, Spot};
use crate::state::{Found, Isolated, Pair, SAME, Variable, Wanted};
use crate::trace::Trace;
use serde::Serialize;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

/// Tuned constants.
struct Tuning {
    /// The first and the last moment with a cause are searched in steps of this fraction of all moments.
    steps: usize,
    /// The maximum number of reported statements of a transition.
    places: usize,
}

const TUNING: Tuning = Tuning { steps: 16, places: 20 };

/// A point in both runs.
#[derive(Clone, Debug)]
struct Moment {
    place: Place,
    points: [Point; 2],
    /// The events in the passing and in the failing run.
    events: [usize; 2],
}

/// A link of the chain: the cause of the failure at a moment.
#[derive(Clone, Debug, Serialize)]
pub struct Link {
    /// The number of the moment, from 0.
    pub moment: usize,
    /// The statement that is executed next.
    pub place: Place,
    /// How often the passing and the failing run have arrived at this place, including this arrival.
    pub arrivals: [u32; 2],
    /// The cause.
    #[serde(flatten)]
    pub cause: Isolated,
}

/// A transition: the cause before a statement differs from the cause after it.
#[derive(Clone, Debug, Serialize)]
pub struct Transition {
    /// The indices of the links before and after the transition.
    pub links: [usize; 2],
    /// The statements that the failing run executes there, at most 20: the statement of the first link, and
    /// the last ones up to the second link.
    pub places: Vec<Place>,
    /// There is no moment between the two links.
    pub is_exact: bool,
    /// The kind of the change.
    pub sort: Sort,
    /// The effect on the variables of the second cause if the first cause is applied to the passing run, or
    /// `None` if unknown.
    pub effect: Option<Effect>,
}

/// The kind of the change at a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    /// A new value is computed.
    Made,
    /// The values move to another variable of the same function.
    Moved,
    /// The values are passed to another function, or returned.
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
    /// The links, in chronological order.
    pub links: Vec<Link>,
    /// The transitions, in chronological order.
    pub transitions: Vec<Transition>,
    /// The indices of the transitions, most suspicious first: those that compute a new value precede those
    /// that only move or pass one.
    pub ranking: Vec<usize>,
    /// The number of moments.
    pub moments: usize,
    /// The number of examined moments.
    pub examined: usize,
    /// The number of events of the passing and of the failing run.
    pub events: [usize; 2],
    /// A run executed more statements than were recorded, so the chain covers only its end.
    pub is_cut: bool,
    /// The source files of the statements that the failing run executed.
    pub files: BTreeSet<PathBuf>,
    /// The parts of the run that were not examined for lack of time, the latest first.
    pub unseen: Vec<Gap>,
    /// The number of runs of the program.
    pub runs: usize,
    /// The reason why the chain is empty, if it is.
    pub reason: Option<String>,
}

/// A part of the failing run that was not examined.
#[derive(Clone, Debug, Serialize)]
pub struct Gap {
    /// The statement before it, or `None` at the start of the run.
    pub from: Option<Place>,
    /// The statement after it.
    pub to: Place,
    /// The number of moments in it.
    pub moments: usize,
}

/// A progress callback: receives the numbers of examined moments and of runs.
pub type Told<'t> = &'t mut dyn FnMut(usize, usize);

/// Finds the chain of causes of the failure of a pair of runs. The search ends when the chain is complete or
/// `is_over` returns true.
///
/// # Errors
/// Returns an error if the program cannot be run, or if the two runs have no moment in common.
pub fn chain(pair: &Pair<'_>, is_over: &dyn Fn() -> bool, told: Told<'_>) -> Result<Chain, Fault> {
    let [passing, failing] = [pair.passing.trace()?, pair.failing.trace()?];
    let check = [Run::of(&passing), Run::of(&failing)];
    if !pair.failure.verdict(&check[1]).is_interesting() {
        return Err(Fault::Runs("the failing run does not fail in the debugger".to_owned()));
    }
    let traces = [Trace::of(passing), Trace::of(failing)];
    let moments = moments(&traces);
    if moments.is_empty() {
        return Err(Fault::Runs(
            "the two runs have no statement with the same backtrace in common".to_owned(),
        ));
    }
    let events = [traces[0].events.len(), traces[1].events.len()];
    let mut search = Search {
        pair,
        moments,
        traces: &traces,
        is_over,
        told,
        known: BTreeMap::new(),
        effects: BTreeMap::new(),
        again: BTreeSet::new(),
        tried: BTreeSet::new(),
        reasons: Vec::new(),
        unseen: Vec::new(),
    };
    let mut pairs = Vec::new();
    if let Some((first, last)) = search.ends()? {
        pairs = search.transitions(first, last)?;
        while search.check(&pairs)? {
            pairs = search.transitions(first, last)?;
        }
        if is_over() && first == last && first > 0 {
            search.unseen.push((None, first));
        }
    } else if is_over() {
        search.unseen.push((None, search.moments.len() - 1));
    }
    let is_cut = traces.iter().any(|trace| trace.is_cut);
    Ok(Chain { is_cut, ..search.chain(&pairs, events) })
}

/// Returns the moments of two runs in order: pairs of events with equal backtraces.
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
            moments.push(Moment { points: [point(0), point(1)], events: at, place });
        }
    }
    moments
}

struct Search<'s> {
    pair: &'s Pair<'s>,
    moments: Vec<Moment>,
    /// The traces of the passing and of the failing run.
    traces: &'s [Trace; 2],
    is_over: &'s dyn Fn() -> bool,
    told: Told<'s>,
    /// The causes at the examined moments.
    known: BTreeMap<usize, Option<Isolated>>,
    /// The effects of causes on later moments.
    effects: BTreeMap<(usize, usize), Option<Effect>>,
    /// The moments for which a second cause was searched.
    again: BTreeSet<usize>,
    /// The pairs of moments that were checked, and whether the later or the earlier cause was searched again.
    tried: BTreeSet<(usize, usize, bool)>,
    reasons: Vec<String>,
    /// The pairs of moments between which nothing was examined for lack of time; `None` is the start of the
    /// run.
    unseen: Vec<(Option<usize>, usize)>,
}

impl Search<'_> {
    /// Returns whether there is a cause at a moment.
    fn at(&mut self, moment: usize, near: [Option<usize>; 2]) -> Result<bool, Fault> {
        if let Some(known) = self.known.get(&moment) {
            return Ok(known.is_some());
        }
        let first: Vec<(usize, BTreeSet<Variable>)> =
            near.into_iter().flatten().filter_map(|near| self.names(near)).collect();
        let wanted = Wanted { first, ..Wanted::default() };
        let (found, reason) = self.cause(moment, &wanted)?;
        self.reasons.extend(reason);
        if found.is_none() && (self.is_over)() {
            return Ok(false);
        }
        let has_cause = found.is_some();
        self.known.insert(moment, found);
        (self.told)(self.known.len(), self.pair.passing.runs() + self.pair.failing.runs());
        Ok(has_cause)
    }

    /// Searches for a cause at a moment. Returns it, or the reason why there is none.
    fn cause(&self, moment: usize, wanted: &Wanted<'_>) -> Result<(Option<Isolated>, Option<String>), Fault> {
        let points = &self.moments[moment].points;
        match self.pair.isolate([&points[0], &points[1]], wanted) {
            Ok(Found::Relevant(isolated)) => Ok((Some(*isolated), None)),
            Ok(Found::Nothing(reason)) => Ok((None, Some(reason))),
            // The run was ended because the search is over; the chain consists of the causes found so far.
            Err(_) if (self.is_over)() => Ok((None, None)),
            Err(fault @ Fault::Oracle(_)) => Err(fault),
            // An unreachable point or an unreadable state does not end the search.
            Err(fault) => Ok((None, Some(fault.to_string()))),
        }
    }

    /// Checks from the start of the chain whether each cause brings about the next one. If one does not, the
    /// next cause is searched among its effects, and then the cause itself among the causes of the next one,
    /// each once. Returns whether another cause was found, so that the transitions may have moved.
    fn check(&mut self, pairs: &[(usize, usize)]) -> Result<bool, Fault> {
        for &(from, to) in pairs {
            if (self.is_over)() {
                return Ok(false);
            }
            if !self.effects.contains_key(&(from, to)) {
                let effect = self.effect(from, to)?;
                self.effects.insert((from, to), effect);
            }
            if self.effects[&(from, to)] != Some(Effect::Nothing) {
                continue;
            }
            for (moment, is_later) in [(to, true), (from, false)] {
                if self.again.contains(&moment) || !self.tried.insert((from, to, is_later)) {
                    continue;
                }
                let other = if is_later { self.come_of(from, to)? } else { self.bringing(from, to)? };
                if other.is_some() {
                    self.again.insert(moment);
                    self.known.insert(moment, other);
                    self.effects.retain(|&(one, two), _| one != moment && two != moment);
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Returns the part of the cause at a moment that is an effect of the cause at an earlier one.
    fn come_of(&self, from: usize, to: usize) -> Result<Option<Isolated>, Fault> {
        let Some(Some(cause)) = self.known.get(&from) else { return Ok(None) };
        let earlier = Some((&cause.commands[..], self.behind(from, to)));
        let first = self.names(from).into_iter().collect();
        Ok(self.cause(to, &Wanted { first, earlier, ..Wanted::default() })?.0)
    }

    /// Returns the cause at a moment that brings about the one at a later moment.
    fn bringing(&self, from: usize, to: usize) -> Result<Option<Isolated>, Fault> {
        // The previous cause, and the one that must follow, are likely candidates.
        let before = self.known.range(..from).rev().find(|(_, cause)| cause.is_some());
        let near = before.map(|(&moment, _)| moment).into_iter().chain([to]);
        let first = near.filter_map(|moment| self.names(moment)).collect();
        Ok(self.cause(from, &Wanted { first, later: self.later(from, to), ..Wanted::default() })?.0)
    }

    /// Returns the effect of the cause at a moment on a later one.
    fn effect(&self, from: usize, to: usize) -> Result<Option<Effect>, Fault> {
        let Some(Some(cause)) = self.known.get(&from) else { return Ok(None) };
        let Some(later) = self.later(from, to) else { return Ok(None) };
        match self.pair.effect(&cause.commands, &later) {
            Err(fault @ Fault::Oracle(_)) if !(self.is_over)() => Err(fault),
            effect => Ok(effect.unwrap_or_default()),
        }
    }

    /// Returns a moment as the later end of an effect.
    fn later(&self, from: usize, to: usize) -> Option<Later<'_>> {
        let cause = self.known.get(&to)?.as_ref()?;
        let [one, two] = &self.moments[to].points;
        Some(Later::new(self.behind(from, to), [one, two], cause))
    }

    /// Returns how a moment is reached from an earlier one.
    fn behind(&self, from: usize, to: usize) -> Behind<'_> {
        let [from, to] = [from, to].map(|moment| &self.moments[moment]);
        let mut arrivals: Vec<Point> = Vec::new();
        for run in [1, 0] {
            let events = &self.traces[run].events;
            let place = events[to.events[run]].place;
            let before = events[..=from.events[run]].iter().filter(|event| event.place == place).count();
            let count = to.points[run].count - before as u32;
            if arrivals.iter().all(|known| known.count != count) {
                arrivals.push(Point { count, ..to.points[run].clone() });
            }
        }
        Behind { first: &from.points[0], arrivals }
    }

    /// Returns all names of the variables that are the cause at a moment.
    fn names(&self, moment: usize) -> Option<(usize, BTreeSet<Variable>)> {
        let isolated = self.known.get(&moment)?.as_ref()?;
        Some((isolated.aliases.len(), isolated.aliases.iter().flatten().cloned().collect()))
    }

    fn are_the_same(&self, from: usize, to: usize) -> bool {
        let cause = |moment| self.known.get(&moment).and_then(Option::as_ref);
        cause(from).zip(cause(to)).is_some_and(|(from, to)| from.is_about_the_same(to))
    }

    /// Returns the first and the last moment with a cause. The last one is searched first, since it is
    /// closest to the failure.
    fn ends(&mut self) -> Result<Option<(usize, usize)>, Fault> {
        let end = self.moments.len() - 1;
        let step = (self.moments.len() / TUNING.steps).max(1);
        let Some(last) = self.end(&mut (0..=end).rev().step_by(step).chain([0]))? else { return Ok(None) };
        let first = self.end(&mut (0..last).step_by(step).chain([last]))?;
        // If there is no time to find the first one, the search stays near the last one.
        Ok(Some((first.unwrap_or(last), last)))
    }

    /// Returns the first of these moments with a cause, or an earlier one between it and its predecessor.
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

    /// Returns the pairs of adjacent moments with different causes between two moments (`cts` in the paper).
    fn transitions(&mut self, first: usize, last: usize) -> Result<Vec<(usize, usize)>, Fault> {
        let mut found = Vec::new();
        self.unseen.clear();
        let mut stack = vec![(first, last)];
        while let Some((from, to)) = stack.pop() {
            if from == to || self.are_the_same(from, to) {
                continue;
            }
            if let Some(middle) = self.between(from, to)? {
                // Examine the part closer to the failure first.
                stack.extend([(from, middle), (middle, to)]);
                continue;
            }
            if (self.is_over)() && to > from + 1 {
                self.unseen.push((Some(from), to));
            }
            found.push((from, to));
        }
        found.sort_unstable();
        Ok(found)
    }

    /// Returns a moment with a cause between two moments: the middle one, or one that is closer to either
    /// end.
    fn between(&mut self, from: usize, to: usize) -> Result<Option<usize>, Fault> {
        let known = self.known.range(from + 1..to).filter(|(_, cause)| cause.is_some()).map(|(&at, _)| at);
        let middle = usize::midpoint(from, to);
        if let Some(known) = known.min_by_key(|at| at.abs_diff(middle)) {
            return Ok(Some(known));
        }
        let mut distance = middle - from;
        while distance > 0 {
            for at in [to - distance, from + distance] {
                if (self.is_over)() {
                    return Ok(None);
                }
                if !self.known.contains_key(&at) && self.at(at, [Some(from), Some(to)])? {
                    return Ok(Some(at));
                }
            }
            distance /= 2;
        }
        Ok(None)
    }

    /// Returns the statements that the failing run executes between two moments: the first, and the last ones
    /// before the second moment, where its cause was computed.
    fn places(&self, from: usize, to: usize) -> Vec<Place> {
        let mut places: Vec<Place> = Vec::new();
        for event in self.moments[from].events[1]..self.moments[to].events[1] {
            let place = self.traces[1].place(event);
            let is_new = places.iter().all(|known| (known.line, &known.file) != (place.line, &place.file));
            if is_new && !place.fixed {
                places.push(place.clone());
            }
        }
        let more = places.len().saturating_sub(TUNING.places);
        places.drain(1.min(more)..1.min(more) + more);
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
            let effect = self.effects.get(&(from, to)).copied().flatten();
            Some(Transition { links, places: self.places(from, to), is_exact: to == from + 1, sort, effect })
        };
        let place = |at: usize| self.moments[at].place.clone();
        let unseen = self.unseen.iter().map(|&(from, to)| Gap {
            from: from.map(place),
            to: place(to),
            moments: to - from.map_or(0, |from| from + 1),
        });
        let unseen = unseen.collect();
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
            files: self.traces[1].places.iter().map(|place| place.file.clone()).collect(),
            unseen,
            runs: self.pair.passing.runs() + self.pair.failing.runs(),
            reason,
        }
    }
}

/// Returns the most frequent reason. That both states are the same, as before the input is read, is the least
/// informative.
fn most_common(reasons: &[String]) -> Option<String> {
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    let says_more = |reason: &&String| *reason != SAME;
    let is_all = !reasons.iter().any(|reason| says_more(&reason));
    for reason in reasons.iter().filter(|reason| is_all || says_more(reason)) {
        *counts.entry(reason).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(_, count)| *count).map(|(reason, _)| reason.clone())
}
