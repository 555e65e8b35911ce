//! Where functions are defined, by their names.

use super::Names;
use crate::pass::Snapshot;
use nubbin_language::Language;
use nubbin_syntax::Parser;
use nubbin_syntax::edit::Span;

/// The functions that a text in this language defines, with all that goes when one does; `None` where the language
/// does not say what a name is. Functions of embedded languages are among them.
#[must_use]
pub fn functions(language: &Language, source: &[u8]) -> Option<Vec<(Vec<u8>, Span)>> {
    let parsed = Parser::new(language.grammar()).parse(source);
    let snapshot = Snapshot::new(source.into(), language, parsed);
    let named = snapshot.layers.iter().filter_map(|layer| Names::new(layer, source));
    let mut functions: Option<Vec<_>> = None;
    for names in named {
        let tree = &names.layer.tree;
        let all = functions.get_or_insert_default();
        for name in &names.all {
            for definition in &name.definitions {
                let Some(body) = definition.body else { continue };
                let (own, body) = (tree.node(definition.id).span, tree.node(body).span);
                let holds_both = |span: Span| span.contains(own) && span.contains(body);
                let member = names.member(definition).map(|id| tree.node(id).span);
                let around = names.up(definition.id).map(|id| tree.node(id).span);
                let whole = member.into_iter().chain(around).find(|span| holds_both(*span));
                all.extend(whole.map(|span| (name.text.to_vec(), span)));
            }
        }
    }
    functions
}
