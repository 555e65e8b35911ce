//! The warden itself: the process that starts and ends the user's test, on orders from a socket.
//!
//! It judges nothing, and places no candidates.

use super::confine::{self, Refusal};
use super::message::{self, Answer, Ending, Order, Ready, SEATS, Seat, Setup};
use crate::oracle::descent;
use crate::oracle::lab::Root;
use crate::oracle::patience::lock;
use crate::oracle::process::{self, Failure, Look, Rules, Watch};
use crate::oracle::start::{Program, Start};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::process::Pid;
use rustix::stdio::{dup2_stdin, dup2_stdout, stdin, stdout};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::iter;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::mpsc::channel;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// What the process is called, in lists of processes: not as the program is, so that `killall` spares it, and it can
/// clean up.
pub(super) const NAME: &str = "oracle-warden";

/// How often processes are counted.
const COUNT: Duration = Duration::from_millis(10);
/// How often there is a look at nothing in particular: time that passed while the machine stood still is found then.
const TICK: Duration = Duration::from_millis(500);
/// How often someone who waits for a turn looks for orders.
const WAIT: Duration = Duration::from_millis(5);

/// Does a warden's work until whoever started it closes the socket that is standard input, or dies.
///
/// A program that uses [`Helper::this_program`](super::Helper::this_program) calls this first of all in `main`, where
/// its first argument is [`WORD`](super::WORD), and returns what it returns.
#[must_use]
pub fn serve() -> ExitCode {
    match guard() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// The part that is not confined, so that it can remove its directories in the end.
fn guard() -> io::Result<()> {
    let name = std::ffi::CString::new(NAME)?;
    rustix::thread::set_name(&name)?;
    let sockets = sockets()?;
    let setup: Setup = message::receive_text(&sockets[0])?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let tell = sockets[0].try_clone()?;
    let roots = setup.seats.iter().map(|seat| Root::at(seat.root.clone()).make()).collect();
    let roots: Vec<Root> = match roots {
        Ok(roots) => roots,
        Err(error) => return message::send_text(&tell, &Ready::NoDirectory(number(&error))),
    };
    let turns = Turns::default();
    thread::scope(|scope| {
        let (ready, are_ready) = channel();
        let mut runners = Vec::new();
        for ((seat, root), socket) in setup.seats.iter().zip(&roots).zip(sockets) {
            let (setup, turns, ready) = (&setup, &turns, ready.clone());
            let runner = thread::Builder::new().name(NAME.to_owned());
            runners.push(runner.spawn_scoped(scope, move || {
                let (told, probe) = prepare(setup, seat, root);
                let _ = ready.send(told);
                drop(ready);
                probe.map_or(Ok(()), |probe| run(probe, setup, turns, &socket))
            })?);
        }
        drop(ready);
        let all: Vec<Ready> = are_ready.iter().collect();
        let refusal = all.iter().find(|ready| !matches!(ready, Ready::Yes { .. }));
        if let Some(told) = refusal.or(all.first()) {
            message::send_text(&tell, told)?;
        }
        drop(tell);
        let panicked = |_| Err(io::Error::other("a runner panicked"));
        runners.into_iter().try_for_each(|runner| runner.join().unwrap_or_else(panicked))
    })
}

/// The sockets of the seats, which are standard input and standard output: whoever has one holds its only end here.
fn sockets() -> io::Result<[UnixStream; SEATS]> {
    let sockets = [stdin().try_clone_to_owned()?, stdout().try_clone_to_owned()?];
    let null = File::options().read(true).write(true).open("/dev/null")?;
    dup2_stdin(&null)?;
    dup2_stdout(&null)?;
    Ok(sockets.map(UnixStream::from))
}

/// Limits and confines this thread; the probe that it is to run, if it can.
fn prepare(setup: &Setup, seat: &Seat, root: &Root) -> (Ready, Option<Probe>) {
    let probe = match Probe::new(setup, seat, root) {
        Ok(probe) => probe,
        Err(error) => return (Ready::NoDirectory(number(&error)), None),
    };
    let confined = |()| confine::confine(&setup.confinement, root.path());
    match confine::limit(setup.limits).and_then(confined) {
        Ok(sandbox) => (Ready::Yes { sandbox }, Some(probe)),
        Err(refusal) => (Ready::NoConfinement(in_words(&refusal)), None),
    }
}

/// The confined part.
fn run(mut probe: Probe, setup: &Setup, turns: &Turns, socket: &UnixStream) -> io::Result<()> {
    while let Ok(order) = Order::receive(socket) {
        // An order about a probe that has just ended comes too late.
        if let Order::Go(limit) = order {
            let mut orders = Orders::new(socket, setup.limits.processes);
            let answer = match turns.take(|| orders.heed_all())? {
                Some(_turn) => {
                    orders.stage = Stage::Runs;
                    probe.run(limit, &mut orders)?
                }
                None => orders.unbegun(),
            };
            if orders.stage == Stage::Forsaken {
                break;
            }
            answer.send(socket)?;
        }
    }
    Ok(())
}

/// One probe runs at a time.
#[derive(Default)]
struct Turns {
    taken: Mutex<bool>,
    freed: Condvar,
}

/// A turn that ends when this is dropped.
struct Turn<'t>(&'t Turns);

