//! The oracle that is a command: one process for each candidate, in a fresh directory.
//!
//! It remembers nothing between two probes: verdicts are cached by the schedule.

use super::lab::{self, Lab};
use super::process::{self, Ending, Failure};
use super::{Error, Oracle, Protocol, Status};
use crate::verdict::Verdict;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Permissions};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How much of each output stream a [`Run`] keeps: its end.
pub const TAIL: u64 = 64 << 10;
/// How much of each output stream a matcher sees: its end.
pub const MATCHED: u64 = 8 << 20;
/// What stands for the candidate's path in an argument.
const PLACEHOLDER: &[u8] = b"{}";
/// The time limit where none is set.
const LIMIT: Duration = Duration::from_secs(60);

/// Runs a command for each candidate.
///
/// The candidate is the only file in the current directory, under the name that was given; its absolute path replaces `{}` in the
/// arguments. Standard input is empty, and `TMPDIR` is a directory of the probe's own.
/// The process leads a group of its own: at the time limit, or when the stop flag is set, the group gets SIGTERM, and SIGKILL
/// 200 ms later; what is left of the group when the command has ended is killed as well.
///
/// ```
/// use nubbin::Verdict;
/// use nubbin::oracle::{CommandOracle, Oracle};
///
/// let oracle = CommandOracle::new("grep", ["-q", "needle", "{}"], "hay.txt");
/// assert_eq!(oracle.probe(b"a needle in it")?, Verdict::Interesting);
/// # Ok::<(), nubbin::oracle::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct CommandOracle {
    program: OsString,
    arguments: Vec<OsString>,
    name: OsString,
    mode: Option<Permissions>,
    append_path: bool,
    protocol: Protocol,
    limit: Duration,
    work_root: PathBuf,
    stop: Arc<AtomicBool>,
}

/// What one run of the command came to.
#[derive(Clone, Debug)]
pub struct Run {
    /// What it means.
    pub verdict: Verdict,
    /// How the process ended.
    pub status: Status,
    /// The end of its standard output, at most [`TAIL`] bytes.
    pub stdout: Vec<u8>,
    /// The end of its standard error, at most [`TAIL`] bytes.
    pub stderr: Vec<u8>,
    /// How long it ran.
    pub elapsed: Duration,
}

impl CommandOracle {
    /// An oracle that runs `program` with `arguments` on candidates that are called `name`.
    ///
    /// A program without a slash is looked for in `PATH`; a relative path with one would be looked for in the probe's directory.
    /// Of `name` only the last component counts.
    pub fn new<A: Into<OsString>>(
        program: impl Into<OsString>,
        arguments: impl IntoIterator<Item = A>,
        name: impl AsRef<Path>,
    ) -> Self {
        Self {
            program: program.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
            name: name.as_ref().file_name().unwrap_or(OsStr::new("input")).to_owned(),
            mode: None,
            append_path: false,
            protocol: Protocol::default(),
            limit: LIMIT,
            work_root: lab::work_root(),
            stop: Arc::default(),
        }
    }

    /// Whether the candidate's path becomes the last argument where no argument holds `{}`.
    #[must_use]
    pub fn append_path(mut self, append: bool) -> Self {
        self.append_path = append;
        self
    }

    /// The permissions that the candidate gets.
    #[must_use]
    pub fn permissions(mut self, mode: Permissions) -> Self {
        self.mode = Some(mode);
        self
    }

    /// How the end of a process becomes a verdict.
    #[must_use]
    pub fn protocol(mut self, protocol: Protocol) -> Self {
        self.protocol = protocol;
        self
    }

    /// How long a process may run; 60 seconds where nothing is set.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Where the directories of the probes are made: the RAM disk or the system's temporary directory where nothing is set.
    #[must_use]
    pub fn work_root(mut self, path: impl Into<PathBuf>) -> Self {
        self.work_root = path.into();
        self
    }

    /// Ends the running probe, and all later ones, with [`Error::Interrupted`] once the flag is set.
    #[must_use]
    pub fn stop(mut self, stop: Arc<AtomicBool>) -> Self {
        self.stop = stop;
        self
    }

