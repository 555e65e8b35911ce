//! The inner process of a warden: it starts and ends the user's test on orders from a socket.

use super::confine::{self, Refusal};
use super::guard::NAME;
use super::message::{self, Answer, Ending, Order, Ready, Setup};
use super::notify::{self, Listener};
use super::prestart::Prestarted;
use super::process_limit::{self, Refusals};
use super::server::Server;
use super::shared;
use super::tracer::{self, Tracer};
use super::view::{Namespaces, View};
use crate::descent;
use crate::limits::{Protection, Sandbox};
use crate::patience::lock;
use crate::process::{self, Failure, Look, Rules, Watch};
use crate::start::{self, Program, Start};
use crate::work_directory::Root;
use rustix::process::Pid;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::iter;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Duration;

/// Terminals that are private to a probe.
const TERMINALS: [&str; 3] = ["/dev/tty", "/dev/ptmx", "/dev/pts"];

/// Tuned constants.
struct Tuning {
    /// The time between two counts of the processes.
    count_pause: Duration,
    /// The longest wait between two checks of the clock; a suspended machine is detected by a longer gap.
    tick: Duration,
}

const TUNING: Tuning = Tuning { count_pause: Duration::from_millis(10), tick: Duration::from_millis(500) };

/// Runs probes until the client disappears. The calling thread is not confined, so that it can trace a run.
pub(super) fn attend(
    namespaces: Namespaces,
    setup: &Setup,
    root: &Root,
    socket: &UnixStream,
    view: Option<View>,
    refusals: Option<Refusals>,
) -> io::Result<()> {
    let has_scratch = view.as_ref().is_some_and(|view| view.has_scratch);
    let tracer = setup.tracing.clone().map(|tracing| Tracer::new(tracing, has_scratch)).map(Mutex::new);
    let (ends, end) = UnixStream::pair()?;
    let (hand_over, listener) = mpsc::channel();
    thread::scope(|scope| {
        let runner = thread::Builder::new().name(NAME.to_owned());
        let tracer = tracer.as_ref();
        let runner = runner.spawn_scoped(scope, move || {
            // Closed when all threads that are traced have ended.
            let _ends = ends;
            let watched = tracer.map(|tracer| (tracer, hand_over));
            run(namespaces, setup, root, socket, (view, refusals), watched)
        });
        let runner = match runner {
            Ok(runner) => runner,
            Err(error) => return message::send_text(socket, &Ready::NoProcess(number(&error))),
        };
        if let (Some(tracer), Ok(listener)) = (tracer, listener.recv()) {
            tracer::attend(&listener, end.as_fd(), tracer);
            lock(tracer).clean();
        }
        runner.join().unwrap_or_else(|_| Err(io::Error::other("the runner panicked")))
    })
}

