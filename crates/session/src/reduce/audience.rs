//! Observes a reduction.

use crate::failure::Failure;
use crate::input::BestFile;
use crate::language::Chosen;
use crate::settings::Settings;
use crate::stop::Stop;
use nubbin_oracle::{CommandRun, Observer};
use nubbin_reduce::event::{Event, Sink};
use nubbin_reduce::{Outcome, Switches};
use nubbin_search::Verdict;
use std::path::Path;
use std::sync::Arc;

/// Receives each new current best after it was saved, with the path of its file.
pub type Saved = Box<dyn FnMut(&Arc<[u8]>, Option<&Path>)>;

/// Receives candidates and verdicts recalled from the journal of an earlier run.
pub type Recalled = Box<dyn Fn(&[u8], Verdict) + Sync>;

/// Observes a reduction, for example for a terminal or a report. Each method has a default that does nothing.
///
/// It is a [`Sink`], which receives the events of the reduction.
pub trait Audience: Sink {
    /// Is called once the input and its language are known, before the first run of the oracle.
    ///
    /// # Errors
    /// An error ends the run.
    fn begin(&mut self, _scene: &Scene<'_>) -> Result<(), Failure> {
        Ok(())
    }

    /// Returns observers of the runs of the oracle.
    fn observers(&self) -> Vec<Arc<dyn Observer>> {
        Vec::new()
    }

    /// Is called once the unchanged input is known to show the failure.
    fn proven(&mut self) {}

    /// Is called when the reduction starts. `journal` is the folder of its journal, and whether an earlier run is
    /// resumed.
    fn start(&mut self, _input: &[u8], _journal: Option<(&Path, bool)>) {}

    /// Returns the user's switches for passes.
    fn switches(&self) -> Switches {
        Switches::default()
    }

    /// Returns the receiver of new current bests.
    fn bests(&self) -> Saved {
        Box::new(|_, _| ())
    }

    /// Returns the receiver of recalled verdicts.
    fn recalled(&self) -> Recalled {
        Box::new(|_, _| ())
    }

    /// Is called when the search has ended, while the oracle can still be run. `outcome` is `None` if the search
    /// failed, and `again` runs a candidate once more.
    fn ended(&mut self, _outcome: Option<&Outcome>, _again: &dyn Fn(&[u8]) -> Option<CommandRun>) {}
}

/// An observer that does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Sink for Nobody {
    fn event(&mut self, _: Event<'_>) {}
}

impl Audience for Nobody {}

/// The facts known when a run starts.
#[derive(Debug)]
pub struct Scene<'s> {
    /// The settings of the run.
    pub settings: &'s Settings,
    /// The unreduced input.
    pub input: &'s [u8],
    /// The language of the input.
    pub language: &'s Chosen,
    /// The output file.
    pub best: &'s BestFile,
    /// The handle that stops the run.
    pub stop: &'s Stop,
}
