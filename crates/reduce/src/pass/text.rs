//! Proposes to remove the text in quotes, and to shorten the words of strings and texts to single characters.
//!
//! The text in quotes is an optional part as well, so `delete` has tried it early. It is asked for once more here,
//! late. The code that needs it is mostly on other lines, and all single tokens would be asked for again if it went
//! after them. The pass over words removes words, and the passes over names shorten names.

use super::byte::characters;
use super::word::words;
use super::{Builder, CandidateFilter, Proposal, Snapshot};
use nubbin_syntax::edit::{Edit, Seam, Span, is_word};

/// Leaves with more words than this are not shortened: mostly all of their words are needed, or none.
const WORDS: usize = 64;

/// Proposes to remove the text in quotes, and to keep only the first character of each word in it, or of each word in a
/// leaf with several words. All words of a leaf are one delta, since it saves only bytes.
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

/// Tells whether a span stands between two equal quotes.
fn is_quoted(source: &[u8], span: Span) -> bool {
    let before = span.start.checked_sub(1).and_then(|at| source.get(at as usize));
    matches!(before, Some(b'"' | b'\'' | b'`')) && before == source.get(span.end as usize)
}
