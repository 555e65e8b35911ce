//! Turns the questions of a search into candidates, and commits the state that follows from the answers.
//!
//! The engine holds everything that is committed: the counts, the reports, the current best on disk and the events.
//! States are speculative.

mod workbench;

use super::configuration::{Configuration, KnownAnswer, OpenCandidate};
use super::control::{Control, KeptSpans, StopReason};
use super::question::Asking;
use super::seen::{Reader, Seen};
use super::state::{Last, Phase, Stage, State};
use super::switches::Switches;
use super::trust::History;
use super::{Error, Keeper, Languages, PassReport, Step, size};
use crate::HUGE;
use crate::event::{Counts, Event, Sink, Size};
use crate::offer::{Offer, Proposed, Proposer};
use crate::pass::{Builder, CandidateFilter, Snapshot, Turn};
use nubbin_language::Language;
use nubbin_search::schedule::{self, Answer, Name};
use nubbin_search::search::Hierarchy;
use nubbin_search::{Verdict, oracle};
use nubbin_syntax::edit::{Edit, Positions, Seam, Span};
use nubbin_syntax::{Parsed, Parser};
use std::borrow::Cow;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Weak};

struct Tuning {
    /// The maximum size in bytes of a candidate whose normalized text is compared. Larger candidates seldom differ only
    /// in whitespace.
    compared: usize,
    /// The number of consecutive uninteresting probes after which the rest of a kind of parts is skipped at a coarse
    /// level, if there are many kinds.
    patience: u32,
}

const TUNING: Tuning = Tuning { compared: 1 << 16, patience: 16 };

/// The committed current best with its history, and the functions that commit a state.
pub(super) struct Engine<'a, 's, 'l> {
    pub language: Option<&'l Language>,
    /// The languages of the files, if the files of an archive are reduced together.
    pub together: Option<&'l dyn Languages>,
    pub reader: Reader<'l>,
    /// Whether the input has no syntax errors; `None` until that is known.
    pub is_well_formed: Option<bool>,
    pub counts: Counts,
    /// The gain and the cost of each pass, in the order of their first run.
    pub passes: Vec<PassReport>,
    pub keeper: Option<&'a mut dyn Keeper>,
    pub stop: Option<Arc<AtomicBool>>,
    pub sink: &'s mut dyn Sink,
    /// The current best on disk.
    pub best: Arc<[u8]>,
    /// The size of the current best.
    pub size: Size,
    /// The previous bests, back to the last confirmed one.
    pub history: History,
    /// The revision of the current best.
    pub number: u64,
    /// Whether the best of the state is the real current best. It is false during a restart until that finds something
    /// smaller.
    pub follows: bool,
    /// Earlier bests, each at most half as large as the previous one.
    pub milestones: Vec<(Arc<[u8]>, Size)>,
    /// The name of the running stage, and the counts and the size at its start.
    pub running: Option<(&'static str, Counts, Size)>,
    /// Whether the note of a pass has been sent.
    pub noted: bool,
    /// The limits set by the user.
    pub control: Arc<Control>,
    /// The limit that has ended the run.
    pub cut: Option<StopReason>,
    /// The kept spans of each best.
    pub kept: KeptSpans,
    /// The switches of the user.
    pub switches: Switches,
    /// The number of the last change of the switches that was followed.
    pub heeded: u64,
    /// The passes that are incomplete at the end because of the switches.
    pub skipped: Vec<&'static str>,
    /// Whether the proof tried only the first and the last of many equal adjacent parts alone.
    pub is_thinned: bool,
    /// The external program that makes proposals.
    pub proposer: Option<&'a dyn Proposer>,
    /// A text edited by hand that was not tried yet.
    pub by_hand: Option<Vec<u8>>,
}

impl<'l> Engine<'_, '_, 'l> {
    /// Returns the number of remaining probes, if limited.
    pub fn left(&self) -> Option<usize> {
        self.control.max_probes.map(|most| most.saturating_sub(self.counts.probes))
    }

    /// Returns an error that ends the run if no probe is left.
    pub fn may_probe(&mut self) -> Result<(), Error> {
        if self.left() != Some(0) {
            return Ok(());
        }
        self.cut = Some(StopReason::Probes);
        Err(oracle::NoVerdict::Interrupted.into())
    }

