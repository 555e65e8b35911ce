//! ddmin along groups: a smallest part that fails, split where groups end, for tests that mostly cannot tell.

use super::ddmin::key;
use super::{Search, balance, subtract};
use crate::Verdict;
use std::ops::Range;
use std::sync::Arc;

/// Circumstances next to each other in number that belong together, and the groups among them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// Its members.
    pub members: Range<u32>,
    /// Groups of them, in order; what is in none of them stands alone.
    pub inside: Vec<Outline>,
}

impl Outline {
    /// Returns the outline of `n` circumstances without any groups.
    #[must_use]
    pub fn flat(n: u32) -> Self {
        Self { members: 0..n, inside: Vec::new() }
    }
}

/// The knowledge about circumstances before any probe.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    /// The circumstances that each circumstance cannot be without; a configuration with it and without them is never
    /// asked for.
    pub needs: Vec<Vec<u32>>,
    /// The ends of the stages, in ascending order, if the circumstances stand in the order in which they came about:
    /// all that come before such an end have been there together once.
    pub stages: Vec<u32>,
}

/// ddmin (Zeller and Hildebrandt, TSE 2002) over grouped changes (Zeller, ESEC 1999).
///
/// Parts are the halves of groups, from coarse to fine. On each level, each part is asked for alone; then all together go that
/// pass alone; then each is left out. A part that passes alone is not asked for in smaller parts, where one that is
/// unresolved is; and where leaving out is unresolved eight times in a row, the next level comes: after a failed
/// build it is smaller parts that help.
///
/// With [stages](Knowledge::stages) it first looks for the earliest one that fails, by halving.
///
/// The result is 1-minimal: without any one circumstance, and those that need it, it does not fail. At most
/// n² + 5·n probes over n circumstances, and about 2·log₂ n where one is needed alone and all outcomes are resolved.
/// Nobody is asked about the empty configuration.
#[derive(Clone, Debug)]
pub struct Partition {
    shape: Arc<Shape>,
    held: Arc<[u32]>,
    /// The parts of this level, the last one first.
    parts: Arc<[u32]>,
    /// No part has more members than this, unless it is one that cannot be split.
    most: usize,
    turn: PartitionQuestion,
    /// The number of parts in a row that could not be left out because the verdict was unresolved.
    vain: usize,
    /// Is true once something was left out on this level.
    found: bool,
    /// The parts that pass alone.
    passed: imbl::HashSet<u32>,
    /// The configuration that is asked about, in ascending order.
    asked: Arc<[u32]>,
    seen: imbl::HashSet<u128>,
}

/// The question being asked.
#[derive(Clone, Debug, PartialEq, Eq)]
enum PartitionQuestion {
    /// The circumstances up to a stage are asked about; those before `passing` pass, `failing` fails. `from` is how far
    /// the one that is asked about lies from the middle.
    Stage {
        passing: usize,
        failing: usize,
        from: usize,
    },
    /// The last stage alone.
    Latest,
    /// A part alone.
    Alone(usize),
    /// All but those parts that pass alone.
    Passed,
    /// All but a part.
    Without(usize),
    /// All but a circumstance, one after the other.
    Single(usize),
    Done,
}

/// Leaving out may be unresolved this many times in a row on a level that is not the last.
const VAIN: usize = 8;

/// The data of a search that do not change.
#[derive(Debug)]
struct Shape {
    nodes: Vec<Section>,
    known: Knowledge,
    /// The opposite of needs.
    needed_by: Vec<Vec<u32>>,
}

/// A part that can be split in two; the first one is all.
#[derive(Debug)]
struct Section {
    members: Range<u32>,
    halves: Option<[u32; 2]>,
}

impl Shape {
    fn new(outline: &Outline, mut known: Knowledge) -> Self {
        let n = outline.members.end as usize;
        known.needs.resize(n, Vec::new());
        let mut nodes = Vec::new();
        plant(&mut nodes, vec![outline.clone()]);
        let mut needed_by = vec![Vec::new(); n];
        for (i, needs) in known.needs.iter().enumerate() {
            for &other in needs {
                needed_by[other as usize].push(i as u32);
            }
        }
        Self { nodes, known, needed_by }
    }

    /// These and all that they need.
    fn complete(&self, some: &[u32]) -> Vec<u32> {
        spread(some, &self.known.needs)
    }

    /// These and all that need them.
    fn with_users(&self, some: &[u32]) -> Vec<u32> {
        spread(some, &self.needed_by)
    }
}

/// Adds the nodes of these neighbours, and gives their number.
fn plant(nodes: &mut Vec<Section>, mut items: Vec<Outline>) -> u32 {
    while let [only] = &items[..]
        && only.members.len() > 1
    {
        items = apart(only);
    }
    let id = nodes.len() as u32;
    let (first, last) =
        (items.first().map_or(0, |i| i.members.start), items.last().map_or(0, |i| i.members.end));
    nodes.push(Section { members: first..last, halves: None });
    if items.len() > 1 {
        let weights: Vec<u32> = items.iter().map(|item| item.members.len() as u32).collect();
        let later = items.split_off(balance(&weights));
        nodes[id as usize].halves = Some([plant(nodes, items), plant(nodes, later)]);
    }
    id
}

