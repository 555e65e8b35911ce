//! Defines the proposal of a pass: deltas with their edits and weights, and the groups that they form.

use super::part::needless;
use super::plain::Count;
use super::uses::Uses;
use nubbin_search::search::{AnySearch, Group, GroupKind, Groups, Search};
use nubbin_syntax::edit::{Edit, Patch, Seam, Span, count_tokens, is_word};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// The syntactic requirement on candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CandidateFilter {
    /// A candidate with more syntax errors than the current best is not probed.
    Syntax,
    /// Every candidate is probed.
    Nothing,
}

/// The deltas of one snapshot, numbered from 0, in groups.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent properties")]
pub struct Proposal {
    /// The syntactic requirement on candidates.
    pub filter: CandidateFilter,
    /// How the remaining parts of a candidate are joined.
    pub seam: Seam,
    /// A note for the user.
    pub note: Option<&'static str>,
    /// Whether the edits of a delta are far apart. A delta is then identified by the text around each edit instead of
    /// the text from the first edit to the last.
    pub is_scattered: bool,
    /// Whether the distance of a delta from the end of the text is part of its identity. The text around a delta may be
    /// the same in many places.
    pub is_placed: bool,
    /// Whether the deltas change whitespace between tokens.
    pub is_layout: bool,
    /// Whether some deltas of this kind were omitted, so that the proposal proves nothing.
    pub is_partial: bool,
    /// Whether only the first and the last of many equal adjacent parts are separate deltas.
    pub is_thinned: bool,
    edits: Vec<Edit>,
    /// The end of the edits of each delta in `edits`.
    ends: Vec<u32>,
    groups: Arc<Groups>,
    lists: Vec<ListEdits>,
    /// The uses of definitions, if a delta deletes only definitions that nothing else uses.
    uses: Option<Uses>,
    /// A number in the text that counts lines and is updated when lines are deleted.
    count: Option<Count>,
    /// For each delta, whether it touches a pinned span; empty if nothing is pinned.
    pinned: Vec<bool>,
    /// A custom search over the deltas.
    search: Option<AnySearch>,
}

/// Edits for list members in addition to those of their deltas.
#[derive(Debug)]
struct ListEdits {
    members: Range<u32>,
    /// The separators between the members, one fewer than members, an empty span where there is none; or an empty list.
    separators: Vec<Span>,
    /// The text that replaces the list if all members are removed, and the spans of the members.
    filler: Option<(Box<str>, Vec<Span>)>,
}

