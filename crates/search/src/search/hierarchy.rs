//! Hierarchical delta debugging: nested groups of circumstances, heaviest first. Each group is bisected, or
//! one of its alternatives is chosen.

use super::{Search, balance};
use crate::Verdict;
use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

/// The relation between the members of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupKind {
    /// Any subset can be removed: the group is bisected.
    Set,
    /// The members are alternatives, in order of preference; the first interesting one ends the group.
    Choice,
}

/// A group of circumstances with consecutive numbers.
#[derive(Clone, Debug)]
pub struct Group {
    /// The members of the group.
    pub members: Range<u32>,
    /// The relation between the members.
    pub kind: GroupKind,
    /// The circumstance that contains this group. Once it is removed, the group is not tested.
    pub owner: Option<u32>,
}

/// Groups with the weights of all circumstances. They are shared between the clones of a search.
#[derive(Debug)]
pub struct Groups {
    all: Vec<Group>,
    weights: Vec<u32>,
    /// The prefix sums of the weights; the last entry is the total.
    before: Vec<u64>,
    /// The weight of each group.
    sums: Vec<u64>,
    /// The groups in the order in which they are tested.
    order: Vec<u32>,
    /// The index in `owned` at which the groups of each circumstance start.
    owned_from: Vec<u32>,
    owned: Vec<u32>,
}

impl Groups {
    /// Creates groups that are tested from the heaviest to the lightest.
    ///
    /// A set weighs as much as all its members together, a choice as much as its heaviest member. Ties are
    /// broken by position. A group is never heavier than the group that contains its owner, so it is tested
    /// later.
    #[must_use]
    pub fn heaviest_first(groups: Vec<Group>, weights: Vec<u32>) -> Self {
        let weight = |group: &Group| -> u64 {
            let members = group.members.clone().map(|i| u64::from(weights[i as usize]));
            match group.kind {
                GroupKind::Set => members.sum(),
                GroupKind::Choice => members.max().unwrap_or(0),
            }
        };
        let mut sums: Vec<u64> = Vec::with_capacity(groups.len());
        // The weight of the group that contains each circumstance.
        let mut around = vec![u64::MAX; weights.len()];
        for group in &groups {
            let most = group.owner.map_or(u64::MAX, |owner| around[owner as usize]);
            sums.push(weight(group).min(most));
            around[group.members.start as usize..group.members.end as usize].fill(sums[sums.len() - 1]);
        }
        let mut order: Vec<u32> = (0..groups.len() as u32).collect();
        order.sort_by_key(|&g| Reverse(sums[g as usize]));
        Self::ordered(groups, weights, order, sums)
    }

    fn ordered(groups: Vec<Group>, weights: Vec<u32>, order: Vec<u32>, sums: Vec<u64>) -> Self {
        let mut owned_from = vec![0u32; weights.len() + 1];
        for owner in groups.iter().filter_map(|g| g.owner) {
            owned_from[owner as usize + 1] += 1;
        }
        for i in 1..owned_from.len() {
            owned_from[i] += owned_from[i - 1];
        }
        let mut fill = owned_from.clone();
        let mut owned = vec![0u32; *owned_from.last().expect("one more than there are weights") as usize];
        for (g, group) in groups.iter().enumerate() {
            if let Some(owner) = group.owner {
                owned[fill[owner as usize] as usize] = g as u32;
                fill[owner as usize] += 1;
            }
        }
        let add = |sum: &mut u64, &weight: &u32| {
            *sum += u64::from(weight);
            Some(*sum)
        };
        let before = std::iter::once(0).chain(weights.iter().scan(0, add)).collect();
        Self { all: groups, weights, before, sums, order, owned_from, owned }
    }

