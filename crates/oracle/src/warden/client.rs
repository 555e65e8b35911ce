//! Nubbin's side of the wardens: they are started when they are needed, used again and again, and let go of.
//!
//! It judges nothing: what a probe came to is told as the warden told it.

use super::message::{self, Answer, Ending, Order, Ready, Setup};
use super::{Helper, WORD};
use crate::Error;
use crate::limits::Protection;
use crate::patience::lock;
use crate::pause::Pause;
use crate::trace::Trace;
use crate::work_directory::{self, Content, Paths, Root, WorkDirectory};
use nubbin_archive::disk::{Directory, Kept};
use rustix::process::{Pid, Signal};
use std::fs::{self, File};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

/// The numbers that were tuned.
struct Tuning {
    /// The time between two looks at the conditions that may end a probe early.
    tick: Duration,
    /// A warden that is no longer needed may take this long to remove its directory.
    farewell: Duration,
    /// At most this many new wardens are tried for one probe: a system that is out of memory may have chosen one to end.
    /// Those that died while they had nothing to do do not count.
    wardens_for_a_probe: usize,
    /// A warden that is alive answers within this time after the probe's own: killed processes may take some seconds to
    /// go away.
    answer: Duration,
    /// A wait that ends this much later than it should is not counted: this process or the machine stood still.
    standstill: Duration,
}

const TUNING: Tuning = Tuning {
    tick: Duration::from_millis(5),
    farewell: Duration::from_secs(10),
    wardens_for_a_probe: 2,
    answer: Duration::from_secs(8),
    standstill: Duration::from_secs(1),
};

/// Wardens that were told the same, for one probe at a time each.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    free: Mutex<Vec<Warden>>,
    /// The number of times that all wardens were let go.
    generation: AtomicUsize,
    protection: OnceLock<Protection>,
}

/// The input of a probe, and the place in which it runs.
pub(crate) struct Place<'p> {
    pub content: Content<'p>,
    pub is_kept: bool,
    pub work_root: &'p Path,
    pub limit: Duration,
}

/// The reason why a warden gave no answer.
enum Broken {
    /// It is dead.
    Dead(io::Error),
    /// It can do nothing for it.
    Other(Error),
}

impl Pool {
    /// The protection that the first warden found; `None` where none has been started yet.
    pub fn protection(&self) -> Option<Protection> {
        self.protection.get().copied()
    }

    /// Takes over which protection other wardens found.
    pub fn knows(&self, protection: Protection) {
        let _ = self.protection.set(protection);
    }

    /// Lets all wardens go, those at work once they are free: the next probe starts another one.
    pub fn forget(&self) {
        self.generation.fetch_add(1, Ordering::Relaxed);
        let free = std::mem::take(&mut *lock(&self.free));
        drop(free);
    }

    /// Returns the notes about the files that the last probe opened, if they were asked for.
    pub fn trace(&self) -> Option<Trace> {
        let free = lock(&self.free);
        let notes = free.last()?.notes.as_ref()?;
        let length = notes.metadata().ok()?.len();
        serde_json::from_slice(&work_directory::tail(notes, length, length).ok()?).ok()
    }

    /// Runs a probe, and hands the answer with the outputs to `read`.
    ///
    /// # Errors
    /// Returns an error if no warden can run it.
    pub fn probe<T>(
        &self,
        start: impl Fn(&Paths) -> (Helper, Setup),
        place: &Place<'_>,
        is_unwanted: impl Fn() -> bool,
        pause: &Pause,
        read: impl Fn(Answer, [&File; 2]) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut started = 0;
        let generation = self.generation.load(Ordering::Relaxed);
        loop {
            let free = lock(&self.free).pop();
            let mut warden = if let Some(warden) = free {
                warden
            } else {
                started += 1;
                self.start(&start, place.work_root)?
            };
            let mut told = warden.probe(place, &is_unwanted, pause);
            if matches!(&told, Ok(answer) if answer.ending.is_lost()) {
                // It is asked again with a fresh server: the last one may have been worn out.
                told = warden.probe(place, &is_unwanted, pause);
            }
            match told {
                Ok(answer) => {
                    let told = read(answer, [&warden.outputs[0], &warden.outputs[1]]);
                    if self.generation.load(Ordering::Relaxed) == generation {
                        lock(&self.free).push(warden);
                    }
                    return told;
                }
                Err(Broken::Other(error)) => return Err(error),
                Err(Broken::Dead(error)) => {
                    drop(warden);
                    if started >= TUNING.wardens_for_a_probe {
                        return Err(Error::Warden(error));
                    }
                }
            }
        }
    }

    fn start(&self, start: impl Fn(&Paths) -> (Helper, Setup), work_root: &Path) -> Result<Warden, Error> {
        let place = work_root.canonicalize().map_err(Error::directory(work_root))?;
        if self.protection.get().is_none() {
            // It is the first one: what was left there in earlier days is found before there is more.
            for lost in work_directory::abandoned(&place) {
                hunt(lost.paths().tmp());
            }
        }
        let paths = Paths::plan(&place);
        let (helper, setup) = start(&paths);
        let (warden, protection) = Warden::start(&helper, &setup, paths, work_root)?;
        let _ = self.protection.set(protection);
        Ok(warden)
    }
}

