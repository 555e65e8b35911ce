//! The outer process of a warden. It creates the directory, starts the inner process in new namespaces, and
//! cleans up when the inner process ends for any reason.
//!
//! It is not confined and runs no probes. With PID namespaces, probes cannot see it.

use super::message::{self, Ready, Setup};
use super::process_limit::{Group, Refusals};
use super::serve::{attend, in_words, number};
use super::view::{self, Namespaces, View};
use crate::descent;
use crate::shortage::is_shortage;
use crate::work_directory::{Paths, Root};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The name of the process in process lists. It differs from the name of the program, so that `killall` does
/// not end the process before it has cleaned up.
pub(super) const NAME: &str = "oracle-warden";

/// Tuned constants.
struct Tuning {
    /// How long the inner process can take to end its probe after its client has disappeared; killed
    /// processes can wait for a disk.
    farewell: Duration,
    /// The time between two checks of the inner process, if the system has no process descriptors.
    look: Duration,
}

const TUNING: Tuning = Tuning { farewell: Duration::from_secs(6), look: Duration::from_millis(20) };

/// Works as a warden until the parent closes the socket on standard input, or dies.
///
/// A program that uses [`Helper::this_program`](super::Helper::this_program) must call this at the start of
/// `main` if its first argument is [`WORD`](super::WORD), and return the result.
#[must_use]
pub fn serve() -> ExitCode {
    match guard() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn guard() -> io::Result<()> {
    close_inherited();
    let name = std::ffi::CString::new(NAME)?;
    rustix::thread::set_name(&name)?;
    let socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let setup: Setup = message::receive_text(&socket)?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
    let made = Root::make(Paths::at(setup.root.clone()));
    let made = made.and_then(|root| {
        if !setup.replaced.is_empty() {
            root.make_stand_ins()?;
        }
        root.make_logs(setup.confinement.logs.len())?;
        root.make_word()?;
        Ok(root)
    });
    let root = match made {
        Ok(root) => root,
        Err(error) => return message::send_text(&socket, &Ready::NoDirectory(number(&error))),
    };
    let group = setup.limits.processes.and_then(Group::make);
    let inner = match start(&setup, &root, &socket, group.as_ref()) {
        Ok(inner) => inner,
        Err(refused) => return message::send_text(&socket, &refused),
    };
    let ended = inner.wait(&socket);
    descent::end_all();
    drop(group);
    ended
}

/// Closes all inherited descriptors except the standard streams: locks and jobservers of the shell must not
/// be inherited by probes.
fn close_inherited() {
    // SAFETY: this process has not opened any files yet.
    if unsafe { libc::close_range(3, u32::MAX, 0) } == 0 {
        return;
    }
    let open = std::fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let open: Vec<i32> = open.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for number in open.into_iter().filter(|number| *number > 2) {
        // SAFETY: as above.
        unsafe { libc::close(number) };
    }
}

/// Starts the inner process in as many namespaces as the system allows. If required namespaces are
/// unavailable, returns the answer with the reason. A shortage of processes never leads to fewer namespaces.
fn start(setup: &Setup, root: &Root, socket: &UnixStream, group: Option<&Group>) -> Result<Inner, Ready> {
    let mut last = "no namespaces are available".to_owned();
    let needs_view = !setup.replaced.is_empty() || !setup.confinement.hidden.is_empty();
    for namespaces in Namespaces::choices(&setup.confinement, needs_view) {
        match Inner::start(namespaces, setup, root, socket, group) {
            Ok(inner) => return Ok(inner),
            Err(Refused::Shortage(error)) => return Err(Ready::NoProcess(number(&error))),
            Err(Refused::Other(refusal)) => last = refusal,
        }
    }
    Err(Ready::NoConfinement(last))
}

enum Refused {
    /// The system has no free process.
    Shortage(io::Error),
    /// Another reason, as text.
    Other(String),
}

impl From<String> for Refused {
    fn from(refusal: String) -> Self {
        Self::Other(refusal)
    }
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        if is_shortage(&error) { Self::Shortage(error) } else { Self::Other(error.to_string()) }
    }
}

struct Inner {
    id: Pid,
    handle: Option<OwnedFd>,
}

impl Inner {
    /// Starts the process, and waits until it has set up its mount namespace.
    fn start(
        namespaces: Namespaces,
        setup: &Setup,
        root: &Root,
        socket: &UnixStream,
        group: Option<&Group>,
    ) -> Result<Self, Refused> {
        let refusals = group.and_then(Group::refusals);
        let (mut ready, told) = UnixStream::pair()?;
        let ids = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        // SAFETY: this process has one thread and holds no lock, so its copy can call any function.
        let number =
            unsafe { libc::syscall(libc::SYS_clone, namespaces.flags() | libc::SIGCHLD, 0, 0, 0, 0) };
        if number == 0 {
            drop(ready);
            run(Inside { namespaces, setup, root, socket, ids, refusals }, told);
        }
        let id = i32::try_from(number).ok().filter(|number| *number > 0).and_then(Pid::from_raw);
        let id = id.ok_or_else(io::Error::last_os_error)?;
        drop(told);
        let is_grouped = group.is_some_and(|group| group.take(id).is_ok());
        // If the process has already ended, the write fails and the reply is empty.
        let _ = ready.write_all(&[u8::from(is_grouped)]);
        let mut said = Vec::new();
        let received = ready.read_to_end(&mut said);
        let inner = Self { id, handle: rustix::process::pidfd_open(id, PidfdFlags::empty()).ok() };
        match (received, said.split_first()) {
            (Ok(_), Some((&MADE, _))) => Ok(inner),
            (Ok(_), Some((_, refusal))) => {
                inner.end();
                Err(Refused::Other(String::from_utf8_lossy(refusal).into_owned()))
            }
            _ => {
                inner.end();
                Err(Refused::Other("the inner supervisor process ended immediately".to_owned()))
            }
        }
    }

