//! Bytes: of an input in no known language, and inside the tokens of a text that is small already.

use super::{Builder, Filter, Proposal, Snapshot};
use crate::edit::{Edit, Seam, Span};
use crate::search::Kind;

/// Up to which size of a text in a known language it pays to try bytes one by one.
const SMALL: usize = 64;

/// Proposes each byte, and each end of line as a whole; of a text in a known language each byte of longer tokens, if the text is small.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(Filter::Nothing, Seam::Touch);
    if !snapshot.layers.is_empty() {
        let leaves = snapshot.leaves().into_iter().map(|(layer, id)| layer.tree.node(id).span);
        let long = leaves.filter(|span| span.len() > 1 && snapshot.source.len() <= SMALL);
        for at in long.flat_map(|span| span.start..span.end) {
            builder.single([Edit::delete(Span::new(at, at + 1))]);
        }
        return builder.build();
    }
    let mut at = 0;
    while at < snapshot.source.len() {
        // An end of line is one thing, however many bytes it has: what is left of a file with CR LF still has CR LF.
        let end = at + if snapshot.source[at..].starts_with(b"\r\n") { 2 } else { 1 };
        builder.delta([Edit::delete(Span::new(at as u32, end as u32))]);
        at = end;
    }
    builder.close(Kind::Set, None);
    builder.build()
}