impl Proposal {
    /// Returns the number of deltas.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there are no deltas.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub(crate) fn take_search(&mut self) -> Option<AnySearch> {
        self.search.take()
    }

    /// Returns the groups of deltas.
    #[must_use]
    pub fn groups(&self) -> Arc<Groups> {
        Arc::clone(&self.groups)
    }

    /// Returns the edits of a delta, without those for the separators of its list.
    #[must_use]
    pub fn own_edits(&self, delta: u32) -> &[Edit] {
        let from = if delta == 0 { 0 } else { self.ends[delta as usize - 1] };
        &self.edits[from as usize..self.ends[delta as usize] as usize]
    }

    /// Returns the edits that apply the deltas in `more` after those for which `made` is true.
    #[must_use]
    pub fn edits(&self, made: &dyn Fn(u32) -> bool, more: &[u32]) -> Vec<Edit> {
        let mut edits = Vec::new();
        let mut rest = more;
        while let Some(&first) = rest.first() {
            match self.list_of(first) {
                None => {
                    edits.extend_from_slice(self.own_edits(first));
                    rest = &rest[1..];
                }
                Some(list) => {
                    let here = rest.partition_point(|&delta| delta < list.members.end);
                    self.edit_list(list, made, &rest[..here], &mut edits);
                    rest = &rest[here..];
                }
            }
        }
        edits
    }

    /// Updates the number that counts lines in a patch of this proposal.
    #[must_use]
    pub fn followed<'p>(&self, patch: &'p Patch) -> Cow<'p, Patch> {
        match &self.count {
            Some(count) => Cow::Owned(count.follow(patch)),
            None => Cow::Borrowed(patch),
        }
    }

    /// Returns the number of uses outside a delta that prevent its deletion, if uses are considered.
    #[must_use]
    pub fn kept(&self, delta: u32) -> Option<u32> {
        self.uses.as_ref().map(|uses| uses.count(delta))
    }

    /// Pins spans, which must be sorted and disjoint. Deltas that touch a pinned span are never applied. If the
    /// proposal changes whitespace, only the edits that touch a pinned span are removed, because the edits of a delta
    /// are independent.
    pub fn pin(&mut self, spans: &[Span]) {
        if spans.is_empty() {
            return;
        }
        self.count = self.count.take().filter(|count| !count.number.touches_any(spans));
        if self.is_layout {
            self.retain_edits(|edit| !edit.span.touches_any(spans));
        }
        let is_pinned = |delta| self.own_edits(delta).iter().any(|edit| edit.span.touches_any(spans));
        self.pinned = (0..self.len() as u32).map(is_pinned).collect();
        if let Some(uses) = &mut self.uses {
            (0..)
                .zip(&self.pinned)
                .filter(|(_, is_pinned)| **is_pinned)
                .for_each(|(delta, _)| uses.pin(delta));
        }
    }

    /// Pins all deltas except those with an edit on a line that contains one of these words.
    pub fn keep_near(&mut self, source: &[u8], words: &[Box<[u8]>]) {
        let mut lines = Vec::new();
        let mut start = 0;
        for line in source.split_inclusive(|&byte| byte == b'\n') {
            let end = start + line.len() as u32;
            let mut parts = line.chunk_by(|&left, &right| is_word(left) && is_word(right));
            if parts.any(|part| words.iter().any(|word| **word == *part)) {
                lines.push(Span::new(start, end));
            }
            start = end;
        }
        let is_near = |delta| self.own_edits(delta).iter().any(|edit| edit.span.touches_any(&lines));
        let is_pinned = |delta: u32| self.pinned.get(delta as usize).is_some_and(|pinned| *pinned);
        self.pinned = (0..self.len() as u32).map(|delta| is_pinned(delta) || !is_near(delta)).collect();
    }

    /// Cuts each edit at the end of the span in which it begins. The spans must be sorted and disjoint.
    pub fn clip(&mut self, spans: impl Iterator<Item = Span>) {
        let spans: Vec<Span> = spans.collect();
        for edit in &mut self.edits {
            let next = spans.partition_point(|span| span.start <= edit.span.start);
            if let Some(around) = spans[..next].last().filter(|around| edit.span.start <= around.end) {
                edit.span.end = edit.span.end.min(around.end);
            }
        }
    }

    fn retain_edits(&mut self, stays: impl Fn(&Edit) -> bool) {
        let mut edits = Vec::with_capacity(self.edits.len());
        let mut from = 0;
        for end in &mut self.ends {
            let own = &self.edits[from as usize..*end as usize];
            edits.extend(own.iter().filter(|edit| stays(edit)).cloned());
            from = std::mem::replace(end, edits.len() as u32);
        }
        self.edits = edits;
    }

    /// Returns the deltas that are applied when the search tries `deltas`, in ascending order. [Pinned](Self::pin)
    /// deltas are excluded. If uses are considered, the result has only deltas that nothing else uses, and in addition
    /// those that only they use. It can be empty.
    #[must_use]
    pub fn fall<'d>(&self, made: &[bool], deltas: &'d [u32]) -> Cow<'d, [u32]> {
        let is_pinned = |delta: &u32| self.pinned.get(*delta as usize).is_some_and(|pinned| *pinned);
        match &self.uses {
            Some(uses) => Cow::Owned(uses.fall(made, deltas)),
            None if deltas.iter().any(is_pinned) => {
                Cow::Owned(deltas.iter().copied().filter(|delta| !is_pinned(delta)).collect())
            }
            None => Cow::Borrowed(deltas),
        }
    }

    /// Puts each delta into a separate group.
    #[must_use]
    pub fn apart(mut self) -> Self {
        let single = |i| Group { members: i..i + 1, kind: GroupKind::Set, owner: None };
        let singles = (0..self.len() as u32).map(single).collect();
        self.groups = Arc::new(Groups::heaviest_first(singles, self.groups.weights().to_vec()));
        self.search = None;
        self
    }

    fn list_of(&self, delta: u32) -> Option<&ListEdits> {
        let next = self.lists.partition_point(|list| list.members.start <= delta);
        self.lists[..next].last().filter(|list| list.members.contains(&delta))
    }

    /// Adds the edits for list members and their separators. One separator is kept between each two remaining members.
    fn edit_list(&self, list: &ListEdits, made: &dyn Fn(u32) -> bool, more: &[u32], edits: &mut Vec<Edit>) {
        let stays = |delta: u32| !made(delta) && more.binary_search(&delta).is_err();
        if let Some((text, spans)) = &list.filler
            && list.members.clone().all(|delta| !stays(delta))
        {
            let member = |delta: u32| spans[(delta - list.members.start) as usize];
            let whole = Span::new(member(more[0]).start, member(more[more.len() - 1]).end);
            edits.push(Edit::replace(whole, text.as_bytes()));
            return;
        }
        for &delta in more {
            edits.extend_from_slice(self.own_edits(delta));
        }
        let gone = needless(&list.separators, |i| stays(list.members.start + i));
        edits.extend(gone.into_iter().map(Edit::delete));
    }
}

