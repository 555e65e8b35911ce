//! The resolved settings of a run, with all defaults.
//!
//! They do not depend on their source: a command line, a settings file, or a program.

use crate::baseline::Known;
use crate::beside::Beside;
use crate::check::script::Script;
use crate::classic::Classic;
use crate::command;
use crate::control::Control;
use crate::failure::Failure;
use crate::helper::Helpers;
use crate::inline::InlineChoice;
use crate::isolate::Goal;
use crate::language::LanguageChoice;
use crate::limits::{Bounds, Unlimited};
use crate::message::Message;
use crate::output::Output;
use crate::program;
use crate::propose::Proposers;
use crate::shared::Shared;
use crate::source::{Input, candidates};
use crate::surroundings::{self, Around};
use crate::text;
use crate::voice::Voice;
use nubbin_oracle::signature::{Forms, Reader};
use nubbin_oracle::{Confidence, Confinement, LeastRate, Limits, Matcher, Sandbox, Shape};
use nubbin_reduce::Unit;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The settings of a run.
#[derive(Debug)]
pub struct Settings {
    /// The input to reduce.
    pub input: Input,
    /// The goal of the search, if it is not the smallest input.
    pub goal: Option<Goal>,
    /// The published algorithm, if one was selected.
    pub search: Option<Classic>,
    /// The form of a candidate on disk.
    pub shape: Shape,
    /// The files that the oracle needs in addition to the candidate.
    pub around: Around,
    /// The user's test.
    pub test: TestCommand,
    /// Additional commands: conditions, and a metric.
    pub beside: Beside,
    /// The output.
    pub output: Output,
    /// The user's choice of the language of the input.
    pub language: LanguageChoice,
    /// The units to remove; if empty, parts of the syntax tree are removed.
    pub units: Vec<Unit>,
    /// The time limit of a run of the oracle; `None` adapts it.
    pub timeout: Option<Duration>,
    /// The limits and the sandbox of the oracle.
    pub bounds: Bounds,
    /// The number of parallel runs.
    pub jobs: usize,
    /// The cluster that also runs tests.
    #[cfg(feature = "remote")]
    pub remote: Option<crate::remote::Remote>,
    /// The run continues even if the empty input is interesting.
    pub allow_empty: bool,
    /// Whitespace is minimised as well.
    pub compact: bool,
    /// The effort spent on restarts at the end, in percent of the probes before.
    pub effort: u32,
    /// Passes, limits, the objective, and protected text.
    pub control: Control,
    /// The formatter for the result.
    pub formatter: program::ProgramChoice,
    /// The preprocessor for the input.
    pub preprocessor: program::ProgramChoice,
    /// Whether included files are inlined.
    pub inline: InlineChoice,
    /// The programs that propose edits.
    pub propose: Proposers,
    /// The confidence with which a candidate of a flaky test is judged; `None` rejects flaky tests.
    pub flaky: Option<Confidence>,
    /// The lowest failure rate for which the initial runs wait.
    pub flaky_rate: LeastRate,
    /// The page to load, if the test is a browser.
    pub page: Option<nubbin_browser::Plan>,
    /// Whether a journal is written or resumed.
    pub journal: JournalChoice,
    /// Notes about the settings, which are printed when the run starts.
    pub notes: Vec<String>,
    /// The command line. It is stored in the journal, so that the run can be resumed from the folder alone.
    pub words: Vec<OsString>,
    /// The settings are for a run, not for an examination or the creation of a script.
    pub is_run: bool,
    /// The files and limits that the command needs, as learned by runs on other inputs.
    pub known: Option<Known>,
    /// Runs shared by several reductions of the same command.
    pub shared: Option<Arc<Shared>>,
    /// The program that acts as a helper.
    pub helpers: Option<Helpers>,
    /// The receiver of notes.
    pub voice: Voice,
}

/// Whether a journal is written or resumed.
#[derive(Debug)]
pub enum JournalChoice {
    /// No journal is written.
    None,
    /// A new journal is created.
    Begin,
    /// An earlier run is resumed, if there is one.
    Resume,
    /// The run whose journal is in this folder is resumed.
    ResumeFrom(PathBuf),
}

/// The test of a run.
#[derive(Debug)]
pub struct TestCommand {
    /// The name of the test in messages.
    pub label: String,
    /// The program and its arguments, for any directory; `{}` is the candidate's path.
    pub words: Vec<OsString>,
    /// The failure of a command; `None` for a script, which decides by itself.
    pub failure: Option<Matcher>,
    /// Whether the message of the command is part of the failure.
    pub message: Message,
    /// Additional forms of messages, from the user.
    pub forms: Forms,
    /// New ordinary errors are allowed next to the failure.
    pub any_errors: bool,
    /// New ordinary errors are not allowed even if only a text was requested.
    pub stands_alone: bool,
    /// The second command, if the failure is a difference of two.
    pub other: Option<String>,
    /// The time that the command must exceed, if slowness is the failure.
    pub slower: Option<Duration>,
    /// How servers are used to run the test.
    pub serving: Serving,
}

/// How servers are used to run the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Serving {
    /// The test itself is a server.
    Own,
    /// A server is derived from the command, if one is known for it.
    Known,
    /// This number of processes for each job is started in advance and waits for candidates.
    Ahead(usize),
    /// Each run starts a new process.
    Never,
}

impl TestCommand {
    /// Returns whether the test itself is a server.
    #[must_use]
    pub fn is_server(&self) -> bool {
        self.serving == Serving::Own
    }

    /// Creates the test of a script, which decides by itself what the failure is.
    #[must_use]
    pub fn script(label: String, words: Vec<OsString>) -> Self {
        Self {
            label,
            words,
            failure: None,
            message: Message::None,
            forms: Forms::default(),
            any_errors: true,
            stands_alone: false,
            other: None,
            slower: None,
            serving: Serving::Known,
        }
    }
}

