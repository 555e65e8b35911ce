//! Defines everything that the answers to the questions of a reduction depend on as one value, and the stage: one pass
//! on one snapshot.
//!
//! A state has no side effects: the engine commits it.

use super::configuration::{Asked, Configuration, OpenCandidate};
use super::control::{Control, StopReason};
use super::size;
use super::switches::Wanted;
use crate::event::Size;
use crate::pass::{Builder, CandidateFilter, PartKind, Pass, PassRun, Plan, Proposal, Snapshot, Text};
use nubbin_search::Verdict;
use nubbin_search::schedule::{Cache, Name};
use nubbin_syntax::edit::{Edit, Positions, Seam, Span, is_word};
use nubbin_syntax::{Parsed, Revision};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// The pass before the first one.
static NOTHING: Pass = Pass::new("", "try nothing", nothing);

fn nothing(_: &Snapshot<'_>) -> Proposal {
    Builder::new(CandidateFilter::Nothing, Seam::Touch).build()
}

/// The phase of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Before the first pass.
    Start,
    /// The passes of the plan.
    Plan,
    /// The part of the final sweep with this number. The second value is the revision on which the sweep began.
    Sweep(usize, u64),
}

/// One pass on one snapshot.
pub(super) struct Stage<'l> {
    /// The pass that proposed the deltas.
    pub pass: &'static Pass,
    pub phase: Phase,
    /// The revision of the snapshot.
    pub number: u64,
    pub text: Text<'l>,
    pub proposal: Proposal,
    /// The size of the snapshot, in the unit of the objective.
    pub measure: usize,
    /// The kept spans of the snapshot.
    pub kept: Arc<[Span]>,
    /// Whether the stage ends after it has found nothing for long.
    pub may_give_way: bool,
    /// Whether other passes of the tier have not run yet.
    pub is_trial: bool,
}

impl Stage<'_> {
    /// Returns the name of the stage in events and reports.
    pub fn name(&self) -> &'static str {
        if matches!(self.phase, Phase::Sweep(..)) { "sweep" } else { self.pass.name }
    }
}

/// The deltas of one pass that failed, each with the text around it.
///
/// A delta is not tried again while the text around it stays the same, because it would most likely fail again. The
/// final sweep ignores this memory, so the proof does not depend on it.
pub(super) type Memory = imbl::HashSet<u64>;

struct Tuning {
    /// The number of consecutive uninteresting probes after which a pass yields to others.
    patience: usize,
    /// The minimum share of a large text, as a divisor, that a pass on trial must remove in `patience` probes.
    yields: usize,
    /// The minimum size of a large text, in bytes.
    large: usize,
}

const TUNING: Tuning = Tuning { patience: 50, yields: 16, large: 4096 };

/// The original name for each short name.
pub(super) type OldNames = HashMap<Box<[u8]>, Box<[u8]>>;

/// The current best, the memory of the whole reduction, and the progress of the running pass.
#[derive(Clone)]
pub(super) struct State<'l> {
    /// The configuration that the search holds: the current best.
    pub held: Arc<Configuration>,
    /// The configuration that the search held before the last question that was not apart.
    pub mark: Arc<Configuration>,
    /// The revision of the current best.
    pub number: u64,
    /// The edits that led from the previous best to the current one.
    pub step: Arc<[Edit]>,
    pub plan: Arc<Plan>,
    /// The deltas that have failed, for each pass except the running one.
    pub memories: imbl::HashMap<&'static str, Memory>,
    /// The deltas of the running pass that have failed.
    pub failed: Memory,
    /// The candidates that are known not to be interesting.
    pub cache: Cache,
    /// The cached candidates whose probes timed out.
    pub undecided: imbl::Vector<Name>,
    /// The candidates that this stage probes once more.
    pub again: Arc<[Name]>,
    pub stage: Arc<Stage<'l>>,
    /// For each pass of the sweep, the number of questions that the oracle has answered, now or before.
    pub judged: Vec<(Option<PartKind>, usize)>,
    /// Whether a pass of the sweep tried only the first and the last of many equal adjacent parts alone.
    pub is_thinned: bool,
    /// How the last question was answered.
    pub last: Last,
    /// The number of questions that the oracle has answered, of all passes and of passes with a limited share.
    pub all_spent: (usize, usize),
    /// The number of questions of this stage that the oracle has answered.
    pub spent: usize,
    /// The number of these questions since the last find.
    pub in_vain: usize,
    /// The size of the current best in bytes and the number of probes at the last check of the pace. There is a check
    /// every `TUNING.patience` probes.
    pub paced: (usize, usize),
    /// Whether the probes between the last two checks saved too little for a trial.
    pub is_slow: bool,
    /// The limits set by the user.
    pub control: Arc<Control>,
    /// The number of remaining probes of a restart.
    pub left: Option<usize>,
    /// The identifiers on whose lines deltas are tried after a detour; empty for no restriction.
    pub near: Arc<[Box<[u8]>]>,
    /// The number of remaining probes of the reduction, if limited.
    pub bound: Option<usize>,
    /// The limit that ends the run here.
    pub cut: Option<StopReason>,
    /// The original names of shortened identifiers.
    pub renamed: Arc<OldNames>,
}