/// Runs probes in the confined thread. If a run is traced, the descriptor for notifications is sent to the
/// other thread.
fn run(
    namespaces: Namespaces,
    setup: &Setup,
    root: &Root,
    socket: &UnixStream,
    (mut view, mut refusals): (Option<View>, Option<Refusals>),
    watched: Option<(&Mutex<Tracer>, Sender<Listener>)>,
) -> io::Result<()> {
    let rules = match confine::probe_rules(&setup.confinement) {
        Ok(rules) => rules,
        Err(refusal) => return message::send_text(socket, &Ready::NoConfinement(in_words(&refusal))),
    };
    let log = || watched.is_some().then(|| root.trace()).transpose();
    let (mut probe, log) = match Tested::new(setup, root, rules).and_then(|probe| Ok((probe, log()?))) {
        Ok(prepared) => prepared,
        Err(error) => return message::send_text(socket, &Ready::NoDirectory(number(&error))),
    };
    let tracer = watched.as_ref().map(|(tracer, _)| *tracer);
    let is_confined = setup.confinement.sandbox != Sandbox::Off;
    let found = Protection {
        landlock: 0,
        view: is_confined && view.is_some(),
        processes: namespaces.has_processes(),
    };
    let places = places(setup, root, view.as_ref());
    let confined = |()| confine::confine(&setup.confinement, &places, found);
    let noticed = |protection| trace(watched).map(|()| protection);
    let ready = match confine::limit(setup.limits).and_then(confined).and_then(noticed) {
        Ok(protection) => Ready::Yes(protection),
        Err(refusal) => Ready::NoConfinement(in_words(&refusal)),
    };
    if is_confined {
        // Prevents processes of the same user from inspecting or tracing this process.
        let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
    }
    message::send_text(socket, &ready)?;
    if !matches!(ready, Ready::Yes(_)) {
        return Ok(());
    }
    loop {
        let processes = setup.limits.processes;
        let mut orders =
            Orders { socket, processes, refusals: refusals.as_mut(), held: false, is_gone: false };
        probe.attend(&mut orders)?;
        let Ok(order) = Order::receive(socket) else { return Ok(()) };
        let answer = match order {
            Order::Begin(limit) => probe.begin(limit, &mut orders),
            Order::Go(limit) => probe.run(limit, &mut orders).map(Some),
            order => {
                probe.heed(order);
                Ok(None)
            }
        };
        let noted = answer.and_then(|answer| {
            if let Some(answer) = answer {
                after(answer, view.as_mut(), tracer.zip(log.as_ref()))?;
            }
            Ok(answer)
        });
        // An order about a probe that has just ended is ignored.
        let Some(mut answer) = given(noted, socket)? else { continue };
        if answer.ending.is_result() && orders.were_refused() {
            // The result is unreliable, because the probe could not start all its processes.
            answer.ending = Ending::TooMany;
        }
        if orders.is_gone {
            return Ok(());
        }
        answer.send(socket)?;
    }
}

/// Returns the answer, if there is one. After an error the warden ends: its directory is full or missing, so
/// later results would be unreliable. The error is sent first.
fn given(answer: io::Result<Option<Answer>>, socket: &UnixStream) -> io::Result<Option<Answer>> {
    if let Err(error) = &answer {
        let ending = Ending::NoDirectory(number(error));
        Answer { ending, elapsed: Duration::ZERO, written: [0; 2] }.send(socket)?;
    }
    answer
}

/// Prepares the next probe, and writes the records about this one.
fn after(
    answer: Answer,
    view: Option<&mut View>,
    watched: Option<(&Mutex<Tracer>, &File)>,
) -> io::Result<()> {
    if let Some(view) = view.filter(|_| answer.ending != Ending::Waits) {
        mend(view)?;
    }
    if let Some((tracer, mut log)) = watched {
        let trace = serde_json::to_vec(&lock(tracer).trace)?;
        log.set_len(0)?;
        log.write_all(&trace)?;
    }
    Ok(())
}

/// Returns the writable paths in addition to those that the user specified.
fn places<'s>(setup: &'s Setup, root: &'s Root, view: Option<&View>) -> Vec<&'s Path> {
    let mut places = vec![root.paths().path()];
    let is_strict = setup.confinement.sandbox == Sandbox::Strict;
    let is_scratch = |_: &&PathBuf| view.is_some_and(|view| view.has_scratch) || !is_strict;
    places.extend(setup.scratch.as_ref().filter(is_scratch).map(PathBuf::as_path));
    if let Some(view) = view.filter(|_| setup.confinement.sandbox != Sandbox::Off) {
        places.extend(view.devices.is_some().then_some(Path::new("/dev")));
        places.extend(TERMINALS.iter().filter(|_| view.has_terminals).map(Path::new));
    }
    places
}

/// Restores the resources of the warden that outlive a probe: devices, and System V memory.
fn mend(view: &mut View) -> io::Result<()> {
    if let Some(devices) = &mut view.devices {
        devices.mend()?;
    }
    if view.has_memory {
        shared::forget();
    }
    Ok(())
}

