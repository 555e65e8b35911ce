//! The files and limits that a command needs, as learned by runs on other inputs.
//!
//! The modules `rehearsal` and `limits` find them.

use super::rehearsal::TracedRun;
use super::{Trial, is_open};
use crate::failure::Failure;
use crate::settings::Settings;
use crate::stop::Stop;
use nubbin_oracle::{CommandRun, Limits, Observer, Status, Surroundings};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The files that a command needs, their places, and the default limits that the command exceeds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    surroundings: Surroundings,
    no_memory_limit: bool,
    no_output_limit: bool,
}

impl Known {
    pub(crate) fn surroundings(&self) -> &Surroundings {
        &self.surroundings
    }
}

/// Returns the limits of a run, without the defaults that the command exceeds.
pub(super) fn limits(settings: &Settings, no_memory_limit: bool, no_output_limit: bool) -> Limits {
    let (loose, all) = (settings.bounds.loose(), settings.bounds.all());
    Limits {
        memory: if no_memory_limit { loose.memory } else { all.memory },
        output: if no_output_limit { loose.output } else { all.output },
        ..all
    }
}

/// Runs the command on an input whose failure is not known yet. If `known` is missing, runs are repeated until the
/// files that the command needs are found. They are returned together with the run.
///
/// # Errors
/// Returns an error when the command cannot be run, or behaves differently in a fresh directory and in the user's.
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

/// Runs the test on an input that should pass, and returns whether the failure occurs there. `other` is the input of the
/// settings, with which the files that the test needs are found.
pub fn fails_on(settings: &Settings, input: &[u8], other: &[u8], interrupt: &Stop) -> bool {
    let Ok((_, known)) = look(settings, other, interrupt, &[]) else { return false };
    let Ok(TracedRun { run, .. }) = Trial::new(settings, input, interrupt, &[]).first_as_known(&known) else {
        return false;
    };
    match &settings.test.failure {
        Some(asked) if is_open(asked) => {
            matches!(run.status, Status::Signal(_))
                || matches!(run.status, Status::Exit(status) if status != 0 && status != 125)
        }
        _ => run.verdict.is_interesting(),
    }
}

impl Trial<'_> {
    /// Makes the first run with known files.
    pub(super) fn first_as_known(&mut self, known: &Known) -> Result<TracedRun, Failure> {
        self.stand_in(known.surroundings.clone());
        self.limit(limits(self.settings, known.no_memory_limit, known.no_output_limit));
        let run = self.run(&self.oracle.clone())?;
        Ok(TracedRun { run, trace: None })
    }
}
