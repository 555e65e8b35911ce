//! Proposes to delete the text in quotes, and to shorten words in strings and other text to single characters.
//!
//! `delete-nodes` has tried the text in quotes before, since it is an optional part. It is tried again here, late,
//! because the code that needs it is often elsewhere, and deleting it later would cause all tokens to be tried again.

use super::byte::characters;
use super::word::words;
use super::{Builder, CandidateFilter, Proposal, Snapshot};
use nubbin_syntax::edit::{Edit, Seam, Span, is_word};

/// Longer leaves, in words, are not shortened: usually all of their words are needed, or none.
const WORDS: usize = 64;

/// Proposes to delete the text in quotes, and to shorten each word in it, or each word of a leaf of several words, to
/// its first character. All words of a leaf form one delta, since it saves only bytes.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Touch);
    let source = &snapshot.source;
    for leaf in snapshot.pieces() {
        let words = words(source, leaf);
        let is_quoted = is_quoted(source, leaf);
        if is_quoted {
            builder.single([Edit::delete(leaf)]);
        }
        if words.len() > WORDS || words.len() < 2 && !is_quoted {
            continue;
        }
        let mut edits = Vec::new();
        for word in words {
            let length = word.of(source).iter().take_while(|&&b| is_word(b)).count() as u32;
            let characters = characters(source, Span::new(word.start, word.start + length));
            if let [first, .., last] = characters[..] {
                edits.push(Edit::delete(Span::new(first.end, last.end)));
            }
        }
        if !edits.is_empty() {
            builder.single(edits);
        }
    }
    builder.build()
}

/// Returns whether a span is between two equal quotes.
fn is_quoted(source: &[u8], span: Span) -> bool {
    let before = span.start.checked_sub(1).and_then(|at| source.get(at as usize));
    matches!(before, Some(b'"' | b'\'' | b'`')) && before == source.get(span.end as usize)
}
