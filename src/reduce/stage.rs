//! One pass on one snapshot: makes candidates of the search's questions, filters them, keeps what is found.

use super::{Error, Keeper, Step, size};
use crate::edit::{Edit, Patch, Positions, Span, count_tokens};
use crate::event::{Counts, Event, Sink, Size};
use crate::language::Language;
use crate::pass::{Filter, Proposal, Snapshot, Text};
use crate::schedule::{self, Answer, Cache, Name, Workbench};
use crate::syntax::{Parsed, Parser, Revision};
use crate::verdict::Verdict;
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
    /// The candidates that are known not to be interesting.
    pub cache: Cache,
    /// Those of them that did not end in time.
    pub undecided: Vec<Name>,
    pub counts: Counts,
    pub keeper: Option<&'a mut dyn Keeper>,
    pub stop: Option<Arc<AtomicBool>>,
    pub sink: &'s mut dyn Sink,
    /// The pass that is running.
    pub pass: &'static str,
}

/// The best's tree, and the parser that made it.
pub(super) struct Syntax {
    parser: Parser,
    revision: Option<Arc<Revision>>,
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
            syntax.revision = Some(Arc::new(Revision::new(parsed, &self.best)));
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
        self.counts.unresolved += usize::from(matches!(verdict, Verdict::Unresolved(_)));
        self.sink.event(Event::Probed { verdict, counts: self.counts });
    }

    /// Makes `best`, which `edits` make of the one before it, the best: it is kept before anything else happens.
    pub fn accept(&mut self, best: Arc<[u8]>, size: Size, edits: &[Edit]) -> Result<(), Error> {
        if let Some(keeper) = &mut self.keeper {
            keeper.accepted(&Step { pass: self.pass, edits, best: &best, size })?;
        }
        self.size = size;
        self.best = best;
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
    /// Where this pass has failed before, and whether that counts.
    memory: &'r mut Memory,
    judged: usize,
}

/// The deltas of one pass that did not succeed, each with the text around it.
///
/// A delta is not asked for again while the text around it stays the same: what failed once in the same lines
/// will most likely fail again. The final sweep looks without it, so nothing rests on that.
#[derive(Debug, Default)]
pub(super) struct Memory {
    failed: imbl::HashSet<u64>,
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

/// All that the answers to a pass's questions depend on: what has been found and what has failed so far.
#[derive(Clone)]
pub(super) struct View {
    best: Arc<[u8]>,
    size: Size,
    revision: Option<Arc<Revision>>,
    /// The deltas made so far, and the patch that makes them.
    made: Arc<[bool]>,
    patch: Arc<Patch>,
    positions: Arc<Positions>,
    /// Syntax errors of the embedded parts as they are in the best.
    embedded: Arc<[u32]>,
    /// What made the best of the one before it.
    step: Arc<[Edit]>,
    failed: imbl::HashSet<u64>,
    cache: Cache,
    /// How the last question was answered.
    last: Last,
}

/// How a question was answered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// It was not worth a candidate.
    Skipped,
    /// The cache knew the candidate.
    Cached,
    /// The candidate did not fit the grammar.
    Rejected,
    /// By the oracle, about this candidate.
    Probed(Name),
}

/// A candidate that the oracle has to decide on.
pub(super) struct Open {
    without: Vec<u32>,
    candidate: Arc<[u8]>,
    name: Name,
    patch: Arc<Patch>,
    positions: Arc<Positions>,
    parsed: Option<Parsed>,
    embedded: Arc<[u32]>,
}

impl schedule::Open for Open {
    fn candidate(&self) -> &Arc<[u8]> {
        &self.candidate
    }

    fn name(&self) -> Name {
        self.name
    }
}

impl View {
    fn after(&self, last: Last) -> Self {
        Self { last, ..self.clone() }
    }

    /// Whether a candidate is smaller than the best: fewer tokens, or as many in fewer bytes.
    fn is_larger_than(&self, candidate: &[u8], only_deletes: bool) -> bool {
        if only_deletes && candidate.len() < self.best.len() {
            return true;
        }
        (count_tokens(candidate), candidate.len()) < (self.size.tokens, self.size.bytes)
    }
}

impl<'r, 'a, 's, 'p> Stage<'r, 'a, 's, 'p> {
    pub fn new(
        state: &'r mut State<'a, 's>,
        text: &'p Text<'p>,
        proposal: &'p Proposal,
        memory: &'r mut Memory,
    ) -> Self {
        Self { state, text, proposal, memory, judged: 0 }
    }

    /// The view before the first question.
    pub fn view(&self) -> View {
        View {
            best: Arc::clone(&self.state.best),
            size: self.state.size,
            revision: self.state.syntax.as_ref().and_then(|syntax| syntax.revision.clone()),
            made: vec![false; self.proposal.len()].into(),
            patch: Arc::default(),
            positions: Arc::default(),
            embedded: self.text.embedded.iter().map(|part| part.errors).collect(),
            step: Arc::default(),
            failed: self.memory.failed.clone(),
            cache: self.state.cache.clone(),
            last: Last::Skipped,
        }
    }

    /// How many questions were answered by the oracle, now or earlier.
    pub fn judged(&self) -> usize {
        self.judged
    }

