//! Names: what defines them, what refers to them, and the passes that work on all places of a name at once.
//!
//! What a definition, a reference and a scope are is said by a language's `names.scm`; how names are looked up is
//! the same everywhere: from the scope around a reference outwards. It is no compiler: where it is wrong, the
//! oracle refuses.

mod argument;
mod inline;
mod rename;
mod unname;

pub(super) use argument::propose as argument;
pub(super) use inline::propose as inline;
pub(super) use rename::propose as rename;
pub(super) use unname::propose as unname;

use super::Layer;
use super::part::{Parts, Removals};
use crate::edit::Span;
use crate::language::{NameMatch, NamePattern, Reach, Role};
use crate::syntax::{NONE, NodeId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The names of one layer.
pub(super) struct Names<'a, 'l> {
    pub layer: &'a Layer<'l>,
    pub source: &'a [u8],
    /// In the order of their first definition or reference.
    pub all: Vec<Name<'a>>,
    pub removals: Removals,
    /// Statements, in the order in which they begin.
    statements: BTreeSet<NodeId>,
    /// What returns, and what it returns.
    returns: BTreeMap<NodeId, Option<NodeId>>,
    /// Of each list of parameters, the name of the function.
    functions: HashMap<NodeId, usize>,
}

/// One name in one scope.
pub(super) struct Name<'a> {
    pub text: &'a [u8],
    pub kind: &'a str,
    /// The scope that it is known in.
    pub scope: NodeId,
    pub definitions: Vec<Definition<'a>>,
    pub references: Vec<Reference>,
}

/// A place that defines a name.
pub(super) struct Definition<'a> {
    /// The identifier.
    pub id: NodeId,
    pub says: &'a NamePattern,
    pub value: Option<NodeId>,
    pub parameters: Option<NodeId>,
    pub body: Option<NodeId>,
    /// The one member that it has.
    pub only: Option<NodeId>,
    /// That member's type.
    pub only_type: Option<NodeId>,
}

/// A place that refers to a name.
#[derive(Clone, Copy)]
pub(super) struct Reference {
    /// The identifier.
    pub id: NodeId,
    /// What it is the core of: a call, an access to a field; or the identifier itself.
    pub whole: NodeId,
    /// Whose field it is.
    pub object: Option<NodeId>,
    pub arguments: Option<NodeId>,
}

/// One identifier, and what captures it: the earliest pattern.
struct Place<'a> {
    pattern: usize,
    says: &'a NamePattern,
    is_definition: bool,
    of: BTreeMap<Role, NodeId>,
}

impl<'a, 'l> Names<'a, 'l> {
    /// The names of a layer whose language says what a name is.
    pub fn new(layer: &'a Layer<'l>, source: &'a [u8]) -> Option<Self> {
        let query = layer.language.names()?;
        let tree = &layer.tree;
        let mut scopes = BTreeSet::from([0]);
        let mut statements = BTreeSet::new();
        let mut returns = BTreeMap::new();
        let mut places: BTreeMap<NodeId, Place<'a>> = BTreeMap::new();
        for NameMatch { pattern, captures } in query.matches(&layer.parsed, layer.span.of(source)) {
            let mut of = BTreeMap::new();
            for (role, span, kind) in captures {
                let span = Span::new(layer.span.start + span.start, layer.span.start + span.end);
                let Some(id) = tree.find(span, kind) else { continue };
                match role {
                    Role::Scope => _ = scopes.insert(id),
                    Role::Statement => _ = statements.insert(id),
                    _ => _ = of.insert(role, id),
                }
            }
            let get = |role: Role| of.get(&role).copied();
            if let Some(id) = get(Role::Return) {
                let known = returns.entry(id).or_insert(None);
                *known = known.or(get(Role::Result));
            }
            let Some(id) = get(Role::Define).or(get(Role::Refer)) else { continue };
            let place = Place {
                pattern,
                says: query.pattern(pattern),
                is_definition: get(Role::Define).is_some(),
                of,
            };
            if places.get(&id).is_none_or(|known| pattern < known.pattern) {
                places.insert(id, place);
            }
        }
        let mut names = Self {
            layer,
            source,
            all: Vec::new(),
            removals: Removals::new(Parts { layer, source }),
            statements,
            returns,
            functions: HashMap::new(),
        };
        names.resolve(&scopes, places);
        Some(names)
    }

