//! One of the alternatives of a rewrite.

use nubbin_syntax::edit::{Edit, Span};

/// Edits at all places of a symbol that are applied together, as one alternative of a rewrite.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Way(Vec<Edit>);

impl Way {
    pub fn edits(&self) -> &[Edit] {
        &self.0
    }

    /// Returns the spans of the edits that `counts` accepts.
    pub fn spans(&self, counts: impl Fn(&Edit) -> bool) -> Spans {
        let mut spans: Vec<Span> = self.0.iter().filter(|&edit| counts(edit)).map(|edit| edit.span).collect();
        spans.sort_unstable();
        spans.dedup_by(|next, last| {
            let joins = next.start <= last.end;
            last.end = if joins { last.end.max(next.end) } else { last.end };
            joins
        });
        Spans(spans)
    }
}

/// Sorted spans that do not touch each other.
pub(super) struct Spans(Vec<Span>);

impl Spans {
    /// Returns whether one of them contains a span.
    pub fn hold(&self, span: Span) -> bool {
        let next = self.0.partition_point(|one| one.start <= span.start);
        next.checked_sub(1).is_some_and(|at| self.0[at].contains(span))
    }

    pub fn iter(&self) -> impl Iterator<Item = Span> + '_ {
        self.0.iter().copied()
    }
}

impl From<Vec<Edit>> for Way {
    fn from(edits: Vec<Edit>) -> Self {
        Self(edits)
    }
}

impl FromIterator<Edit> for Way {
    fn from_iter<I: IntoIterator<Item = Edit>>(edits: I) -> Self {
        Self(edits.into_iter().collect())
    }
}

impl From<Way> for Vec<Edit> {
    fn from(way: Way) -> Self {
        way.0
    }
}

impl Extend<Edit> for Way {
    fn extend<I: IntoIterator<Item = Edit>>(&mut self, edits: I) {
        self.0.extend(edits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_that_touch_are_one() {
        let edit = |from, to| Edit::delete(Span::new(from, to));
        let way = Way::from(vec![edit(6, 8), edit(0, 2), edit(2, 4), edit(1, 2)]);
        let spans = way.spans(|_| true);
        assert!(spans.iter().eq([Span::new(0, 4), Span::new(6, 8)]));
        assert!(spans.hold(Span::new(1, 4)) && spans.hold(Span::new(6, 7)));
        assert!(!spans.hold(Span::new(3, 7)) && !spans.hold(Span::new(8, 9)));
    }
}
