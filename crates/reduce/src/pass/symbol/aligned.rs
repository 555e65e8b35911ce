//! The members at the same place of lists that belong together go together: a column of an `INSERT` with its values.

use super::Context;
use super::way::Way;
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::Span;

impl Context<'_> {
    /// Lists the sets of lists with their members, as far as these have the same number of them.
    fn aligned(&self) -> impl Iterator<Item = Vec<Vec<NodeId>>> + '_ {
        self.symbols.aligned().map(|lists| {
            let mut lists: Vec<Vec<NodeId>> =
                lists.iter().map(|&id| self.tree.members(id).collect()).collect();
            let count = lists[0].len();
            lists.retain(|members| members.len() == count);
            lists
        })
    }

    /// Adds to a way that takes some members of such lists away the edits that take away what stands at their places in
    /// the others.
    pub(super) fn with_aligned(&self, way: Way) -> Way {
        let mut gone = Vec::new();
        for lists in self.aligned() {
            let is_gone = |&id: &NodeId| goes(&way, self.span(id));
            let places: Vec<usize> =
                (0..lists[0].len()).filter(|&place| lists.iter().any(|list| is_gone(&list[place]))).collect();
            if places.len() < lists[0].len() {
                let others = places.iter().flat_map(|&place| lists.iter().map(move |list| list[place]));
                gone.extend(others.filter(|id| !is_gone(id)));
            }
        }
        if gone.is_empty() {
            return way;
        }
        let mut way = way;
        way.extend(self.removals.edits(gone));
        way
    }
}

/// Tells whether a way takes away all of a span.
fn goes(way: &Way, span: Span) -> bool {
    way.edits().iter().any(|edit| edit.text.is_empty() && edit.span.contains(span))
}

/// Lists the ways by which the members at each place of such lists go.
pub(super) fn ways(cx: &Context<'_>) -> Vec<Way> {
    let mut ways = Vec::new();
    for lists in cx.aligned().filter(|lists| lists.len() > 1 && lists[0].len() > 1) {
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
