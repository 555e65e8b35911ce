//! Shows a part of arbitrary bytes as rows of a terminal, with colours. No byte can move the cursor.
//!
//! Only bytes near the window are read, so 200 MB take as long as a page. The colours come from a simple lexer and are
//! not exact.

use memchr::{memchr, memrchr};
use ratatui::text::Span;
use std::collections::HashSet;
use std::ops::Range;

/// The numbers that were tuned.
struct Tuning {
    /// The beginning of a line is searched in at most this many bytes before a position.
    line_bytes: usize,
    /// A comment is recognized if it begins at most this many bytes above the window.
    comment_bytes: usize,
}

const TUNING: Tuning = Tuning { line_bytes: 1 << 12, comment_bytes: 1 << 12 };

/// The width of a tab, in cells.
const TAB: usize = 4;

/// The kind of a part of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Highlight {
    #[default]
    Plain,
    Keyword,
    Call,
    Number,
    Text,
    Comment,
    /// A character without a visible shape, shown as a symbol.
    Control,
}

/// A row: its span in the text, and its parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    pub span: Range<usize>,
    /// True if the row begins a line.
    pub opens: bool,
    pub parts: Vec<(Highlight, String)>,
}

/// The keywords of a language.
pub type Keywords = HashSet<String>;

/// Returns the beginning of the row of `width` cells that contains `at`.
pub fn row_start(text: &[u8], at: usize, width: usize) -> usize {
    let at = at.min(text.len());
    let mut start = line_start(text, at);
    loop {
        let end = row_end(text, start, width);
        if end > at || end >= text.len() || end == start {
            return start;
        }
        start = end;
    }
}

/// Returns the beginning of the row before the row at `start`.
pub fn row_before(text: &[u8], start: usize, width: usize) -> usize {
    if start == 0 { 0 } else { row_start(text, start - 1, width) }
}

/// Returns the beginning of the row after the row at `start`, or the end of the text.
pub fn row_end(text: &[u8], start: usize, width: usize) -> usize {
    let mut cells = 0;
    let mut at = start;
    while let Some((shown, length)) = next(&text[at..], cells) {
        if shown.is_none() {
            return at + length;
        }
        cells += shown.map_or(0, |shown| shown.width);
        if cells > width.max(2) {
            // A row has at least one character, even if the character is too wide.
            return if at == start { at + length } else { at };
        }
        at += length;
    }
    at
}

/// Returns up to `height` rows of `width` cells, from the row that begins at `top`.
pub fn rows(text: &[u8], top: usize, width: usize, height: usize, words: &Keywords) -> Vec<Row> {
    let top = top.min(text.len());
    let mut ends = Vec::with_capacity(height);
    let mut end = top;
    while ends.len() < height && (end < text.len() || end == top) {
        end = row_end(text, end, width);
        ends.push(end);
        if end == top {
            break;
        }
    }
    let from = line_start(text, top.saturating_sub(TUNING.comment_bytes));
    let kinds = kinds(&text[from..end], words);
    let mut start = top;
    let mut rows = Vec::with_capacity(ends.len());
    for end in ends {
        let opens = start == 0 || text[start - 1] == b'\n';
        let parts = parts(&text[start..end], &kinds[start - from..end - from]);
        rows.push(Row { span: start..end, opens, parts });
        start = end;
    }
    rows
}

/// Returns a text as a single row of fewer than `width` cells, with single spaces for whitespace. A longer text is cut
/// and ends with `…`.
pub fn line(text: &[u8], width: usize) -> String {
    let mut line = String::new();
    let (mut at, mut cells) = (0, 0);
    let mut blank = false;
    while let Some((shown, length)) = next(&text[at..], 0) {
        let is_blank = text[at].is_ascii_whitespace();
        at += length;
        if is_blank {
            blank = cells > 0;
            continue;
        }
        if std::mem::take(&mut blank) {
            line.push(' ');
            cells += 1;
        }
        let Some(shown) = shown else { continue };
        if cells + shown.width + 1 > width {
            line.push('…');
            break;
        }
        cells += shown.width;
        shown.add_to(&mut line);
    }
    line
}

/// Returns the beginning of the line that contains `at`; if it is too far away, a position near `at`.
fn line_start(text: &[u8], at: usize) -> usize {
    let least = at.saturating_sub(TUNING.line_bytes);
    match memrchr(b'\n', &text[least..at]) {
        Some(found) => least + found + 1,
        None if least == 0 => 0,
        // In a long line, the position stays the same while the window moves.
        None => at - at % (TUNING.line_bytes / 2),
    }
}

