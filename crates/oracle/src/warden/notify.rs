//! The kernel's notifications of system calls (`seccomp_unotify(2)`): the calls that somebody wants to see stand still
//! until that one has answered.
//!
//! It knows numbers only; what a call means is said in `tracer`.

use super::seccomp::{self, Action, Rule};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

/// `SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP`: since Linux 6.6, caller and listener run on the same core, so that neither waits until another core
/// has woken up. Each call takes a fraction of the time then.
const SYNC_WAKE_UP: u64 = 1;

/// A call that waits for an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    id: u64,
    /// The thread that called.
    pub thread: u32,
    pub number: i64,
    pub arguments: [u64; 6],
}

/// The reply to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// It is done as it was asked for.
    GoOn,
    /// It fails with this error number.
    Fail(i32),
}

/// The descriptor at which calls are noticed.
#[derive(Debug)]
pub(super) struct Listener(OwnedFd);

/// Has each of these calls of the calling thread, and of all processes that it starts from then on, noticed. Calls with
/// the numbers in `refused` fail as if this kernel did not have them.
///
/// # Errors
/// Returns an error if this kernel has no notifications, or somebody else listens already.
pub(super) fn listen(calls: &[i64], refused: &[i64]) -> io::Result<Listener> {
    let rules = |numbers: &[i64], action| -> Vec<Rule> {
        numbers.iter().map(|number| Rule::new(*number, action)).collect()
    };
    let rules = [rules(calls, Action::Notify), rules(refused, Action::Fail(libc::ENOSYS))].concat();
    let listener = seccomp::listen(&rules)?;
    // SAFETY: the kernel reads a number, and refuses it where it does not know the flag.
    unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SET_FLAGS, SYNC_WAKE_UP) };
    Ok(Listener(listener))
}

impl Listener {
    /// The next call; it waits for one.
    ///
    /// # Errors
    /// Returns an error if the caller has died meanwhile (`ENOENT`), or nobody is left who could call.
    pub fn receive(&self) -> io::Result<Call> {
        let mut call = MaybeUninit::<libc::seccomp_notif>::zeroed();
        // SAFETY: the kernel wants a zeroed structure of this kind, and fills it.
        let call = unsafe {
            if libc::ioctl(self.0.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, call.as_mut_ptr()) < 0 {
                return Err(io::Error::last_os_error());
            }
            call.assume_init()
        };
        Ok(Call { id: call.id, thread: call.pid, number: i64::from(call.data.nr), arguments: call.data.args })
    }

    /// Tells whether the caller still waits: only then the memory that was read was its own.
    pub fn is_waiting(&self, call: &Call) -> bool {
        // SAFETY: the kernel reads a number.
        unsafe {
            libc::ioctl(self.0.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_ID_VALID, &raw const call.id) == 0
        }
    }

    /// Answers a call; a caller that has died needs no answer.
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
