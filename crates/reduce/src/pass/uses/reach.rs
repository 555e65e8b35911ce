//! Computes which deltas stay reachable from the remaining text, and which deltas each delta alone keeps reachable.

use super::Uses;
use nubbin_syntax::NONE;
use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};
use petgraph::visit::DfsPostOrder;

/// The maximum number of edges of a graph that is searched. In a larger graph each delta has only its own weight.
const EDGES: usize = 1 << 22;

/// Computes which deltas stay when some are applied.
///
/// A *host* is a delta that is a definition, is tried, or has been applied; all other deltas belong to the host that
/// contains them. The uses in a host, excluding its inner hosts, are live if the host stays. A host stays if its outer
/// host stays, and if it needs no use or a live use keeps it.
pub(super) struct Reach<'u> {
    uses: &'u Uses,
    /// The innermost host of each delta.
    hosts: Vec<u32>,
    marked: Vec<bool>,
    stays: Vec<bool>,
    /// The first use in each host, and in the text outside all hosts; `next_use` links to the next one.
    first_use: Vec<u32>,
    next_use: Vec<u32>,
    /// The first host that waits for each host; `next_waiting` links to the next one.
    first_waiting: Vec<u32>,
    next_waiting: Vec<u32>,
    /// The hosts that stay and whose uses have not been visited yet.
    todo: Vec<u32>,
}

impl<'u> Reach<'u> {
    /// Computes the deltas that stay when `asked` are tried after those in `made`.
    pub fn new(uses: &'u Uses, made: &[bool], asked: &[u32]) -> Self {
        let deltas = uses.parents.len();
        let mut is_asked = vec![false; deltas];
        for &delta in asked {
            is_asked[delta as usize] = true;
        }
        let mut hosts = vec![NONE; deltas];
        for delta in 0..deltas {
            let is_host = uses.is_definition[delta] || is_asked[delta] || made[delta];
            hosts[delta] = match uses.parents[delta] {
                _ if is_host => delta as u32,
                NONE => NONE,
                parent => hosts[parent as usize],
            };
        }
        let mut reach = Self {
            uses,
            hosts,
            marked: vec![false; deltas],
            stays: vec![false; deltas],
            first_use: vec![NONE; deltas + 1],
            next_use: vec![NONE; uses.around.len()],
            first_waiting: vec![NONE; deltas + 1],
            next_waiting: vec![NONE; deltas],
            todo: Vec::new(),
        };
        for (i, &around) in uses.around.iter().enumerate() {
            let host = if around == NONE { NONE } else { reach.hosts[around as usize] };
            let first = &mut reach.first_use[host.min(deltas as u32) as usize];
            reach.next_use[i] = std::mem::replace(first, i as u32);
        }
        // A delta that has been applied is never reached again.
        made.iter().zip(&mut reach.marked).for_each(|(&made, marked)| *marked = made);
        for delta in 0..deltas as u32 {
            let i = delta as usize;
            let needs_none = uses.is_definition[i] && uses.stands[i] && !is_asked[i];
            if needs_none || uses.pinned[i] {
                reach.mark(delta);
            }
        }
        reach.count(deltas as u32);
        reach.run();
        reach
    }

    pub fn stays(&self, host: u32) -> bool {
        self.stays[host as usize]
    }

    /// Returns the host around a host, or `NONE`.
    fn outer(&self, host: u32) -> u32 {
        match self.uses.parents[host as usize] {
            NONE => NONE,
            parent => self.hosts[parent as usize],
        }
    }

    /// Records that a live use keeps this delta.
    fn mark(&mut self, delta: u32) {
        if std::mem::replace(&mut self.marked[delta as usize], true) || self.hosts[delta as usize] != delta {
            return;
        }
        let outer = self.outer(delta);
        if outer == NONE || self.stays[outer as usize] {
            self.stays[delta as usize] = true;
            self.todo.push(delta);
        } else {
            let first = &mut self.first_waiting[outer as usize];
            self.next_waiting[delta as usize] = std::mem::replace(first, delta);
        }
    }

