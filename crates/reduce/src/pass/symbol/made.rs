//! Replaces a parameter by a value that is constructed from its type alone.
//!
//! ```text
//! struct K {};  int f(K k) { return k < k; }  int x = f(K());
//! // ->
//! struct K {};  int f() { return K() < K(); }  int x = f();
//! ```

use super::Context;
use super::remove::Subject;
use super::text::lossy;
use super::way::Way;
use nubbin_language::{Definition, NameKind, Reference, SymbolId};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Span};

/// If the argument of the function's template was deduced from the parameter, each call states it explicitly.
pub(super) fn ways(cx: &Context<'_>, subject: &Subject<'_>) -> Vec<Way> {
    made(cx, subject).into_iter().collect()
}

fn made(cx: &Context<'_>, subject: &Subject<'_>) -> Option<Way> {
    let uses = values(cx, subject.only().filter(|_| subject.symbol.is(NameKind::Variable))?, &subject.uses)?;
    Some(subject.without_definitions(uses.into_iter().chain(said(cx, subject.first)?)))
}

/// Replaces uses of a parameter by such a value; `None` if the type of the parameter is not defined in the
/// text, or if the parameter is assigned.
pub(super) fn values(cx: &Context<'_>, one: &Definition, uses: &[&Reference]) -> Option<Vec<Edit>> {
    let (form, kind) = (one.says.forms.made.as_deref()?, one.type_of?);
    let of_type = named(cx, kind)?;
    if cx.symbols[of_type].definitions.is_empty() || uses.iter().any(|one| one.rest.is_some()) {
        return None;
    }
    let text = form.replace("{type}", &lossy(cx.text(kind)));
    Some(uses.iter().map(|one| Edit::replace(cx.span(one.id), text.as_bytes())).collect())
}

/// Returns the symbol that a type begins with.
fn named(cx: &Context<'_>, kind: NodeId) -> Option<SymbolId> {
    cx.symbols.references_in(kind).next().map(|(_, symbol)| symbol)
}

/// Adds the template argument to all calls of a function if it was deduced from this parameter. Returns `None`
/// if that is impossible, and no edits if the type of the parameter is not a parameter of the template.
pub(super) fn said(cx: &Context<'_>, parameter: &Definition) -> Option<Vec<Edit>> {
    let (function, place) = cx.symbols.parameter(parameter.id)?;
    let (function, of_type) = (&cx.symbols[function], named(cx, parameter.type_of?)?);
    let first = function.definitions.first()?;
    let Some(template) = cx.symbols.generic_of(first.id) else { return Some(Vec::new()) };
    let list = cx.symbols.lists_of(template).next()?;
    let is_its = |&member: &NodeId| cx.symbols.first_defined_in(member) == Some(of_type);
    if !list.iter().any(is_its) {
        return Some(Vec::new());
    }
    let form = first.says.forms.explicit.as_deref().filter(|_| list.len() == 1)?;
    let silent = function
        .references
        .iter()
        .filter(|one| template.reference(one.id).is_none_or(|one| one.arguments.is_none()));
    let say = |one: &Reference| {
        let kind = kind_of(cx, cx.symbols.given(function, one, place)?)?;
        let end = cx.span(one.id).end;
        Some(Edit::replace(Span::new(end, end), form.replace("{type}", &lossy(kind)).into_bytes()))
    };
    silent.map(say).collect()
}

/// Returns the type of an expression: the type of a variable, or the type that a value is constructed from.
fn kind_of<'c>(cx: &Context<'c>, expression: NodeId) -> Option<&'c [u8]> {
    if let Some(symbol) = cx.symbols.referred_at(expression) {
        return Some(cx.text(cx.symbols[symbol].definitions.first()?.type_of?));
    }
    let text = cx.text(expression);
    let kind = text.strip_suffix(b"{}").or_else(|| text.strip_suffix(b"()"))?;
    let (id, _) = cx.symbols.references_in(expression).next()?;
    (cx.span(id).start == cx.span(expression).start).then_some(kind)
}

#[cfg(test)]
mod tests {
    use super::super::tests::removed;
    use super::ways;

    #[test]
    fn a_value_of_its_type_takes_the_place_of_a_parameter() {
        let text = "struct K {}; int f(K k) { return k < k; } int x = f(K());";
        assert_eq!(
            removed("cpp", text, "k", ways),
            ["struct K {}; int f() { return K() < K(); } int x = f();"]
        );
    }

    #[test]
    fn calls_say_the_argument_of_a_template() {
        let text = "template <class a> int f(a b) { b < b; } template <class c> int g(c d) { f(d); } int x = f(K{});";
        let made = "template <class a> int f() { a() < a(); } template <class c> int g(c d) { f<c>(); } int x = f<K>();";
        assert_eq!(removed("cpp", text, "b", ways), [made]);
    }

    #[test]
    fn a_parameter_whose_type_calls_do_not_tell_stays() {
        let text = "template <class a> int f(a b) { b < b; } int x = f(y + 1);";
        assert_eq!(removed("cpp", text, "b", ways), [""; 0]);
        assert_eq!(removed("cpp", "int f(int b) { b < b; } int x = f(1);", "b", ways), [""; 0]);
    }
}