    pub fn probed(&mut self, verdict: Verdict) {
        self.counts.probes += 1;
        self.counts.interesting += usize::from(verdict == Verdict::Interesting);
        self.counts.unresolved += usize::from(matches!(verdict, Verdict::Unresolved(_)));
        self.sink.event(Event::Probed { verdict, counts: self.counts });
    }

    /// Makes `best` the current best; `edits` lead to it from the previous one. It is stored before anything else
    /// happens.
    pub fn accept(&mut self, best: &Arc<[u8]>, size: Size, edits: &[Edit]) -> Result<(), Error> {
        let pass = self.running.map_or("empty", |(name, ..)| name);
        if let Some(keeper) = &mut self.keeper {
            keeper.accepted(&Step { pass, edits, best, size })?;
        }
        if self.milestones.last().is_none_or(|(_, last)| 2 * size.tokens <= last.tokens) {
            self.milestones.push((Arc::clone(best), size));
        }
        (self.best, self.size) = (Arc::clone(best), size);
        self.history.accepted(best);
        self.sink.event(Event::Accepted { pass, edits, size, best });
        Ok(())
    }

    /// Follows the switches. Returns the search for the rest of the running pass, and the state with the updated plan.
    pub fn heed(&mut self, search: Asking, state: State<'l>) -> (Asking, State<'l>) {
        let (heeded, wanted) = self.switches.take();
        self.heeded = heeded;
        let state = state.switched(&wanted);
        if state.stage.phase == Phase::Start {
            let nothing = Hierarchy::new(state.stage.proposal.groups());
            return (nothing.into(), state);
        }
        (search, state)
    }

    /// Adds everything since the start of the running stage to the report of its pass.
    pub fn report(&mut self) {
        let Some((name, counts, size)) = self.running.take() else { return };
        let known = self.passes.iter().position(|report| report.name == name);
        let at = known.unwrap_or_else(|| {
            self.passes.push(PassReport { name: name.to_owned(), ..PassReport::default() });
            self.passes.len() - 1
        });
        let report = &mut self.passes[at];
        report.runs += 1;
        report.probes += self.counts.probes - counts.probes;
        report.accepted += self.counts.interesting - counts.interesting;
        report.tokens += size.tokens.saturating_sub(self.size.tokens);
        report.bytes += size.bytes.saturating_sub(self.size.bytes);
    }

    /// Begins a turn of a pass. Returns a search over its proposal for the best of the state, and the new state. The
    /// text is parsed if necessary.
    fn begin(&mut self, state: State<'l>, turn: Turn, phase: Phase) -> (Asking, State<'l>) {
        let Turn { pass, may_give_way, is_trial, smallest_weight } = turn;
        let is_unseen = pass.is_blind || state.held.bytes.len() > HUGE;
        let Seen { mut snapshot, revision } = if is_unseen {
            Seen { snapshot: Snapshot::blind(Arc::clone(&state.held.bytes)), revision: None }
        } else {
            self.see(&state, pass.is_about_files)
        };
        if pass.asks_outside {
            snapshot.offers = self.offers(&snapshot.source);
        }
        let mut proposal = if is_unseen && !pass.is_blind {
            Builder::new(CandidateFilter::Nothing, Seam::Touch).build()
        } else {
            pass.propose(&snapshot)
        };
        if self.together.is_some() {
            proposal.clip(snapshot.layers.iter().map(|layer| layer.span));
        }
        if matches!(phase, Phase::Sweep(..)) {
            proposal = proposal.apart();
        }
        let kept = state.kept();
        proposal.pin(&kept);
        if !state.near.is_empty() {
            proposal.keep_near(&snapshot.source, &state.near);
        }
        let mut search = Hierarchy::coarse(proposal.groups(), smallest_weight);
        if self.together.is_some() && (smallest_weight > 0 || pass.is_about_files || pass.asks_outside) {
            search = search.patient(TUNING.patience);
        }
        if let Some(questions) = pass.patience {
            search = search.patient(questions);
        }
        let search = proposal.take_search().map_or(Asking::Groups(search), Asking::Own);
        let text = snapshot.to_text();
        snapshot.offers = Vec::new();
        let known = revision.clone();
        self.reader.seen = Some(Seen { snapshot, revision: known }).filter(Seen::is_shared);
        let (number, measure) = (state.number, self.control.objective.of(state.held.size));
        let next = Stage { pass, phase, number, text, proposal, measure, kept, may_give_way, is_trial };
        (search, state.enter(next, revision))
    }

