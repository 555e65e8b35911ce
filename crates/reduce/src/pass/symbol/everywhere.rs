//! Removes a symbol together with the smallest removable part around each of its uses.
//!
//! ```text
//! int a;  int f() { a = 1; g(2, a); }
//! // ->
//! int f() { ; g(2); }
//! ```

use super::remove::Subject;
use super::way::Way;
use super::{Context, construct};
use nubbin_syntax::NodeId;

/// Returns nothing if one removed part contains all the others: `delete-nodes` proposes that.
pub(super) fn ways(cx: &Context<'_>, subject: &Subject<'_>) -> Vec<Way> {
    let units: Option<Vec<NodeId>> = subject.uses.iter().map(|one| cx.unit(one.whole)).collect();
    let all = units.map(|units| [units, subject.parts.clone()].concat());
    let all = all.filter(|all| cx.cover(all).len() != 1);
    let arguments = construct::arguments(cx, subject.first.id);
    all.map(|all| cx.taken_away(all).into_iter().chain(arguments).collect()).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::removed;
    use super::ways;

    #[test]
    fn the_smallest_parts_around_all_uses_go() {
        let text = "int a; int f() { a = 1; g(2, a); }";
        assert_eq!(removed("c", text, "a", ways), ["int f() { ; g(2); }"]);
    }
}
