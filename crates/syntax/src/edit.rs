//! Spans, edits and their application: pure functions over bytes.
//!
//! An edit replaces one span of a *source* by a text. A [`Patch`] is a set of edits that can be applied
//! together: sorted and disjoint, with overlaps resolved. This module does not know about syntax.

/// A range of bytes, from `start` to `end` (exclusive).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// Creates the span from `start` to `end`.
    ///
    /// # Panics
    /// Panics in debug builds if `end` is before `start`.
    #[must_use]
    pub fn new(start: u32, end: u32) -> Self {
        debug_assert!(start <= end, "a span never ends before it starts");
        Self { start, end }
    }

    /// Length in bytes.
    #[must_use]
    pub fn len(self) -> u32 {
        self.end - self.start
    }

    /// Returns whether the span has no bytes.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Returns whether `other` is inside this span.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns whether the span shares a byte with one of `spans`, which are sorted and disjoint. An empty span
    /// counts if it is inside one of them.
    #[must_use]
    pub fn touches_any(self, spans: &[Self]) -> bool {
        let next = spans.partition_point(|span| span.end <= self.start);
        spans.get(next).is_some_and(|span| span.start < self.end)
    }

    /// Returns the bytes of the span in `source`.
    #[must_use]
    pub fn of(self, source: &[u8]) -> &[u8] {
        &source[self.start as usize..self.end as usize]
    }
}

/// A span of the source and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that are replaced.
    pub span: Span,
    /// The replacement; empty for a deletion.
    pub text: Box<[u8]>,
}

impl Edit {
    /// Creates an edit that deletes `span`.
    #[must_use]
    pub fn delete(span: Span) -> Self {
        Self { span, text: Box::default() }
    }

    /// Creates an edit that replaces `span` by `text`.
    #[must_use]
    pub fn replace(span: Span, text: impl Into<Box<[u8]>>) -> Self {
        Self { span, text: text.into() }
    }

    /// Returns the single edit that turns `old` into `new`, without their common prefix and suffix.
    #[must_use]
    pub fn between(old: &[u8], new: &[u8]) -> Self {
        let same = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let (rest, other) = (&old[same..], &new[same..]);
        let tail = rest.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count();
        let span = Span::new(same as u32, (old.len() - tail) as u32);
        Self::replace(span, &other[..other.len() - tail])
    }
}

/// Whether the bytes on the two sides of a deletion can touch each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seam {
    /// A space is inserted between bytes that would form one token.
    Apart,
    /// Like `Apart`, but text next to a tag can touch it, because whitespace is text there.
    Tagged,
    /// No space is inserted: for passes that edit the inside of tokens or single bytes.
    Touch,
}

impl Seam {
    /// Returns whether a space is inserted between two bytes.
    fn parts(self, left: Option<&u8>, right: Option<&u8>) -> bool {
        let is_tag = || left == Some(&b'>') || right == Some(&b'<');
        match self {
            Self::Apart => needs_blank(left, right),
            Self::Tagged => needs_blank(left, right) && !is_tag(),
            Self::Touch => false,
        }
    }
}

/// Edits of one source that are applied together: sorted, disjoint and not touching.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patch {
    edits: Vec<Edit>,
}

/// A region in which the results of two patches of a source differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangedSpan {
    /// The region in the result of the first patch.
    pub old: Span,
    /// The region in the result of the second patch.
    pub new: Span,
}

impl Patch {
    /// Creates a patch from `edits`.
    ///
    /// If one edit contains another, only the outer one is applied. Two edits that overlap otherwise become one
    /// edit over both spans with both texts.
    #[must_use]
    pub fn new(edits: Vec<Edit>) -> Self {
        Self::default().with(edits)
    }

    /// Returns this patch with additional edits of the same source.
    ///
    /// # Panics
    /// Never: the code only takes an edit that it has peeked at.
    #[must_use]
    pub fn with(&self, mut more: Vec<Edit>) -> Self {
        more.sort_by_key(order);
        let mut old = self.edits.iter().cloned().peekable();
        let mut new = more.into_iter().peekable();
        let mut edits: Vec<Edit> = Vec::with_capacity(self.edits.len() + new.len());
        loop {
            let from_old = match (old.peek(), new.peek()) {
                (Some(o), Some(n)) => order(o) <= order(n),
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (None, None) => break,
            };
            let next = if from_old { old.next() } else { new.next() };
            join(&mut edits, next.expect("one of the two has been seen"));
        }
        Self { edits }
    }

    /// Returns the edits by position.
    #[must_use]
    pub fn edits(&self) -> &[Edit] {
        &self.edits
    }

    /// Applies the patch to its source.
    #[must_use]
    pub fn apply(&self, source: &[u8], seam: Seam) -> Vec<u8> {
        let removed: usize = self.edits.iter().map(|e| e.span.len() as usize).sum();
        let added: usize = self.edits.iter().map(|e| e.text.len() + 1).sum();
        let mut out = Vec::with_capacity((source.len() + added).saturating_sub(removed));
        let mut at = 0;
        for edit in &self.edits {
            out.extend_from_slice(&source[at..edit.span.start as usize]);
            at = edit.span.end as usize;
            if !edit.text.is_empty() && seam.parts(out.last(), edit.text.first()) {
                out.push(b' ');
            }
            out.extend_from_slice(&edit.text);
            if seam.parts(out.last(), source.get(at)) {
                out.push(b' ');
            }
        }
        out.extend_from_slice(&source[at..]);
        out
    }

