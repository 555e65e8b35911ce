//! Symbols, their definitions and their references, as plain data.

use crate::{NameKind, NamePattern};
use nubbin_syntax::NodeId;
use std::sync::Arc;

/// The number of a symbol in [`Symbols`](super::Symbols).
pub type SymbolId = usize;

/// One named thing in one scope, with the places that define it and the places that refer to it.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// The name.
    pub text: Arc<[u8]>,
    /// Its kind; `None` if the text does not define it.
    pub kind: Option<NameKind>,
    /// The scope that it is known in; 0 is the whole text.
    pub scope: NodeId,
    /// The places that define it, by position.
    pub definitions: Vec<Definition>,
    /// The places that refer to it: by position, and after these the arguments that are given by its name.
    pub references: Vec<Reference>,
    /// Calls of something else that hand their arguments to its parameters. For a class, these are the calls of its
    /// constructor from derived classes; for a template, its specialisations.
    pub handed: Vec<Reference>,
    /// The number of its parameters, from the first on, that have no argument in a call.
    pub skip: usize,
    /// Is true if it stands for the parameters and arguments of a template; the template itself has a symbol of its
    /// own.
    pub is_generic: bool,
}

impl Symbol {
    pub(super) fn new(text: Arc<[u8]>, kind: Option<NameKind>, scope: NodeId) -> Self {
        let (definitions, references, handed) = (Vec::new(), Vec::new(), Vec::new());
        Self { text, kind, scope, definitions, references, handed, skip: 0, is_generic: false }
    }

    /// Tells whether it is of this kind.
    #[must_use]
    pub fn is(&self, kind: NameKind) -> bool {
        self.kind == Some(kind)
    }

    /// Lists all calls that may hand arguments to its parameters.
    pub fn calls(&self) -> impl Iterator<Item = &Reference> {
        self.references.iter().chain(&self.handed)
    }

    /// Lists its identifiers: those that define it, and those that refer to it.
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

    /// Returns its reference at this identifier, unless that is an argument that is given by its name.
    #[must_use]
    pub fn reference(&self, id: NodeId) -> Option<&Reference> {
        let at = self.references.partition_point(|one| one.id < id);
        self.references.get(at).filter(|one| one.id == id)
    }
}

/// A place that defines a symbol. Each part is the node that `names.scm` captures for it.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The identifier.
    pub id: NodeId,
    /// The node around the identifier that goes at least, or the identifier itself.
    pub whole: NodeId,
    /// The properties of the pattern that found it.
    pub says: Arc<NamePattern>,
    /// The value.
    pub value: Option<NodeId>,
    /// The list of parameters.
    pub parameters: Option<NodeId>,
    /// The body.
    pub body: Option<NodeId>,
    /// The object whose member it defines: the `self` of `self.a = 1`.
    pub object: Option<NodeId>,
    /// The identifier of the constructor, for a class.
    pub constructor: Option<NodeId>,
    /// The only member of an aggregate.
    pub only: Option<NodeId>,
    /// The type of that member.
    pub only_type: Option<NodeId>,
    /// The node that gives way to the value, if the symbol is only an alias of the value.
    pub alias: Option<NodeId>,
    /// The node that goes with the definition: the `c` for the `a` of `a, b = c, d`.
    pub pair: Option<NodeId>,
    /// The type.
    pub type_of: Option<NodeId>,
}

impl Definition {
    /// Makes a definition that consists of a list of parameters only.
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

/// A place that refers to a symbol.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The identifier.
    pub id: NodeId,
    /// The whole use around the identifier, such as a call or an access to a field, or the identifier itself.
    pub whole: NodeId,
    /// The object on the left of the dot, if the reference is an access to a member.
    pub object: Option<NodeId>,
    /// The list of arguments.
    pub arguments: Option<NodeId>,
    /// The list of arguments from which an object of the class is made, or of parameters of a constructor.
    pub constructed: Option<NodeId>,
    /// Is true if this is a call, be it one without a list of arguments.
    pub is_call: bool,
    /// The part of the use that stays after the symbol has gone, such as the value of an assignment.
    pub rest: Option<NodeId>,
    /// The number of parameters that have no argument in this call, if that differs from other calls.
    pub skip: Option<usize>,
    /// The element that is put into the list that the symbol stands for.
    pub element: Option<NodeId>,
    /// The text that stands here once the list has become its only element: `{list}` and `{element}` are filled in.
    pub single: Option<Arc<str>>,
    /// The text that stands here with a value in place of the name: `{name}` and `{value}` are filled in.
    pub written: Option<Arc<str>>,
    /// The type that is said here, where each use says it.
    pub type_of: Option<NodeId>,
}

impl Reference {
    /// Makes a reference that consists of an identifier only.
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
