//! Writes the records of a run: the JSON log, the summary, the report and the bug report.

mod chronicle;
mod events;
mod fact;
mod reason;
pub mod report;
mod runs;
mod said;
mod summary;
mod tracker;

use crate::show::clock::Clock;
use crate::stdout;
use chronicle::Chronicle;
use clap::{Args, ValueHint};
use events::Events;
use nubbin_oracle::{CommandRun, Observer, Pause};
use nubbin_reduce::Outcome;
use nubbin_reduce::event::{Event, Sink};
use nubbin_session::beside::Measured;
use nubbin_session::control::Remark;
use nubbin_session::failure::{Failure, Fault};
use nubbin_session::input::{BestFile, links, product};
use nubbin_session::language::Chosen;
use nubbin_session::options::LeftOptions;
use nubbin_session::places;
use nubbin_session::voice::Voice;
use nubbin_session::watch::Watch;
use nubbin_session::{output::Output, settings::Settings};
pub use runs::{RunOutput, Runs};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The options for records in files.
#[derive(Debug, Default, Args)]
#[group(skip)]
pub struct FileOptions {
    /// Write a log of all events to FILE, as JSON lines; `-` is standard output
    ///
    /// `docs/json-log.md` describes the fields.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Reports")]
    json_log: Option<PathBuf>,

    /// Write an HTML page about the run
    ///
    /// It shows the size over time, the steps, and why each remaining token is needed. It needs no network.
    #[arg(long, value_name = "FILE.html", value_hint = ValueHint::FilePath, help_heading = "Reports")]
    report: Option<PathBuf>,

    /// Write a bug report as Markdown: result, command, output, versions
    #[arg(long, value_name = "FILE.md", value_hint = ValueHint::FilePath, help_heading = "Reports")]
    bug_report: Option<PathBuf>,
}

/// The options about the records of a run.
#[derive(Debug, Default, Args)]
#[group(skip)]
pub struct RecordOptions {
    #[command(flatten)]
    pub files: FileOptions,

    /// Print the summary as a JSON object
    ///
    /// It is printed to standard output, or to standard error if the result or a log is written to standard output.
    #[arg(long, help_heading = "Reports")]
    pub json: bool,
}

/// The form of the summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SummaryForm {
    /// Lines of text.
    #[default]
    Text,
    /// One JSON object.
    Json,
}

impl SummaryForm {
    /// Returns the form for the option `--json`.
    pub fn of(json: bool) -> Self {
        if json { Self::Json } else { Self::Text }
    }

    /// Tells whether it is for programs.
    pub fn is_for_programs(self) -> bool {
        self == Self::Json
    }
}

/// The place of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Stdout,
    File(PathBuf),
}

/// The requested records.
#[derive(Debug, Default)]
pub struct RecordChoice {
    events: Option<Place>,
    report: Option<Place>,
    tracker: Option<Place>,
    form: SummaryForm,
    /// True if something else is written to standard output.
    stdout_is_taken: bool,
}

impl FileOptions {
    /// Replaces options of an earlier command line by the options of this one.
    pub fn replace_by(&mut self, now: Self) {
        self.json_log = now.json_log.or(self.json_log.take());
        self.report = now.report.or(self.report.take());
        self.bug_report = now.bug_report.or(self.bug_report.take());
    }
}

impl RecordChoice {
    /// Requests a report and a bug report at these paths.
    pub fn pages(report: PathBuf, tracker: PathBuf) -> Self {
        Self { report: Some(Place::File(report)), tracker: Some(Place::File(tracker)), ..Self::default() }
    }

    /// Tells whether the result or a record is written to standard output.
    fn writes_stdout(&self) -> bool {
        self.stdout_is_taken || self.form == SummaryForm::Json
    }

