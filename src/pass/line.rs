//! Lines, of an input in any language or none.

use super::{Builder, Filter, Proposal, Snapshot};
use crate::edit::{Edit, Seam, Span};
use crate::search::Kind;

/// Proposes each line.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    if snapshot.layers.first().is_some_and(|layer| layer.parsed.errors() == 0) {
        return Builder::new(Filter::Nothing, Seam::Touch).build();
    }
    let mut builder = Builder::new(Filter::Nothing, Seam::Touch);
    let mut at = 0;
    for line in snapshot.source.split_inclusive(|&b| b == b'\n') {
        let end = at + line.len() as u32;
        builder.delta([Edit::delete(Span::new(at, end))]);
        at = end;
    }
    builder.close(Kind::Set, None);
    builder.build()
}