/// Builds a proposal.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent properties")]
pub struct Builder {
    filter: CandidateFilter,
    seam: Seam,
    note: Option<&'static str>,
    is_scattered: bool,
    is_placed: bool,
    is_layout: bool,
    is_partial: bool,
    is_thinned: bool,
    edits: Vec<Edit>,
    ends: Vec<u32>,
    weights: Vec<u32>,
    groups: Vec<Group>,
    lists: Vec<ListEdits>,
    uses: Option<Uses>,
    count: Option<Count>,
    search: Option<AnySearch>,
    /// The first member of the open group.
    open: u32,
}

impl Builder {
    /// Creates an empty proposal.
    #[must_use]
    pub fn new(filter: CandidateFilter, seam: Seam) -> Self {
        Self {
            filter,
            seam,
            note: None,
            is_scattered: false,
            is_placed: false,
            is_layout: false,
            is_partial: false,
            is_thinned: false,
            edits: Vec::new(),
            ends: Vec::new(),
            weights: Vec::new(),
            groups: Vec::new(),
            lists: Vec::new(),
            uses: None,
            count: None,
            search: None,
            open: 0,
        }
    }

    /// Adds a note for the user: a sentence without a final period.
    pub fn note(&mut self, text: &'static str) {
        self.note = Some(text);
    }

    /// Declares that the edits of a delta are far apart, see [`Proposal::is_scattered`].
    #[must_use]
    pub fn scattered(mut self) -> Self {
        self.is_scattered = true;
        self
    }

    /// Declares that the distance of a delta from the end of the text matters, see [`Proposal::is_placed`].
    #[must_use]
    pub fn placed(mut self) -> Self {
        self.is_placed = true;
        self
    }

    /// Declares that some deltas of this kind were omitted.
    #[must_use]
    pub fn partial(mut self) -> Self {
        self.is_partial = true;
        self
    }

    /// Sets whether only the first and the last of many equal adjacent parts are separate deltas.
    pub(super) fn thinned(mut self, is_thinned: bool) -> Self {
        self.is_thinned = is_thinned;
        self
    }

    /// Sets the number that counts lines and is updated when lines are deleted.
    pub(super) fn following(mut self, count: Option<Count>) -> Self {
        self.count = count;
        self
    }

    /// Sets the uses of definitions, so that only deltas that nothing else uses are applied. The weight of a delta then
    /// includes the deltas that are applied with it.
    pub(super) fn uses(&mut self, uses: Uses) {
        self.weights = uses.retained(&self.weights);
        self.uses = Some(uses);
    }

