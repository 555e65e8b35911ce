//! Finds a number that counts lines of the text, so that it can be updated when some of these lines are deleted.

use nubbin_syntax::edit::{Edit, Patch, Span, is_word};

/// A number in a text that counts later lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::pass) struct Count {
    /// The position of the number.
    pub number: Span,
    /// The counted lines, with their ends.
    pub lines: Vec<Span>,
}

impl Count {
    /// Adds to a patch the number that matches the remaining lines.
    pub fn follow(&self, patch: &Patch) -> Patch {
        let mut edits = patch.edits().iter().peekable();
        let is_left = |line: &&Span| {
            while edits.next_if(|edit| edit.span.end < line.end).is_some() {}
            let edit = edits.peek().filter(|edit| edit.span.start < line.end);
            edit.is_none_or(|edit| edit.text.contains(&b'\n'))
        };
        let left = self.lines.iter().filter(is_left).count();
        let number = Edit::replace(self.number, left.to_string().into_bytes());
        if left == self.lines.len() { patch.clone() } else { patch.with(vec![number]) }
    }
}

/// Returns the number that counts lines, if there is one. The counted lines begin after its line, and end at the next
/// blank line, at the end of the text, or where lines begin with another kind of character. There must be at least two
/// of them, and at least half of all lines. To exclude numbers that match by accident, such as times in a log, the line
/// of the number must begin with another kind of character than the next line, or contain nothing else.
pub(in crate::pass) fn count(source: &[u8]) -> Option<Count> {
    let mut at = 0;
    let lines = source.split_inclusive(|&byte| byte == b'\n').map(|line| {
        at += line.len() as u32;
        Span::new(at - line.len() as u32, at)
    });
    let lines: Vec<Span> = lines.collect();
    let kinds: Vec<Option<Beginning>> = lines.iter().map(|line| beginning(line.of(source))).collect();
    let total = kinds.iter().flatten().count();
    // The numbers of lines after the current one: up to the end, up to the next blank line, and those that begin with
    // the same kind of character.
    let (mut rest, mut paragraph, mut alike) = (0, 0, 0);
    let mut found = None;
    for (i, line) in lines.iter().enumerate().rev() {
        let counted = |number: usize| {
            let is_end = number == rest || number == paragraph || number == alike;
            is_end && number > 1 && 2 * number >= total
        };
        let is_header = kinds.get(i + 1).is_some_and(|next| *next != kinds[i]) || is_single(line.of(source));
        if is_header
            && let Some((number, span)) = numbers(source, *line).rev().find(|&(number, _)| counted(number))
        {
            found = Some((i, number, span));
        }
        let is_alike = kinds.get(i + 1).is_some_and(|next| *next == kinds[i]);
        (rest, paragraph, alike) = match kinds[i] {
            None => (rest, 0, 0),
            Some(_) => (rest + 1, paragraph + 1, if is_alike { alike + 1 } else { 1 }),
        };
    }
    let (line, count, number) = found?;
    let after = (line + 1..lines.len()).filter(|&line| kinds[line].is_some()).take(count);
    Some(Count { number, lines: after.map(|line| lines[line]).collect() })
}

/// The kind of the first character of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beginning {
    Digit,
    Letter,
    Other(u8),
}

/// Returns the kind of the first character of a line, ignoring whitespace and a minus sign, or `None` if the line is
/// blank.
fn beginning(line: &[u8]) -> Option<Beginning> {
    let text = line.trim_ascii_start();
    let text = text.strip_prefix(b"-").unwrap_or(text);
    text.first().map(|&byte| match byte {
        byte if byte.is_ascii_digit() => Beginning::Digit,
        byte if is_word(byte) => Beginning::Letter,
        byte => Beginning::Other(byte),
    })
}

/// Returns whether a line is one word.
fn is_single(line: &[u8]) -> bool {
    line.trim_ascii().iter().all(|&byte| is_word(byte))
}

/// Lists the numbers of a line, by position.
fn numbers(source: &[u8], line: Span) -> impl DoubleEndedIterator<Item = (usize, Span)> {
    let mut at = line.start;
    let chunks = line.of(source).chunk_by(|&a, &b| is_word(a) == is_word(b));
    let numbers = chunks.filter_map(move |chunk| {
        let span = Span::new(at, at + chunk.len() as u32);
        at = span.end;
        let is_number = chunk[0] != b'0' && chunk.iter().all(u8::is_ascii_digit);
        let text = std::str::from_utf8(chunk).ok().filter(|_| is_number)?;
        Some((text.parse().ok()?, span))
    });
    numbers.collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nubbin_syntax::edit::Seam;

    fn counted(source: &str) -> Option<(u32, usize)> {
        count(source.as_bytes()).map(|count| (count.number.start, count.lines.len()))
    }

    #[test]
    fn a_number_counts_the_lines_up_to_the_end_or_those_that_begin_alike() {
        assert_eq!(counted("c x\np cnf 9 3\n1 0\n-2 0\n3 0\n"), Some((12, 3)));
        assert_eq!(counted("p cnf 9 3\n1 0\n-2 0\n3 0\n%\n"), Some((8, 3)));
        assert_eq!(counted("3\na\n1\n+\n"), Some((0, 3)));
        assert_eq!(counted("2\na\nb\n\nc\n"), Some((0, 2)));
        assert_eq!(counted("3 3\na\nb\nc"), Some((2, 3)));
    }

    #[test]
    fn what_counts_nothing_or_little_is_no_count() {
        for text in
            ["", "1\na\n", "02\na\nb\n", "a\nb\nc\nd\ne\n2\nf\ng\n", "4\na\nb\nc\n", "1 2\n2 3\n3 4\n"]
        {
            assert_eq!(counted(text), None, "{text}");
        }
    }

    #[test]
    fn the_number_follows_the_lines_that_are_left() {
        let source = b"p 3\n1\n2 c\n4";
        let count = count(source).unwrap();
        let after = |spans: &[(u32, u32)]| {
            let edits = spans.iter().map(|&(start, end)| Edit::delete(Span::new(start, end)));
            let patch = count.follow(&Patch::new(edits.collect()));
            String::from_utf8(patch.apply(source, Seam::Touch)).unwrap()
        };
        assert_eq!(after(&[(4, 6)]), "p 2\n2 c\n4");
        assert_eq!(after(&[(4, 10)]), "p 1\n4");
        assert_eq!(after(&[(8, 9)]), "p 3\n1\n2 \n4");
        assert_eq!(after(&[(0, 4), (10, 11)]), "1\n2 c\n");
        assert_eq!(after(&[(2, 6)]), "p 2 c\n4");
    }
}
