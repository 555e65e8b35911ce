//! A definition goes with everything that refers to it, and with what refers to that.

use super::{Name, Names};
use crate::edit::Edit;
use crate::syntax::NodeId;
use std::collections::HashSet;

/// What share of a text a definition may take along, as a divisor: more is hardly ever for nothing.
const SHARE: usize = 4;

/// How many nodes it may take along in any text.
const SMALL: usize = 1_000;

/// How much is looked at for all names together, in nodes of the text.
const ALL: usize = 16;

/// How much may still be looked at.
pub(super) struct Room {
    all: usize,
    each: usize,
}

impl Room {
    /// For the names of a text.
    pub(super) fn new(names: &Names<'_, '_>) -> Self {
        let nodes = names.layer.tree.len();
        Self { all: nodes * ALL, each: SMALL.max(nodes / SHARE) }
    }
}

impl Names<'_, '_> {
    /// What goes when a name does, of which `parts` are the definitions, with all that refers to it, and with the names
    /// that are defined there; `None` where that is no more than the first step.
    pub(super) fn cluster(&self, at: usize, parts: &[NodeId], room: &mut Room) -> Option<Vec<Edit>> {
        let mut left = room.each.min(room.all);
        let gone = self.reached(at, parts, &mut left);
        room.all -= room.each.min(room.all) - left;
        let cover = self.cover(&gone?);
        let outermost: Vec<NodeId> = cover.outermost.iter().map(|&(id, _)| id).collect();
        (outermost.len() > 1).then(|| self.removals.edits(outermost))
    }

    fn reached(&self, at: usize, parts: &[NodeId], left: &mut usize) -> Option<Vec<NodeId>> {
        let mut gone = parts.to_vec();
        let mut seen = HashSet::from([at]);
        let mut waiting = vec![at];
        let mut goes_on = false;
        while let Some(next) = waiting.pop() {
            let cover = self.cover(&gone);
            for one in self.all[next].references.iter().filter(|one| !cover.holds(one.whole)) {
                let unit = self.unit(one.whole)?;
                let after = self.layer.tree.node(unit).after;
                *left = left.checked_sub((after - unit) as usize)?;
                gone.push(unit);
                let goes = |name: &Name<'_>| {
                    !self.holds(unit, name.scope)
                        && name.definitions.iter().all(|one| self.holds(unit, one.id))
                        && name.references.iter().any(|one| !self.holds(unit, one.id))
                };
                for (_, &name) in self.defined.range(unit..after) {
                    if !seen.contains(&name) && goes(&self.all[name]) {
                        seen.insert(name);
                        waiting.push(name);
                        goes_on = true;
                    }
                }
            }
        }
        goes_on.then_some(gone)
    }
}
