//! The reduction of an input by a test that is written in Python.
//!
//! With one job, the test runs in the caller's thread. With several, it runs in processes, and the reduction
//! runs in a separate thread while the caller's thread handles interrupts.

use crate::caller;
use crate::failure;
use crate::options::Options;
use crate::oracle::{Function, Processes};
use crate::record::{Moment, Record};
use crate::worker::Workers;
use nubbin_oracle::{NoVerdict, Oracle, Verdict};
use nubbin_reduce::event::{Event, Size};
use nubbin_reduce::{Error, Keeper, Outcome, Proof, Reduction, Step, Unit};
use nubbin_session::Failure;
use nubbin_session::control::Control;
use nubbin_session::input::BestFile;
use nubbin_session::keep;
use nubbin_session::language::Chosen;
use nubbin_session::output::Output;
use nubbin_session::source::Input;
use nubbin_session::squeeze;
use nubbin_syntax::edit::Span;
use pyo3::exceptions::PyBaseException;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The result for Python: the record of a reduction, and the exception that ended it, if there was one.
pub type Ended<'py> = (Bound<'py, PyDict>, Option<Bound<'py, PyBaseException>>);

/// The input of a reduction.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Given {
    /// The bytes, if there is no path.
    data: Option<Vec<u8>>,
    /// The file or directory.
    path: Option<PathBuf>,
    /// The path of the result, if it is not next to the input.
    output: Option<PathBuf>,
}

/// Everything that a reduction needs in addition to its test.
struct Prepared {
    input: Vec<u8>,
    is_archive: bool,
    language: Chosen,
    control: Control,
    kept: Vec<Span>,
    units: Vec<Unit>,
    place: Option<BestFile>,
}

impl Prepared {
    fn new(given: Given, options: &Options) -> Result<Self, Failure> {
        let source = given.path.map(|path| Input::new(path.into_os_string()));
        let (input, is_archive) = match (&source, given.data) {
            (Some(source), _) => (source.read()?, source.is_archive()),
            (None, data) => (data.unwrap_or_default(), false),
        };
        let choice = options.choice()?;
        let path = source.as_ref().map_or_else(|| Input::Stdin.path(&choice), |source| source.path(&choice));
        let language = options.resolve(&path, &input, is_archive)?;
        let control = options.control()?;
        control.check(language.get().is_some(), is_archive, &options.units()?, options.compact)?;
        let kept = keep::spans(&control, &path, &input, &language, is_archive)?;
        let place = match (source, given.output) {
            (None, None) => None,
            (source, Some(output)) => {
                Some(Output::File(output).open(&source.unwrap_or(Input::Stdin), &input)?)
            }
            (Some(source), None) => Some(Output::beside(&source).open(&source, &input)?),
        };
        let place = place.map(checked).transpose()?;
        Ok(Self { input, is_archive, language, control, kept, units: options.units()?, place })
    }

    /// Runs the reduction through `run`, which supplies an oracle. Each current best is saved, and each event
    /// is reported.
    fn reduce(
        &mut self,
        options: &Options,
        stop: &Arc<AtomicBool>,
        mut told: impl FnMut(Event<'_>),
        oracle: &dyn Oracle,
        run: impl FnOnce(Reduction<'_>) -> Result<Outcome, Error>,
    ) -> Result<Result<Outcome, Error>, Failure> {
        let mut saver = self.place.as_mut().map(Saver);
        let reduction =
            Reduction::new(&self.input[..]).keep(self.kept.iter().copied()).stop(Arc::clone(stop));
        let reduction = if self.is_archive {
            reduction.archive(&self.language)
        } else {
            reduction.language(self.language.get())
        };
        let reduction = options.apply(reduction, &self.control)?.sink(&mut told);
        let outcome = match &mut saver {
            Some(saver) => run(reduction.keeper(saver)),
            None => run(reduction),
        };
        let outcome = outcome.map(|outcome| self.squeezed(outcome, oracle));
        if let (Ok(outcome), Some(place)) = (&outcome, &mut self.place) {
            place.finish(&outcome.best)?;
        }
        Ok(outcome)
    }

    /// Removes blank lines from the result of a run that reached a limit, if one more test shows that the
    /// failure stays.
    fn squeezed(&self, outcome: Outcome, oracle: &dyn Oracle) -> Outcome {
        let is_free = self.kept.is_empty() && self.units.is_empty() && outcome.flaky.is_none();
        let has_ended = matches!(outcome.proof, Proof::Stopped(_)) && outcome.best != self.input;
        let squeezed = squeeze::squeezed(&outcome.best, self.is_archive).filter(|_| is_free && has_ended);
        match squeezed {
            Some(best) if matches!(oracle.probe(&best), Ok(Verdict::Interesting)) => {
                let after = Size { bytes: best.len(), ..outcome.after };
                Outcome { best, after, ..outcome }
            }
            _ => outcome,
        }
    }
}

/// Checks that a result can be written without overwriting a file of the user.
fn checked(mut place: BestFile) -> Result<BestFile, Failure> {
    place.spare(&|_| false);
    place.check()?;
    Ok(place)
}

/// Saves each current best in its file.
struct Saver<'p>(&'p mut BestFile);

impl Keeper for Saver<'_> {
    fn accepted(&mut self, step: &Step<'_>) -> io::Result<()> {
        self.0.save(step.best).map_err(io::Error::other)
    }

