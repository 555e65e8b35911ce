//! One process in a group of its own: started, awaited with a limit, and ended with all that it started.
//!
//! It knows no candidates and no verdicts.

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How often the stop flag is looked at while a process runs.
const TICK: Duration = Duration::from_millis(50);
/// How long a process that was asked to end may take to do so.
const GRACE: Duration = Duration::from_millis(200);
/// How often a program that is still being written by someone is tried again, one tick each.
const BUSY_TRIES: usize = 20;

/// Why a process is no longer running.
pub(super) enum Ending {
    /// By itself, or by a signal that was not ours.
    Ended(ExitStatus),
    /// The time was over.
    TimedOut,
    /// The stop flag was set.
    Stopped,
}

/// Where the running of a process failed.
pub(super) enum Failure {
    /// It was never started.
    Start(io::Error),
    /// Its end could not be awaited.
    Wait(io::Error),
}

/// Runs `command` in its own process group until it ends, `limit` is over or one of `stops` is set.
/// Whatever is left of the group then is killed.
pub(super) fn run(command: &mut Command, limit: Duration, stops: &[&AtomicBool]) -> Result<Ending, Failure> {
    let mut group = Group::start(command).map_err(Failure::Start)?;
    group.run(limit, stops).map_err(Failure::Wait)
}

/// A running process that leads a group; dropping it kills the group.
struct Group {
    leader: Child,
    id: Pid,
    /// Readable once the leader has ended; `None` where the system has no such descriptors.
    handle: Option<OwnedFd>,
    reaped: bool,
}

/// What the waiting came to.
enum Waited {
    Ended,
    TooLong,
    Stopped,
}

impl Group {
    fn start(command: &mut Command) -> io::Result<Self> {
        let leader = spawn(command.process_group(0))?;
        let id = Pid::from_child(&leader);
        let handle = rustix::process::pidfd_open(id, PidfdFlags::empty()).ok();
        Ok(Self { leader, id, handle, reaped: false })
    }

    fn run(&mut self, limit: Duration, stops: &[&AtomicBool]) -> io::Result<Ending> {
        let waited = self.wait(limit, || stops.iter().any(|stop| stop.load(Ordering::Relaxed)))?;
        if !matches!(waited, Waited::Ended) {
            self.signal(Signal::TERM);
            self.wait(GRACE, || false)?;
        }
        let status = self.end()?;
        Ok(match waited {
            Waited::Ended => Ending::Ended(status),
            Waited::TooLong => Ending::TimedOut,
            Waited::Stopped => Ending::Stopped,
        })
    }

    /// Waits for the leader's end without reaping it, so that its number stays that of the group.
    fn wait(&self, limit: Duration, stopped: impl Fn() -> bool) -> io::Result<Waited> {
        let deadline = Instant::now().checked_add(limit);
        let mut pause = Duration::from_micros(500);
        loop {
            let left = deadline.map_or(TICK, |d| d.saturating_duration_since(Instant::now()));
            let ended = match &self.handle {
                Some(handle) => readable(handle, left.min(TICK))?,
                None => self.has_ended()?,
            };
            if ended {
                return Ok(Waited::Ended);
            }
            if stopped() {
                return Ok(Waited::Stopped);
            }
            if left.is_zero() {
                return Ok(Waited::TooLong);
            }
            if self.handle.is_none() {
                thread::sleep(pause.min(left));
                pause = (pause * 2).min(TICK / 5);
            }
        }
    }

    fn has_ended(&self) -> io::Result<bool> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match rustix::process::waitid(WaitId::Pid(self.id), options) {
            Ok(status) => Ok(status.is_some()),
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Sends a signal to the whole group. That there is no one left to take it is no failure.
    fn signal(&self, signal: Signal) {
        let _ = rustix::process::kill_process_group(self.id, signal);
    }

    /// Kills what is left of the group, then reaps the leader.
    fn end(&mut self) -> io::Result<ExitStatus> {
        self.signal(Signal::KILL);
        let status = self.leader.wait()?;
        self.reaped = true;
        Ok(status)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.reaped {
            let _ = self.end();
        }
    }
}

/// Starts `command`; a program file that someone still holds open for writing is waited for a little.
fn spawn(command: &mut Command) -> io::Result<Child> {
    for _ in 1..BUSY_TRIES {
        match command.spawn() {
            Err(error) if error.raw_os_error() == Some(Errno::TXTBSY.raw_os_error()) => thread::sleep(TICK),
            other => return other,
        }
    }
    command.spawn()
}

/// Whether `handle` becomes readable within `limit`.
fn readable(handle: &OwnedFd, limit: Duration) -> io::Result<bool> {
    let limit = Timespec::try_from(limit).map_err(io::Error::other)?;
    match rustix::event::poll(&mut [PollFd::new(handle, PollFlags::IN)], Some(&limit)) {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