    /// Runs the command once on `candidate`.
    ///
    /// # Errors
    /// When the command cannot be run, the probe's directory cannot be made, or the stop flag is set.
    pub fn run(&self, candidate: &[u8]) -> Result<Run, Error> {
        self.run_unless(candidate, &AtomicBool::new(false))
    }

    fn run_unless(&self, candidate: &[u8], cancelled: &AtomicBool) -> Result<Run, Error> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        let in_root = || Error::directory(&self.work_root);
        let work_root = self.work_root.canonicalize().map_err(in_root())?;
        let lab = Lab::new(&work_root).map_err(in_root())?;
        let path = lab.place(&self.name, candidate, self.mode.as_ref()).map_err(in_root())?;
        let stdout = lab.output("stdout").map_err(in_root())?;
        let stderr = lab.output("stderr").map_err(in_root())?;
        let mut command = self.command(&path, &lab);
        let duplicate = |file: &File| file.try_clone().map(Stdio::from).map_err(in_root());
        command.stdin(Stdio::null()).stdout(duplicate(&stdout)?).stderr(duplicate(&stderr)?);

        let start = Instant::now();
        let ending =
            process::run(&mut command, self.limit, &[&self.stop, cancelled]).map_err(|f| self.failure(f))?;
        let elapsed = start.elapsed();
        let status = match ending {
            Ending::Ended(status) => status_of(status),
            Ending::TimedOut => Status::TimedOut,
            Ending::Stopped => return Err(Error::Interrupted),
        };
        let bound = if self.protocol.reads_output() { MATCHED } else { TAIL };
        let mut stdout = lab::tail(&stdout, bound).map_err(in_root())?;
        let mut stderr = lab::tail(&stderr, bound).map_err(in_root())?;
        let verdict = self.protocol.judge(status, &stdout, &stderr);
        keep_end(&mut stdout);
        keep_end(&mut stderr);
        Ok(Run { verdict, status, stdout, stderr, elapsed })
    }

    fn command(&self, path: &Path, lab: &Lab) -> Command {
        let mut command = Command::new(fill(&self.program, path));
        command.args(self.arguments.iter().map(|argument| fill(argument, path)));
        let named = [&self.program].into_iter().chain(&self.arguments).any(|word| holds_placeholder(word));
        if self.append_path && !named {
            command.arg(path);
        }
        command.current_dir(lab.work()).env("PWD", lab.work()).env("TMPDIR", lab.tmp());
        command
    }

    fn failure(&self, failure: Failure) -> Error {
        let program = PathBuf::from(&self.program);
        match failure {
            Failure::Start(source) => Error::start(&program, source),
            Failure::Wait(source) => Error::Wait { program, source },
        }
    }
}

impl Oracle for CommandOracle {
    fn probe(&self, candidate: &[u8]) -> Result<Verdict, Error> {
        self.run(candidate).map(|run| run.verdict)
    }

    fn probe_unless(&self, candidate: &[u8], cancelled: &AtomicBool) -> Result<Verdict, Error> {
        self.run_unless(candidate, cancelled).map(|run| run.verdict)
    }
}

fn status_of(status: ExitStatus) -> Status {
    match (status.code(), status.signal()) {
        (Some(code), _) => Status::Exit(code),
        (None, signal) => Status::Signal(signal.unwrap_or_default()),
    }
}

/// Whether a word of a command holds `{}`.
#[must_use]
pub fn holds_placeholder(word: &OsStr) -> bool {
    word.as_bytes().windows(PLACEHOLDER.len()).any(|window| window == PLACEHOLDER)
}

/// The word with each `{}` replaced by `path`.
fn fill(word: &OsStr, path: &Path) -> OsString {
    let (mut filled, mut rest) = (Vec::new(), word.as_bytes());
    while let Some(at) = rest.windows(PLACEHOLDER.len()).position(|window| window == PLACEHOLDER) {
        filled.extend_from_slice(&rest[..at]);
        filled.extend_from_slice(path.as_os_str().as_bytes());
        rest = &rest[at + PLACEHOLDER.len()..];
    }
    filled.extend_from_slice(rest);
    OsString::from_vec(filled)
}

/// Cuts all but the last [`TAIL`] bytes.
fn keep_end(bytes: &mut Vec<u8>) {
    let surplus = bytes.len().saturating_sub(TAIL as usize);
    bytes.drain(..surplus);
}
