//! Proposes comments, all of them as one group.

use super::{Builder, CandidateFilter, Proposal, Snapshot};
use nubbin_search::search::GroupKind;
use nubbin_syntax::deletion_span;
use nubbin_syntax::edit::{Edit, Seam};
use nubbin_syntax::stop;

/// Proposes each comment: each named node that the grammar declares as extra.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart);
    for layer in &snapshot.layers {
        for id in stop::all(layer.tree.ids()) {
            let node = layer.tree.node(id);
            if node.is_extra() && node.is_named() && !node.is_error() && !node.span.is_empty() {
                builder.delta([Edit::delete(deletion_span(&snapshot.source, node.span))]);
            }
        }
    }
    builder.close(GroupKind::Set, None);
    builder.build()
}
