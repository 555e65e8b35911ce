//! The largest common subgraph of two memory graphs, found as a clique of their correspondence graph.
//!
//! Barrow and Burstall (1976): a vertex of the correspondence graph is a pair of objects that may correspond,
//! and two vertices are connected if both pairs can hold at the same time. A clique is a set of compatible
//! pairs. The best one is found by the algorithm of Bron and Kerbosch (CACM 1973) with a bound. The objects
//! are the targets of references; the correspondence of their contents follows.

use crate::graph::Graph;
use crate::matching::{are_alike, are_equal, common};
use crate::protocol::Kind;
use std::collections::HashSet;

/// Tuned constants.
struct Tuning {
    /// Graphs with more pairs are too large.
    pairs: usize,
    /// After this many steps the search returns the best clique found so far.
    steps: usize,
    /// The weight of an equal value, in references.
    value: usize,
}

const TUNING: Tuning = Tuning { pairs: 400, steps: 200_000, value: 1000 };

/// A pair of objects that may correspond.
struct Pair {
    passing: u32,
    failing: u32,
    /// The number of equal values inside both.
    weight: usize,
    /// The pairs of objects to which equal operations lead from here. A reference agrees if its pair is in
    /// the clique.
    leads: Vec<(u32, u32)>,
}

/// Returns the corresponding pairs of objects in a largest common subgraph, or none if the graphs are too
/// large.
pub fn pairs(passing: &Graph, failing: &Graph) -> Vec<(u32, u32)> {
    let all = candidates(passing, failing);
    if all.is_empty() || all.len() > TUNING.pairs {
        return Vec::new();
    }
    let roots = slots(passing, None, failing, None);
    let references = roots.len() + all.iter().map(|pair| pair.leads.len()).sum::<usize>();
    let mut search = Search { all: &all, roots: &roots, references, best: (0, Vec::new()), steps: 0 };
    search.extend(&mut Vec::new(), &(0..all.len()).collect::<Vec<_>>());
    search.best.1.iter().map(|&at| (all[at].passing, all[at].failing)).collect()
}

/// Returns all pairs of referenced objects of the same type, those with the most in common first.
fn candidates(passing: &Graph, failing: &Graph) -> Vec<Pair> {
    let [ours, theirs] = [passing, failing].map(things);
    let mut all = Vec::new();
    for &p in &ours {
        for &f in theirs.iter().filter(|&&f| are_alike(passing, p, failing, f)) {
            let Some((weight, leads)) = inside(passing, p, failing, f) else { continue };
            all.push(Pair { passing: p, failing: f, weight, leads });
            if all.len() > TUNING.pairs {
                return all;
            }
        }
    }
    all.sort_by_key(|pair| std::cmp::Reverse(pair.weight));
    all
}

fn things(graph: &Graph) -> Vec<u32> {
    let mut seen = HashSet::new();
    let references = graph.edges().iter().filter(|edge| graph.is_reference(edge) && graph.has_parts(edge.to));
    references.map(|edge| edge.to).filter(|&to| seen.insert(to)).collect()
}

/// Returns the number of equal values inside two objects, and the pairs of targets of their references.
/// Returns `None` if there are values but none are equal.
fn inside(passing: &Graph, p: u32, failing: &Graph, f: u32) -> Option<(usize, Vec<(u32, u32)>)> {
    let (mut weight, mut values, mut leads) = (0, 0, Vec::new());
    let mut stack = vec![(p, f)];
    while let Some((p, f)) = stack.pop() {
        for (left, right) in common(passing, Some(p), failing, Some(f)) {
            if passing.is_reference(left) && failing.is_reference(right) {
                leads.push((left.to, right.to));
                continue;
            }
            let are_equal = are_equal(passing, left.to, failing, right.to);
            if passing.has_parts(left.to) || passing.vertex(left.to).kind == Kind::Pointer {
                stack.extend(are_equal.then_some((left.to, right.to)));
            } else {
                values += 1;
                weight += usize::from(are_equal);
            }
        }
    }
    (values == 0 || weight > 0).then_some((weight, leads))
}

/// Returns the pairs of objects to which variables lead.
fn slots(passing: &Graph, p: Option<u32>, failing: &Graph, f: Option<u32>) -> Vec<(u32, u32)> {
    let mut leads = Vec::new();
    for (left, right) in common(passing, p, failing, f) {
        if passing.is_reference(left) && failing.is_reference(right) {
            leads.push((left.to, right.to));
        } else {
            leads.extend(
                inside(passing, left.to, failing, right.to).map(|(_, leads)| leads).unwrap_or_default(),
            );
        }
    }
    leads
}

struct Search<'s> {
    all: &'s [Pair],
    roots: &'s [(u32, u32)],
    /// The total number of references.
    references: usize,
    best: (usize, Vec<usize>),
    steps: usize,
}

impl Search<'_> {
    /// Extends a clique in all ways that can still exceed the best one.
    fn extend(&mut self, clique: &mut Vec<usize>, rest: &[usize]) {
        self.steps += 1;
        let value = self.value(clique);
        if value > self.best.0 {
            self.best = (value, clique.clone());
        }
        for (at, &next) in rest.iter().enumerate() {
            if self.steps > TUNING.steps || value + self.bound(&rest[at..]) <= self.best.0 {
                return;
            }
            let one = &self.all[next];
            let can_join = |other: &Pair| (other.passing != one.passing) && (other.failing != one.failing);
            let joined: Vec<usize> =
                rest[at + 1..].iter().copied().filter(|&other| can_join(&self.all[other])).collect();
            clique.push(next);
            self.extend(clique, &joined);
            clique.pop();
        }
    }

    /// Returns the similarity of two states under these pairs: equal values, and then references to
    /// corresponding objects.
    fn value(&self, clique: &[usize]) -> usize {
        let held: HashSet<(u32, u32)> =
            clique.iter().map(|&at| (self.all[at].passing, self.all[at].failing)).collect();
        let agreeing = |leads: &[(u32, u32)]| leads.iter().filter(|lead| held.contains(lead)).count();
        let within: usize =
            clique.iter().map(|&at| TUNING.value * self.all[at].weight + agreeing(&self.all[at].leads)).sum();
        within + agreeing(self.roots)
    }

    /// Returns an upper bound for the contribution of these pairs: the best pair of each object.
    fn bound(&self, rest: &[usize]) -> usize {
        let mut seen = HashSet::new();
        let most = rest.iter().filter(|&&at| seen.insert(self.all[at].passing));
        most.map(|&at| TUNING.value * self.all[at].weight).sum::<usize>() + self.references
    }
}
