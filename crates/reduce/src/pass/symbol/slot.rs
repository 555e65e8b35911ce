//! Removes an unused target of a pattern together with the values at its position.
//!
//! ```text
//! def f(): return 1, 2
//! a, b = f()
//! print(a)
//! // ->
//! def f(): return 1
//! a = f()
//! print(a)
//! ```
//!
//! The flow of values is not analysed: all lists of values with the same number of members are changed, or each
//! of them alone if there are only a few.

use super::Context;
use super::way::Way;
use nubbin_syntax::NodeId;
use std::collections::BTreeMap;

struct Tuning {
    /// Maximum number of targets that are tried at each position.
    targets: usize,
    /// Each list of values is also changed alone if there are at most this many.
    value_lists: usize,
}

const TUNING: Tuning = Tuning { targets: 8, value_lists: 3 };

/// The patterns and the lists of values that have the same number of members.
#[derive(Default)]
struct Tuples {
    patterns: Vec<Vec<NodeId>>,
    values: Vec<Vec<NodeId>>,
}

/// Removes the unused targets at one position of the patterns of one length: each target with all values at
/// that position, each target with a single value if there are only a few, and all targets together. The result
/// has an entry for each length and position.
pub(super) fn ways(cx: &Context<'_>) -> Vec<Vec<Way>> {
    let mut tuples: BTreeMap<usize, Tuples> = BTreeMap::new();
    for id in cx.symbols.tuples() {
        let members: Vec<NodeId> = cx.tree.members(id).collect();
        // A list of such lists is not a value of the pattern.
        let is_like = |&id: &NodeId| cx.symbols.is_tuple(id) && cx.tree.members(id).count() == members.len();
        if members.iter().any(is_like) {
            continue;
        }
        let is_pattern = members.iter().any(|&id| cx.symbols.defined_at(id).is_some());
        let of = tuples.entry(members.len()).or_default();
        if is_pattern { &mut of.patterns } else { &mut of.values }.push(members);
    }
    let places = tuples.iter().flat_map(|(&length, of)| (0..length).map(move |place| (of, place)));
    places
        .filter(|(of, _)| of.values.len() + of.patterns.len() > 1)
        .map(|(of, place)| ways_at(cx, of, place))
        .collect()
}

fn ways_at(cx: &Context<'_>, tuples: &Tuples, place: usize) -> Vec<Way> {
    let is_unread = |pattern: &&Vec<NodeId>| {
        let symbol = cx.symbols.defined_at(pattern[place]);
        symbol.is_some_and(|symbol| cx.symbols[symbol].references.is_empty())
    };
    let unread: Vec<NodeId> =
        tuples.patterns.iter().filter(is_unread).map(|pattern| pattern[place]).collect();
    if unread.is_empty() || tuples.patterns[0].len() < 2 {
        return Vec::new();
    }
    let values: Vec<NodeId> = tuples.values.iter().map(|value| value[place]).collect();
    let without = |nodes: &[NodeId]| Way::from(cx.removals.edits(nodes.iter().copied()));
    let mut ways = Vec::new();
    for &target in unread.iter().take(TUNING.targets) {
        ways.push(without(&[&values[..], &[target]].concat()));
        if values.len() > 1 && values.len() <= TUNING.value_lists {
            ways.extend(values.iter().map(|&value| without(&[target, value])));
        }
    }
    if unread.len() > 1 {
        ways.push(without(&[values, unread].concat()));
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::super::tests::{texts, with_context};
    use super::ways;

    #[test]
    fn a_target_that_nobody_reads_goes_with_the_values_at_its_place() {
        let text = "def f():\n    return 1, 2\na, b = f()\nprint(a)\n";
        let all = with_context("python", text, |cx, _| {
            ways(cx).into_iter().map(|at| texts(cx, at)).collect::<Vec<_>>()
        });
        assert_eq!(all, [vec![], vec!["def f():\n    return 1\na = f()\nprint(a)\n".to_owned()]]);
    }
}