    /// Waits until the process has ended. If the client disappears, the process is ended after a while.
    fn wait(self, socket: &UnixStream) -> io::Result<()> {
        let mut deadline: Option<Instant> = None;
        loop {
            let is_gone = self.look(socket, deadline)?;
            if rustix::process::waitpid(Some(self.id), WaitOptions::NOHANG)?.is_some() {
                return Ok(());
            }
            match deadline {
                None if is_gone => {
                    // The process can have been stopped by a signal.
                    let _ = rustix::process::kill_process(self.id, Signal::CONT);
                    deadline = Some(Instant::now() + TUNING.farewell);
                }
                Some(deadline) if Instant::now() > deadline => {
                    self.end();
                    return Ok(());
                }
                _ => {}
            }
        }
    }

    /// Waits for the end of the process, the deadline, or the end of the client; returns whether the client
    /// has disappeared.
    fn look(&self, socket: &UnixStream, deadline: Option<Instant>) -> io::Result<bool> {
        let mut waiting = Vec::new();
        if deadline.is_none() {
            // Messages are for the inner process; this process only checks whether the socket is closed.
            waiting.push(PollFd::new(socket, PollFlags::empty()));
        }
        waiting.extend(self.handle.as_ref().map(|handle| PollFd::new(handle, PollFlags::IN)));
        let limit = match (deadline, &self.handle) {
            (None, Some(_)) => None,
            _ => Some(Timespec::try_from(TUNING.look).map_err(io::Error::other)?),
        };
        match rustix::event::poll(&mut waiting, limit.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(deadline.is_none() && waiting[0].revents().intersects(PollFlags::HUP | PollFlags::ERR))
    }

    fn end(&self) {
        let _ = rustix::process::kill_process(self.id, Signal::KILL);
        let _ = crate::process::reap(self.id);
    }
}

/// The first byte of the reply if the setup succeeded.
const MADE: u8 = 0;
/// The first byte of the reply if the setup failed; the reason follows.
const REFUSED: u8 = 1;

/// The initial state of the inner process.
struct Inside<'i> {
    namespaces: Namespaces,
    setup: &'i Setup,
    root: &'i Root,
    socket: &'i UnixStream,
    ids: (u32, u32),
    /// Reports whether the control group was full, if there is one.
    refusals: Option<Refusals>,
}

/// The entry point of the inner process.
fn run(inside: Inside<'_>, mut told: UnixStream) -> ! {
    let Inside { namespaces, setup, root, socket, ids, refusals } = inside;
    let mut is_grouped = [0];
    // The process starts its work only after it has been added to its control group.
    let _ = told.read_exact(&mut is_grouped);
    let refusals = refusals.filter(|_| is_grouped != [0]);
    let processes = setup.limits.processes.filter(|_| refusals.is_none());
    let done = make_view(namespaces, setup, root, ids, processes);
    let code = match done {
        Err(refusal) => {
            let _ = told.write_all(&[&[REFUSED], refusal.as_bytes()].concat());
            1
        }
        Ok(view) => {
            let _ = told.write_all(&[MADE]);
            drop(told);
            i32::from(attend(namespaces, setup, root, socket, view, refusals).is_err())
        }
    };
    // SAFETY: no cleanup of the outer process must run here.
    unsafe { libc::_exit(code) }
}

fn make_view(
    namespaces: Namespaces,
    setup: &Setup,
    root: &Root,
    ids: (u32, u32),
    processes: Option<usize>,
) -> Result<Option<View>, String> {
    let text = |error: rustix::io::Errno| error.to_string();
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL)).map_err(text)?;
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).map_err(text)?;
    if !namespaces.has_files() {
        return Ok(None);
    }
    let replaced = setup.replaced.iter().enumerate();
    let pairs: Vec<(PathBuf, PathBuf)> =
        replaced.map(|(at, path)| (root.paths().stand_in(at), path.clone())).collect();
    let plan = view::Plan {
        paths: root.paths(),
        confinement: &setup.confinement,
        scratch: setup.scratch.as_deref(),
        pairs: &pairs,
        seen: &setup.seen,
        memory: setup.limits.memory,
        processes,
    };
    view::make(namespaces, &plan, ids).map(Some).map_err(|refusal| in_words(&refusal))
}