/// Returns the parts of a group: smaller groups, and single circumstances outside of these.
fn apart(group: &Outline) -> Vec<Outline> {
    let mut items = Vec::new();
    let mut at = group.members.start;
    let end = group.members.end;
    let alone = |from: u32, to: u32| (from..to).map(|i| Outline { members: i..i + 1, inside: Vec::new() });
    for inner in group.inside.iter().filter(|inner| !inner.members.is_empty()) {
        items.extend(alone(at, inner.members.start));
        items.push(inner.clone());
        at = inner.members.end;
    }
    items.extend(alone(at, end));
    items
}

/// These and all that can be reached from them, in ascending order.
fn spread(some: &[u32], next: &[Vec<u32>]) -> Vec<u32> {
    let mut is_in = vec![false; next.len()];
    let mut waiting = some.to_vec();
    for &i in some {
        is_in[i as usize] = true;
    }
    while let Some(i) = waiting.pop() {
        for &other in &next[i as usize] {
            if !std::mem::replace(&mut is_in[other as usize], true) {
                waiting.push(other);
            }
        }
    }
    (0..next.len() as u32).filter(|&i| is_in[i as usize]).collect()
}

/// Returns the members that both lists have, each list in ascending order.
fn both(all: &[u32], some: &[u32]) -> Vec<u32> {
    subtract(all, &subtract(all, some))
}

/// The members of `all` in a range.
fn within<'a>(all: &'a [u32], members: &Range<u32>) -> &'a [u32] {
    let place = |at: u32| all.partition_point(|&i| i < at);
    &all[place(members.start)..place(members.end)]
}

impl Partition {
    /// A search over the members of `outline`, which begin with 0.
    ///
    /// # Panics
    /// Panics if something is needed that is not there.
    #[must_use]
    pub fn new(outline: &Outline, known: Knowledge) -> Self {
        let n = outline.members.end;
        let stages = known.stages.len();
        let mut search = Self {
            shape: Arc::new(Shape::new(outline, known)),
            held: (0..n).collect(),
            parts: [].into(),
            most: n as usize,
            turn: PartitionQuestion::Stage { passing: 0, failing: stages, from: 0 },
            vain: 0,
            found: false,
            passed: imbl::HashSet::new(),
            asked: [].into(),
            seen: imbl::HashSet::new(),
        };
        if stages < 2 {
            search.restart();
        }
        search.go_on();
        search
    }

    /// Begins with halves of what is held.
    fn restart(&mut self) {
        self.most = self.held.len();
        self.descend();
    }

    /// The next level: parts of at most half of the size.
    fn descend(&mut self) {
        let largest = self.parts.iter().map(|&part| self.live(part).len()).max().unwrap_or(self.most);
        if largest < 2 {
            (self.turn, self.found) = (PartitionQuestion::Single(0), false);
            return;
        }
        self.most = largest.div_ceil(2);
        self.parts = self.cut().into();
        (self.turn, self.vain, self.found) = (PartitionQuestion::Alone(0), 0, false);
    }

    /// The parts that have at most so many members, the last one first.
    fn cut(&mut self) -> Vec<u32> {
        let (mut parts, mut waiting) = (Vec::new(), vec![0]);
        while let Some(id) = waiting.pop() {
            let live = self.live(id).len();
            match self.shape.nodes[id as usize].halves {
                _ if live == 0 => {}
                Some(halves) if live > self.most => {
                    if self.passed.contains(&id) {
                        self.passed.extend(halves);
                    }
                    waiting.extend(halves);
                }
                _ => parts.push(id),
            }
        }
        parts
    }

    /// Returns the members of a part that are held.
    fn live(&self, part: u32) -> &[u32] {
        within(&self.held, &self.shape.nodes[part as usize].members)
    }

    fn members(&self, stage: usize) -> Range<u32> {
        let stages = &self.shape.known.stages;
        let start = if stage == 0 { 0 } else { stages[stage - 1] };
        start..stages[stage]
    }

    /// The stage that it is the turn of: the one in the middle, or the nearest to it that has not been asked about.
    fn stage(passing: usize, failing: usize, from: usize) -> Option<usize> {
        let middle = usize::midpoint(passing, failing);
        let distance = from.div_ceil(2);
        let stage = if from % 2 == 1 { middle + distance } else { middle.checked_sub(distance)? };
        (stage > passing && stage < failing).then_some(stage)
    }

