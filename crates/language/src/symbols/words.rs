//! The names of a text in a language without `names.scm`: all leaves that are names and have the same text are one
//! symbol, known everywhere.

use super::capture::{Captured, Place};
use crate::{KindForms, Language, NameKind, NamePattern, Reach, Role};
use nubbin_syntax::{Grammar, NodeId, Tree};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The field in which grammars put the name of what is defined.
const NAME: &str = "name";

/// The parts of the names of nodes that have such a field and define nothing.
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

/// Finds the names of a text. A name is defined where it stands in the field `name` of a node that defines something by
/// the name of its kind, otherwise where it stands first. Returns `None` if the grammar does not say which leaves are
/// names.
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
    // What stands in quotes may mean a name, as the path of an import does.
    for id in leaves().filter(|&id| !tree.node(id).is_extra()) {
        if let Some(places) = names.get_mut(text(id)) {
            places.push(id);
        }
    }
    let forms = KindForms { reach: Reach::Everywhere, ..KindForms::default() };
    let says = Arc::new(NamePattern { kind: Some(NameKind::Variable), forms, ..NamePattern::default() });
    let mut captured = Captured::default();
    for places in names.into_values() {
        let is_definition = |id: NodeId| defines(language.grammar(), tree, id);
        let is_defined = places.iter().any(|&id| is_definition(id));
        for (i, &id) in places.iter().enumerate() {
            let is_own = if is_defined { is_definition(id) } else { i == 0 };
            let role = if is_own { Role::Define } else { Role::Refer };
            let place = Place::plain(&says, role, id);
            let in_quotes = tree.node(id).parent;
            let place = if is_name(id) { place } else { place.with(Role::Use, in_quotes) };
            captured.places.insert(id, place);
        }
    }
    Some(captured)
}

/// Tells whether a leaf stands in the field `name` of a node that defines something.
fn defines(grammar: &Grammar, tree: &Tree, id: NodeId) -> bool {
    let node = tree.node(id);
    if grammar.field_name(node.field) != Some(NAME) {
        return false;
    }
    let around = grammar.kind_name(tree.node(node.parent).kind);
    !USES.iter().any(|part| around.contains(part))
}
