//! Symbols, their definitions and their references, as plain data.

use crate::{NameKind, NamePattern};
use nubbin_syntax::NodeId;
use std::sync::Arc;

/// The number of a symbol in [`Symbols`](super::Symbols).
pub type SymbolId = usize;

/// A named entity in one scope, with its definitions and references.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// The name.
    pub text: Arc<[u8]>,
    /// The kind; `None` if the text does not define the symbol.
    pub kind: Option<NameKind>,
    /// The scope in which it is known; 0 is the whole text.
    pub scope: NodeId,
    /// The definitions by position.
    pub definitions: Vec<Definition>,
    /// The references by position, followed by the keyword arguments with its name.
    pub references: Vec<Reference>,
    /// References that pass arguments to its parameters without calling it by name. For a class, these are the
    /// calls of its constructor from derived classes; for a template, its specializations.
    pub handed: Vec<Reference>,
    /// The number of its initial parameters that have no argument in a call.
    pub skip: usize,
    /// True if it represents the parameters and arguments of a template. The template itself is another symbol.
    pub is_generic: bool,
}

impl Symbol {
    pub(super) fn new(text: Arc<[u8]>, kind: Option<NameKind>, scope: NodeId) -> Self {
        let (definitions, references, handed) = (Vec::new(), Vec::new(), Vec::new());
        Self { text, kind, scope, definitions, references, handed, skip: 0, is_generic: false }
    }

    /// Returns whether it is of this kind.
    #[must_use]
    pub fn is(&self, kind: NameKind) -> bool {
        self.kind == Some(kind)
    }

    /// Lists all calls that can pass arguments to its parameters.
    pub fn calls(&self) -> impl Iterator<Item = &Reference> {
        self.references.iter().chain(&self.handed)
    }

    /// Lists its identifiers: definitions, then references.
    pub fn places(&self) -> impl Iterator<Item = NodeId> + '_ {
        let definitions = self.definitions.iter().map(|one| one.id);
        definitions.chain(self.references.iter().map(|one| one.id))
    }

    /// Returns its definition at this identifier.
    #[must_use]
    pub fn definition(&self, id: NodeId) -> Option<&Definition> {
        let at = self.definitions.binary_search_by_key(&id, |one| one.id).ok()?;
        Some(&self.definitions[at])
    }

    /// Returns its reference at this identifier, unless it is a keyword argument.
    #[must_use]
    pub fn reference(&self, id: NodeId) -> Option<&Reference> {
        let at = self.references.partition_point(|one| one.id < id);
        self.references.get(at).filter(|one| one.id == id)
    }
}

/// A definition of a symbol. Each part is the node that `names.scm` captures for it.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The identifier.
    pub id: NodeId,
    /// The smallest node around the identifier that is removed with it, or the identifier itself.
    pub whole: NodeId,
    /// The properties of the pattern that found it.
    pub says: Arc<NamePattern>,
    /// The value.
    pub value: Option<NodeId>,
    /// The parameter list.
    pub parameters: Option<NodeId>,
    /// The body.
    pub body: Option<NodeId>,
    /// The object whose member is defined, such as the `self` of `self.a = 1`.
    pub object: Option<NodeId>,
    /// The identifier of the constructor, for a class.
    pub constructor: Option<NodeId>,
    /// The only member of a structure.
    pub only: Option<NodeId>,
    /// The type of that member.
    pub only_type: Option<NodeId>,
    /// The node that is replaced by the value, if the symbol is only an alias of the value.
    pub alias: Option<NodeId>,
    /// The node that is removed together with the definition, such as the `c` for the `a` of `a, b = c, d`.
    pub pair: Option<NodeId>,
    /// The type.
    pub type_of: Option<NodeId>,
}

impl Definition {
    /// Creates a definition that only consists of a parameter list.
    pub(super) fn of_parameters(id: NodeId, says: Arc<NamePattern>, list: NodeId) -> Self {
        Self {
            id,
            whole: id,
            says,
            value: None,
            parameters: Some(list),
            body: None,
            object: None,
            constructor: None,
            only: None,
            only_type: None,
            alias: None,
            pair: None,
            type_of: None,
        }
    }
}

/// A reference to a symbol.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The identifier.
    pub id: NodeId,
    /// The whole use around the identifier, such as a call or a field access, or the identifier itself.
    pub whole: NodeId,
    /// The object to the left of the dot, for an access to a member.
    pub object: Option<NodeId>,
    /// The argument list.
    pub arguments: Option<NodeId>,
    /// The argument list from which an object of the class is created, or the parameter list of a constructor.
    pub constructed: Option<NodeId>,
    /// True for a call, even without an argument list.
    pub is_call: bool,
    /// The part of the use that stays when the symbol is removed, such as the value of an assignment.
    pub rest: Option<NodeId>,
    /// The number of parameters without an argument in this call, if it differs from other calls.
    pub skip: Option<usize>,
    /// The element that is added to the list that the symbol stands for.
    pub element: Option<NodeId>,
    /// The replacement for the reference after the list has been replaced by its only element, with `{list}`
    /// and `{element}`.
    pub single: Option<Arc<str>>,
    /// The text of a value in place of the name, with `{name}` and `{value}`.
    pub written: Option<Arc<str>>,
    /// The type at the reference, in languages where each use has a type.
    pub type_of: Option<NodeId>,
}

impl Reference {
    /// Creates a reference that only consists of an identifier.
    pub(super) fn plain(id: NodeId) -> Self {
        Self {
            id,
            whole: id,
            object: None,
            arguments: None,
            constructed: None,
            is_call: false,
            rest: None,
            skip: None,
            element: None,
            single: None,
            written: None,
            type_of: None,
        }
    }
}
