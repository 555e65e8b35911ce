//! Classes, their bases, their members, and the nodes that have a meaning only in a class.

use super::Symbols;
use nubbin_syntax::NodeId;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The classes of a text, each by the identifier of its name.
#[derive(Debug, Default)]
pub(super) struct Classes {
    /// The identifier that names the base of each class.
    pub bases: BTreeMap<NodeId, NodeId>,
    /// The class that names its base by each such identifier.
    pub heirs: BTreeMap<NodeId, NodeId>,
    /// The node that contains the members of each class.
    pub members: BTreeMap<NodeId, NodeId>,
    /// The parameters of the node around the members of each class.
    pub generics: BTreeMap<NodeId, NodeId>,
    /// The class of each node that contains members.
    pub of_body: HashMap<NodeId, NodeId>,
    /// The nodes that have a meaning only in a class.
    pub sheds: BTreeSet<NodeId>,
    /// The names of the members by which objects are called.
    pub functors: BTreeSet<NodeId>,
    /// The names of members that a class only declares, with their declarations.
    pub inside: BTreeMap<NodeId, NodeId>,
    /// The qualified names of members that are defined outside their class, with their definitions.
    pub outside: BTreeMap<NodeId, NodeId>,
}

impl Classes {
    /// Fills in the inverse maps.
    pub fn close(mut self) -> Self {
        self.of_body = self.members.iter().map(|(&class, &body)| (body, class)).collect();
        self
    }
}

impl Symbols {
    /// Returns the identifier of the base of a class; `class` is the identifier in its definition.
    #[must_use]
    pub fn base(&self, class: NodeId) -> Option<NodeId> {
        self.classes.bases.get(&class).copied()
    }

    /// Returns the class that names its base by this identifier.
    #[must_use]
    pub fn heir(&self, base: NodeId) -> Option<NodeId> {
        self.classes.heirs.get(&base).copied()
    }

    /// Returns the node that contains the members of a class.
    #[must_use]
    pub fn class_body(&self, class: NodeId) -> Option<NodeId> {
        self.classes.members.get(&class).copied()
    }

    /// Returns the parameters of the node around the members of a class, as in `impl<T> A<T> { … }`.
    #[must_use]
    pub fn class_generics(&self, class: NodeId) -> Option<NodeId> {
        self.classes.generics.get(&class).copied()
    }

    /// Lists the classes that are named before a position, nearest first, each with the node of its members.
    pub fn classes_before(&self, id: NodeId) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        self.classes.members.range(..id).rev().map(|(&class, &body)| (class, body))
    }

    /// Returns the class of the member that is or contains a node, and the member.
    #[must_use]
    pub fn class_of(&self, id: NodeId) -> Option<(NodeId, NodeId)> {
        let around = self.up(id).skip(1);
        let mut members = self.up(id).zip(around);
        members.find_map(|(member, around)| Some((*self.classes.of_body.get(&around)?, member)))
    }

    /// Returns the first name inside a node of a member by which an object is called.
    #[must_use]
    pub fn functor_in(&self, id: NodeId) -> Option<NodeId> {
        self.classes.functors.range(self.range(id)).next().copied()
    }

    /// Lists the names of the members by which objects are called, by position.
    pub fn functors(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.classes.functors.iter().copied()
    }

    /// Returns whether a node contains the members of a class.
    #[must_use]
    pub fn is_class_body(&self, id: NodeId) -> bool {
        self.classes.of_body.contains_key(&id)
    }

    /// Lists the members that a class only declares: the name of each, and its declaration.
    pub fn declared_inside(&self) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        self.classes.inside.iter().map(|(&name, &whole)| (name, whole))
    }

    /// Lists the members that are defined outside their class: the qualified name of each, and its definition.
    pub fn defined_outside(&self) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        self.classes.outside.iter().map(|(&path, &whole)| (path, whole))
    }

    /// Lists the nodes from `from` to `to` (exclusive) that have a meaning only in a class.
    pub fn sheds(&self, from: NodeId, to: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.classes.sheds.range(from..to.max(from)).copied()
    }
}
