//! The outer process of a warden: it makes the directory, starts the inner one in namespaces of its own, and cleans up
//! after it, whatever becomes of it.
//!
//! It is not confined and runs no probe. Where there are namespaces, no probe can see it.

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

/// The name of the process in lists of processes: it is not the program's name, so that `killall` spares the process,
/// and it can clean up.
pub(super) const NAME: &str = "oracle-warden";

/// The numbers that were tuned.
struct Tuning {
    /// The inner process may take this long to end its probe once there is nobody left to give orders: killed processes
    /// may wait for a disk.
    farewell: Duration,
    /// The time between two looks at the inner process, where the system has no descriptor for it.
    look: Duration,
}

const TUNING: Tuning = Tuning { farewell: Duration::from_secs(6), look: Duration::from_millis(20) };

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

/// Closes what this process has inherited beside the standard streams: a lock or a jobserver of the shell's is not the
/// probes'.
fn close_inherited() {
    // SAFETY: this process has opened nothing yet.
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

/// Starts the inner process, in as many namespaces as it can have. If it has fewer than it needs, the answer to the setup
/// is returned that says why. A shortage of processes is never a reason for fewer namespaces.
fn start(setup: &Setup, root: &Root, socket: &UnixStream, group: Option<&Group>) -> Result<Inner, Ready> {
    let mut last = "no namespaces can be had".to_owned();
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

/// The reason why the inner process could not be started.
enum Refused {
    /// The system has no process left.
    Shortage(io::Error),
    /// Anything else, in words.
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

/// The inner process.
struct Inner {
    id: Pid,
    handle: Option<OwnedFd>,
}

impl Inner {
    /// Starts it, and waits until it has its view of the files.
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
        // SAFETY: this process has one thread and holds no lock, so its copy may do whatever it might.
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
        // If it has ended already, it says nothing.
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
                Err(Refused::Other("the process that runs the probes ended at once".to_owned()))
            }
        }
    }

    /// Waits until it has ended; if there is nobody left to give orders, it is ended after a while.
    fn wait(self, socket: &UnixStream) -> io::Result<()> {
        let mut deadline: Option<Instant> = None;
        loop {
            let is_gone = self.look(socket, deadline)?;
            if rustix::process::waitpid(Some(self.id), WaitOptions::NOHANG)?.is_some() {
                return Ok(());
            }
            match deadline {
                None if is_gone => {
                    // It may have been stopped.
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

    /// Waits for its end, for the deadline, or until nobody is left to give orders; tells whether that is so.
    fn look(&self, socket: &UnixStream, deadline: Option<Instant>) -> io::Result<bool> {
        let mut waiting = Vec::new();
        if deadline.is_none() {
            // What comes is for the other process: only the end is of interest here.
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

/// The first byte of what the inner process says: it has its view.
const MADE: u8 = 0;
/// The first byte of what the inner process says: it has none, and why.
const REFUSED: u8 = 1;

/// The state that the inner process begins with.
struct Inside<'i> {
    namespaces: Namespaces,
    setup: &'i Setup,
    root: &'i Root,
    socket: &'i UnixStream,
    ids: (u32, u32),
    /// Tells whether its control group was full, if it has one.
    refusals: Option<Refusals>,
}

/// The inner process, from its first instruction on.
fn run(inside: Inside<'_>, mut told: UnixStream) -> ! {
    let Inside { namespaces, setup, root, socket, ids, refusals } = inside;
    let mut is_grouped = [0];
    // Nothing runs before it is in its group.
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
    // SAFETY: nothing that the outer process has made is undone here.
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
