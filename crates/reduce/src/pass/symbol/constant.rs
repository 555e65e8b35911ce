//! Replaces each use of a symbol by a constant and removes its definitions.
//!
//! ```text
//! int a = 1;  int f() { a = 2; return a; }
//! // ->
//! int f() { 2; return 0; }
//! ```

use super::Context;
use super::remove::Subject;
use super::text::lossy;
use super::way::Way;
use nubbin_language::{Definition, NameKind, Symbol};
use nubbin_syntax::edit::{Edit, Span};

/// The first alternative keeps initial values that contain a call, as statements.
pub(super) fn ways(cx: &Context<'_>, subject: &Subject<'_>) -> Vec<Way> {
    let Some(text) = cx.constant(subject.first).filter(|_| subject.heirs.is_empty()) else {
        return Vec::new();
    };
    let text = text.replace("{name}", &lossy(&subject.symbol.text));
    let constants = cx.constants(&subject.uses, text.as_bytes());
    let with_values =
        spared(cx, subject.symbol).map(|values| constants.iter().cloned().chain(values).collect());
    let without = subject.without_definitions(constants.iter().cloned());
    with_values.into_iter().chain([without]).collect()
}

/// Removes the definitions, except values that contain a call.
fn spared(cx: &Context<'_>, symbol: &Symbol) -> Option<Vec<Edit>> {
    let calls = |one: &Definition| one.value.filter(|&value| cx.symbols.has_call(value));
    if !symbol.is(NameKind::Variable) || !symbol.definitions.iter().any(|one| calls(one).is_some()) {
        return None;
    }
    let mut edits = Vec::new();
    for one in &symbol.definitions {
        let unit = cx.definition_unit(one.whole).filter(|&unit| cx.symbols.is_statement(unit))?;
        match calls(one) {
            Some(value) => {
                edits.push(Edit::delete(Span::new(cx.span(unit).start, cx.span(value).start)));
            }
            None => edits.extend(cx.removals.edits([unit])),
        }
    }
    Some(edits)
}

#[cfg(test)]
mod tests {
    use super::super::tests::removed;
    use super::ways;

    #[test]
    fn a_constant_takes_the_place_of_reads_and_values_stay() {
        let text = "int a = 1; int f() { a = 2; return a; }";
        assert_eq!(removed("c", text, "a", ways), ["int f() { 2; return 0; }"]);
    }

    #[test]
    fn a_value_that_calls_something_may_stay() {
        let text = "a = f(1)\nb = a\n";
        assert_eq!(removed("python", text, "a", ways), ["f(1)\nb = 0\n", "b = 0\n"]);
    }
}
