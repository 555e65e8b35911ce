//! Turns a parameter pack into a single parameter.
//!
//! ```text
//! template<class... T> void f(T... a) { g(a...); }
//! // ->
//! template<class T> void f(T a) { g(a); }
//! ```

use super::Context;
use super::remove::Subject;
use super::template::is_pack;
use super::way::Way;
use nubbin_syntax::edit::Edit;
use std::collections::BTreeSet;

/// The number of levels around a parameter or argument that are searched for the node that marks it as a pack.
const NEAR: usize = 8;

/// Removes the marks of the pack at all its places, and those of the packs whose types it defines.
pub(super) fn ways(cx: &Context<'_>, subject: &Subject<'_>) -> Vec<Way> {
    let mut marks = BTreeSet::new();
    let mut waiting = vec![subject.symbol];
    let mut seen = BTreeSet::new();
    while let Some(next) = waiting.pop() {
        let definitions = next.definitions.iter().map(|one| one.id);
        for id in definitions.chain(next.references.iter().map(|one| one.id)) {
            let spread = cx.symbols.up(id).take(NEAR).find(|&id| cx.symbols.is_spread(id));
            let Some(spread) = spread else { continue };
            marks.extend(cx.symbols.mark_in(spread));
            // A parameter whose type is a pack is a pack as well.
            let defined = cx.symbols.definitions_in(spread).filter(|&(id, _)| is_pack(cx, id));
            let new = defined.filter(|&(_, symbol)| seen.insert(symbol));
            waiting.extend(new.map(|(_, symbol)| &cx.symbols[symbol]));
        }
    }
    if marks.is_empty() || !subject.symbol.definitions.iter().all(|one| is_pack(cx, one.id)) {
        return Vec::new();
    }
    vec![marks.into_iter().map(|id| Edit::delete(cx.span(id))).collect()]
}

#[cfg(test)]
mod tests {
    use super::super::tests::removed;
    use super::ways;

    #[test]
    fn several_parameters_become_one_with_those_of_their_types() {
        let text = "template<class... T> void f(T... a) { g(a...); }";
        assert_eq!(removed("cpp", text, "T", ways), ["template<class T> void f(T a) { g(a); }"]);
    }
}