    /// Maps positions of the source to positions of the result of this patch. A position inside an edit moves
    /// to its end.
    ///
    /// The map includes the spaces that are inserted at seams; they are derived from the sizes (see
    /// [`Positions`]).
    #[must_use]
    pub fn positions(&self, source: &[u8], seam: Seam) -> Positions {
        Positions::of(self, source, seam)
    }
}

/// Sorts edits so that an outer one comes before those inside it.
fn order(edit: &Edit) -> (u32, std::cmp::Reverse<u32>) {
    (edit.span.start, std::cmp::Reverse(edit.span.end))
}

/// Adds `next`, which does not start before the last of `edits`.
fn join(edits: &mut Vec<Edit>, next: Edit) {
    let Some(last) = edits.last_mut() else {
        edits.push(next);
        return;
    };
    if last.span.end < next.span.start {
        edits.push(next);
    } else if last.span.end > next.span.start && last.span.contains(next.span) {
        // The outer edit replaces this one.
    } else if last.span == next.span {
        // Two edits have the same span: the first text stays.
    } else {
        let mut text = std::mem::take(&mut last.text).into_vec();
        text.extend_from_slice(&next.text);
        last.text = text.into_boxed_slice();
        last.span.end = last.span.end.max(next.span.end);
    }
}

/// Returns whether two neighbouring bytes would form one token.
#[must_use]
pub fn needs_blank(left: Option<&u8>, right: Option<&u8>) -> bool {
    let (Some(&left), Some(&right)) = (left, right) else { return false };
    let operator = |b: u8| b"+-*/%<>=!&|^:.?".contains(&b);
    is_word(left) && (is_word(right) || matches!(right, b'"' | b'\''))
        || operator(left) && operator(right) && (left, right) != (b'>', b'<')
        || (left, right) == (b'#', b'#')
}

/// Returns whether a byte belongs to words: letters, digits, `_`, and all bytes beyond ASCII.
#[must_use]
pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Positions in the result of a patch, by positions in its source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Positions {
    /// The span of each edit in the source, and the span of its replacement in the result.
    marks: Vec<(Span, Span)>,
    seams: Vec<Box<[u8]>>,
}

impl Positions {
    fn of(patch: &Patch, source: &[u8], seam: Seam) -> Self {
        let mut marks = Vec::with_capacity(patch.edits.len());
        let mut seams = Vec::with_capacity(patch.edits.len());
        let mut shift = 0i64;
        let mut last_out = None;
        let mut at = 0usize;
        for edit in &patch.edits {
            let (start, end) = (edit.span.start as usize, edit.span.end as usize);
            if start > at {
                last_out = source.get(start - 1);
            }
            let mut text = Vec::with_capacity(edit.text.len() + 2);
            if !edit.text.is_empty() && seam.parts(last_out, edit.text.first()) {
                text.push(b' ');
            }
            text.extend_from_slice(&edit.text);
            let left = text.last().copied().or(last_out.copied());
            if seam.parts(left.as_ref(), source.get(end)) {
                text.push(b' ');
            }
            let from = (i64::from(edit.span.start) + shift) as u32;
            marks.push((edit.span, Span::new(from, from + text.len() as u32)));
            shift += text.len() as i64 - i64::from(edit.span.len());
            at = end;
            seams.push(text.into_boxed_slice());
        }
        Self { marks, seams }
    }

    /// Returns the position in the result for position `at` of the source; for a position inside an edit, the
    /// end of the replacement.
    #[must_use]
    pub fn of_position(&self, at: u32) -> u32 {
        let next = self.marks.partition_point(|(span, _)| span.start < at || span.end <= at);
        let Some((span, place)) = next.checked_sub(1).map(|i| self.marks[i]) else { return at };
        if at < span.end { place.end } else { place.end + (at - span.end) }
    }

    /// Returns the regions in which the results of two patches of one source differ, in order.
    #[must_use]
    pub fn changes(old: &Self, new: &Self) -> Vec<ChangedSpan> {
        let mut changes = Vec::new();
        let (mut i, mut j) = (0, 0);
        let (mut old_shift, mut new_shift) = (0i64, 0i64);
        while i < old.marks.len() || j < new.marks.len() {
            let (start, mut end) = match (old.marks.get(i), new.marks.get(j)) {
                (Some((a, _)), Some((b, _))) => {
                    (a.start.min(b.start), if a.start <= b.start { a.end } else { b.end })
                }
                (Some((a, _)), None) | (None, Some((a, _))) => (a.start, a.end),
                (None, None) => unreachable!("the loop's condition"),
            };
            let (first_i, first_j) = (i, j);
            loop {
                if let Some((span, _)) = old.marks.get(i).filter(|(span, _)| span.start <= end) {
                    end = end.max(span.end);
                    i += 1;
                } else if let Some((span, _)) = new.marks.get(j).filter(|(span, _)| span.start <= end) {
                    end = end.max(span.end);
                    j += 1;
                } else {
                    break;
                }
            }
            let old_start = (i64::from(start) + old_shift) as u32;
            let new_start = (i64::from(start) + new_shift) as u32;
            old_shift += old.growth(first_i, i);
            new_shift += new.growth(first_j, j);
            let same = i - first_i == 1
                && j - first_j == 1
                && old.marks[first_i].0 == new.marks[first_j].0
                && old.seams[first_i] == new.seams[first_j];
            if !same {
                let old_end = (i64::from(end) + old_shift) as u32;
                let new_end = (i64::from(end) + new_shift) as u32;
                changes.push(ChangedSpan {
                    old: Span::new(old_start, old_end),
                    new: Span::new(new_start, new_end),
                });
            }
        }
        changes
    }

