//! Whitespace and line breaks around text that is removed or moved.

use crate::edit::{Edit, Span};
use serde::Deserialize;

/// The meaning of indentation in a language.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// Whitespace and line breaks only separate tokens.
    #[default]
    Free,
    /// A block is a sequence of lines with the same indentation; moved text is re-indented.
    Indentation,
    /// Text stands between tags, and whitespace next to a tag is part of it.
    Markup,
}

/// The starts of the lines of a text.
#[derive(Clone, Debug)]
pub struct Lines {
    starts: Vec<u32>,
}

impl Lines {
    /// Finds the lines of `source`.
    #[must_use]
    pub fn new(source: &[u8]) -> Self {
        let breaks = memchr::memchr_iter(b'\n', source).map(|at| at as u32 + 1);
        Self { starts: std::iter::once(0).chain(breaks).collect() }
    }

    /// Returns the start of the line that contains `at`.
    #[must_use]
    pub fn start_of(&self, at: u32) -> u32 {
        self.row_of(at).1
    }

    /// Returns the number, from 0, of the line that contains `at`, and its start.
    #[must_use]
    pub fn row_of(&self, at: u32) -> (usize, u32) {
        let row = self.starts.partition_point(|&start| start <= at) - 1;
        (row, self.starts[row])
    }

    /// Returns the starts of lines inside `span`, except at its first byte.
    fn starts_in(&self, span: Span) -> &[u32] {
        let from = self.starts.partition_point(|&start| start <= span.start);
        let to = self.starts.partition_point(|&start| start < span.end);
        &self.starts[from.min(to)..to]
    }

    /// Returns the edits that change the indentation of the lines of `moved`, except the first one, from that
    /// of their own place to that of the line that contains `place`.
    ///
    /// Blank lines and lines that begin inside a span of `opaque` (sorted, disjoint) are not changed. The edits
    /// of nested moves never touch the same bytes, so they can be applied together.
    #[must_use]
    pub fn reindent(&self, source: &[u8], moved: Span, place: u32, opaque: &[Span]) -> Vec<Edit> {
        let own_line = self.start_of(moved.start);
        let from = indentation(source, own_line);
        if own_line + from != moved.start {
            return Vec::new();
        }
        let target_line = self.start_of(place);
        let to = indentation(source, target_line);
        let inside = |at: u32| {
            let next = opaque.partition_point(|span| span.start < at);
            next > 0 && opaque[next - 1].end > at
        };
        let mut edits = Vec::new();
        for &line in self.starts_in(moved).iter().filter(|&&line| !inside(line)) {
            let here = indentation(source, line);
            let blank = source.get((line + here) as usize).is_none_or(|&b| b == b'\n' || b == b'\r');
            if blank {
                continue;
            }
            if from > to && here > to {
                edits.push(Edit::delete(Span::new(line + to, line + here.min(from))));
            } else if from < to && here >= from {
                let more = Span::new(target_line + from, target_line + to).of(source);
                edits.push(Edit::replace(Span::new(line + from, line + from), more));
            }
        }
        edits
    }
}

/// Returns the width of the indentation of the line that begins at `line`, in bytes.
#[must_use]
pub fn indentation(source: &[u8], line: u32) -> u32 {
    source[line as usize..].iter().take_while(|&&b| b == b' ' || b == b'\t').count() as u32
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0c)
}

/// Returns the span to delete instead of `span`: whole lines if nothing else is on them, otherwise also the
/// whitespace on one side that would be left over.
#[must_use]
pub fn deletion_span(source: &[u8], span: Span) -> Span {
    let before = source[..span.start as usize].iter().rev().take_while(|&&b| is_blank(b)).count() as u32;
    let after = source[span.end as usize..].iter().take_while(|&&b| is_blank(b)).count() as u32;
    let first = span.start - before;
    let last = span.end + after;
    let opens = first == 0 || source[first as usize - 1] == b'\n';
    let closes = source.get(last as usize).is_none_or(|&b| b == b'\n');
    match (opens, closes) {
        (true, true) => Span::new(first, (last + 1).min(source.len() as u32)),
        (false, true) => Span::new(first, span.end),
        (_, false) => Span::new(span.start, last),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deleted(source: &str, what: &str) -> String {
        let start = source.find(what).expect("it is there") as u32;
        let span = deletion_span(source.as_bytes(), Span::new(start, start + what.len() as u32));
        let (before, after) = (&source[..span.start as usize], &source[span.end as usize..]);
        format!("{before}{after}")
    }

    #[test]
    fn a_deletion_takes_its_line_or_one_side_of_its_blanks() {
        assert_eq!(deleted("a;\n  b;\nc;\n", "b;"), "a;\nc;\n");
        assert_eq!(deleted("a;\r\n  b;\r\nc;\r\n", "b;"), "a;\r\nc;\r\n");
        assert_eq!(deleted("static int x;", "int"), "static x;");
        // The patch inserts a space between two words.
        assert_eq!(deleted("f(a) b", "(a)"), "fb");
        assert_eq!(deleted("x; y;\n", "y;"), "x;\n");
        assert_eq!(deleted("  x; y;\n", "x;"), "  y;\n");
        assert_eq!(deleted("last", "last"), "");
    }

    #[test]
    fn moved_lines_are_indented_anew_but_not_inside_strings() {
        let source = "  if x:\n      a = '''\n      b'''\n\n      if y:\n          c\n";
        let moved = Span::new(source.find("a =").unwrap() as u32, source.len() as u32 - 1);
        let text = Span::new(source.find("'''").unwrap() as u32, source.rfind("'''").unwrap() as u32 + 3);
        let edits = Lines::new(source.as_bytes()).reindent(source.as_bytes(), moved, 2, &[text]);
        let patch = crate::edit::Patch::new(edits);
        let result = patch.apply(source.as_bytes(), crate::edit::Seam::Apart);
        let expected = "  if x:\n      a = '''\n      b'''\n\n  if y:\n      c\n";
        assert_eq!(String::from_utf8(result).unwrap(), expected);
    }
}
