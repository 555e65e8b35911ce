//! The bounds of a reduction: passes that are left out, ends before the proof, the objective, the spans that have to
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

/// The objective: it says which of two texts is smaller, and in which unit a size is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Objective {
    /// Fewer tokens, or as many in fewer bytes.
    #[default]
    Tokens,
    /// Fewer bytes, or as many in fewer tokens.
    Bytes,
    /// Fewer lines that hold more than blanks; then fewer tokens; then fewer bytes.
    Lines,
}

impl Objective {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Tokens, Self::Bytes, Self::Lines];

    /// Its name, which is also that of the unit.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Tokens => "tokens",
            Self::Bytes => "bytes",
            Self::Lines => "lines",
        }
    }

    /// A size in this unit.
    #[must_use]
    pub fn of(self, size: Size) -> usize {
        match self {
            Self::Tokens => size.tokens,
            Self::Bytes => size.bytes,
            Self::Lines => size.lines,
        }
    }

    /// Returns the key by which sizes are compared.
    pub(super) fn rank(self, size: Size) -> [usize; 3] {
        match self {
            Self::Tokens => [size.tokens, size.bytes, 0],
            Self::Bytes => [size.bytes, size.tokens, 0],
            Self::Lines => [size.lines, size.tokens, size.bytes],
        }
    }
}

/// The bound that ended a reduction before it was proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// No probe is left of [so many](Reduction::max_probes).
    Probes,
    /// The best is [small enough](Reduction::stop_at).
    Size,
}

/// The bounds that were asked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Control {
    /// The passes that never run.
    pub left_out: Vec<&'static str>,
    pub max_probes: Option<usize>,
    pub stop_at: Option<(Objective, usize)>,
    pub objective: Objective,
    /// Is true if no candidate may fit the grammar worse than the best, where the input fits it.
    pub stays_well_formed: bool,
    /// The spans of the input that have to stay, in order.
    pub kept: Vec<Span>,
    /// The size of the other parts, for a part of an archive.
    pub outside: Size,
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
    /// The same for a part of an archive, which stands there in the archive: a file, where there is something outside
    /// of it, or all of it.
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

    /// Takes where what has to stay is once a part has grown by so many bytes (or shrunk, below 0): `kept` of the part.
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
    /// Runs only the passes of which this is true, by their [names](crate::pass::all); the proof, too, is over those.
    #[must_use]
    pub fn passes(mut self, runs: impl Fn(&str) -> bool) -> Self {
        self.control.left_out = pass::all().map(|pass| pass.name).filter(|name| !runs(name)).collect();
        self
    }

    /// Ends after so many probes, with the best so far; the same at every number of jobs.
    ///
    /// It counts what [`Counts::probes`](crate::event::Counts::probes) counts, and what a [record](Self::record)
    /// knows, too: with the record of a run that was stopped a larger number goes on where that one was.
    #[must_use]
    pub fn max_probes(mut self, probes: impl Into<Option<usize>>) -> Self {
        self.control.max_probes = probes.into();
        self
    }

    /// Ends as soon as the best has at most so many of these units; the same at every number of jobs.
    #[must_use]
    pub fn stop_at(mut self, bound: impl Into<Option<(Objective, usize)>>) -> Self {
        self.control.stop_at = bound.into();
        self
    }

    /// Sets the meaning of smaller: a candidate that is not smaller than the best is never probed. A mere deletion is
    /// always smaller.
    ///
    /// Blanks are [squeezed](Self::compact), too, for [bytes](Objective::Bytes).
    #[must_use]
    pub fn objective(mut self, objective: Objective) -> Self {
        self.control.objective = objective;
        self
    }

    /// Keeps every candidate well-formed where the input is: no pass leaves more syntax errors than the best has, those at the
    /// end neither, which as a rule do for fewer tokens.
    ///
    /// It is for failures that anything malformed shows, such as that a program cannot parse the input.
    #[must_use]
    pub fn well_formed(mut self, stays_well_formed: bool) -> Self {
        self.control.stays_well_formed = stays_well_formed;
        self
    }

    /// Keeps what stands in these spans of the input, byte for byte and in this order.
    ///
    /// Nothing is probed that would touch them. The empty input is probed all the same: an oracle that accepts it
    /// accepts too much. Of an [archive](Self::archive) they are spans of its text.
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

/// Spans in order, without empty ones; those that overlap or touch become one.
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
pub(super) struct Kept(HashMap<Name, Arc<[Span]>>);

impl Kept {
    /// Takes where it is in a best.
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
            assert_eq!(all.into_iter().min_by_key(|size| objective.rank(*size)), Some(least));
        }
    }
}
