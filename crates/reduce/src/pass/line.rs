//! Proposes the lines of an input in any language or none.

use super::{Builder, CandidateFilter, Proposal, Snapshot};
use nubbin_search::search::GroupKind;
use nubbin_syntax::edit::{Edit, Seam, Span};

/// Proposes each line. In a text of a known language it proposes only the lines that do not fit the grammar; the other
/// lines go by their nodes.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Nothing, Seam::Touch);
    let is_plain = snapshot.layers.is_empty();
    let mut errors =
        snapshot.layers.first().map(super::Layer::errors).unwrap_or_default().into_iter().peekable();
    let mut at = 0;
    for line in snapshot.source.split_inclusive(|&b| b == b'\n') {
        let span = Span::new(at, at + line.len() as u32);
        at = span.end;
        while errors.next_if(|error| error.end <= span.start).is_some() {}
        if is_plain || errors.peek().is_some_and(|error| error.start < span.end) {
            builder.delta([Edit::delete(span)]);
        }
    }
    builder.close(GroupKind::Set, None);
    builder.build()
}
