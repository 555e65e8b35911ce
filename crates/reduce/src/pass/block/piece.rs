//! Splits a text into pieces, from which blocks are built, and finds brackets that span several pieces.
//!
//! It uses columns, brackets and quotes only.

use crate::pass::bracket::opening;
use nubbin_syntax::edit::is_word;

/// The index that stands for no piece.
pub(super) const NONE: u32 = u32::MAX;

struct Tuning {
    /// Longer lines, in bytes, are split at brackets, commas and semicolons.
    long_line: usize,
    /// In a long line, bracketed text of more bytes is a separate piece.
    bracket_bytes: u32,
    /// In a long line, a comma or semicolon ends a piece only if the piece has at least this many bytes or begins with
    /// a closing bracket.
    short_piece: u32,
    /// The number of crossing brackets from which brackets are treated as ordinary characters.
    crossing: usize,
}

const TUNING: Tuning = Tuning { long_line: 200, bracket_bytes: 32, short_piece: 16, crossing: 8 };

/// The distance between tab stops, in columns.
const TAB: u32 = 8;

/// A line with the blank lines after it, or a part of a long line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// The first byte. A piece ends at the beginning of the next one.
    pub start: u32,
    /// Twice the indentation of its line in columns, plus one if the piece is not the first of the line.
    pub depth: u32,
    /// The last piece that closes a bracket opened in this one, or the piece itself.
    pub until: u32,
    /// The earlier piece whose bracket the first byte of this piece closes, or [`NONE`].
    pub closes: u32,
    /// Whether a blank line follows.
    pub gap: bool,
}

/// A position at which a piece can begin.
#[derive(Clone, Copy)]
struct Cut {
    at: u32,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    /// The beginning of a line, with its indentation in columns.
    Line(u32),
    /// A blank line.
    Blank,
    /// After an opening bracket of a long line.
    Inside,
    /// After a comma or a semicolon of a long line.
    Next,
    /// A closing bracket, with the position of its opening bracket.
    Close(u32),
}

#[derive(Clone, Copy)]
struct OpenBracket {
    at: u32,
    columns: u32,
    line: Line,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Line {
    start: u32,
    columns: u32,
    is_long: bool,
}

/// Splits a text into pieces, in order. Together they cover the whole text.
pub(super) fn pieces(source: &[u8]) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut columns = 0;
    for Cut { at, kind } in cuts(source) {
        let number = pieces.len() as u32;
        let piece = Piece { start: at, depth: 2 * columns + 1, until: number, closes: NONE, gap: false };
        match (kind, pieces.last_mut()) {
            (Kind::Line(of_line), _) => {
                columns = of_line;
                pieces.push(Piece { depth: 2 * columns, ..piece });
            }
            (Kind::Blank, Some(last)) => last.gap = true,
            (Kind::Next, Some(last)) if at - last.start < TUNING.short_piece && last.closes == NONE => {}
            (Kind::Close(opener), _) => {
                let from = pieces.partition_point(|piece| piece.start <= opener) as u32 - 1;
                if from + 1 == number {
                    continue;
                }
                let last = &mut pieces[number as usize - 1];
                if last.closes != from && source[last.start as usize..at as usize].trim_ascii().is_empty() {
                    last.closes = from;
                }
                if last.closes != from {
                    pieces.push(Piece { closes: from, ..piece });
                }
                pieces[from as usize].until = pieces.len() as u32 - 1;
            }
            _ => pieces.push(piece),
        }
    }
    pieces
}

/// Returns whether the brackets of a text nest: most closing brackets match the last open one.
pub(super) fn is_nested(source: &[u8]) -> bool {
    let mut open = Vec::new();
    let (mut matching, mut crossing) = (0usize, 0usize);
    for &byte in source {
        if matches!(byte, b'(' | b'[' | b'{') {
            open.push(byte);
        } else if let Some(opening) = opening(byte) {
            if open.pop_if(|last| *last == opening).is_some() {
                matching += 1;
            } else {
                crossing += usize::from(!open.is_empty());
            }
        }
    }
    crossing <= matching.max(TUNING.crossing)
}

/// Returns the positions at which pieces can begin, in order. Brackets that do not nest, as in binary data, are treated
/// as ordinary characters.
fn cuts(source: &[u8]) -> Vec<Cut> {
    let (cuts, open) = (Vec::new(), Default::default());
    let mut cutter = Cutter { source, is_nested: is_nested(source), cuts, open };
    let mut at = 0;
    for text in source.split_inclusive(|&byte| byte == b'\n') {
        cutter.line(at, text);
        at += text.len() as u32;
    }
    let mut cuts = cutter.cuts;
    cuts.sort_by_key(|cut| cut.at);
    cuts
}

struct Cutter<'t> {
    source: &'t [u8],
    /// Whether the brackets nest.
    is_nested: bool,
    cuts: Vec<Cut>,
    /// The open brackets, one list per kind.
    open: [Vec<OpenBracket>; 3],
}

