//! Proposes single bytes: of an input in an unknown language, and inside the tokens of a short text.

use super::block::is_unstructured;
use super::repeat::thin;
use super::word::words;
use super::{Builder, CandidateFilter, Proposal, Snapshot};
use nubbin_search::search::{Ddmin, GroupKind};
use nubbin_syntax::edit::{Edit, Seam, Span, is_word};

/// The maximum size in bytes of a text in a known language whose characters are tried one by one.
const SMALL: usize = 64;

/// Proposes each byte of a text in an unknown language. In a short text of a known language, proposes for each token of
/// several characters to keep only the first one, and then to delete each of its characters. Words are halved instead.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Nothing, Seam::Touch);
    let source = &snapshot.source;
    if !snapshot.layers.is_empty() {
        let unread = snapshot.unread().into_iter().flat_map(|span| words(source, span));
        let pieces = snapshot.pieces().into_iter().chain(unread);
        for leaf in pieces.filter(|span| span.len() > 1 && source.len() <= SMALL) {
            let characters = characters(source, leaf);
            if let [first, _, .., last] = characters[..] {
                builder.single([Edit::delete(Span::new(first.end, last.end))]);
            }
            let mut delete = |part: &[Span]| {
                builder.single([Edit::delete(Span::new(part[0].start, part[part.len() - 1].end))]);
            };
            // A word seldom keeps its meaning without one letter, so only its halves are tried. If the word is the
            // whole text, shorter beginnings and ends are tried as well.
            let is_word = leaf.of(source).iter().all(|&byte| is_word(byte));
            let half = characters.len().div_ceil(2);
            characters.chunks(if is_word { half } else { 1 }).for_each(&mut delete);
            if is_word && leaf.of(source) == source.trim_ascii() {
                let ends =
                    std::iter::successors(Some(half.div_ceil(2)), |end| (*end > 1).then(|| end.div_ceil(2)));
                for end in ends {
                    delete(&characters[..end]);
                    delete(&characters[characters.len() - end..]);
                }
            }
        }
        return builder.build();
    }
    let (bytes, is_thinned) = thin(source, bytes(source, Span::new(0, source.len() as u32)));
    for byte in bytes {
        builder.delta([Edit::delete(byte)]);
    }
    builder.close(GroupKind::Set, None);
    builder.thinned(is_thinned).build()
}

/// Proposes the bytes of a text without structure, to be searched by `ddmin`: halves first at every position, because
/// the required bytes can be far apart.
pub(super) fn unstructured(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Nothing, Seam::Touch).placed();
    let source = &snapshot.source;
    if is_unstructured(source) {
        let bytes = bytes(source, Span::new(0, source.len() as u32));
        builder.search(Ddmin::new(bytes.len() as u32));
        for byte in bytes {
            builder.delta([Edit::delete(byte)]);
        }
        builder.close(GroupKind::Set, None);
    }
    builder.build()
}

/// Proposes the bytes of a text in an unknown language, except words of one byte, which the pass over tokens has tried
/// already.
pub(super) fn inside(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Nothing, Seam::Touch);
    let source = &snapshot.source;
    let is_blank = |at: Option<&u8>| at.is_none_or(u8::is_ascii_whitespace);
    let is_alone = |at: usize| {
        is_word(source[at])
            && is_blank(source.get(at + 1))
            && is_blank(at.checked_sub(1).map(|at| &source[at]))
    };
    let (all, _) = thin(source, bytes(source, Span::new(0, source.len() as u32)));
    for byte in all.into_iter().filter(|byte| byte.len() > 1 || !is_alone(byte.start as usize)) {
        builder.delta([Edit::delete(byte)]);
    }
    builder.close(GroupKind::Set, None);
    builder.build()
}

/// Splits a span into characters where it is valid UTF-8, and into bytes elsewhere. CR LF counts as one character, as
/// in [`bytes`].
pub(super) fn characters(source: &[u8], span: Span) -> Vec<Span> {
    let mut characters: Vec<Span> = Vec::with_capacity(span.len() as usize);
    for byte in bytes(source, span) {
        let goes_on = source[byte.start as usize] & 0xc0 == 0x80;
        match characters.last_mut() {
            Some(last) if goes_on && is_whole_or_cut(Span::new(last.start, byte.end).of(source)) => {
                last.end = byte.end;
            }
            _ => characters.push(byte),
        }
    }
    characters
}

/// Returns whether these bytes are one character in UTF-8, or the beginning of one.
fn is_whole_or_cut(bytes: &[u8]) -> bool {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.chars().nth(1).is_none(),
        Err(error) => error.valid_up_to() == 0 && error.error_len().is_none(),
    }
}

/// Splits a span into bytes. CR LF counts as one byte, so that line ends stay consistent.
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(source: &[u8]) -> Vec<&[u8]> {
        let all = characters(source, Span::new(0, source.len() as u32));
        all.into_iter().map(|span| span.of(source)).collect()
    }

    #[test]
    fn characters_are_whole_in_utf8_and_bytes_elsewhere() {
        assert_eq!(texts("aß€\r\n".as_bytes()), ["a".as_bytes(), "ß".as_bytes(), "€".as_bytes(), b"\r\n"]);
        assert_eq!(texts(b"\xe2\x82a\x80\xff"), [&b"\xe2\x82"[..], b"a", b"\x80", b"\xff"]);
    }

    proptest! {
        #[test]
        fn characters_are_those_of_the_text(text in "\\PC{0,12}") {
            let expected: Vec<&[u8]> = text.split("").filter(|c| !c.is_empty()).map(str::as_bytes).collect();
            prop_assert_eq!(texts(text.as_bytes()), expected);
        }

        #[test]
        fn characters_cover_every_byte(bytes in prop::collection::vec(any::<u8>(), 0..12)) {
            prop_assert_eq!(texts(&bytes).concat(), bytes);
        }
    }
}
