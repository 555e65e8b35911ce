//! Adapts the oracle, the keeper and the sink of an archive to the reduction of a part of it.

use super::{ArchivePart, What, archive_size};
use crate::event::{Counts, Event, Sink};
use crate::offer::{Offer, Proposed, Proposer};
use crate::reduction::outcome::sum;
use crate::reduction::{Error, Keeper, Outcome, Reduction, Step};
use nubbin_archive as archive;
use nubbin_search::Verdict;
use nubbin_search::oracle::{self, Oracle, Record, Recorded};
use nubbin_search::schedule::{Name, Runner};
use nubbin_syntax::edit::Edit;
use std::io;
use std::sync::atomic::AtomicBool;

/// A proposer for an archive that drops proposals which would destroy the archive.
pub(super) struct ArchiveProposer<'p>(pub(super) &'p dyn Proposer);

impl Proposer for ArchiveProposer<'_> {
    fn propose(&self, best: &[u8]) -> Proposed {
        let mut answer = self.0.propose(best);
        let before = answer.offers.len();
        answer.offers.retain(|offer| match offer {
            Offer::Edits { edits, .. } => {
                let replaced = |edit: &'_ Edit| (edit.span.start as usize, edit.span.end as usize);
                archive::allows(best, edits.iter().map(|edit| (replaced(edit), &edit.text[..])))
            }
            Offer::Text(_) => false,
        });
        let gone = before - answer.offers.len();
        if gone > 0 {
            answer.notes.push(format!(
                "{gone} of what was proposed is left out: it is not about files and what is in them"
            ));
        }
        answer
    }
}

/// Reduces a part of the archive `text`. Verdicts on its candidates are stored in `record`.
pub(super) fn run(
    reduction: Reduction<'_>,
    runner: Runner<'_>,
    record: Option<&dyn Record>,
    text: &[u8],
    part: &ArchivePart,
    is_known: bool,
) -> Result<Outcome, Error> {
    match (runner, record) {
        (Runner::Serial(oracle), None) => reduction.run(&Inside { oracle, text, part, is_known }),
        (Runner::Serial(oracle), Some(record)) => {
            let oracle = &Recorded::new(oracle, record) as &dyn Oracle;
            reduction.run(&Inside { oracle, text, part, is_known })
        }
        (Runner::Parallel(oracle, jobs), None) => {
            reduction.run_with(Runner::Parallel(&Inside { oracle, text, part, is_known }, jobs))
        }
        (Runner::Parallel(oracle, jobs), Some(record)) => {
            let oracle = &Recorded::new(oracle, record) as &(dyn Oracle + Sync);
            reduction.run_with(Runner::Parallel(&Inside { oracle, text, part, is_known }, jobs))
        }
    }
}

/// An oracle that puts the candidate among the other files.
pub(super) struct Inside<'i, O: ?Sized> {
    pub(super) oracle: &'i O,
    pub(super) text: &'i [u8],
    pub(super) part: &'i ArchivePart,
    /// Whether the unchanged archive is known to be interesting.
    pub(super) is_known: bool,
}

impl<O: Oracle + ?Sized> Inside<'_, O> {
    /// Returns the verdict on a candidate that is known without a run.
    fn known(&self, candidate: &[u8]) -> Option<Verdict> {
        if candidate.is_empty() && !self.part.may_be_empty {
            return Some(Verdict::Uninteresting);
        }
        let is_unchanged = self.is_known && candidate == &self.text[self.part.span.0..self.part.span.1];
        is_unchanged.then_some(Verdict::Interesting)
    }
}

