//! Whoever looks at a reduction.
//!
//! It decides nothing about the reduction.

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

/// Takes each best once it is saved, with the file that holds it.
pub type Saved = Box<dyn FnMut(&Arc<[u8]>, Option<&Path>)>;

/// Takes the verdicts that come from the journal of an earlier run, with their candidates.
pub type Recalled = Box<dyn Fn(&[u8], Verdict) + Sync>;

/// Whoever looks at a reduction: a terminal, a report, or nobody. Each method has a default that does nothing.
///
/// It is a [`Sink`]: it gets the events of the reduction.
pub trait Audience: Sink {
    /// Is called once the input and its language are known, before the oracle runs for the first time.
    ///
    /// # Errors
    /// Whatever keeps the run from going on.
    fn begin(&mut self, _scene: &Scene<'_>) -> Result<(), Failure> {
        Ok(())
    }

    /// Returns the observers of each run of the oracle.
    fn observers(&self) -> Vec<Arc<dyn Observer>> {
        Vec::new()
    }

    /// Is called once the unchanged input is known to show the failure.
    fn proven(&mut self) {}

    /// Is called when the reduction begins; `journal` is the folder of its journal, and whether an earlier run is
    /// resumed.
    fn start(&mut self, _input: &[u8], _journal: Option<(&Path, bool)>) {}

    /// Returns the switches of passes that the user has.
    fn switches(&self) -> Switches {
        Switches::default()
    }

    /// Returns the receiver of the bests.
    fn bests(&self) -> Saved {
        Box::new(|_, _| ())
    }

    /// Returns the receiver of recalled bests.
    fn recalled(&self) -> Recalled {
        Box::new(|_, _| ())
    }

    /// Is called when the search has ended, while the oracle can still be run: `outcome` is there unless it failed, and
    /// `again` runs a candidate once more.
    fn ended(&mut self, _outcome: Option<&Outcome>, _again: &dyn Fn(&[u8]) -> Option<CommandRun>) {}
}

/// Nobody looks.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Sink for Nobody {
    fn event(&mut self, _: Event<'_>) {}
}

impl Audience for Nobody {}

/// The facts that are known when a run begins.
#[derive(Debug)]
pub struct Scene<'s> {
    /// The settings of the run.
    pub settings: &'s Settings,
    /// The unreduced input.
    pub input: &'s [u8],
    /// Its language.
    pub language: &'s Chosen,
    /// The place of the result.
    pub best: &'s BestFile,
    /// The handle by which the run is stopped.
    pub stop: &'s Stop,
}
