//! The differences between two states as deltas that can be applied to the passing run independently (Zeller,
//! FSE 2002, section 4.3).
//!
//! A set of deltas is translated to commands of the debugger: new objects are created first, then values are
//! set, then references are adjusted. References far from the variables precede near ones, so that every name
//! keeps its meaning until it is used.

mod apply;
mod words;

use crate::debugger::Debugger;
use crate::graph::{Graph, Name};
use crate::matching::{Matching, are_equal, common};
use crate::protocol::{Edge, Frame, Kind};
use apply::Applying;
use std::collections::{BTreeMap, HashSet, VecDeque};

/// The maximum number of names of a place.
const ALIASES: usize = 12;

/// A difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delta {
    /// A place has another value in the failing state.
    Value {
        /// The place.
        place: Name,
        /// The vertex of the passing state.
        passing: u32,
        /// The vertex of the failing state.
        failing: u32,
    },
    /// A place refers to another object that both states contain, or is null.
    Reference {
        /// The place.
        place: Name,
    },
    /// An object that only the failing state contains.
    New {
        /// The vertex of the object.
        failing: u32,
        /// The name of the object in the failing state.
        place: Name,
    },
    /// An object that only the passing state contains: references skip it, or become null.
    Old {
        /// The vertex of the object.
        passing: u32,
        /// The name of the object in the passing state.
        place: Name,
    },
    /// An element that only the failing state contains.
    More {
        /// The container in the passing state, or `None` for a variable.
        container: Option<Name>,
        /// The edge to the element.
        edge: Edge,
        /// The name of the element.
        place: Name,
    },
    /// The array to which a pointer leads is longer in the failing state. It is moved in memory.
    Longer {
        /// The first element in the passing state.
        passing: u32,
        /// The first element in the failing state.
        failing: u32,
        /// The pointers to it in the passing state.
        places: Vec<Name>,
    },
    /// An element that only the passing state contains.
    Less {
        /// The container in the passing state, or `None` for a variable.
        container: Option<Name>,
        /// The edge to the element.
        edge: Edge,
        /// The name of the element.
        place: Name,
    },
}

impl Delta {
    /// Returns the place that the delta changes.
    #[must_use]
    pub fn place(&self) -> &Name {
        match self {
            Self::Value { place, .. }
            | Self::Reference { place }
            | Self::New { place, .. }
            | Self::Old { place, .. }
            | Self::More { place, .. }
            | Self::Less { place, .. } => place,
            Self::Longer { places, .. } => &places[0],
        }
    }
}

/// A reference with another target in the failing state.
#[derive(Debug)]
struct Adjustment {
    place: Name,
    /// The target in the passing state, or `None` for null.
    passing: Option<u32>,
    /// The target in the failing state, or `None` for null.
    failing: Option<u32>,
    /// The deltas that require this adjustment; one of them is enough.
    owners: Vec<usize>,
}

/// The difference between two states.
#[derive(Debug)]
pub struct Difference<'g> {
    passing: &'g Graph,
    failing: &'g Graph,
    matching: Matching,
    debugger: &'g dyn Debugger,
    deltas: Vec<Delta>,
    adjustments: Vec<Adjustment>,
    /// The deltas of objects that only one state contains.
    new: BTreeMap<u32, usize>,
    old: BTreeMap<u32, usize>,
    /// The number of differences that cannot be applied.
    left_out: usize,
}

impl<'g> Difference<'g> {
    /// Compares two states.
    #[must_use]
    pub fn new(
        passing: &'g Graph,
        failing: &'g Graph,
        matching: Matching,
        debugger: &'g dyn Debugger,
    ) -> Self {
        let mut difference = Self {
            passing,
            failing,
            matching,
            debugger,
            deltas: Vec::new(),
            adjustments: Vec::new(),
            new: BTreeMap::new(),
            old: BTreeMap::new(),
            left_out: 0,
        };
        difference.walk();
        difference
    }

    /// Returns the deltas.
    #[must_use]
    pub fn deltas(&self) -> &[Delta] {
        &self.deltas
    }

