//! Removes a parameter of a constructor that has the name of its class, together with the arguments for it
//! where objects are created.
//!
//! ```text
//! struct A { A(int a, int b); };  void f() { A a(1, 2); A *b = new A(3, 4); }
//! // ->
//! struct A { A(int b); };  void f() { A a(2); A *b = new A(4); }
//! ```

use super::Context;
use super::way::Way;
use nubbin_language::{NameKind, Reference, Symbol};
use nubbin_syntax::edit::Edit;
use nubbin_syntax::{NodeId, deletion_span};
use std::collections::BTreeSet;

/// For each number of parameters, removes all parameters of the constructors with that number, then each one. A
/// list of arguments belongs to the constructors with the same number of parameters, or else to those with the
/// next larger number.
pub(super) fn ways(cx: &Context<'_>, class: &Symbol) -> Vec<Way> {
    if !class.is(NameKind::Class) {
        return Vec::new();
    }
    let lists: Vec<List<'_>> = class.references.iter().filter_map(|one| List::of(cx, class, one)).collect();
    let counts: BTreeSet<usize> =
        lists.iter().filter(|list| list.is_constructor).map(|list| list.members.len()).collect();
    let mut ways = Vec::new();
    for &count in counts.iter().filter(|&&count| count > 0) {
        let lists = lists_for(&lists, count);
        if count > 1 {
            ways.push(without(cx, &lists, |_| true));
        }
        ways.extend((0..count).map(|gone| without(cx, &lists, |place| place == gone)));
    }
    ways
}

/// Removes the arguments for a parameter of a constructor, but not the parameter itself. Returns no edits if
/// the definition is not such a parameter.
pub(super) fn arguments(cx: &Context<'_>, definition: NodeId) -> Vec<Edit> {
    let code = cx.symbols.up(definition).take_while(|&id| !cx.symbols.is_statement(id));
    let is_in_list = code.map(|id| cx.tree.node(id).parent).any(|list| cx.symbols.is_list(list));
    let class = cx.symbols.class_of(definition).filter(|_| is_in_list);
    let class = class.and_then(|(class, _)| cx.symbols.defined_at(class));
    let Some(class) = class.map(|class| &cx.symbols[class]) else { return Vec::new() };
    let lists: Vec<List<'_>> = class.references.iter().filter_map(|one| List::of(cx, class, one)).collect();
    let place_in = |list: &List<'_>| list.members.iter().position(|&id| cx.symbols.holds(id, definition));
    let mut own = lists.iter().filter(|list| list.is_constructor);
    let Some((count, place)) = own.find_map(|list| Some((list.members.len(), place_in(list)?))) else {
        return Vec::new();
    };
    let mut rest = lists_for(&lists, count);
    rest.retain(|list| !list.members.iter().any(|&id| cx.symbols.holds(id, definition)));
    without(cx, &rest, |other| other == place).into()
}

/// Returns the lists that belong to constructors with `count` parameters.
fn lists_for<'l, 'c>(lists: &'l [List<'c>], count: usize) -> Vec<&'l List<'c>> {
    let counts: BTreeSet<usize> =
        lists.iter().filter(|list| list.is_constructor).map(|list| list.members.len()).collect();
    lists.iter().filter(|list| counts.range(list.members.len()..).next() == Some(&count)).collect()
}

/// A list of parameters or arguments of a constructor.
struct List<'c> {
    node: NodeId,
    members: &'c [NodeId],
    /// True for a list of parameters.
    is_constructor: bool,
    /// True if empty brackets stay when all arguments are removed.
    is_call: bool,
}

impl<'c> List<'c> {
    fn of(cx: &Context<'c>, class: &Symbol, one: &Reference) -> Option<Self> {
        let node = one.constructed.or(one.arguments.filter(|_| one.is_call))?;
        // A constructor begins with the name of its class.
        let begins = |(of, member): (NodeId, NodeId)| {
            let first = cx.symbols.references_in(member).next();
            class.definition(of).is_some() && first.is_some_and(|(id, _)| id == one.id)
        };
        let is_constructor = one.constructed.is_some() && cx.symbols.class_of(one.id).is_some_and(begins);
        let members = cx.symbols.members(Some(node));
        Some(Self { node, members, is_constructor, is_call: one.constructed.is_none() })
    }
}

/// Removes the members at some positions of the lists. Brackets that become empty stay only for a constructor or a
/// call: in C++, `A a();` would declare a function.
fn without(cx: &Context<'_>, lists: &[&List<'_>], is_gone: impl Fn(usize) -> bool) -> Way {
    let mut edits = Vec::new();
    for list in lists {
        let places = list.members.iter().enumerate();
        let gone: Vec<NodeId> = places.filter(|(place, _)| is_gone(*place)).map(|(_, &id)| id).collect();
        if gone.len() == list.members.len() && !list.is_constructor && !list.is_call {
            edits.push(Edit::delete(deletion_span(cx.source, cx.span(list.node))));
        } else {
            edits.extend(cx.removals.edits(gone));
        }
    }
    edits.into()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{proposed, rewritten};
    use super::ways;

    #[test]
    fn parameters_go_with_the_arguments_of_all_objects() {
        let text = "struct A { A(int a, int b); }; void f() { A a(1, 2); A *b = new A(3, 4); g(A(5, 6)); A c{7, 8}; }";
        assert_eq!(
            rewritten("cpp", text, "A", ways),
            [
                "struct A { A(); }; void f() { A a; A *b = new A; g(A()); A c; }",
                "struct A { A(int b); }; void f() { A a(2); A *b = new A(4); g(A(6)); A c{8}; }",
                "struct A { A(int a); }; void f() { A a(1); A *b = new A(3); g(A(5)); A c{7}; }"
            ]
        );
    }

    #[test]
    fn a_parameter_goes_with_its_uses_and_its_arguments() {
        let text = "struct S { int n; S(int a) : n(a) {} }; S s(3);";
        let made = proposed("cpp", text, super::super::remove);
        let all = ["struct S { int n; S() : n() {} }; S s;", "struct S { int n; S() : n(0) {} }; S s;"];
        assert!(all.iter().all(|text| made.iter().any(|made| made == text)), "{made:#?}");
    }

    #[test]
    fn a_field_goes_with_its_initializer() {
        let text = "struct B { int n; int m; B(int k) : n(k), m(k) {} };";
        let made = proposed("cpp", text, super::super::remove);
        let expected = "struct B { int m; B(int k) : m(k) {} };";
        assert!(made.iter().any(|text| text == expected), "{made:#?}");
    }

    #[test]
    fn arguments_belong_to_the_constructor_with_as_many_parameters() {
        let text = "template <class T> struct A { A(T) {} A(int, T b = 1) {} }; void f() { A<int> a(1), b; A<int> c(d, 3); }";
        assert_eq!(
            rewritten("cpp", text, "A", ways),
            [
                "template <class T> struct A { A() {} A(int, T b = 1) {} }; void f() { A<int> a, b; A<int> c(d, 3); }",
                "template <class T> struct A { A(T) {} A() {} }; void f() { A<int> a(1), b; A<int> c; }",
                "template <class T> struct A { A(T) {} A(T b = 1) {} }; void f() { A<int> a(1), b; A<int> c(3); }",
                "template <class T> struct A { A(T) {} A(int) {} }; void f() { A<int> a(1), b; A<int> c(d); }"
            ]
        );
    }
}
