//! The driver: the plan picks a pass, the pass proposes, a search asks, the oracle answers, the best shrinks.
//!
//! It begins, confirms, starts anew and ends; what happens in between is the bench's.

use super::bench::Bench;
use super::control::Stop;
use super::question::Asking;
use super::trust::Trust;
use super::view::View;
use super::{Error, Format, Outcome, Preprocess, Proof, proven, size};
use crate::event::{Event, Size};
use crate::pass::Plan;
use nubbin_search::oracle;
use nubbin_search::schedule::{Cache, Prober, Stand, name};
use nubbin_search::search::Hierarchy;
use nubbin_syntax::edit::{Edit, Span};
use std::sync::Arc;
use std::time::Instant;

/// A reduction under way.
pub(super) struct Driver<'o, 'r, 'a, 's, 'l> {
    pub prober: Prober<'o>,
    pub trust: Trust<'r>,
    pub bench: Bench<'a, 's, 'l>,
    pub plan: Plan,
    pub wants_language: bool,
    pub allow_empty: bool,
    /// Whether what the first probes tell is known.
    pub goes_on: bool,
    pub effort: u8,
}

impl<'l> Driver<'_, '_, '_, '_, 'l> {
    pub fn outcome(self, before: Size, proof: Proof, start: Instant) -> Outcome {
        let Self { prober, trust, bench, .. } = self;
        Outcome {
            before,
            after: bench.size,
            kept: bench.kept.of(&bench.best).to_vec(),
            best: bench.best.to_vec(),
            counts: bench.counts,
            proof,
            passes: bench.passes,
            elapsed: start.elapsed(),
            oracle_time: prober.spent() + trust.spent(),
            started: prober.started() + trust.probes(),
            runs: trust.runs(),
            recalled: prober.recalled() + trust.recalled(),
            flaky: trust.flakiness(),
            skipped: bench.skipped,
        }
    }

    pub fn reduce(&mut self, preprocess: Option<Preprocess<'_>>) -> Result<Proof, Error> {
        let mut texts = preprocess.map_or_else(Vec::new, |preprocess| preprocess(&self.bench.best));
        texts.retain(|text| self.is_smaller(text));
        let mut cache = self.begin(texts.is_empty())?;
        self.preprocess(texts)?;
        if self.bench.language.is_none() && self.wants_language {
            let text =
                "no language is known for this input: reducing by blocks of lines, then by words and bytes";
            self.bench.sink.event(Event::Note { text });
        }
        if self.bench.best.is_empty() && !self.confirm(&mut cache)? {
            return Ok(proven(&[]));
        }
        let (mut proof, mut cache) = self.settle(cache)?;
        if proof.is_cut_short() {
            return Ok(proof);
        }
        let share = match self.effort {
            0 => 0,
            1 => self.bench.counts.probes / 4,
            2 => self.bench.counts.probes,
            _ => 4 * self.bench.counts.probes,
        };
        let end = self.bench.counts.probes + share;
        // Small ones first: most of what there is to find is there, and they cost least.
        let mut starts = std::mem::take(&mut self.bench.milestones);
        while let Some((start, size)) = starts.pop() {
            let left = end.saturating_sub(self.bench.counts.probes);
            let left = left.min(self.bench.left().unwrap_or(left));
            if left == 0 || size.tokens < 2 * self.bench.size.tokens {
                continue;
            }
            let before = self.bench.size;
            cache = self.restart(start, size, left, cache)?;
            if self.bench.size != before {
                (proof, cache) = self.settle(cache)?;
                if proof.is_cut_short() {
                    break;
                }
            }
        }
        Ok(proof)
    }

    /// Runs the plan until everything is dry and the result is proven, or a bound ends it.
    fn settle(&mut self, mut cache: Cache) -> Result<(Proof, Cache), Error> {
        loop {
            let (nothing, view) = self.start(cache);
            let (view, is_confirmed) = self.run(nothing, view)?;
            if is_confirmed {
                self.bench.skipped = view.plan.unfinished(view.number);
                let proof = match view.cut {
                    Some(stop) => Proof::Stopped(stop),
                    None if view.plan.sweeps().is_empty() => Proof::Dry,
                    None => proven(&view.judged),
                };
                return Ok((proof, view.cache));
            }
            cache = view.cache;
        }
    }

