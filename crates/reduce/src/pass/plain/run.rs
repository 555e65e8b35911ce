//! Proposes runs of adjacent words and punctuation in a text with brackets, list members, and brackets with the words
//! before them.

use super::super::bracket::opening;
use super::super::word::words;
use super::super::{Builder, CandidateFilter, Proposal, Snapshot};
use super::count;
use nubbin_search::search::GroupKind;
use nubbin_syntax::edit::{Edit, Seam, Span, is_word};
use std::ops::Range;

struct Tuning {
    /// The maximum number of items in a run.
    width: usize,
    /// The maximum number of items before brackets that are deleted with these.
    head: usize,
    /// The maximum number of words and punctuation characters of a text on which the pass runs.
    words: usize,
}

const TUNING: Tuning = Tuning { width: 6, head: 3, words: 2_000 };

/// Proposes runs of items on a line, where a pair of brackets with its content is one item. Text without brackets is
/// not treated as code.
pub(in crate::pass) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let source = &snapshot.source;
    let mut builder =
        Builder::new(CandidateFilter::Nothing, Seam::Touch).scattered().following(count(source));
    let words = words(source, Span::new(0, source.len() as u32));
    if words.len() > TUNING.words {
        return builder.build();
    }
    let text = Text::new(source, &words);
    if !text.is_code() {
        return builder.build();
    }
    for width in 2..=TUNING.width {
        for level in &text.levels {
            text.runs(level, width, &mut builder);
        }
    }
    builder.build()
}

/// Adds list members, each with a separator, and pairs of brackets together with the text before them on the line, so
/// that only their content stays.
pub(in crate::pass) fn parts(source: &[u8], words: &[Span], builder: &mut Builder) {
    let text = Text::new(source, words);
    if text.is_code() {
        text.levels.iter().for_each(|level| text.lists(level, builder));
        text.levels.iter().for_each(|level| text.heads(level, builder));
    }
}

/// A word, punctuation, or a pair of brackets with its content, each with the whitespace after it.
#[derive(Clone, Copy, Debug)]
struct Item {
    span: Span,
    /// The two brackets, each with the whitespace after it.
    brackets: Option<(Span, Span)>,
}

/// A text as nested items.
struct Text<'t> {
    source: &'t [u8],
    /// The content of each pair of brackets, and the text outside all brackets.
    levels: Vec<Vec<Item>>,
}

impl<'t> Text<'t> {
    fn new(source: &'t [u8], words: &[Span]) -> Self {
        let mut levels = Vec::new();
        let mut open: Vec<(Option<Span>, Vec<Item>)> = vec![(None, Vec::new())];
        for &word in words {
            let byte = source[word.start as usize];
            if matches!(byte, b'(' | b'[' | b'{') {
                open.push((Some(word), Vec::new()));
                continue;
            }
            let matching = opening(byte).and_then(|opening| {
                open.iter()
                    .rposition(|(left, _)| left.is_some_and(|left| source[left.start as usize] == opening))
            });
            let Some(at) = matching else {
                let items = &mut open.last_mut().expect("the outermost level stays open").1;
                match items.last_mut().filter(|last| joins(source, last, word)) {
                    Some(last) => last.span.end = word.end,
                    None => items.push(Item { span: word, brackets: None }),
                }
                continue;
            };
            // The content of an unmatched bracket belongs to the level around it.
            while open.len() > at + 1 {
                let (left, items) = open.pop().expect("it is open");
                let around = &mut open.last_mut().expect("a level is around it").1;
                around.extend(left.map(|span| Item { span, brackets: None }).into_iter().chain(items));
            }
            let (left, items) = open.pop().expect("it is open");
            let left = left.expect("only the outermost level has no bracket");
            let whole = Item { span: Span::new(left.start, word.end), brackets: Some((left, word)) };
            open.last_mut().expect("the outermost level stays open").1.push(whole);
            levels.push(items);
        }
        let outermost = open.into_iter().flat_map(|(left, items)| {
            left.map(|span| Item { span, brackets: None }).into_iter().chain(items)
        });
        levels.push(outermost.collect());
        Self { source, levels }
    }

    /// Returns whether the text has brackets.
    fn is_code(&self) -> bool {
        self.levels.len() > 1
    }

    fn ends_line(&self, item: &Item) -> bool {
        let text = item.span.of(self.source);
        text[text.trim_ascii_end().len()..].contains(&b'\n')
    }

    /// Returns the punctuation character of an item.
    fn sign(&self, item: &Item) -> Option<u8> {
        let text = item.span.of(self.source).trim_ascii_end();
        (item.brackets.is_none() && text.len() == 1 && !is_word(text[0])).then(|| text[0])
    }

