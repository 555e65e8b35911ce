//! Translates a set of deltas to commands of the debugger.

use super::{Adjustment, Delta, Difference};
use crate::graph::Name;
use crate::protocol::{Edge, Kind};
use std::collections::{BTreeSet, HashMap};

/// Translates a set of deltas to commands.
pub struct Applying<'d, 'g> {
    difference: &'d Difference<'g>,
    set: BTreeSet<usize>,
    commands: Vec<String>,
    /// The frame that the last command selected.
    frame: u32,
    /// The temporary variables for new objects.
    bound: HashMap<u32, String>,
}

impl<'d, 'g> Applying<'d, 'g> {
    pub fn new(difference: &'d Difference<'g>, set: &[usize]) -> Self {
        let set = set.iter().copied().collect();
        Self { difference, set, commands: Vec::new(), frame: 0, bound: HashMap::new() }
    }

    pub fn all(mut self) -> Vec<String> {
        self.make();
        self.fill();
        let deltas = &self.difference.deltas;
        let chosen: Vec<&Delta> = self.set.iter().map(|&number| &deltas[number]).collect();
        for delta in &chosen {
            if let Delta::Value { place, passing, failing } = delta {
                self.set_value(place, Some(*passing), *failing);
            }
        }
        self.lengthen();
        self.adjust();
        for delta in &chosen {
            if let Delta::More { container, edge, .. } = delta {
                self.insert(container.as_ref(), edge);
            }
        }
        // Remove later elements first, so that the indices of earlier ones do not change.
        for delta in chosen.iter().rev() {
            if let Delta::Less { container, edge, place } = delta {
                self.select(place.frame);
                let name = container.as_ref().map(|name| name.text.as_str());
                self.commands.extend(self.difference.debugger.remove(name, &edge.op));
            }
        }
        self.select(None);
        self.commands
    }

    /// Creates new objects.
    fn make(&mut self) {
        let difference = self.difference;
        for (&f, number) in difference.new.iter().filter(|(_, number)| self.set.contains(number)) {
            let variable = difference.debugger.temporary(self.bound.len() + 1);
            let vertex = difference.failing.vertex(f);
            match vertex.kind {
                Kind::String => {
                    self.commands
                        .extend(difference.debugger.create_text(&variable, vertex).into_iter().flatten());
                }
                _ => self.commands.extend(difference.debugger.create(
                    &variable,
                    vertex,
                    difference.failing.row(f).len(),
                )),
            }
            let _ = number;
            self.bound.insert(f, variable);
        }
    }

    /// Returns the lengthened arrays, each with the temporary variable for its new location.
    fn rows(&self) -> Vec<(u32, u32, &'d [Name], String)> {
        let rows = self.set.iter().filter_map(|&number| match &self.difference.deltas[number] {
            Delta::Longer { passing, failing, places } => Some((*passing, *failing, &places[..])),
            _ => None,
        });
        let first = self.bound.len() + 1;
        let variable = |at: usize| self.difference.debugger.temporary(first + at);
        rows.enumerate()
            .map(|(at, (passing, failing, places))| (passing, failing, places, variable(at)))
            .collect()
    }

    /// Moves lengthened arrays, with their current elements and those that only the failing state has.
    fn lengthen(&mut self) {
        let difference = self.difference;
        for (passing, failing, places, variable) in self.rows() {
            let debugger = difference.debugger;
            let row = difference.failing.row(failing);
            let known = difference.passing.row(passing).len();
            self.select(places[0].frame);
            self.commands.extend(debugger.create(&variable, difference.failing.vertex(failing), row.len()));
            for (at, &element) in row.iter().enumerate() {
                let [new, old] =
                    [&variable, &places[0].text].map(|of| debugger.expression(of, &format!("[{at}]")));
                if at < known {
                    self.commands.push(debugger.assign(&new, &old));
                } else {
                    self.fill_one(element, &new);
                }
            }
            for place in places.iter().rev() {
                self.select(place.frame);
                self.commands.push(debugger.assign(&place.text, &variable));
            }
        }
    }

    /// Sets the values of new objects.
    fn fill(&mut self) {
        let difference = self.difference;
        let mut made: Vec<(u32, String)> = self.bound.iter().map(|(&f, name)| (f, name.clone())).collect();
        made.sort();
        for (f, variable) in made {
            if difference.failing.vertex(f).kind == Kind::String {
                continue;
            }
            let elements = difference.failing.row(f);
            for (at, &element) in elements.iter().enumerate() {
                let expression = match (difference.debugger.refers_to_all(), elements.len()) {
                    (true, _) => variable.clone(),
                    (false, 1) => format!("*{variable}"),
                    (false, _) => format!("{variable}[{at}]"),
                };
                self.fill_one(element, &expression);
            }
        }
    }