    /// Returns the groups in the order in which they were passed to the constructor.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.all
    }

    /// Returns the weights of the circumstances.
    #[must_use]
    pub fn weights(&self) -> &[u32] {
        &self.weights
    }

    fn weights_of(&self, range: &Range<u32>) -> &[u32] {
        &self.weights[range.start as usize..range.end as usize]
    }

    fn weight(&self, range: &Range<u32>) -> u64 {
        self.before[range.end as usize] - self.before[range.start as usize]
    }

    /// Returns the groups directly inside a circumstance.
    fn inside(&self, circumstance: u32) -> &[u32] {
        let i = circumstance as usize;
        &self.owned[self.owned_from[i] as usize..self.owned_from[i + 1] as usize]
    }
}

/// Tuned constants.
struct Tuning {
    /// The number of groups that are tested concurrently.
    width: usize,
    /// A group is deferred while a pending question is more than this many times as heavy: removing the heavy
    /// part may also remove the light one, or make it unnecessary.
    alike: u64,
}

const TUNING: Tuning = Tuning { width: 16, alike: 2 };

/// Hierarchical delta debugging over [`Groups`] (HDD; Misherghi and Su, ICSE 2006), heaviest group first as
/// in Perses (Sun, Li, Zhang, Gu and Su, ICSE 2018), with up to 16 groups at a time.
///
/// The active groups, none of which contains another, take turns: each asks one question in a *window*, and
/// the questions of a window are independent of each other ([`is_apart`](Search::is_apart)). At the end of
/// the window, the circumstances that were found to be removable are removed together; if that fails, they
/// are bisected. Dependent circumstances of one group are thus tested sequentially, while questions about
/// different groups can run at the same time.
///
/// A [`coarse`](Hierarchy::coarse) search skips everything below a minimum weight.
///
/// Each live group is tested once. For n circumstances there are at most 2·n probes, and for a window with k
/// finds one further probe that combines them, or at most 2·k − 3 if they depend on each other. If a run
/// finds nothing, the result is 1-minimal; callers repeat the search with fresh groups until then.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    groups: Arc<Groups>,
    /// The minimum weight of a question.
    smallest_weight: u64,
    /// A group is abandoned after this many consecutive questions without a find.
    patience: u32,
    /// The groups that are no longer tested, as a bit set.
    dead: Arc<[u64]>,
    /// The position of the next group in `order`.
    at: usize,
    /// Deferred groups, in order.
    later: Vec<u32>,
    active: Vec<Active>,
    /// The index in `active` of the group that asks the next question of this window.
    turn: usize,
    /// Is true once a find of this window has been applied.
    taken: bool,
    /// The other finds of this window.
    found: Vec<Found>,
    /// Ranges of `found` that are still to be removed together; the next one is last.
    merging: Vec<Range<usize>>,
}

/// A group that is being tested, and its pending parts; the next one is last.
#[derive(Clone, Debug)]
struct Active {
    group: u32,
    stack: Vec<Part>,
    /// The number of questions since the last find.
    in_vain: u32,
}

/// Circumstances of a group to remove together.
#[derive(Clone, Debug)]
struct Part {
    range: Range<u32>,
    /// If this is the earlier half of a range that could not be removed as a whole, the end of that range.
    whole: Option<u32>,
}

impl Part {
    fn new(range: Range<u32>) -> Self {
        Self { range, whole: None }
    }
}

#[derive(Clone, Debug)]
struct Found {
    active: usize,
    range: Range<u32>,
}

impl Hierarchy {
    /// Starts a search over all `groups`.
    #[must_use]
    pub fn new(groups: Arc<Groups>) -> Self {
        Self::coarse(groups, 0)
    }

    /// Starts a search that skips groups, halves of groups and alternatives below `smallest_weight`.
    ///
    /// If most of the input can be removed, a few coarse searches before the fine one find this with few
    /// questions, wherever the removable parts are. A fine search alone spends many questions in its first
    /// groups.
    #[must_use]
    pub fn coarse(groups: Arc<Groups>, smallest_weight: u64) -> Self {
        let dead = vec![0u64; groups.all.len().div_ceil(64)].into();
        let mut search = Self {
            groups,
            smallest_weight,
            patience: u32::MAX,
            dead,
            at: 0,
            later: Vec::new(),
            active: Vec::new(),
            turn: 0,
            taken: false,
            found: Vec::new(),
            merging: Vec::new(),
        };
        search.open();
        search
    }