impl TestCommand {
    /// Creates the test of a failing command. The failure is its status on the unreduced input, and its message if
    /// the form is known. `words` must be resolved by [`command::resolve`].
    #[must_use]
    pub fn command(label: String, words: Vec<OsString>) -> Self {
        let failure = Some(Matcher::default());
        Self { failure, message: Message::Known, any_errors: false, ..Self::script(label, words) }
    }
}

impl Settings {
    /// Creates settings that keep the failure detected by `test`, with the defaults of the program `nubbin`: the
    /// result is written next to the input, a journal is written, there is one parallel run for each core, and the
    /// oracle is confined as far as the kernel supports it.
    ///
    /// Notes are discarded, and there are no [`helpers`](Self::helpers) yet.
    ///
    /// # Errors
    /// Returns an error when a path cannot be used.
    pub fn new(input: Input, test: TestCommand) -> Result<Self, Failure> {
        let around = Around::new(Vec::new(), false, &input)?;
        let language = LanguageChoice::Detect;
        let jobs = nubbin_search::schedule::cores();
        let logs = Script::of(&test.words).map(|script| script.logs()).unwrap_or_default();
        let confinement = Confinement { sandbox: Sandbox::Auto, logs, ..Confinement::default() };
        Ok(Self {
            output: Output::beside(&input),
            shape: surroundings::shape(input.shape()?, around.origin.as_ref()),
            propose: Proposers::new(&[], None, &input, &language, false)?,
            formatter: program::ProgramChoice::new("formatter", None)?,
            preprocessor: program::ProgramChoice::new("preprocessor", None)?,
            bounds: Bounds::new(Limits::default(), Unlimited::default(), jobs, confinement),
            inline: InlineChoice::default(),
            goal: None,
            search: None,
            around,
            input,
            test,
            beside: Beside::default(),
            language,
            units: Vec::new(),
            timeout: None,
            jobs,
            #[cfg(feature = "remote")]
            remote: None,
            allow_empty: false,
            compact: false,
            effort: 0,
            control: Control::default(),
            flaky: None,
            flaky_rate: LeastRate::default(),
            page: None,
            journal: JournalChoice::Begin,
            notes: Vec::new(),
            words: Vec::new(),
            is_run: true,
            known: None,
            shared: None,
            helpers: None,
            voice: Voice::silent(),
        })
    }

    /// Creates settings that keep the failure of a command on this file or directory. Arguments that are `{}` or
    /// equal to the path stand for the candidate's path.
    ///
    /// # Errors
    /// Returns an error when a path cannot be used.
    pub fn of_command<W: Into<OsString>>(
        path: impl Into<PathBuf>,
        words: impl IntoIterator<Item = W>,
    ) -> Result<Self, Failure> {
        let input = Input::new(path.into().into_os_string());
        let typed: Vec<OsString> = words.into_iter().map(Into::into).collect();
        let paths = candidates(&input, &LanguageChoice::Detect);
        let words = command::interpreted(command::resolve(&typed, &paths));
        Self::new(input, TestCommand::command(text::words(&typed), words))
    }

    /// Creates settings for an oracle: a program that exits with status 0 if the failure occurs.
    ///
    /// # Errors
    /// Returns an error when a path cannot be used.
    pub fn of_oracle(path: impl Into<PathBuf>, oracle: impl Into<OsString>) -> Result<Self, Failure> {
        let (input, oracle) = (Input::new(path.into().into_os_string()), oracle.into());
        let paths = candidates(&input, &LanguageChoice::Detect);
        let words = command::interpreted(command::resolve(&command::split(&oracle)?, &paths));
        Self::new(input, TestCommand::script(oracle.to_string_lossy().into_owned(), words))
    }

    /// Returns whether [`check`](crate::check) supports this oracle and input.
    #[must_use]
    pub fn can_be_checked(&self) -> bool {
        let is_text = !matches!(self.input, Input::Options(_) | Input::WithOptions(_) | Input::Changes(_));
        self.is_run && self.goal.is_none() && is_text
    }

    /// Returns whether the run supports flaky tests, but the settings do not enable it.
    #[must_use]
    pub fn could_be_flaky(&self) -> bool {
        let accepts =
            self.goal.is_none() && self.search.is_none() && !matches!(self.input, Input::Changes(_));
        self.is_run && accepts && self.flaky.is_none()
    }

    /// Returns whether a resumed run is repeated from recorded verdicts instead of recorded steps.
    #[must_use]
    pub fn is_made_anew(&self) -> bool {
        matches!(self.input, Input::Changes(_)) || self.goal.is_some() || self.search.is_some()
    }

    /// Returns the path for the journal: that of the input, with a suffix for the goal.
    #[must_use]
    pub fn journal_path(&self) -> PathBuf {
        let path = self.input.path(&self.language);
        let Some(goal) = &self.goal else { return path };
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(match goal {
            Goal::Isolate(_) => ".isolate",
            Goal::Maximize => ".maximize",
        });
        path.with_file_name(name)
    }

    /// Returns the reader for messages of the test.
    #[must_use]
    pub fn reader(&self) -> Reader {
        Reader::new(self.own_names()).with(&self.test.forms)
    }

    /// Returns the known names of the candidate's files. Messages that contain them differ between candidates.
    #[must_use]
    pub fn own_names(&self) -> Vec<String> {
        let own = self.input.path(&self.language).file_name().map(PathBuf::from);
        let names =
            if let Shape::Files(names) = &self.shape { names.clone() } else { own.into_iter().collect() };
        names.iter().map(|name| name.to_string_lossy().into_owned()).collect()
    }
}
