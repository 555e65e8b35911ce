//! Probes a whole archive: without any content, for a last confirmation, and formatted.

use super::super::{Error, Format, Step};
use super::part::{ArchivePart, What, contents_that_differ};
use super::{Folder, TUNING};
use crate::event::Size;
use nubbin_archive::{self as archive, Type};
use nubbin_search::oracle::{self, Oracle, Rate, Recorded};
use nubbin_search::schedule::Runner;
use nubbin_syntax::edit::{Edit, Patch, Seam, Span};

impl Folder<'_, '_> {
    /// Returns whether an archive whose files must stay is interesting with empty files. If so, it becomes the current
    /// best.
    pub(super) fn is_interesting_without_content(
        &mut self,
        runner: Runner<'_>,
        is_kept: bool,
    ) -> Result<bool, Error> {
        let text = &self.outcome.best;
        let edits: Vec<Edit> = archive::entries(text)
            .iter()
            .filter(|entry| entry.kind != Type::Options)
            .map(|entry| Edit::delete(Span::new(entry.content.0 as u32, entry.content.1 as u32)))
            .collect();
        let emptied = Patch::new(edits.clone()).apply(text, Seam::Touch);
        let oracle: &dyn Oracle = match runner {
            Runner::Serial(oracle) => oracle,
            Runner::Parallel(oracle, _) => oracle,
        };
        let verdict = match self.record {
            Some(record) => Recorded::new(oracle, record).probe(&emptied),
            None => oracle.probe(&emptied),
        };
        // An interrupt by the user is not an error.
        let verdict = match verdict {
            Err(oracle::NoVerdict::Interrupted) => return Ok(false),
            verdict => verdict?,
        };
        self.outcome.counts.probes += 1;
        self.outcome.started += 1;
        if verdict.is_interesting() && is_kept {
            if let Some(keeper) = &mut self.keeper {
                keeper.accepted(&Step {
                    pass: "empty",
                    edits: &edits,
                    best: &emptied,
                    size: Size::default(),
                })?;
            }
            self.outcome.best = emptied;
        }
        Ok(verdict.is_interesting())
    }

    /// Probes the result once more, because the turns have trusted single verdicts.
    pub(super) fn believe(&mut self, runner: Runner<'_>) -> Result<(), Error> {
        if self.version == 0 || self.settings.flaky.is_some() {
            return Ok(());
        }
        let oracle: &dyn Oracle = match runner {
            Runner::Serial(oracle) => oracle,
            Runner::Parallel(oracle, _) => oracle,
        };
        self.outcome.started += 1;
        if oracle.probe(&self.outcome.best)?.is_interesting() {
            return Ok(());
        }
        let mut interesting = 0;
        for _ in 1..TUNING.measured {
            interesting += usize::from(oracle.probe(&self.outcome.best)?.is_interesting());
        }
        Err(Error::Flaky { rate: Rate { interesting, runs: TUNING.measured }, reduced: true })
    }

    /// Tries the formatted files: all together, and one by one if that fails.
    pub(super) fn lay_out(&mut self, runner: Runner<'_>, format: Format<'_>) -> Result<(), Error> {
        let Some(text) = format(&self.outcome.best) else { return Ok(()) };
        let edits = contents_that_differ(&self.outcome.best, &text);
        if edits.is_empty() || self.takes_layout(runner, edits.clone())? || edits.len() == 1 {
            return Ok(());
        }
        // The last edit comes first, so that the positions of the others stay valid.
        for edit in edits.into_iter().rev() {
            if self.end().is_some() {
                break;
            }
            self.takes_layout(runner, vec![edit])?;
        }
        Ok(())
    }

    /// Returns whether the archive is interesting with these edits. If so, they are applied to the current best.
    pub(super) fn takes_layout(&mut self, runner: Runner<'_>, edits: Vec<Edit>) -> Result<bool, Error> {
        let version = self.version;
        let text = Patch::new(edits).apply(&self.outcome.best, Seam::Touch);
        self.turn(runner, &ArchivePart { what: What::Layout(text), ..self.all() }, 1, true)?;
        Ok(self.version > version)
    }
}
