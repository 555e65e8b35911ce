//! Nubbin's side of a warden: it is started, asked to run a probe in one of its seats, and let go of.
//!
//! It judges nothing: what a probe came to is told as the warden told it.

use super::message::{self, Answer, Ending, Order, Ready, SEATS, Setup};
use super::{Helper, WORD};
use crate::archive::disk::Kept;
use crate::oracle::Error;
use crate::oracle::lab::{Lab, Layout, Root};
use crate::oracle::patience::lock;
use crate::oracle::pause::Pause;
use rustix::process::{Pid, Signal};
use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// How often there is a look at what may end a probe early.
pub(super) const TICK: Duration = Duration::from_millis(5);
/// How long a warden that was let go of may take to remove its directories.
const FAREWELL: Duration = Duration::from_secs(10);

/// What a probe is, and where.
pub(in crate::oracle) struct Place<'p> {
    pub name: &'p OsStr,
    pub candidate: &'p [u8],
    pub mode: Option<&'p Permissions>,
    pub layout: Layout,
    pub is_kept: bool,
    pub work_root: &'p Path,
    pub limit: Duration,
}

/// What whoever asks for a probe wants while it waits.
pub(super) struct Asker<'a> {
    pub is_unwanted: &'a dyn Fn() -> bool,
    /// Whether the probe could run elsewhere, unless it has begun.
    pub gives_back: &'a dyn Fn() -> bool,
    pub pause: &'a Pause,
}

/// Why a warden gave no answer.
pub(super) enum Broken {
    /// It is dead.
    Dead(io::Error),
    /// It can do nothing for it.
    Other(Error),
}
/// A process that runs one probe at a time.
#[derive(Debug)]
pub(super) struct Warden {
    process: Mutex<Child>,
    is_dead: AtomicBool,
}

impl Warden {
    pub fn start(
        helper: &Helper,
        setup: &Setup,
        roots: [Root; SEATS],
        work_root: &Path,
    ) -> Result<([Seat; SEATS], u32), Error> {
        let pair = || UnixStream::pair().map_err(Error::Warden);
        let ((first, its_first), (second, its_second)) = (pair()?, pair()?);
        let process = Command::new(&helper.program)
            .arg0(Helper::name())
            .arg(WORD)
            .current_dir("/")
            .stdin(OwnedFd::from(its_first))
            .stdout(OwnedFd::from(its_second))
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(Error::Warden)?;
        let warden = Arc::new(Self { process: Mutex::new(process), is_dead: AtomicBool::new(false) });
        let sockets = [first, second];
        message::send_text(&sockets[0], setup).map_err(Error::Warden)?;
        let sandbox = match message::receive_text(&sockets[0]).map_err(Error::Warden)? {
            Ready::Yes { sandbox } => sandbox,
            Ready::NoConfinement(reason) => return Err(Error::Confinement(reason)),
            Ready::NoDirectory(error) => {
                return Err(Error::directory(work_root)(io::Error::from_raw_os_error(error)));
            }
        };
        let seat = |(socket, root): (UnixStream, Root)| {
            // An answer comes in one piece, so there is no wait within one.
            socket.set_read_timeout(Some(TICK)).map_err(Error::Warden)?;
            let outputs = root.outputs().map_err(Error::directory(work_root))?;
            Ok(Seat { socket, root, outputs, kept: None, warden: Arc::clone(&warden) })
        };
        let seats = sockets.into_iter().zip(roots).map(seat).collect::<Result<Vec<_>, Error>>()?;
        Ok((seats.try_into().expect("as many as there are sockets"), sandbox))
    }

    fn kill(&self) {
        let mut process = lock(&self.process);
        let _ = process.kill();
        let _ = process.wait();
    }
}

impl Drop for Warden {
    /// Waits until it has cleaned up: all of its seats are gone.
    fn drop(&mut self) {
        let (start, mut pause) = (Instant::now(), Duration::from_micros(100));
        while let Ok(None) = lock(&self.process).try_wait() {
            if start.elapsed() > FAREWELL {
                return self.kill();
            }
            thread::sleep(pause);
            pause = (pause * 2).min(TICK);
        }
    }
}