/// The displayed form of a character.
#[derive(Clone, Copy)]
struct Glyph {
    char: char,
    width: usize,
    /// The number of times that the character is shown.
    times: usize,
    is_sign: bool,
}

impl Glyph {
    fn add_to(self, text: &mut String) {
        text.extend(std::iter::repeat_n(self.char, self.times));
    }
}

/// Returns the displayed form of the next character in this column, and its length in bytes. The end of a line has no
/// form.
fn next(text: &[u8], column: usize) -> Option<(Option<Glyph>, usize)> {
    let sign = |char, length| Some((Some(Glyph { char, width: 1, times: 1, is_sign: true }), length));
    match *text.first()? {
        b'\n' => Some((None, 1)),
        b'\r' if text.get(1) == Some(&b'\n') => Some((None, 2)),
        b'\t' => {
            let width = TAB - column % TAB;
            Some((Some(Glyph { char: ' ', width, times: width, is_sign: false }), 1))
        }
        byte @ (0..0x20) => sign(char::from_u32(0x2400 + u32::from(byte)).unwrap_or('?'), 1),
        0x7f => sign('␡', 1),
        byte @ 0x20..0x7f => Some((Some(Glyph { char: byte.into(), width: 1, times: 1, is_sign: false }), 1)),
        _ => {
            let most = &text[..text.len().min(4)];
            let valid = match std::str::from_utf8(most) {
                Ok(valid) => valid,
                Err(error) => std::str::from_utf8(&most[..error.valid_up_to()]).unwrap_or(""),
            };
            let Some(char) = valid.chars().next() else { return sign('\u{fffd}', 1) };
            let length = char.len_utf8();
            let width = width(char);
            if char.is_control() || width == 0 || is_invisible(char) {
                return sign('·', length);
            }
            Some((Some(Glyph { char, width, times: 1, is_sign: false }), length))
        }
    }
}

fn width(char: char) -> usize {
    Span::raw(&*char.encode_utf8(&mut [0; 4])).width()
}

