//! Speculation: the likeliest next probes run at the same time, and commits stay strictly in order.
//!
//! The tree of what may come has a node for each state that the search can be in; a question that the oracle
//! has to decide has two children, one for each answer. Its root is what is committed. Verdicts that arrive move
//! the root down; probes below a branch that did not come true are cancelled.

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

/// The numbers that were tuned.
struct Tuning {
    /// Nothing below this probability is run ahead.
    unlikely: f64,
    /// The same while quick probes have not taken `first` together: what a guess saves there is a moment, and what it
    /// costs in vain may be a fifth of all runs.
    not_yet: f64,
    /// For about this long, quick probes are run ahead only where they are all but certain.
    first: Duration,
    /// No short probe below this probability waits for a thread: what is begun in vain costs more than a thread's wait.
    worth_waiting: f64,
    /// At most this many nodes are looked at before the next verdict: most of them need no probe.
    looked_at: usize,
    /// Below this probability the next search is not prepared: that costs more than a question.
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
    /// It has not been looked at yet.
    Unknown,
    /// All searches are done.
    Ended,
    /// The search is done; the next one begins.
    Turn(NodeId),
    /// No probe is needed.
    Settled(NodeId),
    /// The oracle decides: where it goes on if it is interesting, and if not. For a search that tells them apart,
    /// where it goes on if nobody can tell.
    Open { open: P, hit: Option<NodeId>, miss: Option<NodeId>, doubt: Option<NodeId> },
}

/// The tree of what may come.
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

    /// Finds out what comes after a node.
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

    /// Tells whether the node's search is done, and what comes after it has not been looked at.
    fn is_at_a_turn(&self, id: NodeId) -> bool {
        let node = self.node(id);
        matches!(node.step, Step::Unknown) && node.search.next().is_none()
    }

    /// The node after an open question with this verdict.
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

    /// Drops all that is not below the root. Gives the names of the open questions that are left.
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

/// A node that the search may come to.
#[derive(Clone, Copy)]
struct Chance {
    /// The probability that its question will be asked, here or elsewhere: one that is apart is asked whatever the
    /// answers to those before it in the window are.
    asked: f64,
    /// The probability of all the answers on the way.
    path: f64,
    node: NodeId,
    /// The expected results of the last probes before it.
    recent: Recent,
}

impl Chance {
    /// The chance of the only node that can come next.
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
    /// Begins with a candidate that will be asked for, and with those that a run of this search will most likely ask
    /// for after it, where there are workers for that.
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

    /// Leaves the likeliest probes under way, and those that are wanted in any case; one worker's share of the
    /// machine is for somebody else.
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

    /// Returns where the run stands, if somebody outside has to be heeded first.
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
        // Probes that are under way from before may not be wanted any more.
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
                // The likely nodes have been looked at by now: a probe under way may be about a question to come.
                let open = tree.prune();
                workers.cancel_unless(|name| open.contains(name));
            }
            workers.begin_all(likely, 0);
            let start = workers.now();
            self.in_hand.extend(workers.wait());
            self.spent += workers.now().saturating_sub(start);
        }
    }

    /// The verdict that is asked for now, if it is in hand or the oracle knows it without a run.
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

    /// The questions that the search will most likely come to next, the likeliest first: at most `count`, and up to
    /// `room` of those that it will hardly miss.
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
                // If the oracle could not be run, nothing comes after.
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
