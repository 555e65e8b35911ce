//! Runs an oracle for an examination: as in a reduction, but with one circumstance changed.

use super::sample::{self, Sample};
use super::wrapper::Circumstance;
use crate::baseline::{self, Baseline};
use crate::settings::Settings;
use crate::stop::Stop;
use crate::surroundings;
use crate::text;
use nubbin_oracle::signature::Signature;
use nubbin_oracle::{
    CommandOracle, CommandRun, Confinement, Error, Limits, Matcher, Protocol, Sandbox, Status, Surroundings,
};
use nubbin_search::Verdict;
use std::cell::Cell;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The oracle, the input and the facts learned from the initial runs.
pub struct Examiner<'b> {
    pub settings: &'b Settings,
    pub input: &'b [u8],
    pub path: PathBuf,
    interrupt: &'b Stop,
    pub oracle: CommandOracle,
    protocol: Protocol,
    limits: Limits,
    /// The requested failure, if it accepts any failure and none was learned.
    open: Option<Matcher>,
    /// The message of the unchanged input.
    pub said: Option<Signature>,
    surroundings: Surroundings,
    runs: Cell<usize>,
}

/// Returns whether a command fails in any way.
fn fails(asked: &Matcher, run: &CommandRun) -> bool {
    !matches!(run.status, Status::Exit(0) | Status::TimedOut) && !asked.is_refused(&run.stdout, &run.stderr)
}

impl<'b> Examiner<'b> {
    pub fn new(
        settings: &'b Settings,
        input: &'b [u8],
        interrupt: &'b Stop,
        first: Option<&Baseline<'_>>,
    ) -> Self {
        let path = settings.input.path(&settings.language);
        let protocol = match (first.and_then(|first| first.failure.clone()), &settings.test.failure) {
            (Some(failure), _) => Protocol::Match(failure),
            (None, Some(asked)) => Protocol::Match(asked.clone()),
            (None, None) => Protocol::Script,
        };
        let limits = first.map_or_else(|| settings.bounds.all(), |first| first.limits);
        let said = first.and_then(|first| first.learned.message.clone());
        let surroundings = first.map_or_else(
            || settings.around.plain(settings.test.failure.is_some()),
            |first| first.learned.surroundings.clone(),
        );
        let mut examiner = Self {
            settings,
            input,
            oracle: baseline::command(settings, &settings.test.words, &path, &surroundings, interrupt),
            path,
            interrupt,
            protocol,
            limits,
            open: settings.test.failure.clone().filter(|asked| first.is_none() && baseline::is_open(asked)),
            said,
            surroundings,
            runs: Cell::new(0),
        };
        examiner.oracle = examiner.usual(examiner.oracle.clone());
        examiner
    }

    fn command(&self, words: &[OsString], name: &Path) -> CommandOracle {
        baseline::command(self.settings, words, name, &self.surroundings, self.interrupt)
    }

    fn usual(&self, oracle: CommandOracle) -> CommandOracle {
        oracle.protocol(self.protocol.clone()).limits(self.limits)
    }

    pub fn run(&self, candidate: &[u8]) -> Result<CommandRun, Error> {
        self.run_as(&self.oracle, candidate)
    }

    /// Runs another oracle on a candidate, and judges it as this one.
    pub fn run_as(&self, oracle: &CommandOracle, candidate: &[u8]) -> Result<CommandRun, Error> {
        self.runs.set(self.runs.get() + 1);
        let run = oracle.run(candidate)?;
        let verdict = match self.open.as_ref() {
            Some(asked) if !fails(asked, &run) => Verdict::Uninteresting,
            _ => run.verdict,
        };
        Ok(CommandRun { verdict, ..run })
    }

    pub fn runs(&self) -> usize {
        self.runs.get()
    }

    /// Returns the oracle under another circumstance.
    pub fn under(&self, circumstance: &Circumstance) -> CommandOracle {
        let words = circumstance.words(&self.settings.test.words, self.surroundings.is_found);
        self.usual(self.command(&words, &self.path))
    }

    /// Returns the oracle with another command line.
    pub fn with_words(&self, words: &[OsString]) -> CommandOracle {
        self.usual(self.command(words, &self.path))
    }

    pub fn named(&self, name: &Path) -> CommandOracle {
        self.usual(self.command(&self.settings.test.words, name))
    }

    /// Returns the oracle with its work directories in `work_root`.
    pub fn at(&self, work_root: &Path) -> CommandOracle {
        self.oracle.clone().work_root(work_root)
    }

    /// Returns the oracle without the sandbox, if that is allowed.
    pub fn free(&self) -> Option<CommandOracle> {
        let confinement = &self.settings.bounds.confinement;
        let is_confined = self.oracle.is_sandboxed() == Some(true) && confinement.sandbox == Sandbox::Auto;
        let free = Confinement { sandbox: Sandbox::Off, ..confinement.clone() };
        is_confined.then(|| self.oracle.clone().confinement(free))
    }

    pub fn is_archive(&self) -> bool {
        self.settings.input.is_archive()
    }

    /// Returns the smallest candidate.
    pub fn nothing(&self) -> Vec<u8> {
        sample::nothing(self.input, self.is_archive())
    }

    /// Returns the file name of the input.
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or(OsStr::new("input")).to_string_lossy().into_owned()
    }

    /// Returns the absolute path of the input.
    pub fn whole_path(&self) -> PathBuf {
        std::path::absolute(&self.path).unwrap_or_else(|_| self.path.clone())
    }

    /// Returns the run on a sample as a shell command.
    pub fn by_hand(&self, sample: &Sample) -> Option<String> {
        if self.settings.test.is_server() {
            return None;
        }
        Some(self.shell(&sample.make(&self.from(), &self.to())?))
    }

    /// Returns the path of the candidate in the directory of a run, quoted for a shell.
    fn to(&self) -> String {
        format!("./{}", text::quote(self.surroundings.candidate.join(self.name()).as_os_str()))
    }

    /// Returns the run on the input as a shell command.
    pub fn input_by_hand(&self) -> String {
        if self.is_archive() {
            return baseline::by_hand(self.settings, &self.path, &self.surroundings);
        }
        self.shell(&format!("cp -- {} {}", self.from(), self.to()))
    }

    fn from(&self) -> String {
        let path = self.settings.input.file().and_then(|path| std::path::absolute(path).ok());
        path.map_or_else(|| "INPUT".to_owned(), |path| text::quote(path.as_os_str()))
    }

    fn shell(&self, make: &str) -> String {
        let around = &self.surroundings;
        let name = around.candidate.join(self.name());
        let name = name.strip_prefix(&around.directory).map_or_else(|_| name.clone(), Path::to_owned);
        let run = text::command_line(&self.settings.test.words, &[name], around.is_found);
        let (prepare, enter) = (surroundings::by_hand(around), surroundings::enter(around));
        format!(r#"(cd "$(mktemp -d)" && {prepare}{make} && {enter}{run}; echo "status $?")"#)
    }
}
