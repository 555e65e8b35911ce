//! Nodes of the text that no symbol owns: statements, results, literals and the like.

use super::Symbols;
use nubbin_syntax::NodeId;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// What `names.scm` captures beside symbols, classes and lists.
#[derive(Debug, Default)]
pub(super) struct Code {
    pub statements: HashSet<NodeId>,
    /// What returns, and the result.
    pub returns: BTreeMap<NodeId, Option<NodeId>>,
    /// What is called, if it is more than a name.
    pub callees: BTreeSet<NodeId>,
    /// Patterns and lists of values.
    pub tuples: BTreeSet<NodeId>,
    pub literals: BTreeSet<NodeId>,
    /// Places whose words may be names.
    pub mentions: Vec<NodeId>,
}

impl Symbols {
    /// Tells whether a node is a statement.
    #[must_use]
    pub fn is_statement(&self, id: NodeId) -> bool {
        self.code.statements.contains(&id)
    }

    /// Returns the statement that a node is or lies in.
    #[must_use]
    pub fn statement(&self, id: NodeId) -> Option<NodeId> {
        self.up(id).find(|&id| self.is_statement(id))
    }

    /// Lists what returns inside a node, each with its result.
    pub fn returns(&self, id: NodeId) -> impl Iterator<Item = (NodeId, Option<NodeId>)> + '_ {
        self.code.returns.range(self.range(id)).map(|(&id, &result)| (id, result))
    }

    /// Lists what is called and is more than a name, by position.
    pub fn callees(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.code.callees.iter().copied()
    }

    /// Lists the patterns and the lists of values, by position.
    pub fn tuples(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.code.tuples.iter().copied()
    }

    /// Tells whether a node is a pattern or a list of values.
    #[must_use]
    pub fn is_tuple(&self, id: NodeId) -> bool {
        self.code.tuples.contains(&id)
    }

    /// Lists the literals, by position.
    pub fn literals(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.code.literals.iter().copied()
    }

    /// Lists the places whose words may be names.
    #[must_use]
    pub fn mentions(&self) -> &[NodeId] {
        &self.code.mentions
    }
}