    /// Reduces an earlier best again with at most `left` probes; what comes out below the best is the best.
    fn restart(&mut self, start: Arc<[u8]>, size: Size, left: usize, cache: Cache) -> Result<Cache, Error> {
        let kept = self.bench.kept.of(&start);
        let view = View::new(start, size, self.plan.clone().turned(), cache, kept);
        let view = view.bounded(&self.bench.control, self.bench.left());
        let nothing = Asking::from(Hierarchy::new(view.stage.proposal.groups()));
        self.bench.follows = false;
        let (view, _) = self.run(nothing, View { left: Some(left), ..view })?;
        self.bench.follows = true;
        Ok(view.cache)
    }

    /// Runs from this view on until everything is dry; and whether every best on the way was confirmed.
    fn run(&mut self, nothing: Asking, view: View<'l>) -> Result<(View<'l>, bool), Error> {
        self.bench.number = view.number;
        let mut stand = self.prober.run(nothing, &mut self.bench, view)?;
        loop {
            let (search, mut view) = match stand {
                Stand::Ended(view) => (None, view),
                Stand::Paused(search, view) => (Some(search), view),
                Stand::Switched(search, view) => {
                    let (search, view) = self.bench.heed(search, view);
                    stand = self.prober.run(search, &mut self.bench, view)?;
                    continue;
                }
            };
            if let (Some(text), Some(search)) = (self.bench.by_hand.take(), &search) {
                if self.try_by_hand(&text.into(), &view)? {
                    return Ok((view, false));
                }
                view.bound = self.bench.left();
                stand = self.prober.run(search.clone(), &mut self.bench, view)?;
                continue;
            }
            // Nobody is left to ask where the probes are spent.
            let is_spent = view.cut == Some(Stop::Probes);
            if !is_spent && self.confirm(&mut view.cache)? {
                return Ok((view, false));
            }
            view.bound = self.bench.left();
            let Some(search) = search else { return Ok((view, true)) };
            stand = self.prober.run(search, &mut self.bench, view)?;
        }
    }

    /// Whether a text is smaller than the best, in what the run is to make small.
    fn is_smaller(&self, text: &[u8]) -> bool {
        let rank = |size| self.bench.control.objective.rank(size);
        rank(size(text)) < rank(self.bench.size)
    }

    /// Begins with the first of these texts that is interesting.
    fn preprocess(&mut self, texts: Vec<Vec<u8>>) -> Result<(), Error> {
        // The empty input may be the best by now.
        if !texts.iter().any(|text| self.is_smaller(text)) {
            return Ok(());
        }
        let input = Arc::clone(&self.bench.best);
        self.bench.running = Some(("preprocessor", self.bench.counts, self.bench.size));
        for text in texts {
            self.bench.may_probe()?;
            let verdict = self.prober.probe(&text)?;
            self.bench.probed(verdict);
            if verdict.is_interesting() {
                let edit = Edit::between(&input, &text);
                let now = size(&text);
                self.bench.accept(&text.into(), now, &[edit])?;
                break;
            }
        }
        self.bench.report();
        Ok(())
    }

    /// Tries the result as it is laid out again.
    pub fn format(&mut self, format: Format<'_>) -> Result<(), Error> {
        let best = Arc::clone(&self.bench.best);
        let Some(text) = format(&best) else { return Ok(()) };
        let formatted = size(&text);
        if *text == *best || formatted.tokens > self.bench.size.tokens || self.bench.left() == Some(0) {
            return Ok(());
        }
        self.bench.report();
        self.bench.running = Some(("formatter", self.bench.counts, self.bench.size));
        let verdict = match self.prober.probe(&text) {
            // It is proven all the same.
            Err(oracle::NoVerdict::Interrupted) => return Ok(()),
            verdict => verdict?,
        };
        self.bench.probed(verdict);
        if verdict.is_interesting() {
            let edit = Edit::between(&best, &text);
            self.bench.accept(&text.into(), formatted, &[edit])?;
        }
        Ok(())
    }

