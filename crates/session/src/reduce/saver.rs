//! Records each new current best in the journal and then saves it in its file.
//!
//! A resumed run therefore knows the content of the file.

use super::Saved;
use crate::failure::{Failure, Fault};
use crate::hand::Hand;
use crate::input::BestFile;
use crate::journal::{self, Logbook};
use crate::pace::Pace;
use crate::rescue;
use crate::settings::Settings;
use crate::watch::Watch;
use nubbin_archive as archive;
use nubbin_oracle::Served;
use nubbin_reduce::event::Size;
use nubbin_reduce::{Keeper, Order, Step};
use nubbin_syntax::edit::{count_lines, count_tokens};
use std::io;
use std::sync::Arc;

/// Results other than the current best of the search.
pub(super) struct Bests {
    /// The result in the file.
    pub saved: Option<Arc<[u8]>>,
    /// A result that an earlier run saved but did not record. It is not replaced by a larger one.
    pub ahead: Option<Ahead>,
    /// The result that could not be saved.
    pub unsaved: Option<Vec<u8>>,
    /// Receives each saved result.
    pub told: Saved,
}

impl Bests {
    /// Restores an earlier result in the file.
    pub(super) fn put_back(&mut self, file: &mut BestFile, best: Arc<[u8]>) -> io::Result<()> {
        (self.ahead, self.unsaved) = (None, None);
        if self.saved.is_none() {
            return Ok(());
        }
        file.save(&best).map_err(io::Error::other)?;
        (self.told)(&best, file.path());
        self.saved = Some(best);
        Ok(())
    }
}

/// Makes sure that the current best is kept after an error, and adds its place to the error.
pub(super) fn kept(settings: &Settings, failure: Failure, best: &mut BestFile, bests: Bests) -> Failure {
    let is_spoilt = failure.is_about_the_input() || (best.is_stream() && failure.fault() == Fault::Output);
    let place = match (bests.saved, bests.unsaved) {
        (None, None) => return failure,
        (Some(saved), _) if !is_spoilt && best.finish(&saved).is_ok() => {
            Ok(best.path().map_or("on standard output".to_owned(), |path| format!("in `{}`", path.display())))
        }
        (_, Some(unsaved)) => rescue::elsewhere(settings, best, &unsaved),
        (Some(saved), None) => rescue::elsewhere(settings, best, &saved),
    };
    rescue::told(failure, place)
}

/// Records and saves each new current best.
pub(super) struct Saver<'b> {
    pub best: &'b mut BestFile,
    pub bests: &'b mut Bests,
    pub hand: &'b mut Hand,
    pub logbook: Option<&'b Logbook>,
    pub watch: &'b Watch,
    /// The servers that reported the verdicts.
    pub served: Option<&'b Served>,
    pub agreed: &'b mut Agreed,
    /// The pace of a run with `--stop-at`, and the unit of its sizes.
    pub pace: Option<(&'b Pace, Order)>,
    pub steps: usize,
}

/// The state when a new process last confirmed a result.
#[derive(Default)]
pub(super) struct Agreed {
    pub steps: usize,
    /// The result; `None` for the input.
    pub best: Option<Arc<[u8]>>,
    /// Results to which the run can return if a later one is refuted.
    pub trail: Option<Trail>,
}

/// The largest number of results in a trail.
const LONGEST_TRAIL: usize = 64;

/// Some results of a reduction in order, with the number of steps to each.
#[derive(Default)]
pub(super) struct Trail(Vec<(usize, Arc<[u8]>)>);

impl Trail {
    fn add(&mut self, steps: usize, best: &[u8]) {
        self.cut(steps - 1);
        if self.0.len() >= LONGEST_TRAIL {
            // Half of the results are enough to return to.
            let mut number = 0;
            self.0.retain(|_| {
                number += 1;
                number % 2 == 0
            });
        }
        self.0.push((steps, best.into()));
    }

    /// Removes the results after this number of steps.
    fn cut(&mut self, steps: usize) {
        self.0.retain(|(own, _)| *own <= steps);
    }

    /// Returns the latest result for which `is_so` holds, with its number of steps. Starts with the last one, and
    /// goes back in increasing strides.
    pub(super) fn last(&self, is_so: impl Fn(&[u8]) -> bool) -> Option<(usize, Arc<[u8]>)> {
        let (mut left, mut stride) = (self.0.len(), 1);
        while left > 0 {
            let (steps, best) = &self.0[left - 1];
            if is_so(best) {
                return Some((*steps, Arc::clone(best)));
            }
            left = left.saturating_sub(stride);
            stride *= 2;
        }
        None
    }
}