    /// Visits the uses of a host, or of the text outside all hosts.
    fn count(&mut self, host: u32) {
        let uses = self.uses;
        let mut i = self.first_use[host as usize];
        while i != NONE {
            uses.kept_by(i).iter().for_each(|&kept| self.mark(kept));
            i = self.next_use[i as usize];
        }
    }

    fn run(&mut self) {
        while let Some(host) = self.todo.pop() {
            self.count(host);
            let mut inner = std::mem::replace(&mut self.first_waiting[host as usize], NONE);
            while inner != NONE {
                self.stays[inner as usize] = true;
                self.todo.push(inner);
                inner = self.next_waiting[inner as usize];
            }
        }
    }

    /// Returns whether a delta is a host that does not stay although its outer host does.
    fn falls(&self, host: u32) -> bool {
        let outer = self.outer(host);
        self.hosts[host as usize] == host
            && !self.stays[host as usize]
            && (outer == NONE || self.stays[outer as usize])
    }

    /// Lists the outermost hosts that do not stay and have not been applied before, in ascending order.
    pub fn gone(&self, made: &[bool]) -> Vec<u32> {
        (0..made.len() as u32).filter(|&host| !made[host as usize] && self.falls(host)).collect()
    }

    /// For each delta, returns whether it stays without a use, so that all deltas stay when none is tried.
    pub fn standing(mut self) -> Vec<bool> {
        let mut stands = self.uses.stands.clone();
        for delta in 0..stands.len() as u32 {
            if self.falls(delta) {
                stands[delta as usize] = true;
                self.mark(delta);
                self.run();
            }
        }
        stands
    }
}

impl Uses {
    /// Returns the total weight of each delta, given the weights of the deltas alone. A delta that nothing outside uses
    /// also deletes everything that only it keeps reachable, like the retained size of an object in a heap.
    pub fn retained(&self, alone: &[u32]) -> Vec<u32> {
        let root = alone.len() as u32;
        let outside = |delta: u32| delta.min(root);
        let needs_use = |delta: u32| self.is_definition[delta as usize] && !self.stands[delta as usize];
        if !(0..root).any(needs_use) {
            return alone.to_vec();
        }
        let mut edges: Vec<(u32, u32)> = (0..root)
            .filter(|&delta| !needs_use(delta))
            .map(|delta| (outside(self.parents[delta as usize]), delta))
            .collect();
        for (i, &around) in (0..).zip(&self.around) {
            let kept = self.kept_by(i).iter().filter(|&&kept| needs_use(kept));
            edges.extend(kept.map(|&kept| (outside(around), kept)));
        }
        edges.sort_unstable();
        edges.dedup();
        if edges.is_empty() || edges.len() > EDGES {
            return alone.to_vec();
        }
        let graph = DiGraph::<(), (), u32>::from_edges(&edges);
        let start = NodeIndex::new(root as usize);
        let dominators = simple_fast(&graph, start);
        let dominator = |delta: u32| dominators.immediate_dominator(NodeIndex::new(delta as usize));
        let outer = |delta: u32| Some(self.parents[delta as usize]).filter(|&parent| parent != NONE);
        let around = |delta: u32| std::iter::successors(outer(delta), move |&parent| outer(parent));
        let mut beyond = vec![0u64; alone.len() + 1];
        // In this order, a node comes after all nodes that it dominates.
        let mut order = DfsPostOrder::new(&graph, start);
        while let Some(node) = order.next(&graph) {
            let delta = node.index() as u32;
            let Some(by) = dominator(delta) else { continue };
            // The weight of a delta inside a counted one is not added again.
            let is_apart = needs_use(delta)
                && around(delta).all(|outer| {
                    outer as usize != by.index() && (!needs_use(outer) || dominator(outer) != Some(by))
                });
            let own = if is_apart { u64::from(alone[delta as usize]) } else { 0 };
            beyond[by.index()] += own + beyond[delta as usize];
        }
        let weigh = |(delta, &alone): (usize, &u32)| {
            let more = if self.counts[delta] == 0 { beyond[delta] } else { 0 };
            u32::try_from(u64::from(alone) + more).unwrap_or(u32::MAX)
        };
        alone.iter().enumerate().map(weigh).collect()
    }
}
