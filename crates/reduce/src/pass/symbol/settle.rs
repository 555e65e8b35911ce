//! Removes a parameter of a specialized template if every use has the same argument for it.
//!
//! ```text
//! template<class T, class U> struct A { T a; };  template<class V> struct A<V, char> { V b; };  A<int, char> c;
//! // ->
//! template<class U> struct A { int a; };  template<> struct A<char> { int b; };  A<char> c;
//! ```

use super::Context;
use super::template::same_given;
use super::way::Way;
use nubbin_language::Symbol;
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::Edit;

/// Replaces the uses of the parameter in the template and its specializations by the argument. Returns `None`
/// if the template has no specializations.
pub(super) fn way(cx: &Context<'_>, template: &Symbol, place: usize) -> Option<Way> {
    let first = same_given(cx, template, place, b"").filter(|_| !template.handed.is_empty())?;
    let mut edits = cx.removals.edits(cx.symbols.parameter_places(template, place));
    let mut replace = |symbol: &Symbol, gone: Option<NodeId>| {
        let stays = |id: NodeId| gone.is_none_or(|gone| !cx.symbols.holds(gone, id));
        let uses = symbol.references.iter().filter(|one| stays(one.id));
        edits.extend(uses.map(|one| Edit::replace(cx.span(one.id), cx.text(first))));
    };
    let mut special = Vec::new();
    for one in &template.definitions {
        let member = *cx.symbols.members(one.parameters).get(place)?;
        if !cx.symbols.is_known_at(first, one.id) || cx.symbols.is_spread(member) {
            return None;
        }
        if let Some(parameter) = cx.symbols.first_defined_in(member) {
            replace(&cx.symbols[parameter], None);
        }
    }
    for one in &template.handed {
        let argument = *cx.symbols.members(one.arguments).get(place)?;
        if cx.text(argument) == cx.text(first) {
            continue;
        }
        let inside = cx.symbols.references_in(argument).next();
        let (_, symbol) = inside.filter(|&(id, _)| cx.span(id) == cx.span(argument))?;
        let symbol = &cx.symbols[symbol];
        let [parameter] = &symbol.definitions[..] else { return None };
        if !cx.symbols.up(one.id).any(|id| id == symbol.scope) || symbol.scope == 0 {
            return None;
        }
        replace(symbol, Some(argument));
        special.push(cx.unit(cx.tree.node(parameter.id).parent)?);
    }
    edits.extend(cx.removals.edits(special));
    Some(edits.into())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{texts, with_context};
    use super::way;

    #[test]
    fn a_parameter_goes_if_every_use_gives_the_same_for_it() {
        let text = "template<class T, class U> struct A { T a; }; template<class V> struct A<V, char> { V b; }; \
            A<int, char> c; A<int, bool> d;";
        let all = with_context("cpp", text, |cx, _| {
            let template = cx.symbols.all().iter().find(|symbol| symbol.is_generic).expect("there is one");
            [0, 1].map(|place| texts(cx, way(cx, template, place).into_iter().collect()))
        });
        let without = "template<class U> struct A { int a; }; template< > struct A<char> { int b; }; \
            A<char> c; A<bool> d;";
        assert_eq!(all, [vec![without.to_owned()], Vec::new()]);
    }
}