    /// Returns all expressions for the place of a delta, the shortest first.
    #[must_use]
    pub fn aliases(&self, number: usize) -> Vec<Name> {
        let delta = &self.deltas[number];
        let mut names = vec![delta.place().clone()];
        match delta {
            Delta::Value { passing, .. } => {
                names.extend(self.passing.aliases(*passing, ALIASES, self.debugger));
            }
            Delta::Longer { places, .. } => names.extend(places.iter().skip(1).cloned()),
            _ => {}
        }
        names
    }

    /// Returns the number of differences that cannot be applied, such as a different function or a longer
    /// array.
    #[must_use]
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Returns the active frames of the passing state.
    #[must_use]
    pub fn frames(&self) -> &[Frame] {
        self.passing.frames()
    }

    /// Returns the corresponding vertices of both states.
    #[must_use]
    pub fn matching(&self) -> &Matching {
        &self.matching
    }

    fn walk(&mut self) {
        let mut queue = VecDeque::from([(None, None)]);
        let mut seen = HashSet::new();
        // Objects that correspond, although no equal operations lead to both, follow the reachable ones.
        let pairs: Vec<(u32, u32)> =
            (0..).zip(&self.matching.failing).filter_map(|(p, f)| Some((p, (*f)?))).collect();
        let mut rest = pairs.into_iter().filter(|&(p, _)| self.passing.has_parts(p)).collect::<VecDeque<_>>();
        loop {
            let next = queue.pop_front().or_else(|| {
                std::iter::from_fn(|| rest.pop_front())
                    .find(|pair| seen.insert(*pair))
                    .map(|(p, f)| (Some(p), Some(f)))
            });
            let Some((p, f)) = next else { return };
            let pairs = common(self.passing, p, self.failing, f);
            let both: HashSet<_> = pairs.iter().map(|(edge, _)| (edge.frame, edge.op.clone())).collect();
            for (left, right) in pairs {
                // An object is compared only once, by its first name.
                let is_fresh = seen.insert((left.to, right.to));
                if is_fresh && self.compare(left, right) {
                    queue.push_back((Some(left.to), Some(right.to)));
                }
            }
            self.one_sided(p, f, &both);
        }
    }

    /// Compares the targets of two edges with the same operation. Returns whether their contents must be
    /// compared.
    fn compare(&mut self, left: &Edge, right: &Edge) -> bool {
        let (p, f) = (left.to, right.to);
        let Some(place) = self.passing.name_of(left, self.debugger) else {
            self.left_out += usize::from(!are_equal(self.passing, p, self.failing, f));
            return false;
        };
        let kinds = (self.passing.vertex(p).kind, self.failing.vertex(f).kind);
        if self.debugger.refers_to_all() {
            return self.compare_values(place, p, f);
        }
        match kinds {
            (Kind::Pointer, Kind::Pointer) => match (self.passing.target(p), self.failing.target(f)) {
                (Some(old), Some(new)) if self.matching.are_one(old, new) => true,
                (old, Some(new)) => self.adjust(place, old, Some(new)),
                _ => false,
            },
            (Kind::Null, Kind::Pointer) => match self.failing.target(f) {
                Some(new) => self.adjust(place, None, Some(new)),
                None => self.leave_out(),
            },
            (Kind::Pointer, Kind::Null) => self.adjust(place, self.passing.target(p), None),
            _ => self.compare_values(place, p, f),
        }
    }

    fn compare_values(&mut self, place: Name, p: u32, f: u32) -> bool {
        let has_parts = [self.passing.has_parts(p), self.failing.has_parts(f)];
        let are_references = self.debugger.refers_to_all() && has_parts[1] && !self.is_value(f);
        if self.matching.are_one(p, f) && has_parts == [true; 2] {
            if self.is_value(f) && !self.are_deeply_equal(p, f) {
                self.deltas.push(Delta::Value { place, passing: p, failing: f });
            }
            return true;
        }
        if are_references {
            return self.adjust(place, has_parts[0].then_some(p), Some(f));
        }
        if are_equal(self.passing, p, self.failing, f) && has_parts == [false; 2] {
            return false;
        }
        if !self.can_be_set(f) || matches!(self.passing.vertex(p).kind, Kind::Gone) {
            return self.leave_out();
        }
        self.deltas.push(Delta::Value { place, passing: p, failing: f });
        false
    }

