//! Replaces a parameter of a function by its argument if all calls have the same argument.
//!
//! ```text
//! int c(int u, int f) { return b(f); }  int d = c(2, 40) + c(3, 40);
//! // ->
//! int c(int u) { return b(40); }  int d = c(2) + c(3);
//! ```

use super::Context;
use super::way::Way;
use nubbin_language::{Definition, Reference, Symbol, SymbolId};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::Edit;

struct Tuning {
    /// Maximum length of an argument, in bytes.
    bytes: u32,
}

const TUNING: Tuning = Tuning { bytes: 40 };

pub(super) fn ways(cx: &Context<'_>, function: &Symbol) -> Vec<Way> {
    let lists = cx.symbols.lists_of(function).filter(|_| !function.is_generic);
    let count = lists.map(<[_]>::len).max().unwrap_or(0);
    (0..count).filter_map(|place| way(cx, function, place)).collect()
}

/// Recursive calls that pass the parameter on are ignored. Returns `None` if the function has no code or
/// changes the parameter.
fn way(cx: &Context<'_>, function: &Symbol, place: usize) -> Option<Way> {
    let own: Vec<SymbolId> =
        function.definitions.iter().filter_map(|one| parameter(cx, one, place)).collect();
    let code = function.definitions.iter().find_map(|one| one.body.or(one.value))?;
    let argument = same(cx, function, place, &own)?;
    let is_plain = |one: &Reference| one.whole == one.id || one.rest.is_none() && one.element.is_none();
    let uses: Vec<&Reference> = own.iter().flat_map(|&symbol| &cx.symbols[symbol].references).collect();
    let is_changed = own.iter().any(|&symbol| cx.symbols[symbol].definitions.len() > 1);
    if is_changed || uses.is_empty() || !uses.iter().all(|one| is_plain(one)) {
        return None;
    }
    if !cx.symbols.is_known_at(argument, code) || cx.symbols.has_call(argument) {
        return None;
    }
    let places = cx.symbols.parameter_places(function, place);
    let text = cx.bracketed(argument);
    let goes = |id: NodeId| places.iter().any(|&place| cx.symbols.holds(place, id));
    let uses = uses.into_iter().filter(|one| !goes(one.id));
    let instead: Vec<Edit> = uses.map(|one| Edit::replace(cx.span(one.id), cx.written(one, &text))).collect();
    Some(cx.removals.edits(places.iter().copied()).into_iter().chain(instead).collect())
}

/// Returns the parameter at a position of a definition.
fn parameter(cx: &Context<'_>, one: &Definition, place: usize) -> Option<SymbolId> {
    cx.symbols.first_defined_in(*cx.symbols.members(one.parameters).get(place)?)
}

/// Returns the argument of all calls, except those that pass the parameter on.
fn same(cx: &Context<'_>, function: &Symbol, place: usize, own: &[SymbolId]) -> Option<NodeId> {
    let mut first: Option<NodeId> = None;
    for call in function.calls() {
        let argument = cx.symbols.given(function, call, place)?;
        if cx.symbols.referred_at(argument).is_some_and(|symbol| own.contains(&symbol)) {
            continue;
        }
        if cx.span(argument).len() > TUNING.bytes {
            return None;
        }
        let known = *first.get_or_insert(argument);
        if cx.text(known) != cx.text(argument) {
            return None;
        }
    }
    first
}

#[cfg(test)]
mod tests {
    use super::super::tests::rewritten;
    use super::way;

    #[test]
    fn what_all_calls_give_takes_the_place_of_the_parameter() {
        let text =
            "int c(int u, int f) { if (u) return c(u - 1, f); return b(f); } int d = c(2, 40) + c(3, 40);";
        let made = "int c(int u) { if (u) return c(u - 1); return b(40); } int d = c(2) + c(3);";
        assert_eq!(rewritten("c", text, "c", |cx, one| way(cx, one, 1).into_iter().collect()), [made]);
        assert_eq!(rewritten("c", text, "c", |cx, one| way(cx, one, 0).into_iter().collect()), [""; 0]);
    }

    #[test]
    fn a_parameter_that_changes_and_names_that_are_not_known_stay() {
        let text = "int c(int f) { f = 2; return f; } int d = c(40);";
        assert_eq!(rewritten("c", text, "c", |cx, one| way(cx, one, 0).into_iter().collect()), [""; 0]);
        let text = "int c(int f) { return f; } int d(int e) { return c(e); }";
        assert_eq!(rewritten("c", text, "c", |cx, one| way(cx, one, 0).into_iter().collect()), [""; 0]);
    }
}