    fn undone(&mut self, _: usize, best: &[u8]) -> io::Result<()> {
        self.0.save(best).map_err(io::Error::other)
    }
}

/// Reduces an input by a function of its bytes. `told` is called with each event.
///
/// # Errors
/// Returns an exception if the options are invalid, or if a file cannot be read or written. The exception
/// that ends a reduction is returned together with its record.
#[pyfunction]
pub fn reduce<'py>(
    py: Python<'py>,
    given: Given,
    options: Options,
    test: Bound<'py, PyAny>,
    told: Option<Bound<'py, PyAny>>,
    workers: Option<Bound<'py, Workers>>,
) -> PyResult<Ended<'py>> {
    let raise = |failure: Failure| failure::raise(py, &failure);
    let prepared = py.detach(|| Prepared::new(given, &options)).map_err(raise)?;
    let stop = Arc::new(AtomicBool::new(false));
    let mut record = Record::new(options.max_time().map_err(raise)?, Arc::clone(&stop));
    record.input.clone_from(&prepared.input);
    let task = Task { prepared, options, stop, record };
    let told = told.map(Bound::unbind);
    match workers {
        None => task.in_this_thread(py, &Function(test.unbind()), told.as_ref()),
        Some(workers) => task.in_processes(py, &workers, told.as_ref()),
    }
}

/// A reduction that is ready to run.
struct Task {
    prepared: Prepared,
    options: Options,
    stop: Arc<AtomicBool>,
    record: Record,
}

impl Task {
    fn in_this_thread<'py>(
        mut self,
        py: Python<'py>,
        function: &Function,
        told: Option<&Py<PyAny>>,
    ) -> PyResult<Ended<'py>> {
        let (outcome, raised) = py.detach(|| {
            let mut raised = None;
            let Self { prepared, options, stop, record } = &mut self;
            let tell = |event: Event<'_>| {
                let moment = record.take(event);
                if let (Some(moment), Some(told), None) = (moment, told, &raised) {
                    raised = Python::attach(|py| call(py, told, moment)).err();
                    stop.fetch_or(raised.is_some(), Ordering::AcqRel);
                }
            };
            let outcome = prepared.reduce(options, stop, tell, function, |reduction| reduction.run(function));
            (outcome, raised)
        });
        self.end(py, outcome, raised)
    }

    fn in_processes<'py>(
        mut self,
        py: Python<'py>,
        workers: &Bound<'_, Workers>,
        told: Option<&Py<PyAny>>,
    ) -> PyResult<Ended<'py>> {
        let workers = workers.get();
        let Self { prepared, options, stop, record } = &mut self;
        let flag = Arc::clone(stop);
        let work = |sender: std::sync::mpsc::Sender<Moment>| {
            let oracle = Processes { workers, stop };
            let tell = |event: Event<'_>| {
                if let Some(moment) = record.take(event) {
                    // After an interrupt there is no receiver any more.
                    let _ = sender.send(moment);
                }
            };
            prepared.reduce(options, stop, tell, &oracle, |reduction| {
                reduction.run_parallel(&oracle, workers.len())
            })
        };
        let take = |py: Python<'_>, moment| told.map_or(Ok(()), |told| call(py, told, moment));
        let stopped = || {
            flag.store(true, Ordering::Release);
            workers.end();
        };
        let (result, raised) = caller::attend(py, work, take, stopped);
        let outcome = result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        self.end(py, outcome, raised)
    }

    /// Returns the result, which contains the current best, regardless of how the reduction ended.
    fn end(
        self,
        py: Python<'_>,
        outcome: Result<Result<Outcome, Error>, Failure>,
        raised: Option<PyErr>,
    ) -> PyResult<Ended<'_>> {
        let (outcome, error) = match outcome {
            Ok(Ok(outcome)) => (Some(outcome), None),
            Ok(Err(Error::Oracle(NoVerdict::Interrupted))) if self.record.is_late() => (None, None),
            Ok(Err(error)) => (None, Some(failure::of_reduction(py, error))),
            Err(failure) => (None, Some(failure::raise(py, &failure))),
        };
        let report = self.record.report(py, outcome.as_ref())?;
        report.set_item("path", self.prepared.place.as_ref().and_then(BestFile::path).map(Path::to_owned))?;
        report.set_item("is_late", self.record.is_late())?;
        report.set_item("language", self.prepared.language.get().map(nubbin_language::Language::name))?;
        Ok((report, raised.or(error).map(|error| error.into_value(py).into_bound(py))))
    }
}

/// Calls a progress callback.
pub fn call(py: Python<'_>, told: &Py<PyAny>, moment: Moment) -> PyResult<()> {
    told.call1(py, (moment,)).map(drop)
}