    /// Resolves these options, given the inputs and the output.
    ///
    /// # Errors
    /// Returns an error if two of them are written to the same place.
    pub fn new(typed: RecordOptions, inputs: &[PathBuf], output: &Output) -> Result<Self, Failure> {
        let mut taken: Vec<(&str, Place)> = match output {
            Output::Stdout => vec![("the result", Place::Stdout)],
            Output::File(path) => vec![("the result", Place::File(path.clone()))],
            Output::InPlace | Output::Beside => Vec::new(),
        };
        taken.extend(inputs.iter().map(|path| ("the input", Place::File(path.clone()))));
        let mut place = |option: &'static str, path: Option<PathBuf>| {
            path.map(|path| place(option, path, &mut taken)).transpose()
        };
        let events = place("--json-log", typed.files.json_log)?;
        let report = place("--report", typed.files.report)?;
        let tracker = place("--bug-report", typed.files.bug_report)?;
        let stdout_is_taken = taken.iter().any(|(_, place)| *place == Place::Stdout);
        Ok(Self { events, report, tracker, form: SummaryForm::of(typed.json), stdout_is_taken })
    }
}

/// Returns the place at a path, or an error if something else is written there.
fn place(
    option: &'static str,
    path: PathBuf,
    taken: &mut Vec<(&'static str, Place)>,
) -> Result<Place, Failure> {
    let place = if path == Path::new("-") { Place::Stdout } else { Place::File(path) };
    if let Some((other, _)) = taken.iter().find(|(_, other)| place.is(other)) {
        let name = place.name();
        let other = if other.starts_with('-') { format!("`{other}`") } else { (*other).to_owned() };
        return Err(Failure::usage(format!("`{option}` and {other} would both be written to {name}"))
            .hint(format!("choose another file with `{option} FILE`")));
    }
    taken.push((option, place.clone()));
    Ok(place)
}

impl Place {
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File(one), Self::File(other)) => {
                let real = |path: &Path| path.canonicalize().or_else(|_| std::path::absolute(path)).ok();
                one == other || real(one).is_some_and(|one| Some(one) == real(other))
            }
            _ => self == other,
        }
    }

    /// Returns the path; an empty path for standard output.
    fn path(&self) -> &Path {
        if let Self::File(path) = self { path } else { Path::new("") }
    }

    fn name(&self) -> String {
        match self {
            Self::Stdout => "standard output".to_owned(),
            Self::File(path) => format!("`{}`", path.display()),
        }
    }

    fn failure(&self, option: &str, error: &io::Error) -> Failure {
        failure(option, format!("cannot write {}: {error}", self.name()))
    }

    /// Checks that the place can be written to later. Keeps existing content.
    fn check(&self, option: &str) -> Result<(), Failure> {
        let Self::File(path) = self else { return Ok(()) };
        if links::is_link(path) {
            return Err(failure(option, format!("`{}` is a symbolic link", path.display())));
        }
        let exists = path.exists();
        match std::fs::OpenOptions::new().append(true).create(true).open(path) {
            Ok(_) if exists => Ok(()),
            Ok(_) => std::fs::remove_file(path).map_err(|error| self.failure(option, &error)),
            Err(error) => Err(self.failure(option, &error)),
        }
    }

    /// Writes a text to the place. A file there that Nubbin did not write is renamed, with a note.
    fn write(&self, option: &str, text: &str, voice: &Voice) -> Result<(), Failure> {
        let Self::File(path) = self else { return stdout::print(text.as_bytes()) };
        let spared = product::write(path, text.as_bytes());
        let spared = spared.map_err(|error| failure(option, error.to_string()))?;
        tell_spared(path, spared, voice);
        Ok(())
    }

    /// Opens the place for writing. A file there that Nubbin did not write is renamed, with a note.
    fn open(&self, option: &str, voice: &Voice) -> Result<Box<dyn Write + Send>, Failure> {
        if let Self::File(path) = self {
            let spared = product::spare(path).map_err(|error| failure(option, error.to_string()))?;
            tell_spared(path, spared, voice);
        }
        match self {
            Self::Stdout => Ok(Box::new(io::stdout())),
            Self::File(path) => match std::fs::File::create(path) {
                Ok(file) => Ok(Box::new(file)),
                Err(error) => Err(self.failure(option, &error)),
            },
        }
    }
}

fn failure(option: &str, message: String) -> Failure {
    Failure::message(Fault::Output, message).hint(format!("choose another file with `{option} FILE`"))
}

