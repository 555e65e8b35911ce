//! The oracle that is a command: one process for each candidate, in a fresh directory.
//!
//! Between two probes it remembers only how long they took, and which ones took too long: verdicts are cached by the
//! schedule.

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

/// A [`CommandRun`] keeps at least this many bytes of each output stream, at its beginning and at its end.
pub const TAIL: u64 = crate::excerpt::PART as u64;
/// A matcher sees at most this many bytes of each output stream, its end.
pub const MATCHED: u64 = 8 << 20;
/// The time between two looks at the conditions that may end a probe early.
const TICK: Duration = Duration::from_millis(5);

/// Runs a command for each candidate.
///
/// The candidate is the only file in the current directory, under the name that was given; its absolute path replaces `{}` in the
/// arguments. Standard input is empty, and `TMPDIR` is a directory of the probe's own.
/// The process leads a group of its own: at the time limit, or when the stop flag is set, the group gets SIGTERM, and SIGKILL
/// 200 ms later; what is left of the group when the command has ended is killed as well.
///
/// With a [`helper`](Self::helper), probes are run by [wardens](super::warden): then there are limits and a sandbox, daemons that
/// left the group are ended, too, and nothing is left when this program is killed. Without one, this program runs them itself.
///
/// If no [`limit`](Self::limit) is set, the first run has 60 seconds, and the others ten times as long as the longest
/// of late, and at least 5 seconds. A [`probe`](super::Oracle::probe) that runs into its limit beside others is run once more
/// while no other one runs, and only the result of that counts. A candidate that was late twice is not run again before
/// the limit is a longer one.
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
    /// The directory where the command runs, and the paths of its input there.
    in_place: Option<(PathBuf, Vec<PathBuf>)>,
    /// The files that the candidate stands in place of.
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
    /// Shared by all clones, until one of them is told something that wardens are told when they start.
    pool: Arc<Pool>,
}

/// The kinds of processes, by the candidates that they have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// It is started for a candidate.
    Process,
    /// It is started before there is a candidate for it.
    Prestarted,
    /// It is a server, which is asked about one candidate after the other.
    Server,
    /// It is a server that is asked about one candidate only.
    ServerForOne,
}

impl Kind {
    fn is_server(self) -> bool {
        matches!(self, Self::Server | Self::ServerForOne)
    }
}

/// A directory that stays from one probe to the next. It is removed with all that is in it when this is dropped, or by a
/// later run if this program is killed.
#[derive(Debug)]
pub struct LastingDirectory(Root);

impl LastingDirectory {
    /// Returns its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.paths().path()
    }
}

/// The result of one run of the command.
#[derive(Clone, Debug)]
pub struct CommandRun {
    /// The verdict that the protocol reads from the run.
    pub verdict: Verdict,
    /// The way in which the process ended.
    pub status: Status,
    /// Its standard output; of a long one, the first and the last [`TAIL`] bytes, and the lines in between that may be about a
    /// failure.
    pub stdout: Vec<u8>,
    /// Its standard error, likewise.
    pub stderr: Vec<u8>,
    /// The time for which it ran.
    pub elapsed: Duration,
    /// It is a server, and ended without an answer, or gave one that makes no sense; and so did a fresh one.
    pub is_lost: bool,
}

impl CommandOracle {
    /// An oracle that runs `program` with `arguments` on candidates that are called `name`.
    ///
    /// A program without a slash is looked for in `PATH`; a relative path with one would be looked for in the probe's directory.
    /// Only the last component of `name` counts.
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

    /// Sets whether the candidate's path becomes the last argument where no argument holds `{}`.
    #[must_use]
    pub fn append_path(mut self, append: bool) -> Self {
        self.append_path = append;
        self.with_new_wardens()
    }

    /// Tells whether the candidate's path is added to the words as they are.
    #[must_use]
    pub fn appends_path(&self) -> bool {
        let several = matches!(&self.shape, Shape::Files(names) if names.len() > 1);
        let mut words = [&self.program].into_iter().chain(&self.arguments);
        self.append_path && !self.surroundings.is_found && !words.any(|word| holds_placeholder(word, several))
    }

