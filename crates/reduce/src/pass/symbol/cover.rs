//! Sets of nodes of which only the outermost count.

use nubbin_syntax::{NodeId, Tree};
use std::collections::BTreeMap;

/// Nodes, each with the node after it; none lies in another one.
#[derive(Default)]
pub(super) struct Cover(BTreeMap<NodeId, NodeId>);

impl Cover {
    /// Returns the outermost of these nodes.
    pub fn new(tree: &Tree, nodes: impl IntoIterator<Item = NodeId>) -> Self {
        let mut cover = Self::default();
        for id in nodes {
            cover.add(id, tree.node(id).after);
        }
        cover
    }

    /// Adds a node, unless it lies in one of the set; the nodes that lie in it leave the set. Each node enters and
    /// leaves at most once, so no step looks at all of them.
    pub fn add(&mut self, id: NodeId, after: NodeId) {
        if self.holds(id) {
            return;
        }
        while let Some((&inner, _)) = self.0.range(id..after).next() {
            self.0.remove(&inner);
        }
        self.0.insert(id, after);
    }

    /// Tells whether a node is one of them, or lies in one.
    pub fn holds(&self, id: NodeId) -> bool {
        self.0.range(..=id).next_back().is_some_and(|(_, &after)| id < after)
    }

    /// Returns the number of the nodes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Lists the nodes, by position.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.0.keys().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_outermost_nodes_are_kept() {
        let mut cover = Cover::default();
        for (id, after) in [(3, 5), (8, 9), (4, 5), (2, 7), (6, 7)] {
            cover.add(id, after);
        }
        assert_eq!(cover.nodes().collect::<Vec<_>>(), [2, 8]);
        assert!((2..7).chain(8..9).all(|id| cover.holds(id)));
        assert!([0, 1, 7, 9].iter().all(|&id| !cover.holds(id)));
    }
}
