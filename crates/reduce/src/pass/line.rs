//! Proposes the lines of an input in any language.

use super::repeat::thin_equal;
use super::{Builder, CandidateFilter, Proposal, Snapshot};
use nubbin_search::search::GroupKind;
use nubbin_syntax::edit::{Edit, Seam, Span};

/// Proposes each line. In a known language, proposes only lines with syntax errors, and lines outside all nodes. Other
/// lines are deleted with their nodes.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Nothing, Seam::Touch);
    let is_plain = snapshot.layers.is_empty();
    let mut misfits: Vec<Span> = snapshot.layers.first().map(super::Layer::errors).unwrap_or_default();
    misfits.extend(snapshot.unread());
    misfits.sort_unstable();
    let mut misfits = misfits.into_iter().peekable();
    let mut lines: Vec<Span> = Vec::new();
    let mut at = 0;
    for line in snapshot.source.split_inclusive(|&b| b == b'\n') {
        let span = Span::new(at, at + line.len() as u32);
        at = span.end;
        while misfits.next_if(|misfit| misfit.end <= span.start).is_some() {}
        if is_plain || misfits.peek().is_some_and(|misfit| misfit.start < span.end) {
            lines.push(span);
        }
    }
    let ranges = thin_equal(&snapshot.source, &lines);
    let is_thinned = ranges.len() < lines.len();
    for range in ranges {
        let mut spans = lines[range].to_vec();
        // Lines between them may be free of errors.
        spans.dedup_by(|next, last| {
            last.end == next.start && std::mem::replace(&mut last.end, next.end) < next.end
        });
        builder.delta(spans.into_iter().map(Edit::delete));
    }
    builder.close(GroupKind::Set, None);
    builder.thinned(is_thinned).build()
}