    /// Sets the shape that the candidate has on disk; a file if nothing is said.
    #[must_use]
    pub fn shape(mut self, shape: Shape) -> Self {
        self.shape = shape;
        self.with_new_wardens()
    }

    /// Sets the files that a probe's directory holds beside the candidate, and where both stand in it; this is for
    /// probes by a [`helper`](Self::helper) in fresh directories.
    #[must_use]
    pub fn surroundings(mut self, surroundings: Surroundings) -> Self {
        self.surroundings = Arc::new(surroundings);
        self.with_new_wardens()
    }

    /// Has the command run in a directory of the user's, with these paths for `{}`, where the candidate stands in place of the
    /// files or directories `replaced`, for the runs alone. That takes a [`helper`](Self::helper), and a system that lets this
    /// user have a view of the files of their own, and [`Surroundings::is_in_place`]; the sandbox does not let the command write
    /// there.
    #[must_use]
    pub fn in_place(mut self, directory: PathBuf, paths: Vec<PathBuf>, replaced: Vec<PathBuf>) -> Self {
        self.in_place = Some((directory, paths));
        self.replaced = replaced;
        self.with_new_wardens()
    }

    /// Sets whether the program is a server: then it is started once for each probe that runs at a time, and asked about
    /// one candidate after the other by lines on its standard input. That takes a [`helper`](Self::helper).
    #[must_use]
    pub fn server(mut self, is_server: bool) -> Self {
        self.kind = if is_server { Kind::Server } else { Kind::Process };
        self.with_new_wardens()
    }

    /// Sets whether each process is started before its candidate is there: it runs until it says `nubbin-wait`, and goes on
    /// once it has a candidate. One that never says so is ended, and another one started with the candidate in place. That
    /// takes a [`helper`](Self::helper), and fresh directories.
    #[must_use]
    pub fn prestarted(mut self, is_prestarted: bool) -> Self {
        self.kind = if is_prestarted { Kind::Prestarted } else { Kind::Process };
        self.with_new_wardens()
    }

    /// Starts one process more that waits for a candidate, if processes are [started ahead](Self::prestarted), and waits until
    /// it does. Returns what became of it otherwise. A server that is asked about one candidate only is started, and not
    /// waited for.
    ///
    /// # Errors
    /// Returns an error if it cannot be started, or the stop flag is set.
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

    /// Asks a server about one candidate only, and starts another one for the next.
    #[must_use]
    pub fn asked_once(mut self) -> Self {
        self.kind = Kind::ServerForOne;
        self.with_new_wardens()
    }

    /// Has everything that is asked from now on run by fresh processes, servers too.
    pub fn restart(&self) {
        self.pool.forget();
    }

    /// The permissions that the candidate gets, where it is a file.
    #[must_use]
    pub fn permissions(mut self, mode: Permissions) -> Self {
        self.mode = Some(mode);
        self
    }

    /// Sets the protocol that turns the end of a process into a verdict.
    #[must_use]
    pub fn protocol(mut self, protocol: Protocol) -> Self {
        self.protocol = protocol;
        self
    }

    /// Sets what reads the messages of the command.
    #[must_use]
    pub fn reader(mut self, reader: Reader) -> Self {
        self.reader = Arc::new(reader);
        self
    }

    /// Sets the status of a process that passes, for a [`Matcher`](super::Matcher); any other status that is not the
    /// failure is unresolved.
    #[must_use]
    pub fn passing(mut self, status: Status) -> Self {
        if let Protocol::Match(matcher) = &mut self.protocol {
            matcher.passing = Some(status);
        }
        self
    }