    /// Sets a search over the deltas, instead of the default search over the groups. The items of the search are the
    /// deltas that are not applied yet: to omit an item is to apply its delta.
    ///
    /// # Panics
    /// Panics if an interesting verdict does not count as a find for the search.
    pub fn search<S: Search + Send + Sync + 'static>(&mut self, search: S) {
        self.search = Some(AnySearch::new(search));
    }

    /// Declares that the deltas change whitespace between tokens.
    pub fn layout(&mut self) {
        self.is_layout = true;
    }

    /// Adds a delta to the open group, and returns its number. Its weight is the number of bytes that the edits save.
    pub fn delta(&mut self, edits: impl IntoIterator<Item = Edit>) -> u32 {
        let from = self.edits.len();
        self.edits.extend(edits);
        let saved = self.edits[from..].iter().map(|e| i64::from(e.span.len()) - e.text.len() as i64);
        let weight = saved.sum::<i64>().max(0) as u32;
        self.ends.push(self.edits.len() as u32);
        self.weights.push(weight);
        self.ends.len() as u32 - 1
    }

    /// Closes the open group, if it has members.
    pub fn close(&mut self, kind: GroupKind, owner: Option<u32>) {
        let members = self.open..self.ends.len() as u32;
        self.open = members.end;
        if !members.is_empty() {
            self.groups.push(Group { members, kind, owner });
        }
    }

    /// Closes the open group as a list. `separators` are those between the members, or empty. `filler` is the text that
    /// replaces the list if all members are removed, with the spans of the members.
    pub fn close_list(
        &mut self,
        owner: Option<u32>,
        separators: Vec<Span>,
        filler: Option<(&str, Vec<Span>)>,
    ) {
        let members = self.open..self.ends.len() as u32;
        debug_assert!(separators.is_empty() || separators.len() + 1 == members.len());
        if !members.is_empty() && (!separators.is_empty() || filler.is_some()) {
            let filler = filler.map(|(text, spans)| (text.into(), spans));
            self.lists.push(ListEdits { members, separators, filler });
        }
        self.close(GroupKind::Set, owner);
    }

    /// Adds a group of alternatives, each a set of edits. Alternatives that do not shrink `source` are dropped, and the
    /// rest is sorted, the largest gain first.
    pub fn choice(&mut self, source: &[u8], mut alternatives: Vec<Vec<Edit>>) {
        alternatives.retain(|edits| gain(source, edits) > (0, 0));
        alternatives.sort_by_key(|edits| std::cmp::Reverse(gain(source, edits)));
        alternatives.dedup();
        for edits in alternatives {
            self.delta(edits);
        }
        self.close(GroupKind::Choice, None);
    }

    /// Adds a group of one delta.
    pub fn single(&mut self, edits: impl IntoIterator<Item = Edit>) {
        self.delta(edits);
        self.close(GroupKind::Set, None);
    }

    /// Returns the proposal.
    #[must_use]
    pub fn build(mut self) -> Proposal {
        debug_assert_eq!(self.open as usize, self.ends.len(), "every group is closed");
        self.edits.shrink_to_fit();
        self.ends.shrink_to_fit();
        Proposal {
            filter: self.filter,
            seam: self.seam,
            note: self.note,
            is_scattered: self.is_scattered,
            is_placed: self.is_placed,
            is_layout: self.is_layout,
            is_partial: self.is_partial,
            is_thinned: self.is_thinned,
            edits: self.edits,
            ends: self.ends,
            groups: Arc::new(Groups::heaviest_first(self.groups, self.weights)),
            lists: self.lists,
            uses: self.uses,
            count: self.count,
            pinned: Vec::new(),
            search: self.search,
        }
    }
}

/// Returns the tokens and the bytes that edits save.
pub(super) fn gain(source: &[u8], edits: &[Edit]) -> (i64, i64) {
    let tokens: i64 = edits
        .iter()
        .map(|edit| count_tokens(edit.span.of(source)) as i64 - count_tokens(&edit.text) as i64)
        .sum();
    let bytes: i64 = edits.iter().map(|edit| i64::from(edit.span.len()) - edit.text.len() as i64).sum();
    (tokens, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nubbin_syntax::edit::Patch;

    /// Returns the rest of `f(a, b, c, d)` after members are removed in two steps.
    fn after(first: &[u32], then: &[u32]) -> String {
        let source = b"f(a, b, c, d)";
        let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart);
        for i in 0..4u32 {
            builder.delta([Edit::delete(Span::new(2 + 3 * i, 3 + 3 * i))]);
        }
        builder.close_list(None, (0..3).map(|i| Span::new(3 + 3 * i, 5 + 3 * i)).collect(), None);
        let proposal = builder.build();
        let patch = Patch::new(proposal.edits(&|_| false, first));
        let patch = patch.with(proposal.edits(&|delta| first.contains(&delta), then));
        String::from_utf8(patch.apply(source, Seam::Apart)).unwrap()
    }

    #[test]
    fn one_separator_stays_between_each_two_members_that_stay() {
        assert_eq!(after(&[0], &[]), "f(b, c, d)");
        assert_eq!(after(&[3], &[]), "f(a, b, c)");
        assert_eq!(after(&[2, 3], &[]), "f(a, b)");
        assert_eq!(after(&[0, 1], &[3]), "f(c)");
        assert_eq!(after(&[1, 2], &[0]), "f(d)");
        assert_eq!(after(&[1], &[0, 2, 3]), "f()");
    }

    #[test]
    fn a_filler_stands_where_all_members_have_gone() {
        let source = b"if x:\n    a\n    b\n    c\n";
        let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart);
        for line in 0..3u32 {
            builder.delta([Edit::delete(Span::new(6 + 6 * line, 12 + 6 * line))]);
        }
        let spans = (0..3).map(|line| Span::new(10 + 6 * line, 11 + 6 * line)).collect();
        builder.close_list(None, Vec::new(), Some(("pass", spans)));
        let proposal = builder.build();
        let patch = Patch::new(proposal.edits(&|_| false, &[1, 2]));
        assert_eq!(patch.apply(source, Seam::Apart), b"if x:\n    a\n");
        let patch = patch.with(proposal.edits(&|delta| delta > 0, &[0]));
        assert_eq!(patch.apply(source, Seam::Apart), b"if x:\n    pass\n");
    }
}