/// A result in the file from an earlier run, which this run has not reached yet.
pub(super) struct Ahead {
    pub text: Arc<[u8]>,
    pub objective: Order,
}

impl Ahead {
    pub(super) fn is_ahead_of(&self, text: &[u8]) -> bool {
        journal::is_smaller(self.objective, &self.text, text)
    }

    /// Returns the size. That of an archive is the sum over its files.
    pub(super) fn size(&self, is_archive: bool) -> Size {
        size(&self.text, is_archive)
    }
}

/// Returns the size of a text. That of an archive is the sum over its files.
pub(super) fn size(text: &[u8], is_archive: bool) -> Size {
    let entries = if is_archive { archive::entries(text) } else { Vec::new() };
    let files = entries.iter().filter(|entry| entry.kind == archive::Type::File);
    let parts: Vec<&[u8]> =
        if is_archive { files.map(|file| file.content_in(text)).collect() } else { vec![text] };
    let sum = |count: fn(&[u8]) -> usize| parts.iter().map(|part| count(part)).sum();
    Size { tokens: sum(count_tokens), bytes: sum(<[u8]>::len), lines: sum(count_lines) }
}

impl Saver<'_> {
    /// Saves a new current best, unless the file has a smaller result.
    fn save_new(&mut self, best: &[u8]) -> io::Result<()> {
        if self.bests.ahead.as_ref().is_some_and(|ahead| ahead.is_ahead_of(best)) {
            return Ok(());
        }
        self.bests.ahead = None;
        self.save(best)
    }

    /// Confirms the current best with a new process, if that is due.
    fn look_at_servers(&mut self, best: &[u8]) -> io::Result<()> {
        let Some(served) = self.served else { return Ok(()) };
        served.accepted(best);
        if served.wants_confirmation() {
            if !served.confirm(best).map_err(io::Error::other)? {
                return Err(io::Error::other("a new process does not find the current best interesting"));
            }
            (self.agreed.steps, self.agreed.best) = (self.steps + 1, Some(best.into()));
        }
        Ok(())
    }

    fn save(&mut self, best: &[u8]) -> io::Result<()> {
        if let Err(error) = self.best.save(best) {
            self.bests.unsaved = Some(best.to_owned());
            return Err(io::Error::other(error));
        }
        let best: Arc<[u8]> = best.into();
        (self.bests.told)(&best, self.best.path());
        self.bests.saved = Some(best);
        Ok(())
    }
}

impl Keeper for Saver<'_> {
    fn accepted(&mut self, step: &Step<'_>) -> io::Result<()> {
        self.look_at_servers(step.best)?;
        self.steps += 1;
        if let Some(trail) = &mut self.agreed.trail {
            trail.add(self.steps, step.best);
        }
        if let Some((pace, objective)) = self.pace {
            pace.found(objective.of(step.size));
        }
        self.watch.stepped(step.best);
        if self.logbook.is_some_and(|logbook| logbook.retakes(step)) {
            return Ok(());
        }
        if let Some(logbook) = self.logbook {
            logbook.step(step);
        }
        self.save_new(step.best)
    }

    fn undone(&mut self, steps: usize, best: &[u8]) -> io::Result<()> {
        self.steps = self.steps.saturating_sub(steps);
        self.agreed.steps = self.agreed.steps.min(self.steps);
        if let Some(trail) = &mut self.agreed.trail {
            trail.cut(self.steps);
        }
        self.watch.undone(steps);
        if let Some(logbook) = self.logbook {
            logbook.undone(steps);
        }
        self.bests.ahead = None;
        self.save(best)
    }

    fn offered(&mut self, probes: usize) -> Option<Vec<u8>> {
        let is_behind = self.logbook.is_some_and(Logbook::is_behind);
        self.hand.offered(probes, self.best, is_behind)
    }

    fn refused(&mut self, text: &[u8], why: &str) -> io::Result<Option<String>> {
        let note = self.hand.refused(text, why, self.best)?;
        if let Some(saved) = self.bests.saved.clone().filter(|_| note.is_some()) {
            self.save(&saved)?;
        }
        Ok(note)
    }
}