impl Drop for Pool {
    /// Tells all of them before it waits for each.
    fn drop(&mut self) {
        for warden in lock(&self.free).iter() {
            warden.let_go();
        }
    }
}

/// A warden, free or at work.
#[derive(Debug)]
struct Warden {
    process: Child,
    socket: UnixStream,
    root: Root,
    outputs: [File; 2],
    /// The notes about the files that the last probe opened, if they were asked for.
    notes: Option<File>,
    /// The directory and the files that the last probe has left for the next one.
    kept: Option<(Directory, Kept)>,
}

impl Warden {
    fn start(
        helper: &Helper,
        setup: &Setup,
        paths: Paths,
        work_root: &Path,
    ) -> Result<(Self, Protection), Error> {
        let (socket, its) = UnixStream::pair().map_err(Error::Warden)?;
        let mut command = Command::new(&helper.program);
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
        // It holds the other end, too: as long as it does, the warden's death would go unnoticed.
        drop(command);
        message::send_text(&socket, setup).map_err(Error::Warden)?;
        let protection = match message::receive_text(&socket).map_err(Error::Warden)? {
            Ready::Yes(protection) => protection,
            Ready::NoConfinement(reason) => return Err(Error::Confinement(reason)),
            Ready::NoDirectory(error) => {
                return Err(Error::directory(work_root)(io::Error::from_raw_os_error(error)));
            }
        };
        // An answer comes in one piece, so there is no wait within one.
        socket.set_read_timeout(Some(TUNING.tick)).map_err(Error::Warden)?;
        // No probe has run yet: what is opened here is what the warden has made.
        let in_root = || Error::directory(work_root);
        let root = Root::open(paths).map_err(in_root())?;
        let outputs = root.outputs().map_err(in_root())?;
        let notes = setup.tracing.is_some().then(|| root.trace()).transpose().map_err(in_root())?;
        let process = fresh.process.take().expect("it has just been started");
        Ok((Self { process, socket, root, outputs, notes, kept: None }, protection))
    }

    fn probe(
        &mut self,
        place: &Place<'_>,
        is_unwanted: impl Fn() -> bool,
        pause: &Pause,
    ) -> Result<Answer, Broken> {
        if place.is_kept {
            return self.probe_again(place, is_unwanted, pause);
        }
        let lab = self.place(place)?;
        let answer = self.ask(place.limit, is_unwanted, pause);
        drop(lab);
        if !matches!(answer, Ok(Answer { ending: Ending::Exit(_) | Ending::Told(_), .. })) {
            // It may have left half a file.
            self.root.forget_cache();
        }
        answer
    }

    /// Runs a probe in the directory of the last one. What was ended halfway may have left half a file, so the next
    /// probe begins anew then.
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

    /// Makes the probe's directories. Where the warden's own is gone, so is the warden, or it soon will be.
    fn place(&self, place: &Place<'_>) -> Result<WorkDirectory<'_>, Broken> {
        let lab = self.root.begin(place.content);
        lab.map_err(|error| self.broken(place, error))
    }

    fn broken(&self, place: &Place<'_>, error: io::Error) -> Broken {
        if self.root.paths().path().is_dir() {
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
        let mut left = limit.saturating_add(TUNING.answer);
        let mut last = Instant::now();
        loop {
            match Answer::receive(&self.socket) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                told => return told.map_err(Broken::Dead),
            }
            let passed = last.elapsed();
            last = Instant::now();
            if !running.is_held() && passed < TUNING.standstill {
                left = left.saturating_sub(passed);
            }
            if left.is_zero() {
                // It was stopped, or something holds it up.
                return Err(Broken::Dead(io::ErrorKind::TimedOut.into()));
            }
            if !stopped && is_unwanted() {
                stopped = true;
                left = left.min(TUNING.answer);
                order(Order::Stop)?;
            }
            match running.changes() {
                Some(true) => order(Order::Hold)?,
                Some(false) => order(Order::Continue)?,
                None => {}
            }
        }
    }

    /// Tells it that there is no more to do.
    fn let_go(&self) {
        let _ = self.socket.shutdown(std::net::Shutdown::Both);
    }

    /// Waits until the warden has ended; it is killed if it takes too long.
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
    /// Lets the warden go, and waits until it has cleaned up.
    fn drop(&mut self) {
        self.let_go();
        // It may have been stopped.
        let _ = rustix::process::kill_process(Pid::from_child(&self.process), Signal::CONT);
        self.wait();
        // If it was killed, something is left of it.
        if self.root.is_there() {
            hunt(self.root.paths().tmp());
            self.root.remove();
        }
    }
}

/// A warden that may turn out to be of no use: then it is ended.
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

/// Kills every process whose directory for temporary files is `tmp`: what a dead warden has left.
fn hunt(tmp: &Path) {
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
