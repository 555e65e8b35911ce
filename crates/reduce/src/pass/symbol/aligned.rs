//! Removes the members at one position of lists that belong together, such as a column of an `INSERT` and its
//! values.
//!
//! ```text
//! INSERT INTO t (a, b) VALUES (1, 2), (3, 4);
//! // ->
//! INSERT INTO t (b) VALUES (2), (4);
//! ```

use super::Context;
use super::way::Way;
use nubbin_syntax::NodeId;
use std::collections::BTreeSet;

impl Context<'_> {
    /// Returns the members of those lists that are as long as the first one.
    fn columns(&self, lists: &BTreeSet<NodeId>) -> Vec<Vec<NodeId>> {
        let mut lists: Vec<Vec<NodeId>> = lists.iter().map(|&id| self.tree.members(id).collect()).collect();
        let count = lists.first().map_or(0, Vec::len);
        lists.retain(|members| members.len() == count);
        lists
    }

    /// If the way deletes members of aligned lists, adds the edits that delete the members at the same
    /// positions of the other lists.
    pub(super) fn with_aligned(&self, mut way: Way) -> Way {
        if self.symbols.aligned().next().is_none() {
            return way;
        }
        let spans = way.spans(|edit| edit.text.is_empty());
        let is_gone = |&id: &NodeId| spans.hold(self.span(id));
        let inside = spans.iter().flat_map(|span| self.tree.starting_in(span)).filter(is_gone);
        let sets: BTreeSet<&BTreeSet<NodeId>> =
            inside.filter_map(|id| self.symbols.aligned_with(self.tree.node(id).parent)).collect();
        let mut others = Vec::new();
        for lists in sets {
            let lists = self.columns(lists);
            let goes = |place: &usize| lists.iter().any(|list| is_gone(&list[*place]));
            let places: Vec<usize> = (0..lists[0].len()).filter(goes).collect();
            if places.len() < lists[0].len() {
                let all = places.iter().flat_map(|&place| lists.iter().map(move |list| list[place]));
                others.extend(all.filter(|id| !is_gone(id)));
            }
        }
        way.extend(self.removals.edits(others));
        way
    }
}

/// Proposes, for each position of each group of aligned lists, to remove the members there.
pub(super) fn ways(cx: &Context<'_>) -> Vec<Way> {
    let mut ways = Vec::new();
    let sets = cx.symbols.aligned().map(|lists| cx.columns(lists));
    for lists in sets.filter(|lists| lists.len() > 1 && lists[0].len() > 1) {
        let at = |place: usize| Way::from(cx.removals.edits(lists.iter().map(|list| list[place])));
        ways.extend((0..lists[0].len()).map(at));
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::super::tests::{proposed, texts, with_context};
    use super::ways;

    const TEXT: &str = "CREATE TABLE t (a int, b int);\nINSERT INTO t (a, b) VALUES (1, 2), (3, 4);\n";

    #[test]
    fn a_column_goes_with_its_values() {
        let made = with_context("sql", TEXT, |cx, _| texts(cx, ways(cx)));
        let table = "CREATE TABLE t (a int, b int);\n";
        let first = format!("{table}INSERT INTO t (b) VALUES (2), (4);\n");
        let second = format!("{table}INSERT INTO t (a) VALUES (1), (3);\n");
        assert_eq!(made, [first, second]);
    }

    #[test]
    fn a_column_of_a_table_goes_with_its_values() {
        let made = proposed("sql", TEXT, super::super::remove);
        let expected = "CREATE TABLE t (b int);\nINSERT INTO t (b) VALUES (2), (4);\n".to_owned();
        assert!(made.contains(&expected), "{made:?}");
    }
}
