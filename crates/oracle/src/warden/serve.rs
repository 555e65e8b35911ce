//! The warden itself: the process that starts and ends the user's test, on orders from a socket.
//!
//! It judges nothing, and places no candidates.

use super::confine::{self, Refusal};
use super::message::{self, Answer, Ending, Order, Ready, Setup};
use super::namespace;
use super::notify::{self, Listener};
use super::tracer::{self, Tracer};
use crate::descent;
use crate::patience::lock;
use crate::process::{self, Failure, Look, Rules, Watch};
use crate::start::{Program, Start};
use crate::work_directory::Root;
use rustix::process::Pid;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::iter;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Duration;

/// The name of the process in lists of processes: it is not the program's name, so that `killall` spares the process,
/// and it can clean up.
pub(super) const NAME: &str = "oracle-warden";

/// The numbers that were tuned.
struct Tuning {
    /// The time between two counts of the processes.
    count_pause: Duration,
    /// The longest wait without a look at the clock: after it, a standstill of the machine is noticed.
    tick: Duration,
}

const TUNING: Tuning = Tuning { count_pause: Duration::from_millis(10), tick: Duration::from_millis(500) };

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

/// The part that is not confined, so that it can remove its directory in the end.
fn guard() -> io::Result<()> {
    let name = std::ffi::CString::new(NAME)?;
    rustix::thread::set_name(&name)?;
    let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let setup: Setup = message::receive_text(&socket)?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let root = match Root::at(setup.root.clone()).make() {
        Ok(root) => root,
        Err(error) => return message::send_text(&socket, &Ready::NoDirectory(number(&error))),
    };
    let pairs: Vec<_> =
        setup.replaced.iter().enumerate().map(|(at, path)| (root.stand_in(at), path.clone())).collect();
    if !pairs.is_empty()
        && let Err(refusal) = fs::create_dir(root.stand_ins())
            .map_err(Into::into)
            .and_then(|()| namespace::put_in_place(&pairs))
    {
        return message::send_text(&socket, &Ready::NoConfinement(in_words(&refusal)));
    }
    let tracer = setup.tracing.clone().map(Tracer::new).map(Mutex::new);
    let (ends, end) = UnixStream::pair()?;
    let (hand_over, listener) = mpsc::channel();
    thread::scope(|scope| {
        let runner = thread::Builder::new().name(NAME.to_owned());
        let (setup, root, socket, tracer) = (&setup, &root, &socket, tracer.as_ref());
        let runner = runner.spawn_scoped(scope, move || {
            // Closed when all is done that makes calls.
            let _ends = ends;
            run(setup, root, socket, tracer.map(|tracer| (tracer, hand_over)))
        })?;
        if let (Some(tracer), Ok(listener)) = (tracer, listener.recv()) {
            tracer::attend(&listener, end.as_fd(), tracer);
            lock(tracer).clean();
        }
        runner.join().unwrap_or_else(|_| Err(io::Error::other("the runner panicked")))
    })
}

/// The confined part. Where a run is to be traced, the kernel's notifications are handed over.
fn run(
    setup: &Setup,
    root: &Root,
    socket: &UnixStream,
    watched: Option<(&Mutex<Tracer>, Sender<Listener>)>,
) -> io::Result<()> {
    let mut probe = match Probe::new(setup, root) {
        Ok(probe) => probe,
        Err(error) => return message::send_text(socket, &Ready::NoDirectory(number(&error))),
    };
    let log = watched.is_some().then(|| root.trace()).transpose()?;
    let tracer = watched.as_ref().map(|(tracer, _)| *tracer);
    let confined = |()| confine::confine(&setup.confinement, root.path());
    let noticed = |version| trace(watched).map(|()| version);
    let ready = match confine::limit(setup.limits).and_then(confined).and_then(noticed) {
        Ok(sandbox) => Ready::Yes { sandbox },
        Err(refusal) => Ready::NoConfinement(in_words(&refusal)),
    };
    message::send_text(socket, &ready)?;
    while let Ok(order) = Order::receive(socket) {
        // An order about a probe that has just ended comes too late.
        if let Order::Go(limit) = order {
            let mut orders =
                Orders { socket, processes: setup.limits.processes, held: false, is_gone: false };
            let answer = probe.run(limit, &mut orders)?;
            if orders.is_gone {
                break;
            }
            if let (Some(tracer), Some(log)) = (tracer, &log) {
                log.set_len(0)?;
                serde_json::to_writer(log, &lock(tracer).trace)?;
            }
            answer.send(socket)?;
        }
    }
    Ok(())
}