    /// Returns the proposals of the external program for a text. Its notes for the user are sent immediately, since it
    /// is never asked speculatively.
    fn offers(&mut self, best: &[u8]) -> Vec<Offer> {
        let Proposed { offers, notes } = self.proposer.map(|from| from.propose(best)).unwrap_or_default();
        for text in &notes {
            self.sink.event(Event::Note { text });
        }
        offers
    }

    /// Begins a part of the sweep. Returns `None` if the plan has no part with this number.
    fn sweep(&mut self, state: State<'l>, part: usize, since: u64) -> Option<(Asking, State<'l>)> {
        let pass = state.plan.sweep(part)?;
        let turn = Turn { pass, may_give_way: false, is_trial: false, smallest_weight: 0 };
        Some(self.begin(state, turn, Phase::Sweep(part, since)))
    }

    /// Returns the name of the normalized text of a candidate: the text with the original identifiers, and without its
    /// layout unless the stage changes the layout. If the layout was removed, a byte that does not occur in UTF-8 is
    /// prepended to distinguish the name from those of candidates.
    fn normalised_name(&self, state: &State<'l>, candidate: &[u8]) -> Option<Name> {
        if candidate.len() > TUNING.compared {
            return None;
        }
        let before = state.under_old_names(candidate);
        let is_layout = state.stage.proposal.is_layout;
        let normalised = if is_layout { None } else { self.language?.normalised(&before) };
        match (normalised, before) {
            (Some(text), _) => Some(schedule::name(&[&[0xff], &text[..]].concat())),
            (None, Cow::Owned(before)) => Some(schedule::name(&before)),
            (None, Cow::Borrowed(_)) => None,
        }
    }

    /// Returns whether a candidate must not have more syntax errors than the current best. If the pass does not require
    /// that, it is required if the input has no syntax errors and either the candidate saves only bytes or all
    /// candidates must be well-formed.
    fn has_to_fit(&self, stage: &Stage<'_>, base: &Configuration, candidate: &[u8]) -> bool {
        let objective = self.control.objective;
        let saves = || objective.of(size(candidate)) < objective.of(base.size);
        stage.proposal.filter == CandidateFilter::Syntax
            || self.is_well_formed == Some(true) && (self.control.stays_well_formed || !saves())
    }

    /// Returns the tree of a candidate and the numbers of syntax errors of its embedded parts, or `None` if it has more
    /// syntax errors than the current best.
    fn fits(
        &mut self,
        stage: &Stage<'_>,
        base: &Configuration,
        candidate: &[u8],
        positions: &Positions,
    ) -> Option<(Option<Parsed>, Vec<u32>)> {
        let known = || (None, base.embedded.clone());
        if !self.has_to_fit(stage, base, candidate) {
            return Some(known());
        }
        let is_filtered = stage.proposal.filter == CandidateFilter::Syntax;
        let embedded = || embedded_errors(stage, base, candidate, positions).map(|errors| (None, errors));
        let (parsed, before) = match (&mut self.reader.parser, &base.revision) {
            (Some(parser), Some(revision)) => {
                let changes = Positions::changes(&base.positions, positions);
                (parser.parse_again(candidate, revision, &changes), revision.parsed().errors())
            }
            _ if is_filtered => return embedded(),
            (Some(parser), None) => (parser.parse(candidate), parser.parse(&base.bytes).errors()),
            (None, _) => return Some(known()),
        };
        if parsed.errors() > before {
            return None;
        }
        Some((Some(parsed), embedded_errors(stage, base, candidate, positions)?))
    }

