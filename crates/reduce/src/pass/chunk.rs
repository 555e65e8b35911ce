//! Proposes large parts of a huge text without parsing it.
//!
//! The parts are searched by `ddmin`, halves first, because each run takes long. Syntax trees and lists of lines or
//! words would need many times the memory of the text.

use super::{Builder, CandidateFilter, Proposal, Snapshot};
use nubbin_search::search::{Ddmin, GroupKind};
use nubbin_syntax::edit::{Edit, Seam, Span};

const PARTS: usize = 64;
/// The number of parts of a text that is too large for other passes.
const FINE_PARTS: usize = 1 << 16;

/// Proposes a few large parts, which together are the whole text.
pub(super) fn coarse(snapshot: &Snapshot<'_>) -> Proposal {
    parts(&snapshot.source, PARTS)
}

/// Proposes many small parts.
pub(super) fn fine(snapshot: &Snapshot<'_>) -> Proposal {
    parts(&snapshot.source, FINE_PARTS)
}

/// Proposes this number of parts. A part ends with a line end if there is one near, and never inside a character.
fn parts(source: &[u8], parts: usize) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Nothing, Seam::Touch);
    let step = source.len().div_ceil(parts).max(1);
    let (mut start, mut count) = (0, 0);
    while start < source.len() {
        let end = (start + step).min(source.len());
        let near = &source[end..source.len().min(end + step / 2)];
        let line = near.iter().position(|&byte| byte == b'\n').map(|at| at + 1);
        let rest_of_character = || near.iter().take(3).take_while(|&&byte| byte & 0xc0 == 0x80).count();
        let end = end + line.unwrap_or_else(rest_of_character);
        builder.delta([Edit::delete(Span::new(start as u32, end as u32))]);
        (start, count) = (end, count + 1);
    }
    builder.search(Ddmin::new(count));
    builder.close(GroupKind::Set, None);
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_the_whole_text_and_end_with_lines_and_characters() {
        let text = format!("{}\n{}", "a".repeat(700), "\u{20ac}".repeat(500));
        let source = text.as_bytes();
        let proposal = parts(source, 4);
        let spans: Vec<Span> = (0..proposal.len() as u32).map(|i| proposal.own_edits(i)[0].span).collect();
        assert_eq!(spans.iter().map(|span| span.of(source)).collect::<Vec<_>>().concat(), source);
        assert!(spans.iter().all(|span| std::str::from_utf8(span.of(source)).is_ok()), "{spans:?}");
        assert_eq!(spans[0].end, 701, "the first one ends with the line");
    }
}