/// Tells whether a character has a width but no shape, or changes the direction of the following text.
fn is_invisible(char: char) -> bool {
    matches!(char, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns the parts of a row.
fn parts(text: &[u8], kinds: &[Highlight]) -> Vec<(Highlight, String)> {
    let mut parts: Vec<(Highlight, String)> = Vec::new();
    let (mut at, mut column) = (0, 0);
    while let Some((shown, length)) = next(&text[at..], column) {
        let kind = kinds[at];
        at += length;
        let Some(shown) = shown else { continue };
        column += shown.width;
        let kind = if shown.is_sign { Highlight::Control } else { kind };
        match parts.last_mut() {
            Some((last, text)) if *last == kind => shown.add_to(text),
            _ => {
                let mut text = String::new();
                shown.add_to(&mut text);
                parts.push((kind, text));
            }
        }
    }
    parts
}

/// Returns the kind of each byte.
fn kinds(text: &[u8], words: &Keywords) -> Vec<Highlight> {
    let mut kinds = vec![Highlight::Plain; text.len()];
    let mut at = 0;
    let mut opens = true;
    while at < text.len() {
        let (kind, length) = token(&text[at..], at.checked_sub(1).map(|before| text[before]), opens, words);
        kinds[at..at + length].fill(kind);
        opens = match text[at] {
            b'\n' => true,
            byte => opens && byte.is_ascii_whitespace(),
        };
        at += length;
    }
    kinds
}

/// Returns the kind and the length of the first token.
fn token(text: &[u8], before: Option<u8>, opens: bool, words: &Keywords) -> (Highlight, usize) {
    let to_line_end = || memchr(b'\n', text).unwrap_or(text.len());
    let until = |end: &[u8]| {
        let found = text.windows(end.len()).skip(end.len()).position(|window| window == end);
        found.map_or(text.len(), |found| found + 2 * end.len())
    };
    match text[0] {
        b'/' if text.starts_with(b"/*") => (Highlight::Comment, until(b"*/")),
        b'/' if text.starts_with(b"//") && before != Some(b':') => (Highlight::Comment, to_line_end()),
        b'<' if text.starts_with(b"<!--") => (Highlight::Comment, until(b"-->")),
        b'#' if opens && text.get(1).is_some_and(u8::is_ascii_alphabetic) => {
            (Highlight::Keyword, 1 + text[1..].iter().take_while(|b| b.is_ascii_alphabetic()).count())
        }
        b'#' if matches!(text.get(1), None | Some(b' ' | b'!' | b'#' | b'\n')) => {
            (Highlight::Comment, to_line_end())
        }
        quote @ (b'"' | b'\'' | b'`') => (Highlight::Text, quoted(text, quote)),
        byte if byte.is_ascii_digit() => {
            (Highlight::Number, text.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'.').count())
        }
        byte if byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80 => {
            let is_part = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'_' || **b >= 0x80;
            let length = text.iter().take_while(is_part).count();
            let word = std::str::from_utf8(&text[..length]).unwrap_or("");
            let kind = if words.contains(word) {
                Highlight::Keyword
            } else if text.get(length) == Some(&b'(') || before == Some(b'<') || before == Some(b'/') {
                Highlight::Call
            } else {
                Highlight::Plain
            };
            (kind, length)
        }
        _ => (Highlight::Plain, 1),
    }
}

/// Returns the length of a string literal. If no quote closes it in the same line, only the opening quote counts.
fn quoted(text: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' => at += 2,
            b'\n' => return 1,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &[u8], width: usize, height: usize) -> Vec<String> {
        let all = rows(text, 0, width, height, &Keywords::new());
        all.into_iter().map(|row| row.parts.into_iter().map(|(_, text)| text).collect()).collect()
    }

    #[test]
    fn control_characters_are_shown_as_symbols() {
        let rows = shown(b"a\x1b[2Jb\r\n\tc\rd\x7f\xff\xe2\x80\xae\xc2\x9b!\x00\n", 40, 9);
        assert_eq!(rows, ["a␛[2Jb", "    c␍d␡\u{fffd}··!␀"]);
        let all: String = shown(&(0..=255).collect::<Vec<u8>>(), 20, 99).concat();
        assert!(!all.chars().any(char::is_control));
    }

    #[test]
    fn rows_fit_into_the_window() {
        assert_eq!(shown("漢字漢字".as_bytes(), 5, 9), ["漢字", "漢字"]);
        assert_eq!(shown(b"abcdefg\nh", 3, 9), ["abc", "def", "g", "h"]);
        assert_eq!(shown(b"abcdefg\nh", 3, 2), ["abc", "def"]);
        assert_eq!(shown(b"", 3, 2), [""]);
        // A window can be narrower than a wide character.
        assert_eq!(shown("漢字".as_bytes(), 1, 9), ["漢", "字"]);
        assert_eq!(shown(b"\t\tx", 1, 9).concat().trim(), "x");
        assert_eq!(row_end(b"\t", 0, 1), 1);
    }

    #[test]
    fn scrolling_up_visits_the_same_rows_as_scrolling_down() {
        let text = b"int main(void) {\n  return 0123456789;\n}\n\nx";
        let mut starts = vec![0];
        while let Some(&start) = starts.last().filter(|start| **start < text.len()) {
            starts.push(row_end(text, start, 7));
        }
        starts.pop();
        for pair in starts.windows(2) {
            assert_eq!(row_before(text, pair[1], 7), pair[0]);
        }
        for at in 0..text.len() {
            assert!(starts.contains(&row_start(text, at, 7)), "{at}");
        }
    }

    #[test]
    fn a_line_of_many_megabytes_is_cut_near_the_window() {
        let text = vec![b'x'; 20 << 20];
        let start = row_start(&text, 10 << 20, 80);
        assert!(start <= 10 << 20 && start + 80 > 10 << 20);
        assert_eq!(rows(&text, start, 80, 50, &Keywords::new()).len(), 50);
        let before = row_before(&text, start, 80);
        assert!(before < start && before + 80 >= start);
    }

    #[test]
    fn keywords_numbers_strings_and_comments_are_distinguished() {
        let words = Keywords::from(["return".to_owned()]);
        let text = b"return f(12, \"a//b\"); // it's\n#include <x>\n/* a\nb */ 'c' 'it\n";
        let kinds = kinds(text, &words);
        let of = |part: &str| {
            let at = text.windows(part.len()).position(|window| window == part.as_bytes()).unwrap();
            kinds[at]
        };
        for (part, kind) in [
            ("return", Highlight::Keyword),
            ("f(", Highlight::Call),
            ("12", Highlight::Number),
            ("\"a", Highlight::Text),
            ("// it", Highlight::Comment),
            ("#inc", Highlight::Keyword),
            ("b */", Highlight::Comment),
            ("'c'", Highlight::Text),
        ] {
            assert_eq!(of(part), kind, "{part}");
        }
        assert_eq!(of("it\n"), Highlight::Plain);
    }

    #[test]
    fn removed_text_is_shown_in_one_row() {
        assert_eq!(line(b"  if (x)\n\n\t\treturn\x1b;\n", 40), "if (x) return␛;");
        assert_eq!(line(b"abcdefgh", 5), "abcd…");
        assert_eq!(line(b"", 5), "");
    }
}