    /// Returns whether a vertex is set as a whole although it has elements: a tuple, or a set.
    fn is_value(&self, f: u32) -> bool {
        self.debugger.refers_to_all() && matches!(self.failing.vertex(f).kind, Kind::Set | Kind::Tuple)
    }

    fn can_be_set(&self, f: u32) -> bool {
        match self.failing.vertex(f).kind {
            Kind::Atom | Kind::String | Kind::Null | Kind::Invalid => true,
            Kind::Set => self.is_value(f),
            Kind::Tuple => self.debugger.tuple(self.failing.vertex(f), "").is_some(),
            Kind::Pointer | Kind::Array | Kind::Record | Kind::Map | Kind::Opaque | Kind::Gone => false,
        }
    }

    /// Returns whether two compound values have equal elements, ignoring references.
    fn are_deeply_equal(&self, p: u32, f: u32) -> bool {
        let mut stack = vec![(p, f)];
        while let Some((p, f)) = stack.pop() {
            if !are_equal(self.passing, p, self.failing, f) {
                return false;
            }
            let pairs = common(self.passing, Some(p), self.failing, Some(f));
            let count = |graph: &Graph, of| graph.out(Some(of)).count();
            if pairs.len() != count(self.passing, p) || pairs.len() != count(self.failing, f) {
                return false;
            }
            for (left, right) in pairs {
                match self.failing.has_parts(right.to) && !self.is_value(right.to) {
                    true if !self.matching.are_one(left.to, right.to) => return false,
                    true => {}
                    false => stack.push((left.to, right.to)),
                }
            }
        }
        true
    }

    fn leave_out(&mut self) -> bool {
        self.left_out += 1;
        false
    }

    /// Adds an adjustment of a reference from `old` to `new`.
    fn adjust(&mut self, place: Name, old: Option<u32>, new: Option<u32>) -> bool {
        let mut owners = Vec::new();
        if let Some(new) = new.filter(|&new| self.matching.passing[new as usize].is_none()) {
            owners.extend(self.add(new));
        }
        if let Some(old) = old.filter(|&old| self.matching.failing[old as usize].is_none()) {
            let place = self.passing.name(old).cloned().unwrap_or_else(|| place.clone());
            let deltas = &mut self.deltas;
            owners.push(*self.old.entry(old).or_insert_with(|| {
                deltas.push(Delta::Old { passing: old, place });
                deltas.len() - 1
            }));
        }
        if owners.is_empty() {
            if new.is_some_and(|new| self.matching.passing[new as usize].is_none()) {
                return self.leave_out();
            }
            self.deltas.push(Delta::Reference { place: place.clone() });
            owners.push(self.deltas.len() - 1);
        }
        self.adjustments.push(Adjustment { place, passing: old, failing: new, owners });
        false
    }

    /// Adds deltas for a new object and all new objects behind it. Returns `None` if it cannot be created.
    fn add(&mut self, first: u32) -> Option<usize> {
        let mut queue = VecDeque::from([first]);
        while let Some(f) = queue.pop_front() {
            if self.new.contains_key(&f) || self.matching.passing[f as usize].is_some() {
                continue;
            }
            let made = match self.failing.vertex(f).kind {
                Kind::String => self.debugger.create_text("", self.failing.vertex(f)).is_some(),
                _ => self.debugger.create("", self.failing.vertex(f), 1).is_some(),
            };
            if !made {
                self.left_out += 1;
                continue;
            }
            let Some(place) = self.failing.name(f).cloned() else { continue };
            self.deltas.push(Delta::New { failing: f, place });
            self.new.insert(f, self.deltas.len() - 1);
            queue.extend(self.behind(f));
        }
        self.new.get(&first).copied()
    }

    /// Returns the targets of the references inside an object.
    fn behind(&self, f: u32) -> Vec<u32> {
        let mut found = Vec::new();
        let mut stack = self.failing.row(f);
        while let Some(inside) = stack.pop() {
            for edge in self.failing.out(Some(inside)) {
                let pointer = self.failing.vertex(edge.to).kind == Kind::Pointer;
                match self.failing.is_reference(edge) {
                    true if self.is_value(edge.to) => stack.push(edge.to),
                    true => found.push(edge.to),
                    false if pointer => found.extend(self.failing.target(edge.to)),
                    false => stack.push(edge.to),
                }
            }
            if self.failing.vertex(inside).kind == Kind::Pointer {
                found.extend(self.failing.target(inside));
            }
        }
        found
    }