/// Starts tracing this thread and its processes, if requested.
fn trace(watched: Option<(&Mutex<Tracer>, Sender<Listener>)>) -> Result<(), Refusal> {
    let Some((_, hand_over)) = watched else { return Ok(()) };
    let listener = notify::listen(&tracer::calls(), &tracer::UNSEEN)
        .map_err(|error| format!("this kernel cannot report which files a run opens: {error}"))?;
    hand_over.send(listener).map_err(|_| "the thread that traces the run has ended".into())
}

pub(super) fn in_words(refusal: &Refusal) -> String {
    let mut words = refusal.to_string();
    let mut source = refusal.source();
    while let Some(error) = source {
        words = format!("{words}: {error}");
        source = error.source();
    }
    words
}

/// The test: a new process for each candidate, a process that was started early, or a server.
enum Tested<'s> {
    Process(Probe),
    Prestarted(Prestarted<'s>),
    Server(Server<'s>),
}

impl<'s> Tested<'s> {
    fn new(setup: &'s Setup, root: &'s Root, rules: Option<OwnedFd>) -> io::Result<Self> {
        Ok(match &setup.server {
            Some(places) => Self::Server(Server::new(setup, places, root, rules)?),
            None if setup.is_prestarted => {
                Self::Prestarted(Prestarted::new(Probe::new(setup, root, rules)?, root))
            }
            None => Self::Process(Probe::new(setup, root, rules)?),
        })
    }

    fn run(&mut self, limit: Duration, orders: &mut Orders<'_>) -> io::Result<Answer> {
        match self {
            Self::Process(probe) => probe.run(limit, orders),
            Self::Prestarted(prestarted) => prestarted.run(limit, orders),
            Self::Server(server) => server.run(limit, orders),
        }
    }

    /// Starts the process or the server of a later probe, if the test is of such a kind. A server returns no
    /// answer.
    fn begin(&mut self, limit: Duration, orders: &mut Orders<'_>) -> io::Result<Option<Answer>> {
        match self {
            Self::Prestarted(prestarted) => prestarted.begin(limit, orders).map(Some),
            Self::Server(server) => server.begin().map(|()| None),
            Self::Process(_) => Ok(None),
        }
    }

    /// Waits for an order, and supervises the running process.
    fn attend(&mut self, orders: &mut Orders<'_>) -> io::Result<()> {
        match self {
            Self::Prestarted(prestarted) => prestarted.attend(orders),
            Self::Process(_) | Self::Server(_) => Ok(()),
        }
    }

    /// Carries out an order while no probe runs.
    fn heed(&mut self, order: Order) {
        if let Self::Prestarted(prestarted) = self {
            prestarted.heed(order);
        }
    }
}

/// A command that is run repeatedly.
pub(super) struct Probe {
    pub(super) command: Box<dyn Start>,
    outputs: [File; 2],
    lengths: [u64; 2],
    cpu: Option<u64>,
}

impl Probe {
    fn new(setup: &Setup, root: &Root, rules: Option<OwnedFd>) -> io::Result<Self> {
        let outputs = root.outputs()?;
        let stream = |output: &File| output.try_clone().map(OwnedFd::from);
        let streams = [File::open("/dev/null")?.into(), stream(&outputs[0])?, stream(&outputs[1])?];
        let command = command(setup, &setup.directory, streams, rules)?;
        Ok(Self { command, outputs, lengths: [0; 2], cpu: setup.limits.cpu })
    }

    /// Returns the rules of a process with this time limit.
    pub(super) fn rules(&self, limit: Duration) -> Rules {
        Rules { limit, cpu: self.cpu, reaps: true }
    }

    /// Discards the output of the previous process.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        for (output, length) in self.outputs.iter().zip(&mut self.lengths) {
            if *length > 0 {
                output.set_len(0)?;
            }
            *length = 0;
        }
        Ok(())
    }

    fn run(&mut self, limit: Duration, orders: &mut Orders<'_>) -> io::Result<Answer> {
        self.clear()?;
        let rules = self.rules(limit);
        let (ending, elapsed) = ended(process::run(&mut *self.command, rules, orders));
        self.answer(ending, elapsed)
    }

    /// Returns the answer with the current lengths of the outputs.
    pub(super) fn answer(&mut self, ending: Ending, elapsed: Duration) -> io::Result<Answer> {
        for (output, length) in self.outputs.iter().zip(&mut self.lengths) {
            *length = output.metadata()?.len();
        }
        Ok(Answer { ending, elapsed, written: self.lengths })
    }
}

