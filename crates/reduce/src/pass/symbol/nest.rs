//! Merges a nested class into the class around it.
//!
//! ```text
//! class A { static class B { int a; B(int b) { } }  int f() { return new A.B(1).a; } }
//! // ->
//! class A { int a; A(int b) { }  int f() { return new A(1).a; } }
//! ```

use super::Context;
use super::way::Way;
use crate::pass::Snapshot;
use crate::pass::hoist::hoist;
use nubbin_language::Symbol;
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Span};

/// Moves the members into the outer class, whose name replaces that of the nested one everywhere.
pub(super) fn ways(cx: &Context<'_>, snapshot: &Snapshot<'_>, symbol: &Symbol) -> Vec<Way> {
    unnested(cx, snapshot, symbol).into_iter().map(Into::into).collect()
}

fn unnested(cx: &Context<'_>, snapshot: &Snapshot<'_>, symbol: &Symbol) -> Option<Vec<Edit>> {
    let [one] = &symbol.definitions[..] else { return None };
    let body = cx.symbols.class_body(one.id)?;
    let (outer, member) = cx.symbols.class_of(one.id)?;
    let unit =
        cx.definition_unit(one.whole).filter(|&unit| unit == member && cx.symbols.holds(unit, body))?;
    let inherits = symbol.references.iter().any(|one| cx.symbols.heir(one.id).is_some());
    if inherits || cx.symbols.defined_at(outer).is_none() {
        return None;
    }
    let content = cx.content(body)?;
    let head = |id: NodeId| cx.symbols.holds(unit, id) && !cx.symbols.holds(body, id);
    let uses = symbol.references.iter().filter(|one| !head(one.id));
    let name = cx.text(outer);
    let mut edits: Vec<Edit> = uses.map(|one| outer_instead(cx, one.id, name)).collect();
    edits.extend(hoist(snapshot, cx.layer, cx.with_end(unit), content));
    Some(edits)
}

/// Replaces a reference, together with a path before it as in `A.B`, by the name of the outer class. If the
/// path has arguments, as in `A<int>::B`, only the path stays.
fn outer_instead(cx: &Context<'_>, id: NodeId, outer: &[u8]) -> Edit {
    let own = cx.span(id);
    let path = cx.tree.node(id).parent;
    let ends = cx.span(path).end == own.end;
    let first = cx.tree.children(path).next().filter(|&first| first != id && ends);
    let with_arguments =
        |first: NodeId| cx.tree.children(first).next().is_some_and(|id| cx.text(id) == outer);
    match first {
        Some(first) if cx.text(first) == outer => Edit::replace(cx.span(path), outer),
        Some(first) if with_arguments(first) => Edit::delete(Span::new(cx.span(first).end, own.end)),
        _ => Edit::replace(own, outer),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{find, texts, with_context};
    use super::ways;

    #[test]
    fn a_class_becomes_part_of_the_one_around_it() {
        let text = "class A { static class B { int a; B(int b) { } } int f() { return new A.B(1).a; } }\n";
        let made = with_context("java", text, |cx, snapshot| texts(cx, ways(cx, snapshot, find(cx, "B").1)));
        assert_eq!(made, ["class A { int a; A(int b) { } int f() { return new A(1).a; } }\n"]);
    }

    #[test]
    fn a_class_becomes_part_of_the_one_around_it_with_its_own_layout() {
        let text = "class A:\n    class B:\n        def f(self):\n            return A.B()\n    def g(self):\n        return A.B()\n";
        let made =
            with_context("python", text, |cx, snapshot| texts(cx, ways(cx, snapshot, find(cx, "B").1)));
        let expected =
            "class A:\n    def f(self):\n        return A()\n    def g(self):\n        return A()\n";
        assert_eq!(made, [expected]);
    }
}
