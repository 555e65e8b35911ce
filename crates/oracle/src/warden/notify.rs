//! The kernel's notifications of system calls (`seccomp_unotify(2)`): the calls that somebody wants to see stand still
//! until that one has answered.
//!
//! It knows numbers only; what a call means is said in `tracer`.

use libc::{c_int, c_ulong, sock_filter, sock_fprog};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// The offset of the number of a call in the data that a filter reads (`struct seccomp_data`).
const NUMBER: u32 = 0;
/// The offset of the kind of machine in that data.
const MACHINE: u32 = 4;

/// The kind of this machine (`AUDIT_ARCH_X86_64` of Linux).
#[cfg(target_arch = "x86_64")]
const THIS_MACHINE: u32 = 0xC000_003E;
/// The kind of this machine (`AUDIT_ARCH_AARCH64` of Linux).
#[cfg(target_arch = "aarch64")]
const THIS_MACHINE: u32 = 0xC000_00B7;
/// The kind of this machine, which is not supported.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const THIS_MACHINE: u32 = 0;

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
    if THIS_MACHINE == 0 {
        return Err(io::ErrorKind::Unsupported.into());
    }
    rustix::thread::set_no_new_privs(true)?;
    let mut filter = filter(calls, refused);
    let program = sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: the kernel copies the program, which lives until the call returns.
    let listener = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            c_ulong::from(libc::SECCOMP_SET_MODE_FILTER),
            libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
            &raw const program,
        )
    };
    if listener < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made this descriptor, and nobody else knows it.
    Ok(Listener(unsafe { OwnedFd::from_raw_fd(listener as c_int) }))
}

/// Programs for another kind of machine have other numbers, and go unnoticed.
fn filter(calls: &[i64], refused: &[i64]) -> Vec<sock_filter> {
    let load = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    let jump = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    let end = (libc::BPF_RET | libc::BPF_K) as u16;
    let step = |code, k, jt, jf| sock_filter { code, jt, jf, k };
    let all = calls.len() + refused.len();
    // Three ends stand after the comparisons: allow, notify, refuse.
    let mut filter =
        vec![step(load, MACHINE, 0, 0), step(jump, THIS_MACHINE, 0, all as u8 + 1), step(load, NUMBER, 0, 0)];
    for (at, number) in calls.iter().chain(refused).enumerate() {
        let left = (all - at - 1) as u8;
        let over = if at < calls.len() { left + 1 } else { left + 2 };
        filter.push(step(jump, *number as u32, over, 0));
    }
    filter.push(step(end, libc::SECCOMP_RET_ALLOW, 0, 0));
    filter.push(step(end, libc::SECCOMP_RET_USER_NOTIF, 0, 0));
    filter.push(step(end, libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32, 0, 0));
    filter
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
