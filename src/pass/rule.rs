//! The rules of the languages: what a match asks for, as deltas; those for one node are alternatives.

use super::hoist::hoist;
use super::{Builder, Filter, Layer, Proposal, Snapshot};
use crate::edit::{Edit, Seam, Span, count_tokens};
use crate::language::{Rewrite, RuleMatch};
use crate::search::Kind;
use crate::syntax::deletion_span;
use std::collections::BTreeMap;

/// Proposes every match of every rule.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(Filter::Syntax, Seam::Apart);
    for layer in &snapshot.layers {
        let mut places: BTreeMap<Span, Vec<Vec<Edit>>> = BTreeMap::new();
        for file in layer.language.rules() {
            let (matches, _) = file.matches(&layer.parsed, layer.span.of(&snapshot.source));
            for found in matches {
                let edits = edits(snapshot, layer, &found);
                if shrinks(&snapshot.source, &edits) {
                    places.entry(place(layer, &found)).or_default().push(edits);
                }
            }
        }
        for mut alternatives in places.into_values() {
            alternatives.sort_by_key(|edits| std::cmp::Reverse(gain(&snapshot.source, edits)));
            alternatives.dedup();
            for edits in alternatives {
                builder.delta(edits);
            }
            builder.close(Kind::Choice, None);
        }
    }
    builder.build()
}

fn shifted(layer: &Layer<'_>, span: Span) -> Span {
    Span::new(layer.span.start + span.start, layer.span.start + span.end)
}

/// The node that a match is about: alternatives for one node exclude each other.
fn place(layer: &Layer<'_>, found: &RuleMatch<'_>) -> Span {
    match &found.rewrite {
        Rewrite::Hoist { outer, .. } | Rewrite::Text { outer, .. } => shifted(layer, *outer),
        Rewrite::Delete(spans) => {
            let start = spans.iter().map(|s| s.start).min().unwrap_or_default();
            let end = spans.iter().map(|s| s.end).max().unwrap_or_default();
            shifted(layer, Span::new(start, end))
        }
    }
}

/// The edits that a match asks for.
pub(crate) fn edits(snapshot: &Snapshot<'_>, layer: &Layer<'_>, found: &RuleMatch<'_>) -> Vec<Edit> {
    match &found.rewrite {
        Rewrite::Delete(spans) => spans
            .iter()
            .map(|&span| Edit::delete(deletion_span(&snapshot.source, shifted(layer, span))))
            .collect(),
        Rewrite::Hoist { outer, inner } => {
            hoist(snapshot, layer, shifted(layer, *outer), shifted(layer, *inner))
        }
        Rewrite::Text { outer, text } => vec![Edit::replace(shifted(layer, *outer), text.as_bytes())],
    }
}

/// What edits save: tokens, then bytes.
fn gain(source: &[u8], edits: &[Edit]) -> (i64, i64) {
    let tokens: i64 = edits
        .iter()
        .map(|edit| count_tokens(edit.span.of(source)) as i64 - count_tokens(&edit.text) as i64)
        .sum();
    let bytes: i64 = edits.iter().map(|edit| i64::from(edit.span.len()) - edit.text.len() as i64).sum();
    (tokens, bytes)
}

/// Whether edits make a text smaller: fewer tokens, or as many in fewer bytes.
pub(crate) fn shrinks(source: &[u8], edits: &[Edit]) -> bool {
    gain(source, edits) > (0, 0)
}
