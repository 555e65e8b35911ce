//! ddmin that splits at group boundaries, for tests that are mostly unresolved.

use super::ddmin::key;
use super::{Search, balance, subtract};
use crate::Verdict;
use std::ops::Range;
use std::sync::Arc;

/// A group of circumstances with consecutive numbers, and the groups inside it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// The members of the group.
    pub members: Range<u32>,
    /// The inner groups, in order. Members outside of them are treated individually.
    pub inside: Vec<Outline>,
}

impl Outline {
    /// Returns the outline of `n` circumstances without groups.
    #[must_use]
    pub fn flat(n: u32) -> Self {
        Self { members: 0..n, inside: Vec::new() }
    }
}

/// What is known about the circumstances before the first probe.
#[derive(Clone, Debug, Default)]
pub struct Knowledge {
    /// For each circumstance, those that it needs. A configuration that violates this is never tested.
    pub needs: Vec<Vec<u32>>,
    /// The ends of the stages, in ascending order, if the circumstances are numbered in chronological order:
    /// all circumstances before a stage's end once existed together.
    pub stages: Vec<u32>,
}

/// ddmin (Zeller and Hildebrandt, TSE 2002) over grouped changes (Zeller, "Yesterday, My Program Worked.
/// Today, It Does Not. Why?", ESEC/FSE 1999).
///
/// Parts are halves of groups, from coarse to fine. On each level, each part is first tested alone; then all
/// parts that pass alone are removed together; then each part is removed separately. The halves of a part
/// that passes alone are not tested alone, those of an unresolved part are. After eight consecutive
/// unresolved removals the search moves to the next level, since smaller parts are more likely to be
/// resolved, for example if builds fail.
///
/// With [stages](Knowledge::stages), it first bisects for the earliest failing stage.
///
/// The result is 1-minimal: it does not fail without any one circumstance and those that need it. For n
/// circumstances there are at most n² + 5·n probes, and about 2·log₂ n if a single one is needed and all
/// outcomes are resolved. The empty configuration is not tested.
#[derive(Clone, Debug)]
pub struct Partition {
    shape: Arc<Shape>,
    held: Arc<[u32]>,
    /// The parts of this level; the last part is first.
    parts: Arc<[u32]>,
    /// The maximum number of members of a part, except for parts that cannot be split.
    most: usize,
    turn: PartitionQuestion,
    /// The number of consecutive unresolved removals.
    vain: usize,
    /// Is true once something was removed on this level.
    found: bool,
    /// The parts that pass alone.
    passed: imbl::HashSet<u32>,
    /// The configuration of the question, in ascending order.
    asked: Arc<[u32]>,
    seen: imbl::HashSet<u128>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PartitionQuestion {
    /// The circumstances up to a stage. Stage `passing` passes and `failing` fails; `from` is the distance of
    /// the tested stage from the middle.
    Stage {
        passing: usize,
        failing: usize,
        from: usize,
    },
    /// The last stage alone.
    Latest,
    /// A part alone.
    Alone(usize),
    /// Everything except the parts that pass alone.
    Passed,
    /// Everything except a part.
    Without(usize),
    /// Everything except a single circumstance.
    Single(usize),
    Done,
}

/// The maximum number of consecutive unresolved removals on a level that is not the last.
const VAIN: usize = 8;

/// The data of a search that do not change.
#[derive(Debug)]
struct Shape {
    nodes: Vec<Section>,
    known: Knowledge,
    /// The inverse of `known.needs`.
    needed_by: Vec<Vec<u32>>,
}

/// A part that can be split in two; the first section contains all circumstances.
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

    /// Returns the circumstances and everything that they need.
    fn complete(&self, some: &[u32]) -> Vec<u32> {
        spread(some, &self.known.needs)
    }

    /// Returns the circumstances and everything that needs them.
    fn with_users(&self, some: &[u32]) -> Vec<u32> {
        spread(some, &self.needed_by)
    }
}

/// Adds the sections of these adjacent items and returns the index of their root.
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

/// Returns the parts of a group: its inner groups, and each circumstance outside of them.
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

/// Returns the transitive closure of `some` under `next`, in ascending order.
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

/// Returns the intersection; both lists are in ascending order.
fn both(all: &[u32], some: &[u32]) -> Vec<u32> {
    subtract(all, &subtract(all, some))
}

/// Returns the members of `all` in a range.
fn within<'a>(all: &'a [u32], members: &Range<u32>) -> &'a [u32] {
    let place = |at: u32| all.partition_point(|&i| i < at);
    &all[place(members.start)..place(members.end)]
}

impl Partition {
    /// Starts a search over the members of `outline`, which must start at 0.
    ///
    /// # Panics
    /// Panics if a needed circumstance does not exist.
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

    /// Starts again with the halves of the held configuration.
    fn restart(&mut self) {
        self.most = self.held.len();
        self.descend();
    }

    /// Advances to the next level, whose parts have at most half the size.
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

    /// Returns the parts with at most `most` members; the last part is first.
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

    /// Returns the stage to test: the middle one, or the nearest one that has not been tested.
    fn stage(passing: usize, failing: usize, from: usize) -> Option<usize> {
        let middle = usize::midpoint(passing, failing);
        let distance = from.div_ceil(2);
        let stage = if from % 2 == 1 { middle + distance } else { middle.checked_sub(distance)? };
        (stage > passing && stage < failing).then_some(stage)
    }

    /// Returns the configuration of the current question, or `None` if the question is void.
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

    /// Advances to the next question that was not asked before.
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

    /// Advances to the next question after one without a find.
    fn step(&mut self) {
        let is_last = |i: usize| i + 1 >= self.parts.len();
        match self.turn {
            PartitionQuestion::Stage { passing, failing, from } => {
                // If no stage near the middle is resolved, the stages do not help any further.
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

    /// Holds the tested configuration and continues from it.
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

    /// Records that the question had no find.
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
