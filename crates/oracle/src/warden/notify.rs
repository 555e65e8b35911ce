//! Receives system calls from the kernel (`seccomp_unotify(2)`): each selected call is suspended until this
//! program has answered.
//!
//! The calls are interpreted in `tracer`.

use super::seccomp::{self, Action, Rule};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

/// `SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP`: since Linux 6.6, caller and listener run on the same core, so
/// neither waits for another core to wake up. Each call then takes a fraction of the time.
const SYNC_WAKE_UP: u64 = 1;

/// A system call that waits for an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    id: u64,
    /// The calling thread.
    pub thread: u32,
    pub number: i64,
    pub arguments: [u64; 6],
}

/// The reply to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// The call is performed.
    GoOn,
    /// It fails with this error number.
    Fail(i32),
}

/// The descriptor that receives the calls.
#[derive(Debug)]
pub(super) struct Listener(OwnedFd);

/// Receives each of these system calls of the calling thread and of all processes that it starts afterwards.
/// Calls in `refused` fail as if the kernel did not implement them.
///
/// # Errors
/// Returns an error if the kernel does not support notifications, or if another listener exists.
pub(super) fn listen(calls: &[i64], refused: &[i64]) -> io::Result<Listener> {
    let rules = |numbers: &[i64], action| -> Vec<Rule> {
        numbers.iter().map(|number| Rule::new(*number, action)).collect()
    };
    let rules = [rules(calls, Action::Notify), rules(refused, Action::Fail(libc::ENOSYS))].concat();
    let listener = seccomp::listen(&rules)?;
    // SAFETY: the kernel reads a number, and rejects unknown flags.
    unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SET_FLAGS, SYNC_WAKE_UP) };
    Ok(Listener(listener))
}

impl Listener {
    /// Waits for the next call.
    ///
    /// # Errors
    /// Returns an error if the caller has died (`ENOENT`), or if no process can make calls any more.
    pub fn receive(&self) -> io::Result<Call> {
        let mut call = MaybeUninit::<libc::seccomp_notif>::zeroed();
        // SAFETY: the kernel requires a zeroed structure of this type, and fills it.
        let call = unsafe {
            if libc::ioctl(self.0.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, call.as_mut_ptr()) < 0 {
                return Err(io::Error::last_os_error());
            }
            call.assume_init()
        };
        Ok(Call { id: call.id, thread: call.pid, number: i64::from(call.data.nr), arguments: call.data.args })
    }

    /// Returns whether the caller still waits. Otherwise, the memory that was read can belong to another
    /// process.
    pub fn is_waiting(&self, call: &Call) -> bool {
        // SAFETY: the kernel reads a number.
        unsafe {
            libc::ioctl(self.0.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_ID_VALID, &raw const call.id) == 0
        }
    }

    /// Answers a call. If the caller has died, this has no effect.
    pub fn answer(&self, call: &Call, reply: Reply) {
        let (error, flags) = match reply {
            Reply::GoOn => (0, libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32),
            Reply::Fail(error) => (-error, 0),
        };
        let mut answer = libc::seccomp_notif_resp { id: call.id, val: 0, error, flags };
        // SAFETY: the kernel reads the structure.
        unsafe {
            libc::ioctl(self.0.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw mut answer);
        }
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
