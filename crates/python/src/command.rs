//! The reduction of a file or a directory by a command, as by the program: with a sandbox, limits, and a
//! learned failure.

use crate::caller;
use crate::failure;
use crate::options::{Options, seconds};
use crate::record::{Moment, Record};
use crate::reduction::{Ended, call};
use nubbin_oracle::{Matcher, Sandbox, Status};
use nubbin_reduce::event::{Event, Sink};
use nubbin_session::limits::{Bounds, Unlimited};
use nubbin_session::message::Message;
use nubbin_session::output::Output;
use nubbin_session::reduce::{self, Audience, Reduced, Scene};
use nubbin_session::settings::JournalChoice;
use nubbin_session::source::Input;
use nubbin_session::text;
use nubbin_session::voice::Loudness;
use nubbin_session::{Failure, Helpers, Settings, Stop, Voice};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use regex::bytes::Regex;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

/// A command and its input.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Given {
    /// The file or directory.
    path: PathBuf,
    /// The path of the result, if it is not next to the input.
    output: Option<PathBuf>,
    /// A failing command and its arguments; if empty, `oracle` is set.
    words: Vec<OsString>,
    /// An oracle: a program that exits with status 0 if the candidate shows the failure.
    oracle: Option<OsString>,
    /// The program that acts as the helpers.
    helper: Option<PathBuf>,
    /// The specified failure of a command: its exit status, its signal, and patterns for its output.
    exit_code: Option<u8>,
    signal: Option<String>,
    stdout: Option<String>,
    stderr: Option<String>,
}

impl Given {
    /// Returns whether a failure is specified.
    fn says(&self) -> bool {
        self.exit_code.is_some() || self.signal.is_some() || self.is_about_text()
    }

    fn is_about_text(&self) -> bool {
        self.stdout.is_some() || self.stderr.is_some()
    }

    /// Returns the specified failure of a command.
    fn matcher(&self) -> Result<Matcher, Failure> {
        let regex = |name: &str, text: &Option<String>| {
            let read = |text: &String| Regex::new(text);
            let read = text.as_ref().map(read).transpose();
            read.map_err(|error| Failure::usage(format!("`{name}`: {error}")))
        };
        let wrong = |error: String| Failure::usage(format!("`signal`: {error}"));
        let signal = self.signal.as_deref().map(text::signal_number).transpose().map_err(wrong)?;
        if self.exit_code.is_some() && signal.is_some() {
            return Err(Failure::usage("`exit_code` and `signal` cannot be combined"));
        }
        let exit = self.exit_code.map(|code| Status::Exit(code.into()));
        Ok(Matcher {
            status: exit.or(signal.map(Status::Signal)),
            stdout: regex("stdout", &self.stdout)?,
            stderr: regex("stderr", &self.stderr)?,
            ..Matcher::default()
        })
    }
}

/// Reduces a file or a directory by a command. `told` is called with each event.
///
/// # Errors
/// Returns an exception if the options are invalid. The exception that ends a reduction is returned together
/// with its record.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "the arguments of a Python function are made for it")]
pub fn reduce_by_command<'py>(
    py: Python<'py>,
    given: Given,
    options: Options,
    told: Option<Bound<'py, PyAny>>,
) -> PyResult<Ended<'py>> {
    let notes = Arc::new(Mutex::new(Vec::new()));
    let settings =
        settings(given, &options, Arc::clone(&notes)).map_err(|failure| failure::raise(py, &failure))?;
    let stop = Stop::new();
    let mut record = Record::new(None, stop.flag());
    let told = told.map(Bound::unbind);
    let (result, raised) = caller::attend(
        py,
        |sender| {
            let reduced = reduce::run(&settings, &stop, &mut Listener { record: &mut record, sender })?;
            if reduced.is_none() {
                // An earlier run is complete, and its result is already in place.
                record.left(settings.input.read()?, Input::new(result_of(&settings)).read()?);
            }
            Ok(reduced)
        },
        |py, moment| told.as_ref().map_or(Ok(()), |told| call(py, told, moment)),
        || stop.flag().store(true, Ordering::Release),
    );
    let result = result.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    record.add_notes(std::mem::take(&mut *notes.lock().unwrap_or_else(PoisonError::into_inner)));
    let (reduced, error) = match result {
        Ok(reduced) => (reduced, None),
        Err(failure) => (None, Some(failure::raise(py, &failure))),
    };
    let report = report(py, &record, reduced.as_ref())?;
    report.set_item("is_late", stop.is_late())?;
    if reduced.is_none() && record.is_left() {
        report.set_item("path", result_of(&settings))?;
    }
    Ok((report, raised.or(error).map(|error| error.into_value(py).into_bound(py))))
}