fn tell_spared(path: &Path, spared: Option<PathBuf>, voice: &Voice) {
    if let Some(spared) = spared {
        let (path, spared) = (path.display(), spared.display());
        voice.say(&format!("note: `{path}` was not written by nubbin; it was renamed to `{spared}`"));
    }
}

/// The results of a run, for the records.
pub struct Ended<'e> {
    pub settings: &'e Settings,
    pub outcome: &'e Outcome,
    pub remark: &'e Remark,
    pub best: &'e BestFile,
    pub time: Duration,
    pub watch: &'e Watch,
    /// The failure to keep, as a sentence; `None` for a script.
    pub kept: Option<&'e str>,
    /// The metric of the input and of the result, with `--metric`.
    pub measured: Option<&'e Measured>,
    /// The words of the input that the result still contains, with `--anonymize`.
    pub left: Option<&'e [String]>,
    /// The remaining options of the command, with `--options`.
    pub options: Option<&'e LeftOptions>,
    /// The message of the failure of the unchanged input, if its form is recognized.
    pub signature: Option<String>,
    pub input: &'e [u8],
    pub language: &'e Chosen,
    /// A run of the test on the result, if a record needs it.
    pub run: Option<RunOutput>,
    /// The exit code of the program.
    pub code: i32,
}

/// The records of one run.
pub struct Records {
    clock: Clock,
    events: Option<Events>,
    events_place: Option<Place>,
    report: Option<Place>,
    tracker: Option<Place>,
    /// The history for the report and the bug report.
    chronicle: Option<Chronicle>,
    runs: Option<Arc<Runs>>,
    form: SummaryForm,
    stdout_is_taken: bool,
}

impl Records {
    /// Starts the records of a run.
    ///
    /// # Errors
    /// Returns an error if a place is not writable.
    pub fn begin(settings: &Settings, choice: &RecordChoice) -> Result<Self, Failure> {
        if choice.writes_stdout() {
            stdout::check()?;
        }
        let clock = Clock::new();
        let events = choice.events.as_ref().map(|place| {
            places::refuse(settings, "--json-log", place.path())?;
            let out = place.open("--json-log", &settings.voice)?;
            Ok::<_, Failure>(Events::new(out, place.name(), settings))
        });
        for (place, option) in [(&choice.report, "--report"), (&choice.tracker, "--bug-report")] {
            if let Some(place) = place {
                places::refuse(settings, option, place.path())?;
                place.check(option)?;
            }
        }
        let (report, tracker) = (choice.report.clone(), choice.tracker.clone());
        let runs = report.is_some() || tracker.is_some();
        Ok(Self {
            clock,
            events: events.transpose()?,
            events_place: choice.events.clone(),
            chronicle: None,
            runs: runs.then(|| Arc::new(Runs::new(settings.own_names(), report.is_some()))),
            report,
            tracker,
            form: choice.form,
            stdout_is_taken: choice.stdout_is_taken,
        })
    }

    /// Returns the observer that collects the runs for the records, if they need it.
    pub fn observer(&self) -> Option<Arc<dyn Observer>> {
        self.runs.clone().map(|runs| runs as Arc<dyn Observer>)
    }

    /// Returns the outputs of the runs, if a record needs them. They are also saved in the folder of the journal, for
    /// a resumed run.
    pub fn runs(&self, journal: Option<(&Path, bool)>) -> Option<Arc<Runs>> {
        let runs = self.runs.clone()?;
        if let Some((folder, is_resumed)) = journal {
            runs.keep_in(folder, is_resumed);
        }
        Some(runs)
    }

    /// Records the start of the reduction of this input.
    pub fn start(&mut self, input: &[u8], pause: Arc<Pause>) {
        self.clock.restart(pause);
        self.chronicle = self.report.as_ref().map(|_| Chronicle::new(input));
    }

    /// Returns a run on the result, if a record needs it: a known run, or else a new run.
    pub fn run_on(&self, best: &[u8], again: impl FnOnce(&[u8]) -> Option<CommandRun>) -> Option<RunOutput> {
        self.tracker.as_ref()?;
        let known = self.runs.as_ref().and_then(|runs| runs.of(best));
        known.or_else(|| again(best).map(RunOutput::from))
    }

