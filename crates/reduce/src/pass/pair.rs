//! Proposes pairs: two deletions that failed alone, or a deletion and a rewrite.
//!
//! If all pairs of the parts that the final sweep tries were tried, the result is 2-minimal with respect to candidates
//! that parse.

use super::{Builder, CandidateFilter, Proposal, Snapshot, delete, hoist, rule, shortest, token};
use nubbin_syntax::edit::{Edit, Patch, Seam, Span};
use nubbin_syntax::{Parser, stop};
use std::collections::HashSet;

struct Tuning {
    /// Up to this number of parts, all pairs are tried; beyond it, only related pairs.
    parts: usize,
    /// The maximum number of pairs with a rewrite, the nearest first.
    rewrites: usize,
    /// The maximum distance in bytes of parts that are related by position.
    near: u32,
}

const TUNING: Tuning = Tuning { parts: 400, rewrites: 2_000, near: 24 };

/// A deletion or a rewrite.
struct Change {
    edits: Vec<Edit>,
    /// The bytes from the first edit to the last.
    span: Span,
    /// The deleted text.
    gone: Vec<u8>,
}

impl Change {
    fn new(source: &[u8], mut edits: Vec<Edit>) -> Option<Self> {
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        let (first, last) = (edits.first()?, edits.last()?);
        let span = Span::new(first.span.start, last.span.end);
        let gone: Vec<u8> = edits.iter().flat_map(|edit| edit.span.of(source)).copied().collect();
        Some(Self { edits, span, gone: gone.trim_ascii().to_vec() })
    }

    fn is_deletion(&self) -> bool {
        self.edits.iter().all(|edit| edit.text.is_empty())
    }

    fn distance(&self, other: &Self) -> u32 {
        let (one, other) = if self.span.start <= other.span.start { (self, other) } else { (other, self) };
        other.span.start.saturating_sub(one.span.end)
    }

    /// Returns whether two changes are near each other, or delete the same text.
    fn is_related(&self, other: &Self) -> bool {
        self.gone == other.gone || self.distance(other) <= TUNING.near
    }

    /// Returns the edits of both, if they do not overlap.
    fn with(&self, other: &Self) -> Option<Vec<Edit>> {
        let mut edits = [&self.edits[..], &other.edits[..]].concat();
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        let is_apart = edits.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start);
        is_apart.then_some(edits)
    }
}

/// Proposes pairs of deletions, and pairs of a deletion and a rewrite, if the candidate parses.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart).scattered();
    let Some(layer) = snapshot.layers.first() else { return builder.build() };
    let source = &snapshot.source;
    let (parts, rewrites) = changes(snapshot);
    let is_whole = parts.len() <= TUNING.parts;
    let mut parser = Parser::new(layer.language.grammar());
    let mut fits = |edits: &[Edit]| {
        let candidate = Patch::new(edits.to_vec()).apply(source, Seam::Apart);
        parser.parse(&candidate).errors() <= layer.parsed.errors()
    };
    for at in stop::all(0..parts.len()) {
        for other in &parts[at + 1..] {
            if !is_whole && !parts[at].is_related(other) {
                continue;
            }
            if let Some(edits) = parts[at].with(other).filter(|edits| fits(edits)) {
                builder.single(edits);
            }
        }
    }
    let mut mixed: Vec<(u32, &Change, &Change)> = Vec::new();
    for rewrite in stop::all(rewrites.iter()) {
        let near = parts.iter().filter(|part| part.is_related(rewrite));
        mixed.extend(near.map(|part| (part.distance(rewrite), part, rewrite)));
    }
    mixed.sort_by_key(|(distance, ..)| *distance);
    let pairs = mixed.into_iter().filter_map(|(_, part, rewrite)| part.with(rewrite));
    for edits in pairs.filter(|edits| fits(edits)).take(TUNING.rewrites) {
        builder.single(edits);
    }
    if is_whole { builder.build() } else { builder.partial().build() }
}

/// Returns the deletions and the rewrites of the passes that work on single places.
fn changes(snapshot: &Snapshot<'_>) -> (Vec<Change>, Vec<Change>) {
    let passes =
        [delete::propose, token::propose, rule::propose, rule::late, hoist::propose, shortest::propose];
    let mut known = HashSet::new();
    let mut all = Vec::new();
    for pass in passes {
        let proposal = pass(snapshot);
        for delta in 0..proposal.len() as u32 {
            let edits = proposal.edits(&|_| false, &[delta]);
            let Some(change) = Change::new(&snapshot.source, edits) else { continue };
            let key = change.edits.iter().map(|edit| (edit.span.start, edit.span.end, edit.text.clone()));
            if known.insert(key.collect::<Vec<_>>()) {
                all.push(change);
            }
        }
    }
    all.into_iter().partition(Change::is_deletion)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nubbin_language::Registry;

    #[test]
    fn two_parts_that_fit_the_grammar_only_together_are_a_pair() {
        let python = Registry::built_in().get("python").expect("it is built in");
        let source = b"f(a, b)\ng(1)\n";
        let snapshot = Snapshot::new(source[..].into(), python, Parser::new(python.grammar()).parse(source));
        let proposal = propose(&snapshot);
        let result = |delta| {
            let text = Patch::new(proposal.edits(&|_| false, &[delta])).apply(source, Seam::Apart);
            String::from_utf8(text).expect("it stays text")
        };
        let results: Vec<String> = (0..proposal.len() as u32).map(result).collect();
        for expected in ["f()\ng(1)\n", "f(a)\ng()\n", "f(b)\ng()\n"] {
            assert!(results.iter().any(|result| result == expected), "{expected}: {results:?}");
        }
        assert!(!proposal.is_partial);
    }
}
