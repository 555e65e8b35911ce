//! Proposes members of lists with their separators, and optional parts. Each node that has some is a group.

use super::part::Parts;
use super::symbol::Context;
use super::uses::UsesBuilder;
use super::{Builder, CandidateFilter, Layer, Proposal, Snapshot};
use nubbin_search::search::GroupKind;
use nubbin_syntax::NONE;
use nubbin_syntax::edit::{Edit, Seam};
use nubbin_syntax::stop;

/// Proposes every part of every node that the grammar allows to remove.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart);
    for layer in &snapshot.layers {
        propose_layer(&mut builder, &mut UsesBuilder::default(), layer, &snapshot.source);
    }
    builder.build()
}

/// Proposes the same deltas, but a delta that is asked for removes only definitions that nothing outside of it uses,
/// and it also removes the definitions that nothing uses any more then.
pub(super) fn unused(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart);
    let mut uses = UsesBuilder::default();
    for layer in &snapshot.layers {
        let owners = propose_layer(&mut builder, &mut uses, layer, &snapshot.source);
        if let Some(cx) = Context::new(snapshot, layer) {
            uses.layer(&cx, &owners, snapshot.is_archive());
        }
    }
    builder.uses(uses.build());
    builder.build()
}

/// Proposes the parts of one layer. Returns for each node the innermost delta that removes it.
fn propose_layer(
    builder: &mut Builder,
    uses: &mut UsesBuilder,
    layer: &Layer<'_>,
    source: &[u8],
) -> Vec<u32> {
    let tree = &layer.tree;
    let parts = Parts { layer, source };
    let mut owners = vec![NONE; tree.len()];
    for id in stop::all(tree.ids()) {
        let parent = tree.node(id).parent;
        if parent != NONE && owners[id as usize] == NONE {
            owners[id as usize] = owners[parent as usize];
        }
        let removable = parts.of(id);
        let owner = Some(owners[id as usize]).filter(|&owner| owner != NONE);
        let filler = layer.language.filler(tree.node(id).kind);
        let spans = removable.members.iter().map(|part| tree.node(part.child).span).collect();
        for part in &removable.members {
            uses.delta(tree.node(part.child).span, owners[id as usize]);
            owners[part.child as usize] = builder.delta([Edit::delete(part.span)]);
        }
        builder.close_list(owner, removable.separators, filler.map(|text| (text, spans)));
        for part in &removable.optional {
            uses.delta(tree.node(part.child).span, owners[id as usize]);
            owners[part.child as usize] = builder.delta([Edit::delete(part.span)]);
        }
        builder.close(GroupKind::Set, owner);
    }
    owners
}
