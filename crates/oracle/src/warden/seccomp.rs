//! System call filters (`seccomp(2)`): the rules, the program that the kernel runs for each call, and the
//! list of calls that tests do not need.
//!
//! 32-bit programs have other call numbers, so each rule can have two numbers.

use libc::{c_ulong, sock_filter, sock_fprog};
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};

/// The offset of the call number in the input of a filter (`struct seccomp_data`).
const NUMBER: u32 = 0;
/// The offset of the architecture in the input.
const MACHINE: u32 = 4;
/// The offset of the first argument in the input; its lower half comes first.
const ARGUMENTS: u32 = 16;
/// The bit that marks calls of the x32 interface, which has the same architecture as x86-64.
const X32: u32 = 0x4000_0000;

/// The architecture of this machine (`AUDIT_ARCH_X86_64`), and that of 32-bit programs on it
/// (`AUDIT_ARCH_I386`).
#[cfg(target_arch = "x86_64")]
const MACHINES: (u32, u32) = (0xC000_003E, 0x4000_0003);
/// The architecture of this machine (`AUDIT_ARCH_AARCH64`), and that of 32-bit programs on it
/// (`AUDIT_ARCH_ARM`).
#[cfg(target_arch = "aarch64")]
const MACHINES: (u32, u32) = (0xC000_00B7, 0x4000_0028);
/// This architecture is not supported.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const MACHINES: (u32, u32) = (0, 0);

/// The action of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// The call fails with this error number.
    Fail(i32),
    /// The call waits for the listener.
    Notify,
}

/// A condition on the lower half of an argument.
#[derive(Clone, Copy, Debug)]
pub(super) enum Test {
    /// The argument is this value.
    Is(u32, u32),
    /// The argument is another value.
    IsNot(u32, u32),
}

#[derive(Clone, Debug)]
pub(super) struct Rule {
    /// The call number on this machine.
    number: i64,
    /// The call number in 32-bit programs on this machine.
    other: Option<u32>,
    /// The conditions, which must all hold.
    tests: Vec<Test>,
    action: Action,
}

impl Rule {
    pub fn new(number: i64, action: Action) -> Self {
        Self { number, other: None, tests: Vec::new(), action }
    }

    /// Sets the call number in 32-bit programs on an x86 machine.
    pub fn in_32_bits(mut self, number: u32) -> Self {
        self.other = Some(number);
        self
    }

    pub fn when(mut self, tests: impl IntoIterator<Item = Test>) -> Self {
        self.tests.extend(tests);
        self
    }
}

/// Applies a filter to the calling thread and to all processes that it starts afterwards.
///
/// # Errors
/// Returns an error if the kernel does not support filters.
pub(super) fn apply(rules: &[Rule]) -> io::Result<()> {
    install(rules, 0).map(drop)
}

/// Applies a filter as above, and returns the descriptor for calls with [`Action::Notify`].
///
/// # Errors
/// Returns an error if the kernel does not support notifications, or if another listener exists.
pub(super) fn listen(rules: &[Rule]) -> io::Result<OwnedFd> {
    let listener = install(rules, libc::SECCOMP_FILTER_FLAG_NEW_LISTENER)?;
    // SAFETY: the kernel has just created this descriptor, and it has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(listener) })
}

fn install(rules: &[Rule], flags: c_ulong) -> io::Result<i32> {
    if MACHINES.0 == 0 {
        return Err(io::ErrorKind::Unsupported.into());
    }
    rustix::thread::set_no_new_privs(true)?;
    let mut filter = program(rules);
    let length = filter.len().try_into().map_err(io::Error::other)?;
    let program = sock_fprog { len: length, filter: filter.as_mut_ptr() };
    let mode = c_ulong::from(libc::SECCOMP_SET_MODE_FILTER);
    // SAFETY: the kernel copies the program, which lives until the call returns.
    let done = unsafe { libc::syscall(libc::SYS_seccomp, mode, flags, &raw const program) };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(done as i32) }
}

