//! The rules of the languages: what a match asks for, as deltas; those for one node are alternatives.

use super::hoist::hoist;
use super::proposal::gain;
use super::{Builder, Filter, Layer, Proposal, Snapshot};
use crate::edit::{Edit, Seam, Span};
use crate::language::{Rewrite, RuleMatch};
use crate::syntax::deletion_span;
use std::collections::BTreeMap;

/// What one match of a rule asks for.
#[derive(Clone, Debug)]
pub struct Rewriting<'l> {
    /// The rule's name.
    pub rule: &'l str,
    /// The edits to make.
    pub edits: Vec<Edit>,
    /// The node that it is about: alternatives for one node exclude each other.
    place: Span,
}

/// Everything that the rules of the snapshot's languages ask for and that makes the text smaller, layer by layer
/// and file by file, in the order of the matches; and whether some were lost in a text too deep.
#[must_use]
pub fn rewritings<'l>(snapshot: &Snapshot<'l>) -> (Vec<Rewriting<'l>>, bool) {
    let mut found = Vec::new();
    let mut some_lost = false;
    for layer in &snapshot.layers {
        for file in layer.language.rules() {
            let (matches, lost) = file.matches(&layer.parsed, layer.span.of(&snapshot.source));
            some_lost |= lost;
            let all = matches.into_iter().map(|found| Rewriting {
                rule: found.rule,
                edits: edits(snapshot, layer, &found),
                place: place(layer, &found),
            });
            found.extend(all.filter(|one| gain(&snapshot.source, &one.edits) > (0, 0)));
        }
    }
    (found, some_lost)
}

/// Proposes every match of every rule.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(Filter::Syntax, Seam::Apart);
    let mut places: BTreeMap<Span, Vec<Vec<Edit>>> = BTreeMap::new();
    let (all, some_lost) = rewritings(snapshot);
    if some_lost {
        builder.note("the text is too deep for some rules to be tried everywhere; the other passes go on");
    }
    for one in all {
        places.entry(one.place).or_default().push(one.edits);
    }
    for alternatives in places.into_values() {
        builder.choice(&snapshot.source, alternatives);
    }
    builder.build()
}

fn shifted(layer: &Layer<'_>, span: Span) -> Span {
    Span::new(layer.span.start + span.start, layer.span.start + span.end)
}

/// The node that a match is about.
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
fn edits(snapshot: &Snapshot<'_>, layer: &Layer<'_>, found: &RuleMatch<'_>) -> Vec<Edit> {
    match &found.rewrite {
        Rewrite::Delete(spans) => {
            let spans = spans.iter().map(|&span| shifted(layer, span)).collect();
            let whole = joined(&snapshot.source, spans);
            whole.into_iter().map(|span| Edit::delete(deletion_span(&snapshot.source, span))).collect()
        }
        Rewrite::Hoist { outer, inner } => {
            hoist(snapshot, layer, shifted(layer, *outer), shifted(layer, *inner))
        }
        Rewrite::Text { outer, text } => vec![Edit::replace(shifted(layer, *outer), text.as_bytes())],
    }
}

/// Spans with nothing but blanks between them become one, so that lines of which nothing stays go whole.
fn joined(source: &[u8], mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable();
    let mut whole: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match whole.last_mut() {
            Some(last) if last.end >= span.start => last.end = last.end.max(span.end),
            Some(last) if Span::new(last.end, span.start).of(source).iter().all(|b| b" \t".contains(b)) => {
                last.end = span.end;
            }
            _ => whole.push(span),
        }
    }
    whole
}