    /// Answers a question, ignoring limits.
    fn answer(
        &mut self,
        state: &State<'l>,
        without: &[u32],
        apart: bool,
    ) -> Answer<State<'l>, Arc<OpenCandidate>> {
        let settled = |last| Answer::Settled(state.settled(without, apart, last));
        if let Some(answer) = foreseen(state, without, apart) {
            return answer;
        }
        let (running, base) = (&state.stage, state.base(apart));
        match base.asked.find(without) {
            Some(KnownAnswer::Misfit(name)) if !state.cache.knows(&name) => return settled(Last::Rejected),
            Some(KnownAnswer::Open(open)) => {
                if let Some(open) = still_open(state, &open, apart) {
                    return Answer::Open(open);
                }
            }
            _ => {}
        }
        let gone = running.proposal.fall(&base.made, without);
        if gone.is_empty() {
            return Answer::Futile(state.settled(without, apart, Last::Skipped));
        }
        let edits = running.proposal.edits(&|delta| base.made[delta as usize], &gone);
        let only_deletes = edits.iter().all(|edit| edit.text.is_empty());
        let touch = edits.iter().any(|edit| edit.span.touches_any(&running.kept));
        let patch = base.patch.with(edits);
        if patch == base.patch || touch {
            return settled(Last::Skipped);
        }
        let whole = running.proposal.followed(&patch);
        let candidate = whole.apply(&running.text.source, running.proposal.seam);
        if !base.is_larger_than(&candidate, only_deletes, self.control.objective) {
            return settled(Last::Skipped);
        }
        let name = schedule::name(&candidate);
        if state.cache.knows(&name) {
            return settled(Last::Cached);
        }
        let normalised_name = self.normalised_name(state, &candidate);
        if normalised_name.is_some_and(|name| state.cache.knows(&name)) {
            return settled(Last::Alike);
        }
        let positions = whole.positions(&running.text.source, running.proposal.seam);
        if joins_lines(running, &candidate, &positions) {
            return settled(Last::Skipped);
        }
        let Some((parsed, embedded)) = self.fits(running, base, &candidate, &positions) else {
            base.asked.add(without, KnownAnswer::Misfit(name));
            return settled(Last::Rejected);
        };
        let open = Arc::new(OpenCandidate {
            without: without.to_vec(),
            gone: gone.into_owned(),
            apart,
            candidate: candidate.into(),
            name,
            normalised_name,
            patch,
            positions,
            parsed,
            embedded,
        });
        base.asked.add(&open.without, KnownAnswer::Open(Arc::downgrade(&open)));
        Answer::Open(open)
    }
}

/// Returns the answer to a question for which no candidate is built.
fn foreseen<'l, P>(state: &State<'l>, without: &[u32], apart: bool) -> Option<Answer<State<'l>, P>> {
    let after = || state.settled(without, apart, Last::Skipped);
    if state.is_over() || state.is_hopeless(without, apart) {
        return Some(Answer::Futile(after()));
    }
    state.failed_together(without, apart).then(|| Answer::Settled(after()))
}

/// Returns a question that was asked before, if the oracle must still decide it.
fn still_open(state: &State<'_>, open: &Weak<OpenCandidate>, apart: bool) -> Option<Arc<OpenCandidate>> {
    let is_known = |open: &OpenCandidate| {
        let names = [Some(open.name), open.normalised_name];
        names.iter().flatten().any(|name| state.cache.knows(name))
    };
    open.upgrade().filter(|open| open.apart == apart && !is_known(open))
}

/// Returns whether a kept line would no longer be at the start of a line in `candidate`.
fn joins_lines(stage: &Stage<'_>, candidate: &[u8], positions: &Positions) -> bool {
    let source = &stage.text.source;
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let begins_line = |text: &[u8], at: u32| at == 0 || is_end(&text[at as usize - 1]);
    let are_lines = |span: &&Span| {
        let text = span.of(source);
        begins_line(source, span.start)
            && (text.last().is_some_and(is_end) || span.end as usize == source.len())
    };
    let mut lines = stage.kept.iter().filter(are_lines);
    lines.any(|span| !begins_line(candidate, positions.of_position(span.start)))
}

/// Returns the number of syntax errors of each embedded part in `candidate`, or `None` if a part has more errors than
/// in the current best.
fn embedded_errors(
    stage: &Stage<'_>,
    base: &Configuration,
    candidate: &[u8],
    positions: &Positions,
) -> Option<Vec<u32>> {
    let mut errors = base.embedded.clone();
    for (part, known) in stage.text.embedded.iter().zip(&mut errors) {
        let at = |positions: &Positions| {
            let start = positions.of_position(part.span.start);
            Span::new(start, positions.of_position(part.span.end).max(start))
        };
        let text = at(positions).of(candidate);
        if text == at(&base.positions).of(&base.bytes) {
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
