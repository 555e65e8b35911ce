//! Bytes, of an input in any language or none.

use super::{Builder, Filter, Proposal, Snapshot};
use crate::edit::{Edit, Seam, Span};
use crate::search::Kind;

/// Proposes each byte.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(Filter::Nothing, Seam::Touch);
    for at in 0..snapshot.source.len() as u32 {
        builder.delta([Edit::delete(Span::new(at, at + 1))]);
    }
    builder.close(Kind::Set, None);
    builder.build()
}
