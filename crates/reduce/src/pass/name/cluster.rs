//! A definition goes with everything that refers to it, and with what refers to that.

use super::{Name, Names};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::Edit;
use std::collections::{BTreeMap, HashSet};

/// What share of a text a definition may take along, as a divisor: more is hardly ever for nothing.
const SHARE: usize = 4;

/// How many nodes it may take along in any text.
const SMALL: usize = 1_000;

/// How much is looked at for all names together, in nodes of the text.
const ALL: usize = 16;

/// How much text of templates may be written for all names together, as a multiple of the text, and in any text.
const WRITTEN: usize = 16;
const ANYWAY: usize = 1 << 16;

/// How much may still be looked at, and how much text may be written.
pub(super) struct Room {
    all: usize,
    each: usize,
    text: usize,
}

impl Room {
    /// For the names of a text.
    pub(super) fn new(names: &Names<'_, '_>) -> Self {
        let nodes = names.layer.tree.len();
        let text = ANYWAY + WRITTEN * names.source.len();
        Self { all: nodes * ALL, each: SMALL.max(nodes / SHARE), text }
    }

    /// Takes some room for text, if there is that much.
    pub(super) fn take(&mut self, bytes: usize) -> Option<()> {
        self.text = self.text.checked_sub(bytes)?;
        Some(())
    }
}

/// Nodes that go: the outermost ones, each with the node after it.
#[derive(Default)]
struct Gone(BTreeMap<NodeId, NodeId>);

impl Gone {
    /// Adds a node, unless it lies in one that goes. Each node enters and leaves once: no step looks at all of them.
    fn add(&mut self, id: NodeId, after: NodeId) {
        if self.holds(id) {
            return;
        }
        while let Some((&inner, _)) = self.0.range(id..after).next() {
            self.0.remove(&inner);
        }
        self.0.insert(id, after);
    }

    /// Whether a node is one of them, or lies in one.
    fn holds(&self, id: NodeId) -> bool {
        self.0.range(..=id).next_back().is_some_and(|(_, &after)| id < after)
    }
}

impl Names<'_, '_> {
    /// What goes when a name does, of which `parts` are the definitions, with all that refers to it, and with the names
    /// that are defined there; `None` where that is no more than the first step.
    pub(super) fn cluster(&self, at: usize, parts: &[NodeId], room: &mut Room) -> Option<Vec<Edit>> {
        let mut left = room.each.min(room.all);
        let gone = self.reached(at, parts, &mut left);
        room.all -= room.each.min(room.all) - left;
        let gone = gone?.0;
        (gone.len() > 1).then(|| self.removals.edits(gone.into_keys()))
    }

    /// All that goes: it takes as many steps as there are nodes in that, and references to what is defined there.
    fn reached(&self, at: usize, parts: &[NodeId], left: &mut usize) -> Option<Gone> {
        let after = |id: NodeId| self.layer.tree.node(id).after;
        let mut gone = Gone::default();
        for &part in parts {
            gone.add(part, after(part));
        }
        let mut seen = HashSet::from([at]);
        let mut waiting = vec![at];
        let mut goes_on = false;
        while let Some(next) = waiting.pop() {
            for one in &self.all[next].references {
                *left = left.checked_sub(1)?;
                if gone.holds(one.whole) {
                    continue;
                }
                let unit = self.unit(one.whole)?;
                *left = left.checked_sub((after(unit) - unit) as usize)?;
                gone.add(unit, after(unit));
                let goes = |name: &Name<'_>| {
                    !self.holds(unit, name.scope)
                        && name.definitions.iter().all(|one| self.holds(unit, one.id))
                        && name.references.iter().any(|one| !self.holds(unit, one.id))
                };
                for (_, &name) in self.defined.range(unit..after(unit)) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_nodes_that_go_only_the_outermost_are_kept() {
        let mut gone = Gone::default();
        for (id, after) in [(3, 5), (8, 9), (4, 5), (2, 7), (6, 7)] {
            gone.add(id, after);
        }
        assert_eq!(gone.0.iter().map(|(&id, &after)| (id, after)).collect::<Vec<_>>(), [(2, 7), (8, 9)]);
        assert!((2..7).chain(8..9).all(|id| gone.holds(id)));
        assert!([0, 1, 7, 9].iter().all(|&id| !gone.holds(id)));
    }
}