impl<O: Oracle + ?Sized> Oracle for Inside<'_, O> {
    fn probe(&self, candidate: &[u8]) -> Result<Verdict, oracle::NoVerdict> {
        let known = self.known(candidate);
        known.map_or_else(|| self.oracle.probe(&self.part.among(self.text, candidate)), Ok)
    }

    fn probe_unless(&self, candidate: &[u8], cancelled: &AtomicBool) -> Result<Verdict, oracle::NoVerdict> {
        let known = self.known(candidate);
        let all = || self.part.among(self.text, candidate);
        known.map_or_else(|| self.oracle.probe_unless(&all(), cancelled), Ok)
    }

    fn room(&self) -> Option<usize> {
        self.oracle.room()
    }

    fn counted(&self, candidate: &[u8], verdict: Verdict) -> Result<Verdict, oracle::NoVerdict> {
        if !verdict.is_interesting() {
            return Ok(verdict);
        }
        self.oracle.counted(&self.part.among(self.text, candidate), verdict)
    }

    fn recall(&self, name: &Name) -> Option<Verdict> {
        if self.part.file.is_none() { self.oracle.recall(name) } else { None }
    }

    fn recalled(&self, candidate: &[u8], verdict: Verdict) {
        if self.part.file.is_none() {
            self.oracle.recalled(candidate, verdict);
        }
    }

    fn ask_again(&self, name: &Name) {
        if self.part.file.is_none() {
            self.oracle.ask_again(name);
        }
    }
}

/// Stores the bests of a part as bests of the archive.
pub(super) struct Within<'i, 'k> {
    pub(super) text: &'i [u8],
    pub(super) part: &'i ArchivePart,
    pub(super) keeper: Option<&'i mut (dyn Keeper + 'k)>,
    /// The latest best.
    pub(super) latest: &'i mut Option<Vec<u8>>,
}

impl Keeper for Within<'_, '_> {
    fn accepted(&mut self, step: &Step<'_>) -> io::Result<()> {
        let best = self.part.among(self.text, step.best);
        let edits = self.part.moved(step.edits);
        if let Some(keeper) = &mut self.keeper {
            let size = archive_size(&best);
            keeper.accepted(&Step { pass: step.pass, edits: &edits, best: &best, size })?;
        }
        *self.latest = Some(best);
        Ok(())
    }

    fn undone(&mut self, steps: usize, best: &[u8]) -> io::Result<()> {
        let best = self.part.among(self.text, best);
        if let Some(keeper) = &mut self.keeper {
            keeper.undone(steps, &best)?;
        }
        *self.latest = Some(best);
        Ok(())
    }
}

/// Sends the events of a part as events of the archive.
pub(super) struct PartSink<'i, 's> {
    pub(super) text: &'i [u8],
    pub(super) part: &'i ArchivePart,
    pub(super) sink: &'i mut (dyn Sink + 's),
    /// The counts of all previous turns.
    pub(super) base: Counts,
    pub(super) is_first: bool,
}

impl Sink for PartSink<'_, '_> {
    fn event(&mut self, event: Event<'_>) {
        let whole = |best: &[u8]| self.part.among(self.text, best);
        match event {
            Event::Started { .. } if self.is_first => {
                self.sink.event(Event::Started { size: archive_size(self.text) });
            }
            Event::Note { text } if self.part.what == What::Proposals => {
                self.sink.event(Event::Note { text });
            }
            Event::Started { .. } | Event::Note { .. } => {}
            Event::Pass { name, deltas } => match &self.part.file {
                None => self.sink.event(Event::Pass { name, deltas }),
                Some(file) => {
                    let name = format!("{}: {name}", file.display());
                    self.sink.event(Event::Pass { name: &name, deltas });
                }
            },
            Event::Probed { verdict, counts } => {
                self.sink.event(Event::Probed { verdict, counts: sum(self.base, counts) });
            }
            Event::Accepted { pass, edits, best, .. } => {
                let (best, edits) = (whole(best), self.part.moved(edits));
                let size = archive_size(&best);
                self.sink.event(Event::Accepted { pass, edits: &edits, size, best: &best });
            }
            Event::Undone { steps, best, .. } => {
                let best = whole(best);
                self.sink.event(Event::Undone { steps, size: archive_size(&best), best: &best });
            }
            Event::Measured { interesting, runs } => {
                self.sink.event(Event::Measured { interesting, runs });
            }
        }
    }
}
