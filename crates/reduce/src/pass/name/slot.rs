//! A target of a pattern that nobody reads goes with the values at its place.
//!
//! Which values reach which pattern is not asked: all of as many members are taken to, or one at a time where they are
//! few.

use super::{ALIKE, Names};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::Edit;
use std::collections::BTreeMap;

/// How many lists of values there may be for each of them to be tried alone.
const FEW: usize = 3;

/// Patterns and lists of values that have as many members.
#[derive(Default)]
struct Tuples {
    patterns: Vec<Vec<NodeId>>,
    values: Vec<Vec<NodeId>>,
}

impl Names<'_, '_> {
    /// For each length and place, the ways in which targets there go.
    pub(super) fn slots(&self) -> Vec<Vec<Vec<Edit>>> {
        let mut tuples: BTreeMap<usize, Tuples> = BTreeMap::new();
        for &id in &self.tuples {
            let members: Vec<NodeId> = self.layer.tree.members(id).collect();
            // A list of lists is none of what a pattern takes apart.
            let is_like = |id: &NodeId| {
                self.tuples.contains(id) && self.layer.tree.members(*id).count() == members.len()
            };
            if members.iter().any(is_like) {
                continue;
            }
            let is_pattern = members.iter().any(|id| self.defined.contains_key(id));
            let of = tuples.entry(members.len()).or_default();
            if is_pattern { &mut of.patterns } else { &mut of.values }.push(members);
        }
        let places = tuples.iter().flat_map(|(&length, of)| (0..length).map(move |place| (of, place)));
        places
            .filter(|(of, _)| of.values.len() + of.patterns.len() > 1)
            .map(|(of, at)| self.slot(of, at))
            .collect()
    }

    fn slot(&self, tuples: &Tuples, place: usize) -> Vec<Vec<Edit>> {
        let unread = |pattern: &&Vec<NodeId>| {
            let name = self.defined.get(&pattern[place]);
            name.is_some_and(|&name| self.all[name].references.is_empty())
        };
        let unread: Vec<NodeId> =
            tuples.patterns.iter().filter(unread).map(|pattern| pattern[place]).collect();
        if unread.is_empty() || tuples.patterns[0].len() < 2 {
            return Vec::new();
        }
        let values: Vec<NodeId> = tuples.values.iter().map(|value| value[place]).collect();
        let mut ways = Vec::new();
        for &target in unread.iter().take(ALIKE) {
            ways.push(self.removals.edits(values.iter().copied().chain([target])));
            if values.len() > 1 && values.len() <= FEW {
                ways.extend(values.iter().map(|&value| self.removals.edits([target, value])));
            }
        }
        if unread.len() > 1 {
            ways.push(self.removals.edits(values.iter().chain(&unread).copied()));
        }
        ways
    }
}