    /// Sets how long a process may run. If nothing is set, the limit follows from how long probes take.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = Some(limit);
        self.patience = Arc::default();
        self
    }

    /// Returns how long the next process may run.
    #[must_use]
    pub fn time_limit(&self) -> Duration {
        self.current_limit()
    }

    /// Lets processes run this long from now on, those of all clones of this oracle included.
    pub fn lengthen(&self, limit: Duration) {
        self.patience.give(limit);
    }

    /// Sets the directory in which the directories of the probes are made: the RAM disk or the system's temporary
    /// directory if nothing is set.
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

    /// Sets the resources that a probe may use; that takes a [`helper`](Self::helper).
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        if self.limits == limits {
            return self;
        }
        self.limits = limits;
        self.with_new_wardens()
    }

    /// Sets the files and networks that a probe may reach; that takes a [`helper`](Self::helper).
    #[must_use]
    pub fn confinement(mut self, confinement: Confinement) -> Self {
        self.confinement = confinement;
        self.with_new_wardens()
    }

    fn with_new_wardens(mut self) -> Self {
        self.pool = Arc::default();
        self
    }

    /// Has all probes stand still whenever the pause is on.
    #[must_use]
    pub fn pause(mut self, pause: Arc<Pause>) -> Self {
        self.pause = pause;
        self
    }

    /// Sets the observer that sees each run that has finished.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = Some(observer);
        self
    }

    /// Calls this with the system's error each time that no process could be started and the start is repeated. It is
    /// repeated for at most [`PATIENCE`](super::PATIENCE).
    #[must_use]
    pub fn on_shortage(mut self, listener: impl Fn(&std::io::Error) + Send + Sync + 'static) -> Self {
        self.shortage = OnShortage::new(listener);
        self
    }

    /// Tells whether the processes are kept from writing elsewhere: known once one has been run.
    #[must_use]
    pub fn is_sandboxed(&self) -> Option<bool> {
        let wanted = self.helper.is_some() && self.confinement.sandbox != Sandbox::Off;
        if wanted { self.pool.protection().map(|found| found.keeps_files()) } else { Some(false) }
    }

    /// Ends the running probe, and all later ones, with [`Error::Interrupted`] once the flag is set.
    #[must_use]
    pub fn stop(mut self, stop: Arc<AtomicBool>) -> Self {
        self.stop = stop;
        self
    }

    /// Judges a run of another oracle that runs the same command as if it were this one's.
    #[must_use]
    pub fn judge(&self, run: &CommandRun) -> Verdict {
        self.protocol.judge(run.status, &self.reader, &run.stdout, &run.stderr)
    }

    /// Runs the command once on `candidate`. That it runs into the time limit counts at once.
    ///
    /// # Errors
    /// Returns an error if the command cannot be run, the probe's directory cannot be made, or the stop flag is set.
    pub fn run(&self, candidate: &[u8]) -> Result<CommandRun, Error> {
        let unwanted = || self.stop.load(Ordering::Relaxed);
        let _turn = self.gate.enter(unwanted)?;
        self.run_once(candidate, &unwanted, TAIL)
    }

    /// Runs the command once as [`run`](Self::run) does, and notes which files it opens. With `in_place` it runs in that
    /// directory, with these paths for `{}`, whatever the candidate is, and the sandbox lets it write there. Without paths
    /// `{}` is still the candidate.
    ///
    /// # Errors
    /// Returns the same errors as [`run`](Self::run), and [`Error::Confinement`] if this kernel cannot tell what a run
    /// opens: nothing is run then.
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

    /// The path of a candidate's file in the candidate, where a [traced](Self::run_traced) run has opened it; `None` for all
    /// other paths.
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

    /// The directory that the probes' directories are in.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.work_root
    }

    /// Makes a directory beside those of the probes. Probes can read it, and write in it if the
    /// [confinement](Self::confinement) says so.
    ///
    /// # Errors
    /// Returns an error if it cannot be made.
    pub fn lasting_directory(&self) -> Result<LastingDirectory, Error> {
        let made = self.work_root.canonicalize().and_then(|place| Root::make(Paths::plan(&place)));
        made.map(LastingDirectory).map_err(Error::directory(&self.work_root))
    }

    /// Runs the command once, not to judge `candidate` but for what it writes: of each output stream the end is kept, at
    /// most so many bytes.
    ///
    /// # Errors
    /// Returns the same errors as [`run`](Self::run).
    pub fn answer(&self, candidate: &[u8], most: u64) -> Result<CommandRun, Error> {
        self.run_once(candidate, &|| self.stop.load(Ordering::Relaxed), most.max(TAIL + 1))
    }
}
