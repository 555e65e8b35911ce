//! Matches two states: a common subgraph of their memory graphs.

use crate::graph::Graph;
use crate::largest;
use crate::protocol::{Edge, Kind};
use std::collections::{HashMap, VecDeque};

/// How a common subgraph is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Both graphs are traversed in parallel from the roots (Zeller, FSE 2002, section 4.2).
    #[default]
    Parallel,
    /// The largest common subgraph, by cliques (Barrow and Burstall 1976); for small graphs.
    Largest,
}

/// The corresponding vertices of two graphs: those at the same place, regardless of their values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matching {
    /// For each vertex of the passing state, the corresponding one of the failing state.
    pub failing: Vec<Option<u32>>,
    /// For each vertex of the failing state, the corresponding one of the passing state.
    pub passing: Vec<Option<u32>>,
}

impl Matching {
    /// Matches two graphs.
    #[must_use]
    pub fn new(passing: &Graph, failing: &Graph, method: Method) -> Self {
        let mut matching = Self { failing: vec![None; passing.len()], passing: vec![None; failing.len()] };
        let tied = if method == Method::Largest { largest::pairs(passing, failing) } else { Vec::new() };
        for &(p, f) in &tied {
            matching.tie(p, f);
        }
        matching.traverse(passing, failing, &tied);
        matching
    }

    /// Returns whether two vertices correspond.
    #[must_use]
    pub fn are_one(&self, p: u32, f: u32) -> bool {
        self.failing[p as usize] == Some(f)
    }

    fn tie(&mut self, p: u32, f: u32) {
        self.failing[p as usize] = Some(f);
        self.passing[f as usize] = Some(p);
    }

    /// Starts with the roots and the given pairs, and adds all pairs that are reachable along matching edges.
    fn traverse(&mut self, passing: &Graph, failing: &Graph, tied: &[(u32, u32)]) {
        let mut queue = VecDeque::from([(None, None)]);
        queue.extend(tied.iter().map(|&(p, f)| (Some(p), Some(f))));
        let mut seen = std::collections::HashSet::new();
        while let Some((p, f)) = queue.pop_front() {
            for (left, right) in common(passing, p, failing, f) {
                let (p, f) = (left.to, right.to);
                if !are_alike(passing, p, failing, f) {
                    continue;
                }
                let is_free = self.failing[p as usize].is_none() && self.passing[f as usize].is_none();
                if is_free {
                    self.tie(p, f);
                }
                if self.are_one(p, f) && seen.insert((p, f)) {
                    queue.push_back((Some(p), Some(f)));
                }
            }
        }
    }
}

/// Returns whether two vertices can be the same object with different values: they have the same kind and
/// type, or both are pointers of the same type. A pointer may become null: it can be an element of an array
/// to which another pointer leads.
#[must_use]
pub fn are_alike(passing: &Graph, p: u32, failing: &Graph, f: u32) -> bool {
    let (p, f) = (passing.vertex(p), failing.vertex(f));
    let is_pointer = |kind| matches!(kind, Kind::Pointer | Kind::Null | Kind::Invalid);
    p.type_name == f.type_name && (p.kind == f.kind || is_pointer(p.kind) && is_pointer(f.kind))
}

/// Returns whether two vertices are alike and have the same value, ignoring their parts.
#[must_use]
pub fn are_equal(passing: &Graph, p: u32, failing: &Graph, f: u32) -> bool {
    let kind = passing.vertex(p).kind;
    let has_value = !matches!(kind, Kind::Record | Kind::Array | Kind::Tuple | Kind::Map | Kind::Pointer);
    are_alike(passing, p, failing, f)
        && kind == failing.vertex(f).kind
        && (!has_value || passing.vertex(p).value == failing.vertex(f).value)
}

/// Returns the pairs of edges of two vertices with the same operation.
#[must_use]
pub fn common<'g>(
    passing: &'g Graph,
    p: Option<u32>,
    failing: &'g Graph,
    f: Option<u32>,
) -> Vec<(&'g Edge, &'g Edge)> {
    let others: HashMap<_, _> = failing.out(f).map(|edge| ((edge.frame, edge.op.as_str()), edge)).collect();
    let pairs = passing.out(p).filter_map(|edge| Some((edge, *others.get(&(edge.frame, edge.op.as_str()))?)));
    pairs.collect()
}
