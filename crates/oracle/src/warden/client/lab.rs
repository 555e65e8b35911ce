//! The client of one warden: starts it, prepares the directories of its probes, sends orders, and ends it.

use super::log::Log;
use super::{Broken, Place};
use crate::Error;
use crate::limits::Protection;
use crate::pause::{Pause, Running};
use crate::wait;
use crate::warden::message::{self, Answer, Ending, Order, Ready, Setup};
use crate::warden::{Helper, WORD};
use crate::work_directory::{Paths, Root, WorkDirectory};
use nubbin_archive::disk::{Directory, Kept};
use rustix::process::{Pid, Signal};
use std::fs::{self, File};
use std::io;
use std::iter;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Tuned constants.
struct Tuning {
    /// The time between two checks of the conditions that can end a probe early.
    tick: Duration,
    /// How long a released warden can take to remove its directory.
    farewell: Duration,
    /// A warden that is alive answers within this time after the limit of the probe; killed processes can
    /// take some seconds to disappear.
    answer: Duration,
    /// A wait that ends this much later than expected is not counted: this process or the machine was
    /// suspended.
    standstill: Duration,
}

const TUNING: Tuning = Tuning {
    tick: Duration::from_millis(5),
    farewell: Duration::from_secs(10),
    answer: Duration::from_secs(8),
    standstill: Duration::from_secs(1),
};

/// A warden, idle or busy.
#[derive(Debug)]
pub(super) struct Warden {
    process: Child,
    socket: UnixStream,
    root: Root,
    /// The files that receive the standard output and standard error of a probe.
    pub outputs: [File; 2],
    /// The records about the files that the last probe opened, if they were requested.
    pub notes: Option<File>,
    /// The log files that the test appends to.
    logs: Vec<Log>,
    /// The directory and the files that the last probe left for the next one.
    kept: Option<(Directory, Kept)>,
    /// The state of the process that was started early for the next candidate.
    pub stage: Stage,
}

/// The state of a process that was started early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// There is no such process, and its directories do not exist.
    None,
    /// It is starting.
    Starts,
    /// It is ready for its candidate.
    Waits,
    /// It did not become ready.
    Failed,
}

/// Describes the failure of a warden that gave no answer.
fn ended(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::UnexpectedEof {
        io::Error::new(error.kind(), "it exited without an answer")
    } else {
        error
    }
}

impl Warden {
    pub fn start(
        helper: &Helper,
        setup: &Setup,
        paths: Paths,
        work_root: &Path,
    ) -> Result<(Self, Protection), Error> {
        let (socket, its) = UnixStream::pair().map_err(Error::Warden)?;
        let mut command = Command::new(&helper.program);
        if let Some(paths_of_programs) = std::env::var_os("PATH") {
            let word = iter::once(paths.waits());
            let all = std::env::join_paths(std::env::split_paths(&paths_of_programs).chain(word));
            command.env("PATH", all.unwrap_or(paths_of_programs));
        }
        if setup.is_prestarted {
            command.env(wait::VARIABLE, paths.waits().join(wait::WORD));
        } else {
            // The variable can come from the warden of an outer run.
            command.env_remove(wait::VARIABLE);
        }
        if setup.has_home {
            command.env("HOME", paths.home()).env("XDG_CACHE_HOME", paths.cache());
        }
        let process = command
            .arg0(Helper::name())
            .arg(WORD)
            .current_dir("/")
            .env("PWD", &setup.directory)
            .env("TMPDIR", paths.tmp())
            .stdin(OwnedFd::from(its))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(Error::Warden)?;
        let mut fresh = Fresh { process: Some(process) };
        // The command holds the other end of the socket; the death of the warden would go unnoticed while it
        // is open.
        drop(command);
        message::send_text(&socket, setup).map_err(Error::Warden)?;
        let protection = match message::receive_text(&socket).map_err(|error| Error::Warden(ended(error)))? {
            Ready::Yes(protection) => protection,
            Ready::NoProcess(error) => return Err(Error::Warden(io::Error::from_raw_os_error(error))),
            Ready::NoConfinement(reason) => return Err(Error::Confinement(reason)),
            Ready::NoDirectory(error) => {
                return Err(Error::directory(work_root)(io::Error::from_raw_os_error(error)));
            }
        };
        // An answer arrives in one piece, so reading it never blocks halfway.
        socket.set_read_timeout(Some(TUNING.tick)).map_err(Error::Warden)?;
        // No probe has run yet, so everything that is opened here was created by the warden.
        let in_root = || Error::directory(work_root);
        let root = Root::open(paths).map_err(in_root())?;
        let outputs = root.outputs().map_err(in_root())?;
        let notes = setup.tracing.is_some().then(|| root.trace()).transpose().map_err(in_root())?;
        let logs = setup.confinement.logs.iter().enumerate().filter(|_| protection.view);
        let logs = logs.filter_map(|(number, path)| Log::open(path, &root, number).transpose());
        let logs = logs.collect::<io::Result<_>>().map_err(in_root())?;
        let process = fresh.process.take().expect("it has just been started");
        let stage = Stage::None;
        Ok((Self { process, socket, root, outputs, notes, logs, kept: None, stage }, protection))
    }