    /// Adds deltas for the elements that only one of two containers has.
    fn one_sided(&mut self, p: Option<u32>, f: Option<u32>, both: &HashSet<(Option<u32>, String)>) {
        let only = |edge: &&Edge| !both.contains(&(edge.frame, edge.op.clone()));
        let container = p.and_then(|p| self.passing.name(p).cloned());
        let is_value = f.is_some_and(|f| self.is_value(f));
        if is_value || p.is_some() && container.is_none() {
            return;
        }
        let less: Vec<Edge> = self.passing.out(p).filter(only).cloned().collect();
        let more: Vec<Edge> = self.failing.out(f).filter(only).cloned().collect();
        for edge in less {
            let name = container.as_ref().map(|name| name.text.as_str());
            let Some(place) = self.passing.name_of(&edge, self.debugger) else { continue };
            if self.passing.vertex(edge.to).kind == Kind::Pointer {
                self.adjust(place, self.passing.target(edge.to), None);
            } else if self.debugger.remove(name, &edge.op).is_some() {
                self.deltas.push(Delta::Less { container: container.clone(), edge, place });
            } else {
                self.left_out += 1;
            }
        }
        if !more.is_empty() && self.longer(p, f) {
            return;
        }
        for edge in more {
            self.more(p, container.as_ref(), edge);
        }
    }

    /// Adds a delta for an array that is accessed only through pointers and is longer in the failing state.
    /// Returns `false` if the container is not such an array.
    fn longer(&mut self, p: Option<u32>, f: Option<u32>) -> bool {
        let pointers = p.zip(f).filter(|&(p, f)| {
            !self.debugger.refers_to_all()
                && [self.passing.vertex(p).kind, self.failing.vertex(f).kind] == [Kind::Pointer; 2]
        });
        let Some((p, f)) = pointers else { return false };
        let Some((passing, failing)) = self.passing.target(p).zip(self.failing.target(f)) else {
            return false;
        };
        let is_known =
            |known: &Delta| matches!(known, Delta::Longer { passing: other, .. } if *other == passing);
        if self.deltas.iter().any(is_known) {
            return true;
        }
        let mut edges = self.passing.out(Some(p)).chain(self.failing.out(Some(f)));
        let are_rows = edges.all(|edge| edge.op.starts_with('['));
        let mut places = Vec::new();
        for edge in self.passing.into(passing) {
            let Some(pointer) = edge.from.filter(|_| self.passing.is_reference(edge)) else { return false };
            places.extend(self.passing.name(pointer).cloned());
        }
        places.sort_by_key(|place| (place.length, place.frame));
        if !are_rows
            || places.is_empty()
            || self.debugger.create("", self.failing.vertex(failing), 1).is_none()
        {
            return false;
        }
        for target in self.behind(failing) {
            self.add(target);
        }
        self.deltas.push(Delta::Longer { passing, failing, places });
        true
    }

    fn more(&mut self, p: Option<u32>, container: Option<&Name>, edge: Edge) {
        let text = container.map_or("", |name| name.text.as_str());
        if !self.debugger.refers_to_all() || self.debugger.insert(text, &edge.op, "").is_none() {
            self.left_out += 1;
            return;
        }
        let parent = Edge { from: p, ..edge.clone() };
        let Some(place) = self.passing.name_of(&parent, self.debugger) else { return };
        let is_known = !self.failing.has_parts(edge.to)
            || self.is_value(edge.to)
            || self.matching.passing[edge.to as usize].is_some();
        if !is_known && self.add(edge.to).is_none() || is_known && !self.can_be_named(edge.to) {
            self.left_out += 1;
            return;
        }
        self.deltas.push(Delta::More { container: container.cloned(), edge, place });
    }

    fn can_be_named(&self, f: u32) -> bool {
        self.can_be_set(f) || self.matching.passing[f as usize].is_some()
    }

    /// Returns the commands that apply a set of deltas to the passing run. `set` contains their numbers in
    /// ascending order.
    #[must_use]
    pub fn commands(&self, set: &[usize]) -> Vec<String> {
        Applying::new(self, set).all()
    }
}