    fn fill_one(&mut self, f: u32, expression: &str) {
        let difference = self.difference;
        let mut stack = vec![(f, expression.to_owned())];
        while let Some((f, expression)) = stack.pop() {
            let vertex = difference.failing.vertex(f);
            let is_container = difference.debugger.refers_to_all();
            if !difference.failing.has_parts(f) {
                let place = Name { frame: Some(self.frame), text: expression, length: 0 };
                self.set_value(&place, None, f);
                continue;
            }
            let mut parts = Vec::new();
            for edge in difference.failing.out(Some(f)) {
                if is_container {
                    let value = self.value(edge.to);
                    let inserted = match vertex.kind {
                        Kind::Record => {
                            Some(difference.debugger.assign(&format!("{expression}{}", edge.op), &value))
                        }
                        _ => difference.debugger.insert(&expression, &edge.op, &value),
                    };
                    self.commands.extend(inserted);
                } else {
                    parts.push((edge.to, difference.debugger.expression(&expression, &edge.op)));
                }
            }
            stack.extend(parts.into_iter().rev());
        }
    }

    /// Sets a place to the value of a vertex of the failing state.
    fn set_value(&mut self, place: &Name, passing: Option<u32>, f: u32) {
        let difference = self.difference;
        let vertex = difference.failing.vertex(f);
        let set = match vertex.kind {
            Kind::Gone | Kind::Opaque => return,
            Kind::String if !difference.debugger.refers_to_all() => {
                let old = passing.map_or(vertex, |p| difference.passing.vertex(p));
                difference.debugger.write(&place.text, old, vertex).unwrap_or_default()
            }
            _ => vec![difference.debugger.assign(&place.text, &self.value(f))],
        };
        self.select(place.frame);
        self.commands.extend(set);
    }

    /// Returns the expression, in the passing state, for a value of the failing state.
    fn value(&self, f: u32) -> String {
        let difference = self.difference;
        let vertex = difference.failing.vertex(f);
        match vertex.kind {
            Kind::Null | Kind::Opaque | Kind::Gone => difference.debugger.nothing().to_owned(),
            Kind::Pointer => self.reference(difference.failing.target(f)),
            Kind::Atom | Kind::String | Kind::Invalid | Kind::Set => vertex.value.clone(),
            Kind::Tuple => {
                let parts = difference.failing.out(Some(f)).filter(|edge| edge.op.starts_with('['));
                let parts: String = parts.map(|edge| self.value(edge.to) + ",").collect();
                let nothing = || difference.debugger.nothing().to_owned();
                difference.debugger.tuple(vertex, &parts).unwrap_or_else(nothing)
            }
            Kind::Record | Kind::Array | Kind::Map => self.reference(Some(f)),
        }
    }

    /// Returns the expression, in the passing state, for a reference to an object of the failing state.
    fn reference(&self, target: Option<u32>) -> String {
        let difference = self.difference;
        let nothing = || difference.debugger.nothing().to_owned();
        let Some(f) = target else { return nothing() };
        if let Some(variable) = self.bound.get(&f) {
            return variable.clone();
        }
        let known = difference.matching.passing[f as usize].and_then(|p| difference.passing.name(p));
        known.map_or_else(nothing, |name| difference.debugger.reference(&name.text))
    }

    /// Adjusts references, the longest names first.
    fn adjust(&mut self) {
        let difference = self.difference;
        let is_on = |one: &&Adjustment| one.owners.iter().any(|owner| self.set.contains(owner));
        let mut adjustments: Vec<&Adjustment> = difference.adjustments.iter().filter(is_on).collect();
        adjustments.sort_by_key(|one| std::cmp::Reverse(one.place.length));
        let rows = self.rows().len();
        let references: Vec<String> = adjustments.iter().map(|one| self.reference(one.failing)).collect();
        let mut values = Vec::new();
        for (one, reference) in adjustments.iter().zip(references) {
            // A name that a later command uses may have another meaning by then.
            let is_safe = adjustments.len() == 1
                || self.bound.values().any(|variable| *variable == reference)
                || reference == difference.debugger.nothing();
            if is_safe {
                values.push(reference);
            } else {
                let variable = difference.debugger.temporary(self.bound.len() + rows + values.len() + 1);
                self.select(one.place.frame);
                self.commands.push(self.difference.debugger.assign(&variable, &reference));
                values.push(variable);
            }
        }
        for (one, value) in adjustments.iter().zip(values) {
            self.select(one.place.frame);
            self.commands.push(difference.debugger.assign(&one.place.text, &value));
        }
    }

    fn insert(&mut self, container: Option<&Name>, edge: &Edge) {
        let value = self.value(edge.to);
        self.select(container.map_or(edge.frame, |name| name.frame));
        let command = match container {
            None => Some(self.difference.debugger.assign(&edge.op, &value)),
            Some(name) => self.difference.debugger.insert(&name.text, &edge.op, &value),
        };
        self.commands.extend(command);
    }

    /// Selects a frame unless it is already selected.
    fn select(&mut self, frame: Option<u32>) {
        let wanted = frame.unwrap_or(0);
        if wanted != self.frame {
            let known = self.difference.passing.frames().get(wanted as usize).and_then(|frame| frame.level);
            self.commands.push(format!("frame {}", known.unwrap_or(wanted)));
            self.frame = wanted;
        }
    }
}
