//! Bytes: of an input in no known language, and inside the tokens of a text that is small already.

use super::{Builder, Filter, Proposal, Snapshot};
use crate::edit::{Edit, Seam, Span};
use crate::search::Kind;

/// Up to which size of a text in a known language it pays to try bytes one by one.
const SMALL: usize = 64;

/// Proposes each byte; of a text in a known language each byte of longer tokens, if the text is small.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(Filter::Nothing, Seam::Touch);
    let source = &snapshot.source;
    if !snapshot.layers.is_empty() {
        let leaves = snapshot.leaves().into_iter().map(|(layer, id)| layer.tree.node(id).span);
        let long = leaves.filter(|span| span.len() > 1 && source.len() <= SMALL);
        for byte in long.flat_map(|span| bytes(source, span)) {
            builder.single([Edit::delete(byte)]);
        }
        return builder.build();
    }
    for byte in bytes(source, Span::new(0, source.len() as u32)) {
        builder.delta([Edit::delete(byte)]);
    }
    builder.close(Kind::Set, None);
    builder.build()
}

/// The bytes of a span. An end of line is one of them also where it has two, CR LF: what is left of a file with such line ends
/// still has them.
fn bytes(source: &[u8], span: Span) -> Vec<Span> {
    let mut bytes = Vec::with_capacity(span.len() as usize);
    let mut at = span.start;
    while at < span.end {
        let is_line_end = source[at as usize..span.end as usize].starts_with(b"\r\n");
        let end = at + if is_line_end { 2 } else { 1 };
        bytes.push(Span::new(at, end));
        at = end;
    }
    bytes
}
