//! Proposes units of any input: lines, tokens, characters or bytes.
//!
//! No syntax trees are used, and removed units are not replaced. Brackets with their content and blocks are not
//! proposed.

use super::word::words;
use super::{Builder, CandidateFilter, Pass, Proposal, Snapshot};
use nubbin_search::search::GroupKind;
use nubbin_syntax::edit::{Edit, Seam, Span};

/// A unit for reducing an input without a language. Units are ordered from coarse to fine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unit {
    /// A line with its end.
    Line,
    /// A word, a number, or another character that is not whitespace, with the whitespace after it.
    Token,
    /// A character in UTF-8, or a byte that is not part of one.
    Char,
    /// A byte.
    Byte,
}

impl Unit {
    /// All units, from coarse to fine.
    pub const ALL: [Self; 4] = [Self::Line, Self::Token, Self::Char, Self::Byte];

    /// Returns the name of the unit for `--unit`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Line => "line",
            Self::Token => "token",
            Self::Char => "char",
            Self::Byte => "byte",
        }
    }

    /// Splits a text into these units. Together they cover the whole text.
    #[must_use]
    pub fn split(self, text: &[u8]) -> Vec<Span> {
        let mut at = 0;
        match self {
            Self::Line => {
                let lines = text.split_inclusive(|&byte| byte == b'\n');
                lines.map(|line| follow(&mut at, line.len())).collect()
            }
            Self::Token => tokens_of(text),
            Self::Char => {
                let lengths = text.utf8_chunks().flat_map(|chunk| {
                    let others = chunk.invalid().iter().map(|_| 1);
                    chunk.valid().chars().map(char::len_utf8).chain(others)
                });
                lengths.map(|length| follow(&mut at, length)).collect()
            }
            Self::Byte => (0..text.len() as u32).map(|at| Span::new(at, at + 1)).collect(),
        }
    }

    /// Returns the pass that proposes these units.
    ///
    /// # Panics
    /// Never panics: each unit has a pass.
    #[must_use]
    pub fn pass(self) -> &'static Pass {
        super::all().find(|pass| pass.unit == Some(self)).expect("each unit has a pass")
    }
}

pub(super) fn lines(snapshot: &Snapshot<'_>) -> Proposal {
    any_of(Unit::Line, snapshot)
}

pub(super) fn tokens(snapshot: &Snapshot<'_>) -> Proposal {
    any_of(Unit::Token, snapshot)
}

pub(super) fn characters(snapshot: &Snapshot<'_>) -> Proposal {
    any_of(Unit::Char, snapshot)
}

pub(super) fn bytes(snapshot: &Snapshot<'_>) -> Proposal {
    any_of(Unit::Byte, snapshot)
}

/// Returns the spans of the tokens of a text. Leading whitespace belongs to the first one.
fn tokens_of(text: &[u8]) -> Vec<Span> {
    let mut words = words(text, Span::new(0, text.len() as u32));
    if let [first, second, ..] = &mut words[..]
        && first.of(text).trim_ascii().is_empty()
    {
        second.start = first.start;
        words.remove(0);
    }
    words
}

/// Returns the next span of this length, and advances `at`.
fn follow(at: &mut u32, length: usize) -> Span {
    let start = *at;
    *at += length as u32;
    Span::new(start, *at)
}

/// Proposes each unit, all of them as one group.
fn any_of(unit: Unit, snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Nothing, Seam::Touch).placed();
    for span in unit.split(&snapshot.source) {
        builder.delta([Edit::delete(span)]);
    }
    builder.close(GroupKind::Set, None);
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Lists the texts that the pass over a unit proposes to delete.
    fn units(unit: Unit, source: &[u8]) -> Vec<Vec<u8>> {
        let proposal = unit.pass().propose(&Snapshot::plain(source.into()));
        let spans = (0..proposal.len() as u32).map(|delta| match proposal.own_edits(delta) {
            [Edit { span, text }] if text.is_empty() => span.of(source).to_vec(),
            edits => panic!("a unit is one deletion: {edits:?}"),
        });
        spans.collect()
    }

    fn texts(unit: Unit, source: &str) -> Vec<String> {
        units(unit, source.as_bytes()).into_iter().map(|text| String::from_utf8(text).unwrap()).collect()
    }

    #[test]
    fn a_line_has_its_end_and_the_last_one_may_have_none() {
        assert_eq!(texts(Unit::Line, "a\r\n\nb c"), ["a\r\n", "\n", "b c"]);
        assert_eq!(texts(Unit::Line, "a\n"), ["a\n"]);
    }

    #[test]
    fn a_token_has_the_blanks_after_it_and_the_first_one_those_before_it() {
        assert_eq!(texts(Unit::Token, " f(x1,  2.5)\n"), [" f", "(", "x1", ",  ", "2", ".", "5", ")\n"]);
        assert_eq!(texts(Unit::Token, " \n"), [" \n"]);
    }

    #[test]
    fn a_character_is_whole_and_what_is_none_goes_by_bytes() {
        assert_eq!(texts(Unit::Char, "aß€\r\n"), ["a", "ß", "€", "\r", "\n"]);
        let expected = [&b"\xe2"[..], b"\x82", b"a", b"\xff", "é".as_bytes()];
        assert_eq!(units(Unit::Char, b"\xe2\x82a\xff\xc3\xa9"), expected);
    }

    #[test]
    fn a_byte_is_a_byte_also_in_an_end_of_line() {
        assert_eq!(units(Unit::Byte, b"\0\r\n"), [b"\0", b"\r", b"\n"]);
    }

    #[test]
    fn nothing_has_no_units() {
        assert!(Unit::ALL.iter().all(|&unit| units(unit, b"").is_empty()));
    }

    #[test]
    fn units_are_named_and_ordered_from_coarse_to_fine() {
        assert_eq!(Unit::ALL.map(Unit::name), ["line", "token", "char", "byte"]);
        assert!(Unit::ALL.is_sorted());
    }

    proptest! {
        #[test]
        fn units_cover_every_byte_once(
            bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(b'\n'), Just(b' '), Just(b'a')], 0..24)
        ) {
            for unit in Unit::ALL {
                prop_assert_eq!(units(unit, &bytes).concat(), &bytes[..]);
            }
        }

        #[test]
        fn characters_are_those_of_the_text(text in "\\PC{0,12}") {
            let expected: Vec<String> = text.chars().map(String::from).collect();
            prop_assert_eq!(texts(Unit::Char, &text), expected);
        }
    }
}
