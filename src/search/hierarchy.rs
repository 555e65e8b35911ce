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

/// Hierarchical delta debugging over [`Groups`] (HDD, ICSE 2006; heaviest first, as in Perses, ICSE 2018).
///
/// Each live group is asked for once; one run over n circumstances costs at most 2·n probes. The result is
/// 1-minimal when a run finds nothing: a caller repeats until then, with fresh groups.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    groups: Arc<Groups>,
    dead: Arc<[u64]>,
    /// Position in the order of the group being asked for.
    at: usize,
    /// Ranges of circumstances that wait, the next one last.
    stack: Vec<Range<u32>>,
}

impl Hierarchy {
    /// A search over all of `groups`.
    #[must_use]
    pub fn new(groups: Arc<Groups>) -> Self {
        let dead = vec![0u64; groups.all.len().div_ceil(64)].into();
        let mut search = Self { groups, dead, at: 0, stack: Vec::new() };
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
            let alive = self.dead[g as usize / 64] >> (g % 64) & 1 == 0;
            if alive && !group.members.is_empty() {
                match group.kind {
                    Kind::Set => self.stack.push(group.members.clone()),
                    Kind::Choice => self.stack.extend(group.members.clone().rev().map(|i| i..i + 1)),
                }
                return;
            }
            self.at += 1;
        }
    }

    /// Nothing inside these circumstances is asked for any more.
    fn bury(&mut self, range: Range<u32>) {
        let mut waiting: Vec<u32> = range.flat_map(|i| self.groups.inside(i)).copied().collect();
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
}

impl Search for Hierarchy {
    fn next(&self) -> Option<Vec<u32>> {
        Some(self.stack.last()?.clone().collect())
    }

    fn advance(&mut self, verdict: Verdict) {
        let range = self.stack.pop().expect("a verdict answers a question");
        let kind = self.group().expect("a question belongs to a group").kind;
        if verdict.is_interesting() {
            self.bury(range);
            if kind == Kind::Choice {
                self.stack.clear();
            }
        } else if kind == Kind::Set && range.len() > 1 {
            let weights = &self.groups.weights[range.start as usize..range.end as usize];
            let cut = range.start + balance(weights) as u32;
            self.stack.push(range.start..cut);
            self.stack.push(cut..range.end);
        }
        if self.stack.is_empty() {
            self.at += 1;
            self.enter();
        }
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