    pub fn probe(
        &mut self,
        place: &Place<'_>,
        is_unwanted: impl Fn() -> bool,
        pause: &Pause,
    ) -> Result<Answer, Broken> {
        let of_logs = |error| Broken::Other(Error::directory(place.work_root)(error));
        self.exchange_logs().map_err(of_logs)?;
        let answer = self.probe_in(place, is_unwanted, pause);
        self.logs.iter_mut().try_for_each(Log::pass_on).map_err(of_logs)?;
        answer
    }

    /// Passes on additions to the copies of the log files, and updates the copies. A process or server that
    /// was started early can have written to them.
    fn exchange_logs(&mut self) -> io::Result<()> {
        self.logs.iter_mut().try_for_each(|log| log.pass_on().and_then(|()| log.refresh()))
    }

    fn probe_in(
        &mut self,
        place: &Place<'_>,
        is_unwanted: impl Fn() -> bool,
        pause: &Pause,
    ) -> Result<Answer, Broken> {
        if place.is_kept {
            return self.probe_again(place, is_unwanted, pause);
        }
        let answer = self.probe_afresh(place, is_unwanted, pause);
        if !matches!(answer, Ok(Answer { ending: Ending::Exit(_) | Ending::Told(_), .. })) {
            // The probe can have left a partial file.
            self.root.forget_cache();
        }
        answer
    }

    /// Runs a probe in fresh directories, or in those of the process that is ready for it.
    fn probe_afresh(
        &mut self,
        place: &Place<'_>,
        is_unwanted: impl Fn() -> bool,
        pause: &Pause,
    ) -> Result<Answer, Broken> {
        match std::mem::replace(&mut self.stage, Stage::None) {
            Stage::None => {}
            Stage::Waits => {
                if let Ok(lab) = self.root.fill_prepared(place.content) {
                    let answer = self.ask(place.limit, &is_unwanted, pause);
                    drop(lab);
                    if !matches!(answer, Ok(Answer { ending: Ending::Gone, .. })) {
                        return answer;
                    }
                } else {
                    // Files that the process created there are in the way of the candidate.
                    Order::Stop.send(&self.socket).map_err(Broken::Dead)?;
                }
                self.root.tidy(false);
            }
            Stage::Starts | Stage::Failed => self.root.tidy(false),
        }
        let lab = self.place(place)?;
        let answer = self.ask(place.limit, is_unwanted, pause);
        drop(lab);
        answer
    }

