//! Speculation: the most likely next probes run at the same time, and results are committed strictly in
//! order.
//!
//! The tree of possible futures has a node for each state that the search can reach. A question that the
//! oracle must decide has one child for each answer. The root is the committed state. Verdicts move the root
//! downwards, and probes below branches that were not taken are cancelled.

use super::rates::Recent;
use super::worker::Workers;
use super::{Answer, Name, Open, Prober, Stand, Steered, Workbench, name};
use crate::Verdict;
use crate::oracle::NoVerdict;
use crate::search::Search;
use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashSet};
use std::sync::Arc;
use std::time::Duration;

/// Tuned constants.
struct Tuning {
    /// Probes below this probability are not run speculatively.
    unlikely: f64,
    /// As `unlikely`, until quick probes have taken `first` in total: a correct guess saves only a moment
    /// there, and wrong guesses can be a fifth of all runs.
    not_yet: f64,
    /// For about this long, quick probes are run speculatively only if they are almost certainly needed.
    first: Duration,
    /// Short probes below this probability are not queued behind busy threads: a useless run costs more than
    /// an idle thread.
    worth_waiting: f64,
    /// The maximum number of nodes examined before the next verdict; most of them need no probe.
    looked_at: usize,
    /// Below this probability the next search is not prepared, since that is more expensive than a question.
    worth_a_turn: f64,
}

const TUNING: Tuning = Tuning {
    unlikely: 0.002,
    not_yet: 0.8,
    first: Duration::from_secs(2),
    worth_waiting: 0.9,
    looked_at: 4096,
    worth_a_turn: 0.05,
};

type NodeId = usize;

struct Node<W: Workbench> {
    search: W::Search,
    state: W::State,
    step: Step<W::Open>,
}

/// The next step after a node.
enum Step<P> {
    /// Not examined yet.
    Unknown,
    /// All searches are done.
    Ended,
    /// The search is done, and the next one starts.
    Turn(NodeId),
    /// No probe is needed.
    Settled(NodeId),
    /// The oracle decides. The next node after an interesting verdict, after an uninteresting one and, for
    /// three-valued searches, after an unresolved one.
    Open { open: P, hit: Option<NodeId>, miss: Option<NodeId>, doubt: Option<NodeId> },
}

/// The tree of possible futures.
struct Tree<W: Workbench> {
    nodes: Vec<Option<Node<W>>>,
    free: Vec<NodeId>,
    root: NodeId,
}

impl<W: Workbench> Tree<W> {
    fn new(search: W::Search, state: W::State) -> Self {
        Self { nodes: vec![Some(Node { search, state, step: Step::Unknown })], free: Vec::new(), root: 0 }
    }

    fn node(&self, id: NodeId) -> &Node<W> {
        self.nodes[id].as_ref().expect("a node that is pointed to is there")
    }

