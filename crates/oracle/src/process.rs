//! Runs one process as the leader of a process group: starts it, waits with a limit, and ends it together
//! with all processes that it started.
//!
//! The module does not depend on candidates, verdicts or wardens; the caller supplies a [`Watch`].

use super::descent;
use super::start::Start;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Resource, Rlimit, Signal, WaitId, WaitIdOptions, WaitOptions};
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::thread;
use std::time::{Duration, Instant};

/// Tuned constants.
struct Tuning {
    /// The time between the request to end and SIGKILL.
    grace: Duration,
    /// The maximum number of attempts to start a program file that is still open for writing.
    starts_while_written: usize,
    /// The pause between two such attempts.
    pause_while_written: Duration,
    /// If a wait ends this much later than expected, this process or the machine was suspended.
    standstill: Duration,
    /// The longest pause between two checks of a process if the system has no process descriptors.
    look: Duration,
}

const TUNING: Tuning = Tuning {
    grace: Duration::from_millis(200),
    starts_while_written: 20,
    pause_while_written: Duration::from_millis(50),
    standstill: Duration::from_secs(1),
    look: Duration::from_millis(10),
};

/// The reason why a process is no longer running.
#[derive(Debug)]
pub(super) enum ProcessEnd {
    /// It ended, or was killed by a signal from elsewhere.
    Ended(ExitStatus),
    /// It reached the time limit.
    TimedOut,
    /// The watch requested it.
    Stopped,
    /// The watch found too many processes.
    TooMany,
}

/// The step that failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// The process was not started.
    Start(io::Error),
    /// The wait for its end failed.
    Wait(io::Error),
}

/// The result of a check by a watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// The process continues.
    GoOn,
    /// The processes and the clock are stopped.
    Hold,
    /// The process must be ended.
    Stop,
    /// There are too many processes; they must be ended.
    TooMany,
    /// The expected event has occurred.
    Done,
}

/// A check that is called repeatedly while a process runs.
pub(super) trait Watch {
    /// Returns descriptors that end a wait early, in addition to the process itself.
    fn descriptors(&self) -> [Option<BorrowedFd<'_>>; 2] {
        [None, None]
    }

    /// Returns the maximum duration of one wait.
    fn tick(&self) -> Duration;

    /// Checks the process after each wait. `readable` states which of the descriptors are readable.
    fn look(&mut self, leader: Pid, readable: [bool; 2]) -> io::Result<Look>;
}

/// The limits of a process, and how its descendants are treated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// The time limit.
    pub limit: Duration,
    /// The limit of CPU time, in seconds.
    pub cpu: Option<u64>,
    /// If this is true, this process has no other children and adopts orphaned processes. All its descendants
    /// then belong to the probe, including those that left the group.
    pub reaps: bool,
}

/// Runs `command` in a new process group until it ends, reaches its time limit or is stopped by the watch.
/// The remaining processes of the group are then killed. Returns also the duration, without pauses.
pub(super) fn run(
    command: &mut dyn Start,
    rules: Rules,
    watch: &mut dyn Watch,
) -> Result<(ProcessEnd, Duration), Failure> {
    let mut group = Group::start(command, rules).map_err(Failure::Start)?;
    group.run(rules.limit, watch).map_err(Failure::Wait)
}

/// A running process that leads a group; dropping it kills the group.
#[derive(Debug)]
pub(super) struct Group {
    id: Pid,
    /// Becomes readable when the leader ends; `None` if the system has no process descriptors.
    handle: Option<OwnedFd>,
    reaps: bool,
    reaped: bool,
    held: bool,
}

/// The result of a wait.
pub(super) enum Waited {
    Ended,
    TooLong,
    Told(Look),
}

/// A watch that checks nothing.
struct Blind;

impl Watch for Blind {
    fn tick(&self) -> Duration {
        TUNING.grace
    }

    fn look(&mut self, _: Pid, _: [bool; 2]) -> io::Result<Look> {
        Ok(Look::GoOn)
    }
}

impl Group {
    /// Starts a process that leads a group.
    pub(super) fn start(command: &mut dyn Start, rules: Rules) -> io::Result<Self> {
        let id = start(command)?;
        let mut group = Self { id, handle: None, reaps: rules.reaps, reaped: false, held: false };
        if let Some(seconds) = rules.cpu {
            // The hard limit is one second higher and kills a process that ignores SIGXCPU.
            let limit = Rlimit { current: Some(seconds), maximum: Some(seconds.saturating_add(1)) };
            rustix::process::prlimit(Some(id), Resource::Cpu, limit)?;
        }
        group.handle = rustix::process::pidfd_open(id, PidfdFlags::empty()).ok();
        Ok(group)
    }

