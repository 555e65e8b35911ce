//! Runs a program under an agent. Each request is one run, in the oracle's processes with their sandbox and
//! limits.

use crate::account::Account;
use crate::debugger::{self, Debugger};
use crate::failure::Run;
use crate::fault::Fault;
use crate::protocol::{Answer, Event, Failing, Place, Point, Request, Task};
use nubbin_oracle::{CommandOracle, Error, LastingDirectory, Status};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The maximum size of an answer in bytes.
const ANSWER: u64 = 256 << 20;
const AGENT: &str = "agent.py";
/// The file with the agent's part for accounts of failures, which is loaded on demand.
const ORIGINS: &str = "agent_origins.py";
const REQUEST: &str = "request.json";

/// The limits of a run.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// The maximum number of recorded events.
    pub events: usize,
    /// The maximum number of vertices of a memory graph.
    pub vertices: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { events: 200_000, vertices: 100_000 }
    }
}

/// A program and its environment.
#[derive(Clone, Debug)]
pub struct Program {
    /// The program and its arguments, preceded by an interpreter if there is one.
    pub words: Vec<OsString>,
    /// Its working directory.
    pub directory: PathBuf,
    /// Its standard input; empty if `None`.
    pub stdin: Option<PathBuf>,
    /// The source files and directories whose statements are examined; the program's own if empty.
    pub sources: Vec<PathBuf>,
}

/// A program that can be examined.
#[derive(Debug)]
pub struct Lab {
    debugger: Box<dyn Debugger>,
    oracle: CommandOracle,
    /// As `oracle`, but calls the interpreter directly, once it is known.
    direct: OnceLock<CommandOracle>,
    program: Program,
    words: Vec<String>,
    bounds: Bounds,
    /// Files in the messages of the failing run.
    named: Vec<String>,
    runs: AtomicUsize,
    /// The directory of the agent.
    folder: LastingDirectory,
}

impl Lab {
    /// Creates the lab for a program. `oracle` provides the sandbox and the limits of the runs; its own
    /// command is ignored.
    ///
    /// # Errors
    /// Returns an error if an argument is not UTF-8, or if the agent cannot be written.
    pub fn new(program: Program, oracle: &CommandOracle, bounds: Bounds) -> Result<Self, Fault> {
        let (debugger, words) = debugger::of(&program.words)?;
        let folder = oracle.lasting_directory()?;
        let agent = folder.path().join(AGENT);
        for (name, text) in [(AGENT, debugger.agent()), (ORIGINS, debugger.origins())] {
            fs::write(folder.path().join(name), text)
                .map_err(|source| Error::Directory { path: folder.path().to_owned(), source })?;
        }
        let mut run = debugger.words(&agent).into_iter();
        let first = found(&run.next().unwrap_or_default(), &program.directory);
        let oracle = CommandOracle::clone(oracle).words(first, run.collect());
        let direct = OnceLock::new();
        let runs = AtomicUsize::new(0);
        Ok(Self { debugger, oracle, direct, program, words, bounds, named: Vec::new(), runs, folder })
    }

