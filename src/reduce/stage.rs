//! One pass on one snapshot: makes candidates of the search's questions, filters them, keeps what is found.

use super::{Error, Keep, size};
use crate::edit::{Patch, Positions, Span, count_tokens};
use crate::event::{Counts, Event, Sink, Size};
use crate::language::Language;
use crate::pass::{Filter, Proposal, Snapshot, Text};
use crate::schedule::Workbench;
use crate::syntax::{Parsed, Parser, Revision};
use crate::verdict::Verdict;
use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The best, and what goes with it through the whole reduction.
pub(super) struct State<'a, 's> {
    pub best: Arc<[u8]>,
    pub size: Size,
    /// Counts the bests.
    pub revision: u64,
    /// The best's tree; `None` where it has to be parsed (again) or has no language.
    pub syntax: Option<Syntax>,
    pub counts: Counts,
    pub keep: Option<&'a mut Keep<'a>>,
    pub stop: Option<Arc<AtomicBool>>,
    pub sink: &'s mut dyn Sink,
}

/// The best's tree, and the parser that made it.
pub(super) struct Syntax {
    parser: Parser,
    revision: Option<Revision>,
}

impl State<'_, '_> {
    /// Makes sure that the best's tree is known, if its language is.
    pub fn parse(&mut self, language: Option<&Language>) {
        let Some(language) = language else { return };
        let syntax = self
            .syntax
            .get_or_insert_with(|| Syntax { parser: Parser::new(language.grammar()), revision: None });
        if syntax.revision.is_none() {
            let parsed = syntax.parser.parse(&self.best);
            syntax.revision = Some(Revision::new(parsed, &self.best));
        }
    }

    /// The best as passes see it.
    pub fn snapshot<'l>(&mut self, language: Option<&'l Language>) -> Snapshot<'l> {
        self.parse(language);
        let revision = self.syntax.as_ref().and_then(|syntax| syntax.revision.as_ref());
        match (language, revision) {
            (Some(language), Some(revision)) => {
                Snapshot::new(Arc::clone(&self.best), language, revision.parsed().clone())
            }
            _ => Snapshot::plain(Arc::clone(&self.best)),
        }
    }

    /// Counts a probe.
    pub fn probed(&mut self, verdict: Verdict) {
        self.counts.probes += 1;
        self.counts.interesting += usize::from(verdict == Verdict::Interesting);
        self.counts.unresolved += usize::from(verdict == Verdict::Unresolved);
        self.sink.event(Event::Probed { verdict, counts: self.counts });
    }

    /// Makes `candidate` the best: it is kept before anything else happens.
    pub fn accept(&mut self, candidate: Vec<u8>) -> Result<(), Error> {
        if let Some(keep) = &mut self.keep {
            keep(&candidate)?;
        }
        self.size = size(&candidate);
        self.best = candidate.into();
        self.revision += 1;
        self.sink.event(Event::Accepted { size: self.size, best: &self.best });
        Ok(())
    }
}

/// One pass's proposal being searched.
pub(super) struct Stage<'r, 'a, 's, 'p> {
    state: &'r mut State<'a, 's>,
    text: &'p Text<'p>,
    proposal: &'p Proposal,
    /// The deltas made so far, and the patch that makes them.
    made: Vec<bool>,
    patch: Patch,
    positions: Positions,
    /// Syntax errors of the embedded parts as they are in the best.
    embedded: Vec<u32>,
    /// What the candidate made last would change.
    pending: Option<Pending>,
    judged: usize,
    /// Where this pass has failed before, and whether that counts.
    memory: &'r mut Memory,
}

/// The deltas of one pass that did not succeed, each with the text around it.
///
/// A delta is not asked for again while the text around it stays the same: what failed once in the same lines
/// will most likely fail again. The final sweep looks without it, so nothing rests on that.
#[derive(Debug, Default)]
pub(super) struct Memory {
    failed: HashSet<u64>,
    /// Whether questions are skipped.
    pub skips: bool,
}

impl Memory {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.failed.clear();
    }
}

/// How far from a delta the lines that it stands on are looked at, in bytes.
const AROUND: usize = 200;

struct Pending {
    patch: Patch,
    positions: Positions,
    parsed: Option<Parsed>,
    embedded: Option<Vec<u32>>,
}

impl<'r, 'a, 's, 'p> Stage<'r, 'a, 's, 'p> {
    pub fn new(
        state: &'r mut State<'a, 's>,
        text: &'p Text<'p>,
        proposal: &'p Proposal,
        memory: &'r mut Memory,
    ) -> Self {
        let embedded = text.embedded.iter().map(|part| part.errors).collect();
        Self {
            state,
            text,
            proposal,
            made: vec![false; proposal.len()],
            patch: Patch::default(),
            positions: Positions::default(),
            embedded,
            pending: None,
            judged: 0,
            memory,
        }
    }