impl Turns {
    /// Waits for a turn; `None` when it is no longer wanted. Whoever need not wait is not asked that.
    fn take(&self, mut look: impl FnMut() -> io::Result<Look>) -> io::Result<Option<Turn<'_>>> {
        let mut taken = lock(&self.taken);
        let mut goes_on = !*taken;
        while *taken || !goes_on {
            taken = self.freed.wait_timeout(taken, WAIT).unwrap_or_else(PoisonError::into_inner).0;
            goes_on = match look()? {
                Look::GoOn => true,
                Look::Hold => false,
                Look::Stop | Look::TooMany => return Ok(None),
            };
        }
        *taken = true;
        Ok(Some(Turn(self)))
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *lock(&self.0.taken) = false;
        self.0.freed.notify_one();
    }
}

fn in_words(refusal: &Refusal) -> String {
    let mut words = refusal.to_string();
    let mut source = refusal.source();
    while let Some(error) = source {
        words = format!("{words}: {error}");
        source = error.source();
    }
    words
}

/// What is run again and again.
struct Probe {
    command: Box<dyn Start>,
    outputs: [File; 2],
    lengths: [u64; 2],
    cpu: Option<u64>,
}

impl Probe {
    fn new(setup: &Setup, seat: &Seat, root: &Root) -> io::Result<Self> {
        let outputs = root.outputs()?;
        let stream = |output: &File| output.try_clone().map(OwnedFd::from);
        let streams = [File::open("/dev/null")?.into(), stream(&outputs[0])?, stream(&outputs[1])?];
        let command = command(seat, root, streams)?;
        Ok(Self { command, outputs, lengths: [0; 2], cpu: setup.limits.cpu })
    }

    fn run(&mut self, limit: Duration, orders: &mut Orders<'_>) -> io::Result<Answer> {
        for (output, length) in self.outputs.iter().zip(self.lengths) {
            if length > 0 {
                output.set_len(0)?;
            }
        }
        let rules = Rules { limit, cpu: self.cpu, reaps: true };
        let (ending, elapsed) = match process::run(&mut *self.command, rules, orders) {
            Ok((ending, elapsed)) => (told(&ending), elapsed),
            Err(Failure::Start(error)) => (Ending::NoStart(number(&error)), Duration::ZERO),
            Err(Failure::Wait(error)) => (Ending::NoWait(number(&error)), Duration::ZERO),
        };
        for (output, length) in self.outputs.iter().zip(&mut self.lengths) {
            *length = output.metadata()?.len();
        }
        Ok(Answer { ending, elapsed, written: self.lengths })
    }
}

/// The test.
fn command(seat: &Seat, root: &Root, streams: [OwnedFd; 3]) -> io::Result<Box<dyn Start>> {
    let Seat { program, arguments, .. } = seat;
    let directory = root.work();
    let variables = [("PWD", directory), ("TMPDIR", root.tmp())];
    let Some(path) = found(program) else {
        let [input, output, errors] = streams.map(Stdio::from);
        let mut command = Command::new(program);
        command.args(arguments).current_dir(directory).envs(variables);
        command.stdin(input).stdout(output).stderr(errors);
        return Ok(Box::new(command));
    };
    let words = iter::once(program).chain(arguments).map(OsString::as_os_str);
    Ok(Box::new(Program::new(&path, words, directory, &variables, streams)?))
}