    /// Returns the configuration that the turn asks about; `None` if it asks about nothing.
    fn configuration(&self) -> Option<Vec<u32>> {
        let config = match self.turn {
            PartitionQuestion::Done => return None,
            PartitionQuestion::Stage { passing, failing, from } => {
                let stage = Self::stage(passing, failing, from)?;
                let end = self.shape.known.stages[stage - 1];
                let later: Vec<u32> = within(&self.held, &(end..u32::MAX)).to_vec();
                subtract(&self.held, &self.shape.with_users(&later))
            }
            PartitionQuestion::Latest => {
                let end = self.held.last()? + 1;
                let stage = self.shape.known.stages.partition_point(|&stage| stage < end);
                both(&self.held, &self.shape.complete(within(&self.held, &self.members(stage))))
            }
            PartitionQuestion::Alone(i) => {
                let part = self.parts[i];
                if self.passed.contains(&part) {
                    return None;
                }
                both(&self.held, &self.shape.complete(self.live(part)))
            }
            PartitionQuestion::Passed => {
                let mut gone: Vec<u32> = Vec::new();
                for &part in self.parts.iter().filter(|part| self.passed.contains(*part)) {
                    gone.extend_from_slice(self.live(part));
                }
                subtract(&self.held, &self.shape.with_users(&gone))
            }
            PartitionQuestion::Without(i) => {
                subtract(&self.held, &self.shape.with_users(self.live(self.parts[i])))
            }
            PartitionQuestion::Single(i) => subtract(&self.held, &self.shape.with_users(&self.held[i..=i])),
        };
        (!config.is_empty() && config.len() < self.held.len()).then_some(config)
    }

    /// Goes on to the next question that was not asked yet.
    fn go_on(&mut self) {
        while self.turn != PartitionQuestion::Done {
            if let Some(config) = self.configuration()
                && self.seen.insert(key(&config)).is_none()
            {
                self.asked = config.into();
                return;
            }
            self.step();
        }
    }

    /// The turn after one that has brought nothing.
    fn step(&mut self) {
        let is_last = |i: usize| i + 1 >= self.parts.len();
        match self.turn {
            PartitionQuestion::Stage { passing, failing, from } => {
                // If nothing near the middle can be told, the stages give no more away.
                let goes_on = failing - passing > 1 && from < VAIN.min(2 * (failing - passing));
                self.turn = if goes_on {
                    PartitionQuestion::Stage { passing, failing, from: from + 1 }
                } else {
                    PartitionQuestion::Latest
                };
            }
            PartitionQuestion::Latest => self.restart(),
            PartitionQuestion::Alone(i) if is_last(i) => self.turn = PartitionQuestion::Passed,
            PartitionQuestion::Alone(i) => self.turn = PartitionQuestion::Alone(i + 1),
            PartitionQuestion::Passed => self.turn = PartitionQuestion::Without(0),
            PartitionQuestion::Without(i) if is_last(i) || self.vain >= VAIN => self.descend(),
            PartitionQuestion::Without(i) => self.turn = PartitionQuestion::Without(i + 1),
            PartitionQuestion::Single(i) if i + 1 < self.held.len() => {
                self.turn = PartitionQuestion::Single(i + 1);
            }
            PartitionQuestion::Single(_) if self.found => {
                (self.turn, self.found) = (PartitionQuestion::Single(0), false);
            }
            PartitionQuestion::Single(_) | PartitionQuestion::Done => self.turn = PartitionQuestion::Done,
        }
    }

    /// Holds what was asked about, and goes on from there.
    fn take(&mut self) {
        self.held = Arc::clone(&self.asked);
        (self.found, self.vain) = (true, 0);
        match self.turn {
            PartitionQuestion::Stage { passing, failing, from } => {
                let failing = Self::stage(passing, failing, from).expect("it was asked about");
                self.turn = PartitionQuestion::Stage { passing, failing, from: 0 };
            }
            PartitionQuestion::Latest | PartitionQuestion::Alone(_) => {
                self.parts = [].into();
                self.restart();
            }
            PartitionQuestion::Single(i) => {
                self.turn = PartitionQuestion::Single(i.min(self.held.len().saturating_sub(1)));
            }
            _ => self.step(),
        }
    }

    /// Does without a find.
    fn pass(&mut self, is_resolved: bool) {
        match self.turn {
            PartitionQuestion::Stage { passing, failing, from } if is_resolved => {
                let passing = Self::stage(passing, failing, from).expect("it was asked about");
                self.turn = PartitionQuestion::Stage { passing, failing, from: 0 };
                return;
            }
            PartitionQuestion::Alone(i) if is_resolved => {
                self.passed.insert(self.parts[i]);
            }
            PartitionQuestion::Without(_) => self.vain = if is_resolved { 0 } else { self.vain + 1 },
            _ => {}
        }
        self.step();
    }
}

impl Search for Partition {
    fn next(&self) -> Option<Vec<u32>> {
        (self.turn != PartitionQuestion::Done).then(|| subtract(&self.held, &self.asked))
    }

    fn advance(&mut self, verdict: Verdict) {
        assert!(self.turn != PartitionQuestion::Done, "a verdict answers a question");
        match verdict {
            Verdict::Interesting => self.take(),
            Verdict::Uninteresting => self.pass(true),
            Verdict::Unresolved(_) => self.pass(false),
        }
        self.go_on();
    }

    fn is_three_valued(&self) -> bool {
        true
    }
}
