//! Removes a parameter of a function template and declares the function parameters of that type with `auto`.
//!
//! ```text
//! template <class A, class B> int f(A a, const B &) { a; }  int x = f(1, 2);
//! // ->
//! template <class A> int f(A a, const auto &) { a; }  int x = f(1, 2);
//! ```

use super::Context;
use super::remove::Subject;
use super::way::Way;
use nubbin_language::{NameKind, Reference};
use nubbin_syntax::edit::Edit;

/// Returns nothing if the parameter has a use other than as the type of a function parameter, or if it is the
/// only parameter of its template: a rule handles that case.
pub(super) fn ways(cx: &Context<'_>, subject: &Subject<'_>) -> Vec<Way> {
    deduced(cx, subject).into_iter().collect()
}

fn deduced(cx: &Context<'_>, subject: &Subject<'_>) -> Option<Way> {
    let form = subject.first.says.forms.deduced.as_deref().filter(|_| subject.symbol.is(NameKind::Type))?;
    let (template, _) = cx.symbols.parameter(subject.first.id)?;
    if !cx.symbols[template].is_generic || subject.is_only_parameter || subject.uses.is_empty() {
        return None;
    }
    let is_type_of_parameter = |one: &&Reference| {
        let around = cx.tree.node(one.id).parent;
        let of = cx.symbols.parameter(one.id).map(|(function, _)| &cx.symbols[function]);
        of.is_some_and(|function| {
            !function.is_generic && cx.symbols.lists_of(function).any(|list| list.contains(&around))
        })
    };
    let uses = subject.uses.iter();
    let edits = uses.clone().map(|one| Edit::replace(cx.span(one.id), form.as_bytes()));
    uses.copied().all(|one| is_type_of_parameter(&one)).then(|| subject.without_definitions(edits))
}

#[cfg(test)]
mod tests {
    use super::super::tests::removed;
    use super::ways;

    #[test]
    fn one_of_several_parameters_of_a_function_template_goes() {
        let text = "template <class A, class B> int f(A a, const B &) { a; } int x = f(1, 2);";
        let made = "template <class A> int f(A a, const auto &) { a; } int x = f(1, 2);";
        assert_eq!(removed("cpp", text, "B", ways), [made]);
    }

    #[test]
    fn a_parameter_with_another_use_stays() {
        let text = "template <class A, class B> int f(A a, B) { B c; } int x = f(1, 2);";
        assert_eq!(removed("cpp", text, "B", ways), [""; 0]);
        let text = "template <class A, class B> struct S { int f(B); };";
        assert_eq!(removed("cpp", text, "A", ways), [""; 0]);
    }
}
