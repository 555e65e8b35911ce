//! Implements the interface through which a schedule drives the engine: questions, answers, pauses, switches and stops.

use super::Engine;
use crate::event::Event;
use crate::pass;
use crate::reduction::Error;
use crate::reduction::configuration::OpenCandidate;
use crate::reduction::control::StopReason;
use crate::reduction::question::Asking;
use crate::reduction::state::{Last, Phase, State};
use nubbin_search::Verdict;
use nubbin_search::schedule::{Answer, Likeness, Name, Steered, Workbench};
use nubbin_syntax::edit::{Edit, Span};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl<'l> Steered for Engine<'_, '_, 'l> {
    fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }

    fn is_switched(&self) -> bool {
        self.switches.changes() != self.heeded
    }

    fn pauses(&mut self, state: &State<'l>) -> bool {
        // The best of a restart is not the real current best.
        let is_of_the_best = self.follows && state.left.is_none() && state.cut.is_none();
        if let Some(keeper) = self.keeper.as_mut().filter(|_| is_of_the_best) {
            self.by_hand = keeper.offered(self.counts.probes);
        }
        self.by_hand.is_some()
    }
}

impl<'l> Workbench for Engine<'_, '_, 'l> {
    type State = State<'l>;
    type Open = Arc<OpenCandidate>;
    type Search = Asking;
    type Error = Error;

    fn likeness(&self, state: &State<'l>, open: &Arc<OpenCandidate>) -> Likeness {
        let before = state.base(open.apart).bytes.len();
        let gone = 1000 * before.saturating_sub(open.candidate.len()) / before.max(1);
        Likeness { pass: state.stage.name(), share: gone.max(1).ilog(4) }
    }

    fn ask(
        &mut self,
        state: &State<'l>,
        without: &[u32],
        apart: bool,
    ) -> Answer<State<'l>, Arc<OpenCandidate>> {
        if state.cut.is_some() {
            return Answer::Futile(state.settled(without, apart, Last::Skipped));
        }
        match self.answer(state, without, apart) {
            Answer::Open(_) if state.bound == Some(0) => {
                let state = state.settled(without, apart, Last::Skipped);
                Answer::Futile(State { cut: Some(StopReason::Probes), ..state })
            }
            answer => answer,
        }
    }

    fn after(&self, state: &State<'l>, open: &Arc<OpenCandidate>, verdict: Verdict) -> State<'l> {
        state.after(open, verdict)
    }

    fn turn(&mut self, state: &State<'l>) -> Option<(Asking, State<'l>)> {
        if state.cut.is_some() {
            return None;
        }
        let mut state = state.clone();
        state.again = Arc::default();
        match state.stage.phase {
            Phase::Start => {}
            Phase::Plan => {
                let run = state.run();
                Arc::make_mut(&mut state.plan).ran(state.stage.pass.name, run);
            }
            Phase::Sweep(part, since) if state.number == since => {
                return self.sweep(state, part + 1, since);
            }
            Phase::Sweep(..) => {
                // What the sweep found may make more deltas succeed.
                for freed in pass::all().filter(|pass| pass.is_freed) {
                    state.memories.remove(freed.name);
                }
                if state.stage.pass.is_freed {
                    state.failed.clear();
                }
            }
        }
        if state.left == Some(0) {
            return None;
        }
        let bytes = state.held.size.bytes;
        if let Some(turn) = Arc::make_mut(&mut state.plan).next(state.number, bytes) {
            return Some(self.begin(state, turn, Phase::Plan));
        }
        if state.left.is_some() {
            // A restart has no final sweep.
            return None;
        }
        if Arc::make_mut(&mut state.plan).takes_anew() {
            state.memories.clear();
            state.failed.clear();
            if let Some(turn) = Arc::make_mut(&mut state.plan).next(state.number, bytes) {
                return Some(self.begin(state, turn, Phase::Plan));
            }
        }
        // A probe that timed out proves nothing, so these candidates are probed again.
        state.again = std::mem::take(&mut state.undecided).into_iter().collect();
        for name in state.again.iter() {
            state.cache.remove(name);
        }
        state.judged.clear();
        state.is_thinned = false;
        let since = state.number;
        self.sweep(state, 0, since)
    }

    fn waits(&self, state: &State<'l>) -> bool {
        if self.proposer.is_none() || state.cut.is_some() {
            return false;
        }
        let mut plan = (*state.plan).clone();
        match state.stage.phase {
            Phase::Sweep(_, since) if state.number == since => return false,
            Phase::Plan => plan.ran(state.stage.pass.name, state.run()),
            Phase::Start | Phase::Sweep(..) => {}
        }
        plan.next(state.number, state.held.size.bytes).is_some_and(|turn| turn.pass.asks_outside)
    }

    fn asks_again(&self, state: &State<'l>) -> Vec<Name> {
        state.again.to_vec()
    }

    fn commit(&mut self, state: &State<'l>, verdict: Option<Verdict>) -> Result<(), Error> {
        self.counts.cached += usize::from(state.last == Last::Cached);
        self.counts.alike += usize::from(state.last == Last::Alike);
        self.counts.rejected += usize::from(state.last == Last::Rejected);
        let Some(verdict) = verdict else { return Ok(()) };
        self.probed(verdict);
        if state.number != self.number {
            self.number = state.number;
            let (held, size) = (&state.held.bytes, state.held.size);
            let follows = std::mem::replace(&mut self.follows, true);
            self.kept.add(held, state.kept());
            let rank = |size| self.control.objective.rank(size);
            if follows {
                self.accept(held, size, &state.step)?;
            } else if rank(size) < rank(self.size) {
                // The best of a restart is smaller than the real current best.
                let all = Span::new(0, self.best.len() as u32);
                self.accept(held, size, &[Edit::replace(all, &held[..])])?;
            } else {
                self.follows = false;
            }
        }
        Ok(())
    }

    fn commit_turn(&mut self, state: &State<'l>) -> Result<ControlFlow<()>, Error> {
        self.report();
        let name = state.stage.name();
        self.sink.event(Event::Pass { name, deltas: state.stage.proposal.len() });
        if let Some(text) = state.stage.proposal.note.filter(|_| !self.noted) {
            self.noted = true;
            self.sink.event(Event::Note { text });
        }
        self.running = Some((name, self.counts, self.size));
        let is_due = self.history.is_due(self.counts.probes);
        Ok(if is_due { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }
}