impl Cutter<'_> {
    fn line(&mut self, start: u32, text: &[u8]) {
        if text.trim_ascii().is_empty() {
            self.cuts.push(Cut { at: start, kind: Kind::Blank });
            return;
        }
        let line = Line { start, columns: columns(text), is_long: text.len() > TUNING.long_line };
        self.cuts.push(Cut { at: start, kind: Kind::Line(line.columns) });
        let mut at = 0;
        while at < text.len() {
            let place = start + at as u32;
            match text[at] {
                b'\\' => at += 1,
                b'\'' if at > 0 && is_word(text[at - 1]) => {}
                quote @ (b'"' | b'\'') => at += quoted(&text[at + 1..], quote),
                b'(' | b')' | b'[' | b']' | b'{' | b'}' if !self.is_nested => {}
                b'(' => self.opens(0, place, line),
                b'[' => self.opens(1, place, line),
                b'{' => self.opens(2, place, line),
                b')' => self.closes(0, place, line),
                b']' => self.closes(1, place, line),
                b'}' => self.closes(2, place, line),
                b',' | b';' if line.is_long => self.cut_after(place, Kind::Next),
                _ => {}
            }
            at += 1;
        }
    }

    fn opens(&mut self, kind: usize, at: u32, line: Line) {
        self.open[kind].push(OpenBracket { at, columns: line.columns, line });
    }

    /// Handles a closing bracket. It matches the last opening bracket of its kind whose line is not indented more than
    /// this line.
    fn closes(&mut self, kind: usize, at: u32, line: Line) {
        while self.open[kind].pop_if(|open| open.columns > line.columns).is_some() {}
        let Some(open) = self.open[kind].pop() else { return };
        for others in &mut self.open {
            while others.pop_if(|other| other.at > open.at).is_some() {}
        }
        let is_short = at - open.at <= TUNING.bracket_bytes;
        if open.line != line || line.is_long && !is_short {
            if open.line.is_long {
                self.cut_after(open.at, Kind::Inside);
            }
            self.cuts.push(Cut { at, kind: Kind::Close(open.at) });
        } else if line.is_long {
            while self.cuts.pop_if(|cut| cut.at > open.at).is_some() {}
        }
    }

    /// Adds a cut after the byte at `at` and the following whitespace, unless the line ends there.
    fn cut_after(&mut self, at: u32, kind: Kind) {
        let rest = &self.source[at as usize + 1..];
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        if rest.get(blanks).is_some_and(|byte| !byte.is_ascii_whitespace()) {
            self.cuts.push(Cut { at: at + 1 + blanks as u32, kind });
        }
    }
}

/// Returns the indentation of a line, in columns.
fn columns(text: &[u8]) -> u32 {
    let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
    blanks.fold(0, |columns, &byte| if byte == b'\t' { (columns / TAB + 1) * TAB } else { columns + 1 })
}

/// Returns the number of bytes up to and including the closing quote, or 0 if the line has no closing quote.
fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut at = 0;
    while let Some(&byte) = rest.get(at) {
        match byte {
            b'\\' => at += 2,
            _ if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text of each piece, and the index of the piece that it closes.
    fn shown(source: &str) -> Vec<(&str, Option<u32>)> {
        let pieces = pieces(source.as_bytes());
        let end = |i: usize| pieces.get(i + 1).map_or(source.len(), |next| next.start as usize);
        let text = |i: usize| &source[pieces[i].start as usize..end(i)];
        let closes = |i: usize| Some(pieces[i].closes).filter(|&from| from != NONE);
        (0..pieces.len()).map(|i| (text(i), closes(i))).collect()
    }

    #[test]
    fn a_line_is_a_piece_with_the_blank_lines_after_it() {
        assert_eq!(shown("a\r\n\r\n \nb\n"), [("a\r\n\r\n \n", None), ("b\n", None)]);
        assert_eq!(shown("\nb"), [("\n", None), ("b", None)]);
        assert_eq!(shown(""), []);
    }

    #[test]
    fn brackets_of_earlier_lines_begin_pieces_where_they_end() {
        assert_eq!(shown("f(a,\n  b);\n"), [("f(a,\n", None), ("  b", None), (");\n", Some(0))]);
        let three = [("(a\n", None), (" (b\n", None), ("  c", None), (")", Some(1)), (")\n", Some(0))];
        assert_eq!(shown("(a\n (b\n  c))\n"), three);
        assert_eq!(shown("f({\n  a\n});\n")[2], ("});\n", Some(0)));
    }

    #[test]
    fn brackets_in_strings_after_backslashes_and_of_deeper_lines_are_passed_by() {
        let source = "{ \"(\" ')' \\( don't (\n  {\n)\n}\n";
        assert_eq!(shown(source)[2..], [(")\n", Some(0)), ("}\n", Some(0))]);
    }

    #[test]
    fn brackets_that_do_not_nest_are_characters() {
        let source = "([)]\n {(})\n".repeat(8);
        let lines: Vec<_> = source.split_inclusive('\n').map(|line| (line, None)).collect();
        assert_eq!(shown(&source), lines);
        assert!(is_nested(b":) :) ]]]]]]]]]] f(a[1]) }}}}}}}}"), "those that close nothing do not count");
    }

    #[test]
    fn long_lines_are_cut_at_brackets_and_commas() {
        let long = "x".repeat(TUNING.long_line);
        let source = format!("f(a, [{long}], {{b: 1, c: 'd,(', e: f(1,2), g: 345}}, h)\n");
        let texts: Vec<&str> = shown(&source).into_iter().map(|(text, _)| text).collect();
        let inside = ["b: 1, c: 'd,(', ", "e: f(1,2), g: 345"];
        let expected = ["f(", "a, [", &long, "], ", "{", inside[0], inside[1], "}, ", "h", ")\n"];
        assert_eq!(texts, expected);
    }
}
