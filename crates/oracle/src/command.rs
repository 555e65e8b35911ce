//! An oracle that runs a command: by default one process for each candidate, in a fresh directory.
//!
//! Between probes it keeps only their durations and the candidates that exceeded the time limit; verdicts are
//! cached elsewhere.

mod errand;
mod placeholder;
mod run;
mod shape;

use super::limits::{Confinement, Limits, Sandbox};
use super::patience::{Gate, Patience};
use super::pause::Pause;
use super::shortage::OnShortage;
use super::warden::{Helper, Pool};
use super::work_directory::{Paths, Root};
use super::{Error, Observer, Protocol, Status, Surroundings, Trace, Tracing, work_directory};
use crate::signature::Reader;
use nubbin_search::Verdict;
use std::ffi::{OsStr, OsString};
use std::fs::Permissions;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub use errand::Errand;
pub use placeholder::{holds_placeholder, placeholder};
pub use shape::Shape;

/// A [`CommandRun`] keeps at least this many bytes at the beginning and at the end of each output stream.
pub const TAIL: u64 = crate::excerpt::PART as u64;
/// A matcher sees at most this many bytes at the end of each output stream.
pub const MATCHED: u64 = 8 << 20;
/// The time between two checks of the conditions that can end a probe early.
const TICK: Duration = Duration::from_millis(5);

/// Runs a command for each candidate.
///
/// By default the candidate is the only file in the current directory, under the given name, and its absolute
/// path replaces `{}` in the arguments. Standard input is empty, and `TMPDIR` is a private directory of the
/// probe. The process leads a new process group. At the time limit, or when the stop flag is set, the group
/// receives SIGTERM, and SIGKILL 200 ms later; processes of the group that outlive the command are also
/// killed.
///
/// With a [`helper`](Self::helper), supervisor processes ([wardens](super::warden)) run the probes. They are
/// required for limits and a sandbox, end daemons that left the group, and clean up when this program is
/// killed. Without a helper, this program runs the probes itself.
///
/// If no [`limit`](Self::limit) is set, the first run can take 60 seconds. Later runs can take at least 5
/// seconds, and ten times as long as the longest recent run. A [`probe`](super::Oracle::probe) that exceeds
/// its limit while others are running is repeated alone, and only the second result counts. A candidate that
/// exceeded the limit twice is not run again until the limit is longer.
///
/// ```
/// use nubbin_oracle::Verdict;
/// use nubbin_oracle::{CommandOracle, Oracle};
///
/// let oracle = CommandOracle::new("grep", ["-q", "needle", "{}"], "hay.txt");
/// assert_eq!(oracle.probe(b"a needle in it")?, Verdict::Interesting);
/// # Ok::<(), nubbin_oracle::NoVerdict>(())
/// ```
#[derive(Clone, Debug)]
pub struct CommandOracle {
    program: OsString,
    arguments: Vec<OsString>,
    name: OsString,
    mode: Option<Permissions>,
    append_path: bool,
    shape: Shape,
    surroundings: Arc<Surroundings>,
    /// The directory in which the command runs, and the paths of its input there.
    in_place: Option<(PathBuf, Vec<PathBuf>)>,
    /// The files that the candidate replaces.
    replaced: Vec<PathBuf>,
    kind: Kind,
    tracing: Option<Tracing>,
    protocol: Protocol,
    reader: Arc<Reader>,
    limit: Option<Duration>,
    work_root: PathBuf,
    stop: Arc<AtomicBool>,
    pause: Arc<Pause>,
    helper: Option<Helper>,
    limits: Limits,
    confinement: Confinement,
    observer: Option<Arc<dyn Observer>>,
    shortage: OnShortage,
    patience: Arc<Patience>,
    gate: Arc<Gate>,
    /// Shared by all clones, until the setup of the wardens is changed in one of them.
    pool: Arc<Pool>,
}

/// How processes are used for candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A process is started for each candidate.
    Process,
    /// A process is started before its candidate is available.
    Prestarted,
    /// A server is asked about one candidate after another.
    Server,
    /// A server is asked about one candidate only.
    ServerForOne,
}

