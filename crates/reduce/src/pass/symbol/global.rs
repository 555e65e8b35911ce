//! Moves a declaration out of its function.
//!
//! ```text
//! int f() { { int a; return a; } }
//! // ->
//! int a;
//! int f() { return a; }
//! ```
//!
//! The block can then lose its braces, and a global symbol can get a shorter name or replace another one.

use super::Context;
use super::text::outside;
use super::way::Way;
use crate::pass::proposal::gain;
use crate::pass::{Builder, CandidateFilter, Proposal, Snapshot};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Seam, Span};

/// Proposes to move each declaration that is inside a function.
pub(in crate::pass) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart).scattered();
    for cx in Context::all(snapshot) {
        for &local in &cx.symbols.shapes().locals {
            cx.choice(&mut builder, ways(&cx, local).unwrap_or_default());
        }
    }
    builder.build()
}

/// Lists the alternatives: one also removes the braces of the block if one other member stays in it, the other
/// keeps them.
fn ways(cx: &Context<'_>, local: NodeId) -> Option<Vec<Way>> {
    let tree = cx.tree;
    // Other passes remove blocks outside functions.
    cx.symbols.up(local).find(|&id| cx.symbols.function_of(id).is_some())?;
    let part = cx.symbols.up(local).find(|&id| tree.node(id).parent == 0).filter(|&part| part != local)?;
    let start = cx.span(part).start;
    let insert = |end: &[u8]| Edit::replace(Span::new(start, start), [cx.text(local), end].concat());
    let way = |gone: &[Edit]| {
        let with_end = |end: &[u8]| -> Way { gone.iter().cloned().chain([insert(end)]).collect() };
        let on_its_line = with_end(b"\n");
        if gain(cx.source, on_its_line.edits()) > (0, 0) { on_its_line } else { with_end(b"") }
    };
    let block = tree.node(local).parent;
    let others: Vec<NodeId> = tree.members(block).filter(|&id| id != local).take(2).collect();
    let freed = match others[..] {
        [other] if cx.symbols.function_of(block).is_none() => {
            Some(way(&outside(cx.span(block), cx.span(other))))
        }
        _ => None,
    };
    Some(freed.into_iter().chain([way(&cx.removals.edits([local]))]).collect())
}

#[cfg(test)]
mod tests {
    use super::super::tests::proposed;
    use super::propose;

    #[test]
    fn a_declaration_moves_and_may_free_its_block() {
        let text = "int f() { { int a; return a; } }";
        assert_eq!(
            proposed("c", text, propose),
            ["int a;\nint f() { return a; }", "int a;int f() { { return a; } }"]
        );
    }
}
