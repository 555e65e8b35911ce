//! A journal opened for writing by a run.

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

/// The code of the verdict *interesting*.
pub(crate) const INTERESTING: char = 'i';
/// The code of the verdict of a probe that timed out.
pub(super) const TIMEOUT: char = 't';
const CODES: [(char, Verdict); 4] = [
    (INTERESTING, Verdict::Interesting),
    ('u', Verdict::Uninteresting),
    ('?', Verdict::Unresolved(Cause::Test)),
    (TIMEOUT, Verdict::Unresolved(Cause::Timeout)),
];

/// A journal to which the reduction and its keeper write.
pub struct Logbook {
    pub(super) journal: Mutex<Journal>,
    /// The folder of the journal.
    pub folder: PathBuf,
    /// The candidates that were interesting in an earlier run.
    pub(super) earlier: HashSet<blake3::Hash>,
    /// The journal contains verdicts of an earlier run.
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

    /// Returns whether an earlier run has recorded this step. The file then has at least this result.
    pub fn retakes(&self, step: &Step<'_>) -> bool {
        self.journal().retake(&blake3::hash(step.best))
    }

    /// Returns whether steps of an earlier run remain to be repeated.
    pub fn is_behind(&self) -> bool {
        self.journal().is_behind()
    }

    /// Returns the folder, and whether this run resumes an earlier one.
    pub fn place(&self) -> (&Path, bool) {
        (&self.folder, self.is_resumed)
    }

    /// Returns whether this run resumes an earlier one.
    pub fn is_resumed(&self) -> bool {
        self.is_resumed
    }

    /// Records a new step.
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

    /// Returns whether an earlier run found this candidate interesting, and so saved it or a smaller one.
    pub fn has_saved(&self, candidate: &[u8]) -> bool {
        self.earlier.contains(&blake3::hash(candidate))
    }

    /// Discards the last steps.
    pub fn undone(&self, steps: usize) {
        self.journal().undo(steps);
    }

    /// Restarts at the first step. The verdicts on these candidates and all steps but the first `steps` are
    /// discarded.
    pub fn begin_again(&self, doubted: &[Name], steps: usize) {
        let names: Vec<blake3::Hash> = doubted.iter().map(|name| (*name).into()).collect();
        self.journal().begin_again(&names, steps);
    }

    /// Restarts at the first step. All verdicts *interesting* and all steps but the first `steps` are discarded.
    pub fn doubt_all(&self, steps: usize) {
        let mut journal = self.journal();
        journal.forget(INTERESTING);
        journal.begin_again(&[], steps);
    }

    /// Records the facts learned from the initial runs.
    pub fn learn(&self, learned: &Learned) {
        self.journal().baseline(serde_json::to_value(learned).unwrap_or_default());
    }

    /// Returns the facts learned by an earlier run, if any.
    pub fn learned(&self) -> Option<Learned> {
        serde_json::from_value(self.journal().content().baseline.clone()?).ok()
    }

    /// Returns the outcome to report. A run interrupted before it reached the result of an earlier run has the
    /// earlier result.
    pub fn settle(&self, mut outcome: Outcome, input: &[u8]) -> Outcome {
        let journal = self.journal();
        let content = journal.content();
        if !self.is_resumed {
            // Speculative runs that were needed later are not verdicts of an earlier run.
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

    /// Records how the run ended.
    pub fn end(&self, end: End) {
        self.journal().end(end);
    }

    /// Returns a note if writing failed.
    pub fn failure(&self) -> Option<String> {
        let journal = self.journal();
        let error = journal.failure()?;
        Some(format!(
            "note: writing the journal failed, so `--resume` would continue from an earlier point: {error}"
        ))
    }
}
