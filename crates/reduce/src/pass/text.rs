//! What stands in quotes goes, and the words of strings and texts become single characters.
//!
//! What stands in quotes is an optional part as well, and so has been tried early. It is asked for once more here, late, because
//! what it is needed for is mostly on other lines, and because all single tokens would be asked for again if it went after them.
//! Which of them stay is left to the pass over words, and names in code to those over names.

use super::byte::characters;
use super::word::words;
use super::{Builder, Filter, Proposal, Snapshot};
use nubbin_syntax::edit::{Edit, Seam, Span, is_word};

/// Of leaves with more words than this, none is shortened: most of them are not needed at all, or all of them are.
const WORDS: usize = 64;

/// Proposes to take out what stands in quotes, and to keep only the first character of each word in it, or in a leaf with more
/// than one word: of all at once, since only bytes are saved.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(Filter::Syntax, Seam::Touch);
    let source = &snapshot.source;
    for (layer, id) in snapshot.leaves() {
        let leaf = layer.tree.node(id).span;
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

/// Whether a span stands between two quotes of a kind.
fn is_quoted(source: &[u8], span: Span) -> bool {
    let before = span.start.checked_sub(1).and_then(|at| source.get(at as usize));
    matches!(before, Some(b'"' | b'\'' | b'`')) && before == source.get(span.end as usize)
}