    /// Starts a process in advance for a later candidate. If this fails, the next probe starts one.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn begin(&mut self, place: &Place<'_>) -> io::Result<()> {
        self.root.prepare(place.content.surroundings)?;
        self.exchange_logs()?;
        self.stage = Stage::Failed;
        Order::Begin(place.limit).send(&self.socket)?;
        self.stage = Stage::Starts;
        Ok(())
    }

    /// Starts a server in advance for a later candidate.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn begin_server(&mut self, limit: Duration) -> io::Result<()> {
        self.exchange_logs()?;
        Order::Begin(limit).send(&self.socket)
    }

    /// Waits until the process is ready for its candidate, or has ended or failed.
    pub fn ready(
        &mut self,
        limit: Duration,
        is_unwanted: impl Fn() -> bool,
        pause: &Pause,
    ) -> Result<Ending, Broken> {
        let mut running = pause.run();
        let mut time = Countdown::new(limit);
        loop {
            match Answer::receive(&self.socket) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                told => {
                    let ending = told.map_err(|error| Broken::Dead(ended(error)))?.ending;
                    self.heard(ending);
                    return Ok(ending);
                }
            }
            if is_unwanted() {
                return Err(Broken::Other(Error::Interrupted));
            }
            time.goes_on(running.is_held())?;
            self.pass_on(&mut running)?;
        }
    }

    /// Checks without blocking whether the process has become ready; `Some(false)` if it has failed.
    pub fn listen(&mut self) -> Option<bool> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let mut news = [PollFd::new(&self.socket, PollFlags::IN)];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        if self.stage != Stage::Starts || !matches!(poll(&mut news, Some(&now)), Ok(1..)) {
            return None;
        }
        // If the warden has died, the next order will report it.
        self.heard(Answer::receive(&self.socket).ok()?.ending);
        Some(self.stage == Stage::Waits)
    }

    fn heard(&mut self, ending: Ending) {
        self.stage = if ending == Ending::Waits { Stage::Waits } else { Stage::Failed };
    }

    /// Runs a probe in the directory of the previous one. A probe that was killed can have left a partial
    /// file, so the next one starts with an empty directory.
    fn probe_again(
        &mut self,
        place: &Place<'_>,
        is_unwanted: impl Fn() -> bool,
        pause: &Pause,
    ) -> Result<Answer, Broken> {
        let mut kept = self.kept.take();
        let lab = self
            .root
            .begin_again(place.content.candidate, &mut kept)
            .map_err(|error| self.broken(place, error))?;
        let answer = self.ask(place.limit, is_unwanted, pause);
        drop(lab);
        if matches!(answer, Ok(Answer { ending: Ending::Exit(_) | Ending::Told(_), .. })) {
            self.kept = kept;
        }
        answer
    }

    /// Creates the directories of the probe. If the directory of the warden is missing, the warden has ended
    /// or is about to end.
    fn place(&self, place: &Place<'_>) -> Result<WorkDirectory<'_>, Broken> {
        let lab = self.root.begin(place.content);
        lab.map_err(|error| self.broken(place, error))
    }

    fn broken(&self, place: &Place<'_>, error: io::Error) -> Broken {
        // A warden that ends removes its files one after another.
        let is_leaving = error.kind() == io::ErrorKind::NotFound;
        if !is_leaving && self.root.paths().path().is_dir() {
            Broken::Other(Error::directory(place.work_root)(error))
        } else {
            Broken::Dead(error)
        }
    }

    fn ask(&self, limit: Duration, is_unwanted: impl Fn() -> bool, pause: &Pause) -> Result<Answer, Broken> {
        let mut running = pause.run();
        let mut stopped = false;
        let order = |order: Order| order.send(&self.socket).map_err(Broken::Dead);
        while running.changes().is_some() || running.is_held() {
            if is_unwanted() {
                return Err(Broken::Other(Error::Interrupted));
            }
            thread::sleep(TUNING.tick);
        }
        order(Order::Go(limit))?;
        let mut time = Countdown::new(limit);
        loop {
            match Answer::receive(&self.socket) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                told => return told.map_err(|error| Broken::Dead(ended(error))),
            }
            time.goes_on(running.is_held())?;
            if !stopped && is_unwanted() {
                stopped = true;
                time.left = time.left.min(TUNING.answer);
                order(Order::Stop)?;
            }
            self.pass_on(&mut running)?;
        }
    }

    /// Stops or resumes the processes of the warden if the pause has changed.
    fn pass_on(&self, running: &mut Running<'_>) -> Result<(), Broken> {
        let order = match running.changes() {
            Some(true) => Order::Hold,
            Some(false) => Order::Continue,
            None => return Ok(()),
        };
        order.send(&self.socket).map_err(Broken::Dead)
    }

    /// Signals to the warden that no more orders follow.
    pub fn let_go(&self) {
        let _ = self.socket.shutdown(std::net::Shutdown::Both);
    }

    /// Waits until the warden has ended, and kills it if that takes too long.
    fn wait(&mut self) {
        let (start, mut pause) = (Instant::now(), Duration::from_micros(100));
        while let Ok(None) = self.process.try_wait() {
            if start.elapsed() > TUNING.farewell {
                let _ = self.process.kill();
                let _ = self.process.wait();
                return;
            }
            thread::sleep(pause);
            pause = (pause * 2).min(TUNING.tick);
        }
    }
}

impl Drop for Warden {
    /// Releases the warden, and waits until it has cleaned up.
    fn drop(&mut self) {
        self.let_go();
        // The warden can have been stopped by a signal.
        let _ = rustix::process::kill_process(Pid::from_child(&self.process), Signal::CONT);
        self.wait();
        // A killed warden leaves files.
        if self.root.is_there() {
            hunt(self.root.paths().tmp());
            self.root.remove();
        }
    }
}

/// The remaining time for an answer.
struct Countdown {
    left: Duration,
    last: Instant,
}

impl Countdown {
    fn new(limit: Duration) -> Self {
        Self { left: limit.saturating_add(TUNING.answer), last: Instant::now() }
    }

    /// Subtracts the time since the last call, unless the probes are paused. Returns an error if no time
    /// remains: the warden was stopped or is blocked.
    fn goes_on(&mut self, is_held: bool) -> Result<(), Broken> {
        let passed = self.last.elapsed();
        self.last = Instant::now();
        if !is_held && passed < TUNING.standstill {
            self.left = self.left.saturating_sub(passed);
        }
        if self.left.is_zero() { Err(Broken::Dead(io::ErrorKind::TimedOut.into())) } else { Ok(()) }
    }
}

/// A new warden, which is killed if its setup fails.
struct Fresh {
    process: Option<Child>,
}

impl Drop for Fresh {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// Kills every process with `tmp` as its directory for temporary files: the leftovers of a dead warden.
pub(super) fn hunt(tmp: &Path) {
    let mark = [b"TMPDIR=", tmp.as_os_str().as_bytes()].concat();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let process = entry.file_name().to_str().and_then(|name| name.parse().ok()).and_then(Pid::from_raw);
        let Some(process) = process else { continue };
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        if environment.split(|&byte| byte == 0).any(|variable| variable == mark) {
            let _ = rustix::process::kill_process(process, Signal::KILL);
        }
    }
}
