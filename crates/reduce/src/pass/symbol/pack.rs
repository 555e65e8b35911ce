//! A parameter that stands for several becomes one.

use super::Context;
use super::remove::Subject;
use super::template::is_pack;
use super::way::Way;
use nubbin_syntax::edit::Edit;
use std::collections::BTreeSet;

/// The node that marks a parameter or an argument as several is looked for in this many levels around it.
const NEAR: usize = 8;

/// The parameter loses the marks that make it several, at all of its places; so do the parameters whose types it gives.
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
            // Parameters of several types are several, too.
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
