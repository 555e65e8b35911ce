//! Proposes members of lists with their separators, and optional parts. Each node that has some is a group.

use super::part::Parts;
use super::symbol::{Context, section_frames};
use super::uses::UsesBuilder;
use super::{Builder, CandidateFilter, Layer, Proposal, Snapshot};
use nubbin_search::search::GroupKind;
use nubbin_syntax::edit::{Edit, Seam};
use nubbin_syntax::stop;
use nubbin_syntax::{NONE, NodeId};
use std::collections::HashSet;

/// Proposes every part of every node that the grammar allows to remove. Where a constant may stand for any name that goes
/// with it, it does. What begins and ends the sections of a list is left to the pass about jumps.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart);
    for layer in &snapshot.layers {
        let cx = Context::new(snapshot, layer).filter(Context::has_universal);
        let frames = cx.as_ref().map_or_else(HashSet::new, section_frames);
        let constants = |part: NodeId| {
            let edits = || cx.as_ref().map_or_else(Vec::new, |cx| cx.constants_outside(part));
            (!frames.contains(&part)).then(edits)
        };
        let parted = Parted { from: 0, layer, source: &snapshot.source };
        parted.propose(&mut builder, &mut UsesBuilder::default(), &constants);
    }
    builder.build()
}

/// Proposes the same deltas, but a delta that is asked for removes only definitions that nothing outside of it uses,
/// and it also removes the definitions that nothing uses any more then. What leaves constants behind is not asked for.
pub(super) fn unused(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart);
    let mut uses = UsesBuilder::default();
    for layer in &snapshot.layers {
        let cx = Context::new(snapshot, layer);
        let universal = cx.as_ref().filter(|cx| cx.has_universal());
        let frames = universal.map_or_else(HashSet::new, section_frames);
        let others = |part: NodeId| {
            let leaves_constants = universal.is_some_and(|cx| cx.defines_universal(part));
            (!leaves_constants && !frames.contains(&part)).then(Vec::new)
        };
        let parted = Parted { from: 0, layer, source: &snapshot.source };
        let owners = parted.propose(&mut builder, &mut uses, &others);
        if let Some(cx) = cx {
            uses.layer(&cx, &owners, snapshot.is_archive());
        }
    }
    builder.uses(uses.build());
    builder.build()
}

/// The parts of one layer that begin at some place or after it.
pub(super) struct Parted<'p, 'l> {
    pub from: u32,
    pub layer: &'p Layer<'l>,
    pub source: &'p [u8],
}

impl Parted<'_, '_> {
    /// Proposes the parts, each with the edits that go with it; a member of a list without separators for which there are
    /// none is left out. Returns for each node the innermost delta that removes it.
    pub fn propose(
        &self,
        builder: &mut Builder,
        uses: &mut UsesBuilder,
        with: &dyn Fn(NodeId) -> Option<Vec<Edit>>,
    ) -> Vec<u32> {
        let Self { from, layer, source } = *self;
        let tree = &layer.tree;
        let parts = Parts { layer, source };
        let mut owners = vec![NONE; tree.len()];
        for id in stop::all(tree.ids()) {
            let node = tree.node(id);
            if node.parent != NONE && owners[id as usize] == NONE {
                owners[id as usize] = owners[node.parent as usize];
            }
            if node.span.end <= from {
                continue;
            }
            let mut removable = parts.of(id);
            let is_whole = node.span.start >= from;
            if !is_whole {
                // Separators belong to whole lists.
                let is_loose = removable.separators.is_empty();
                removable.members.retain(|part| is_loose && part.span.start >= from);
                removable.optional.retain(|part| part.span.start >= from);
                removable.separators.clear();
            }
            let owner = Some(owners[id as usize]).filter(|&owner| owner != NONE);
            let filler = layer.language.filler(node.kind).filter(|_| is_whole);
            let spans = removable.members.iter().map(|part| tree.node(part.child).span).collect();
            for part in &removable.members {
                let edits = with(part.child);
                if edits.is_none() && removable.separators.is_empty() {
                    continue;
                }
                uses.delta(tree.node(part.child).span, owners[id as usize]);
                let edits = [Edit::delete(part.span)].into_iter().chain(edits.unwrap_or_default());
                owners[part.child as usize] = builder.delta(edits);
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
}