/// How a question was answered.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Last {
    /// Without a candidate.
    Skipped,
    /// The candidate was cached.
    Cached,
    /// A candidate with the same normalized text was cached.
    Alike,
    /// The candidate had more syntax errors.
    Rejected,
    /// By the oracle.
    Probed,
}

impl<'l> State<'l> {
    /// Returns the state before the first pass.
    pub fn new(best: Arc<[u8]>, size: Size, plan: Plan, cache: Cache, kept: Arc<[Span]>) -> Self {
        let stage = Self::nothing(&best, 0, kept);
        let held = Arc::new(Configuration::new(best, size));
        Self {
            mark: Arc::clone(&held),
            held,
            number: 0,
            step: Arc::default(),
            plan: Arc::new(plan),
            memories: imbl::HashMap::new(),
            failed: Memory::new(),
            cache,
            undecided: imbl::Vector::new(),
            again: Arc::default(),
            stage: Arc::new(stage),
            judged: Vec::new(),
            is_thinned: false,
            last: Last::Skipped,
            all_spent: (0, 0),
            spent: 0,
            in_vain: 0,
            paced: (0, 0),
            is_slow: false,
            control: Arc::default(),
            left: None,
            near: Arc::default(),
            bound: None,
            cut: None,
            renamed: Arc::default(),
        }
    }

