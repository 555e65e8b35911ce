//! Single tokens and pairs of brackets, whether or not the rest is well formed.

use super::{Builder, Filter, Proposal, Snapshot};
use crate::edit::{Edit, Seam};
use crate::syntax::deletion_span;

/// Proposes each leaf by itself, and the tokens at the two ends of a node together.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(Filter::Nothing, Seam::Apart);
    let delete = |span| Edit::delete(deletion_span(&snapshot.source, span));
    for layer in &snapshot.layers {
        for id in layer.tree.ids() {
            let children: Vec<_> = layer.tree.children(id).collect();
            let [first, .., last] = children[..] else { continue };
            let (first, last) = (layer.tree.node(first), layer.tree.node(last));
            if children.len() > 2 && !first.is_named() && !last.is_named() {
                builder.single([delete(first.span), delete(last.span)]);
            }
        }
    }
    for (layer, id) in snapshot.leaves() {
        builder.single([delete(layer.tree.node(id).span)]);
    }
    builder.build()
}
