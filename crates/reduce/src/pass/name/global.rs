//! What is declared in a function moves to the place before the outermost part around it: the block may be freed by that, and
//! what is known everywhere can be written shorter or take another name's place.

use super::Names;
use super::unname::outside;
use crate::pass::proposal::gain;
use crate::pass::{Builder, Filter, Proposal, Snapshot};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Seam, Span};

/// Proposes for each declaration in a function to move.
pub(in crate::pass) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(Filter::Syntax, Seam::Apart).scattered();
    for layer in &snapshot.layers {
        let Some(names) = Names::new(layer, &snapshot.source) else { continue };
        for &local in &names.shapes.locals {
            builder.choice(&snapshot.source, names.moved_out(local).unwrap_or_default());
        }
    }
    builder.build()
}

impl Names<'_, '_> {
    /// The ways to move a declaration: without the block's brackets where one other member is left, and with them.
    fn moved_out(&self, local: NodeId) -> Option<Vec<Vec<Edit>>> {
        let tree = &self.layer.tree;
        // A block outside of functions goes by itself.
        self.up(local).find(|id| self.bodies.contains_key(id))?;
        let part = self.up(local).find(|&id| tree.node(id).parent == 0).filter(|&part| part != local)?;
        let start = self.span(part).start;
        let insert = |end: &[u8]| Edit::replace(Span::new(start, start), [self.text(local), end].concat());
        let way = |gone: &[Edit]| {
            let with_end = |end: &[u8]| gone.iter().cloned().chain([insert(end)]).collect::<Vec<_>>();
            let on_its_line = with_end(b"\n");
            if gain(self.source, &on_its_line) > (0, 0) { on_its_line } else { with_end(b"") }
        };
        let block = tree.node(local).parent;
        let others: Vec<NodeId> = tree.members(block).filter(|&id| id != local).take(2).collect();
        let freed = match others[..] {
            [other] if !self.bodies.contains_key(&block) => {
                Some(way(&outside(self.span(block), self.span(other))))
            }
            _ => None,
        };
        Some(freed.into_iter().chain([way(&self.removals.edits([local]))]).collect())
    }
}