fn step(code: u32, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code: code as u16, jt, jf, k }
}

fn load(offset: u32) -> sock_filter {
    step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, offset, 0, 0)
}

fn jump_if(condition: u32, value: u32, jt: u8, jf: u8) -> sock_filter {
    step(libc::BPF_JMP | condition | libc::BPF_K, value, jt, jf)
}

fn end(action: u32) -> sock_filter {
    step(libc::BPF_RET | libc::BPF_K, action, 0, 0)
}

/// Compiles the rules: one section for each architecture, with one comparison after another. For calls
/// without conditions on arguments, the kernel runs the program once and caches the result.
fn program(rules: &[Rule]) -> Vec<sock_filter> {
    let own: Vec<(u32, &Rule)> = rules.iter().map(|rule| (rule.number as u32, rule)).collect();
    let other: Vec<(u32, &Rule)> = rules.iter().filter_map(|rule| Some((rule.other?, rule))).collect();
    let is_x86 = cfg!(target_arch = "x86_64");
    let other = if other.is_empty() || is_x86 {
        part(&other, false)
    } else {
        // The rules have no call numbers for 32-bit programs on this machine, so such programs cannot run.
        vec![end(libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32)]
    };
    let mut program = vec![load(MACHINE)];
    for (machine, part) in [(MACHINES.0, part(&own, is_x86)), (MACHINES.1, other)] {
        // A section can be longer than the range of a conditional jump.
        program.push(jump_if(libc::BPF_JEQ, machine, 1, 0));
        program.push(step(libc::BPF_JMP | libc::BPF_JA, part.len() as u32, 0, 0));
        program.extend(part);
    }
    program.push(end(libc::SECCOMP_RET_ALLOW));
    program
}

fn part(rules: &[(u32, &Rule)], has_x32: bool) -> Vec<sock_filter> {
    let mut part = vec![load(NUMBER)];
    if has_x32 {
        part.push(jump_if(libc::BPF_JGE, X32, 0, 1));
        part.push(end(libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32));
    }
    for (number, rule) in rules {
        let action = match rule.action {
            Action::Fail(error) => libc::SECCOMP_RET_ERRNO | error as u32,
            Action::Notify => libc::SECCOMP_RET_USER_NOTIF,
        };
        let mut body = Vec::new();
        for (at, test) in rule.tests.iter().enumerate() {
            // The number of remaining instructions of the body, without the load of the number at its end.
            let over = (2 * (rule.tests.len() - at - 1) + 1) as u8;
            let (argument, value, jumps) = match *test {
                Test::Is(argument, value) => (argument, value, (0, over)),
                Test::IsNot(argument, value) => (argument, value, (over, 0)),
            };
            body.push(load(ARGUMENTS + 8 * argument));
            body.push(jump_if(libc::BPF_JEQ, value, jumps.0, jumps.1));
        }
        body.push(end(action));
        if !rule.tests.is_empty() {
            body.push(load(NUMBER));
        }
        part.push(jump_if(libc::BPF_JEQ, *number, 0, body.len() as u8));
        part.extend(body);
    }
    part.push(end(libc::SECCOMP_RET_ALLOW));
    part
}

/// `open_tree_attr(2)`, since Linux 6.15, which combines `open_tree` and `mount_setattr`; its number is the
/// same on all machines.
const OPEN_TREE_ATTR: i64 = 467;
/// The `ioctl` that inserts a byte into the input of a terminal (`TIOCSTI`).
const TYPE: u32 = 0x5412;
/// The `ioctl` by which a console pastes text and performs other actions (`TIOCLINUX`).
const CONSOLE: u32 = 0x541C;

