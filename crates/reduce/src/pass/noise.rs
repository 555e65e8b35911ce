//! Proposes constructs that a grammar often cannot parse, as one group. Without them, the rest of the text gets a
//! better syntax tree.

use super::{Builder, CandidateFilter, Proposal, Snapshot};
use nubbin_search::search::GroupKind;
use nubbin_syntax::deletion_span;
use nubbin_syntax::edit::{Edit, Seam, Span};

/// Proposes the texts that match `noise` in the manifest of the language, if the layer has syntax errors.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart);
    for layer in snapshot.layers.iter().filter(|layer| layer.parsed.errors() > 0) {
        for span in layer.language.noise(layer.span.of(&snapshot.source)) {
            let span = Span::new(layer.span.start + span.start, layer.span.start + span.end);
            builder.delta([Edit::delete(deletion_span(&snapshot.source, span))]);
        }
    }
    builder.close(GroupKind::Set, None);
    builder.build()
}