/// Returns how a process ended, and its duration.
pub(super) fn ended(run: Result<(process::ProcessEnd, Duration), Failure>) -> (Ending, Duration) {
    match run {
        Ok((ending, elapsed)) => (told(&ending), elapsed),
        Err(Failure::Start(error)) => (Ending::NoStart(number(&error)), Duration::ZERO),
        Err(Failure::Wait(error)) => (Ending::NoWait(number(&error)), Duration::ZERO),
    }
}

/// Creates the command of the test. `PWD` and `TMPDIR` are already set in this process.
pub(super) fn command(
    setup: &Setup,
    directory: &Path,
    streams: [OwnedFd; 3],
    rules: Option<OwnedFd>,
) -> io::Result<Box<dyn Start>> {
    let Setup { program, arguments, .. } = setup;
    let Some(path) = found(program) else {
        let [input, output, errors] = streams.map(Stdio::from);
        let mut command = Command::new(program);
        command.args(arguments).current_dir(directory).stdin(input).stdout(output).stderr(errors);
        start::apart(&mut command, rules);
        return Ok(Box::new(command));
    };
    let words = iter::once(program).chain(arguments).map(OsString::as_os_str);
    Ok(Box::new(Program::new(&path, words, directory, streams, rules)?))
}

pub(super) fn told(ending: &process::ProcessEnd) -> Ending {
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

/// Returns the path of a program. A name without a slash is searched in `PATH` once, which saves each probe
/// the failed attempts. If it is not found here, the system searches it.
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

/// Receives orders while a probe runs.
pub(super) struct Orders<'s> {
    socket: &'s UnixStream,
    /// The maximum number of processes.
    processes: Option<usize>,
    /// Reports whether the control group was full, if there is one.
    refusals: Option<&'s mut Refusals>,
    held: bool,
    /// Whether the client has disappeared.
    pub(super) is_gone: bool,
}

impl Orders<'_> {
    /// Returns whether there are too many processes.
    pub(super) fn are_too_many(&mut self) -> bool {
        let exceeds = |most| process_limit::may_exceed(most) && descent::count(most) > most;
        self.were_refused() || self.processes.is_some_and(exceeds)
    }

    /// Returns whether the control group has refused a process since the last check.
    fn were_refused(&mut self) -> bool {
        self.refusals.as_mut().is_some_and(|refusals| refusals.are_new())
    }
}

impl Watch for Orders<'_> {
    fn descriptors(&self) -> [Option<BorrowedFd<'_>>; 2] {
        [Some(self.socket.as_fd()), None]
    }

    fn tick(&self) -> Duration {
        if self.processes.is_some() { TUNING.count_pause } else { TUNING.tick }
    }

    fn look(&mut self, _: Pid, readable: [bool; 2]) -> io::Result<Look> {
        if readable[0] {
            match Order::receive(self.socket) {
                Ok(Order::Hold) => self.held = true,
                Ok(Order::Continue) => self.held = false,
                Ok(Order::Stop) => return Ok(Look::Stop),
                Ok(Order::Go(_) | Order::Begin(_)) | Err(_) => {
                    self.is_gone = true;
                    return Ok(Look::Stop);
                }
            }
        }
        if self.are_too_many() {
            return Ok(Look::TooMany);
        }
        Ok(if self.held { Look::Hold } else { Look::GoOn })
    }
}

/// Returns the number of a system error; 5 (`EIO`) if it has none.
pub(super) fn number(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(libc::EIO)
}
