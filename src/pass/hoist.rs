//! A node becomes a descendant that fits its place, or the members of a list inside it, smallest first.

use super::{Builder, Filter, Layer, Proposal, Snapshot};
use crate::edit::{Edit, Seam, Span};
use crate::search::Kind;
use crate::syntax::{Layout, NONE, NodeId, Slot};

/// How many nodes below a node are looked at.
const LOOKED_AT: usize = 100;
/// How many alternatives a node has at most.
const ALTERNATIVES: usize = 8;
/// How far down a chain of nodes of one kind is followed, and from which length on it is.
const CHAIN: std::ops::RangeInclusive<usize> = 4..=1000;

/// Proposes for each node the descendants that the grammar allows in its place.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(Filter::Syntax, Seam::Apart);
    for layer in &snapshot.layers {
        let heaviest = heaviest_children(layer);
        for id in layer.tree.ids() {
            let node = layer.tree.node(id);
            if !node.is_named() || node.is_extra() || layer.tree.is_leaf(id) {
                continue;
            }
            let Some(slot) = layer.slot(id) else { continue };
            for inner in alternatives(layer, id, slot, &heaviest) {
                builder.delta(hoist(snapshot, layer, node.span, inner));
            }
            builder.close(Kind::Choice, None);
        }
    }
    builder.build()
}

/// The edits that make `outer` become `inner`, which lies inside of it.
pub(super) fn hoist(snapshot: &Snapshot<'_>, layer: &Layer<'_>, outer: Span, inner: Span) -> Vec<Edit> {
    let mut edits = Vec::new();
    let sides = [Span::new(outer.start, inner.start), Span::new(inner.end, outer.end)];
    edits.extend(sides.into_iter().filter(|side| !side.is_empty()).map(Edit::delete));
    if layer.language.layout() == Layout::Indentation {
        edits.extend(snapshot.lines.reindent(&snapshot.source, inner, outer.start, &layer.opaque));
    }
    edits
}

/// What may stand in the place of `id`, the smallest first.
fn alternatives(layer: &Layer<'_>, id: NodeId, slot: &Slot, heaviest: &[NodeId]) -> Vec<Span> {
    let tree = &layer.tree;
    let whole = tree.node(id).span;
    let mut found: Vec<Span> = Vec::new();
    let mut waiting: std::collections::VecDeque<NodeId> = tree.children(id).collect();
    for _ in 0..LOOKED_AT {
        let Some(next) = waiting.pop_front() else { break };
        let node = tree.node(next);
        if !node.is_named() || node.is_extra() || node.span.is_empty() {
            continue;
        }
        let members = if slot.multiple { members_that_fit(layer, next, slot) } else { None };
        if slot.allows(node.kind) {
            found.push(node.span);
        } else if members.is_none() {
            waiting.extend(tree.children(next));
        }
        found.extend(members);
    }
    found.extend(end_of_chain(layer, id, slot, heaviest));
    found.retain(|span| span.len() < whole.len());
    found.sort_by_key(|span| (span.len(), span.start));
    found.dedup();
    found.truncate(ALTERNATIVES);
    found
}

/// From the first to the last member of the list that `id` is, if they all fit the slot.
fn members_that_fit(layer: &Layer<'_>, id: NodeId, slot: &Slot) -> Option<Span> {
    let tree = &layer.tree;
    layer.language.grammar().list(tree.node(id).kind)?;
    let mut span: Option<Span> = None;
    for child in tree.children(id) {
        let node = tree.node(child);
        if !node.is_named() || node.is_extra() || node.field != 0 {
            continue;
        }
        if !slot.allows(node.kind) {
            return None;
        }
        span = Some(Span::new(span.map_or(node.span.start, |s| s.start), node.span.end));
    }
    span.filter(|span| !span.is_empty())
}

/// The far end of a long chain of nodes of the same kind as `id`, each the heaviest part of the one before.
fn end_of_chain(layer: &Layer<'_>, id: NodeId, slot: &Slot, heaviest: &[NodeId]) -> Option<Span> {
    let tree = &layer.tree;
    let kind = tree.node(id).kind;
    let (mut at, mut links, mut end) = (id, 0, None);
    for _ in 0..*CHAIN.end() {
        at = *heaviest.get(at as usize).filter(|&&next| next != NONE)?;
        if tree.node(at).kind == kind {
            links += 1;
        } else if slot.allows(tree.node(at).kind) {
            end = Some(at);
        } else {
            break;
        }
        end = end.filter(|&end| end > at).or(Some(at));
        if tree.is_leaf(at) {
            break;
        }
    }
    end.filter(|_| links >= *CHAIN.start()).map(|end| tree.node(end).span)
}

/// For each node, the longest of its named children.
fn heaviest_children(layer: &Layer<'_>) -> Vec<NodeId> {
    let tree = &layer.tree;
    let mut heaviest = vec![NONE; tree.len()];
    for id in tree.ids().skip(1) {
        let node = tree.node(id);
        let best = &mut heaviest[node.parent as usize];
        let longer = *best == NONE || tree.node(*best).span.len() < node.span.len();
        if node.is_named() && !node.is_extra() && longer {
            *best = id;
        }
    }
    heaviest
}