/// The rules against calls that tests do not need: calls that affect other processes, the kernel or the whole
/// machine, and calls with many of the recent kernel vulnerabilities.
pub(super) fn needless() -> Vec<Rule> {
    let refused = |number, in_32_bits| Rule::new(number, Action::Fail(libc::EPERM)).in_32_bits(in_32_bits);
    let unknown = |number, in_32_bits| Rule::new(number, Action::Fail(libc::ENOSYS)).in_32_bits(in_32_bits);
    let mut rules = vec![
        // The user's key rings.
        refused(libc::SYS_add_key, 286),
        refused(libc::SYS_request_key, 287),
        refused(libc::SYS_keyctl, 288),
        // The kernel and the machine.
        refused(libc::SYS_bpf, 357),
        refused(libc::SYS_perf_event_open, 336),
        refused(libc::SYS_init_module, 128),
        refused(libc::SYS_finit_module, 350),
        refused(libc::SYS_delete_module, 129),
        refused(libc::SYS_kexec_load, 283),
        refused(libc::SYS_reboot, 88),
        refused(libc::SYS_swapon, 87),
        refused(libc::SYS_swapoff, 115),
        refused(libc::SYS_settimeofday, 79),
        refused(libc::SYS_clock_settime, 264),
        refused(libc::SYS_sethostname, 74),
        refused(libc::SYS_setdomainname, 121),
        refused(libc::SYS_acct, 51),
        refused(libc::SYS_quotactl, 131),
        refused(libc::SYS_quotactl_fd, 443),
        refused(libc::SYS_vhangup, 111),
        // Mounts, and opening files by handle.
        refused(libc::SYS_mount, 21),
        refused(libc::SYS_umount2, 52),
        refused(libc::SYS_pivot_root, 217),
        refused(libc::SYS_setns, 346),
        refused(libc::SYS_open_tree, 428),
        refused(libc::SYS_move_mount, 429),
        refused(libc::SYS_fsopen, 430),
        refused(libc::SYS_fsmount, 432),
        refused(libc::SYS_fspick, 433),
        refused(libc::SYS_mount_setattr, 442),
        refused(OPEN_TREE_ATTR, OPEN_TREE_ATTR as u32),
        refused(libc::SYS_open_by_handle_at, 342),
        refused(libc::SYS_userfaultfd, 374),
        // Calls that bypass the other rules; programs work without them.
        unknown(libc::SYS_io_uring_setup, 425),
        unknown(libc::SYS_io_uring_enter, 426),
        unknown(libc::SYS_io_uring_register, 427),
        // The limits of other processes, which could also be processes of the user.
        refused(libc::SYS_prlimit64, 340).when([Test::IsNot(0, 0)]),
        refused(libc::SYS_ioctl, 54).when([Test::Is(1, TYPE)]),
        refused(libc::SYS_ioctl, 54).when([Test::Is(1, CONSOLE)]),
    ];
    #[cfg(target_arch = "x86_64")]
    rules.extend([refused(libc::SYS_iopl, 110), refused(libc::SYS_ioperm, 101)]);
    rules
}

/// The rules that forbid all sockets except Unix and netlink sockets.
pub(super) fn no_network() -> Vec<Rule> {
    let foreign = [Test::IsNot(0, libc::AF_UNIX as u32), Test::IsNot(0, libc::AF_NETLINK as u32)];
    let refused = |number| Rule::new(number, Action::Fail(libc::EACCES));
    vec![
        refused(libc::SYS_socket).in_32_bits(359).when(foreign),
        refused(libc::SYS_socketpair).in_32_bits(360).when(foreign),
        // Older 32-bit programs specify the kind of socket in memory, which a filter cannot read.
        Rule { number: -1, ..refused(-1).in_32_bits(102) },
    ]
}

