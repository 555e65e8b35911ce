//! Defines the limits of a reduction: excluded passes, early ends, the objective, and kept spans.

use super::{Reduction, folder};
use crate::event::Size;
use crate::pass;
use nubbin_search::schedule::{Name, name};
use nubbin_syntax::edit::{Edit, Span};
use std::collections::HashMap;
use std::sync::Arc;

/// The measure by which texts are compared, and the unit in which sizes are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Objective {
    /// Fewer tokens; then fewer bytes.
    #[default]
    Tokens,
    /// Fewer bytes; then fewer tokens.
    Bytes,
    /// Fewer non-blank lines; then fewer tokens, then fewer bytes.
    Lines,
}

impl Objective {
    /// All objectives.
    pub const ALL: [Self; 3] = [Self::Tokens, Self::Bytes, Self::Lines];

    /// Returns the name of the objective, which is also the name of its unit.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Tokens => "tokens",
            Self::Bytes => "bytes",
            Self::Lines => "lines",
        }
    }

    /// Returns a size in the unit of the objective.
    #[must_use]
    pub fn of(self, size: Size) -> usize {
        match self {
            Self::Tokens => size.tokens,
            Self::Bytes => size.bytes,
            Self::Lines => size.lines,
        }
    }
}

/// The objectives in order: each one decides if the previous ones are equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// The objective that decides first. Sizes are shown in its unit.
    pub first: Objective,
    /// The objective that decides next, if it is not the default one.
    pub then: Option<Objective>,
}

impl From<Objective> for Order {
    fn from(first: Objective) -> Self {
        Self { first, then: None }
    }
}

impl Order {
    /// Returns a size in the unit of the first objective.
    #[must_use]
    pub fn of(self, size: Size) -> usize {
        self.first.of(size)
    }

    /// Returns the key by which sizes are compared.
    #[must_use]
    pub fn rank(self, size: Size) -> [usize; 3] {
        let first = self.first.of(size);
        let Some(then) = self.then.filter(|then| *then != self.first) else {
            return match self.first {
                Objective::Tokens => [first, size.bytes, 0],
                Objective::Bytes => [first, size.tokens, 0],
                Objective::Lines => [first, size.tokens, size.bytes],
            };
        };
        let last = Objective::ALL.into_iter().find(|last| *last != self.first && *last != then);
        [first, then.of(size), last.map_or(0, |last| last.of(size))]
    }
}

/// The limit that ended a reduction before it was proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The [maximum number of probes](Reduction::max_probes) was reached.
    Probes,
    /// The current best is [small enough](Reduction::stop_at).
    Size,
}

/// The limits set by the user.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent settings")]
pub(super) struct Control {
    /// The excluded passes.
    pub left_out: Vec<&'static str>,
    pub max_probes: Option<usize>,
    pub stop_at: Option<(Objective, usize)>,
    pub objective: Order,
    /// Whether candidates must not have more syntax errors than the current best, if the input has none.
    pub stays_well_formed: bool,
    /// The kept spans of the input, sorted.
    pub kept: Vec<Span>,
    /// The size of the other parts, for a part of an archive.
    pub outside: Size,
    /// Whether words are anonymized at the end.
    pub anonymize: bool,
    /// Whether the files of an archive are inlined.
    pub joins_files: bool,
    /// Whether the input is an archive, which is larger than its files.
    pub is_archive: bool,
}

impl Control {
    /// Returns whether a text is small enough to end.
    pub fn is_reached(&self, best: &[u8], size: Size) -> bool {
        let Some((unit, most)) = self.stop_at else { return false };
        let size = if self.is_archive { folder::archive_size(best) } else { size };
        unit.of(size) + unit.of(self.outside) <= most
    }
}

