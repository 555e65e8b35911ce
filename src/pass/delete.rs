//! Members of lists with their separators, and optional parts: a group for each node that has some.

use super::part::Parts;
use super::{Builder, Filter, Layer, Proposal, Snapshot};
use crate::edit::{Edit, Seam};
use crate::search::Kind;
use crate::syntax::NONE;

/// Proposes every part of every node that the grammar lets go.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(Filter::Syntax, Seam::Apart);
    for layer in &snapshot.layers {
        propose_layer(&mut builder, layer, &snapshot.source);
    }
    builder.build()
}

fn propose_layer(builder: &mut Builder, layer: &Layer<'_>, source: &[u8]) {
    let tree = &layer.tree;
    let parts = Parts { layer, source };
    // For each node, the innermost delta that takes it away.
    let mut owners = vec![NONE; tree.len()];
    for id in tree.ids() {
        let parent = tree.node(id).parent;
        if parent != NONE && owners[id as usize] == NONE {
            owners[id as usize] = owners[parent as usize];
        }
        let removable = parts.of(id);
        let owner = Some(owners[id as usize]).filter(|&owner| owner != NONE);
        let filler = layer.language.filler(tree.node(id).kind);
        let spans = removable.members.iter().map(|part| tree.node(part.child).span).collect();
        for part in &removable.members {
            owners[part.child as usize] = builder.delta([Edit::delete(part.span)]);
        }
        builder.close_list(owner, removable.separators, filler.map(|text| (text, spans)));
        for part in &removable.optional {
            owners[part.child as usize] = builder.delta([Edit::delete(part.span)]);
        }
        builder.close(Kind::Set, owner);
    }
}
