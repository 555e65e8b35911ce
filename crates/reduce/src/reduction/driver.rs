//! Drives a reduction: the plan selects a pass, the pass proposes deltas, a search selects deltas, the oracle decides,
//! and the current best shrinks.
//!
//! The driver begins, confirms, restarts and ends a reduction. The engine does the work in between.

use super::control::StopReason;
use super::engine::Engine;
use super::joined;
use super::question::Asking;
use super::state::State;
use super::trust::Trust;
use super::{Error, Format, Outcome, Preprocess, Proof, proven, size};
use crate::HUGE;
use crate::event::{Event, Size};
use crate::inline::Join;
use crate::pass::Plan;
use nubbin_search::oracle;
use nubbin_search::schedule::{Cache, Prober, Stand, name};
use nubbin_search::search::Hierarchy;
use nubbin_syntax::edit::{Edit, Span};
use std::sync::Arc;
use std::time::Instant;

pub(super) struct Driver<'o, 'r, 'a, 's, 'l> {
    pub prober: Prober<'o>,
    pub trust: Trust<'r>,
    pub engine: Engine<'a, 's, 'l>,
    pub plan: Plan,
    pub wants_language: bool,
    pub allow_empty: bool,
    /// Whether the answers to the first probes are known already.
    pub goes_on: bool,
    /// The number of probes for restarts, in percent of the probes before.
    pub effort: u32,
}

impl<'l> Driver<'_, '_, '_, '_, 'l> {
    pub fn outcome(self, before: Size, proof: Proof, start: Instant) -> Outcome {
        let Self { prober, trust, engine, .. } = self;
        Outcome {
            before,
            after: engine.size,
            kept: engine.kept.of(&engine.best).to_vec(),
            best: engine.best.to_vec(),
            counts: engine.counts,
            proof,
            passes: engine.passes,
            elapsed: start.elapsed(),
            oracle_time: prober.spent() + trust.spent(),
            started: prober.started() + trust.probes(),
            runs: trust.runs(),
            recalled: prober.recalled() + trust.recalled(),
            flaky: trust.flakiness(),
            skipped: engine.skipped,
            is_thinned: engine.is_thinned,
        }
    }

    /// Runs the reduction, and formats the proven result.
    pub fn finish(
        &mut self,
        join: Option<&dyn Join>,
        preprocess: Option<Preprocess<'_>>,
        format: Option<Format<'_>>,
    ) -> Result<Proof, Error> {
        let proof = match self.reduce(join, preprocess) {
            Ok(proof) => proof,
            Err(Error::Oracle(oracle::NoVerdict::Interrupted)) => {
                self.engine.cut.map_or(Proof::Interrupted, Proof::Stopped)
            }
            Err(error) => return Err(error),
        };
        if let Some(format) = format.filter(|_| !proof.is_cut_short()) {
            self.format(format)?;
        }
        self.engine.report();
        Ok(proof)
    }

    fn reduce(
        &mut self,
        join: Option<&dyn Join>,
        preprocess: Option<Preprocess<'_>>,
    ) -> Result<Proof, Error> {
        let texts = |driver: &Self| {
            let mut texts = preprocess.map_or_else(Vec::new, |preprocess| preprocess(&driver.engine.best));
            texts.retain(|text| driver.is_smaller(text));
            texts
        };
        let mut first = if join.is_none() { texts(self) } else { Vec::new() };
        let mut cache = self.begin(first.is_empty() && join.is_none())?;
        if let Some(join) = join {
            joined::run(&mut self.prober, &mut self.engine, join)?;
            first = texts(self);
        }
        self.preprocess(first)?;
        if self.engine.language.is_none() && self.wants_language {
            let text = "unknown language: reducing by blocks of lines, then by words and bytes";
            self.engine.sink.event(Event::Note { text });
        }
        if self.engine.best.is_empty() && !self.confirm(&mut cache)? {
            return Ok(proven(&[]));
        }
        let (mut proof, mut cache) = self.settle(cache)?;
        loop {
            if proof.is_cut_short() {
                return Ok(proof);
            }
            let before = self.engine.size;
            cache = match self.detour(cache) {
                // The result is proven without its detours.
                Err(Error::Oracle(oracle::NoVerdict::Interrupted)) if self.engine.size == before => {
                    return Ok(proof);
                }
                cache => cache?,
            };
            if self.engine.size == before {
                break;
            }
            (proof, cache) = self.settle(cache)?;
        }
        let share = self.engine.counts.probes.saturating_mul(self.effort as usize) / 100;
        let end = self.engine.counts.probes + share;
        // Small bests come first: they need the fewest probes and lead to most improvements.
        let mut starts = std::mem::take(&mut self.engine.milestones);
        while let Some((start, size)) = starts.pop() {
            let left = end.saturating_sub(self.engine.counts.probes);
            let left = left.min(self.engine.left().unwrap_or(left));
            if left == 0 || size.tokens < 2 * self.engine.size.tokens {
                continue;
            }
            let before = self.engine.size;
            cache = self.restart(start, size, left, cache)?;
            if self.engine.size != before {
                (proof, cache) = self.settle(cache)?;
                if proof.is_cut_short() {
                    break;
                }
            }
        }
        Ok(proof)
    }