impl Control {
    /// Returns the limits for a part of an archive at this position: a file, for which `outside` is the size of the
    /// other files, or the whole archive.
    pub fn of_part(&self, (start, end): (usize, usize), outside: Option<Size>, left: Option<usize>) -> Self {
        let is_inside = |span: &&Span| start <= span.start as usize && span.end as usize <= end;
        let start = start as u32;
        let moved = |span: &Span| Span::new(span.start - start, span.end - start);
        Self {
            max_probes: left,
            kept: self.kept.iter().filter(is_inside).map(moved).collect(),
            is_archive: outside.is_none(),
            outside: outside.unwrap_or_default(),
            ..self.clone()
        }
    }

    /// Moves the kept spans after a part has grown by `grown` bytes (negative if it has shrunk). `kept` has the new
    /// spans of the part.
    pub fn shrunk(&mut self, (start, end): (usize, usize), grown: i64, kept: &[Span]) {
        let (start, end) = (start as u32, end as u32);
        let moved = |at: u32| (i64::from(at) + grown) as u32;
        let ahead = self.kept.iter().copied().filter(|span| span.end <= start);
        let inside = kept.iter().map(|span| Span::new(span.start + start, span.end + start));
        let behind = self.kept.iter().filter(|span| span.start >= end);
        let behind = behind.map(|span| Span::new(moved(span.start), moved(span.end)));
        self.kept = ahead.chain(inside).chain(behind).collect();
    }
}

impl Reduction<'_> {
    /// Runs only the passes for whose [names](crate::pass::all) `runs` returns true. The proof covers only these
    /// passes. Groups of passes can be selected with [`pass::select`].
    #[must_use]
    pub fn passes(mut self, runs: impl Fn(&str) -> bool) -> Self {
        self.control.left_out = pass::all().map(|pass| pass.name).filter(|name| !runs(name)).collect();
        self
    }

    /// Ends the reduction with the current best after this many probes. The result is the same for every number of
    /// jobs.
    ///
    /// Probes are counted as in [`Counts::probes`](crate::event::Counts::probes), including probes whose verdicts a
    /// [record](Self::record) knows. With the record of a stopped run and a larger number, the reduction continues
    /// where that run ended.
    #[must_use]
    pub fn max_probes(mut self, probes: impl Into<Option<usize>>) -> Self {
        self.control.max_probes = probes.into();
        self
    }

    /// Ends the reduction as soon as the current best has at most this many of these units. The result is the same for
    /// every number of jobs.
    #[must_use]
    pub fn stop_at(mut self, bound: impl Into<Option<(Objective, usize)>>) -> Self {
        self.control.stop_at = bound.into();
        self
    }

    /// Sets the objective. A candidate that is not smaller than the current best is never probed. A candidate that only
    /// deletes text is always smaller.
    ///
    /// The objective [bytes](Objective::Bytes) also [minifies](Self::compact) whitespace.
    #[must_use]
    pub fn objective(mut self, objective: impl Into<Order>) -> Self {
        self.control.objective = objective.into();
        self
    }

    /// Sets whether identifiers, numbers and the text of strings and comments are replaced at the end, wherever the
    /// failure still reproduces.
    #[must_use]
    pub fn anonymize(mut self, anonymize: bool) -> Self {
        self.control.anonymize = anonymize;
        self
    }

    /// If the input has no syntax errors, rejects every candidate that has some. This includes the last passes, which
    /// otherwise accept syntax errors for fewer tokens.
    ///
    /// Use it for failures that any malformed text shows, such as a program that cannot parse its input.
    #[must_use]
    pub fn well_formed(mut self, stays_well_formed: bool) -> Self {
        self.control.stays_well_formed = stays_well_formed;
        self
    }

    /// Keeps the text in these spans of the input, byte for byte and in this order.
    ///
    /// No candidate that would change them is probed, except the empty input, which detects an oracle that accepts too
    /// much. For an [archive](Self::archive) the spans are positions in its text.
    ///
    /// ```
    /// use nubbin_reduce::{Reduction, Verdict};
    /// use nubbin_syntax::edit::Span;
    ///
    /// let fails = |text: &[u8]| match text.windows(4).any(|w| w == b"boom") {
    ///     true => Verdict::Interesting,
    ///     false => Verdict::Uninteresting,
    /// };
    /// let outcome = Reduction::new("one\ntwo\nboom\nthree\n").keep([Span::new(0, 4)]).run(&fails).unwrap();
    /// assert_eq!(outcome.best, b"one\nboom");
    /// ```
    #[must_use]
    pub fn keep(mut self, spans: impl IntoIterator<Item = Span>) -> Self {
        self.control.kept = united(spans.into_iter().collect());
        self
    }
}

