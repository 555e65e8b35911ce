//! Proposes single tokens, their words and pairs of brackets, whether or not the rest is well formed.

use super::plain::{count, parts};
use super::word::words;
use super::{Builder, CandidateFilter, Proposal, Snapshot, bracket};
use nubbin_search::search::GroupKind;
use nubbin_syntax::deletion_span;
use nubbin_syntax::edit::{Edit, Seam, Span};
use nubbin_syntax::stop;

/// The numbers that were tuned.
struct Tuning {
    /// The greatest number of words in a leaf whose words are proposed one by one; the words of other leaves are left
    /// to the pass over words.
    words: usize,
    /// The greatest number of tokens in a text of no known language whose brackets are proposed.
    tokens: usize,
}

const TUNING: Tuning = Tuning { words: 32, tokens: 20_000 };

/// Proposes each leaf and each text between nodes by itself, each word of one with several words, and the first and
/// last token of a node together.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    if snapshot.layers.is_empty() {
        return plain(&snapshot.source);
    }
    let mut builder = Builder::new(CandidateFilter::Nothing, Seam::Apart);
    let delete = |span| Edit::delete(deletion_span(&snapshot.source, span));
    for layer in &snapshot.layers {
        for id in stop::all(layer.tree.ids()) {
            let children: Vec<_> = layer.tree.children(id).collect();
            let [first, .., last] = children[..] else { continue };
            let (first, last) = (layer.tree.node(first), layer.tree.node(last));
            if children.len() > 2 && !first.is_named() && !last.is_named() {
                builder.single([delete(first.span), delete(last.span)]);
            }
        }
    }
    for leaf in snapshot.pieces() {
        builder.single([delete(leaf)]);
        let words = words(&snapshot.source, leaf);
        if (2..=TUNING.words).contains(&words.len()) {
            for word in words {
                builder.single([Edit::delete(word)]);
            }
        }
    }
    builder.build()
}

/// Proposes for a text in no known language: the text in brackets, the brackets, members of lists, brackets with what
/// stands before them, and all words and other characters as one group.
fn plain(source: &[u8]) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Nothing, Seam::Touch).following(count(source));
    let words = words(source, Span::new(0, source.len() as u32));
    let bare =
        |word: &Span| Span::new(word.start, word.start + word.of(source).trim_ascii_end().len() as u32);
    let tokens: Vec<Span> = words.iter().map(bare).collect();
    if tokens.len() <= TUNING.tokens {
        for edits in bracket::pairs(source, &tokens) {
            builder.single(edits);
        }
        parts(source, &words, &mut builder);
    }
    for word in words {
        builder.delta([Edit::delete(word)]);
    }
    builder.close(GroupKind::Set, None);
    builder.build()
}
