//! Replaces each use of a symbol by its value.
//!
//! ```text
//! int a = 1 + 2;  int b = a * 3;
//! // ->
//! int b = (1 + 2) * 3;
//! ```

use super::Context;
use super::remove::Subject;
use super::way::Way;
use nubbin_language::{Definition, NameKind, Reference, Symbol};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Span};

/// Returns nothing if the value contains names that are not known at a use.
pub(super) fn ways(cx: &Context<'_>, subject: &Subject<'_>) -> Vec<Way> {
    let edits = values(cx, subject);
    edits.map(|edits| subject.without_definitions(edits)).into_iter().collect()
}

fn values(cx: &Context<'_>, Subject { symbol, uses, .. }: &Subject<'_>) -> Option<Vec<Edit>> {
    let [one] = &symbol.definitions[..] else { return None };
    let value = value_of(cx, symbol, one).filter(|_| one.alias.is_none())?;
    // A path can have arguments after it, as its last name can.
    let is_path = symbol.is(NameKind::Import);
    if !is_path && cx.symbols.generic_of(one.id).is_some() {
        return None;
    }
    let is_inside = |other: &Reference| cx.symbols.holds(value, other.id);
    let is_scope = symbol.is(NameKind::Namespace);
    let is_type = symbol.kind.is_some_and(NameKind::is_type) && !cx.symbols.holds(value, one.id);
    let is_assigned = |other: &Reference| other.rest.is_some() && !is_scope && !is_type;
    if symbol.references.iter().any(|other| is_assigned(other) || is_inside(other)) {
        return None;
    }
    // A value that contains the definition can move to one place only.
    if uses.len() > 1 && cx.symbols.holds(value, one.id) {
        return None;
    }
    let is_expression = symbol.kind.is_some_and(NameKind::is_value);
    let text = if is_expression { cx.bracketed(value) } else { cx.text(value).trim_ascii().to_vec() };
    let place = |other: &Reference| {
        let (id, whole) = (cx.span(other.id), cx.span(other.whole));
        match other.object {
            Some(_) if is_type => whole,
            Some(object) => Span::new(cx.span(object).start, id.end),
            None if symbol.is(NameKind::Variable) || is_scope || is_path => id,
            None if other.arguments.is_some() || other.rest.is_some() => id,
            None => whole,
        }
    };
    let fits = text.len() * uses.len() <= cx.source.len().max(1 << 16);
    let fits = fits && uses.iter().all(|one| cx.symbols.is_known_at(value, one.id));
    fits.then(|| uses.iter().map(|one| Edit::replace(place(one), cx.written(one, &text))).collect())
}

/// Returns the expression that a name stands for. A function that is called does not count: `inline` handles
/// it.
fn value_of(cx: &Context<'_>, symbol: &Symbol, one: &Definition) -> Option<NodeId> {
    let Some(parameters) = one.parameters else { return one.value };
    if symbol.references.iter().any(|other| other.arguments.is_some()) {
        return None;
    }
    let around = || cx.tree.node(parameters).parent;
    let function = one.value.filter(|&value| cx.symbols.holds(value, parameters)).unwrap_or_else(around);
    (!cx.symbols.holds(function, one.id)).then_some(function)
}

#[cfg(test)]
mod tests {
    use super::super::tests::removed;
    use super::ways;

    #[test]
    fn a_value_takes_the_place_of_each_use_and_is_bracketed() {
        let text = "int a = 1 + 2; int b = a * 3;";
        assert_eq!(removed("c", text, "a", ways), ["int b = (1 + 2) * 3;"]);
    }

    #[test]
    fn a_value_moves_only_to_where_its_names_are_known() {
        let text = "int b; int f(int x) { int a = x; return a; }";
        assert_eq!(removed("c", text, "a", ways), ["int b; int f(int x) { return x; }"]);
    }

    #[test]
    fn a_value_moves_with_the_names_that_it_binds_itself() {
        let text = "const f = (x) => x + 1; function h() { const k = (y) => y; return g(f, k); }";
        let made = "function h() { const k = (y) => y; return g((x) => x + 1, k); }";
        assert_eq!(removed("javascript", text, "f", ways), [made]);
        let made = "const f = (x) => x + 1; function h() { return g(f, (y) => y); }";
        assert_eq!(removed("javascript", text, "k", ways), [made]);
    }

    #[test]
    fn a_function_that_is_called_is_no_value() {
        assert_eq!(removed("javascript", "const f = (x) => x; f(1);", "f", ways), [""; 0]);
    }
}
