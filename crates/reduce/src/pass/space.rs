//! Proposes to remove blanks between tokens: blank lines and blanks at the ends of lines; or, on request, as many
//! blanks as possible.

use super::{Builder, CandidateFilter, Proposal, Snapshot};
use nubbin_search::search::GroupKind;
use nubbin_syntax::edit::{Edit, Seam, Span, needs_blank};

/// Proposes to remove blank lines and blanks at the ends of lines.
pub(super) fn tidy(snapshot: &Snapshot<'_>) -> Proposal {
    gaps(snapshot, |source, gap| {
        let text = gap.of(source);
        if gap.start == 0 {
            return Vec::new();
        }
        let at_end = gap.end as usize == source.len();
        let Some(last) = text.iter().rposition(|&b| b == b'\n') else {
            return if at_end { Vec::new() } else { b" ".to_vec() };
        };
        let crlf = last > 0 && text[last - 1] == b'\r';
        let line_end: &[u8] = if crlf { b"\r\n" } else { b"\n" };
        let indent = if at_end { &[] } else { &text[last + 1..] };
        [line_end, indent].concat()
    })
}

/// Proposes to remove all blanks that are not needed to keep two tokens apart.
pub(super) fn squeeze(snapshot: &Snapshot<'_>) -> Proposal {
    gaps(snapshot, |source, gap| {
        let (left, right) = (source[..gap.start as usize].last(), source.get(gap.end as usize));
        if needs_blank(left, right) { b" ".to_vec() } else { Vec::new() }
    })
}

/// Proposes a replacement for the blanks between each two tokens, if it is shorter.
fn gaps(snapshot: &Snapshot<'_>, text: impl Fn(&[u8], Span) -> Vec<u8>) -> Proposal {
    let source = &snapshot.source;
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart);
    builder.layout();
    let mut at = 0;
    let ends = snapshot.leaves().into_iter().map(|(layer, id)| layer.tree.node(id).span);
    for next in ends.chain([Span::new(source.len() as u32, source.len() as u32)]) {
        let gap = Span::new(at.min(next.start), next.start);
        at = at.max(next.end);
        if gap.is_empty() || !gap.of(source).iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let text = text(source, gap);
        if text.len() < gap.len() as usize {
            builder.delta([Edit::replace(gap, text)]);
        }
    }
    builder.close(GroupKind::Set, None);
    builder.build()
}
