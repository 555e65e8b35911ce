//! Sets of nodes in which no node contains another.

use nubbin_syntax::{NodeId, Tree};
use std::collections::BTreeMap;

/// Nodes, each with the node after its subtree.
#[derive(Default)]
pub(super) struct Cover(BTreeMap<NodeId, NodeId>);

impl Cover {
    /// Keeps the outermost of these nodes.
    pub fn new(tree: &Tree, nodes: impl IntoIterator<Item = NodeId>) -> Self {
        let mut cover = Self::default();
        for id in nodes {
            cover.add(id, tree.node(id).after);
        }
        cover
    }

    /// Adds a node, unless a node of the set contains it, and removes the nodes that it contains. Each node
    /// enters and leaves the set at most once, so the amortized cost is logarithmic.
    pub fn add(&mut self, id: NodeId, after: NodeId) {
        if self.holds(id) {
            return;
        }
        while let Some((&inner, _)) = self.0.range(id..after).next() {
            self.0.remove(&inner);
        }
        self.0.insert(id, after);
    }

    /// Returns whether a node is in the set or inside a node of the set.
    pub fn holds(&self, id: NodeId) -> bool {
        self.0.range(..=id).next_back().is_some_and(|(_, &after)| id < after)
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Lists the nodes by position.
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