    /// Runs the plan until everything is exhausted and the result is proven, or a limit ends the run.
    fn settle(&mut self, mut cache: Cache) -> Result<(Proof, Cache), Error> {
        loop {
            let (nothing, state) = self.start(cache);
            let (state, is_confirmed) = self.run(nothing, state)?;
            if is_confirmed {
                if state.cut.is_none() {
                    self.confirm_input()?;
                }
                self.engine.is_thinned = state.is_thinned;
                self.engine.skipped = state.plan.unfinished(state.number);
                let proof = match state.cut {
                    Some(stop) => Proof::Stopped(stop),
                    None if state.plan.sweeps().is_empty() || self.engine.best.len() > HUGE => Proof::Dry,
                    None => proven(&state.judged),
                };
                return Ok((proof, state.cache));
            }
            cache = state.cache;
        }
    }

    /// Reduces an earlier best again with at most `left` probes. A result that is smaller than the current best
    /// replaces it.
    fn restart(&mut self, start: Arc<[u8]>, size: Size, left: usize, cache: Cache) -> Result<Cache, Error> {
        let kept = self.engine.kept.of(&start);
        let state = State::new(start, size, self.plan.clone().turned(), cache, kept);
        let state = state.bounded(&self.engine.control, self.engine.left());
        let nothing = Asking::from(Hierarchy::new(state.stage.proposal.groups()));
        self.engine.follows = false;
        let (state, _) = self.run(nothing, State { left: Some(left), ..state })?;
        self.engine.follows = true;
        Ok(state.cache)
    }

    /// Runs from this state until everything is exhausted. Returns the last state, and whether all bests were
    /// confirmed.
    pub(super) fn run(&mut self, nothing: Asking, state: State<'l>) -> Result<(State<'l>, bool), Error> {
        self.engine.number = state.number;
        let mut stand = self.prober.run(nothing, &mut self.engine, state)?;
        loop {
            let (search, mut state) = match stand {
                Stand::Ended(state) => (None, state),
                Stand::Paused(search, state) => (Some(search), state),
                Stand::Switched(search, state) => {
                    let (search, state) = self.engine.heed(search, state);
                    stand = self.prober.run(search, &mut self.engine, state)?;
                    continue;
                }
            };
            if let (Some(text), Some(search)) = (self.engine.by_hand.take(), &search) {
                if self.try_by_hand(&text.into(), &state)? {
                    return Ok((state, false));
                }
                state.bound = self.engine.left();
                stand = self.prober.run(search.clone(), &mut self.engine, state)?;
                continue;
            }
            // If no probes are left, the oracle cannot be asked.
            let is_spent = state.cut == Some(StopReason::Probes);
            if !is_spent && self.confirm(&mut state.cache)? {
                return Ok((state, false));
            }
            state.bound = self.engine.left();
            let Some(search) = search else { return Ok((state, true)) };
            stand = self.prober.run(search, &mut self.engine, state)?;
        }
    }

    /// Returns whether a text is smaller than the current best, by the objective.
    fn is_smaller(&self, text: &[u8]) -> bool {
        let rank = |size| self.engine.control.objective.rank(size);
        rank(size(text)) < rank(self.engine.size)
    }

    /// Starts with the first of these texts that is interesting.
    fn preprocess(&mut self, texts: Vec<Vec<u8>>) -> Result<(), Error> {
        // The current best may be the empty input by now.
        if !texts.iter().any(|text| self.is_smaller(text)) {
            return Ok(());
        }
        let input = Arc::clone(&self.engine.best);
        self.engine.running = Some(("preprocessor", self.engine.counts, self.engine.size));
        for text in texts {
            self.engine.may_probe()?;
            let verdict = self.prober.probe(&text)?;
            self.engine.probed(verdict);
            if verdict.is_interesting() {
                let edit = Edit::between(&input, &text);
                let now = size(&text);
                self.engine.accept(&text.into(), now, &[edit])?;
                break;
            }
        }
        self.engine.report();
        Ok(())
    }

