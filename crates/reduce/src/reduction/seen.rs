//! Caches the syntax trees and symbols of a text for all passes that run on it.

use super::engine::Engine;
use super::folder;
use super::state::State;
use crate::pass::Snapshot;
use nubbin_syntax::{Parser, Revision};
use std::sync::Arc;

/// The maximum size in bytes of a text whose trees and symbols are cached: they take many times the memory of the text.
const KEPT: usize = 1 << 22;

/// Parses texts for passes.
#[derive(Default)]
pub(super) struct Reader<'l> {
    pub parser: Option<Parser>,
    /// The last snapshot.
    pub seen: Option<Seen<'l>>,
}

/// A snapshot with its tree.
pub(super) struct Seen<'l> {
    pub snapshot: Snapshot<'l>,
    /// The tree, if the text is in one language.
    pub revision: Option<Arc<Revision>>,
}

impl Seen<'_> {
    /// Returns whether it is a snapshot of this text, with the same tree if that is known.
    fn is_of(&self, text: &[u8], revision: Option<&Arc<Revision>>) -> bool {
        let is_same_tree = match (&self.revision, revision) {
            (Some(own), Some(other)) => Arc::ptr_eq(own, other),
            (own, other) => own.is_none() && other.is_none(),
        };
        is_same_tree && *self.snapshot.source == *text
    }

    /// Returns whether it is cached for the next pass: it has trees, and is not too large.
    pub fn is_shared(&self) -> bool {
        !self.snapshot.layers.is_empty() && self.snapshot.source.len() <= KEPT
    }
}

impl<'l> Engine<'_, '_, 'l> {
    /// Returns the snapshot of the current best of a state, which is parsed if necessary.
    pub fn see(&mut self, state: &State<'l>, is_about_files: bool) -> Seen<'l> {
        let (best, revision) = (&state.held.bytes, &state.held.revision);
        if self.language.is_none() && (self.together.is_none() || is_about_files) {
            return Seen { snapshot: Snapshot::plain(Arc::clone(best)), revision: None };
        }
        if let Some(seen) = self.reader.seen.take().filter(|seen| seen.is_of(best, revision.as_ref())) {
            return seen;
        }
        let best = Arc::clone(best);
        let Some(language) = self.language else {
            let files = self.together.map_or_else(Vec::new, |languages| folder::files_of(&best, languages));
            return Seen { snapshot: Snapshot::files(best, &files), revision: None };
        };
        let parser = self.reader.parser.get_or_insert_with(|| Parser::new(language.grammar()));
        let known = revision.clone();
        let known = known.unwrap_or_else(|| Arc::new(Revision::new(parser.parse(&best), &best)));
        let parsed = known.parsed().clone();
        self.is_well_formed.get_or_insert(parsed.errors() == 0);
        Seen { snapshot: Snapshot::new(best, language, parsed), revision: Some(known) }
    }
}
