//! The names of a text in a language without `names.scm`. All leaves that are names and have the same text are
//! one symbol, which is global unless a function declares it.

use super::capture::{Captured, Place};
use super::convention::Conventions;
use crate::{KindForms, Language, NameKind, NamePattern, Reach, Role, ScopeKind};
use nubbin_syntax::{Grammar, NodeId, Tree};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// The field for the name of a definition in most grammars.
const NAME: &str = "name";

/// The constant that most languages have.
const ZERO: &str = "0";

/// The parts of the names of nodes that have such a field but define nothing.
const USES: [&str; 12] = [
    "call",
    "invocation",
    "access",
    "member",
    "selector",
    "reference",
    "path",
    "scoped",
    "attribute",
    "expression",
    "element",
    "argument",
];

/// Finds the names of a text. A name is defined where it is in the field `name` of a node whose kind suggests a
/// definition, where it gets a value, or as a parameter; otherwise at its first occurrence. Returns `None` if
/// the grammar does not determine which leaves are names.
pub(super) fn captured(language: &Language, tree: &Tree, source: &[u8]) -> Option<Captured> {
    if !language.has_words() {
        return None;
    }
    let text = |id: NodeId| tree.node(id).span.of(source);
    let leaves =
        || tree.ids().filter(|&id| tree.is_leaf(id) && tree.node(id).is_named() && !text(id).is_empty());
    let is_name = |id: NodeId| language.is_word(tree.node(id).kind);
    let mut names: BTreeMap<&[u8], Vec<NodeId>> = BTreeMap::new();
    for id in leaves().filter(|&id| is_name(id)) {
        names.entry(text(id)).or_default();
    }
    // Quoted text can refer to a name, as the path of an import does.
    for id in leaves().filter(|&id| !tree.node(id).is_extra()) {
        if let Some(places) = names.get_mut(text(id)) {
            places.push(id);
        }
    }
    let conventions = Conventions::new(language.grammar(), tree, source, &is_name);
    let mut captured = Captured::default();
    captured.scopes.extend(conventions.functions.keys().map(|&whole| (whole, ScopeKind::Function)));
    captured.code.statements.extend(&conventions.statements);
    captured.code.returns.extend(conventions.returns.iter().copied());
    let words =
        Words { tree, grammar: language.grammar(), conventions: &conventions, says: Says::new(language) };
    for places in names.into_values() {
        for (id, place) in words.places(&places) {
            let in_quotes = tree.node(id).parent;
            let place = if is_name(id) { place } else { place.with(Role::Use, in_quotes) };
            captured.places.insert(id, place);
        }
    }
    Some(captured)
}

/// The properties of references, of functions, of global names, and of local names.
struct Says {
    reference: Arc<NamePattern>,
    function: Arc<NamePattern>,
    everywhere: Arc<NamePattern>,
    inner: Arc<NamePattern>,
}

impl Says {
    fn new(language: &Language) -> Self {
        // If the grammar has the constant, it can replace a name; in other languages it would not parse.
        let mut sentences = language.sentences().flat_map(|(_, texts)| texts);
        let constant = sentences.any(|text| text == ZERO).then(|| ZERO.to_owned());
        let of = |kind: NameKind, reach: Reach| {
            let forms = KindForms { reach, constant: constant.clone(), ..KindForms::default() };
            Arc::new(NamePattern { kind: Some(kind), forms, ..NamePattern::default() })
        };
        Self {
            reference: of(NameKind::Variable, Reach::Inner),
            function: of(NameKind::Function, Reach::Everywhere),
            everywhere: of(NameKind::Variable, Reach::Everywhere),
            inner: of(NameKind::Variable, Reach::Function),
        }
    }
}

/// The places of names in a tree.
struct Words<'a> {
    tree: &'a Tree,
    grammar: &'a Grammar,
    conventions: &'a Conventions,
    says: Says,
}

impl Words<'_> {
    /// Classifies the leaves with one text.
    fn places(&self, all: &[NodeId]) -> Vec<(NodeId, Place)> {
        let around = |id: NodeId| self.conventions.functions_around(id);
        // The functions that declare the name locally.
        let own = |id: &NodeId| {
            let parameter = self.conventions.parameters.get(id).copied();
            parameter.or_else(|| around(*id).next().filter(|_| self.is_variable(*id)))
        };
        let holders: HashSet<NodeId> = all.iter().filter_map(own).collect();
        let is_inner = |id: NodeId| around(id).any(|whole| holders.contains(&whole));
        let outside: Vec<NodeId> = all.iter().copied().filter(|&id| !is_inner(id)).collect();
        let is_defined = outside.iter().any(|&id| self.defines(id));
        let place = |&id: &NodeId| {
            if is_inner(id) {
                let is_own = self.conventions.parameters.contains_key(&id) || self.is_variable(id);
                return (id, self.place(id, is_own, &self.says.inner));
            }
            let is_own = if is_defined { self.defines(id) } else { outside.first() == Some(&id) };
            let is_function = self.conventions.named.contains_key(&id);
            let says = if is_function { &self.says.function } else { &self.says.everywhere };
            (id, self.place(id, is_own, says))
        };
        all.iter().map(place).collect()
    }

    /// Returns the place of a leaf, with the parts in the fields around it.
    fn place(&self, id: NodeId, is_definition: bool, says: &Arc<NamePattern>) -> Place {
        let found = self.conventions;
        if !is_definition {
            let place = Place::plain(&self.says.reference, Role::Refer, id);
            let Some(call) = found.calls.get(&id) else { return place };
            let place = place.with(Role::Use, call.whole).with(Role::Arguments, call.arguments);
            return match call.object {
                Some(object) => place.with(Role::Object, object),
                None => place,
            };
        }
        let place = Place::plain(says, Role::Define, id);
        match (found.named.get(&id), found.values.get(&id)) {
            (Some(function), _) => {
                let code = if function.is_block { Role::Body } else { Role::Value };
                place.with(Role::Parameters, function.parameters).with(code, function.body)
            }
            (None, Some(&value)) => place.with(Role::Value, value),
            (None, None) => place,
        }
    }

    /// Returns whether a leaf defines a name.
    fn defines(&self, id: NodeId) -> bool {
        let found = self.conventions;
        found.declared.contains(&id) || found.named.contains_key(&id) || defines(self.grammar, self.tree, id)
    }

    /// Returns whether a leaf defines a name that is not a function.
    fn is_variable(&self, id: NodeId) -> bool {
        self.defines(id) && !self.conventions.named.contains_key(&id)
    }
}

/// Returns whether a leaf is in the field `name` of a node that defines something.
fn defines(grammar: &Grammar, tree: &Tree, id: NodeId) -> bool {
    let node = tree.node(id);
    if grammar.field_name(node.field) != Some(NAME) {
        return false;
    }
    let around = grammar.kind_name(tree.node(node.parent).kind);
    !USES.iter().any(|part| around.contains(part))
}
