//! Nodes of the text that do not belong to a symbol: statements, results, literals and the like.

use super::Symbols;
use crate::Reach;
use nubbin_syntax::NodeId;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The nodes that `names.scm` captures in addition to symbols, classes and lists.
#[derive(Debug, Default)]
pub(super) struct Code {
    pub statements: HashSet<NodeId>,
    /// The nodes that return from a function, each with its result.
    pub returns: BTreeMap<NodeId, Option<NodeId>>,
    /// The called expressions that are more than a name.
    pub callees: BTreeSet<NodeId>,
    /// The patterns and the lists of values.
    pub tuples: BTreeSet<NodeId>,
    pub literals: BTreeSet<NodeId>,
    /// The nodes whose words can be names of symbols.
    pub mentions: Vec<NodeId>,
    /// The lists whose members correspond by position, by the first list of each set.
    pub aligned: BTreeMap<NodeId, BTreeSet<NodeId>>,
    /// The first list of the set that contains each of them.
    pub aligned_with: HashMap<NodeId, NodeId>,
}

impl Symbols {
    /// Returns whether a node is a statement.
    #[must_use]
    pub fn is_statement(&self, id: NodeId) -> bool {
        self.code.statements.contains(&id)
    }

    /// Returns the statement that is or contains a node.
    #[must_use]
    pub fn statement(&self, id: NodeId) -> Option<NodeId> {
        self.up(id).find(|&id| self.is_statement(id))
    }

    /// Returns whether a node returns from a function.
    #[must_use]
    pub fn is_return(&self, id: NodeId) -> bool {
        self.code.returns.contains_key(&id)
    }

    /// Lists the nodes inside the body of a function that return from it, each with its result.
    pub fn returns(&self, body: NodeId) -> impl Iterator<Item = (NodeId, Option<NodeId>)> + '_ {
        let function = move |id| self.scopes.reached(&self.tree, id, Reach::Function);
        let inside = self.code.returns.range(self.range(body)).map(|(&id, &result)| (id, result));
        inside.filter(move |&(id, _)| function(id) == function(body))
    }

    /// Lists the called expressions that are more than a name, by position.
    pub fn callees(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.code.callees.iter().copied()
    }

    /// Lists the patterns and the lists of values, by position.
    pub fn tuples(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.code.tuples.iter().copied()
    }

    /// Returns whether a node is a pattern or a list of values.
    #[must_use]
    pub fn is_tuple(&self, id: NodeId) -> bool {
        self.code.tuples.contains(&id)
    }

    /// Lists the literals, by position.
    pub fn literals(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.code.literals.iter().copied()
    }

    /// Lists the sets of lists whose members correspond by position.
    pub fn aligned(&self) -> impl Iterator<Item = &BTreeSet<NodeId>> {
        self.code.aligned.values()
    }

    /// Returns the lists whose members correspond to those of a list, including that list.
    #[must_use]
    pub fn aligned_with(&self, list: NodeId) -> Option<&BTreeSet<NodeId>> {
        self.code.aligned.get(self.code.aligned_with.get(&list)?)
    }

    /// Lists the nodes whose words can be names of symbols.
    #[must_use]
    pub fn mentions(&self) -> &[NodeId] {
        &self.code.mentions
    }
}
