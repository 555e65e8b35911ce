//! Moves an assigned value into the next statement if the variable is used only once there.
//!
//! ```text
//! int a;  a = g();  h(a);
//! // ->
//! int a;  h(g());
//! ```

use super::Context;
use super::assignment::is_target;
use super::way::Way;
use nubbin_language::{NameKind, Reference, Symbol};
use nubbin_syntax::edit::Edit;

/// A variable with this many references or more is skipped, because each assignment looks at all of them.
const MANY: usize = 200;

/// Proposes one alternative for each assignment.
pub(super) fn ways(cx: &Context<'_>, symbol: &Symbol) -> Vec<Way> {
    if !symbol.is(NameKind::Variable) || symbol.references.len() >= MANY {
        return Vec::new();
    }
    symbol.references.iter().filter_map(|one| forward(cx, symbol, one)).collect()
}

fn forward(cx: &Context<'_>, symbol: &Symbol, one: &Reference) -> Option<Way> {
    let (value, statement) = (one.rest?, cx.tree.node(one.whole).parent);
    let next = cx.tree.node(statement).after;
    let is_alone = is_target(cx, one) && cx.tree.members(statement).eq([one.whole]);
    if !is_alone || !cx.symbols.is_statement(statement) || !cx.symbols.is_statement(next) {
        return None;
    }
    // The next statement can assign a new value to the variable.
    let is_given = |one: &Reference| is_target(cx, one) && cx.tree.members(next).eq([one.whole]);
    let inside = symbol.references.iter().filter(|one| cx.symbols.holds(next, one.id));
    let mut reads = inside.filter(|one| !is_given(one));
    let (Some(read), None) = (reads.next(), reads.next()) else { return None };
    let is_beside = cx.tree.node(next).parent == cx.tree.node(statement).parent;
    (is_beside && read.rest.is_none()).then(|| {
        let instead = Edit::replace(cx.span(read.id), cx.bracketed(value));
        cx.removals.edits([statement]).into_iter().chain([instead]).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::rewritten;
    use super::ways;

    #[test]
    fn a_value_moves_into_the_next_statement() {
        let text = "int f() { int a; a = g(); h(a); }";
        assert_eq!(rewritten("c", text, "a", ways), ["int f() { int a; h(g()); }"]);
    }

    #[test]
    fn a_value_moves_into_an_assignment_of_the_same_variable() {
        let text = "int f() { int a; a = g(); a = h(a); i(a, a); }";
        assert_eq!(rewritten("c", text, "a", ways), ["int f() { int a; a = h(g()); i(a, a); }"]);
    }

    #[test]
    fn a_value_that_is_used_twice_stays() {
        let text = "int f() { int a; a = g(); h(a, a); }";
        assert_eq!(rewritten("c", text, "a", ways), [""; 0]);
    }
}
