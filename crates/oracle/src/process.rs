//! One process in a group of its own: started, awaited with a limit, and ended with all that it started.
//!
//! It knows no candidates and no verdicts, and neither wardens nor flags: whoever waits brings a [`Watch`].

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

/// The numbers that were tuned.
struct Tuning {
    /// A process that was asked to end may take this long to do so.
    grace: Duration,
    /// A program that someone is still writing is started at most this many times.
    starts_while_written: usize,
    /// The wait between two such starts.
    pause_while_written: Duration,
    /// If a wait ends this much later than it should, this process or the machine stood still.
    standstill: Duration,
    /// The longest pause between two looks at a process, if the system has no descriptor for it.
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
    /// It ended by itself, or by a signal that was not ours.
    Ended(ExitStatus),
    /// The time was over.
    TimedOut,
    /// The watch said so.
    Stopped,
    /// The watch has seen too many processes.
    TooMany,
}

/// The step at which the running of a process failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// It was never started.
    Start(io::Error),
    /// Its end could not be awaited.
    Wait(io::Error),
}

/// The answer of a watch: the process goes on, stands still, or is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// Nothing.
    GoOn,
    /// The processes stand still, and so does the clock.
    Hold,
    /// The process is to be ended.
    Stop,
    /// There are too many processes, and they are to be ended.
    TooMany,
    /// What was waited for has come.
    Done,
}

/// A watch: something that is looked at while a process runs.
pub(super) trait Watch {
    /// Returns the descriptors that end a wait early, beside the process itself.
    fn descriptors(&self) -> [Option<BorrowedFd<'_>>; 2] {
        [None, None]
    }

    /// Returns how long a wait may last.
    fn tick(&self) -> Duration;

    /// Looks, after each wait; tells which of its descriptors can be read.
    fn look(&mut self, leader: Pid, readable: [bool; 2]) -> io::Result<Look>;
}

/// The limits of a process, and the way in which it is run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// The time that it may run.
    pub limit: Duration,
    /// The seconds of processor time that it may use.
    pub cpu: Option<u64>,
    /// If this is true, this process has nothing else to do, and inherits the processes whose parents end: then all of
    /// its descendants belong to the probe, those that left the group too.
    pub reaps: bool,
}

/// Runs `command` in its own process group until it ends, its time is over or the watch has it stopped.
/// Whatever is left of the group then is killed. How long it ran, pauses not counted, is returned, too.
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
    /// Readable once the leader has ended; `None` where the system has no such descriptors.
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

/// Nothing is watched.
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
            // A second more, and the process is killed even if it ignores SIGXCPU.
            let limit = Rlimit { current: Some(seconds), maximum: Some(seconds.saturating_add(1)) };
            rustix::process::prlimit(Some(id), Resource::Cpu, limit)?;
        }
        group.handle = rustix::process::pidfd_open(id, PidfdFlags::empty()).ok();
        Ok(group)
    }

    /// Waits until it ends, its time is over or the watch has it stopped, and kills whatever is left of it.
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

    /// Waits for the leader's end without reaping it, so that its number stays that of the group; or until the limit is
    /// reached, or the watch says so. Returns also how long that took.
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

    /// Waits for the end or for one of the other descriptors, and tells which of them it is.
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

    /// Tells whether the leader has ended.
    pub(super) fn has_ended(&self) -> io::Result<bool> {
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

    /// Stops all of the processes, or has them go on.
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

    /// The process that leads the group.
    pub(super) fn leader(&self) -> Pid {
        self.id
    }

    /// Kills what is left, then reaps the leader and all that has been inherited.
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

/// Starts `command`; a program file that someone still holds open for writing is waited for a little.
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

/// Waits until a process of one's own has ended.
pub(super) fn reap(process: Pid) -> io::Result<ExitStatus> {
    loop {
        match rustix::process::waitpid(Some(process), WaitOptions::empty()) {
            Ok(Some((_, status))) => return Ok(ExitStatus::from_raw(status.as_raw())),
            Ok(None) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}