    fn growth(&self, from: usize, to: usize) -> i64 {
        self.marks[from..to].iter().map(|(span, place)| i64::from(place.len()) - i64::from(span.len())).sum()
    }
}

/// Counts the tokens of `bytes`: words and single punctuation characters, in the same way for all languages.
#[must_use]
pub fn count_tokens(bytes: &[u8]) -> usize {
    let mut count = 0;
    let mut in_word = false;
    for &byte in bytes {
        let word = is_word(byte);
        count += usize::from(word && !in_word || !word && !byte.is_ascii_whitespace() && byte != 0x0b);
        in_word = word;
    }
    count
}

/// Returns whether a text is a name after a `$`, as in PHP and in shells: `$a`.
#[must_use]
pub fn is_signed_name(text: &[u8]) -> bool {
    text.strip_prefix(b"$").is_some_and(|name| !name.is_empty() && name.iter().all(|&byte| is_word(byte)))
}

/// Counts the lines of `bytes` that contain more than whitespace.
#[must_use]
pub fn count_lines(bytes: &[u8]) -> usize {
    bytes.split(|&b| b == b'\n').filter(|line| !line.trim_ascii().is_empty()).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn edit(start: u32, end: u32, text: &str) -> Edit {
        Edit::replace(Span::new(start, end), text.as_bytes())
    }

    #[test]
    fn a_difference_is_one_edit_between_what_is_the_same() {
        for (old, new) in [("abcd", "axd"), ("aa", "aaa"), ("aaa", "aa"), ("", "x"), ("x", ""), ("ab", "ba")]
        {
            let edit = Edit::between(old.as_bytes(), new.as_bytes());
            let made = Patch::new(vec![edit]).apply(old.as_bytes(), Seam::Touch);
            assert_eq!(made, new.as_bytes(), "{old} {new}");
        }
        assert_eq!(Edit::between(b"abcd", b"axd").span, Span::new(1, 3));
    }

    #[test]
    fn an_edit_inside_another_is_swallowed() {
        let patch = Patch::new(vec![edit(2, 3, "x"), edit(0, 4, "y")]);
        assert_eq!(patch.apply(b"abcdef", Seam::Touch), b"yef");
    }

    #[test]
    fn deletions_that_touch_become_one_and_words_stay_apart() {
        let patch = Patch::new(vec![edit(3, 4, ""), edit(4, 8, "")]);
        assert_eq!(patch.edits().len(), 1);
        assert_eq!(patch.apply(b"int const x;", Seam::Apart), b"int t x;");
        assert_eq!(patch.apply(b"int const x;", Seam::Touch), b"intt x;");
    }

    #[test]
    fn tokens_are_counted_as_words_and_single_punctuation() {
        assert_eq!(count_tokens(b"int x1 = foo(a->b);\n"), 11);
        assert_eq!(count_tokens(b""), 0);
    }

    fn edits(len: u32) -> impl Strategy<Value = Vec<Edit>> {
        let one = (0..=len, 0..=len, "[a+]{0,2}")
            .prop_map(|(a, b, text)| Edit::replace(Span::new(a.min(b), a.max(b)), text.into_bytes()));
        prop::collection::vec(one, 0..6)
    }

    proptest! {
        #[test]
        fn the_changes_between_two_patches_turn_one_result_into_the_other(
            source in "[a-c+ ]{12}", first in edits(12), second in edits(12), apart: bool
        ) {
            let seam = if apart { Seam::Apart } else { Seam::Touch };
            let source = source.as_bytes();
            let old = Patch::new(first);
            let new = old.with(second);
            let (before, after) = (old.apply(source, seam), new.apply(source, seam));
            let changes = Positions::changes(&old.positions(source, seam), &new.positions(source, seam));
            let mut told = before;
            for change in changes.into_iter().rev() {
                let text = change.new.of(&after).to_vec();
                told.splice(change.old.start as usize..change.old.end as usize, text);
            }
            prop_assert_eq!(told, after);
        }

        #[test]
        fn a_patch_is_sorted_and_disjoint(first in edits(12), second in edits(12)) {
            let patch = Patch::new(first).with(second);
            for pair in patch.edits().windows(2) {
                prop_assert!(pair[0].span.end < pair[1].span.start);
            }
        }
    }
}
