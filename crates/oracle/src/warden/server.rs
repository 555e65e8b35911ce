//! Runs a test server in a warden: starts it on demand, asks it about one candidate after another, and ends
//! it together with all processes that it started.
//!
//! Every question results in an answer, even if the server fails. Questions are not repeated here.

use super::message::{Answer, Ending, Setup};
use super::serve::{Orders, command, number};
use crate::descent;
use crate::process::{Group, Look, Rules, Waited, Watch};
use crate::server::{Places, reply};
use crate::work_directory::Root;
use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::pipe::PipeFlags;
use rustix::process::{Pid, Resource, Rlimit};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

/// Tuned constants.
struct Tuning {
    /// The maximum length of an answer, in bytes.
    longest_answer: usize,
    /// The number of bytes of a malformed answer that are shown.
    shown: usize,
    /// The first server has this much additional time for its first answer, because it is still loading. A
    /// later server has the following multiple of the time that the previous one took.
    first_start: Duration,
    later_starts: u32,
    /// The minimum time for an answer that is no longer needed, because starting another server takes longer.
    least_farewell: Duration,
}

const TUNING: Tuning = Tuning {
    longest_answer: 32 << 20,
    shown: 200,
    first_start: Duration::from_secs(5),
    later_starts: 2,
    least_farewell: Duration::from_millis(20),
};

/// A server that is restarted when it has ended.
pub(super) struct Server<'s> {
    setup: &'s Setup,
    places: &'s Places,
    directory: std::path::PathBuf,
    rules: Option<OwnedFd>,
    outputs: [File; 2],
    lengths: [u64; 2],
    running: Option<Running>,
    /// The number of the last question.
    last: u64,
    /// The time from the start of the last server to its first answer.
    start: Duration,
}

/// A running server.
struct Running {
    group: Group,
    input: File,
    output: OwnedFd,
    /// The number of answers so far.
    answers: u64,
}

impl<'s> Server<'s> {
    pub fn new(
        setup: &'s Setup,
        places: &'s Places,
        root: &Root,
        rules: Option<OwnedFd>,
    ) -> io::Result<Self> {
        let outputs = root.outputs()?;
        // The directory of a probe is created again for each candidate, so the server cannot run in it.
        let is_in_place = !setup.directory.starts_with(root.paths().path());
        let directory = if is_in_place { setup.directory.clone() } else { root.paths().path().to_owned() };
        let lengths = [0; 2];
        let (running, last, start) = (None, 0, Duration::ZERO);
        Ok(Self { setup, places, directory, rules, outputs, lengths, running, last, start })
    }

    /// Starts a server in advance for a later candidate. If this fails, the next question starts one.
    pub fn begin(&mut self) -> io::Result<()> {
        // Output during the start belongs to the next candidate.
        for output in &self.outputs {
            output.set_len(0)?;
        }
        self.lengths = [0; 2];
        self.running = self.ready().ok();
        Ok(())
    }

    /// Asks about the candidate in the directory of the probe.
    pub fn run(&mut self, limit: Duration, orders: &mut Orders<'_>) -> io::Result<Answer> {
        for (output, length) in self.outputs.iter().zip(self.lengths) {
            if length > 0 {
                output.set_len(0)?;
            }
        }
        let begin = Instant::now();
        let (ending, elapsed) = match self.ready() {
            Err(error) => (Ending::NoStart(number(&error)), Duration::ZERO),
            Ok(running) => self.ask(running, limit, orders, begin)?,
        };
        for (output, length) in self.outputs.iter().zip(&mut self.lengths) {
            *length = output.metadata()?.len();
        }
        Ok(Answer { ending, elapsed, written: self.lengths })
    }

