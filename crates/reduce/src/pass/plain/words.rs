//! Finds the words of a text with their lines and the signs before them.

use super::count::count;
use nubbin_syntax::edit::{Edit, Span, is_word};
use std::collections::HashMap;

/// An occurrence of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Occurrence {
    /// The word.
    pub word: Span,
    /// The word with its sign.
    pub signed: Span,
    /// The index of the line.
    pub line: u32,
    /// The index of the word among the different words.
    pub symbol: u32,
}

impl Occurrence {
    /// Returns the sign at this occurrence, which is usually empty.
    pub fn sign(self, source: &[u8]) -> &[u8] {
        Span::new(self.signed.start, self.word.start).of(source)
    }
}

pub(super) struct Words<'t> {
    pub source: &'t [u8],
    /// The lines with their ends.
    pub lines: Vec<Span>,
    /// The occurrences of all words, by position.
    pub places: Vec<Occurrence>,
    /// The occurrences in each line.
    line_places: Vec<std::ops::Range<usize>>,
    /// The occurrences of each word, by position.
    symbols: Vec<Vec<u32>>,
    /// The word that ends most lines.
    end: Option<u32>,
}

impl<'t> Words<'t> {
    /// Finds the words of a text. If a number in the text counts lines, words are searched only in these lines.
    pub fn new(source: &'t [u8]) -> Self {
        let mut at = 0;
        let lines = source.split_inclusive(|&byte| byte == b'\n').map(|line| {
            let start = at;
            at += line.len() as u32;
            Span::new(start, at)
        });
        let lines: Vec<Span> = lines.collect();
        let counted = count(source).map(|count| count.lines[0].start);
        let mut numbers: HashMap<&[u8], u32> = HashMap::new();
        let mut words = Self {
            source,
            places: Vec::new(),
            line_places: Vec::with_capacity(lines.len()),
            symbols: Vec::new(),
            end: None,
            lines: Vec::new(),
        };
        for (number, line) in lines.iter().enumerate() {
            let from = words.places.len();
            if counted.is_none_or(|start| line.start >= start) {
                for word in words_of(source, *line) {
                    let next = numbers.len() as u32;
                    let symbol = *numbers.entry(word.of(source)).or_insert(next);
                    if symbol == next {
                        words.symbols.push(Vec::new());
                    }
                    words.symbols[symbol as usize].push(words.places.len() as u32);
                    let signed = Span::new(word.start - sign_before(source, *line, word), word.end);
                    words.places.push(Occurrence { word, signed, line: number as u32, symbol });
                }
            }
            words.line_places.push(from..words.places.len());
        }
        words.lines = lines;
        words.end = words.most_ends();
        words
    }

