//! Removes a declaration before the definition: the definition moves to its place, or the part that needs the
//! declaration moves after the definition.
//!
//! ```text
//! struct A;  int f(A *a);  struct A { int b; };
//! // ->
//! struct A { int b; };  int f(A *a);
//! ```

use super::Context;
use super::order::LateName;
use super::way::Way;
use nubbin_language::Symbol;
use nubbin_syntax::edit::Edit;
use nubbin_syntax::{NodeId, deletion_span};

/// Moves the definition to the declaration, or moves the only part between them that uses the name behind the
/// definition.
pub(super) fn ways(cx: &Context<'_>, symbol: &Symbol) -> Vec<Way> {
    if !cx.layer.language.needs_order() {
        return Vec::new();
    }
    let [first, second] = &symbol.definitions[..] else { return Vec::new() };
    let units = cx.definition_unit(first.whole).zip(cx.definition_unit(second.whole));
    let Some((declaration, definition)) = units else { return Vec::new() };
    let parent = |id: NodeId| cx.tree.node(id).parent;
    let has_code = |id: NodeId, body: Option<NodeId>| body.or_else(|| cx.symbols.class_body(id)).is_some();
    if parent(declaration) != parent(definition)
        || has_code(first.id, first.body)
        || !has_code(second.id, second.body)
    {
        return Vec::new();
    }
    let gone = [Edit::delete(deletion_span(cx.source, cx.with_end(declaration)))];
    let raised = LateName { declared: definition, mentions: declaration };
    let place = cx.span(declaration).start;
    let raised = cx.may_rise(raised, &[raised]).then(|| cx.moved(&gone, &[(definition, place)]));
    let sunk = user_between(cx, symbol, declaration, definition).and_then(|mentions| {
        let sunk = LateName { declared: definition, mentions };
        let place = cx.with_end(definition).end;
        cx.may_sink(sunk).then(|| cx.moved(&gone, &[(mentions, place)]))
    });
    raised.into_iter().chain(sunk).collect()
}

/// Returns the only part between two siblings that uses a symbol.
fn user_between(cx: &Context<'_>, symbol: &Symbol, from: NodeId, to: NodeId) -> Option<NodeId> {
    let parent = cx.tree.node(from).parent;
    let between = symbol.references.iter().filter(|one| (cx.tree.node(from).after..to).contains(&one.id));
    let mut parts = between.map(|one| cx.symbols.up(one.id).find(|&id| cx.tree.node(id).parent == parent));
    let first = parts.next()??;
    parts.all(|part| part == Some(first)).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::super::tests::rewritten;
    use super::ways;

    #[test]
    fn a_definition_takes_the_place_of_its_declaration_or_what_needs_it_moves_behind() {
        let text = "struct A;\nint f(A *a);\nstruct A { int b; };\n";
        let made = "struct A { int b; };\nint f(A *a);";
        assert_eq!(lines(text, "A", "cpp"), [made, made]);
    }

    #[test]
    fn what_the_definition_needs_stays_before_it() {
        let text = "int f(int);\nint a;\nint g() { return f(1); }\nint f(int b) { return a; }\n";
        let made = "int a;\nint f(int b) { return a; }\nint g() { return f(1); }";
        assert_eq!(lines(text, "f", "c"), [made]);
    }

    /// Returns the resulting texts without empty lines.
    fn lines(text: &str, name: &str, language: &str) -> Vec<String> {
        let made = rewritten(language, text, name, ways);
        let full =
            |text: &String| text.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
        made.iter().map(full).collect()
    }
}