    /// What a delta does and the lines of the best that it does it to.
    fn key(&self, delta: u32) -> u64 {
        let edits = self.proposal.own_edits(delta);
        let best = &self.state.best;
        let place = |at: u32| self.positions.of_position(at) as usize;
        let start = edits.iter().map(|edit| place(edit.span.start)).min().unwrap_or(0);
        let end = edits.iter().map(|edit| place(edit.span.end)).max().unwrap_or(0);
        let before = best[..start].iter().rev().take(AROUND).take_while(|&&b| b != b'\n').count();
        let after = best[end..].iter().take(AROUND).take_while(|&&b| b != b'\n').count();
        let around = &best[start - before..end + after];
        let mut hasher = DefaultHasher::new();
        around.len().hash(&mut hasher);
        let (head, tail) = (around.len().min(1024), around.len().saturating_sub(1024));
        around[..head].hash(&mut hasher);
        around[tail..].hash(&mut hasher);
        for edit in edits {
            (place(edit.span.start) - start + before, place(edit.span.end) - start).hash(&mut hasher);
            edit.text.hash(&mut hasher);
        }
        hasher.finish()
    }

    fn failed(&mut self, without: &[u32]) {
        if let &[delta] = without {
            let key = self.key(delta);
            self.memory.failed.insert(key);
        }
    }

    /// Whether each of these deltas has failed before in the same lines.
    fn is_hopeless(&self, without: &[u32]) -> bool {
        self.memory.skips
            && !self.memory.failed.is_empty()
            && without.iter().all(|&delta| self.memory.failed.contains(&self.key(delta)))
    }

    /// How many questions were answered by the oracle, now or earlier.
    pub fn judged(&self) -> usize {
        self.judged
    }

    /// Whether a candidate is smaller than the best: fewer tokens, or as many in fewer bytes.
    fn is_smaller(&self, candidate: &[u8], only_deletes: bool) -> bool {
        if only_deletes && candidate.len() < self.state.best.len() {
            return true;
        }
        let size = (count_tokens(candidate), candidate.len());
        size < (self.state.size.tokens, self.state.size.bytes)
    }

    /// The errors of the embedded parts in `candidate`; `None` if one has more than it has in the best.
    fn embedded_errors(&self, candidate: &[u8], positions: &Positions) -> Option<Vec<u32>> {
        let mut errors = self.embedded.clone();
        for (part, known) in self.text.embedded.iter().zip(&mut errors) {
            let at = |positions: &Positions| {
                let start = positions.of_position(part.span.start);
                Span::new(start, positions.of_position(part.span.end).max(start))
            };
            let text = at(positions).of(candidate);
            if text == at(&self.positions).of(&self.state.best) {
                continue;
            }
            let now = Parser::new(part.language.grammar()).parse(text).errors();
            if now > *known {
                return None;
            }
            *known = now;
        }
        Some(errors)
    }
}

impl Workbench for Stage<'_, '_, '_, '_> {
    type Error = Error;

    fn is_stopped(&self) -> bool {
        self.state.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    fn candidate(&mut self, without: &[u32]) -> Option<Vec<u8>> {
        if self.is_hopeless(without) {
            return None;
        }
        let edits = self.proposal.edits(&|delta| self.made[delta as usize], without);
        let only_deletes = edits.iter().all(|edit| edit.text.is_empty());
        let patch = self.patch.with(edits);
        if patch == self.patch {
            return None;
        }
        let candidate = patch.apply(&self.text.source, self.proposal.seam);
        if !self.is_smaller(&candidate, only_deletes) {
            return None;
        }
        let positions = patch.positions(&self.text.source, self.proposal.seam);
        self.pending = Some(Pending { patch, positions, parsed: None, embedded: None });
        Some(candidate)
    }

    fn passes_filter(&mut self, without: &[u32], candidate: &[u8]) -> bool {
        let Some(mut pending) = self.pending.take() else { return false };
        if self.proposal.filter == Filter::Syntax
            && let Some(Syntax { parser, revision: Some(revision) }) = &mut self.state.syntax
        {
            let changes = Positions::changes(&self.positions, &pending.positions);
            let parsed = parser.parse_again(candidate, revision, &changes);
            let fits = parsed.errors() <= revision.parsed().errors();
            pending.embedded = if fits { self.embedded_errors(candidate, &pending.positions) } else { None };
            if pending.embedded.is_none() {
                self.state.counts.rejected += 1;
                self.failed(without);
                return false;
            }
            pending.parsed = Some(parsed);
        }
        self.pending = Some(pending);
        true
    }

    fn probed(&mut self, without: &[u32], verdict: Verdict) {
        self.judged += 1;
        if !verdict.is_interesting() {
            self.failed(without);
        }
        self.state.probed(verdict);
    }

    fn cached(&mut self, without: &[u32]) {
        self.judged += 1;
        self.failed(without);
        self.state.counts.cached += 1;
    }

    fn accept(&mut self, without: &[u32], candidate: Vec<u8>) -> Result<(), Error> {
        let pending = self.pending.take().expect("the candidate was made from it");
        if let Some(syntax) = &mut self.state.syntax {
            syntax.revision = pending.parsed.map(|parsed| Revision::new(parsed, &candidate));
        }
        self.state.accept(candidate)?;
        for &delta in without {
            self.made[delta as usize] = true;
        }
        self.patch = pending.patch;
        self.positions = pending.positions;
        self.embedded = pending.embedded.unwrap_or_default();
        Ok(())
    }
}
