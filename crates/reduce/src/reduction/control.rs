//! Holds the bounds of a reduction: passes that are left out, early ends, the objective, and the spans that have to
//! stay.
//!
//! It decides nothing by itself: the state and the driver ask it.

use super::{Reduction, folder};
use crate::event::Size;
use crate::pass;
use nubbin_search::schedule::{Name, name};
use nubbin_syntax::edit::{Edit, Span};
use std::collections::HashMap;
use std::sync::Arc;

/// The objective: it decides which of two texts is smaller, and in which unit sizes are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Objective {
    /// A text with fewer tokens is smaller; for equal tokens, one with fewer bytes.
    #[default]
    Tokens,
    /// A text with fewer bytes is smaller; for equal bytes, one with fewer tokens.
    Bytes,
    /// A text with fewer lines that hold more than blanks is smaller; then one with fewer tokens, then one with fewer
    /// bytes.
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

/// The objectives in order: the first one that tells two texts apart decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// The objective that decides first; sizes are shown in its unit.
    pub first: Objective,
    /// The objective that decides next, if it is not the usual one.
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

/// The bound that ended a reduction before it was proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The [greatest number of probes](Reduction::max_probes) was reached.
    Probes,
    /// The best is [small enough](Reduction::stop_at).
    Size,
}

/// The bounds that the user set.
#[derive(Clone, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "they have nothing to do with each other")]
pub(super) struct Control {
    /// The passes that never run.
    pub left_out: Vec<&'static str>,
    pub max_probes: Option<usize>,
    pub stop_at: Option<(Objective, usize)>,
    pub objective: Order,
    /// Is true if no candidate may fit the grammar worse than the best, provided that the input fits it.
    pub stays_well_formed: bool,
    /// The spans of the input that have to stay, in order.
    pub kept: Vec<Span>,
    /// The size of the other parts, for a part of an archive.
    pub outside: Size,
    /// Is true if words are to tell nothing of their origin in the end.
    pub anonymize: bool,
    /// Is true if the files of an archive come into each other.
    pub joins_files: bool,
    /// Is true if the input is an archive, which is larger than its files.
    pub is_archive: bool,
}

impl Control {
    /// Tells whether a best is small enough.
    pub fn is_reached(&self, best: &[u8], size: Size) -> bool {
        let Some((unit, most)) = self.stop_at else { return false };
        let size = if self.is_archive { folder::archive_size(best) } else { size };
        unit.of(size) + unit.of(self.outside) <= most
    }
}

impl Control {
    /// Returns the bounds for a part of an archive at this place. The part is a file, for which `outside` is the size
    /// of the others, or the whole archive.
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

    /// Moves the spans that have to stay after a part has grown by `grown` bytes (a negative number if it shrank).
    /// `kept` has the new spans of the part.
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
    /// Runs only the passes for whose [names](crate::pass::all) `runs` is true. The proof covers only these passes.
    #[must_use]
    pub fn passes(mut self, runs: impl Fn(&str) -> bool) -> Self {
        self.control.left_out = pass::all().map(|pass| pass.name).filter(|name| !runs(name)).collect();
        self
    }

    /// Ends the reduction after this many probes with the best so far. The result is the same at every number of jobs.
    ///
    /// The number counts like [`Counts::probes`](crate::event::Counts::probes), including probes that a
    /// [record](Self::record) knows. With the record of a run that was stopped, a larger number continues where that
    /// run ended.
    #[must_use]
    pub fn max_probes(mut self, probes: impl Into<Option<usize>>) -> Self {
        self.control.max_probes = probes.into();
        self
    }

    /// Ends the reduction as soon as the best has at most this many of these units. The result is the same at every
    /// number of jobs.
    #[must_use]
    pub fn stop_at(mut self, bound: impl Into<Option<(Objective, usize)>>) -> Self {
        self.control.stop_at = bound.into();
        self
    }

    /// Sets the objective, which decides what is smaller. A candidate that is not smaller than the best is never
    /// probed. A mere deletion is always smaller.
    ///
    /// The objective [bytes](Objective::Bytes) [squeezes](Self::compact) blanks, too.
    #[must_use]
    pub fn objective(mut self, objective: impl Into<Order>) -> Self {
        self.control.objective = objective.into();
        self
    }

    /// Sets whether all words become short and say nothing in the end, wherever they stand: names, words of strings and of
    /// comments, and numbers, as far as the failure stays.
    #[must_use]
    pub fn anonymize(mut self, anonymize: bool) -> Self {
        self.control.anonymize = anonymize;
        self
    }

    /// Keeps every candidate well-formed if the input is well-formed: no candidate has more syntax errors than the
    /// best. This holds also for the last passes, which otherwise accept more errors for fewer tokens.
    ///
    /// It is meant for failures that any malformed text shows, for example that a program cannot parse its input.
    #[must_use]
    pub fn well_formed(mut self, stays_well_formed: bool) -> Self {
        self.control.stays_well_formed = stays_well_formed;
        self
    }

    /// Keeps the text in these spans of the input, byte for byte and in this order.
    ///
    /// No candidate that would change them is probed, except the empty input: an oracle that accepts it accepts too
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

/// Sorts spans and removes empty ones; spans that overlap or touch are joined.
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

/// The places in each best of the text that has to stay.
#[derive(Debug, Default)]
pub(super) struct KeptSpans(HashMap<Name, Arc<[Span]>>);

impl KeptSpans {
    /// Records the spans that have to stay in a best.
    pub fn add(&mut self, best: &[u8], spans: Arc<[Span]>) {
        if !spans.is_empty() {
            self.0.insert(name(best), spans);
        }
    }

    /// Returns the spans that have to stay in a best.
    pub fn of(&self, best: &[u8]) -> Arc<[Span]> {
        if self.0.is_empty() { Arc::default() } else { self.0.get(&name(best)).cloned().unwrap_or_default() }
    }

    /// Returns the spans that have to stay after an edit of a best; `None` if the edit touches one of them.
    pub fn after(&self, best: &[u8], edit: &Edit) -> Option<Arc<[Span]>> {
        let spans = self.of(best);
        if edit.span.touches_any(&spans) {
            return None;
        }
        let grown = edit.text.len() as i64 - i64::from(edit.span.len());
        let moved = |at: u32| if at < edit.span.end { at } else { (i64::from(at) + grown) as u32 };
        Some(spans.iter().map(|span| Span::new(moved(span.start), moved(span.end))).collect())
    }

    /// Tells whether nothing has to stay.
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