    /// Returns a server that is waiting for a question: the running one, or a fresh one if it has ended or
    /// has written unexpected output.
    fn ready(&mut self) -> io::Result<Running> {
        if let Some(running) = self.running.take()
            && running.is_waiting()
        {
            return Ok(running);
        }
        let (its_input, input) = pipe()?;
        let (output, its_output) = pipe()?;
        rustix::fs::fcntl_setfl(&output, OFlags::NONBLOCK)?;
        rustix::fs::fcntl_setfl(&input, OFlags::NONBLOCK)?;
        let errors = OwnedFd::from(self.outputs[1].try_clone()?);
        let rules = self.rules.as_ref().map(OwnedFd::try_clone).transpose()?;
        let mut program = command(self.setup, &self.directory, [its_input, its_output, errors], rules)?;
        let rules = Rules { limit: Duration::MAX, cpu: None, reaps: true };
        let group = Group::start(&mut *program, rules)?;
        Ok(Running { group, input: File::from(input), output, answers: 0 })
    }

    fn ask(
        &mut self,
        mut running: Running,
        limit: Duration,
        orders: &mut Orders<'_>,
        begin: Instant,
    ) -> io::Result<(Ending, Duration)> {
        self.last += 1;
        running.allow(self.setup.limits.cpu)?;
        // If it cannot read the question, its exit status shows why.
        let _ = running.input.write_all(&self.places.question(self.last));
        let patience = self.start.max(TUNING.least_farewell);
        let mut asking = Asking {
            orders,
            output: running.output.as_fd(),
            said: Vec::new(),
            is_over: false,
            patience,
            end: None,
        };
        let start = match (running.answers, self.start) {
            (0, Duration::ZERO) => TUNING.first_start,
            (0, start) => (start * TUNING.later_starts).min(TUNING.first_start),
            _ => Duration::ZERO,
        };
        let (waited, elapsed) = running.group.wait(limit.saturating_add(start), &mut asking)?;
        if matches!(waited, Waited::Ended) {
            asking.hear()?;
        }
        let (said, is_unwanted) = (asking.said, asking.end.is_some());
        let has_ended = matches!(waited, Waited::Ended);
        let ending = match waited {
            _ if is_unwanted => Ending::Stopped,
            Waited::TooLong => Ending::TimedOut,
            Waited::Told(Look::TooMany) => Ending::TooMany,
            Waited::Ended if said.is_empty() => return Ok((lost(running.group.end()?), elapsed)),
            Waited::Told(Look::Done) | Waited::Ended => self.heard(&said)?,
            Waited::Told(_) => Ending::Stopped,
        };
        let is_fit = !self.places.is_asked_once()
            && !has_ended
            && !ending.is_lost()
            && (matches!(ending, Ending::Exit(_) | Ending::Signal(_) | Ending::Told(_))
                || ending == Ending::Stopped && said.ends_with(b"\n"));
        if is_fit {
            if running.answers == 0 {
                self.start = begin.elapsed();
            }
            running.answers += 1;
            descent::end_all_but(running.group.leader());
            self.running = Some(running);
        }
        Ok((ending, elapsed))
    }

    /// Handles the answer of a server, including the outputs of the candidate in it.
    fn heard(&mut self, said: &[u8]) -> io::Result<Ending> {
        let most = self.setup.limits.output.unwrap_or(u64::MAX);
        match reply(said, self.last) {
            Ok(reply) => {
                for (mut output, text) in self.outputs.iter().zip(reply.outputs) {
                    let Some(text) = text else { continue };
                    let room = most.saturating_sub(output.metadata()?.len());
                    let length = text.len().min(usize::try_from(room).unwrap_or(usize::MAX));
                    output.write_all(&text.as_bytes()[..length])?;
                }
                Ok(reply.status.into())
            }
            Err(why) => {
                let shown = String::from_utf8_lossy(&said[..said.len().min(TUNING.shown)]);
                let note = format!("malformed answer from the server: {why}: {}\n", shown.trim_end());
                if self.outputs[1].metadata()?.len() + (note.len() as u64) < most {
                    (&self.outputs[1]).write_all(note.as_bytes())?;
                }
                Ok(Ending::Nonsense)
            }
        }
    }
}