impl Kind {
    fn is_server(self) -> bool {
        matches!(self, Self::Server | Self::ServerForOne)
    }
}

/// A directory that is kept from one probe to the next. It is removed with its contents when this is dropped,
/// or by a later run if this program is killed.
#[derive(Debug)]
pub struct LastingDirectory(Root);

impl LastingDirectory {
    /// Returns the path of the directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.paths().path()
    }
}

/// The result of one run of the command.
#[derive(Clone, Debug)]
pub struct CommandRun {
    /// The verdict that the protocol derives from the run.
    pub verdict: Verdict,
    /// How the process ended.
    pub status: Status,
    /// The standard output. If it is long: its first and last [`TAIL`] bytes, and the lines in between that
    /// can describe a failure.
    pub stdout: Vec<u8>,
    /// The standard error, shortened in the same way.
    pub stderr: Vec<u8>,
    /// The duration of the run.
    pub elapsed: Duration,
    /// Whether this is a server that ended without an answer or gave a malformed answer, as did a fresh one.
    pub is_lost: bool,
}

impl CommandOracle {
    /// Creates an oracle that runs `program` with `arguments` on candidates named `name`.
    ///
    /// A program without a slash is searched in `PATH`. Other relative paths are resolved in the directory of
    /// the probe. Only the last component of `name` is used.
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
            shape: Shape::File,
            surroundings: Arc::default(),
            in_place: None,
            replaced: Vec::new(),
            kind: Kind::Process,
            tracing: None,
            protocol: Protocol::default(),
            reader: Arc::default(),
            limit: None,
            work_root: work_directory::work_root(),
            stop: Arc::default(),
            pause: Arc::default(),
            helper: None,
            limits: Limits::default(),
            confinement: Confinement::default(),
            observer: None,
            shortage: OnShortage::default(),
            patience: Arc::default(),
            gate: Arc::default(),
            pool: Arc::default(),
        }
    }

    /// Sets whether the path of the candidate is added as the last argument if no argument contains `{}`.
    #[must_use]
    pub fn append_path(mut self, append: bool) -> Self {
        self.append_path = append;
        self.with_new_wardens()
    }

    /// Returns whether the path of the candidate is added to the arguments.
    #[must_use]
    pub fn appends_path(&self) -> bool {
        let several = matches!(&self.shape, Shape::Files(names) if names.len() > 1);
        let mut words = [&self.program].into_iter().chain(&self.arguments);
        self.append_path && !self.surroundings.is_found && !words.any(|word| holds_placeholder(word, several))
    }

    /// Sets how the candidate is stored on disk. The default is a file.
    #[must_use]
    pub fn shape(mut self, shape: Shape) -> Self {
        self.shape = shape;
        self.with_new_wardens()
    }

    /// Sets the files in the directory of a probe in addition to the candidate, and their locations. This
    /// requires a [`helper`](Self::helper) and fresh directories.
    #[must_use]
    pub fn surroundings(mut self, surroundings: Surroundings) -> Self {
        self.surroundings = Arc::new(surroundings);
        self.with_new_wardens()
    }

    /// Runs the command in a directory of the user, with these paths for `{}`. The candidate replaces the
    /// files or directories `replaced`, visible only to the runs. This requires a [`helper`](Self::helper), a
    /// system that supports private mount namespaces, and [`Surroundings::is_in_place`]; the sandbox prevents
    /// the command from writing there.
    #[must_use]
    pub fn in_place(mut self, directory: PathBuf, paths: Vec<PathBuf>, replaced: Vec<PathBuf>) -> Self {
        self.in_place = Some((directory, paths));
        self.replaced = replaced;
        self.with_new_wardens()
    }

    /// Sets whether the program is a server. A server is started once for each probe that runs at a time, and
    /// reads questions about one candidate after another from its standard input. This requires a
    /// [`helper`](Self::helper).
    #[must_use]
    pub fn server(mut self, is_server: bool) -> Self {
        self.kind = if is_server { Kind::Server } else { Kind::Process };
        self.with_new_wardens()
    }

    /// Sets whether each process is started before its candidate is available. It runs until it calls
    /// `nubbin-wait`, and continues once its candidate is in place. A process that does not call it is ended,
    /// and another process is started with the candidate. This requires a [`helper`](Self::helper) and fresh
    /// directories.
    #[must_use]
    pub fn prestarted(mut self, is_prestarted: bool) -> Self {
        self.kind = if is_prestarted { Kind::Prestarted } else { Kind::Process };
        self.with_new_wardens()
    }

    /// If processes are [started early](Self::prestarted), starts one more and waits until it is ready for a
    /// candidate. Returns how it ended if it ended instead. A server that is asked about one candidate only
    /// is started without waiting.
    ///
    /// # Errors
    /// Returns an error if it cannot be started, or if the stop flag is set.
    pub fn get_ready(&self) -> Result<Option<Status>, Error> {
        self.start_ahead()
    }

    /// Sets the program and its arguments.
    #[must_use]
    pub fn words(mut self, program: impl Into<OsString>, arguments: Vec<OsString>) -> Self {
        self.program = program.into();
        self.arguments = arguments;
        self.with_new_wardens()
    }

    /// Asks each server about one candidate only, and starts another server for the next candidate.
    #[must_use]
    pub fn asked_once(mut self) -> Self {
        self.kind = Kind::ServerForOne;
        self.with_new_wardens()
    }

    /// Runs all later probes in fresh processes; servers are also restarted.
    pub fn restart(&self) {
        self.pool.forget();
    }

    /// Sets the permissions of the candidate, if it is a file.
    #[must_use]
    pub fn permissions(mut self, mode: Permissions) -> Self {
        self.mode = Some(mode);
        self
    }

    /// Sets the protocol that derives the verdict from the end of a process.
    #[must_use]
    pub fn protocol(mut self, protocol: Protocol) -> Self {
        self.protocol = protocol;
        self
    }

    /// Sets the reader of the command's messages.
    #[must_use]
    pub fn reader(mut self, reader: Reader) -> Self {
        self.reader = Arc::new(reader);
        self
    }

    /// Sets how a passing process ends, for a [`Matcher`](super::Matcher). Any other status that is not the
    /// failure is then unresolved.
    #[must_use]
    pub fn passing(mut self, status: Status) -> Self {
        if let Protocol::Match(matcher) = &mut self.protocol {
            matcher.passing = Some(status);
        }
        self
    }

    /// Sets the time limit of a process. By default it follows from the durations of earlier probes.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self.patience = Arc::default();
        self
    }

    /// Returns the time limit of the next process.
    #[must_use]
    pub fn time_limit(&self) -> Duration {
        self.current_limit()
    }

    /// Sets the time limit of all later processes, including those of clones of this oracle.
    pub fn lengthen(&self, limit: Duration) {
        self.patience.give(limit);
    }

    /// Sets the directory in which the directories of the probes are created. The default is the RAM disk or
    /// the system's temporary directory.
    #[must_use]
    pub fn work_root(mut self, path: impl Into<PathBuf>) -> Self {
        self.work_root = path.into();
        self.with_new_wardens()
    }

    /// Sets the program that runs the probes.
    #[must_use]
    pub fn helper(mut self, helper: Helper) -> Self {
        self.helper = Some(helper);
        self.with_new_wardens()
    }

    /// Sets the resources that a probe can use. This requires a [`helper`](Self::helper).
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        if self.limits == limits {
            return self;
        }
        self.limits = limits;
        self.with_new_wardens()
    }

    /// Sets the files and networks that a probe can access. This requires a [`helper`](Self::helper).
    #[must_use]
    pub fn confinement(mut self, confinement: Confinement) -> Self {
        self.confinement = confinement;
        self.with_new_wardens()
    }

    fn with_new_wardens(mut self) -> Self {
        self.pool = Arc::default();
        self
    }

    /// Sets the pause, which stops all probes while it is active.
    #[must_use]
    pub fn pause(mut self, pause: Arc<Pause>) -> Self {
        self.pause = pause;
        self
    }

    /// Sets the observer of finished runs.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Sets a listener that is called with the system's error each time the start of a process failed and is
    /// repeated. Starts are repeated for at most [`PATIENCE`](super::PATIENCE).
    #[must_use]
    pub fn on_shortage(mut self, listener: impl Fn(&std::io::Error) + Send + Sync + 'static) -> Self {
        self.shortage = OnShortage::new(listener);
        self
    }

    /// Returns whether the sandbox protects files outside the probe's directory; `None` before the first run.
    #[must_use]
    pub fn is_sandboxed(&self) -> Option<bool> {
        let wanted = self.helper.is_some() && self.confinement.sandbox != Sandbox::Off;
        if wanted { self.pool.protection().map(|found| found.keeps_files()) } else { Some(false) }
    }

    /// Sets a flag that ends the running probe and all later ones with [`Error::Interrupted`].
    #[must_use]
    pub fn stop(mut self, stop: Arc<AtomicBool>) -> Self {
        self.stop = stop;
        self
    }

    /// Returns the verdict on a run of another oracle with the same command.
    #[must_use]
    pub fn judge(&self, run: &CommandRun) -> Verdict {
        self.protocol.judge(run.status, &self.reader, &run.stdout, &run.stderr)
    }

    /// Runs the command once on `candidate`. A run that exceeds the time limit is not repeated.
    ///
    /// # Errors
    /// Returns an error if the command cannot be run, the directory of the probe cannot be created, or the
    /// stop flag is set.
    pub fn run(&self, candidate: &[u8]) -> Result<CommandRun, Error> {
        let unwanted = || self.stop.load(Ordering::Relaxed);
        let _turn = self.gate.enter(unwanted)?;
        self.run_once(candidate, &unwanted, TAIL)
    }

    /// Runs the command once, as [`run`](Self::run) does, and records which files it opens. With `in_place`
    /// the command runs in that directory, with these paths for `{}` regardless of the candidate, and can
    /// write there in spite of the sandbox. If the paths are empty, `{}` is still the candidate.
    ///
    /// # Errors
    /// Returns the same errors as [`run`](Self::run), and [`Error::Confinement`] if this kernel cannot report
    /// which files a run opens; nothing is run in this case.
    pub fn run_traced(
        &self,
        candidate: &[u8],
        tracing: Tracing,
        in_place: Option<(PathBuf, Vec<PathBuf>)>,
    ) -> Result<(CommandRun, Trace), Error> {
        let mut traced = self.clone().with_new_wardens();
        traced.tracing = Some(tracing);
        if let Some((directory, paths)) = in_place {
            traced.in_place = Some((directory, paths));
        }
        let run = traced.run(candidate)?;
        if let Some(protection) = traced.pool.protection() {
            self.pool.knows(protection);
        }
        Ok((run, traced.pool.trace().unwrap_or_default()))
    }

    /// Returns the path, relative to the candidate, of a file that a [traced](Self::run_traced) run opened;
    /// `None` if the file does not belong to the candidate.
    #[must_use]
    pub fn of_candidate(&self, opened: &Path) -> Option<PathBuf> {
        let within = work_directory::within(opened)?;
        let inside = within.strip_prefix(&self.surroundings.candidate).ok()?;
        match self.shape {
            Shape::Tree { .. } => Some(inside.to_owned()),
            Shape::Folder => inside.strip_prefix(&self.name).ok().map(Path::to_owned),
            Shape::File | Shape::Files(_) => None,
        }
    }

    /// Returns the directory in which the directories of the probes are created.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.work_root
    }

    /// Creates a directory next to those of the probes. Probes can read it; they can write to it if the
    /// [confinement](Self::confinement) allows it.
    ///
    /// # Errors
    /// Returns an error if it cannot be created.
    pub fn lasting_directory(&self) -> Result<LastingDirectory, Error> {
        let made = self.work_root.canonicalize().and_then(|place| Root::make(Paths::plan(&place)));
        made.map(LastingDirectory).map_err(Error::directory(&self.work_root))
    }

    /// Runs the command once for its output, regardless of the verdict on `candidate`. The last `most` bytes
    /// of each output stream are kept.
    ///
    /// # Errors
    /// Returns the same errors as [`run`](Self::run).
    pub fn answer(&self, candidate: &[u8], most: u64) -> Result<CommandRun, Error> {
        self.run_once(candidate, &|| self.stop.load(Ordering::Relaxed), most.max(TAIL + 1))
    }
}