    /// Waits until the process ends, reaches its time limit or is stopped by the watch, and kills the
    /// remaining group.
    pub(super) fn run(
        &mut self,
        limit: Duration,
        watch: &mut dyn Watch,
    ) -> io::Result<(ProcessEnd, Duration)> {
        let (waited, elapsed) = self.wait(limit, watch)?;
        if !matches!(waited, Waited::Ended) {
            self.signal(Signal::TERM);
            self.hold(false);
            self.wait(TUNING.grace, &mut Blind)?;
        }
        let status = self.end()?;
        let ending = match waited {
            Waited::Ended => ProcessEnd::Ended(status),
            Waited::TooLong => ProcessEnd::TimedOut,
            Waited::Told(Look::TooMany) => ProcessEnd::TooMany,
            Waited::Told(_) => ProcessEnd::Stopped,
        };
        Ok((ending, elapsed))
    }

    /// Waits until the leader ends, the limit is reached, or the watch stops it. The leader is not reaped, so
    /// its number still identifies the group. Returns also the elapsed time.
    pub(super) fn wait(&mut self, limit: Duration, watch: &mut dyn Watch) -> io::Result<(Waited, Duration)> {
        let mut elapsed = Duration::ZERO;
        let mut pause = Duration::from_micros(500);
        loop {
            let most = if self.held { watch.tick() } else { watch.tick().min(limit.saturating_sub(elapsed)) };
            let slice = if self.handle.is_some() { most } else { most.min(pause) };
            pause = (pause * 2).min(TUNING.look);
            let start = Instant::now();
            let (ended, readable) = self.poll(slice, watch.descriptors())?;
            if !self.held {
                let passed = start.elapsed();
                elapsed += if passed > slice + TUNING.standstill { slice } else { passed };
            }
            if ended {
                return Ok((Waited::Ended, elapsed));
            }
            match watch.look(self.id, readable)? {
                Look::GoOn => self.hold(false),
                Look::Hold => self.hold(true),
                told => return Ok((Waited::Told(told), elapsed)),
            }
            if !self.held && elapsed >= limit {
                return Ok((Waited::TooLong, elapsed));
            }
        }
    }

    /// Waits for the end of the process or for one of the other descriptors; returns which of them are ready.
    fn poll(&self, slice: Duration, others: [Option<BorrowedFd<'_>>; 2]) -> io::Result<(bool, [bool; 2])> {
        let handle = self.handle.as_ref().map(|handle| PollFd::new(handle, PollFlags::IN));
        let has_handle = handle.is_some();
        let watched = others.iter().flatten().map(|other| PollFd::new(other, PollFlags::IN));
        let mut descriptors: Vec<PollFd<'_>> = handle.into_iter().chain(watched).collect();
        let slice = Timespec::try_from(slice).map_err(io::Error::other)?;
        match rustix::event::poll(&mut descriptors, Some(&slice)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let mut ready = descriptors.iter().map(|descriptor| !descriptor.revents().is_empty());
        let ended = if has_handle { ready.next().unwrap_or(false) } else { self.has_ended()? };
        Ok((ended, others.map(|other| other.is_some() && ready.next().unwrap_or(false))))
    }

    pub(super) fn has_ended(&self) -> io::Result<bool> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match rustix::process::waitid(WaitId::Pid(self.id), options) {
            Ok(status) => Ok(status.is_some()),
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Sends a signal to the whole group. An empty group is not an error.
    fn signal(&self, signal: Signal) {
        let _ = rustix::process::kill_process_group(self.id, signal);
    }

    /// Stops or resumes all processes.
    pub(super) fn hold(&mut self, hold: bool) {
        if self.held == hold {
            return;
        }
        self.held = hold;
        let signal = if hold { Signal::STOP } else { Signal::CONT };
        self.signal(signal);
        if self.reaps {
            descent::signal_all(signal);
        }
    }

    pub(super) fn leader(&self) -> Pid {
        self.id
    }

    /// Kills the remaining processes, then reaps the leader and all adopted processes.
    pub(super) fn end(&mut self) -> io::Result<ExitStatus> {
        self.signal(Signal::KILL);
        let status = reap(self.id)?;
        self.reaped = true;
        if self.reaps {
            descent::end_all();
        }
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

/// Starts `command`. If the program file is still open for writing, the start is repeated a few times.
fn start(command: &mut dyn Start) -> io::Result<Pid> {
    for _ in 1..TUNING.starts_while_written {
        match command.start() {
            Err(error) if error.raw_os_error() == Some(Errno::TXTBSY.raw_os_error()) => {
                thread::sleep(TUNING.pause_while_written);
            }
            other => return other,
        }
    }
    command.start()
}

/// Waits until a child process has ended.
pub(super) fn reap(process: Pid) -> io::Result<ExitStatus> {
    loop {
        match rustix::process::waitpid(Some(process), WaitOptions::empty()) {
            Ok(Some((_, status))) => return Ok(ExitStatus::from_raw(status.as_raw())),
            Ok(None) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
