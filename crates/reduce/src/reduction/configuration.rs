//! Defines configurations, and the answers to questions about each.

use super::control::Order;
use super::size;
use crate::event::Size;
use crate::pass::Proposal;
use nubbin_search::schedule::{self, Name};
use nubbin_syntax::edit::{Edit, Patch, Positions};
use nubbin_syntax::{Parsed, Revision};
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The distance in bytes before and after a delta up to which its lines are hashed.
const AROUND: usize = 12;

/// An interesting text with the deltas that led to it.
pub(super) struct Configuration {
    pub bytes: Arc<[u8]>,
    pub size: Size,
    /// The tree; `None` if the text must be parsed again or has no language.
    pub revision: Option<Arc<Revision>>,
    /// Whether each delta of the running pass is applied.
    pub made: Vec<bool>,
    /// The edits of these deltas.
    pub patch: Patch,
    pub positions: Positions,
    /// The number of syntax errors of each embedded part.
    pub embedded: Vec<u32>,
    /// The answers to questions about this configuration.
    pub asked: Asked,
}

/// The answers to questions about one configuration, by the omitted deltas. A schedule that runs probes speculatively
/// asks the same question again after other answers.
#[derive(Default)]
pub(super) struct Asked(Mutex<HashMap<Box<[u32]>, KnownAnswer>>);

/// The answer to a question.
#[derive(Clone)]
pub(super) enum KnownAnswer {
    /// The candidate has more syntax errors than the configuration.
    Misfit(Name),
    /// The oracle must decide. The candidate is dropped when no schedule refers to it any more.
    Open(Weak<OpenCandidate>),
}

impl Asked {
    /// Returns the answer to the question that omits these deltas, if known.
    pub fn find(&self, without: &[u32]) -> Option<KnownAnswer> {
        self.told().get(without).cloned()
    }

    /// Records the answer to a question.
    pub fn add(&self, without: &[u32], told: KnownAnswer) {
        self.told().insert(without.into(), told);
    }

    fn told(&self) -> MutexGuard<'_, HashMap<Box<[u32]>, KnownAnswer>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A candidate for the oracle.
pub(super) struct OpenCandidate {
    pub without: Vec<u32>,
    /// The deltas to apply: `without`, and the deltas that follow from these.
    pub gone: Vec<u32>,
    pub apart: bool,
    pub candidate: Arc<[u8]>,
    pub name: Name,
    /// The name of the normalized text, if it differs, see `Engine::normalised_name`.
    pub normalised_name: Option<Name>,
    pub patch: Patch,
    pub positions: Positions,
    pub parsed: Option<Parsed>,
    pub embedded: Vec<u32>,
}

impl schedule::Open for OpenCandidate {
    fn candidate(&self) -> &Arc<[u8]> {
        &self.candidate
    }

    fn name(&self) -> Name {
        self.name
    }

    fn gone(&self) -> Option<&[u32]> {
        (self.gone != self.without).then_some(&self.gone)
    }
}

impl Configuration {
    /// Returns the configuration of an input before any pass.
    pub fn new(bytes: Arc<[u8]>, size: Size) -> Self {
        let (patch, positions) = (Patch::default(), Positions::default());
        let (made, embedded, asked) = (Vec::new(), Vec::new(), Asked::default());
        Self { bytes, size, revision: None, made, patch, positions, embedded, asked }
    }

    /// Returns whether a candidate is smaller than this configuration by the objective. A candidate that only deletes
    /// text must only have fewer bytes.
    pub fn is_larger_than(&self, candidate: &[u8], only_deletes: bool, objective: Order) -> bool {
        if only_deletes && candidate.len() < self.bytes.len() {
            return true;
        }
        objective.rank(size(candidate)) < objective.rank(self.size)
    }

    /// Returns a hash of the edits of a delta and of the text around them, and for an `is_placed` proposal also of the
    /// distance from the end.
    pub fn key(&self, delta: u32, proposal: &Proposal) -> u64 {
        let edits = proposal.own_edits(delta);
        let mut hasher = DefaultHasher::new();
        if let Some(first) = edits.first().filter(|_| proposal.is_placed) {
            (self.bytes.len() - self.positions.of_position(first.span.end) as usize).hash(&mut hasher);
        }
        if proposal.is_scattered {
            edits.chunks(1).for_each(|edit| self.hash_place(edit, &mut hasher));
        } else {
            self.hash_place(edits, &mut hasher);
        }
        hasher.finish()
    }

    /// Returns a hash of the text from the first to the last of several deltas.
    pub fn key_of_all(&self, deltas: &[u32], proposal: &Proposal) -> u64 {
        let spans =
            deltas.iter().filter_map(|&delta| proposal.own_edits(delta).first()).map(|edit| edit.span);
        let start = spans.clone().map(|span| span.start).min().unwrap_or(0);
        let end = spans.map(|span| span.end).max().unwrap_or(0);
        let place = |at: u32| self.positions.of_position(at) as usize;
        let mut hasher = DefaultHasher::new();
        deltas.len().hash(&mut hasher);
        self.bytes[place(start)..place(end).max(place(start))].hash(&mut hasher);
        hasher.finish()
    }

    /// Hashes edits with the lines around them.
    fn hash_place(&self, edits: &[Edit], hasher: &mut DefaultHasher) {
        let bytes = &self.bytes;
        let place = |at: u32| self.positions.of_position(at) as usize;
        let start = edits.iter().map(|edit| place(edit.span.start)).min().unwrap_or(0);
        let end = edits.iter().map(|edit| place(edit.span.end)).max().unwrap_or(0);
        let before = bytes[..start].iter().rev().take(AROUND).take_while(|&&b| b != b'\n').count();
        let after = bytes[end..].iter().take(AROUND).take_while(|&&b| b != b'\n').count();
        let around = &bytes[start - before..end + after];
        around.len().hash(hasher);
        let (head, tail) = (around.len().min(1024), around.len().saturating_sub(1024));
        around[..head].hash(hasher);
        around[tail..].hash(hasher);
        for edit in edits {
            (place(edit.span.start) - start + before, place(edit.span.end) - start).hash(hasher);
            edit.text.hash(hasher);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pass::{Builder, CandidateFilter};
    use nubbin_syntax::edit::{Seam, Span};

    /// Returns the key of the deltas for `b` and `c` in `a b c d` after an edit.
    fn key_after(edit: Edit) -> u64 {
        let source = b"a b c d";
        let mut builder = Builder::new(CandidateFilter::Nothing, Seam::Touch);
        for at in [0, 2, 4, 6] {
            builder.single([Edit::delete(Span::new(at, at + 1))]);
        }
        let patch = Patch::new(vec![edit]);
        let bytes: Arc<[u8]> = patch.apply(source, Seam::Touch).into();
        let positions = patch.positions(source, Seam::Touch);
        let base = Configuration { positions, ..Configuration::new(bytes, Size::default()) };
        base.key_of_all(&[1, 2], &builder.build())
    }

    #[test]
    fn the_key_of_several_deltas_is_their_text_wherever_it_stands() {
        let nothing = key_after(Edit::delete(Span::new(7, 7)));
        assert_eq!(key_after(Edit::delete(Span::new(0, 2))), nothing);
        assert_eq!(key_after(Edit::delete(Span::new(6, 7))), nothing);
        assert_ne!(key_after(Edit::delete(Span::new(3, 4))), nothing);
        assert_ne!(key_after(Edit::replace(Span::new(2, 3), *b"x")), nothing);
    }
}
