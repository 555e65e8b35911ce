//! Proposes words in leaves and unparsed text with several words, such as strings and comments.

use super::{Builder, CandidateFilter, Proposal, Snapshot};
use nubbin_search::search::GroupKind;
use nubbin_syntax::edit::{Edit, Seam, Span, is_word};

/// Proposes each word and each other character of a leaf, or of a text between nodes, that has several.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Touch);
    for piece in snapshot.pieces() {
        let words = words(&snapshot.source, piece);
        if words.len() > 1 {
            for word in words {
                builder.delta([Edit::delete(word)]);
            }
            builder.close(GroupKind::Set, None);
        }
    }
    builder.build()
}

/// Returns the words of a span, each with the whitespace after it.
pub(super) fn words(source: &[u8], span: Span) -> Vec<Span> {
    let mut words: Vec<Span> = Vec::new();
    for at in span.start..span.end {
        let byte = source[at as usize];
        let joins = words.last().is_some_and(|last| {
            let before = source[last.end as usize - 1];
            byte.is_ascii_whitespace() || is_word(byte) && is_word(before)
        });
        match words.last_mut() {
            Some(last) if joins => last.end = at + 1,
            _ => words.push(Span::new(at, at + 1)),
        }
    }
    words
}
