//! Speculation: the likeliest next probes run at the same time, and commits stay strictly in order.
//!
//! The tree of what may come has a node for each state that the search can be in; a question that the oracle
//! has to decide has two children, one for each answer. Its root is what is committed. Verdicts that arrive move
//! the root down; probes below a branch that did not come true are cancelled.

use super::worker::Workers;
use super::{Answer, Name, Open, Prober, Workbench};
use crate::oracle::{self, Oracle};
use crate::search::Search;
use crate::verdict::Verdict;
use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashSet};
use std::time::Instant;

/// Below which probability nothing is run ahead.
const UNLIKELY: f64 = 0.002;
/// How many nodes are looked at before the next verdict, at most: most of them need no probe.
const LOOKED_AT: usize = 1024;

type NodeId = usize;

struct Node<S, W: Workbench> {
    search: S,
    view: W::View,
    step: Step<W::Open>,
}

/// What comes after a node.
enum Step<P> {
    /// Not looked at yet.
    Unknown,
    /// The search is done.
    Done,
    /// No probe is needed.
    Settled(NodeId),
    /// The oracle decides: where it goes on if it is interesting, and if not.
    Open { open: P, hit: Option<NodeId>, miss: Option<NodeId> },
}

/// The tree of what may come.
struct Tree<S, W: Workbench> {
    nodes: Vec<Option<Node<S, W>>>,
    free: Vec<NodeId>,
    root: NodeId,
}

impl<S: Search, W: Workbench> Tree<S, W> {
    fn new(search: S, view: W::View) -> Self {
        Self { nodes: vec![Some(Node { search, view, step: Step::Unknown })], free: Vec::new(), root: 0 }
    }

    fn node(&self, id: NodeId) -> &Node<S, W> {
        self.nodes[id].as_ref().expect("a node that is pointed to is there")
    }

    fn add(&mut self, search: S, view: W::View) -> NodeId {
        let node = Some(Node { search, view, step: Step::Unknown });
        if let Some(id) = self.free.pop() {
            self.nodes[id] = node;
            return id;
        }
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn set(&mut self, id: NodeId, step: Step<W::Open>) {
        self.nodes[id].as_mut().expect("a node that is pointed to is there").step = step;
    }

    /// Finds out what comes after a node.
    fn expand(&mut self, id: NodeId, bench: &mut W) {
        let node = self.node(id);
        if !matches!(node.step, Step::Unknown) {
            return;
        }
        let step = match node.search.next() {
            None => Step::Done,
            Some(without) => match bench.ask(&node.view, &without) {
                Answer::Open(open) => Step::Open { open, hit: None, miss: None },
                Answer::Settled(view) => {
                    let mut search = node.search.clone();
                    search.advance(Verdict::Uninteresting);
                    Step::Settled(self.add(search, view))
                }
            },
        };
        self.set(id, step);
    }

    /// The node after an open question with this verdict.
    fn child(&mut self, id: NodeId, verdict: Verdict, bench: &W) -> NodeId {
        let node = self.node(id);
        let Step::Open { open, hit, miss } = &node.step else {
            unreachable!("only open questions have verdicts")
        };
        let known = if verdict.is_interesting() { *hit } else { *miss };
        if let Some(child) = known {
            return child;
        }
        let view = bench.after(&node.view, open, verdict.is_interesting());
        let mut search = node.search.clone();
        search.advance(verdict);
        let child = self.add(search, view);
        let node = self.nodes[id].as_mut().expect("it was there before");
        if let Step::Open { hit, miss, .. } = &mut node.step {
            *(if verdict.is_interesting() { hit } else { miss }) = Some(child);
        }
        child
    }

    /// Makes `root` the root, and drops all that is not below it. Gives the names of the open questions.
    fn reroot(&mut self, root: NodeId) -> HashSet<Name> {
        self.root = root;
        let mut alive = HashSet::new();
        let mut open = HashSet::new();
        let mut waiting = vec![root];
        while let Some(id) = waiting.pop() {
            alive.insert(id);
            match &self.node(id).step {
                Step::Unknown | Step::Done => {}
                Step::Settled(next) => waiting.push(*next),
                Step::Open { open: question, hit, miss } => {
                    open.insert(question.name());
                    waiting.extend([hit, miss].into_iter().flatten());
                }
            }
        }
        for id in 0..self.nodes.len() {
            if self.nodes[id].is_some() && !alive.contains(&id) {
                self.nodes[id] = None;
                self.free.push(id);
            }
        }
        open
    }
}

/// A node with the probability that the search gets there.
struct Chance(f64, NodeId);

impl Ord for Chance {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0).then(other.1.cmp(&self.1))
    }
}

