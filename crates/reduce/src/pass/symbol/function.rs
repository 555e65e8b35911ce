//! Lists the functions that a text defines, with their names and spans.

use super::Context;
use crate::pass::Snapshot;
use nubbin_language::{Language, NameQuery};
use nubbin_syntax::Parser;
use nubbin_syntax::edit::Span;

/// Lists the functions that a text defines, including those in embedded languages. The span of a function
/// includes everything that is removed with it. Returns `None` if the language does not define functions.
#[must_use]
pub fn functions(language: &Language, source: &[u8]) -> Option<Vec<(Vec<u8>, Span)>> {
    let parsed = Parser::new(language.grammar()).parse(source);
    let snapshot = Snapshot::new(source.into(), language, parsed);
    let mut functions: Option<Vec<_>> = None;
    let defines_functions = |cx: &Context<'_>| cx.layer.language.names().is_some_and(NameQuery::has_bodies);
    for cx in Context::all(&snapshot).filter(defines_functions) {
        let all = functions.get_or_insert_default();
        for symbol in cx.symbols.all() {
            for definition in &symbol.definitions {
                let Some(body) = definition.body else { continue };
                let (own, body) = (cx.span(definition.id), cx.span(body));
                let holds_both = |span: Span| span.contains(own) && span.contains(body);
                let member = cx.member(definition).map(|id| cx.span(id));
                let around = cx.symbols.up(definition.id).map(|id| cx.span(id));
                let whole = member.into_iter().chain(around).find(|span| holds_both(*span));
                all.extend(whole.map(|span| (symbol.text.to_vec(), span)));
            }
        }
    }
    functions
}

#[cfg(test)]
mod tests {
    use super::functions;
    use nubbin_language::Registry;

    #[test]
    fn functions_are_found_by_their_names_with_all_that_goes_with_them() {
        let text = b"class A:\n    def f(self):\n        pass\n\ndef g():\n    pass\n";
        let python = Registry::built_in().get("python").expect("it is built in");
        let found = functions(python, text).expect("Python says what a name is");
        let found: Vec<(&[u8], &[u8])> =
            found.iter().map(|(name, span)| (&name[..], span.of(text))).collect();
        assert_eq!(found, [(&b"f"[..], &b"def f(self):\n        pass"[..]), (b"g", b"def g():\n    pass")]);
    }

    #[test]
    fn a_language_without_functions_has_none_to_name() {
        let json = Registry::built_in().get("json").expect("it is built in");
        assert_eq!(functions(json, b"{\"a\": 1}"), None);
    }
}
