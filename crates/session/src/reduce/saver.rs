//! The bests of a reduction: each is saved in its file first, then noted in the journal.

use super::Saved;
use crate::failure::Failure;
use crate::hand::Hand;
use crate::input::BestFile;
use crate::journal::{self, Logbook};
use crate::watch::Watch;
use nubbin_reduce::{Keeper, Step};
use std::io;
use std::sync::Arc;

/// The bests that there are apart from the file.
pub(super) struct Bests {
    /// The last one that is in the file.
    pub saved: Option<Arc<[u8]>>,
    /// The one that could not be saved.
    pub unsaved: Option<Vec<u8>>,
    /// Whoever looks at them.
    pub told: Saved,
}

/// Says where the best is after a failure, and makes sure that it is there.
pub(super) fn kept(failure: Failure, best: &mut BestFile, bests: Bests) -> Failure {
    let place = match bests {
        Bests { unsaved: Some(unsaved), .. } if failure.is_about_the_input() => {
            journal::rescue(best, &unsaved)
        }
        Bests { saved: Some(saved), .. } => best.finish(&saved).map_err(io::Error::other).map(|()| {
            best.path().map_or("on standard output".to_owned(), |path| format!("in `{}`", path.display()))
        }),
        Bests { saved: None, .. } => return failure,
    };
    match place {
        Ok(place) => failure.details(format!("  the best so far is {place}\n")),
        Err(error) => failure.details(format!("  the best so far could not be saved either: {error}\n")),
    }
}

/// Saves each best: to the file first, then in the journal.
pub(super) struct Saver<'b> {
    pub best: &'b mut BestFile,
    pub bests: &'b mut Bests,
    pub hand: &'b mut Hand,
    pub logbook: Option<&'b Logbook>,
    pub watch: &'b Watch,
}

impl Saver<'_> {
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
        self.watch.stepped(step.best);
        if self.logbook.is_some_and(|logbook| logbook.retakes(step)) {
            return Ok(());
        }
        self.save(step.best)?;
        if let Some(logbook) = self.logbook {
            logbook.step(step);
        }
        Ok(())
    }

    fn undone(&mut self, steps: usize, best: &[u8]) -> io::Result<()> {
        self.save(best)?;
        self.watch.undone(steps);
        if let Some(logbook) = self.logbook {
            logbook.undone(steps);
        }
        Ok(())
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
