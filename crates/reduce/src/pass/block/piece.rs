//! The pieces that blocks are made of, and which brackets reach from one to another.
//!
//! It knows columns, brackets and quotes, and no language; what the pieces are to each other is not decided here.

use nubbin_syntax::edit::is_word;

/// No piece.
pub(super) const NONE: u32 = u32::MAX;

/// Lines of more bytes than this are cut at brackets, commas and semicolons.
const LONG: usize = 200;
/// Of a long line, what is in brackets is a piece of its own from so many bytes on.
const BRACKETS: u32 = 32;
/// Of a long line, a comma or semicolon ends a piece of at least so many bytes, and one that begins with a closing bracket.
const SHORT: u32 = 16;
/// How many columns a tab stands for at most.
const TAB: u32 = 8;

/// What goes or stays as a whole: a line with the blank lines after it, or a part of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Where it begins; it ends where the next one does.
    pub start: u32,
    /// Twice the columns of its line's indentation, and one more where it does not begin the line.
    pub depth: u32,
    /// The last piece that closes a bracket opened in this one; its own number where there is none.
    pub until: u32,
    /// The earlier piece whose bracket it begins with the end of, or [`NONE`].
    pub closes: u32,
    /// Whether a blank line follows.
    pub gap: bool,
}

/// Where a piece may begin.
#[derive(Clone, Copy)]
struct Cut {
    at: u32,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    /// A line with so many columns of indentation.
    Line(u32),
    /// A blank line.
    Blank,
    /// What follows an opening bracket of a long line.
    Inside,
    /// What follows a comma or a semicolon of a long line.
    Next,
    /// A bracket that closes the one at this place.
    Close(u32),
}

/// An opening bracket that waits for its other half.
#[derive(Clone, Copy)]
struct Open {
    at: u32,
    columns: u32,
    /// The line that it stands on, and whether that one is long.
    line: Line,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Line {
    start: u32,
    columns: u32,
    is_long: bool,
}

/// The pieces of a text, in order; together they are all of it.
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
            (Kind::Next, Some(last)) if at - last.start < SHORT && last.closes == NONE => {}
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

/// All places where pieces may begin, in order.
fn cuts(source: &[u8]) -> Vec<Cut> {
    let mut cutter = Cutter { source, cuts: Vec::new(), open: Default::default() };
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
    cuts: Vec<Cut>,
    /// The brackets that are open, of each of the three kinds.
    open: [Vec<Open>; 3],
}

impl Cutter<'_> {
    fn line(&mut self, start: u32, text: &[u8]) {
        if text.trim_ascii().is_empty() {
            self.cuts.push(Cut { at: start, kind: Kind::Blank });
            return;
        }
        let line = Line { start, columns: columns(text), is_long: text.len() > LONG };
        self.cuts.push(Cut { at: start, kind: Kind::Line(line.columns) });
        let mut at = 0;
        while at < text.len() {
            let place = start + at as u32;
            match text[at] {
                b'\\' => at += 1,
                b'\'' if at > 0 && is_word(text[at - 1]) => {}
                quote @ (b'"' | b'\'') => at += quoted(&text[at + 1..], quote),
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
        self.open[kind].push(Open { at, columns: line.columns, line });
    }

    /// A bracket closes the last one of its kind that does not stand deeper than this line.
    fn closes(&mut self, kind: usize, at: u32, line: Line) {
        while self.open[kind].pop_if(|open| open.columns > line.columns).is_some() {}
        let Some(open) = self.open[kind].pop() else { return };
        for others in &mut self.open {
            while others.pop_if(|other| other.at > open.at).is_some() {}
        }
        let is_short = at - open.at <= BRACKETS;
        if open.line != line || line.is_long && !is_short {
            if open.line.is_long {
                self.cut_after(open.at, Kind::Inside);
            }
            self.cuts.push(Cut { at, kind: Kind::Close(open.at) });
        } else if line.is_long {
            while self.cuts.pop_if(|cut| cut.at > open.at).is_some() {}
        }
    }

    /// Cuts after the byte at `at` and the blanks that follow it, unless the line ends there.
    fn cut_after(&mut self, at: u32, kind: Kind) {
        let rest = &self.source[at as usize + 1..];
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        if rest.get(blanks).is_some_and(|byte| !byte.is_ascii_whitespace()) {
            self.cuts.push(Cut { at: at + 1 + blanks as u32, kind });
        }
    }
}

/// In how many columns a line begins.
fn columns(text: &[u8]) -> u32 {
    let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
    blanks.fold(0, |columns, &byte| if byte == b'\t' { (columns / TAB + 1) * TAB } else { columns + 1 })
}

/// How many bytes there are up to the quote that ends a string, with it; 0 where none does in this line.
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

    /// The pieces with what they close.
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
    fn long_lines_are_cut_at_brackets_and_commas() {
        let long = "x".repeat(LONG);
        let source = format!("f(a, [{long}], {{b: 1, c: 'd,(', e: f(1,2), g: 345}}, h)\n");
        let texts: Vec<&str> = shown(&source).into_iter().map(|(text, _)| text).collect();
        let inside = ["b: 1, c: 'd,(', ", "e: f(1,2), g: 345"];
        let expected = ["f(", "a, [", &long, "], ", "{", inside[0], inside[1], "}, ", "h", ")\n"];
        assert_eq!(texts, expected);
    }
}