/// The rules that forbid System V memory, queues and semaphores. Without an IPC namespace, they would outlive
/// the test (`sysvipc(7)`).
pub(super) fn no_shared_memory() -> Vec<Rule> {
    let full = |number, in_32_bits| Rule::new(number, Action::Fail(libc::ENOSPC)).in_32_bits(in_32_bits);
    vec![
        full(libc::SYS_shmget, 395),
        full(libc::SYS_msgget, 399),
        full(libc::SYS_semget, 393),
        // Older 32-bit programs create all of them by one call, whose argument has several meanings.
        Rule { number: -1, ..Rule::new(-1, Action::Fail(libc::ENOSYS)).in_32_bits(117) },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a filter as the kernel does.
    fn answer(program: &[sock_filter], machine: u32, number: u32, arguments: [u32; 6]) -> u32 {
        let word = |offset| match offset {
            NUMBER => number,
            MACHINE => machine,
            offset => arguments[((offset - ARGUMENTS) / 8) as usize],
        };
        let (mut at, mut loaded) = (0, 0);
        loop {
            let sock_filter { code, jt, jf, k } = program[at];
            let (kind, condition) = (u32::from(code) & 7, u32::from(code) & 0xf0);
            at += 1;
            match kind {
                libc::BPF_LD => loaded = word(k),
                libc::BPF_RET => return k,
                _ if condition == libc::BPF_JA => at += k as usize,
                _ => {
                    let holds = if condition == libc::BPF_JEQ { loaded == k } else { loaded >= k };
                    at += usize::from(if holds { jt } else { jf });
                }
            }
        }
    }

    #[test]
    fn calls_are_told_by_number_machine_and_arguments() {
        let rules = [needless(), no_network(), no_shared_memory()].concat();
        let program = program(&rules);
        let own = |number: i64, arguments| answer(&program, MACHINES.0, number as u32, arguments);
        let other = |number, arguments| answer(&program, MACHINES.1, number, arguments);
        let (none, allow) = ([0; 6], libc::SECCOMP_RET_ALLOW);
        let fail = |error: i32| libc::SECCOMP_RET_ERRNO | error as u32;
        assert_eq!(own(libc::SYS_read, none), allow);
        assert_eq!(own(libc::SYS_keyctl, none), fail(libc::EPERM));
        assert_eq!(own(libc::SYS_io_uring_setup, none), fail(libc::ENOSYS));
        assert_eq!(own(libc::SYS_socket, [libc::AF_INET as u32, 0, 0, 0, 0, 0]), fail(libc::EACCES));
        assert_eq!(own(libc::SYS_socket, [libc::AF_UNIX as u32, 0, 0, 0, 0, 0]), allow);
        assert_eq!(own(libc::SYS_socket, [libc::AF_NETLINK as u32, 0, 0, 0, 0, 0]), allow);
        assert_eq!(own(libc::SYS_ioctl, [1, TYPE, 0, 0, 0, 0]), fail(libc::EPERM));
        assert_eq!(own(libc::SYS_ioctl, [1, CONSOLE, 0, 0, 0, 0]), fail(libc::EPERM));
        assert_eq!(own(libc::SYS_ioctl, [1, 7, 0, 0, 0, 0]), allow);
        assert_eq!(own(libc::SYS_prlimit64, [7, 0, 0, 0, 0, 0]), fail(libc::EPERM));
        assert_eq!(own(libc::SYS_prlimit64, none), allow);
        assert_eq!(other(288, none), fail(libc::EPERM));
        assert_eq!(other(102, none), fail(libc::EACCES));
        assert_eq!(other(117, [0x0001_0017, 0, 0, 0, 0, 0]), fail(libc::ENOSYS));
        assert_eq!(own(libc::SYS_msgget, none), fail(libc::ENOSPC));
        assert_eq!(own(OPEN_TREE_ATTR, none), fail(libc::EPERM));
        assert_eq!(other(359, [libc::AF_INET6 as u32, 0, 0, 0, 0, 0]), fail(libc::EACCES));
        assert_eq!(other(3, none), allow);
        assert_eq!(answer(&program, 1, 288, none), allow, "another machine's number");
        #[cfg(target_arch = "x86_64")]
        assert_eq!(own(i64::from(X32) + libc::SYS_read, none), fail(libc::ENOSYS));
    }
}