    /// Returns the span of a run of items. The whitespace after it stays if the run ends a line but does not begin one.
    fn span(&self, items: &[Item]) -> Span {
        let (first, last) = (items[0].span, items[items.len() - 1]);
        let begins_line = self.source[..first.start as usize]
            .iter()
            .rev()
            .take_while(|byte| byte.is_ascii_whitespace())
            .any(|&byte| byte == b'\n');
        let ends_line = self.ends_line(&last);
        let end = last.span.start + last.span.of(self.source).trim_ascii_end().len() as u32;
        Span::new(first.start, if ends_line && !begins_line { end } else { last.span.end })
    }

    /// Proposes the members of a list with semicolons or commas, each with the separator after it, and the last one
    /// with the separator before it.
    fn lists(&self, items: &[Item], builder: &mut Builder) {
        for separator in [b';', b','] {
            let is_separator = |item: &Item| self.sign(item) == Some(separator);
            for line in self.lines(items) {
                let line = &items[line];
                let members: Vec<&[Item]> = line.split_inclusive(is_separator).collect();
                let [first @ .., last] = &members[..] else { continue };
                if first.is_empty() || members.iter().all(|member| member.len() <= 1) {
                    continue;
                }
                for member in first {
                    builder.delta([Edit::delete(self.span(member))]);
                }
                if !is_separator(&last[last.len() - 1]) {
                    let before = line.len() - last.len() - 1;
                    builder.delta([Edit::delete(self.span(&line[before..]))]);
                }
                builder.close(GroupKind::Set, None);
            }
        }
    }

    /// Returns the lines of a level, as ranges of its items.
    fn lines(&self, items: &[Item]) -> Vec<Range<usize>> {
        let mut lines = Vec::new();
        let mut from = 0;
        for (at, item) in items.iter().enumerate() {
            if self.ends_line(item) || at + 1 == items.len() {
                lines.push(from..at + 1);
                from = at + 1;
            }
        }
        lines
    }

    /// Proposes to delete each pair of brackets with the text before it, but not its content.
    fn heads(&self, items: &[Item], builder: &mut Builder) {
        for line in self.lines(items) {
            let line = &items[line];
            for (at, item) in line.iter().enumerate() {
                let Some((left, right)) = item.brackets else { continue };
                if left.end == right.start {
                    continue;
                }
                for width in 1..=TUNING.head.min(at) {
                    let head = Span::new(line[at - width].span.start, left.end);
                    let closing = Item { span: right, brackets: None };
                    builder.single([Edit::delete(head), Edit::delete(self.span(&[closing]))]);
                }
            }
        }
    }

    /// Proposes runs of this number of items on a line. At least one item must not be a word, and the line must not
    /// become empty.
    fn runs(&self, items: &[Item], width: usize, builder: &mut Builder) {
        for line in self.lines(items) {
            let line = &items[line];
            for run in line.windows(width).filter(|run| run.len() < line.len()) {
                let is_word = |item: &Item| item.brackets.is_none() && self.sign(item).is_none();
                if !run.iter().all(is_word) {
                    builder.single([Edit::delete(self.span(run))]);
                }
            }
        }
    }
}

/// Returns whether a word continues the previous item: adjacent punctuation characters form one item.
fn joins(source: &[u8], last: &Item, word: Span) -> bool {
    let before = last.span.of(source);
    let is_sign = |text: &[u8]| text.iter().all(|&byte| byte.is_ascii_punctuation() && byte != b'_');
    last.brackets.is_none()
        && last.span.end == word.start
        && is_sign(before)
        && is_sign(word.of(source).trim_ascii_end())
        && !matches!(before, [.., b',' | b';' | b'"' | b'\'' | b'$' | b'@'])
        && !matches!(source[word.start as usize], b',' | b';' | b'"' | b'\'' | b'$' | b'@')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pass::plain::tests::results_of;

    fn parts_of(snapshot: &Snapshot<'_>) -> Proposal {
        let source = &snapshot.source;
        let mut builder = Builder::new(CandidateFilter::Nothing, Seam::Touch);
        parts(source, &words(source, Span::new(0, source.len() as u32)), &mut builder);
        builder.build()
    }

    #[test]
    fn members_go_with_their_signs_and_brackets_with_what_stands_before_them() {
        assert_eq!(results_of(parts_of, "f(a b, c)"), ["f(c)", "f(a b)", "a b, c"]);
    }

    #[test]
    fn neighbours_go_with_all_that_brackets_hold() {
        let made = results_of(propose, "a b->c(d); e\n");
        assert!(made.contains(&"a b; e|".to_owned()) && made.contains(&"a ; e|".to_owned()), "{made:?}");
    }

    #[test]
    fn text_without_brackets_has_none() {
        assert_eq!(results_of(parts_of, "a b, c; d\n"), [""; 0]);
        assert_eq!(results_of(propose, "a b, c; d\n"), [""; 0]);
    }
}
