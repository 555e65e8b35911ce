//! Replaces a node by a smaller node of the same kind from elsewhere in the text.

use super::{Builder, CandidateFilter, Layer, Proposal, Snapshot};
use nubbin_language::Idle;
use nubbin_search::search::GroupKind;
use nubbin_syntax::NONE;
use nubbin_syntax::edit::{Edit, Seam, Span, count_tokens, is_signed_name};
use nubbin_syntax::stop;
use std::collections::HashMap;

/// The maximum number of alternatives for one node.
const ALTERNATIVES: usize = 2;

/// Proposes for each node of several tokens the smallest nodes of its kind.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart);
    for layer in snapshot.layers.iter().filter(|layer| !layer.language.is_idle(Idle::Substitute)) {
        let smallest = smallest(layer, &snapshot.source);
        for id in stop::all(layer.tree.ids()) {
            let node = layer.tree.node(id);
            if !node.is_named() || node.is_extra() || node.is_error() || node.parent == NONE {
                continue;
            }
            // Another name would not be smaller.
            if is_signed_name(node.span.of(&snapshot.source)) {
                continue;
            }
            let own = size(&snapshot.source, node.span);
            let smaller = smallest.get(&node.kind).into_iter().flatten();
            for &text in smaller.filter(|&&text| own.0 > 1 && size(&snapshot.source, text) < own) {
                if !node.span.contains(text) {
                    builder.delta([Edit::replace(node.span, text.of(&snapshot.source))]);
                }
            }
            builder.close(GroupKind::Choice, None);
        }
    }
    builder.build()
}

/// Returns the smallest texts of each kind of node, without duplicates.
pub(super) fn smallest(layer: &Layer<'_>, source: &[u8]) -> HashMap<u16, Vec<Span>> {
    let mut smallest: HashMap<u16, Vec<Span>> = HashMap::new();
    for id in layer.tree.ids() {
        let node = layer.tree.node(id);
        let text = node.span.of(source);
        if !node.is_named() || node.span.is_empty() || text.contains(&b'\n') {
            continue;
        }
        let found = smallest.entry(node.kind).or_default();
        let own = size(source, node.span);
        if found.len() == ALTERNATIVES && found.last().is_some_and(|&last| size(source, last) <= own)
            || found.iter().any(|other| other.of(source) == text)
        {
            continue;
        }
        found.push(node.span);
        found.sort_by_key(|&span| (size(source, span), span.start));
        found.truncate(ALTERNATIVES);
    }
    smallest
}

fn size(source: &[u8], span: Span) -> (usize, u32) {
    (count_tokens(span.of(source)), span.len())
}