    /// Abandons a group after `questions` consecutive questions without a find.
    ///
    /// Use this if there are too many groups to test all of them: groups with removable members are then
    /// tested first.
    #[must_use]
    pub fn patient(mut self, questions: u32) -> Self {
        self.patience = questions;
        self
    }

    /// Starts a window: finished groups are replaced by the next ones.
    fn open(&mut self) {
        self.turn = 0;
        self.taken = false;
        self.found.clear();
        let dead = Arc::clone(&self.dead);
        self.active.retain(|active| !active.stack.is_empty() && !has(&dead, active.group));
        for group in std::mem::take(&mut self.later) {
            self.admit(group);
        }
        while self.active.len() < TUNING.width && self.later.len() < 2 * TUNING.width {
            let Some(&group) = self.groups.order.get(self.at) else { break };
            if self.groups.sums[group as usize] < self.smallest_weight {
                break;
            }
            self.at += 1;
            self.admit(group);
        }
    }

    /// Activates a group, or defers it if there is no free slot, if a much heavier question is pending, or if
    /// the circumstance that contains it may still be removed.
    fn admit(&mut self, group: u32) {
        let Group { members, kind, owner } = &self.groups.all[group as usize];
        if has(&self.dead, group) || members.is_empty() {
            return;
        }
        let holds = |members: &Range<u32>| owner.is_some_and(|owner| members.contains(&owner));
        let weight = self.groups.sums[group as usize];
        let heaviest = self.active.iter().map(|active| self.waiting(active)).max();
        let is_light = heaviest.is_some_and(|heaviest| TUNING.alike * weight < heaviest);
        let mut parts = self.active.iter().flat_map(|active| &active.stack).map(|part| &part.range);
        let mut later = self.later.iter().map(|&other| &self.groups.all[other as usize].members);
        if self.active.len() == TUNING.width || is_light || parts.any(holds) || later.any(holds) {
            self.later.push(group);
            return;
        }
        let stack = match kind {
            GroupKind::Set => vec![Part::new(members.clone())],
            GroupKind::Choice => {
                let alternatives = members.clone().rev().map(|i| Part::new(i..i + 1));
                alternatives.filter(|part| self.groups.weight(&part.range) >= self.smallest_weight).collect()
            }
        };
        self.active.push(Active { group, stack, in_vain: 0 });
    }

    /// Returns the weight of the heaviest pending part.
    fn waiting(&self, active: &Active) -> u64 {
        active.stack.iter().map(|part| self.groups.weight(&part.range)).max().unwrap_or(0)
    }

    /// Marks all groups inside these circumstances as dead.
    fn bury(&mut self, gone: impl IntoIterator<Item = u32>) {
        let mut waiting: Vec<u32> = gone.into_iter().flat_map(|i| self.groups.inside(i)).copied().collect();
        if waiting.is_empty() {
            return;
        }
        let mut dead = self.dead.to_vec();
        while let Some(g) = waiting.pop() {
            dead[g as usize / 64] |= 1 << (g % 64);
            let members = self.groups.all[g as usize].members.clone();
            waiting.extend(members.flat_map(|i| self.groups.inside(i)));
        }
        self.dead = dead.into();
    }

    /// Pushes the halves of a range that cannot be removed as a whole; the later one is tested first.
    fn split(&mut self, active: usize, range: &Range<u32>) {
        let active = &mut self.active[active];
        if self.groups.all[active.group as usize].kind == GroupKind::Set && range.len() > 1 {
            let cut = range.start + balance(self.groups.weights_of(range)) as u32;
            let halves =
                [Part { range: range.start..cut, whole: Some(range.end) }, Part::new(cut..range.end)];
            let (groups, smallest_weight) = (&self.groups, self.smallest_weight);
            active
                .stack
                .extend(halves.into_iter().filter(|half| groups.weight(&half.range) >= smallest_weight));
        }
    }

