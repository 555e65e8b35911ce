//! A journal that a run writes to: verdicts, steps, what the first runs taught, and the end.

use crate::baseline::Learned;
use crate::input::journal::{self, End, Journal};
use nubbin_oracle::{Name, Record};
use nubbin_reduce::Outcome;
use nubbin_reduce::Step;
use nubbin_reduce::event::Size;
use nubbin_search::Cause;
use nubbin_search::Verdict;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The code of the verdict *interesting* in a journal.
pub(crate) const INTERESTING: char = 'i';
/// The code of the verdict of a probe that ran into the time limit.
pub(super) const TIMEOUT: char = 't';
/// The codes of all verdicts.
const CODES: [(char, Verdict); 4] = [
    (INTERESTING, Verdict::Interesting),
    ('u', Verdict::Uninteresting),
    ('?', Verdict::Unresolved(Cause::Test)),
    (TIMEOUT, Verdict::Unresolved(Cause::Timeout)),
];

/// A journal that the reduction and its keeper write to.
pub struct Logbook {
    pub(super) journal: Mutex<Journal>,
    /// Its folder.
    pub folder: PathBuf,
    /// The candidates that were interesting in an earlier run.
    pub(super) earlier: HashSet<blake3::Hash>,
    /// It has verdicts of an earlier run.
    pub(super) is_resumed: bool,
}

impl Record for Logbook {
    fn find(&self, name: &Name) -> Option<Verdict> {
        let found = self.journal().verdict(&(*name).into())?;
        CODES.into_iter().find(|(code, _)| *code == found).map(|(_, verdict)| verdict)
    }

    fn add(&self, name: &Name, verdict: Verdict) {
        if let Some((code, _)) = CODES.into_iter().find(|(_, known)| *known == verdict) {
            self.journal().judged(&(*name).into(), code);
        }
    }

    fn ask_again(&self, name: &Name) {
        self.journal().ask_again(&(*name).into());
    }
}

impl Logbook {
    fn journal(&self) -> MutexGuard<'_, Journal> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells whether an earlier run has taken this step too; then the file that holds the best is at least as far.
    pub fn retakes(&self, step: &Step<'_>) -> bool {
        self.journal().retake(&blake3::hash(step.best))
    }

    /// Tells whether steps of an earlier run have still to be taken again.
    pub fn is_behind(&self) -> bool {
        self.journal().is_behind()
    }

    /// Returns its folder, and whether this run goes on with an earlier one.
    pub fn place(&self) -> (&Path, bool) {
        (&self.folder, self.is_resumed)
    }

    /// Tells whether this run goes on with an earlier one.
    pub fn is_resumed(&self) -> bool {
        self.is_resumed
    }

    /// Notes a step that is new.
    pub fn step(&self, step: &Step<'_>) {
        let edits = step.edits.iter().map(|edit| (edit.span.start, edit.span.end, (&*edit.text).into()));
        self.journal().step(journal::JournalStep {
            number: 0,
            pass: step.pass.to_owned(),
            tokens: step.size.tokens,
            bytes: step.size.bytes,
            lines: step.size.lines,
            edits: edits.collect(),
            hash: blake3::hash(step.best),
        });
    }

    /// Tells whether an earlier run has found this candidate interesting, and so has saved it or a smaller one.
    pub fn has_saved(&self, candidate: &[u8]) -> bool {
        self.earlier.contains(&blake3::hash(candidate))
    }

    /// Notes that the last steps do not hold.
    pub fn undone(&self, steps: usize) {
        self.journal().undo(steps);
    }

    /// Begins again with the first step: the verdicts on these candidates, and all steps but the first `steps`, no longer
    /// hold.
    pub fn begin_again(&self, doubted: &[Name], steps: usize) {
        let names: Vec<blake3::Hash> = doubted.iter().map(|name| (*name).into()).collect();
        self.journal().begin_again(&names, steps);
    }

    /// Begins again with the first step: no candidate counts as interesting any more, and only the first `steps` hold.
    pub fn doubt_all(&self, steps: usize) {
        let mut journal = self.journal();
        journal.forget(INTERESTING);
        journal.begin_again(&[], steps);
    }

    /// Notes what the first runs have taught.
    pub fn learn(&self, learned: &Learned) {
        self.journal().baseline(serde_json::to_value(learned).unwrap_or_default());
    }

    /// Returns the facts that the first runs have taught an earlier run, if it came so far.
    pub fn learned(&self) -> Option<Learned> {
        serde_json::from_value(self.journal().content().baseline.clone()?).ok()
    }

    /// Returns the outcome as it is told: with the best of the earlier run, where this one was interrupted before it
    /// had come that far.
    pub fn settle(&self, mut outcome: Outcome, input: &[u8]) -> Outcome {
        let journal = self.journal();
        let content = journal.content();
        if !self.is_resumed {
            // What was run ahead in vain at first, and needed later, is no verdict of an earlier run.
            outcome.recalled = 0;
        }
        if let (true, true, Some(last)) =
            (outcome.proof.is_cut_short(), journal.is_behind(), content.steps.last())
            && let Some(best) = content.rebuild(input, content.steps.len())
        {
            outcome.best = best;
            outcome.after = Size { tokens: last.tokens, bytes: last.bytes, lines: last.lines };
        }
        outcome
    }

    /// Notes how the run has ended.
    pub fn end(&self, end: End) {
        self.journal().end(end);
    }

    /// Returns a note that something could not be written, if that is so.
    pub fn failure(&self) -> Option<String> {
        let journal = self.journal();
        let error = journal.failure()?;
        Some(format!(
            "note: the journal could not be kept to the end, so `--resume` would go on from an earlier point: {error}"
        ))
    }
}
