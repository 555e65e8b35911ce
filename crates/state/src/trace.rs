//! The statements that a run executed, as a tree: a call contains the events executed in it, and a loop
//! contains its iterations.

use crate::protocol::{Answer, Event, Place};
use std::collections::HashMap;
use std::ops::Range;

/// The statements that a run executed, in order.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The places of all events.
    pub places: Vec<Place>,
    /// The events.
    pub events: Vec<Event>,
    /// The number of each event's frame; each call has its own.
    frames: Vec<u32>,
    /// Earlier events were dropped.
    pub is_cut: bool,
    /// For each place, the number of dropped events.
    skipped: Vec<u32>,
}

/// A contiguous part of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The events.
    pub events: Range<usize>,
    /// The index of the enclosing part.
    pub owner: Option<usize>,
}

impl Trace {
    /// Creates the trace from an answer.
    #[must_use]
    pub fn of(answer: Answer) -> Self {
        let frames = frames(&answer.events);
        let mut skipped = answer.skipped;
        skipped.resize(answer.places.len(), 0);
        Self { places: answer.places, events: answer.events, frames, is_cut: answer.is_cut, skipped }
    }

    /// Returns the place of an event.
    #[must_use]
    pub fn place(&self, event: usize) -> &Place {
        &self.places[self.events[event].place as usize]
    }

    /// Returns, for each event, the number of its arrival at its place, from 1.
    #[must_use]
    pub fn counts(&self) -> Vec<u32> {
        let mut seen = self.skipped.clone();
        let count = |event: &Event| {
            let seen = &mut seen[event.place as usize];
            *seen += 1;
            *seen
        };
        self.events.iter().map(count).collect()
    }

    /// Returns, for each event, the index of the next event in the same frame or an outer one. All events in
    /// between belong to calls that it makes.
    #[must_use]
    pub fn ends(&self) -> Vec<usize> {
        let mut ends = vec![self.events.len(); self.events.len()];
        let mut open: Vec<usize> = Vec::new();
        for (at, event) in self.events.iter().enumerate() {
            while let Some(&last) = open.last().filter(|&&last| self.events[last].depth >= event.depth) {
                ends[last] = at;
                open.pop();
            }
            open.push(at);
        }
        ends
    }

    /// Returns which events can be removed on their own. The events that create and destroy a frame cannot,
    /// and neither can the last event of a frame, except for the outermost one.
    #[must_use]
    pub fn can_go(&self) -> Vec<bool> {
        let mut can_go: Vec<bool> = (0..self.events.len()).map(|at| !self.place(at).fixed).collect();
        let mut last: HashMap<u32, usize> = HashMap::new();
        for (at, _) in self.events.iter().enumerate().filter(|(_, event)| event.depth > 1) {
            last.insert(self.frames[at], at);
        }
        for ended in last.into_values() {
            can_go[ended] = false;
        }
        can_go
    }

    /// Returns the parts of the trace, each before those inside it. A call consists of the events in it, a
    /// loop of the events from its first iteration to its last, and each iteration is a part of the loop.
    #[must_use]
    pub fn parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        let ends = self.ends();
        let mut stack = vec![(0..self.events.len(), None)];
        while let Some((range, owner)) = stack.pop() {
            for (inside, owner) in self.divided(range, owner, &ends, &mut parts) {
                stack.push((inside, owner));
            }
        }
        parts
    }

    /// Divides events of one frame into loops, iterations and calls. Returns the ranges inside them.
    fn divided(
        &self,
        range: Range<usize>,
        owner: Option<usize>,
        ends: &[usize],
        parts: &mut Vec<Part>,
    ) -> Vec<(Range<usize>, Option<usize>)> {
        let mut inside = Vec::new();
        let own: Vec<usize> = tops(range.clone(), ends);
        let key = |event: usize| (self.events[event].place, self.frames[event]);
        let last: HashMap<_, _> = own.iter().enumerate().map(|(at, &event)| (key(event), at)).collect();
        let mut at = 0;
        while at < own.len() {
            if last[&key(own[at])] > at {
                let heads: Vec<usize> =
                    (0..own.len() - at).filter(|&next| key(own[at + next]) == key(own[at])).collect();
                let end = |index: usize| own.get(index).copied().unwrap_or(range.end);
                let last = at + heads.last().copied().unwrap_or(0);
                // The last arrival leaves the loop: it is an iteration of one event.
                let whole = own[at]..end(last + 1);
                parts.push(Part { events: whole, owner });
                let this = Some(parts.len() - 1);
                for pair in heads.windows(2) {
                    let iteration = own[at + pair[0]]..end(at + pair[1]);
                    parts.push(Part { events: iteration.clone(), owner: this });
                    let head = own[at + pair[0]];
                    inside.push((ends[head]..iteration.end, Some(parts.len() - 1)));
                    call(head, ends, Some(parts.len() - 1), parts, &mut inside);
                }
                at = last + 1;
                continue;
            }
            call(own[at], ends, owner, parts, &mut inside);
            at += 1;
        }
        inside
    }

    /// Returns the backtrace of each event as a number. Equal numbers mean equal backtraces, also across
    /// traces that share `known`.
    #[must_use]
    pub fn backtraces(&self, known: &mut HashMap<(u32, Place), u32>) -> Vec<u32> {
        let mut stack: Vec<u32> = Vec::new();
        let mut of_events = Vec::with_capacity(self.events.len());
        for (at, event) in self.events.iter().enumerate() {
            // The trace may start in the middle of calls, so the outer frames may be unknown.
            stack.resize(event.depth.saturating_sub(1) as usize, 0);
            let outer = stack.last().copied().unwrap_or(0);
            let next = known.len() as u32 + 1;
            let number = *known.entry((outer, self.place(at).clone())).or_insert(next);
            stack.push(number);
            of_events.push(number);
        }
        of_events
    }
}