    /// What a delta does and the lines of the best that it does it to.
    fn key(&self, view: &View, delta: u32) -> u64 {
        let edits = self.proposal.own_edits(delta);
        let best = &view.best;
        let place = |at: u32| view.positions.of_position(at) as usize;
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

    /// The view after a question that was not interesting.
    fn failed(&self, view: &View, without: &[u32], last: Last) -> View {
        let mut after = view.after(last);
        if let &[delta] = without {
            after.failed.insert(self.key(view, delta));
        }
        after
    }

    /// Whether each of these deltas has failed before in the same lines.
    fn is_hopeless(&self, view: &View, without: &[u32]) -> bool {
        self.memory.skips
            && !view.failed.is_empty()
            && without.iter().all(|&delta| view.failed.contains(&self.key(view, delta)))
    }

    /// A candidate's tree and the errors of its embedded parts; `None` if it fits the grammar worse than the best.
    fn fits(
        &mut self,
        view: &View,
        candidate: &[u8],
        positions: &Positions,
    ) -> Option<(Option<Parsed>, Arc<[u32]>)> {
        let known = || (None, Arc::clone(&view.embedded));
        if self.proposal.filter != Filter::Syntax {
            return Some(known());
        }
        let (Some(syntax), Some(revision)) = (&mut self.state.syntax, &view.revision) else {
            return Some(known());
        };
        let changes = Positions::changes(&view.positions, positions);
        let parsed = syntax.parser.parse_again(candidate, revision, &changes);
        if parsed.errors() > revision.parsed().errors() {
            return None;
        }
        Some((Some(parsed), self.embedded_errors(view, candidate, positions)?))
    }

    /// The errors of the embedded parts in `candidate`; `None` if one has more than it has in the best.
    fn embedded_errors(&self, view: &View, candidate: &[u8], positions: &Positions) -> Option<Arc<[u32]>> {
        let mut errors = view.embedded.to_vec();
        for (part, known) in self.text.embedded.iter().zip(&mut errors) {
            let at = |positions: &Positions| {
                let start = positions.of_position(part.span.start);
                Span::new(start, positions.of_position(part.span.end).max(start))
            };
            let text = at(positions).of(candidate);
            if text == at(&view.positions).of(&view.best) {
                continue;
            }
            let now = Parser::new(part.language.grammar()).parse(text).errors();
            if now > *known {
                return None;
            }
            *known = now;
        }
        Some(errors.into())
    }
}

impl Workbench for Stage<'_, '_, '_, '_> {
    type View = View;
    type Open = Open;
    type Error = Error;

    fn is_stopped(&self) -> bool {
        self.state.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    fn ask(&mut self, view: &View, without: &[u32]) -> Answer<View, Open> {
        if self.is_hopeless(view, without) {
            return Answer::Settled(view.after(Last::Skipped));
        }
        let edits = self.proposal.edits(&|delta| view.made[delta as usize], without);
        let only_deletes = edits.iter().all(|edit| edit.text.is_empty());
        let patch = view.patch.with(edits);
        if patch == *view.patch {
            return Answer::Settled(view.after(Last::Skipped));
        }
        let candidate = patch.apply(&self.text.source, self.proposal.seam);
        if !view.is_larger_than(&candidate, only_deletes) {
            return Answer::Settled(view.after(Last::Skipped));
        }
        let name = schedule::name(&candidate);
        if view.cache.knows(&name) {
            return Answer::Settled(self.failed(view, without, Last::Cached));
        }
        let positions = patch.positions(&self.text.source, self.proposal.seam);
        let Some((parsed, embedded)) = self.fits(view, &candidate, &positions) else {
            return Answer::Settled(self.failed(view, without, Last::Rejected));
        };
        Answer::Open(Open {
            without: without.to_vec(),
            candidate: candidate.into(),
            name,
            patch: Arc::new(patch),
            positions: Arc::new(positions),
            parsed,
            embedded,
        })
    }

    fn after(&self, view: &View, open: &Open, is_interesting: bool) -> View {
        if !is_interesting {
            let mut after = self.failed(view, &open.without, Last::Probed(open.name));
            after.cache.insert(open.name);
            return after;
        }
        let mut made = view.made.to_vec();
        for &delta in &open.without {
            made[delta as usize] = true;
        }
        let parsed = open.parsed.as_ref();
        View {
            best: Arc::clone(&open.candidate),
            size: size(&open.candidate),
            revision: parsed.map(|parsed| Arc::new(Revision::new(parsed.clone(), &open.candidate))),
            made: made.into(),
            patch: Arc::clone(&open.patch),
            positions: Arc::clone(&open.positions),
            embedded: Arc::clone(&open.embedded),
            step: Positions::changes(&view.positions, &open.positions)
                .iter()
                .map(|change| Edit { span: change.old, text: change.new.of(&open.candidate).into() })
                .collect(),
            failed: view.failed.clone(),
            cache: view.cache.clone(),
            last: Last::Probed(open.name),
        }
    }

    fn commit(&mut self, view: &View, verdict: Option<Verdict>) -> Result<(), Error> {
        self.state.counts.cached += usize::from(view.last == Last::Cached);
        self.state.counts.rejected += usize::from(view.last == Last::Rejected);
        self.judged += usize::from(matches!(view.last, Last::Cached | Last::Probed(_)));
        self.memory.failed = view.failed.clone();
        self.state.cache = view.cache.clone();
        let Some(verdict) = verdict else { return Ok(()) };
        self.state.probed(verdict);
        if let (false, Last::Probed(name)) = (verdict.is_lasting(), view.last) {
            self.state.undecided.push(name);
        }
        if verdict.is_interesting() {
            if let Some(syntax) = &mut self.state.syntax {
                syntax.revision.clone_from(&view.revision);
            }
            self.state.accept(Arc::clone(&view.best), view.size, &view.step)?;
        }
        Ok(())
    }
}