    /// Finds out which places are of the same name.
    fn resolve(&mut self, scopes: &BTreeSet<NodeId>, places: BTreeMap<NodeId, Place<'a>>) {
        let tree = &self.layer.tree;
        let mut scope_of = vec![0; tree.len()];
        for id in tree.ids() {
            let parent = tree.node(id).parent;
            scope_of[id as usize] =
                if scopes.contains(&id) || parent == NONE { id } else { scope_of[parent as usize] };
        }
        let outside = |scope: NodeId| {
            let parent = tree.node(scope).parent;
            if parent == NONE { 0 } else { scope_of[parent as usize] }
        };
        let text = |id: NodeId| tree.node(id).span.of(self.source);
        let mut known: HashMap<(NodeId, &str, &[u8]), usize> = HashMap::new();
        let mut all: Vec<Name<'a>> = Vec::new();
        for (&id, place) in places.iter().filter(|(_, place)| place.is_definition) {
            let scope = match place.says.reach {
                Reach::Inner => scope_of[id as usize],
                Reach::Outer => outside(scope_of[id as usize]),
                Reach::Everywhere => 0,
            };
            let name = *known.entry((scope, &place.says.namespace, text(id))).or_insert_with(|| {
                let kind = place.says.kind.as_str();
                all.push(Name {
                    text: tree.node(id).span.of(self.source),
                    kind,
                    scope,
                    definitions: Vec::new(),
                    references: Vec::new(),
                });
                all.len() - 1
            });
            let get = |role: Role| place.of.get(&role).copied();
            if let Some(parameters) = get(Role::Parameters) {
                self.functions.insert(parameters, name);
            }
            all[name].definitions.push(Definition {
                id,
                says: place.says,
                value: get(Role::Value),
                parameters: get(Role::Parameters),
                body: get(Role::Body),
                only: get(Role::Only),
                only_type: get(Role::OnlyType),
            });
        }
        for (&id, place) in places.iter().filter(|(_, place)| !place.is_definition) {
            let mut scope = scope_of[id as usize];
            let name = loop {
                let found = known.get(&(scope, place.says.namespace.as_str(), text(id)));
                if found.is_some() || scope == 0 {
                    break found;
                }
                scope = outside(scope);
            };
            let name = name.copied().unwrap_or_else(|| {
                known.insert((0, &place.says.namespace, text(id)), all.len());
                let text = tree.node(id).span.of(self.source);
                all.push(Name { text, kind: "", scope: 0, definitions: Vec::new(), references: Vec::new() });
                all.len() - 1
            });
            let get = |role: Role| place.of.get(&role).copied();
            all[name].references.push(Reference {
                id,
                whole: get(Role::Use).unwrap_or(id),
                object: get(Role::Object),
                arguments: get(Role::Arguments),
            });
        }
        self.all = all;
    }

    /// The bytes of a node.
    pub fn text(&self, id: NodeId) -> &'a [u8] {
        self.span(id).of(self.source)
    }

    /// The span of a node.
    pub fn span(&self, id: NodeId) -> Span {
        self.layer.tree.node(id).span
    }

    /// The smallest part around a node that may go.
    pub fn unit(&self, id: NodeId) -> Option<NodeId> {
        self.layer.tree.up(id).find(|&id| self.removals.may_go(id))
    }

    /// The smallest part around the identifier of a definition that may go, and that is more than a name which
    /// may be left out.
    fn definition_unit(&self, id: NodeId) -> Option<NodeId> {
        self.layer
            .tree
            .up(id)
            .find(|&unit| self.removals.may_go(unit) && (unit != id || self.removals.is_member(id)))
    }

    /// The statement that a node is in.
    pub fn statement(&self, id: NodeId) -> Option<NodeId> {
        self.layer.tree.up(id).find(|id| self.statements.contains(id))
    }

    /// What returns inside a node, and what it returns.
    pub fn returns(&self, id: NodeId) -> impl Iterator<Item = (NodeId, Option<NodeId>)> + '_ {
        self.returns.range(id..self.layer.tree.node(id).after).map(|(&id, &result)| (id, result))
    }

    /// The parameter of which function, and which one, a node lies in.
    pub fn parameter(&self, id: NodeId) -> Option<(usize, usize)> {
        let mut inside = id;
        for list in self.layer.tree.up(id) {
            if let Some(&function) = self.functions.get(&list) {
                let place = self.layer.tree.members(list).position(|member| member == inside)?;
                return Some((function, place));
            }
            if self.statements.contains(&list) {
                return None;
            }
            inside = list;
        }
        None
    }

    /// What goes when parameter `place` of a function goes, with its argument in every call.
    pub fn parameter_parts(&self, function: usize, place: usize) -> Vec<NodeId> {
        let function = &self.all[function];
        let lists = function.definitions.iter().filter_map(|one| one.parameters);
        let lists = lists.chain(function.references.iter().filter_map(|one| one.arguments));
        lists.filter_map(|list| self.layer.tree.members(list).nth(place)).collect()
    }

    /// What goes when the definitions of a name go: of a parameter with its arguments.
    pub fn definition_parts(&self, name: &Name<'_>) -> Option<Vec<NodeId>> {
        let mut parts = Vec::new();
        for definition in &name.definitions {
            match self.parameter(definition.id) {
                Some((function, place)) => parts.extend(self.parameter_parts(function, place)),
                None => parts.push(self.definition_unit(definition.id)?),
            }
        }
        Some(parts)
    }

    /// A node's bytes with some nodes inside it replaced.
    pub fn filled_in(&self, whole: Span, inside: &[(Span, Vec<u8>)]) -> Vec<u8> {
        let mut text = Vec::new();
        let mut at = whole.start;
        for (span, instead) in inside.iter().filter(|(span, _)| whole.contains(*span)) {
            if span.start < at {
                continue;
            }
            text.extend_from_slice(Span::new(at, span.start).of(self.source));
            text.extend_from_slice(instead);
            at = span.end;
        }
        text.extend_from_slice(Span::new(at, whole.end).of(self.source));
        text
    }

    /// The bytes of an expression, in brackets unless it is a single token.
    pub fn bracketed(&self, id: NodeId) -> Vec<u8> {
        let text = self.text(id);
        let starts_open = text.first().is_some_and(|&first| b"([{\"'".contains(&first));
        if self.layer.tree.is_leaf(id)
            || starts_open && self.layer.tree.node(id).is_named() && is_closed(text)
        {
            return text.to_vec();
        }
        [b"(", text, b")"].concat()
    }
}

/// Whether the bracket or quote that a text begins with closes at its end, and nowhere before.
fn is_closed(text: &[u8]) -> bool {
    let mut depth = 0u32;
    for (i, byte) in text.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return i + 1 == text.len();
        }
    }
    false
}
