//! Removes a symbol, all references to it, and all references to the symbols that are removed with those.
//!
//! ```text
//! struct a { int x; };  struct a *b;  int f() { g(b); h(); }
//! // ->
//! ;  int f() { g(); h(); }
//! ```

use super::Context;
use super::cover::Cover;
use super::remove::Subject;
use super::way::Way;
use nubbin_language::{Symbol, SymbolId};
use nubbin_syntax::NodeId;
use std::collections::HashSet;

/// Returns nothing if no symbol is defined around a reference.
pub(super) fn ways(cx: &Context<'_>, subject: &Subject<'_>) -> Vec<Way> {
    let gone = subject.room.look(|left| reached(cx, subject.id, &subject.parts, left));
    let gone = gone.filter(|gone| gone.len() > 1);
    gone.map(|gone| cx.taken_away(gone.nodes()).into()).into_iter().collect()
}

/// Finds all nodes to remove; `None` if that takes more than `left` steps. A step is a node of the result or a
/// reference to a symbol that is defined in it.
fn reached(cx: &Context<'_>, id: SymbolId, parts: &[NodeId], left: &mut usize) -> Option<Cover> {
    let after = |id: NodeId| cx.tree.node(id).after;
    let mut gone = cx.cover(parts);
    let mut seen = HashSet::from([id]);
    let mut waiting = vec![id];
    let mut goes_on = false;
    while let Some(next) = waiting.pop() {
        for one in &cx.symbols[next].references {
            *left = left.checked_sub(1)?;
            if gone.holds(one.whole) {
                continue;
            }
            let unit = cx.unit(one.whole)?;
            *left = left.checked_sub((after(unit) - unit) as usize)?;
            gone.add(unit, after(unit));
            let goes = |symbol: &Symbol| {
                !cx.symbols.holds(unit, symbol.scope)
                    && symbol.definitions.iter().all(|one| cx.symbols.holds(unit, one.id))
                    && symbol.references.iter().any(|one| !cx.symbols.holds(unit, one.id))
            };
            for (_, symbol) in cx.symbols.definitions_in(unit) {
                if !seen.contains(&symbol) && goes(&cx.symbols[symbol]) {
                    seen.insert(symbol);
                    waiting.push(symbol);
                    goes_on = true;
                }
            }
        }
    }
    goes_on.then_some(gone)
}

#[cfg(test)]
mod tests {
    use super::super::tests::removed;
    use super::ways;

    #[test]
    fn what_refers_to_what_goes_goes_too() {
        let text = "struct a { int x; }; struct a *b; int f() { g(b); h(); }";
        assert_eq!(removed("c", text, "a", ways), ["; int f() { g(); h(); }"]);
    }

    #[test]
    fn no_way_leads_on_if_nothing_is_defined_there() {
        let text = "int a; int f() { g(a); h(); }";
        assert_eq!(removed("c", text, "a", ways), [""; 0]);
    }
}