    /// Tells whether the summary is printed as text.
    pub fn has_text(&self) -> bool {
        self.form == SummaryForm::Text
    }

    /// Completes the records at the end of the run.
    ///
    /// # Errors
    /// Returns the first error if some of them cannot be written.
    pub fn end(&mut self, ended: &Ended<'_>) -> Result<(), Failure> {
        if let Some(events) = &mut self.events {
            events.end(summary::ended(ended), self.clock.elapsed());
        }
        let summary = match self.form {
            SummaryForm::Json => self.print(&summary::full(ended)),
            SummaryForm::Text => Ok(()),
        };
        let report = self.report(ended);
        let tracker = self.tracker.as_ref().map_or(Ok(()), |place| {
            place.write("--bug-report", &tracker::text(ended, ended.run.as_ref()), &ended.settings.voice)
        });
        summary.and(report).and(tracker).and(self.events())
    }

    fn report(&self, ended: &Ended<'_>) -> Result<(), Failure> {
        let (Some(place), Some(chronicle)) = (&self.report, &self.chronicle) else { return Ok(()) };
        let rejected = self.runs.as_ref().map(|runs| runs.take_rejected()).unwrap_or_default();
        let material = report::Material {
            ended,
            chronicle,
            rejected: &rejected,
            facts: &fact::facts(ended, &chronicle.notes),
            command: &fact::command(ended.settings),
        };
        place.write("--report", &report::page(&material), &ended.settings.voice)
    }

    /// Completes the records of a run that has failed.
    ///
    /// # Errors
    /// Returns an error if they cannot be written.
    pub fn fail(&mut self, failure: &Failure) -> Result<(), Failure> {
        self.end_without(summary::failed(failure))
    }

    /// Completes the records if a signal has ended the run before the reduction began.
    ///
    /// # Errors
    /// Returns an error if they cannot be written.
    pub fn interrupted(&mut self, code: i32) -> Result<(), Failure> {
        self.end_without(summary::nothing("interrupted", code))
    }

    /// Completes the records if the earlier run was already finished. Returns a note for the user.
    ///
    /// # Errors
    /// Returns an error if they cannot be written.
    pub fn nothing_left(&mut self) -> Result<Option<&'static str>, Failure> {
        self.end_without(summary::nothing("finished before", 0))?;
        let has_report = self.report.is_some() || self.tracker.is_some();
        let note =
            "note: no report was written, because nothing was run; to start a new run, omit `--resume`";
        Ok(has_report.then_some(note))
    }

    fn end_without(&mut self, fields: serde_json::Map<String, serde_json::Value>) -> Result<(), Failure> {
        let summary = if self.form == SummaryForm::Json { self.print(&fields) } else { Ok(()) };
        if let Some(events) = &mut self.events {
            events.end(fields, self.clock.elapsed());
        }
        summary.and(self.events())
    }

    /// Prints a summary. A closed pipe is not an error.
    fn print(&self, fields: &serde_json::Map<String, serde_json::Value>) -> Result<(), Failure> {
        let mut text = serde_json::to_string_pretty(fields).unwrap_or_default();
        text.push('\n');
        if self.stdout_is_taken {
            // An error on standard error cannot be reported.
            let _ = io::stderr().lock().write_all(text.as_bytes());
            return Ok(());
        }
        stdout::print(text.as_bytes())
    }

    /// Returns an error if a part of the JSON log could not be written.
    fn events(&self) -> Result<(), Failure> {
        if let Some(Place::File(path)) = &self.events_place {
            product::mark_path(path);
        }
        self.events.as_ref().and_then(Events::failure).map_or(Ok(()), Err)
    }
}

impl Sink for Records {
    fn event(&mut self, event: Event<'_>) {
        if let Some(events) = &mut self.events {
            events.take(event, self.clock.elapsed());
        }
        if let Some(chronicle) = &mut self.chronicle {
            chronicle.take(event, self.clock.elapsed());
        }
    }
}
