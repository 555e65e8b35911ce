//! Joins a class and the class before it.
//!
//! ```text
//! struct A { int a; };  struct B { int b; };  B c;
//! // ->
//! struct A { int a; int b; };  A c;
//! ```

use super::Context;
use super::way::Way;
use nubbin_language::Symbol;
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Span};

/// The preceding class is searched for among this many classes.
const NEAR: usize = 8;

/// Deletes the text between the members of the two classes, and replaces the second name by the first one.
pub(super) fn ways(cx: &Context<'_>, symbol: &Symbol) -> Vec<Way> {
    with_neighbour(cx, symbol).into_iter().collect()
}

fn with_neighbour(cx: &Context<'_>, symbol: &Symbol) -> Option<Way> {
    let [one] = &symbol.definitions[..] else { return None };
    let tree = cx.tree;
    let specifier = |class: NodeId| tree.node(class).parent;
    let own = specifier(one.id);
    let body = cx.symbols.class_body(one.id)?;
    let is_beside = |class: NodeId| tree.node(specifier(class)).parent == tree.node(own).parent;
    let mut before = cx.symbols.classes_before(one.id).take(NEAR);
    let (other, other_body) = before.find(|&(class, _)| is_beside(class))?;
    let between = Span::new(cx.span(specifier(other)).end, cx.span(own).start);
    let open = tree.children(body).next().filter(|&open| !tree.node(open).is_named())?;
    let close = tree.children(other_body).last().filter(|&close| !tree.node(close).is_named())?;
    if between.start > between.end || between.of(cx.source).trim_ascii() != cx.syntax().terminator() {
        return None;
    }
    let gone = Edit::delete(Span::new(cx.span(close).start, cx.span(open).end));
    let uses = symbol.references.iter().map(|one| Edit::replace(cx.span(one.id), cx.text(other)));
    Some(uses.chain([gone]).collect())
}

#[cfg(test)]
mod tests {
    use super::super::tests::rewritten;
    use super::ways;

    #[test]
    fn two_classes_become_one() {
        let text = "struct A { int a; }; struct B { int b; }; B c;";
        assert_eq!(rewritten("cpp", text, "B", ways), ["struct A { int a;  int b; }; A c;"]);
    }
}