fn told(ending: &process::Ending) -> Ending {
    match ending {
        process::Ending::Ended(status) => match (status.code(), status.signal()) {
            (Some(code), _) => Ending::Exit(code),
            (None, signal) => Ending::Signal(signal.unwrap_or_default()),
        },
        process::Ending::TimedOut => Ending::TimedOut,
        process::Ending::Stopped => Ending::Stopped,
        process::Ending::TooMany => Ending::TooMany,
    }
}

/// Where a program is: where its name has no slash, in `PATH`. Looking for it once saves each probe the failed attempts;
/// what is not found here is looked for by the system.
fn found(program: &OsStr) -> Option<PathBuf> {
    if program.as_bytes().contains(&b'/') {
        return Some(PathBuf::from(program));
    }
    let paths: OsString = std::env::var_os("PATH")?;
    for directory in std::env::split_paths(&paths) {
        if !directory.is_absolute() {
            return None;
        }
        let path = directory.join(program);
        if is_executable(&path) {
            return Some(path);
        }
    }
    None
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// Orders about a probe that come after it was asked for.
struct Orders<'s> {
    socket: &'s UnixStream,
    /// The most processes that there may be.
    processes: Option<usize>,
    held: bool,
    stage: Stage,
}

/// What has become of a probe.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// It waits for its turn.
    Waits,
    /// It was given back before its turn.
    GivenBack,
    Runs,
    /// There is nobody left to give orders.
    Forsaken,
}

impl<'s> Orders<'s> {
    fn new(socket: &'s UnixStream, processes: Option<usize>) -> Self {
        Self { socket, processes, held: false, stage: Stage::Waits }
    }

    /// Takes an order.
    fn heed(&mut self) -> Look {
        match Order::receive(self.socket) {
            Ok(Order::Hold) => self.held = true,
            Ok(Order::Continue) => self.held = false,
            Ok(Order::GiveBack) if self.stage == Stage::Runs => {}
            Ok(Order::GiveBack) => {
                self.stage = Stage::GivenBack;
                return Look::Stop;
            }
            Ok(Order::Stop) => return Look::Stop,
            Ok(Order::Go(_)) | Err(_) => {
                self.stage = Stage::Forsaken;
                return Look::Stop;
            }
        }
        self.wanted()
    }

    /// Takes the orders that are there.
    fn heed_all(&mut self) -> io::Result<Look> {
        while self.is_readable()? {
            if self.heed() == Look::Stop {
                return Ok(Look::Stop);
            }
        }
        Ok(self.wanted())
    }

    fn is_readable(&self) -> io::Result<bool> {
        let mut one = [PollFd::new(self.socket, PollFlags::IN)];
        match rustix::event::poll(&mut one, Some(&Timespec::default())) {
            Ok(ready) => Ok(ready > 0),
            Err(Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn wanted(&self) -> Look {
        if self.held { Look::Hold } else { Look::GoOn }
    }

    /// What is said of a probe that was never run.
    fn unbegun(&self) -> Answer {
        let ending = if self.stage == Stage::GivenBack { Ending::NotBegun } else { Ending::Stopped };
        Answer { ending, elapsed: Duration::ZERO, written: [0; 2] }
    }
}

impl Watch for Orders<'_> {
    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        Some(self.socket.as_fd())
    }

    fn tick(&self) -> Duration {
        if self.processes.is_some() { COUNT } else { TICK }
    }

    fn look(&mut self, _: Pid, readable: bool) -> io::Result<Look> {
        let look = if readable { self.heed() } else { self.wanted() };
        let is_full = || self.processes.is_some_and(|most| descent::count(most) > most);
        Ok(if look != Look::Stop && is_full() { Look::TooMany } else { look })
    }
}

/// The number of a system's error; 5, for input and output, where it has none.
fn number(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(libc::EIO)
}
