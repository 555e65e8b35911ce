//! Moves a member that is defined outside its class into the class.
//!
//! ```text
//! struct A { int f(int a); };  int A::f(int c) { return c; }
//! // ->
//! struct A { int f(int c) { return c; } };
//! ```

use super::Context;
use super::way::Way;
use nubbin_syntax::edit::Edit;
use nubbin_syntax::{NodeId, deletion_span};
use std::collections::HashMap;

/// The names of a class and its member.
type MemberName<'c> = (&'c [u8], &'c [u8]);

/// Replaces the declaration in the class by the definition. Of several declarations with the same name, the one
/// with the same number of parameters is replaced, or else the first one.
pub(super) fn ways(cx: &Context<'_>) -> Vec<Way> {
    let mut declared: HashMap<MemberName<'_>, Vec<(NodeId, NodeId)>> = HashMap::new();
    for (name, whole) in cx.symbols.declared_inside() {
        if let Some((class, _)) = cx.symbols.class_of(whole) {
            declared.entry((cx.text(class), cx.text(name))).or_default().push((name, whole));
        }
    }
    let all = cx.symbols.defined_outside();
    all.filter_map(|(path, definition)| {
        let (class, name) = ends(cx, path)?;
        let heads = declared.get_mut(&(cx.text(class), cx.text(name)))?;
        let wanted = parameters(cx, path);
        let at = heads.iter().position(|&(head, _)| parameters(cx, head) == wanted).unwrap_or(0);
        let (_, head) = (!heads.is_empty()).then(|| heads.remove(at))?;
        entered(cx, head, definition, (path, name))
    })
    .collect()
}

fn entered(
    cx: &Context<'_>,
    head: NodeId,
    definition: NodeId,
    (path, name): (NodeId, NodeId),
) -> Option<Way> {
    let tree = cx.tree;
    let unit = cx.symbols.up(definition).find(|&id| cx.removals.may_go(id))?;
    if cx.symbols.holds(unit, head) {
        return None;
    }
    // A template member has its parameters in both places.
    let around = tree.node(definition).parent;
    let is_generic = tree.node(around).kind == tree.node(head).kind;
    let whole = cx.with_end(if is_generic { around } else { definition });
    // Keywords that only the declaration in the class has, such as `static`.
    let said = tree.children(head).take_while(|&id| !is_generic && tree.node(id).field == 0);
    let mut text: Vec<u8> = Vec::new();
    for word in said.filter(|&id| !tree.children(definition).any(|own| cx.text(own) == cx.text(id))) {
        text.extend_from_slice(cx.text(word));
        text.push(b' ');
    }
    text.extend(cx.filled_in(whole, &[(cx.span(path), cx.text(name).to_vec())]));
    let place = cx.span(head);
    let text = cx.moved_text(text.trim_ascii(), whole, place.start)?;
    let instead = Edit::replace(place, text.trim_ascii_end());
    // The `;` after a class is a separate node, before or after the definition.
    let gone = Edit::delete(deletion_span(cx.source, cx.with_end(unit)));
    Some([gone, instead].into_iter().collect())
}

/// Returns the nodes of the last two names of a path.
fn ends(cx: &Context<'_>, path: NodeId) -> Option<(NodeId, NodeId)> {
    let tree = cx.tree;
    let mut named = tree.children(path).filter(|&id| tree.node(id).is_named());
    let (first, last) = (named.next()?, named.last()?);
    if tree.node(last).kind == tree.node(path).kind {
        return ends(cx, last);
    }
    Some((first_leaf(cx, first), last))
}

fn first_leaf(cx: &Context<'_>, id: NodeId) -> NodeId {
    cx.tree.children(id).next().map_or(id, |first| first_leaf(cx, first))
}

/// Returns the number of parameters of the function that is declared with this name.
fn parameters(cx: &Context<'_>, name: NodeId) -> Option<usize> {
    let mut beside = cx.tree.children(cx.tree.node(name).parent);
    let list = beside.find(|&id| cx.text(id).starts_with(b"("))?;
    Some(cx.tree.members(list).count())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{texts, with_context};
    use super::ways;

    fn entered(text: &str) -> Vec<String> {
        with_context("cpp", text, |cx, _| texts(cx, ways(cx)))
    }

    #[test]
    fn a_method_moves_into_its_class_with_its_own_parameters() {
        let text = "struct A { static int f(int a, int b); };\nint A::f(int c, int d) { return c; }\n";
        assert_eq!(entered(text), ["struct A { static int f(int c, int d) { return c; } };\n"]);
    }

    #[test]
    fn a_constructor_keeps_what_it_initialises_and_a_pointer_its_sign() {
        let text =
            "struct A { int x; A(int); int *f(); };\nA::A(int a) : x(a) { }\nint *A::f() { return 0; }\n";
        let constructor = "struct A { int x; A(int a) : x(a) { } int *f(); };\nint *A::f() { return 0; }\n";
        let method = "struct A { int x; A(int); int *f() { return 0; } };\nA::A(int a) : x(a) { }\n";
        assert_eq!(entered(text), [constructor, method]);
    }

    #[test]
    fn a_member_of_a_template_leaves_the_parameters_of_the_class_outside() {
        let text =
            "template<class T> struct A { T f(T); };\ntemplate<class T> T A<T>::f(T a) { return a; }\n";
        assert_eq!(entered(text), ["template<class T> struct A { T f(T a) { return a; } };\n"]);
        let text = "struct A { template<class T> T f(T); };\ntemplate<class T> T A::f(T a) { return a; }\n";
        assert_eq!(entered(text), ["struct A { template<class T> T f(T a) { return a; } };\n"]);
    }

    #[test]
    fn a_member_of_a_nested_class_is_found_by_its_own_class() {
        let text = "struct A { struct B { int f(); }; int f(); };\nint A::B::f() { return 1; }\n";
        assert_eq!(entered(text), ["struct A { struct B { int f() { return 1; } }; int f(); };\n"]);
    }

    #[test]
    fn of_two_with_one_name_that_with_as_many_parameters_is_meant() {
        let text = "struct A { int f(); int f(int); };\nint A::f(int a) { return a; }\n";
        assert_eq!(entered(text), ["struct A { int f(); int f(int a) { return a; } };\n"]);
    }

    #[test]
    fn a_class_moves_into_the_one_that_declares_it() {
        let text = "struct A { struct B; B *b; };\nstruct A::B { int a; };\n";
        assert_eq!(entered(text), ["struct A { struct B { int a; }; B *b; };\n"]);
    }
}