    /// Returns a stage that proposes nothing.
    fn nothing(best: &Arc<[u8]>, number: u64, kept: Arc<[Span]>) -> Stage<'l> {
        Stage {
            pass: &NOTHING,
            phase: Phase::Start,
            number,
            text: Text { source: Arc::clone(best), embedded: Vec::new() },
            proposal: Builder::new(CandidateFilter::Nothing, Seam::Touch).build(),
            measure: 0,
            kept,
            may_give_way: false,
            is_trial: false,
        }
    }

    /// Returns the state after the user has switched passes. If the running pass was switched off or skipped, it ends.
    /// A sweep whose passes have changed starts again.
    pub fn switched(mut self, wanted: &Wanted) -> Self {
        let (before, number) = (self.plan.sweeps(), self.number);
        let plan = Arc::make_mut(&mut self.plan);
        let is_on_again = plan.switch(&wanted.off);
        let ends = match self.stage.phase {
            Phase::Start => false,
            Phase::Plan => {
                wanted.off.contains(&self.stage.pass.name) || wanted.skip.contains(&self.stage.pass.name)
            }
            Phase::Sweep(..) => is_on_again || self.plan.sweeps() != before,
        };
        if ends && self.stage.phase == Phase::Plan {
            let run = self.run();
            Arc::make_mut(&mut self.plan).ran(self.stage.pass.name, run);
        }
        for name in &wanted.skip {
            Arc::make_mut(&mut self.plan).skip(name, number);
        }
        if !ends {
            return self;
        }
        let (best, kept) = (Arc::clone(&self.held.bytes), self.kept());
        let (stage, revision) = (Self::nothing(&best, number, kept), self.held.revision.clone());
        self.enter(stage, revision)
    }

    /// Returns the state with these limits and this number of remaining probes.
    pub fn bounded(mut self, control: &Arc<Control>, bound: Option<usize>) -> Self {
        self.control = Arc::clone(control);
        self.bound = bound;
        self.look_at_size();
        self
    }

    /// Ends the run if the current best is small enough.
    fn look_at_size(&mut self) {
        if self.control.is_reached(&self.held.bytes, self.held.size) {
            self.cut = Some(StopReason::Size);
        }
    }

    /// Returns the kept spans of the current best.
    pub fn kept(&self) -> Arc<[Span]> {
        let moved = |span: &Span| {
            let start = self.held.positions.of_position(span.start);
            Span::new(start, start + span.len())
        };
        self.stage.kept.iter().map(moved).collect()
    }

    /// Returns the state at the start of `stage`, whose snapshot is the current best with this tree.
    pub fn enter(mut self, stage: Stage<'l>, revision: Option<Arc<Revision>>) -> Self {
        self.memories.insert(self.stage.pass.name, self.failed);
        self.failed = self.memories.get(stage.pass.name).cloned().unwrap_or_default();
        self.held = Arc::new(Configuration {
            revision,
            made: vec![false; stage.proposal.len()],
            embedded: stage.text.embedded.iter().map(|part| part.errors).collect(),
            ..Configuration::new(Arc::clone(&self.held.bytes), self.held.size)
        });
        self.mark = Arc::clone(&self.held);
        self.last = Last::Skipped;
        (self.spent, self.in_vain) = (0, 0);
        (self.paced, self.is_slow) = ((self.held.size.bytes, 0), false);
        if matches!(stage.phase, Phase::Sweep(..)) {
            let proves = stage.pass.proves.filter(|_| !stage.proposal.is_partial);
            self.judged.push((proves, 0));
            self.is_thinned |= stage.proposal.is_thinned;
        }
        self.stage = Arc::new(stage);
        self
    }

    /// Returns the configuration that a question refers to.
    pub fn base(&self, apart: bool) -> &Arc<Configuration> {
        if apart { &self.mark } else { &self.held }
    }

    /// Returns the state after a question that needed no probe.
    pub fn settled(&self, without: &[u32], apart: bool, last: Last) -> Self {
        let mut after = self.clone();
        after.mark = Arc::clone(self.base(apart));
        after.last = last;
        if last != Last::Skipped {
            after.fail(without);
        }
        if matches!(last, Last::Cached | Last::Alike) {
            after.judge();
        }
        after
    }

    /// Returns the state after an answer of the oracle.
    pub fn after(&self, open: &OpenCandidate, verdict: Verdict) -> Self {
        let mut after = self.clone();
        after.mark = Arc::clone(self.base(open.apart));
        after.last = Last::Probed;
        after.spent += 1;
        after.all_spent.0 += 1;
        after.all_spent.1 += usize::from(after.stage.pass.share.is_some());
        after.left = after.left.map(|left| left.saturating_sub(1));
        after.bound = after.bound.map(|bound| bound.saturating_sub(1));
        after.in_vain = if verdict.is_interesting() { 0 } else { after.in_vain + 1 };
        after.judge();
        if !verdict.is_interesting() {
            after.fail(&open.without);
            let rank = after.control.objective.rank(size(&open.candidate));
            after.cache.insert(open.name, rank);
            if !verdict.is_lasting() {
                after.undecided.push_back(open.name);
            } else if let Some(name) = open.normalised_name {
                after.cache.insert(name, rank);
            }
        } else if Arc::ptr_eq(&self.held, &after.mark) {
            after.take(open);
        }
        after.pace();
        after
    }

    /// Returns a text with the original identifiers.
    pub fn under_old_names<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        if self.renamed.is_empty() {
            return Cow::Borrowed(text);
        }
        let words = text.chunk_by(|&a, &b| is_word(a) && is_word(b));
        Cow::Owned(
            words.flat_map(|word| self.renamed.get(word).map_or(word, |old| &**old)).copied().collect(),
        )
    }

    /// Records the original names of identifiers that these deltas shorten.
    fn rename(&mut self, deltas: &[u32]) {
        let stage = Arc::clone(&self.stage);
        let renamed = Arc::make_mut(&mut self.renamed);
        for edit in deltas.iter().flat_map(|&delta| stage.proposal.own_edits(delta)) {
            let old = edit.span.of(&stage.text.source);
            let old = renamed.get(old).cloned().unwrap_or_else(|| old.into());
            renamed.insert(edit.text.clone(), old);
        }
    }

    /// Makes a candidate the current best.
    fn take(&mut self, open: &OpenCandidate) {
        if self.stage.pass.is_renaming {
            self.rename(&open.without);
        }
        let before = &self.held;
        let mut made = before.made.clone();
        for &delta in &open.gone {
            made[delta as usize] = true;
        }
        self.step = Positions::changes(&before.positions, &open.positions)
            .iter()
            .map(|change| Edit { span: change.old, text: change.new.of(&open.candidate).into() })
            .collect();
        let revision = |parsed: &Parsed| Arc::new(Revision::new(parsed.clone(), &open.candidate));
        self.held = Arc::new(Configuration {
            bytes: Arc::clone(&open.candidate),
            size: size(&open.candidate),
            revision: open.parsed.as_ref().map(revision),
            made,
            patch: open.patch.clone(),
            positions: open.positions.clone(),
            embedded: open.embedded.clone(),
            asked: Asked::default(),
        });
        self.cache.forget_larger(self.control.objective.rank(self.held.size));
        self.number += 1;
        self.look_at_size();
    }

    /// Checks after every `TUNING.patience` probes whether these probes have saved enough.
    fn pace(&mut self) {
        let (bytes, spent) = self.paced;
        if self.spent >= spent + TUNING.patience {
            let now = self.held.size.bytes;
            self.is_slow =
                self.stage.is_trial && now >= TUNING.large && TUNING.yields * (bytes - now) < bytes;
            self.paced = (now, self.spent);
        }
    }

    fn judge(&mut self) {
        if let (Phase::Sweep(..), Some((_, judged))) = (self.stage.phase, self.judged.last_mut()) {
            *judged += 1;
        }
    }

    /// Records that a delta failed alone, or that several failed together in a large text.
    fn fail(&mut self, without: &[u32]) {
        let proposal = &self.stage.proposal;
        if let &[delta] = without {
            self.failed.insert(self.mark.key(delta, proposal));
        } else if self.remembers_sets(&self.mark) {
            self.failed.insert(self.mark.key_of_all(without, proposal));
        }
    }

    /// Returns whether sets of deltas that failed are not tried again while their text is the same. This is the case in
    /// large texts, where changes elsewhere seldom matter and the parts of the sets are tried anyway.
    fn remembers_sets(&self, base: &Configuration) -> bool {
        self.stage.phase == Phase::Plan && self.stage.may_give_way && base.bytes.len() >= TUNING.large
    }

    /// Returns whether these deltas failed together before.
    pub fn failed_together(&self, without: &[u32], apart: bool) -> bool {
        let base = self.base(apart);
        without.len() > 1
            && !self.failed.is_empty()
            && self.remembers_sets(base)
            && self.failed.contains(&base.key_of_all(without, &self.stage.proposal))
    }

    /// Returns whether the running pass ends here, because it yields or has used its share of the probes.
    pub fn is_over(&self) -> bool {
        let (all, shared) = self.all_spent;
        self.gives_way() || self.stage.pass.share.is_some_and(|share| 100 * (shared + 1) > share * all)
    }

    /// Returns whether the running pass yields to others, or no probe is left.
    fn gives_way(&self) -> bool {
        self.left == Some(0) || self.stage.may_give_way && (self.in_vain >= TUNING.patience || self.is_slow)
    }

    /// Returns the result of the running pass so far.
    pub fn run(&self) -> PassRun {
        PassRun {
            revisions: (self.stage.number, self.number),
            gain: self.stage.measure.saturating_sub(self.control.objective.of(self.held.size)),
            probes: self.spent,
            bytes: self.held.size.bytes,
            gave_way: self.gives_way(),
            is_cosmetic: self.stage.pass.is_cosmetic,
        }
    }

    /// Returns whether each of these deltas has failed before with the same text around it.
    pub fn is_hopeless(&self, without: &[u32], apart: bool) -> bool {
        let base = self.base(apart);
        self.stage.phase == Phase::Plan
            && !self.failed.is_empty()
            && without.iter().all(|&delta| self.failed.contains(&base.key(delta, &self.stage.proposal)))
    }
}