/// Returns the path of the result.
fn result_of(settings: &Settings) -> OsString {
    match (&settings.output, &settings.input) {
        (Output::File(path), _) => path.clone().into_os_string(),
        (_, input) => input.path(&settings.language).into_os_string(),
    }
}

fn report<'py>(py: Python<'py>, record: &Record, reduced: Option<&Reduced>) -> PyResult<Bound<'py, PyDict>> {
    let report = record.report(py, reduced.map(|reduced| &reduced.outcome))?;
    let language = reduced.and_then(|reduced| reduced.language.get()).map(nubbin_language::Language::name);
    report.set_item("language", language)?;
    report.set_item("path", reduced.and_then(|reduced| reduced.best.path()).map(Path::to_owned))?;
    report.set_item("kept", reduced.and_then(|reduced| reduced.kept.clone()))?;
    Ok(report)
}

/// Returns the settings of a run, as those of the program, with defaults for everything that the module has
/// no option for.
pub fn settings(
    given: Given,
    options: &Options,
    notes: Arc<Mutex<Vec<String>>>,
) -> Result<Settings, Failure> {
    let (matcher, says, is_about_text) = (given.matcher()?, given.says(), given.is_about_text());
    let mut settings = match given.oracle {
        Some(oracle) => Settings::of_oracle(&given.path, oracle)?,
        None => Settings::of_command(&given.path, given.words)?,
    };
    if says {
        // If the failure is specified, its message is not matched, and no new ordinary errors may occur together
        // with the specified text.
        settings.test.failure = Some(matcher);
        (settings.test.message, settings.test.stands_alone) = (Message::None, is_about_text);
    }
    let mut confinement = settings.bounds.confinement.clone();
    confinement.sandbox = match options.sandbox.as_str() {
        "auto" => Sandbox::Auto,
        "strict" => Sandbox::Strict,
        "off" => Sandbox::Off,
        other => {
            let message = format!("unknown sandbox `{other}` (available: auto, strict, off)");
            return Err(Failure::usage(message));
        }
    };
    let [formatter, preprocessor] = options.programs();
    if let Some(output) = given.output {
        settings.output = Output::File(output);
    }
    Ok(Settings {
        language: options.choice()?,
        units: options.units()?,
        timeout: options.timeout.map(|time| seconds("timeout", time)).transpose()?,
        bounds: Bounds::new(settings.bounds.asked, Unlimited::default(), options.jobs, confinement),
        jobs: options.jobs,
        allow_empty: options.allow_empty,
        compact: options.compact,
        effort: options.effort,
        control: options.control()?,
        flaky: options.confidence()?,
        formatter,
        preprocessor,
        inline: options.inline(),
        beside: options.beside(&given.path)?,
        journal: if options.resume { JournalChoice::Resume } else { JournalChoice::None },
        helpers: given.helper.map(Helpers::of_program),
        voice: Voice::new(Loudness::Plain, move |text| {
            notes.lock().unwrap_or_else(PoisonError::into_inner).push(text.to_owned());
        }),
        ..settings
    })
}

/// Keeps the record of a run, and sends each event to the caller's thread.
struct Listener<'r> {
    record: &'r mut Record,
    sender: Sender<Moment>,
}

impl Sink for Listener<'_> {
    fn event(&mut self, event: Event<'_>) {
        if let Some(moment) = self.record.take(event) {
            // After an interrupt there is no receiver any more.
            let _ = self.sender.send(moment);
        }
    }
}

impl Audience for Listener<'_> {
    fn begin(&mut self, scene: &Scene<'_>) -> Result<(), Failure> {
        scene.input.clone_into(&mut self.record.input);
        Ok(())
    }
}