    /// Updates the pending parts of a group after a find.
    fn find(&mut self, active: usize, range: &Range<u32>) {
        if self.groups.all[self.active[active].group as usize].kind == GroupKind::Choice {
            self.active[active].stack.clear();
            return;
        }
        let is_other_half = |next: &mut Part| next.range.end == range.start && next.whole == Some(range.end);
        if let Some(half) = self.active[active].stack.pop_if(is_other_half) {
            // The halves could not be removed together, so the earlier one cannot be removed now.
            self.split(active, &half.range);
        }
    }

    /// Handles the verdict on a question. `gone` lists the circumstances that were removed, if they differ
    /// from those of the question.
    fn answer(&mut self, verdict: Verdict, gone: Option<&[u32]>) {
        if let Some(range) = self.merging.pop() {
            return self.merge(range, verdict, gone);
        }
        let turn = self.turn;
        let range = self.active[turn].stack.pop().expect("a verdict answers a question").range;
        if verdict.is_interesting() {
            self.active[turn].in_vain = 0;
            self.find(turn, &range);
            if self.taken {
                self.found.push(Found { active: turn, range });
            } else {
                self.taken = true;
                match gone {
                    Some(gone) => self.bury(gone.iter().copied()),
                    None => self.bury(range),
                }
            }
        } else {
            self.split(turn, &range);
            let active = &mut self.active[turn];
            active.in_vain += 1;
            if active.in_vain >= self.patience {
                active.stack.clear();
            }
        }
        self.pass_on();
    }

    /// Advances to the next group of the window; after the last one, combines the finds.
    fn pass_on(&mut self) {
        self.turn += 1;
        if self.turn == self.active.len() {
            if self.found.is_empty() {
                self.open();
            } else {
                self.merging.push(0..self.found.len());
            }
        }
    }

    /// Handles the verdict on combined finds. `gone` lists the circumstances that were removed, if not all
    /// were.
    fn merge(&mut self, range: Range<usize>, verdict: Verdict, gone: Option<&[u32]>) {
        if let Some(gone) = gone {
            self.bury(gone.iter().copied());
        } else if verdict.is_interesting() {
            for found in range {
                self.bury(self.found[found].range.clone());
            }
        } else if range.len() > 1 {
            let cut = range.start + range.len() / 2;
            self.merging.push(range.start..cut);
            self.merging.push(cut..range.end);
        } else {
            let Found { active, range } = self.found[range.start].clone();
            self.split(active, &range);
        }
        if self.merging.is_empty() {
            self.open();
        }
    }
}

fn has(set: &[u64], group: u32) -> bool {
    set[group as usize / 64] >> (group % 64) & 1 == 1
}

impl Search for Hierarchy {
    fn next(&self) -> Option<Vec<u32>> {
        if let Some(range) = self.merging.last() {
            let found = self.found[range.clone()].iter();
            let mut all: Vec<u32> = found.flat_map(|found| found.range.clone()).collect();
            all.sort_unstable();
            return Some(all);
        }
        Some(self.active.get(self.turn)?.stack.last()?.range.clone().collect())
    }

    fn is_apart(&self) -> bool {
        self.merging.is_empty() && self.turn > 0
    }

    fn is_merge(&self) -> bool {
        !self.merging.is_empty()
    }

    fn advance(&mut self, verdict: Verdict) {
        self.answer(verdict, None);
    }

    fn take(&mut self, gone: &[u32]) {
        self.answer(Verdict::Interesting, Some(gone));
    }

    fn skip(&mut self) {
        if !self.merging.is_empty() {
            return self.advance(Verdict::Uninteresting);
        }
        self.active[self.turn].stack.pop();
        self.pass_on();
    }
}

#[cfg(test)]
mod tests;