/// Adds the events in the calls that an event makes.
fn call(
    event: usize,
    ends: &[usize],
    owner: Option<usize>,
    parts: &mut Vec<Part>,
    inside: &mut Vec<(Range<usize>, Option<usize>)>,
) {
    let called = event + 1..ends[event];
    if !called.is_empty() {
        parts.push(Part { events: event..ends[event], owner });
        inside.push((called, Some(parts.len() - 1)));
    }
}

/// Returns the number of each event's frame.
fn frames(events: &[Event]) -> Vec<u32> {
    let mut open: Vec<u32> = Vec::new();
    let mut made = 0;
    let number = |event: &Event| {
        open.truncate(event.depth as usize - usize::from(event.is_first));
        while open.len() < event.depth as usize {
            made += 1;
            open.push(made);
        }
        open[event.depth as usize - 1]
    };
    events.iter().map(number).collect()
}

/// Returns the events of a range that are not in a call made by another event of the range.
fn tops(range: Range<usize>, ends: &[usize]) -> Vec<usize> {
    let mut at = range.start;
    let mut own = Vec::new();
    while at < range.end {
        own.push(at);
        at = ends[at].max(at + 1);
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a trace from lines and depths.
    fn trace(events: &[(u32, u32)]) -> Trace {
        let lines = events.iter().map(|&(line, _)| line).max().unwrap_or(0);
        let place =
            |line| Place { file: "a.c".into(), line, function: "f".into(), address: None, fixed: false };
        // In these tests, the first line of a function is one that ends with 0.
        let event = |&(place, depth): &(u32, u32)| Event { place, depth, is_first: place % 10 == 0 };
        let events: Vec<Event> = events.iter().map(event).collect();
        Trace {
            places: (0..=lines).map(place).collect(),
            frames: frames(&events),
            events,
            is_cut: false,
            skipped: vec![0; lines as usize + 1],
        }
    }

    #[test]
    fn a_call_contains_the_events_executed_in_it() {
        let trace = trace(&[(1, 1), (2, 1), (8, 2), (9, 2), (3, 1)]);
        assert_eq!(trace.ends(), [1, 4, 3, 4, 5]);
        assert_eq!(trace.can_go(), [true, true, true, false, true]);
        assert_eq!(trace.parts(), [Part { events: 1..4, owner: None }]);
    }

    #[test]
    fn a_frame_ends_with_its_last_event_even_if_another_call_follows() {
        let trace = trace(&[(1, 1), (20, 2), (21, 2), (20, 2), (21, 2), (2, 1)]);
        assert_eq!(trace.can_go(), [true, true, false, true, false, true]);
    }

    #[test]
    fn a_loop_contains_its_iterations() {
        let trace = trace(&[(1, 1), (5, 1), (6, 1), (5, 1), (6, 1), (5, 1), (9, 1)]);
        let parts = trace.parts();
        assert_eq!(parts[0], Part { events: 1..6, owner: None });
        assert_eq!(parts[1], Part { events: 1..3, owner: Some(0) });
        assert_eq!(parts[2], Part { events: 3..5, owner: Some(0) });
        assert_eq!(parts.len(), 3);
        assert_eq!(trace.counts(), [1, 1, 1, 2, 2, 3, 1]);
    }

    #[test]
    fn dropped_events_count_as_arrivals() {
        let mut trace = trace(&[(1, 1), (2, 1), (1, 1)]);
        trace.skipped[1] = 7;
        assert_eq!(trace.counts(), [8, 1, 9]);
    }

    #[test]
    fn a_trace_that_starts_inside_a_call_knows_callers_from_their_next_event() {
        let mut known = HashMap::new();
        let whole = trace(&[(1, 1), (8, 2), (2, 1), (8, 2)]).backtraces(&mut known);
        let end = trace(&[(8, 2), (2, 1), (8, 2)]).backtraces(&mut known);
        assert_ne!(whole[1], end[0], "the caller is not known");
        assert_eq!(whole[2..], end[1..]);
    }

    #[test]
    fn backtraces_are_equal_if_all_callers_are_equal() {
        let mut known = HashMap::new();
        let first = trace(&[(1, 1), (8, 2), (2, 1), (8, 2)]).backtraces(&mut known);
        let second = trace(&[(1, 1), (8, 2)]).backtraces(&mut known);
        assert_eq!(first[..2], second[..]);
        assert_ne!(first[1], first[3]);
    }
}
