//! Replaces a node with the smallest sentences of the grammar that fit its place: of its own kind, and of others.
//! (Idea: replacement beyond deletion in syntax-guided reduction, OOPSLA 2025.)

use super::{Builder, CandidateFilter, Layer, Proposal, Snapshot};
use nubbin_search::search::GroupKind;
use nubbin_syntax::edit::{Edit, Seam, count_tokens};
use nubbin_syntax::{NONE, stop};
use std::collections::HashMap;

/// The numbers that were tuned.
struct Tuning {
    /// The greatest number of sentences that one node is tried to become.
    alternatives: usize,
}

const TUNING: Tuning = Tuning { alternatives: 6 };

/// The sentences that fit a place: the size and the text of each, the smallest first.
type Fitting<'l> = Vec<((usize, usize), &'l str)>;

/// Proposes for each node of more than one token the smallest sentences that the grammar allows in its place.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart);
    for layer in &snapshot.layers {
        let mut places: HashMap<(u16, u16), Fitting<'_>> = HashMap::new();
        for id in stop::all(layer.tree.ids()) {
            let node = layer.tree.node(id);
            if !node.is_named() || node.is_extra() || node.is_error() || node.parent == NONE {
                continue;
            }
            let text = node.span.of(&snapshot.source);
            let own = (count_tokens(text), text.len());
            if own.0 < 2 {
                continue;
            }
            let place = (layer.tree.node(node.parent).kind, node.field);
            let fitting = places.entry(place).or_insert_with(|| fitting(layer, place));
            let smaller = fitting.iter().filter(|(size, _)| *size < own).take(TUNING.alternatives);
            for (_, text) in smaller {
                builder.delta([Edit::replace(node.span, text.as_bytes())]);
            }
            builder.close(GroupKind::Choice, None);
        }
    }
    builder.build()
}

/// Returns the sentences of all kinds that may stand in a field of a kind.
fn fitting<'l>(layer: &Layer<'l>, (kind, field): (u16, u16)) -> Fitting<'l> {
    let Some(slot) = layer.language.grammar().slot(kind, field) else { return Vec::new() };
    let kinds = layer.language.sentences().filter(|(kind, _)| slot.allows(*kind));
    let texts = kinds.flat_map(|(_, texts)| texts).map(|text| ((count_tokens(text.as_bytes()), text.len()), text.as_str()));
    let mut fitting: Fitting<'_> = texts.collect();
    fitting.sort_unstable();
    fitting.dedup();
    fitting
}