    fn add(&mut self, search: W::Search, state: W::State) -> NodeId {
        let node = Some(Node { search, state, step: Step::Unknown });
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

    /// Computes the step after a node.
    fn expand(&mut self, id: NodeId, workbench: &mut W) {
        let node = self.node(id);
        if !matches!(node.step, Step::Unknown) {
            return;
        }
        let step = match node.search.next() {
            None => match workbench.turn(&node.state) {
                None => Step::Ended,
                Some((search, state)) => Step::Turn(self.add(search, state)),
            },
            Some(without) => match workbench.ask(&node.state, &without, node.search.is_apart()) {
                Answer::Open(open) => Step::Open { open, hit: None, miss: None, doubt: None },
                Answer::Settled(state) => {
                    let mut search = node.search.clone();
                    super::settle(&mut search);
                    Step::Settled(self.add(search, state))
                }
                Answer::Futile(state) => {
                    let mut search = node.search.clone();
                    search.skip();
                    Step::Settled(self.add(search, state))
                }
            },
        };
        self.set(id, step);
    }

    /// Returns whether the node's search is done and the next search has not been prepared.
    fn is_at_a_turn(&self, id: NodeId) -> bool {
        let node = self.node(id);
        matches!(node.step, Step::Unknown) && node.search.next().is_none()
    }

    /// Returns the node after an open question with this verdict.
    fn child(&mut self, id: NodeId, verdict: Verdict, workbench: &W) -> NodeId {
        let node = self.node(id);
        let Step::Open { open, hit, miss, doubt } = &node.step else {
            unreachable!("only open questions have verdicts")
        };
        let three_valued = node.search.is_three_valued();
        let known = match verdict {
            Verdict::Interesting => *hit,
            Verdict::Unresolved(_) if three_valued => *doubt,
            _ => *miss,
        };
        if let Some(child) = known {
            return child;
        }
        let state = workbench.after(&node.state, open, verdict);
        let mut search = node.search.clone();
        super::advance(&mut search, open, verdict);
        let child = self.add(search, state);
        let node = self.nodes[id].as_mut().expect("it was there before");
        if let Step::Open { hit, miss, doubt, .. } = &mut node.step {
            let known = match verdict {
                Verdict::Interesting => hit,
                Verdict::Unresolved(_) if three_valued => doubt,
                _ => miss,
            };
            *known = Some(child);
        }
        child
    }

    /// Drops all nodes that are not below the root. Returns the names of the remaining open questions.
    fn prune(&mut self) -> HashSet<Name> {
        let mut alive = vec![false; self.nodes.len()];
        let mut open = HashSet::new();
        let mut waiting = vec![self.root];
        while let Some(id) = waiting.pop() {
            alive[id] = true;
            match &self.node(id).step {
                Step::Unknown | Step::Ended => {}
                Step::Settled(next) | Step::Turn(next) => waiting.push(*next),
                Step::Open { open: question, hit, miss, doubt } => {
                    open.insert(question.name());
                    waiting.extend([hit, miss, doubt].into_iter().flatten());
                }
            }
        }
        for (id, is_alive) in alive.into_iter().enumerate() {
            if !is_alive && self.nodes[id].take().is_some() {
                self.free.push(id);
            }
        }
        open
    }
}

/// A node that the search may reach.
#[derive(Clone, Copy)]
struct Chance {
    /// The probability that its question will be asked, here or elsewhere. A question that is apart is asked
    /// regardless of the answers to the earlier ones of its window.
    asked: f64,
    /// The probability of all answers on the path to the node.
    path: f64,
    node: NodeId,
    /// The assumed verdicts of the last probes before it.
    recent: Recent,
}

impl Chance {
    /// Returns the chance of the only possible successor.
    fn on<W: Workbench>(self, node: NodeId, tree: &Tree<W>) -> Self {
        let asked = if tree.node(node).search.is_apart() { self.asked } else { self.path };
        Self { asked, node, ..self }
    }
}

impl Ord for Chance {
    fn cmp(&self, other: &Self) -> Ordering {
        let likelier = self.asked.total_cmp(&other.asked).then(self.path.total_cmp(&other.path));
        likelier.then(other.node.cmp(&self.node))
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
    /// If there are workers, starts a probe of a candidate that will be needed, and speculative probes of
    /// those that this search will most likely need after it.
    pub fn foresee<W: Workbench>(
        &mut self,
        first: Arc<[u8]>,
        search: W::Search,
        workbench: &mut W,
        state: W::State,
    ) {
        let Some(mut workers) = self.workers.take() else { return };
        let name = name(&first);
        if self.oracle.recall(&name).is_none() {
            workers.begin_all(vec![(name, first)], 1);
        }
        self.prepare(&mut workers, &mut Tree::new(search, state), workbench, &[name]);
        self.workers = Some(workers);
    }

    /// Leaves the most likely probes running, together with those in `wanted`. One worker stays free for the
    /// caller.
    fn prepare<W: Workbench>(
        &mut self,
        workers: &mut Workers<'_>,
        tree: &mut Tree<W>,
        workbench: &mut W,
        wanted: &[Name],
    ) {
        let others = workers.number() - 1;
        let likely = self.likeliest(workers, others, others, tree, workbench);
        let is_likely = |name: &Name| likely.iter().any(|(likely, _)| likely == name);
        workers.cancel_unless(|name| wanted.contains(name) || is_likely(name));
        workers.begin_all(likely, 1);
    }

    /// Returns where the run stands if the caller must act first.
    fn held<W: Steered>(
        &mut self,
        workers: &mut Workers<'_>,
        tree: &mut Tree<W>,
        workbench: &mut W,
    ) -> Option<Stand<W::Search, W::State>> {
        let root = tree.node(tree.root);
        if workbench.is_switched() {
            return Some(Stand::Switched(root.search.clone(), root.state.clone()));
        }
        if !workbench.pauses(&root.state) {
            return None;
        }
        let stand = Stand::Paused(root.search.clone(), root.state.clone());
        self.prepare(workers, tree, workbench, &[]);
        Some(stand)
    }

    pub(super) fn run_ahead<W: Steered>(
        &mut self,
        workers: &mut Workers<'_>,
        search: W::Search,
        workbench: &mut W,
        state: W::State,
    ) -> Result<Stand<W::Search, W::State>, W::Error> {
        let mut tree: Tree<W> = Tree::new(search, state);
        // Probes started earlier may no longer be needed.
        let mut moved = true;
        loop {
            if workbench.is_stopped() {
                return Err(NoVerdict::Interrupted.into());
            }
            if let Some(stand) = self.held(workers, &mut tree, workbench) {
                return Ok(stand);
            }
            tree.expand(tree.root, workbench);
            let root = tree.node(tree.root);
            let (open, verdict) = match &root.step {
                Step::Ended => {
                    workers.cancel_unless(|_| false);
                    return Ok(Stand::Ended(root.state.clone()));
                }
                Step::Turn(next) => {
                    let next = *next;
                    let node = tree.node(next);
                    let stand = Stand::Paused(node.search.clone(), node.state.clone());
                    tree.root = next;
                    if self.turn(workbench, &tree.node(next).state)?.is_break() {
                        self.prepare(workers, &mut tree, workbench, &[]);
                        return Ok(stand);
                    }
                    continue;
                }
                Step::Settled(next) => {
                    let next = *next;
                    workbench.commit(&tree.node(next).state, None)?;
                    tree.root = next;
                    continue;
                }
                Step::Open { open, .. } => (open, self.known(&open.name(), open.candidate())),
                Step::Unknown => unreachable!("the root has been looked at"),
            };
            if let Some(verdict) = verdict {
                let verdict = self.oracle.counted(open.candidate(), verdict?)?;
                self.rates.learn(workbench.likeness(&root.state, open), root.search.is_merge(), verdict);
                let next = tree.child(tree.root, verdict, workbench);
                workbench.commit(&tree.node(next).state, Some(verdict))?;
                tree.root = next;
                moved = true;
                continue;
            }
            let likely = self.likeliest(workers, workers.number(), workers.room(), &mut tree, workbench);
            if std::mem::take(&mut moved) {
                // The likely nodes have been expanded by now, so running probes may belong to a future
                // question.
                let open = tree.prune();
                workers.cancel_unless(|name| open.contains(name));
            }
            workers.begin_all(likely, 0);
            let start = workers.now();
            self.in_hand.extend(workers.wait());
            self.spent += workers.now().saturating_sub(start);
        }
    }

    /// Returns the verdict on the current question if it is in hand or known to the oracle without a run.
    fn known(&mut self, name: &Name, candidate: &[u8]) -> Option<Result<Verdict, NoVerdict>> {
        let in_hand = self.in_hand.remove(name);
        if in_hand.is_some() {
            return in_hand;
        }
        let recalled = self.oracle.recall(name)?;
        self.recalled += 1;
        self.oracle.recalled(candidate, recalled);
        Some(Ok(recalled))
    }

    /// Returns the questions that the search will most likely ask next, most likely first: at most `count`,
    /// or up to `room` if the additional ones are almost certain.
    fn likeliest<W: Workbench>(
        &mut self,
        workers: &Workers<'_>,
        count: usize,
        room: usize,
        tree: &mut Tree<W>,
        workbench: &mut W,
    ) -> Vec<(Name, Arc<[u8]>)> {
        let mut likeliest: Vec<(Name, Arc<[u8]>)> = Vec::new();
        let first = Chance { asked: 1.0, path: 1.0, node: tree.root, recent: self.rates.recent() };
        let mut waiting = BinaryHeap::from([first]);
        let mut looked_at = 0;
        let unlikely =
            if self.spent < TUNING.first && workers.are_quick() { TUNING.not_yet } else { TUNING.unlikely };
        while let Some(chance) = waiting.pop() {
            let id = chance.node;
            looked_at += 1;
            let least = if likeliest.len() < count { unlikely } else { TUNING.worth_waiting };
            if likeliest.len() == room || chance.asked < least || looked_at > TUNING.looked_at {
                break;
            }
            let waits = || workbench.waits(&tree.node(id).state);
            if tree.is_at_a_turn(id) && (chance.path < TUNING.worth_a_turn || waits()) {
                continue;
            }
            tree.expand(id, workbench);
            let node = tree.node(id);
            let open = match &node.step {
                Step::Ended | Step::Unknown => continue,
                Step::Settled(next) | Step::Turn(next) => {
                    waiting.push(chance.on(*next, tree));
                    continue;
                }
                Step::Open { open, .. } => open,
            };
            let name = open.name();
            let known = match self.in_hand.get(&name) {
                Some(Ok(verdict)) => Some(*verdict),
                // If the oracle could not be run, nothing follows.
                Some(Err(_)) => continue,
                None => self.oracle.recall(&name),
            };
            if let Some(verdict) = known {
                let next = tree.child(id, verdict, workbench);
                let chance = Chance { recent: chance.recent.and(verdict), ..chance };
                waiting.push(chance.on(next, tree));
                continue;
            }
            if likeliest.iter().all(|(known, _)| *known != name) {
                likeliest.push((name, Arc::clone(open.candidate())));
            }
            let like = workbench.likeness(&node.state, open);
            let (is_merge, is_three_valued) = (node.search.is_merge(), node.search.is_three_valued());
            let so_far = |guess| workers.revise(&name, guess);
            for (verdict, probability) in
                self.rates.outcomes(like, is_merge, chance.recent, is_three_valued, so_far)
            {
                if probability < TUNING.unlikely {
                    continue;
                }
                let node = tree.child(id, verdict, workbench);
                let (path, recent) = (chance.path * probability, chance.recent.and(verdict));
                let goes_on = probability >= 0.5 && tree.node(node).search.is_apart();
                let asked = if goes_on { chance.asked } else { path };
                waiting.push(Chance { asked, path, node, recent });
            }
        }
        likeliest
    }
}
