//! Replaces each use of a template by its first type argument.
//!
//! ```text
//! template<class> struct A;  V f(A<V>);
//! // ->
//! V f(V);
//! ```

use super::Context;
use super::remove::Subject;
use super::way::Way;
use nubbin_language::NameKind;
use nubbin_syntax::edit::{Edit, Span};

/// Returns nothing if a use has no arguments.
pub(super) fn ways(cx: &Context<'_>, subject: &Subject<'_>) -> Vec<Way> {
    peeled(cx, subject).map(|edits| subject.without_definitions(edits)).into_iter().collect()
}

fn peeled(cx: &Context<'_>, subject: &Subject<'_>) -> Option<Vec<Edit>> {
    let symbol = subject.symbol;
    if !symbol.is(NameKind::Class) && !symbol.is(NameKind::Type) || !subject.heirs.is_empty() {
        return None;
    }
    let template = cx.symbols.generic_of(subject.first.id)?;
    let mut edits = Vec::new();
    for one in &subject.uses {
        let at = template.references.binary_search_by_key(&one.id, |given| given.id).ok()?;
        let argument = cx.span(*cx.symbols.members(template.references[at].arguments).first()?);
        let whole = cx.span(one.whole);
        edits.push(Edit::delete(Span::new(whole.start, argument.start)));
        edits.push(Edit::delete(Span::new(argument.end, whole.end)));
    }
    Some(edits)
}

#[cfg(test)]
mod tests {
    use super::super::tests::removed;
    use super::ways;

    #[test]
    fn each_use_becomes_its_first_argument() {
        let text = "template<class> struct A; V f(A<V>); A<int> g(A<A<B>>);";
        assert_eq!(removed("cpp", text, "A", ways), ["V f(V); int g(B);"]);
    }

    #[test]
    fn a_template_that_is_named_alone_stays() {
        let text = "template<class> struct A; V f(A<V>); B<A> b;";
        assert_eq!(removed("cpp", text, "A", ways), [""; 0]);
    }
}