/// Where somebody may have a warden run a probe: a directory, and a socket to ask for it.
#[derive(Debug)]
pub(super) struct Seat {
    socket: UnixStream,
    root: Root,
    pub outputs: [File; 2],
    /// What the last probe has left for the next one.
    kept: Option<Kept>,
    warden: Arc<Warden>,
}

impl Seat {
    pub fn probe(&mut self, place: &Place<'_>, asker: &Asker<'_>) -> Result<Answer, Broken> {
        if place.is_kept {
            return self.probe_again(place, asker);
        }
        let lab = self.place(place)?;
        let answer = self.ask(place.limit, asker);
        drop(lab);
        answer
    }

    /// Runs a probe in the directory of the last one. What was ended halfway may have left half a file, so the next
    /// probe begins anew then.
    fn probe_again(&mut self, place: &Place<'_>, asker: &Asker<'_>) -> Result<Answer, Broken> {
        let mut kept = self.kept.take();
        let lab =
            self.root.begin_again(place.candidate, &mut kept).map_err(|error| self.broken(place, error))?;
        let answer = self.ask(place.limit, asker);
        drop(lab);
        if matches!(answer, Ok(Answer { ending: Ending::Exit(_) | Ending::NotBegun, .. })) {
            self.kept = kept;
        }
        answer
    }

    /// Makes the probe's directories. Where the warden's own is gone, so is the warden, or it soon will be.
    fn place(&self, place: &Place<'_>) -> Result<Lab<'_>, Broken> {
        let lab = self.root.begin(place.name, place.candidate, place.mode, place.layout);
        lab.map_err(|error| self.broken(place, error))
    }

    fn broken(&self, place: &Place<'_>, error: io::Error) -> Broken {
        if self.root.path().is_dir() {
            Broken::Other(Error::directory(place.work_root)(error))
        } else {
            Broken::Dead(error)
        }
    }

    fn ask(&self, limit: Duration, asker: &Asker<'_>) -> Result<Answer, Broken> {
        let mut running = asker.pause.run();
        let (mut is_stopped, mut is_given_back) = (false, false);
        let order = |order: Order| order.send(&self.socket).map_err(Broken::Dead);
        while running.changes().is_some() || running.is_held() {
            if (asker.is_unwanted)() {
                return Err(Broken::Other(Error::Interrupted));
            }
            thread::sleep(TICK);
        }
        order(Order::Go(limit))?;
        loop {
            match Answer::receive(&self.socket) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                told => return told.map_err(Broken::Dead),
            }
            if !is_stopped && (asker.is_unwanted)() {
                is_stopped = true;
                order(Order::Stop)?;
            }
            if !is_stopped && !is_given_back && (asker.gives_back)() {
                is_given_back = true;
                order(Order::GiveBack)?;
            }
            match running.changes() {
                Some(true) => order(Order::Hold)?,
                Some(false) => order(Order::Continue)?,
                None => {}
            }
        }
    }

    /// Whether both are seats of one warden.
    pub fn is_beside(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.warden, &other.warden)
    }

    /// Kills its warden, which is dead or as good as that; says whether this is the first seat to do so.
    pub fn end_warden(&self) -> bool {
        self.warden.kill();
        !self.warden.is_dead.swap(true, Ordering::Relaxed)
    }

    /// Whether somebody in another seat has found its warden dead.
    pub fn is_of_the_dead(&self) -> bool {
        self.warden.is_dead.load(Ordering::Relaxed)
    }

    /// Cleans up where a dead warden could not.
    pub fn clean_up(&self) {
        hunt(self.root.tmp());
        self.root.remove();
    }

    /// Tells its warden that there is no more to do here.
    pub fn let_go(&self) {
        let _ = self.socket.shutdown(std::net::Shutdown::Both);
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.let_go();
    }
}
/// Kills every process whose directory for temporary files is `tmp`: what a dead warden has left.
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
