//! The settings of a run, resolved: each default is decided by the time they are made.
//!
//! They are plain data. They do not know their source (a command line, a settings file, a program).

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
    /// The input that is reduced.
    pub input: Input,
    /// The goal of the search, if it is not the smallest input.
    pub goal: Option<Goal>,
    /// The published algorithm that searches, if one was named.
    pub search: Option<Classic>,
    /// The form of a candidate on disk.
    pub shape: Shape,
    /// The files that the oracle sees beside the candidate.
    pub around: Around,
    /// The user's test.
    pub test: TestCommand,
    /// The commands beside it: conditions that have to hold, and a measure.
    pub beside: Beside,
    /// The place of the result.
    pub output: Output,
    /// The user's choice of the language of the input.
    pub language: LanguageChoice,
    /// The units to take away; with none, parts of the syntax tree go.
    pub units: Vec<Unit>,
    /// The time limit of one run of the oracle; without one it adapts.
    pub timeout: Option<Duration>,
    /// The limits and the sandbox of the oracle.
    pub bounds: Bounds,
    /// The number of runs that may go on at once.
    pub jobs: usize,
    /// The cluster that runs tests, too.
    #[cfg(feature = "remote")]
    pub remote: Option<crate::remote::Remote>,
    /// The run goes on although the empty input is interesting.
    pub allow_empty: bool,
    /// Whitespace is squeezed, too.
    pub compact: bool,
    /// The effort on restarts in the end, in percent of the probes up to then.
    pub effort: u32,
    /// Passes, bounds, the objective, and what stays.
    pub control: Control,
    /// The formatter that the result goes through.
    pub formatter: program::ProgramChoice,
    /// The preprocessor that the input goes through.
    pub preprocessor: program::ProgramChoice,
    /// The part that files have which the input takes in.
    pub inline: InlineChoice,
    /// The programs that propose edits.
    pub propose: Proposers,
    /// The confidence with which a candidate of a flaky test is judged; `None` refuses flaky tests.
    pub flaky: Option<Confidence>,
    /// The rate down to which the failure of a flaky test is waited for.
    pub flaky_rate: LeastRate,
    /// The page that the test is about, if the test is a browser.
    pub page: Option<nubbin_browser::Plan>,
    /// The part that a journal takes.
    pub journal: JournalChoice,
    /// Notes about the settings themselves, which a run says first.
    pub notes: Vec<String>,
    /// The words that the settings were made of. A journal keeps them, so that the run can be resumed by its folder alone.
    pub words: Vec<OsString>,
    /// The settings are those of a run, and not of an examination or of a script that is written.
    pub is_run: bool,
    /// The surroundings and limits of the command, if runs on other inputs have taught them.
    pub known: Option<Known>,
    /// The runs that several reductions of the same command have in common.
    pub shared: Option<Arc<Shared>>,
    /// The program that serves as a helper.
    pub helpers: Option<Helpers>,
    /// Whoever listens to notes.
    pub voice: Voice,
}

/// The part that a journal takes.
#[derive(Debug)]
pub enum JournalChoice {
    /// No journal is kept.
    None,
    /// A new journal is begun.
    Begin,
    /// An earlier run is resumed, if there is one.
    Resume,
    /// The run whose journal is in this folder is resumed.
    ResumeFrom(PathBuf),
}

/// The user's test.
#[derive(Debug)]
pub struct TestCommand {
    /// Its name for people.
    pub label: String,
    /// The program and its arguments, for any directory; `{}` is the candidate's path.
    pub words: Vec<OsString>,
    /// The failure of a command; `None` for a script, which tells by itself.
    pub failure: Option<Matcher>,
    /// Decides whether the messages of the command are part of the failure.
    pub message: Message,
    /// Forms of messages that the user has added to those that are known.
    pub forms: Forms,
    /// Ordinary errors may stand beside the failure.
    pub any_errors: bool,
    /// No ordinary errors may stand beside a text that was asked for, but those that the unchanged input shows.
    pub stands_alone: bool,
    /// The second command, where the failure is that two of them differ.
    pub other: Option<String>,
    /// The time that the command takes longer than, where that is the failure.
    pub slower: Option<Duration>,
    /// The part that servers have.
    pub serving: Serving,
}

