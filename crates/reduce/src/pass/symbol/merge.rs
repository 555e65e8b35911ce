//! Merges a class into the only class that is derived from it, or an interface into its only implementation.
//!
//! ```text
//! class A:
//!     a = 1
//! class B(A):
//!     b = 2
//! A()
//! // ->
//! class B:
//!     a = 1
//!     b = 2
//! B()
//! ```

use super::Context;
use super::remove::Subject;
use super::way::Way;
use nubbin_language::{Definition, NameKind, Symbol};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Span};

/// Moves the members of the class into the derived class, which replaces it everywhere. A class whose members
/// have no code is removed with them. Another alternative omits its constructor and the calls of it in the
/// derived class.
pub(super) fn ways(cx: &Context<'_>, subject: &Subject<'_>) -> Vec<Way> {
    let Some(one) = subject.only() else { return Vec::new() };
    let constructor = one.constructor.and_then(|id| cx.definition_unit(id));
    let without = constructor.map(|id| merged(cx, subject.symbol, one, Some(id)));
    let all = [merged(cx, subject.symbol, one, None)].into_iter().chain(without);
    all.flatten().map(Into::into).collect()
}

fn merged(
    cx: &Context<'_>,
    symbol: &Symbol,
    one: &Definition,
    constructor: Option<NodeId>,
) -> Option<Vec<Edit>> {
    let mut heirs = symbol.references.iter().filter_map(|one| Some((one.id, cx.symbols.heir(one.id)?)));
    let (Some((base, heir)), None) = (heirs.next(), heirs.next()) else { return None };
    let unit = cx.definition_unit(one.whole)?;
    if cx.symbols.holds(unit, heir) {
        return None;
    }
    let tree = cx.tree;
    let mut edits = cx.removals.edits([unit]);
    if has_code(cx, one.id, unit) {
        let (from, to) = (cx.symbols.class_body(one.id)?, cx.symbols.class_body(heir)?);
        let content = cx.content(from)?;
        let target = cx.span(tree.members(to).next()?).start;
        let left_out =
            constructor.filter(|&id| cx.symbols.holds(from, id)).map(|id| (cx.span(id), Vec::new()));
        let text = cx.filled_in(content, left_out.as_slice());
        edits.push(Edit::replace(
            Span::new(target, target),
            cx.moved_text(text.trim_ascii(), content, target)?,
        ));
    }
    if constructor.is_some() {
        let body = cx.symbols.class_body(heir)?;
        let calls = symbol.handed.iter().filter(|call| cx.symbols.holds(body, call.whole));
        edits.extend(cx.removals.edits(calls.filter_map(|call| cx.unit(call.whole))));
    }
    let others = symbol.references.iter().filter(|one| one.id != base && !cx.symbols.holds(unit, one.id));
    edits.extend(others.map(|other| Edit::replace(cx.span(other.id), cx.text(heir))));
    if let Some(own_base) = cx.symbols.base(one.id) {
        edits.push(Edit::replace(cx.span(base), cx.text(own_base)));
    } else {
        let is_only = tree.members(tree.node(base).parent).count() == 1;
        let mut around = cx.symbols.up(base).skip(usize::from(is_only));
        edits.extend(cx.removals.edits(around.find(|&id| cx.removals.may_go(id))));
    }
    Some(edits)
}

/// Returns whether the class named by `class` has a member other than types and functions without a body.
fn has_code(cx: &Context<'_>, class: NodeId, unit: NodeId) -> bool {
    let mut inside = cx.symbols.definitions_in(unit).filter(|&(id, _)| id != class);
    inside.any(|(id, symbol)| {
        let symbol = &cx.symbols[symbol];
        let is_head = symbol.definition(id).is_some_and(|one| one.parameters.is_some() && one.body.is_none());
        let is_type = symbol.kind.is_some_and(NameKind::is_type);
        !is_head && !is_type && cx.symbols.parameter(id).is_none()
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::removed;
    use super::ways;

    #[test]
    fn a_class_joins_the_only_one_derived_from_it() {
        let text = "class A:\n    a = 1\nclass B(A):\n    b = 2\nA()\n";
        assert_eq!(removed("python", text, "A", ways), ["class B:\n    a = 1\n    b = 2\nB()\n"]);
    }

    #[test]
    fn a_class_joins_the_derived_one_without_its_constructor() {
        let text = "class A { int a; A(int b) { } }\nclass B extends A implements I { B() { super(1); } }\n";
        let with = "class B implements I { int a; A(int b) { }\nB() { super(1); } }\n";
        let without = "class B implements I { int a;\nB() { } }\n";
        assert_eq!(removed("java", text, "A", ways), [with, without]);
    }

    #[test]
    fn an_interface_gives_way_to_what_implements_it() {
        let text = "interface I { int f(); }\nclass B implements I { public int f() { return 1; } }\nclass C { I a; }\n";
        let made = "class B { public int f() { return 1; } }\nclass C { B a; }\n";
        assert_eq!(removed("java", text, "I", ways), [made]);
    }
}
