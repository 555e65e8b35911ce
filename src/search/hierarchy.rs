//! Many groups of circumstances, one inside another: the heaviest first, each one bisected or chosen from.

use super::{Search, balance};
use crate::verdict::Verdict;
use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

/// What the members of a group are to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Any of them may go, alone or together: the group is bisected.
    Set,
    /// They are alternatives, the best one first: the first that is interesting ends the group.
    Choice,
}

/// Circumstances that belong together, next to each other in number.
#[derive(Clone, Debug)]
pub struct Group {
    /// Its members.
    pub members: Range<u32>,
    /// What they are to each other.
    pub kind: Kind,
    /// The circumstance that this group lies inside of: once that is gone, the group is not asked for.
    pub owner: Option<u32>,
}

/// Groups with the weights of all circumstances; shared between the clones of a search.
#[derive(Debug)]
pub struct Groups {
    all: Vec<Group>,
    weights: Vec<u32>,
    /// The groups in the order in which they are asked for.
    order: Vec<u32>,
    /// For each circumstance, where its groups begin in `owned`.
    owned_from: Vec<u32>,
    owned: Vec<u32>,
}

impl Groups {
    /// Groups over circumstances with these weights, to be asked for from the heaviest to the lightest.
    ///
    /// A set weighs what all of its members weigh, a choice what its heaviest member does; of equals the earlier
    /// one comes first.
    #[must_use]
    pub fn heaviest_first(groups: Vec<Group>, weights: Vec<u32>) -> Self {
        let weight = |group: &Group| -> u64 {
            let members = group.members.clone().map(|i| u64::from(weights[i as usize]));
            match group.kind {
                Kind::Set => members.sum(),
                Kind::Choice => members.max().unwrap_or(0),
            }
        };
        let mut order: Vec<u32> = (0..groups.len() as u32).collect();
        order.sort_by_cached_key(|&g| Reverse(weight(&groups[g as usize])));
        Self::ordered(groups, weights, order)
    }

    fn ordered(groups: Vec<Group>, weights: Vec<u32>, order: Vec<u32>) -> Self {
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
        Self { all: groups, weights, order, owned_from, owned }
    }

    /// The groups, in the order in which they were given.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.all
    }

    /// The weights of the circumstances.
    #[must_use]
    pub fn weights(&self) -> &[u32] {
        &self.weights
    }

    /// The groups directly inside a circumstance.
    fn inside(&self, circumstance: u32) -> &[u32] {
        let i = circumstance as usize;
        &self.owned[self.owned_from[i] as usize..self.owned_from[i + 1] as usize]
    }
}

/// How many questions are asked apart from each other.
const WINDOW: u32 = 16;

/// Hierarchical delta debugging over [`Groups`] (HDD, ICSE 2006; heaviest first, as in Perses, ICSE 2018).
///
/// Each live group is asked for once. Groups that are not bisected (choices, and sets of one) are asked for apart
/// from each other, in windows of 16 questions, so that their answers do not depend on each other; what was found
/// in a window is then taken away together, and bisected where that fails. One run over n circumstances costs at
/// most 2·n questions, and in a window with k finds one more to put them together, or at most 2·k − 3 where they
/// depend on each other. The result is 1-minimal when a run finds nothing: a caller repeats until then, with fresh
/// groups.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    groups: Arc<Groups>,
    /// The groups that are not asked for any more.
    dead: Arc<[u64]>,
    /// Position in the order of the group being asked for.
    at: usize,
    /// Ranges of circumstances that wait, the next one last.
    stack: Vec<Range<u32>>,
    /// How many questions of this window have been asked.
    window: u32,
    /// Whether one of them has been taken.
    taken: bool,
    /// What else was found in this window.
    found: Vec<Range<u32>>,
    /// The groups inside of that.
    doomed: Arc<[u64]>,
    /// Ranges of `found` that wait to be taken away together, the next one last.
    merging: Vec<Range<usize>>,
}

impl Hierarchy {
    /// A search over all of `groups`.
    #[must_use]
    pub fn new(groups: Arc<Groups>) -> Self {
        let none: Arc<[u64]> = vec![0u64; groups.all.len().div_ceil(64)].into();
        let mut search = Self {
            groups,
            dead: Arc::clone(&none),
            at: 0,
            stack: Vec::new(),
            window: 0,
            taken: false,
            found: Vec::new(),
            doomed: none,
            merging: Vec::new(),
        };
        search.enter();
        search
    }

    fn group(&self) -> Option<&Group> {
        self.groups.order.get(self.at).map(|&g| &self.groups.all[g as usize])
    }

    /// Goes to the first live group from here on that has members.
    fn enter(&mut self) {
        while let Some(&g) = self.groups.order.get(self.at) {
            let group = &self.groups.all[g as usize];
            if !has(&self.dead, g) && !group.members.is_empty() {
                match group.kind {
                    Kind::Set => self.stack.push(group.members.clone()),
                    Kind::Choice => self.stack.extend(group.members.clone().rev().map(|i| i..i + 1)),
                }
                return;
            }
            self.at += 1;
        }
    }