    /// Tries what somebody has made of the best by hand; where it is the best now, the plan begins again.
    fn try_by_hand(&mut self, text: &Arc<[u8]>, view: &View<'l>) -> Result<bool, Error> {
        self.bench.report();
        self.bench.running = Some(("hand", self.bench.counts, self.bench.size));
        let refusal = self.is_refused(text)?;
        if let Some(keeper) = self.bench.keeper.as_mut().filter(|_| refusal.is_some()) {
            let note = keeper.refused(text, refusal.unwrap_or_default())?;
            if let Some(text) = &note {
                self.bench.sink.event(Event::Note { text });
            }
        } else {
            self.bench.sink.event(Event::Note { text: "an edit by hand is the best now" });
        }
        self.bench.report();
        self.bench.running = Some((view.stage.name(), self.bench.counts, self.bench.size));
        Ok(refusal.is_none())
    }

    /// Why a text cannot be the best; otherwise it is.
    fn is_refused(&mut self, text: &Arc<[u8]>) -> Result<Option<&'static str>, Error> {
        let (best, now) = (Arc::clone(&self.bench.best), size(text));
        if **text == *best {
            return Ok(Some("it changes nothing"));
        }
        let rank = |size| self.bench.control.objective.rank(size);
        if rank(now) > rank(self.bench.size) {
            return Ok(Some("it is larger than the best"));
        }
        let edit = Edit::between(&best, text);
        let Some(kept) = self.bench.kept.after(&best, &edit) else {
            return Ok(Some("it changes what has to stay"));
        };
        if self.bench.left() == Some(0) {
            return Ok(Some("no probe is left"));
        }
        let verdict = self.prober.probe(text)?;
        self.bench.probed(verdict);
        if !verdict.is_interesting() {
            return Ok(Some("the failure goes with it"));
        }
        self.bench.kept.add(text, kept);
        self.bench.accept(text, now, &[edit])?;
        Ok(None)
    }

    /// Where the plan begins: a search that asks nothing, and the view of the best.
    fn start(&self, cache: Cache) -> (Asking, View<'l>) {
        let bench = &self.bench;
        let kept = bench.kept.of(&bench.best);
        let view = View::new(Arc::clone(&bench.best), bench.size, self.plan.clone(), cache, kept);
        let view = view.bounded(&bench.control, bench.left());
        (Hierarchy::new(view.stage.proposal.groups()).into(), view)
    }

    /// The first probes: the unchanged input, until it can be believed, and the empty one.
    fn begin(&mut self, foresees: bool) -> Result<Cache, Error> {
        let input = Arc::clone(&self.bench.best);
        if self.goes_on {
            let mut cache = Cache::default();
            cache.insert(name(b""), [0; 3]);
            return Ok(cache);
        }
        let verdict = self.prober.probe(&input)?;
        self.bench.probed(verdict);
        if foresees && verdict.is_interesting() && !self.trust.is_to_measure() {
            let (nothing, view) = self.start(Cache::default());
            self.prober.foresee(Arc::default(), nothing, &mut self.bench, view);
        }
        let bench = &mut self.bench;
        self.trust.begin(bench, &input, verdict)?;
        bench.sink.event(Event::Started { size: bench.size });
        let mut cache = Cache::default();
        if input.is_empty() {
            return if self.allow_empty { Ok(cache) } else { Err(Error::EmptyIsInteresting) };
        }
        bench.may_probe()?;
        let verdict = self.prober.probe(b"")?;
        bench.probed(verdict);
        cache.insert(name(b""), [0; 3]);
        match (verdict.is_interesting(), self.allow_empty) {
            (false, _) => Ok(cache),
            (true, false) => Err(Error::EmptyIsInteresting),
            // What has to stay is not in it.
            (true, true) if !bench.kept.is_empty() => Ok(cache),
            (true, true) => {
                let all = Edit { span: Span::new(0, input.len() as u32), text: Box::default() };
                bench.accept(&Arc::default(), Size::default(), &[all])?;
                Ok(cache)
            }
        }
    }
}
