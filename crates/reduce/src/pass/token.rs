//! Proposes single tokens, words inside tokens, and pairs of brackets. The rest need not parse.

use super::plain::{count, parts};
use super::repeat::thin;
use super::word::words;
use super::{Builder, CandidateFilter, Proposal, Snapshot, bracket};
use nubbin_search::search::GroupKind;
use nubbin_syntax::deletion_span;
use nubbin_syntax::edit::{Edit, Seam, Span};
use nubbin_syntax::stop;

struct Tuning {
    /// The maximum number of words in a leaf whose words are proposed one by one. The words of longer leaves are left
    /// to the pass over words.
    words: usize,
    /// The maximum number of tokens in a text in an unknown language whose brackets are proposed.
    tokens: usize,
    /// The maximum number of tokens in a text in which brackets are replaced by one of their members.
    members: usize,
}

const TUNING: Tuning = Tuning { words: 32, tokens: 20_000, members: 400 };

/// Proposes each leaf and each text between nodes, each word of those that have several, and the first and last token
/// of a node together. For unparsed text, proposes the whole text, its brackets and its words.
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
    let (pieces, is_thinned) = thin(&snapshot.source, snapshot.pieces());
    for leaf in pieces {
        builder.single([delete(leaf)]);
        let words = words(&snapshot.source, leaf);
        if (2..=TUNING.words).contains(&words.len()) {
            for word in words {
                builder.single([Edit::delete(word)]);
            }
        }
    }
    for span in snapshot.unread() {
        builder.single([delete(span)]);
        untold(&snapshot.source, span, &mut builder);
    }
    for (layer, id) in snapshot.leaves() {
        let node = layer.tree.node(id);
        if node.is_error() && words(&snapshot.source, node.span).len() > TUNING.words {
            untold(&snapshot.source, node.span, &mut builder);
        }
    }
    builder.thinned(is_thinned).build()
}

/// Proposes the brackets and the words of unparsed text.
fn untold(source: &[u8], span: Span, builder: &mut Builder) {
    let words = words(source, span);
    if words.len() <= TUNING.tokens {
        let tokens: Vec<Span> = words.iter().map(|&word| bare(source, word)).collect();
        paired(source, &tokens, builder);
    }
    for word in thin(source, words).0 {
        builder.delta([Edit::delete(word)]);
    }
    builder.close(GroupKind::Set, None);
}

/// Proposes each pair of brackets, and each pair of words that nest like brackets.
fn paired(source: &[u8], tokens: &[Span], builder: &mut Builder) {
    for edits in bracket::pairs(source, tokens) {
        builder.single(edits);
    }
    // All pairs of one kind come first: there may be many, or they may be wrongly learned.
    for pairs in bracket::word_pairs(source, tokens) {
        let deltas: Vec<_> =
            pairs.into_iter().map(|(left, right)| bracket::deltas(source, left, right)).collect();
        for which in 0..3 {
            deltas.iter().filter_map(|deltas| deltas.get(which)).for_each(|edits| {
                builder.delta(edits.iter().cloned());
            });
            builder.close(GroupKind::Set, None);
        }
    }
    if tokens.len() <= TUNING.members {
        // Members come last, those of the largest pairs first.
        for members in
            bracket::members(source, tokens).into_iter().rev().filter(|members| !members.is_empty())
        {
            for edits in members {
                builder.delta(edits);
            }
            builder.close(GroupKind::Choice, None);
        }
    }
}

/// Returns a word without the whitespace after it.
fn bare(source: &[u8], word: Span) -> Span {
    Span::new(word.start, word.start + word.of(source).trim_ascii_end().len() as u32)
}

/// Proposes for a text in an unknown language: brackets with and without their content, list members, brackets with the
/// text before them, and all words and other characters as one group.
fn plain(source: &[u8]) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Nothing, Seam::Touch).following(count(source));
    let words = words(source, Span::new(0, source.len() as u32));
    let tokens: Vec<Span> = words.iter().map(|&word| bare(source, word)).collect();
    if tokens.len() <= TUNING.tokens {
        paired(source, &tokens, &mut builder);
        parts(source, &words, &mut builder);
    }
    for word in thin(source, words).0 {
        builder.delta([Edit::delete(word)]);
    }
    builder.close(GroupKind::Set, None);
    builder.build()
}