/// Sorts spans, removes empty ones, and joins those that overlap or touch.
fn united(mut spans: Vec<Span>) -> Vec<Span> {
    spans.retain(|span| !span.is_empty());
    spans.sort_unstable();
    let mut united: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match united.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => united.push(span),
        }
    }
    united
}

/// The kept spans of each best.
#[derive(Debug, Default)]
pub(super) struct KeptSpans(HashMap<Name, Arc<[Span]>>);

impl KeptSpans {
    /// Records the kept spans of a text.
    pub fn add(&mut self, best: &[u8], spans: Arc<[Span]>) {
        if !spans.is_empty() {
            self.0.insert(name(best), spans);
        }
    }

    /// Returns the kept spans of a text.
    pub fn of(&self, best: &[u8]) -> Arc<[Span]> {
        if self.0.is_empty() { Arc::default() } else { self.0.get(&name(best)).cloned().unwrap_or_default() }
    }

    /// Returns the kept spans after an edit, or `None` if the edit touches one of them.
    pub fn after(&self, best: &[u8], edit: &Edit) -> Option<Arc<[Span]>> {
        let spans = self.of(best);
        if edit.span.touches_any(&spans) {
            return None;
        }
        let grown = edit.text.len() as i64 - i64::from(edit.span.len());
        let moved = |at: u32| if at < edit.span.end { at } else { (i64::from(at) + grown) as u32 };
        Some(spans.iter().map(|span| Span::new(moved(span.start), moved(span.end))).collect())
    }

    /// Returns whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_that_overlap_or_touch_become_one() {
        let spans = [(7, 9), (0, 3), (2, 4), (4, 5), (6, 6)].map(|(start, end)| Span::new(start, end));
        assert_eq!(united(spans.into()), [Span::new(0, 5), Span::new(7, 9)]);
    }

    #[test]
    fn each_objective_looks_at_its_own_unit_first() {
        let (few_tokens, few_bytes, few_lines) = (
            Size { tokens: 1, bytes: 9, lines: 2 },
            Size { tokens: 3, bytes: 5, lines: 2 },
            Size { tokens: 3, bytes: 6, lines: 1 },
        );
        for (objective, least) in Objective::ALL.into_iter().zip([few_tokens, few_bytes, few_lines]) {
            let all = [few_tokens, few_bytes, few_lines];
            assert_eq!(all.into_iter().min_by_key(|size| Order::from(objective).rank(*size)), Some(least));
        }
    }

    #[test]
    fn the_second_objective_decides_where_the_first_is_the_same() {
        let size = |tokens, bytes, lines| Size { tokens, bytes, lines };
        let order = |first, then| Order { first, then: Some(then) };
        let sizes = [size(5, 90, 2), size(9, 20, 2), size(1, 1, 3)];
        let least = |order: Order| sizes.into_iter().min_by_key(|size| order.rank(*size));
        assert_eq!(least(order(Objective::Lines, Objective::Bytes)), Some(sizes[1]));
        assert_eq!(least(order(Objective::Lines, Objective::Tokens)), Some(sizes[0]));
        assert_eq!(least(order(Objective::Tokens, Objective::Tokens)), Some(sizes[2]));
    }
}