/// Begins to trace this thread and what it starts, if that is asked for.
fn trace(watched: Option<(&Mutex<Tracer>, Sender<Listener>)>) -> Result<(), Refusal> {
    let Some((_, hand_over)) = watched else { return Ok(()) };
    let listener = notify::listen(&tracer::calls(), &tracer::UNSEEN)
        .map_err(|error| format!("this kernel does not tell which files a run opens: {error}"))?;
    hand_over.send(listener).map_err(|_| "nobody is there to trace the run".into())
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

/// The probe that is run again and again.
struct Probe {
    command: Box<dyn Start>,
    outputs: [File; 2],
    lengths: [u64; 2],
    cpu: Option<u64>,
}

impl Probe {
    fn new(setup: &Setup, root: &Root) -> io::Result<Self> {
        let outputs = root.outputs()?;
        let stream = |output: &File| output.try_clone().map(OwnedFd::from);
        let streams = [File::open("/dev/null")?.into(), stream(&outputs[0])?, stream(&outputs[1])?];
        let command = command(setup, &setup.directory, streams)?;
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

/// The test. `PWD` and `TMPDIR` are set in this process already.
fn command(setup: &Setup, directory: &Path, streams: [OwnedFd; 3]) -> io::Result<Box<dyn Start>> {
    let Setup { program, arguments, .. } = setup;
    let Some(path) = found(program) else {
        let [input, output, errors] = streams.map(Stdio::from);
        let mut command = Command::new(program);
        command.args(arguments).current_dir(directory).stdin(input).stdout(output).stderr(errors);
        return Ok(Box::new(command));
    };
    let words = iter::once(program).chain(arguments).map(OsString::as_os_str);
    Ok(Box::new(Program::new(&path, words, directory, streams)?))
}

fn told(ending: &process::ProcessEnd) -> Ending {
    match ending {
        process::ProcessEnd::Ended(status) => match (status.code(), status.signal()) {
            (Some(code), _) => Ending::Exit(code),
            (None, signal) => Ending::Signal(signal.unwrap_or_default()),
        },
        process::ProcessEnd::TimedOut => Ending::TimedOut,
        process::ProcessEnd::Stopped => Ending::Stopped,
        process::ProcessEnd::TooMany => Ending::TooMany,
    }
}

/// Returns the path of a program: if its name has no slash, it is looked for in `PATH`. Looking for it once saves each
/// probe the failed attempts; the system looks for what is not found here.
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

/// Orders that come while a probe runs.
struct Orders<'s> {
    socket: &'s UnixStream,
    /// The most processes that there may be.
    processes: Option<usize>,
    held: bool,
    /// Is true once there is nobody left to give orders.
    is_gone: bool,
}

impl Watch for Orders<'_> {
    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        Some(self.socket.as_fd())
    }

    fn tick(&self) -> Duration {
        if self.processes.is_some() { TUNING.count_pause } else { TUNING.tick }
    }

    fn look(&mut self, _: Pid, readable: bool) -> io::Result<Look> {
        if readable {
            match Order::receive(self.socket) {
                Ok(Order::Hold) => self.held = true,
                Ok(Order::Continue) => self.held = false,
                Ok(Order::Stop) => return Ok(Look::Stop),
                Ok(Order::Go(_)) | Err(_) => {
                    self.is_gone = true;
                    return Ok(Look::Stop);
                }
            }
        }
        if self.processes.is_some_and(|most| descent::count(most) > most) {
            return Ok(Look::TooMany);
        }
        Ok(if self.held { Look::Hold } else { Look::GoOn })
    }
}

/// The number of a system's error; 5, for input and output, where it has none.
fn number(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(libc::EIO)
}
