//! Proposes edits at many levels of deeply nested text at once.
//!
//! Deeply nested text is typically a chain with little on each level. The other passes try one level after the other,
//! and one probe for each of hundreds of levels takes long. This pass edits many levels in one probe. Hierarchical
//! delta debugging, by contrast, groups all nodes of one level (Misherghi and Su, ICSE 2006).

use super::hoist::hoist;
use super::part::Parts;
use super::rule::{Time, rewritings};
use super::{Builder, CandidateFilter, Layer, Proposal, Snapshot};
use nubbin_search::search::GroupKind;
use nubbin_syntax::edit::{Edit, Seam, Span};
use nubbin_syntax::{NONE, NodeId, stop};
use std::collections::BTreeMap;

struct Tuning {
    /// The minimum depth of deeply nested text. Code written by hand is shallower.
    levels: u32,
    /// The maximum number of nodes per level. If there are more, as in HTML with unclosed elements, the groups of each
    /// level are large enough.
    width: usize,
    /// The maximum number of steps down the chain to a node that can replace a given one.
    steps: usize,
}

const TUNING: Tuning = Tuning { levels: 100, width: 32, steps: 8 };

/// Proposes three kinds of groups: rewrites, the parts attached to the longest chain, and the links of the chain.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart);
    let deep: Vec<_> = snapshot.layers.iter().map(|layer| (layer, chain(layer))).collect();
    if deep.iter().all(|(_, chain)| chain.is_empty()) {
        return builder.build();
    }
    let ends = deep.iter().filter_map(|(layer, chain)| Some(layer.tree.node(*chain.last()?).span));
    rewrites(snapshot, &ends.collect::<Vec<_>>(), &mut builder);
    for (layer, chain) in deep {
        if !chain.is_empty() {
            hanging(snapshot, layer, &chain, &mut builder);
            links(snapshot, layer, &chain, &mut builder);
        }
    }
    builder.build()
}

/// Returns the nodes from the root to the deepest node, if the text is deeply nested.
fn chain(layer: &Layer<'_>) -> Vec<NodeId> {
    let tree = &layer.tree;
    let mut levels: Vec<u32> = Vec::with_capacity(tree.len());
    for id in tree.ids() {
        let parent = tree.node(id).parent;
        levels.push(if parent == NONE { 1 } else { levels[parent as usize] + 1 });
    }
    let deepest = tree.ids().rev().max_by_key(|&id| levels[id as usize]);
    let is_narrow = |levels: u32| tree.len() <= TUNING.width * levels as usize;
    let deepest =
        deepest.filter(|&id| levels[id as usize] >= TUNING.levels && is_narrow(levels[id as usize]));
    let up = |&id: &NodeId| Some(tree.node(id).parent).filter(|&parent| parent != NONE);
    let mut chain: Vec<NodeId> = std::iter::successors(deepest, up).collect();
    chain.reverse();
    chain
}

/// Proposes the outermost matches of each early rule, except matches that contain the deepest node.
fn rewrites(snapshot: &Snapshot<'_>, ends: &[Span], builder: &mut Builder) {
    let mut rules: BTreeMap<&str, Vec<(Span, Vec<Edit>)>> = BTreeMap::new();
    let is_apart = |place: Span| ends.iter().all(|end| !place.contains(*end));
    for one in rewritings(snapshot).0.into_iter().filter(|one| one.time == Time::Early && is_apart(one.place))
    {
        rules.entry(one.rule).or_default().push((one.place, one.edits));
    }
    for places in rules.into_values() {
        outermost(builder, places);
    }
}

/// Proposes the parts of all nodes that have a single one, except the nodes of the chain.
fn hanging(snapshot: &Snapshot<'_>, layer: &Layer<'_>, chain: &[NodeId], builder: &mut Builder) {
    let parts = Parts { layer, source: &snapshot.source };
    let is_in_chain = |id: NodeId| chain.binary_search(&id).is_ok();
    let mut places = Vec::new();
    for id in stop::all(layer.tree.ids()) {
        let removable = parts.of(id);
        let single = if removable.members.len() == 1 { &removable.members[..] } else { &[] };
        for part in single.iter().chain(&removable.optional).filter(|part| !is_in_chain(part.child)) {
            places.push((layer.tree.node(part.child).span, vec![Edit::delete(part.span)]));
        }
    }
    outermost(builder, places);
}

/// Closes a group of the outermost of these places.
fn outermost(builder: &mut Builder, mut places: Vec<(Span, Vec<Edit>)>) {
    places.sort_by_key(|(place, _)| (place.start, std::cmp::Reverse(place.end)));
    let mut end = 0;
    for (place, edits) in places {
        if place.start >= end {
            end = place.end;
            builder.delta(edits);
        }
    }
    builder.close(GroupKind::Set, None);
}

/// For each node of the chain, proposes to replace it by the next one that fits.
fn links(snapshot: &Snapshot<'_>, layer: &Layer<'_>, chain: &[NodeId], builder: &mut Builder) {
    let tree = &layer.tree;
    let mut at = 0;
    while at < chain.len() {
        let outer = tree.node(chain[at]);
        let slot = layer.slot(chain[at]).filter(|_| outer.is_named() && !outer.is_extra());
        let fits = |&step: &usize| {
            let inner = tree.node(chain[step]);
            let is_smaller = inner.is_named() && inner.span.len() < outer.span.len();
            is_smaller && slot.is_some_and(|slot| slot.allows(inner.kind))
        };
        let below = at + 1..chain.len().min(at + 1 + TUNING.steps);
        let Some(next) = below.into_iter().find(fits) else {
            at += 1;
            continue;
        };
        let edits = hoist(snapshot, layer, outer.span, tree.node(chain[next]).span);
        // Lines that are reindented would be reindented once per link.
        if edits.iter().all(|edit| edit.text.is_empty() && !tree.node(chain[next]).span.contains(edit.span)) {
            builder.delta(edits);
        }
        at = next;
    }
    builder.close(GroupKind::Set, None);
}