    pub fn text(&self, symbol: u32) -> &'t [u8] {
        self.places_of(symbol).next().map_or(&[], |place| place.word.of(self.source))
    }

    /// Returns the number of different words.
    pub fn len(&self) -> u32 {
        self.symbols.len() as u32
    }

    pub fn places_of(&self, symbol: u32) -> impl Iterator<Item = Occurrence> {
        self.symbols[symbol as usize].iter().map(|&place| self.places[place as usize])
    }

    pub fn places_in(&self, line: u32) -> &[Occurrence] {
        &self.places[self.line_places[line as usize].clone()]
    }

    /// Lists the lines that contain a word, without duplicates.
    pub fn lines_of(&self, symbol: u32) -> Vec<u32> {
        let mut lines: Vec<u32> = self.places_of(symbol).map(|place| place.line).collect();
        lines.dedup();
        lines
    }

    /// Returns whether a word ends most lines.
    pub fn is_end(&self, symbol: u32) -> bool {
        self.end == Some(symbol)
    }

    /// Returns the edits that delete these occurrences in one line. The line is deleted if only the word that ends most
    /// lines would be left.
    pub fn remove(&self, line: u32, gone: &[Occurrence]) -> Vec<Edit> {
        let all = self.places_in(line);
        let is_left = |place: &&Occurrence| !gone.contains(place) && !self.is_end(place.symbol);
        if gone.is_empty() || all.iter().any(|place| is_left(&place)) {
            return gone.iter().map(|place| self.delete(*place)).collect();
        }
        vec![Edit::delete(self.lines[line as usize])]
    }

    /// Returns the edit that deletes an occurrence, with its sign and the whitespace on one side.
    pub fn delete(&self, place: Occurrence) -> Edit {
        let line = self.lines[place.line as usize];
        let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
        let Span { mut start, mut end } = place.signed;
        let text = Span::new(end, line.end).of(self.source);
        let after = text.iter().take_while(is_blank).count();
        if text[after..].trim_ascii_start().is_empty() {
            let before = Span::new(line.start, start).of(self.source);
            start -= before.iter().rev().take_while(is_blank).count() as u32;
        } else {
            end += after as u32;
        }
        Edit::delete(Span::new(start, end))
    }

    /// Returns the last word of most lines that have several words.
    fn most_ends(&self) -> Option<u32> {
        let mut counts = vec![0usize; self.symbols.len()];
        let mut lines = 0;
        for places in self.line_places.iter().filter(|places| places.len() > 1) {
            counts[self.places[places.end - 1].symbol as usize] += 1;
            lines += 1;
        }
        (0..self.len()).find(|&symbol| counts[symbol as usize] > 1 && 2 * counts[symbol as usize] > lines)
    }
}

fn words_of(source: &[u8], line: Span) -> impl Iterator<Item = Span> {
    let mut at = line.start;
    let chunks = line.of(source).chunk_by(|&a, &b| is_word(a) == is_word(b));
    chunks.filter_map(move |chunk| {
        let span = Span::new(at, at + chunk.len() as u32);
        at = span.end;
        is_word(chunk[0]).then_some(span)
    })
}

/// Returns the length of the sign of a word: one punctuation character, except brackets, quotes and separators, after
/// whitespace or at the start of a line.
fn sign_before(source: &[u8], line: Span, word: Span) -> u32 {
    let before = Span::new(line.start, word.start).of(source);
    let is_sign = |byte: u8| byte.is_ascii_punctuation() && !b"()[]{}<>\"'`,;:.|".contains(&byte);
    match before {
        [.., blank, sign] if blank.is_ascii_whitespace() && is_sign(*sign) => 1,
        [sign] if is_sign(*sign) => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nubbin_syntax::edit::{Patch, Seam};

    #[test]
    fn a_sign_belongs_to_the_place_and_not_to_the_word() {
        let words = Words::new(b"-12 a-b\n12 (+x)\n");
        let shown: Vec<(&[u8], &[u8])> = words
            .places
            .iter()
            .map(|place| (place.sign(words.source), place.word.of(words.source)))
            .collect();
        let expected: [(&[u8], &[u8]); 5] =
            [(b"-", b"12"), (b"", b"a"), (b"", b"b"), (b"", b"12"), (b"", b"x")];
        assert_eq!(shown, expected);
        assert_eq!(words.lines_of(0), [0, 1]);
    }

    #[test]
    fn a_line_goes_when_only_its_end_is_left() {
        let words = Words::new(b"1 -2 0\n2 0\n1 3 0\n");
        let gone = |symbol: u32| {
            let edits = words.lines_of(symbol).into_iter().flat_map(|line| {
                let gone: Vec<_> = words.places_of(symbol).filter(|place| place.line == line).collect();
                words.remove(line, &gone)
            });
            String::from_utf8(Patch::new(edits.collect()).apply(words.source, Seam::Touch)).unwrap()
        };
        assert_eq!([gone(0), gone(1)], ["-2 0\n2 0\n3 0\n", "1 0\n1 3 0\n"]);
    }

    #[test]
    fn what_ends_a_line_goes_with_the_blanks_before_it() {
        let words = Words::new(b"a b  \n");
        let edit = words.delete(words.places[1]);
        assert_eq!(Patch::new(vec![edit]).apply(words.source, Seam::Touch), b"a  \n");
    }
}