    /// A set of groups, and those inside these circumstances.
    fn with_inside(&self, set: &Arc<[u64]>, range: Range<u32>) -> Arc<[u64]> {
        let mut waiting: Vec<u32> = range.flat_map(|i| self.groups.inside(i)).copied().collect();
        if waiting.is_empty() {
            return Arc::clone(set);
        }
        let mut set = set.to_vec();
        while let Some(g) = waiting.pop() {
            set[g as usize / 64] |= 1 << (g % 64);
            let members = self.groups.all[g as usize].members.clone();
            waiting.extend(members.flat_map(|i| self.groups.inside(i)));
        }
        set.into()
    }

    /// Whether the group being asked for is not bisected, and lies in nothing that was found in this window.
    fn is_independent(&self) -> bool {
        let Some(group) = self.group() else { return false };
        let is_whole = group.kind == Kind::Choice || group.members.len() == 1;
        is_whole && !has(&self.doomed, self.groups.order[self.at])
    }

    /// Begins a new window.
    fn open(&mut self) {
        self.window = 0;
        self.taken = false;
        if !self.found.is_empty() {
            self.found.clear();
            self.doomed = vec![0; self.doomed.len()].into();
        }
    }

    /// Ends the window where the next question does not belong to it.
    fn close(&mut self) {
        if self.window > 0 && self.window < WINDOW && self.is_independent() {
            return;
        }
        if self.found.is_empty() {
            self.open();
        } else {
            self.merging.push(0..self.found.len());
        }
    }

    /// Takes the verdict on taking away together what was found.
    fn merge(&mut self, range: Range<usize>, verdict: Verdict) {
        if verdict.is_interesting() {
            for part in &self.found[range] {
                self.dead = self.with_inside(&self.dead, part.clone());
            }
        } else if range.len() > 1 {
            let cut = range.start + range.len() / 2;
            self.merging.push(range.start..cut);
            self.merging.push(cut..range.end);
        }
        if self.merging.is_empty() {
            self.open();
            if self.groups.order.get(self.at).is_some_and(|&g| has(&self.dead, g)) {
                self.stack.clear();
                self.enter();
            }
        }
    }
}

/// Whether a set of groups has this one.
fn has(set: &[u64], group: u32) -> bool {
    set[group as usize / 64] >> (group % 64) & 1 == 1
}

impl Search for Hierarchy {
    fn next(&self) -> Option<Vec<u32>> {
        if let Some(range) = self.merging.last() {
            let mut all: Vec<u32> = self.found[range.clone()].iter().cloned().flatten().collect();
            all.sort_unstable();
            return Some(all);
        }
        Some(self.stack.last()?.clone().collect())
    }

    fn is_apart(&self) -> bool {
        self.merging.is_empty() && self.window > 0
    }

    fn advance(&mut self, verdict: Verdict) {
        if let Some(range) = self.merging.pop() {
            return self.merge(range, verdict);
        }
        let range = self.stack.pop().expect("a verdict answers a question");
        let kind = self.group().expect("a question belongs to a group").kind;
        if verdict.is_interesting() {
            if self.taken && self.window > 0 {
                self.doomed = self.with_inside(&self.doomed, range.clone());
                self.found.push(range);
            } else {
                self.taken = true;
                self.dead = self.with_inside(&self.dead, range);
            }
            if kind == Kind::Choice {
                self.stack.clear();
            }
        } else if kind == Kind::Set && range.len() > 1 {
            let weights = &self.groups.weights[range.start as usize..range.end as usize];
            let cut = range.start + balance(weights) as u32;
            self.stack.push(range.start..cut);
            self.stack.push(cut..range.end);
        }
        self.window = if self.is_independent() { self.window + 1 } else { 0 };
        if self.stack.is_empty() {
            self.at += 1;
            self.enter();
        }
        self.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::tests::run;
    use crate::verdict::Verdict::{Interesting, Uninteresting};

    fn group(members: Range<u32>, kind: Kind, owner: Option<u32>) -> Group {
        Group { members, kind, owner }
    }

    #[test]
    fn what_lies_inside_a_deleted_part_is_not_asked_for() {
        let groups = vec![group(0..2, Kind::Set, None), group(2..4, Kind::Set, Some(0))];
        let groups = Arc::new(Groups::heaviest_first(groups, vec![10, 10, 5, 5]));
        let mut asked = Vec::new();
        run(Hierarchy::new(groups), 4, |config| {
            asked.push(config.to_vec());
            if config.contains(&1) { Interesting } else { Uninteresting }
        });
        assert_eq!(asked, [vec![2, 3], vec![0, 2, 3], vec![1, 2, 3]]);
    }

    #[test]
    fn the_first_interesting_alternative_ends_a_choice() {
        let groups = Arc::new(Groups::heaviest_first(vec![group(0..3, Kind::Choice, None)], vec![3, 2, 1]));
        let (kept, probes) =
            run(Hierarchy::new(groups), 3, |c| if c.contains(&0) { Interesting } else { Uninteresting });
        assert_eq!((kept, probes), (vec![0, 2], 2));
    }

    #[test]
    fn a_hundred_thousand_levels_need_no_stack() {
        let n = 100_000u32;
        let groups = (0..n).map(|i| group(i..i + 1, Kind::Set, i.checked_sub(1))).collect();
        let mut search = Hierarchy::new(Arc::new(Groups::heaviest_first(groups, vec![1; n as usize])));
        search.advance(Interesting);
        assert_eq!(search.next(), None);
    }
}