    /// Tries the formatted result.
    fn format(&mut self, format: Format<'_>) -> Result<(), Error> {
        let best = Arc::clone(&self.engine.best);
        let Some(text) = format(&best) else { return Ok(()) };
        let formatted = size(&text);
        if *text == *best || formatted.tokens > self.engine.size.tokens || self.engine.left() == Some(0) {
            return Ok(());
        }
        self.engine.report();
        self.engine.running = Some(("formatter", self.engine.counts, self.engine.size));
        let verdict = match self.prober.probe(&text) {
            // The result is proven without this probe.
            Err(oracle::NoVerdict::Interrupted) => return Ok(()),
            verdict => verdict?,
        };
        self.engine.probed(verdict);
        if verdict.is_interesting() {
            let edit = Edit::between(&best, &text);
            self.engine.accept(&text.into(), formatted, &[edit])?;
        }
        Ok(())
    }

    /// Tries a text that the user has edited by hand. If it becomes the current best, the plan starts again.
    fn try_by_hand(&mut self, text: &Arc<[u8]>, state: &State<'l>) -> Result<bool, Error> {
        self.engine.report();
        self.engine.running = Some(("hand", self.engine.counts, self.engine.size));
        let refusal = self.is_refused(text)?;
        if let Some(keeper) = self.engine.keeper.as_mut().filter(|_| refusal.is_some()) {
            let note = keeper.refused(text, refusal.unwrap_or_default())?;
            if let Some(text) = &note {
                self.engine.sink.event(Event::Note { text });
            }
        } else {
            self.engine.sink.event(Event::Note { text: "the text edited by hand is the new current best" });
        }
        self.engine.report();
        self.engine.running = Some((state.stage.name(), self.engine.counts, self.engine.size));
        Ok(refusal.is_none())
    }

    /// Makes a text the current best, or returns the reason why it was rejected.
    fn is_refused(&mut self, text: &Arc<[u8]>) -> Result<Option<&'static str>, Error> {
        let (best, now) = (Arc::clone(&self.engine.best), size(text));
        if **text == *best {
            return Ok(Some("it changes nothing"));
        }
        let rank = |size| self.engine.control.objective.rank(size);
        if rank(now) > rank(self.engine.size) {
            return Ok(Some("it is larger than the current best"));
        }
        let edit = Edit::between(&best, text);
        let Some(kept) = self.engine.kept.after(&best, &edit) else {
            return Ok(Some("it changes text that must stay"));
        };
        if self.engine.left() == Some(0) {
            return Ok(Some("no probes are left"));
        }
        let verdict = self.prober.probe(text)?;
        self.engine.probed(verdict);
        if !verdict.is_interesting() {
            return Ok(Some("the failure disappears"));
        }
        self.engine.kept.add(text, kept);
        self.engine.accept(text, now, &[edit])?;
        Ok(None)
    }

    /// Returns the start of the plan: an empty search, and the state of the current best.
    pub(super) fn start(&self, cache: Cache) -> (Asking, State<'l>) {
        let engine = &self.engine;
        let kept = engine.kept.of(&engine.best);
        let state = State::new(Arc::clone(&engine.best), engine.size, self.plan.clone(), cache, kept);
        let state = state.bounded(&engine.control, engine.left());
        (Hierarchy::new(state.stage.proposal.groups()).into(), state)
    }

    /// Probes the unchanged input, until it can be trusted, and the empty input.
    fn begin(&mut self, foresees: bool) -> Result<Cache, Error> {
        let input = Arc::clone(&self.engine.best);
        if self.goes_on {
            let mut cache = Cache::default();
            cache.insert(name(b""), [0; 3]);
            return Ok(cache);
        }
        let verdict = self.prober.probe(&input)?;
        self.engine.probed(verdict);
        if foresees && verdict.is_interesting() && !self.trust.is_to_measure() {
            let (nothing, state) = self.start(Cache::default());
            self.prober.foresee(Arc::default(), nothing, &mut self.engine, state);
        }
        let engine = &mut self.engine;
        self.trust.begin(engine, &input, verdict)?;
        engine.sink.event(Event::Started { size: engine.size });
        let mut cache = Cache::default();
        if input.is_empty() {
            return if self.allow_empty { Ok(cache) } else { Err(Error::EmptyIsInteresting) };
        }
        engine.may_probe()?;
        let verdict = self.prober.probe(b"")?;
        engine.probed(verdict);
        cache.insert(name(b""), [0; 3]);
        match (verdict.is_interesting(), self.allow_empty) {
            (false, _) => Ok(cache),
            (true, false) => Err(Error::EmptyIsInteresting),
            // The empty input lacks the kept spans.
            (true, true) if !engine.kept.is_empty() => Ok(cache),
            (true, true) => {
                let all = Edit { span: Span::new(0, input.len() as u32), text: Box::default() };
                engine.accept(&Arc::default(), Size::default(), &[all])?;
                Ok(cache)
            }
        }
    }
}