impl Running {
    /// Returns whether it is running and has written no unexpected output.
    fn is_waiting(&self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let mut output = [PollFd::new(&self.output, PollFlags::IN)];
        // A readable, closed or ended pipe means that it is not waiting.
        matches!(poll(&mut output, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })), Ok(0))
    }

    /// Allows it this many more seconds of CPU time.
    fn allow(&self, seconds: Option<u64>) -> io::Result<()> {
        let Some(seconds) = seconds else { return Ok(()) };
        let used = used(self.group.leader())?;
        let limit =
            Rlimit { current: Some(used.as_secs().saturating_add(seconds).saturating_add(1)), maximum: None };
        // A lower limit of the user takes precedence.
        let _ = rustix::process::prlimit(Some(self.group.leader()), Resource::Cpu, limit);
        Ok(())
    }
}

/// Returns the CPU time that a process has used.
fn used(process: Pid) -> io::Result<Duration> {
    let mut clock = 0;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: both calls write to valid variables, and otherwise take numbers.
    let failed = unsafe {
        match libc::clock_getcpuclockid(process.as_raw_pid(), &raw mut clock) {
            0 => libc::clock_gettime(clock, &raw mut time) != 0,
            _ => true,
        }
    };
    if failed {
        return Err(io::Error::other("no clock"));
    }
    Ok(Duration::new(
        u64::try_from(time.tv_sec).unwrap_or_default(),
        u32::try_from(time.tv_nsec).unwrap_or_default(),
    ))
}

/// Creates a pipe: the reading end and the writing end. Both are closed on `exec`.
fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?)
}

fn lost(status: ExitStatus) -> Ending {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ending::LostExit(code),
        (None, signal) => Ending::LostSignal(signal.unwrap_or_default()),
    }
}

/// A question whose answer is pending.
struct Asking<'a, 's> {
    orders: &'a mut Orders<'s>,
    output: BorrowedFd<'a>,
    said: Vec<u8>,
    /// Whether the server has closed its output.
    is_over: bool,
    /// How long to wait for an answer that is no longer needed.
    patience: Duration,
    /// The end of that wait.
    end: Option<Instant>,
}

impl Asking<'_, '_> {
    /// Reads the available output.
    fn hear(&mut self) -> io::Result<()> {
        let mut bytes = vec![0; 64 << 10];
        while !self.is_over && self.said.len() <= TUNING.longest_answer {
            match rustix::io::read(self.output, &mut bytes[..]) {
                Ok(0) => self.is_over = true,
                Ok(length) => self.said.extend_from_slice(&bytes[..length]),
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

impl Watch for Asking<'_, '_> {
    fn descriptors(&self) -> [Option<BorrowedFd<'_>>; 2] {
        // A closed descriptor would always be readable.
        [self.orders.descriptors()[0], Some(self.output).filter(|_| !self.is_over)]
    }

    fn tick(&self) -> Duration {
        let left = self.end.map(|end| end.saturating_duration_since(Instant::now()));
        left.map_or(self.orders.tick(), |left| left.min(self.orders.tick()))
    }

    fn look(&mut self, leader: Pid, readable: [bool; 2]) -> io::Result<Look> {
        if readable[1] {
            self.hear()?;
        }
        if self.said.contains(&b'\n') || self.said.len() > TUNING.longest_answer {
            return Ok(Look::Done);
        }
        if self.end.is_some_and(|end| Instant::now() >= end) {
            return Ok(Look::Stop);
        }
        match self.orders.look(leader, [readable[0], false])? {
            Look::Stop if !self.orders.is_gone => {
                self.end.get_or_insert_with(|| Instant::now() + self.patience);
                Ok(Look::GoOn)
            }
            look => Ok(look),
        }
    }
}
