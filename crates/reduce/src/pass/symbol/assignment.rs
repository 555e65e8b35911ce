//! Replaces the uses of a variable that is assigned once by the assigned value.
//!
//! ```text
//! int a;  int f(int b) { a = b; return a; }
//! // ->
//! int f(int b) { return b; }
//! ```

use super::Context;
use super::remove::Subject;
use super::text::outside;
use super::way::Way;
use nubbin_language::{NameKind, Reference};
use nubbin_syntax::edit::Edit;

/// Replaces the other uses by the assigned value and removes the definition. The assignment is removed if it is
/// a statement; otherwise only its value stays.
pub(super) fn ways(cx: &Context<'_>, subject: &Subject<'_>) -> Vec<Way> {
    let edits = assigned(cx, subject);
    edits.map(|edits| subject.without_definitions(edits)).into_iter().collect()
}

fn assigned(cx: &Context<'_>, Subject { symbol, uses, .. }: &Subject<'_>) -> Option<Vec<Edit>> {
    if !symbol.is(NameKind::Variable) || symbol.definitions.len() != 1 || uses.len() < 2 {
        return None;
    }
    let mut assignments = uses.iter().filter_map(|one| Some((one, one.rest?)));
    let (Some((target, value)), None) = (assignments.next(), assignments.next()) else { return None };
    let (id, whole) = (target.id, target.whole);
    // An assignment to a part of the variable does not determine the rest.
    if !is_target(cx, target) {
        return None;
    }
    let text = cx.bracketed(value);
    let others = || uses.iter().filter(|one| one.id != id);
    let is_fit = |one: &Reference| !cx.symbols.holds(value, one.id) && cx.symbols.is_known_at(value, one.id);
    if text.len() * uses.len() > cx.source.len().max(1 << 16) || !others().all(|one| is_fit(one)) {
        return None;
    }
    let mut edits: Vec<Edit> = others().map(|one| Edit::replace(cx.span(one.id), text.clone())).collect();
    let around = cx.tree.node(whole).parent;
    if cx.symbols.is_statement(around) && cx.removals.may_go(around) {
        edits.extend(cx.removals.edits([around]));
    } else {
        edits.extend(outside(cx.span(whole), cx.span(value)));
    }
    Some(edits)
}

/// Returns whether a reference is the whole target of an assignment, and not only a part of it.
pub(super) fn is_target(cx: &Context<'_>, one: &Reference) -> bool {
    cx.tree.node(one.id).parent == one.whole
}

#[cfg(test)]
mod tests {
    use super::super::tests::removed;
    use super::ways;

    #[test]
    fn what_is_assigned_once_takes_the_place_of_the_reads() {
        let text = "int a; int f(int b) { a = b; return a; }";
        assert_eq!(removed("c", text, "a", ways), ["int f(int b) { return b; }"]);
    }

    #[test]
    fn what_is_assigned_twice_is_a_state() {
        let text = "int a; int f(int b) { a = b; a = 1; return a; }";
        assert_eq!(removed("c", text, "a", ways), [""; 0]);
    }
}
