//! A target of a pattern that nothing reads goes with the values at its place.
//!
//! It does not ask which values reach which pattern: it takes all lists of values that have as many members, or one of
//! them at a time if there are only a few.

use super::Context;
use super::way::Way;
use nubbin_syntax::NodeId;
use std::collections::BTreeMap;

/// The numbers that were tuned.
struct Tuning {
    /// At most this many targets are tried at each place.
    targets: usize,
    /// Each list of values is also tried alone if there are at most this many of them.
    value_lists: usize,
}

const TUNING: Tuning = Tuning { targets: 8, value_lists: 3 };

/// The patterns and the lists of values that have the same number of members.
#[derive(Default)]
struct Tuples {
    patterns: Vec<Vec<NodeId>>,
    values: Vec<Vec<NodeId>>,
}

/// The targets at one place in all patterns of one length go: each with all values there, each with one value if there
/// are only a few, and all of them together. The result has an entry for each length and place.
pub(super) fn ways(cx: &Context<'_>) -> Vec<Vec<Way>> {
    let mut tuples: BTreeMap<usize, Tuples> = BTreeMap::new();
    for id in cx.symbols.tuples() {
        let members: Vec<NodeId> = cx.tree.members(id).collect();
        // A pattern does not take a list of such lists apart.
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
