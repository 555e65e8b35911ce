//! The surroundings and the limits of a command as plain values, which runs on other inputs have taught.
//!
//! The module `rehearsal` finds the surroundings, and `limits` the limits; here they are taken as they are.

use super::Trial;
use super::rehearsal::TracedRun;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::stop::Stop;
use nubbin_oracle::{CommandRun, Limits, Observer, Surroundings};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The places where a command and its candidate stand, what else they see there, and the default limits that do not hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    surroundings: Surroundings,
    no_memory_limit: bool,
    no_output_limit: bool,
}

impl Known {
    /// Returns the surroundings.
    pub(crate) fn surroundings(&self) -> &Surroundings {
        &self.surroundings
    }
}

/// Returns the limits of a run where these defaults do not hold.
pub(super) fn limits(settings: &Settings, no_memory_limit: bool, no_output_limit: bool) -> Limits {
    let (loose, all) = (settings.bounds.loose(), settings.bounds.all());
    Limits {
        memory: if no_memory_limit { loose.memory } else { all.memory },
        output: if no_output_limit { loose.output } else { all.output },
        ..all
    }
}

/// Runs the command on an input whose failure nobody knows yet, as the first run of a reduction is made: once where the
/// surroundings are known, or else as often as it takes to find them out. They come with the run.
///
/// # Errors
/// Returns an error when it cannot be run, or does something else in a fresh directory than where it was typed.
pub fn look(
    settings: &Settings,
    input: &[u8],
    interrupt: &Stop,
    watching: &[Arc<dyn Observer>],
) -> Result<(CommandRun, Known), Failure> {
    let mut trial = Trial::new(settings, input, interrupt, watching);
    let run = trial.first_within()?.run;
    let all = settings.bounds.all();
    let known = Known {
        surroundings: trial.surroundings,
        no_memory_limit: trial.limits.memory != all.memory,
        no_output_limit: trial.limits.output != all.output,
    };
    Ok((run, known))
}

impl Trial<'_> {
    /// Makes the first run in surroundings that are known.
    pub(super) fn first_as_known(&mut self, known: &Known) -> Result<TracedRun, Failure> {
        self.stand_in(known.surroundings.clone());
        self.limit(limits(self.settings, known.no_memory_limit, known.no_output_limit));
        let run = self.run(&self.oracle.clone())?;
        Ok(TracedRun { run, trace: None })
    }
}
