//! The bests of a reduction: each is noted in the journal first, then saved in its file.
//!
//! So whatever is in the file is known to a run that goes on.

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

/// The bests that there are apart from the file.
pub(super) struct Bests {
    /// The last one that is in the file.
    pub saved: Option<Arc<[u8]>>,
    /// A best that an earlier run has saved and not noted: no larger one takes its place.
    pub ahead: Option<Ahead>,
    /// The one that could not be saved.
    pub unsaved: Option<Vec<u8>>,
    /// Whoever looks at them.
    pub told: Saved,
}

impl Bests {
    /// Puts an earlier best into the file again.
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

/// Says where the best is after a failure, and makes sure that it is there.
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

/// Saves each best: in the journal first, then to the file.
pub(super) struct Saver<'b> {
    pub best: &'b mut BestFile,
    pub bests: &'b mut Bests,
    pub hand: &'b mut Hand,
    pub logbook: Option<&'b Logbook>,
    pub watch: &'b Watch,
    /// The servers that gave the verdicts.
    pub served: Option<&'b Served>,
    pub agreed: &'b mut Agreed,
    /// The pace of a run that ends when it no longer pays, and the unit of its sizes.
    pub pace: Option<(&'b Pace, Order)>,
    /// The number of steps so far.
    pub steps: usize,
}

/// The state at the last best that a fresh process has confirmed.
#[derive(Default)]
pub(super) struct Agreed {
    /// The number of steps.
    pub steps: usize,
    /// The best; `None` for the input.
    pub best: Option<Arc<[u8]>>,
    /// Bests to go back to, where one may turn out to be none.
    pub trail: Option<Trail>,
}

/// The most bests that a trail holds.
const LONGEST_TRAIL: usize = 64;

/// Some of the bests of a reduction, with the number of steps to each, in order.
#[derive(Default)]
pub(super) struct Trail(Vec<(usize, Arc<[u8]>)>);

impl Trail {
    fn add(&mut self, steps: usize, best: &[u8]) {
        self.cut(steps - 1);
        if self.0.len() >= LONGEST_TRAIL {
            // Every second one is enough to go back to.
            let mut number = 0;
            self.0.retain(|_| {
                number += 1;
                number % 2 == 0
            });
        }
        self.0.push((steps, best.into()));
    }

    /// Forgets the bests after this number of steps.
    fn cut(&mut self, steps: usize) {
        self.0.retain(|(own, _)| *own <= steps);
    }

    /// Returns the latest best that is one, with the number of steps to it. It looks at the last ones first, and goes back
    /// faster and faster.
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

/// A best that is in the file and was found by an earlier run, which this one has not come to yet.
pub(super) struct Ahead {
    pub text: Arc<[u8]>,
    pub objective: Order,
}

impl Ahead {
    /// Tells whether this text is larger.
    pub(super) fn is_ahead_of(&self, text: &[u8]) -> bool {
        journal::is_smaller(self.objective, &self.text, text)
    }

    /// Returns its size: that of an archive is the sum of its files.
    pub(super) fn size(&self, is_archive: bool) -> Size {
        size(&self.text, is_archive)
    }
}

/// Returns the size of a text: that of an archive is the sum of its files.
pub(super) fn size(text: &[u8], is_archive: bool) -> Size {
    let entries = if is_archive { archive::entries(text) } else { Vec::new() };
    let files = entries.iter().filter(|entry| entry.kind == archive::Type::File);
    let parts: Vec<&[u8]> =
        if is_archive { files.map(|file| file.content_in(text)).collect() } else { vec![text] };
    let sum = |count: fn(&[u8]) -> usize| parts.iter().map(|part| count(part)).sum();
    Size { tokens: sum(count_tokens), bytes: sum(<[u8]>::len), lines: sum(count_lines) }
}

impl Saver<'_> {
    /// Saves a new best, unless the file holds a smaller one.
    fn save_new(&mut self, best: &[u8]) -> io::Result<()> {
        if self.bests.ahead.as_ref().is_some_and(|ahead| ahead.is_ahead_of(best)) {
            return Ok(());
        }
        self.bests.ahead = None;
        self.save(best)
    }

    /// Asks a fresh process about a best that has waited for one.
    fn look_at_servers(&mut self, best: &[u8]) -> io::Result<()> {
        let Some(served) = self.served else { return Ok(()) };
        served.accepted(best);
        if served.wants_confirmation() {
            if !served.confirm(best).map_err(io::Error::other)? {
                return Err(io::Error::other("a fresh process does not find the best interesting"));
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
