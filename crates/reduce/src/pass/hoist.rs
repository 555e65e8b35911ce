//! Replaces a node by a descendant that the grammar allows in its place, or by the members of a list inside it, the
//! smallest first.
//!
//! ```text
//! if (a) { f(g(x)); }   becomes   f(g(x));   becomes   g(x);
//! ```

use super::{Builder, CandidateFilter, Layer, Proposal, Snapshot};
use nubbin_language::Idle;
use nubbin_search::search::GroupKind;
use nubbin_syntax::edit::{Edit, Seam, Span};
use nubbin_syntax::stop;
use nubbin_syntax::{Layout, NONE, NodeId, Slot};

struct Tuning {
    /// The number of descendants that are examined for one node.
    looked_at: usize,
    /// The maximum number of alternatives for one node.
    alternatives: usize,
    /// The minimum length of a chain of nodes of one kind whose end is an alternative.
    chain: u32,
}

const TUNING: Tuning = Tuning { looked_at: 100, alternatives: 8, chain: 4 };

/// Proposes for each node the descendants that can replace it.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart);
    for layer in snapshot.layers.iter().filter(|layer| !layer.language.is_idle(Idle::Hoist)) {
        let chains = chains(layer);
        for id in stop::all(layer.tree.ids()) {
            let node = layer.tree.node(id);
            if !node.is_named() || node.is_extra() || layer.tree.is_leaf(id) {
                continue;
            }
            let Some(slot) = layer.slot(id) else { continue };
            for inner in alternatives(layer, id, slot, chains[id as usize]) {
                builder.delta(hoist(snapshot, layer, node.span, inner));
            }
            builder.close(GroupKind::Choice, None);
        }
    }
    builder.build()
}

/// Returns the spans inside a node that can replace it, the smallest first.
pub(super) fn descendants(layer: &Layer<'_>, id: NodeId) -> Vec<Span> {
    layer.slot(id).map_or_else(Vec::new, |slot| alternatives(layer, id, slot, NO_CHAIN))
}

/// Returns the edits that replace `outer` by `inner`, which lies inside it.
pub(super) fn hoist(snapshot: &Snapshot<'_>, layer: &Layer<'_>, outer: Span, inner: Span) -> Vec<Edit> {
    let mut edits = Vec::new();
    let sides = [Span::new(outer.start, inner.start), Span::new(inner.end, outer.end)];
    edits.extend(sides.into_iter().filter(|side| !side.is_empty()).map(Edit::delete));
    if layer.language.layout() == Layout::Indentation {
        edits.extend(snapshot.lines.reindent(&snapshot.source, inner, outer.start, &layer.opaque));
    }
    edits
}

/// Returns the spans inside `id` that can replace it, the smallest first.
fn alternatives(layer: &Layer<'_>, id: NodeId, slot: &Slot, chain: Chain) -> Vec<Span> {
    let tree = &layer.tree;
    let whole = tree.node(id).span;
    let mut found: Vec<Span> = Vec::new();
    let mut waiting: std::collections::VecDeque<NodeId> = tree.children(id).collect();
    for _ in 0..TUNING.looked_at {
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
    let Chain { links, end } = chain;
    if links >= TUNING.chain && end != NONE && slot.allows(tree.node(end).kind) {
        found.push(tree.node(end).span);
    }
    found.retain(|span| span.len() < whole.len());
    found.sort_by_key(|span| (span.len(), span.start));
    found.dedup();
    found.truncate(TUNING.alternatives);
    found
}

/// Returns the span from the first to the last member of the list `id`, if the slot allows all members.
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

/// A chain of nodes of one kind: each is the longest child of the previous one.
#[derive(Clone, Copy)]
struct Chain {
    links: u32,
    /// The first node of another kind, or [`NONE`].
    end: NodeId,
}

const NO_CHAIN: Chain = Chain { links: 0, end: NONE };

/// Returns the chain that begins at each node.
fn chains(layer: &Layer<'_>) -> Vec<Chain> {
    let tree = &layer.tree;
    let mut longest = vec![NONE; tree.len()];
    let mut chains = vec![NO_CHAIN; tree.len()];
    // Children come after their parents, so the chain of a child is known before that of its parent.
    for id in tree.ids().rev() {
        let node = tree.node(id);
        let inner = longest[id as usize];
        if inner != NONE {
            let goes_on = tree.node(inner).kind == node.kind;
            let Chain { links, end } = chains[inner as usize];
            chains[id as usize] =
                if goes_on { Chain { links: links + 1, end } } else { Chain { links: 1, end: inner } };
        }
        if node.parent != NONE && node.is_named() && !node.is_extra() {
            let best = &mut longest[node.parent as usize];
            if *best == NONE || tree.node(*best).span.len() <= node.span.len() {
                *best = id;
            }
        }
    }
    chains
}
