//! Replaces a structure that has one member by that member.
//!
//! ```text
//! struct s { int a; };  struct s b;  int f() { return b.a; }
//! // ->
//! int b;  int f() { return b; }
//! ```

use super::Context;
use super::remove::Subject;
use super::way::Way;
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Span};

/// Replaces the structure type by the type of its member, and accesses to the member by the object. The
/// alternatives rewrite all accesses, only the outermost ones, or only the innermost ones.
pub(super) fn ways(cx: &Context<'_>, subject: &Subject<'_>) -> Vec<Way> {
    dissolved(cx, subject).unwrap_or_default()
}

fn dissolved(cx: &Context<'_>, subject: &Subject<'_>) -> Option<Vec<Way>> {
    let one = subject.only()?;
    let (only, value) = (one.only?, one.only_type?);
    let member = &cx.symbols[cx.symbols.defined_at(only)?];
    let unit = cx.definition_unit(one.whole)?;
    let text = cx.text(value);
    let members = member.references.iter();
    let mut accesses: Vec<(NodeId, NodeId)> =
        members.filter_map(|one| Some((one.whole, one.object?))).collect();
    accesses.sort_unstable();
    let types = subject.symbol.references.iter().filter(|one| !cx.symbols.holds(unit, one.id));
    let mut both: Vec<Edit> = types.map(|one| Edit::replace(cx.span(one.whole), text)).collect();
    both.extend(cx.removals.edits([unit]));
    // Nested accesses are sorted so that an outer one comes before the accesses inside it.
    let mut end = 0;
    let mut is_outer = Vec::new();
    for &(whole, _) in &accesses {
        is_outer.push(whole >= end);
        end = end.max(cx.tree.node(whole).after);
    }
    let is_inner =
        |i: usize| accesses.get(i + 1).is_none_or(|&(next, _)| !cx.symbols.holds(accesses[i].0, next));
    let way = |fits: &dyn Fn(usize) -> bool| -> Way {
        let gone = accesses.iter().enumerate().filter(|(i, _)| fits(*i));
        let gone = gone
            .map(|(_, &(whole, object))| Edit::delete(Span::new(cx.span(object).end, cx.span(whole).end)));
        both.iter().cloned().chain(gone).collect()
    };
    Some(vec![way(&|_| true), way(&|i| is_outer[i]), way(&is_inner)])
}

#[cfg(test)]
mod tests {
    use super::super::tests::removed;
    use super::ways;

    #[test]
    fn the_only_member_takes_the_place_of_its_aggregate() {
        let text = "struct s { int a; }; struct s b; int f() { return b.a; }";
        assert_eq!(
            removed("c", text, "s", ways),
            [
                "; int b; int f() { return b; }",
                "; int b; int f() { return b; }",
                "; int b; int f() { return b; }"
            ]
        );
    }
}
