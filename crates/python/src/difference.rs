//! Finds the minimal difference between a passing and a failing text, and a maximal passing part.

use crate::caller;
use crate::command::{self, Given};
use crate::failure;
use crate::options::{self, Options};
use crate::oracle::{Function, Processes};
use crate::worker::Workers;
use nubbin_oracle::{NoVerdict, Oracle, Verdict};
use nubbin_reduce::Unit;
use nubbin_session::failure::Fault;
use nubbin_session::isolate::{self, Goal, Isolated};
use nubbin_session::{Failure, Stop};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The two texts, and the kind of the requested result.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Question {
    passing: Vec<u8>,
    failing: Vec<u8>,
    is_maximum: bool,
    language: Option<String>,
    units: Vec<String>,
}

/// The passing text, the failing text, and the number of probes; or the problem with the texts.
type Found<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, usize);

/// The reason why nothing was found.
enum Refusal {
    NotFailing,
    NotPassing,
    Test(NoVerdict),
}

impl From<NoVerdict> for Refusal {
    fn from(error: NoVerdict) -> Self {
        Self::Test(error)
    }
}

/// Finds the difference of two texts, or the maximal passing part.
///
/// # Errors
/// Returns the exception of the test, or an exception if the texts do not pass and fail as required.
#[pyfunction]
pub fn tell_apart<'py>(
    py: Python<'py>,
    question: Question,
    test: Bound<'py, PyAny>,
    workers: Option<Bound<'py, Workers>>,
) -> PyResult<Found<'py>> {
    let Question { passing, failing, is_maximum, language, units } = question;
    let language = options::language(py, language, Path::new("stdin"), &failing)?;
    let given = isolate::Given { passing, failing, language };
    let goal = if is_maximum { Goal::Maximize } else { Goal::Isolate(None) };
    let units: Vec<Unit> =
        units.iter().filter_map(|name| Unit::ALL.into_iter().find(|unit| unit.name() == name)).collect();
    let (result, raised) = match workers {
        None => {
            let function = Function(test.unbind());
            (py.detach(|| find(&function, 1, &goal, &given, &units)), None)
        }
        Some(workers) => {
            let (workers, stop) = (workers.get(), AtomicBool::new(false));
            let oracle = Processes { workers, stop: &stop };
            let work = |_: std::sync::mpsc::Sender<()>| find(&oracle, workers.len(), &goal, &given, &units);
            let (result, raised) = caller::attend(
                py,
                work,
                |_, ()| Ok(()),
                || {
                    stop.store(true, Ordering::Release);
                    workers.end();
                },
            );
            (result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)), raised)
        }
    };
    if let Some(error) = raised {
        return Err(error);
    }
    let refused = |name: &str, text: &str| {
        let made = py.import("nubbin._verdict").and_then(|module| module.getattr(name)?.call1((text,)));
        made.map_or_else(|error| error, PyErr::from_value)
    };
    match result {
        Ok((Isolated { passing, failing, .. }, probes)) => {
            Ok((PyBytes::new(py, &passing), PyBytes::new(py, &failing), probes))
        }
        Err(Refusal::NotFailing) => Err(refused("NotFailing", "the failing text does not fail")),
        Err(Refusal::NotPassing) => Err(refused("NotPassing", "the passing text does not pass")),
        Err(Refusal::Test(error)) => Err(failure::of_test(py, error)),
    }
}

/// As `tell_apart`, but by a command: the failing file is that of `given`, and the passing one is `passing`,
/// or empty.
///
/// # Errors
/// Returns an exception if the options are invalid, if the texts do not pass and fail as required, or if the
/// command cannot be run.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "the arguments of a Python function are made for it")]
pub fn tell_apart_by_command(
    py: Python<'_>,
    given: Given,
    options: Options,
    passing: Option<PathBuf>,
    is_maximum: bool,
) -> PyResult<Found<'_>> {
    let goal = if is_maximum { Goal::Maximize } else { Goal::Isolate(passing) };
    let raise = |failure: Failure| failure::raise(py, &failure);
    let mut settings = command::settings(given, &options, Arc::default()).map_err(raise)?;
    settings.goal = Some(goal.clone());
    let stop = Stop::new();
    let (result, raised) = caller::attend(
        py,
        |_: std::sync::mpsc::Sender<()>| isolate::look(&settings, &stop, &goal),
        |_, ()| Ok(()),
        || stop.flag().store(true, Ordering::Release),
    );
    if let Some(error) = raised {
        return Err(error);
    }
    let result = result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let (found, probes) = result.map_err(|failure| match failure.fault() {
        // The program has no other fault for a text that must pass and does not.
        Fault::EmptyIsInteresting => failure::make(py, "NotPassing", &failure.text(), "", None),
        _ => raise(failure),
    })?;
    Ok((PyBytes::new(py, &found.passing), PyBytes::new(py, &found.failing), probes))
}

fn find(
    oracle: &(dyn Oracle + Sync),
    jobs: usize,
    goal: &Goal,
    given: &isolate::Given,
    units: &[Unit],
) -> Result<(Isolated, usize), Refusal> {
    if !oracle.probe(&given.failing)?.is_interesting() {
        return Err(Refusal::NotFailing);
    }
    if oracle.probe(&given.passing)? != Verdict::Uninteresting {
        return Err(Refusal::NotPassing);
    }
    Ok(isolate::find(oracle, jobs, goal, given, units)?)
}