    /// Returns the name of the request file, with which the oracle must be created.
    #[must_use]
    pub fn request_name() -> &'static Path {
        Path::new(REQUEST)
    }

    /// Returns the debugger.
    #[must_use]
    pub fn debugger(&self) -> &dyn Debugger {
        self.debugger.as_ref()
    }

    /// Returns the program and its arguments, without the interpreter.
    #[must_use]
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Returns the program and its environment.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Sets the files in the messages of the failing run, so that the failing module is examined wherever it
    /// is.
    pub fn set_named(&mut self, named: Vec<String>) {
        self.named = named;
    }

    /// Returns the number of runs so far.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.runs.load(Ordering::Relaxed)
    }

    /// Runs the program unchanged.
    ///
    /// # Errors
    /// Returns an error if the program cannot be run.
    pub fn plain(&self) -> Result<Run, Fault> {
        let answer = self.ask(&self.request(Task::Run))?;
        answer.map_or(Ok(Run::hangs()), |answer| checked(answer).map(|answer| Run::of(&answer)))
    }

    /// Records the statements that the program executes.
    ///
    /// # Errors
    /// Returns an error if the program cannot be run or does not end.
    pub fn trace(&self) -> Result<Answer, Fault> {
        let answer = self.ask(&self.request(Task::Trace))?;
        checked(
            answer.ok_or_else(|| Fault::Runs("the program does not end within the time limit while it is traced: give a longer `--timeout`".to_owned()))?,
        )
    }

    /// Runs the program without some of its statements.
    ///
    /// # Errors
    /// Returns an error if the program cannot be run.
    pub fn partial(&self, places: &[Place], kept: &[Event]) -> Result<Run, Fault> {
        let request = Request { places, kept, ..self.request(Task::Partial) };
        Ok(self.ask(&request)?.map_or_else(Run::hangs, |answer| Run::of(&answer)))
    }

    /// Returns the memory graph at a point.
    ///
    /// # Errors
    /// Returns an error if the program cannot be run, or does not reach the point.
    pub fn state(&self, at: &Point) -> Result<crate::protocol::State, Fault> {
        let answer = self.ask(&Request { at: Some(at), ..self.request(Task::State) })?;
        let late = || Fault::Runs("the program does not reach that point within the time limit".to_owned());
        let answer = checked(answer.ok_or_else(late)?)?;
        answer.state.ok_or_else(|| Fault::Runs("the program does not reach that point".to_owned()))
    }

    /// Returns the memory graph at a point after another one, `first`, at which commands are executed.
    /// Returns `Some(None)` if the program does not reach it, and `None` if that takes too long.
    ///
    /// # Errors
    /// Returns an error if the program cannot be run.
    pub fn state_after(
        &self,
        first: &Point,
        commands: &[String],
        at: &Point,
    ) -> Result<Option<Option<crate::protocol::State>>, Fault> {
        let request = Request { first: Some(first), commands, at: Some(at), ..self.request(Task::State) };
        Ok(self.ask(&request)?.map(|answer| answer.state))
    }

    /// Runs the program and executes commands at a point.
    ///
    /// # Errors
    /// Returns an error if the program cannot be run.
    pub fn changed(&self, at: &Point, commands: &[String]) -> Result<Run, Fault> {
        let request = Request { at: Some(at), commands, ..self.request(Task::Run) };
        Ok(self.ask(&request)?.map_or_else(Run::hangs, |answer| Run::of(&answer)))
    }

    /// Returns the account of a failure, or `None` if the failure was not observed.
    ///
    /// # Errors
    /// Returns an error if the program cannot be run.
    pub fn origins(&self, failing: &Failing) -> Result<Option<Account>, Fault> {
        let request = Request { failing: Some(failing), ..self.request(Task::Origins) };
        let Some(answer) = self.ask(&request)? else { return Ok(None) };
        Ok(checked(answer)?.account)
    }

    fn request(&self, task: Task) -> Request<'_> {
        Request {
            task,
            program: &self.words,
            directory: &self.program.directory,
            stdin: self.program.stdin.as_deref(),
            sources: &self.program.sources,
            most_events: self.bounds.events,
            most_vertices: self.bounds.vertices,
            places: &[],
            kept: &[],
            most_stops: self.bounds.events.saturating_mul(2),
            first: None,
            at: None,
            commands: &[],
            named: &self.named,
            failing: None,
        }
    }

    /// Sends a request to the agent. Returns `None` if there is no answer in time.
    fn ask(&self, request: &Request<'_>) -> Result<Option<Answer>, Fault> {
        let request = serde_json::to_vec(request)?;
        self.runs.fetch_add(1, Ordering::Relaxed);
        let run = self.direct.get().unwrap_or(&self.oracle).answer(&request, ANSWER)?;
        if matches!(run.status, Status::TimedOut | Status::OverLimit(_)) {
            return Ok(None);
        }
        let answer: Answer = serde_json::from_slice(&run.stdout).map_err(|error| {
            let said = String::from_utf8_lossy(&run.stderr);
            let said = said.lines().next_back().unwrap_or_default();
            let text = if said.is_empty() { error.to_string() } else { said.to_owned() };
            Fault::Lost { debugger: self.debugger.name(), text }
        })?;
        if let Some(interpreter) = answer.executable.as_ref().filter(|path| path.is_absolute()) {
            let words = self.debugger.words(&self.agent());
            let rest = words.into_iter().skip(1).collect();
            self.direct.get_or_init(|| self.oracle.clone().words(interpreter, rest));
        }
        Ok(Some(answer))
    }

    fn agent(&self) -> PathBuf {
        self.folder.path().join(AGENT)
    }
}

/// Returns the absolute path of a program that is given relative to the directory, since the agent runs
/// elsewhere.
fn found(word: &OsStr, directory: &Path) -> OsString {
    let path = Path::new(word);
    let is_relative = path.is_relative() && path.components().count() > 1;
    if is_relative { directory.join(path).into_os_string() } else { word.to_owned() }
}

/// Returns the answer, or an error if there is a problem with the program.
fn checked(answer: Answer) -> Result<Answer, Fault> {
    match answer.problem {
        Some(problem) => Err(Fault::Program(problem)),
        None => Ok(answer),
    }
}
