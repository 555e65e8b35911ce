//! Classes: their bases, their members and what has a meaning in a class alone.

use super::Symbols;
use nubbin_syntax::NodeId;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The classes of a text, each by the identifier of its name.
#[derive(Debug, Default)]
pub(super) struct Classes {
    /// Of each class the identifier of its base.
    pub bases: BTreeMap<NodeId, NodeId>,
    /// Of each such identifier the class.
    pub heirs: BTreeMap<NodeId, NodeId>,
    /// Of each class the node that its members are in.
    pub members: BTreeMap<NodeId, NodeId>,
    /// Of each such node the class.
    pub of_body: HashMap<NodeId, NodeId>,
    /// What has a meaning in a class alone.
    pub sheds: BTreeSet<NodeId>,
}

impl Classes {
    /// Fills in the inverse maps.
    pub fn close(mut self) -> Self {
        self.heirs = self.bases.iter().map(|(&class, &base)| (base, class)).collect();
        self.of_body = self.members.iter().map(|(&class, &body)| (body, class)).collect();
        self
    }
}

impl Symbols {
    /// Returns the identifier of the base of the class that an identifier names.
    #[must_use]
    pub fn base(&self, class: NodeId) -> Option<NodeId> {
        self.classes.bases.get(&class).copied()
    }

    /// Returns the class that is derived from the one that this identifier refers to.
    #[must_use]
    pub fn heir(&self, base: NodeId) -> Option<NodeId> {
        self.classes.heirs.get(&base).copied()
    }

    /// Returns the node that the members of a class are in.
    #[must_use]
    pub fn class_body(&self, class: NodeId) -> Option<NodeId> {
        self.classes.members.get(&class).copied()
    }

    /// Lists the classes that are named before a place, the nearest first, each with the node of its members.
    pub fn classes_before(&self, id: NodeId) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        self.classes.members.range(..id).rev().map(|(&class, &body)| (class, body))
    }

    /// Returns the class whose member a node is or lies in, and the member.
    #[must_use]
    pub fn class_of(&self, id: NodeId) -> Option<(NodeId, NodeId)> {
        let around = self.up(id).skip(1);
        let mut members = self.up(id).zip(around);
        members.find_map(|(member, around)| Some((*self.classes.of_body.get(&around)?, member)))
    }

    /// Lists what has a meaning in a class alone, among the nodes from one up to another one.
    pub fn sheds(&self, from: NodeId, to: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.classes.sheds.range(from..to.max(from)).copied()
    }
}