impl PartialOrd for Chance {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Chance {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Chance {}

impl Prober<'_> {
    pub(super) fn run_ahead<S: Search, W: Workbench>(
        &mut self,
        oracle: &(dyn Oracle + Sync),
        jobs: usize,
        search: S,
        bench: &mut W,
        view: W::View,
    ) -> Result<(), W::Error> {
        std::thread::scope(|scope| {
            let mut workers = Workers::start(scope, oracle, jobs);
            let result = self.look_ahead(&mut workers, Tree::new(search, view), bench);
            workers.cancel_unless(|_| false);
            result
        })
    }

    fn look_ahead<S: Search, W: Workbench>(
        &mut self,
        workers: &mut Workers,
        mut tree: Tree<S, W>,
        bench: &mut W,
    ) -> Result<(), W::Error> {
        // The running estimate of how often a probe succeeds.
        let (mut hits, mut probes) = (1.0, 4.0);
        loop {
            if bench.is_stopped() {
                return Err(oracle::Error::Interrupted.into());
            }
            tree.expand(tree.root, bench);
            let verdict = match &tree.node(tree.root).step {
                Step::Done => return Ok(()),
                Step::Settled(next) => {
                    let next = *next;
                    bench.commit(&tree.node(next).view, None)?;
                    tree.root = next;
                    continue;
                }
                Step::Open { open, .. } => self.known(&open.name()),
                Step::Unknown => unreachable!("the root has been looked at"),
            };
            if let Some(verdict) = verdict {
                let verdict = verdict?;
                let next = tree.child(tree.root, verdict, bench);
                bench.commit(&tree.node(next).view, Some(verdict))?;
                (hits, probes) = (hits + f64::from(verdict.is_interesting()), probes + 1.0);
                let open = tree.reroot(next);
                workers.cancel_unless(|name| open.contains(name));
                continue;
            }
            self.fill(workers, &mut tree, bench, hits / probes);
            let start = Instant::now();
            let told = workers.wait();
            self.spent += start.elapsed();
            if let Some((name, verdict)) = told {
                self.in_hand.insert(name, verdict);
            }
        }
    }

    /// The verdict that is asked for now, if it is in hand or the oracle knows it without a run.
    fn known(&mut self, name: &Name) -> Option<Result<Verdict, oracle::Error>> {
        let in_hand = self.in_hand.remove(name);
        if in_hand.is_some() {
            return in_hand;
        }
        let recalled = self.oracle().recall(name)?;
        self.recalled += 1;
        Some(Ok(recalled))
    }

    /// Gives every free thread the likeliest probe that is not under way.
    fn fill<S: Search, W: Workbench>(
        &mut self,
        workers: &mut Workers,
        tree: &mut Tree<S, W>,
        bench: &mut W,
        success: f64,
    ) {
        let mut likely = BinaryHeap::from([Chance(1.0, tree.root)]);
        let mut looked_at = 0;
        while let Some(Chance(chance, id)) = likely.pop() {
            looked_at += 1;
            let enough = chance < UNLIKELY || looked_at > LOOKED_AT;
            if id != tree.root && (enough || !workers.is_free()) {
                return;
            }
            tree.expand(id, bench);
            let (name, candidate) = match &tree.node(id).step {
                Step::Done | Step::Unknown => continue,
                Step::Settled(next) => {
                    likely.push(Chance(chance, *next));
                    continue;
                }
                Step::Open { open, .. } => (open.name(), open.candidate().clone()),
            };
            let known = match self.in_hand.get(&name) {
                Some(Ok(verdict)) => Some(*verdict),
                // Where the oracle could not be run, nothing comes after.
                Some(Err(_)) => continue,
                None => self.oracle().recall(&name),
            };
            if let Some(verdict) = known {
                likely.push(Chance(chance, tree.child(id, verdict, bench)));
                continue;
            }
            if !workers.is_running(&name) && !workers.is_ending(&name) && workers.is_free() {
                self.started += 1;
                workers.begin(name, candidate);
            }
            if workers.is_free() {
                let hit = tree.child(id, Verdict::Interesting, bench);
                let miss = tree.child(id, Verdict::Uninteresting, bench);
                likely.push(Chance(chance * success, hit));
                likely.push(Chance(chance * (1.0 - success), miss));
            }
        }
    }
}