/// The part that servers have: processes that are asked about one candidate after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Serving {
    /// The words are those of a server.
    Own,
    /// A server is made of the command, where one is known for it.
    Known,
    /// So many processes for each job have been started before there is a candidate for them, and wait for it.
    Ahead(usize),
    /// There is a process for each run.
    Never,
}

impl TestCommand {
    /// Tells whether the words are those of a server.
    #[must_use]
    pub fn is_server(&self) -> bool {
        self.serving == Serving::Own
    }

    /// Makes the test of a script, which tells by itself what the failure is.
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
    /// Makes the test of a command that fails: the failure is its end on the unreduced input, and its message if the
    /// form of that is known. `words` are as [`command::resolve`] makes them.
    #[must_use]
    pub fn command(label: String, words: Vec<OsString>) -> Self {
        let failure = Some(Matcher::default());
        Self { failure, message: Message::Known, any_errors: false, ..Self::script(label, words) }
    }
}

impl Settings {
    /// Makes the settings of a run that keeps what `test` accepts; everything else has the defaults of the program
    /// `nubbin`: the result goes beside the input, a journal is kept, as many runs go on at once as there are cores,
    /// and the oracle is confined as far as the kernel can. The fields are there to be changed.
    ///
    /// Notes are said to nobody, and there are no [`helpers`](Self::helpers) yet.
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

    /// Makes the settings of a run that keeps the failure which a command shows on this file or directory. `{}` among
    /// the words is the candidate's path, and so is the path itself.
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

    /// Makes the settings of a run by an oracle: a program that exits with status 0 where the failure is.
    ///
    /// # Errors
    /// Returns an error when a path cannot be used.
    pub fn of_oracle(path: impl Into<PathBuf>, oracle: impl Into<OsString>) -> Result<Self, Failure> {
        let (input, oracle) = (Input::new(path.into().into_os_string()), oracle.into());
        let paths = candidates(&input, &LanguageChoice::Detect);
        let words = command::interpreted(command::resolve(&command::split(&oracle)?, &paths));
        Self::new(input, TestCommand::script(oracle.to_string_lossy().into_owned(), words))
    }

    /// Tells whether [`check`](crate::check) takes this oracle and this input.
    #[must_use]
    pub fn can_be_checked(&self) -> bool {
        let is_text = !matches!(self.input, Input::Options(_) | Input::WithOptions(_) | Input::Changes(_));
        self.is_run && self.goal.is_none() && is_text
    }

    /// Tells whether this kind of run accepts a flaky test, and was not asked to.
    #[must_use]
    pub fn could_be_flaky(&self) -> bool {
        let accepts =
            self.goal.is_none() && self.search.is_none() && !matches!(self.input, Input::Changes(_));
        self.is_run && accepts && self.flaky.is_none()
    }

    /// Tells whether a run is made anew from the verdicts of the earlier one that it resumes, and not from its steps.
    #[must_use]
    pub fn is_made_anew(&self) -> bool {
        matches!(self.input, Input::Changes(_)) || self.goal.is_some() || self.search.is_some()
    }

    /// Returns the path under which a journal is kept: that of the input, with what is looked for if that is not the
    /// smallest one.
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

    /// Returns what reads the messages of the test.
    #[must_use]
    pub fn reader(&self) -> Reader {
        Reader::new(self.own_names()).with(&self.test.forms)
    }

    /// Returns the names of the candidate's files, as far as they are known: what a program says of them changes.
    #[must_use]
    pub fn own_names(&self) -> Vec<String> {
        let own = self.input.path(&self.language).file_name().map(PathBuf::from);
        let names =
            if let Shape::Files(names) = &self.shape { names.clone() } else { own.into_iter().collect() };
        names.iter().map(|name| name.to_string_lossy().into_owned()).collect()
    }
}
