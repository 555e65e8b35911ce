//! The largest common subgraph of two memory graphs, by the cliques of their correspondence graph.
//!
//! Barrow and Burstall (1976): a vertex of the correspondence graph is a pair of things that may correspond; two of them
//! are joined if both can hold at once. A clique is a set of pairs that can hold together, and the best one is found by Bron
//! and Kerbosch's algorithm (CACM 1973) with a bound. The things are those that references lead to, since what is inside of
//! them follows.

use crate::graph::Graph;
use crate::matching::{are_alike, are_equal, common};
use crate::protocol::Kind;
use std::collections::HashSet;

/// The numbers that were tuned.
struct Tuning {
    /// With more pairs than this, the graphs are not small.
    pairs: usize,
    /// The search ends after so many steps, with the best that it has found.
    steps: usize,
    /// An equal value counts as many references.
    value: usize,
}

const TUNING: Tuning = Tuning { pairs: 400, steps: 200_000, value: 1000 };

/// A pair of things that may correspond.
struct Pair {
    passing: u32,
    failing: u32,
    /// The number of equal values inside of both.
    weight: usize,
    /// The things that equal operations lead to from here: they agree if they correspond.
    leads: Vec<(u32, u32)>,
}

/// Returns the pairs of things that correspond in a largest common subgraph; none if the graphs are not small.
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

/// All pairs of things of the same type that references lead to, those with the most in common first.
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

/// Returns the number of equal values inside of two things, and the pairs of things that their references lead to. `None` if
/// there are values, and none of them are equal.
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

/// The pairs of things that variables lead to.
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
    /// The number of all references.
    references: usize,
    best: (usize, Vec<usize>),
    steps: usize,
}

impl Search<'_> {
    /// Adds pairs to a clique in all ways that may still be better than the best one.
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

    /// Returns how much two states have in common by these pairs: equal values before all, then the references that lead to
    /// things which correspond.
    fn value(&self, clique: &[usize]) -> usize {
        let held: HashSet<(u32, u32)> =
            clique.iter().map(|&at| (self.all[at].passing, self.all[at].failing)).collect();
        let agreeing = |leads: &[(u32, u32)]| leads.iter().filter(|lead| held.contains(lead)).count();
        let within: usize =
            clique.iter().map(|&at| TUNING.value * self.all[at].weight + agreeing(&self.all[at].leads)).sum();
        within + agreeing(self.roots)
    }

    /// Returns a bound on how much these pairs can add: for each thing the best of its pairs.
    fn bound(&self, rest: &[usize]) -> usize {
        let mut seen = HashSet::new();
        let most = rest.iter().filter(|&&at| seen.insert(self.all[at].passing));
        most.map(|&at| TUNING.value * self.all[at].weight).sum::<usize>() + self.references
    }
}
