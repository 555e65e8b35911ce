//! Starts a program with few system calls: like `vfork`, the child uses the memory of the parent until it
//! executes the program.
//!
//! `posix_spawn`, which the standard library uses, queries the handler of each signal in the child, and the
//! limit of open files for each stream: about 130 system calls, for a test that can take half a millisecond.

use rustix::process::Pid;
use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_void};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;
use std::ptr;

/// The stack size, in bytes, of the child until it executes the program; signals are blocked until then.
const STACK: usize = 64 << 10;

/// A program that can be started as the leader of a new session and process group, without a terminal.
pub(super) trait Start {
    /// Starts the program. The caller must wait for its end.
    fn start(&mut self) -> io::Result<Pid>;
}

impl Start for Command {
    fn start(&mut self) -> io::Result<Pid> {
        self.spawn().map(|child| Pid::from_child(&child))
    }
}

/// Configures a command to lead a new session, with the standard streams as its only descriptors, under these
/// Landlock rules.
pub(super) fn apart(command: &mut Command, rules: Option<OwnedFd>) {
    let act = move || {
        // SAFETY: these are plain system calls, which are allowed between `fork` and `exec`.
        unsafe {
            done(libc::setsid())?;
            if let Some(rules) = &rules {
                done(restrict(rules.as_raw_fd()))?;
            }
            if libc::close_range(3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC as i32) < 0 {
                for number in 3..OLD_DESCRIPTORS {
                    libc::fcntl(number, libc::F_SETFD, libc::FD_CLOEXEC);
                }
            }
        }
        Ok(())
    };
    // SAFETY: as above; nothing is allocated.
    unsafe { command.pre_exec(act) };
}

/// Kernels that cannot close all descriptors in one call close the descriptors below this number.
const OLD_DESCRIPTORS: c_int = 1024;

fn done(result: c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Adds Landlock rules to those that already apply to this process.
///
/// # Safety
/// This is a plain system call; it has no preconditions.
unsafe fn restrict(rules: c_int) -> c_int {
    // SAFETY: the call takes only numbers.
    unsafe { libc::syscall(libc::SYS_landlock_restrict_self, rules, 0) as c_int }
}

/// A program that is started repeatedly with the environment of this process.
pub(super) struct Program {
    path: CString,
    arguments: Vec<CString>,
    environment: Vec<CString>,
    directory: CString,
    streams: [OwnedFd; 3],
    /// Landlock rules that apply in addition to those of this process.
    rules: Option<OwnedFd>,
    stack: Box<[MaybeUninit<u8>]>,
}

impl Program {
    /// Creates a program at `path` with these arguments (the first is its name), a directory, three standard
    /// streams and Landlock rules.
    pub fn new<'w>(
        path: &Path,
        words: impl IntoIterator<Item = &'w OsStr>,
        directory: &Path,
        streams: [OwnedFd; 3],
        rules: Option<OwnedFd>,
    ) -> io::Result<Self> {
        let text = |text: &OsStr| Ok::<_, io::Error>(CString::new(text.as_bytes())?);
        let variable = |(mut name, value): (std::ffi::OsString, std::ffi::OsString)| {
            name.push("=");
            name.push(value);
            Ok::<_, io::Error>(CString::new(name.into_vec())?)
        };
        Ok(Self {
            path: text(path.as_os_str())?,
            arguments: words.into_iter().map(text).collect::<Result<_, _>>()?,
            environment: std::env::vars_os().map(variable).collect::<Result<_, _>>()?,
            directory: text(directory.as_os_str())?,
            streams,
            rules,
            stack: Box::new_uninit_slice(STACK),
        })
    }
}

/// The instructions for the child, in the memory of the parent.
struct Task<'t> {
    path: &'t CStr,
    arguments: *const *const c_char,
    environment: *const *const c_char,
    directory: &'t CStr,
    streams: [c_int; 3],
    /// The descriptor of additional rules; -1 for none.
    rules: c_int,
    /// The number of the error that prevented the start.
    error: c_int,
}

impl Start for Program {
    fn start(&mut self) -> io::Result<Pid> {
        let (arguments, environment) = (pointers(&self.arguments), pointers(&self.environment));
        let mut task = Task {
            path: &self.path,
            arguments: arguments.as_ptr(),
            environment: environment.as_ptr(),
            directory: &self.directory,
            streams: [0, 1, 2].map(|i: usize| self.streams[i].as_raw_fd()),
            rules: self.rules.as_ref().map_or(-1, AsRawFd::as_raw_fd),
            error: 0,
        };
        let top = self.stack.as_mut_ptr_range().end;
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
        // SAFETY: this thread is suspended until the child has executed the program or has ended, so the
        // memory that the task points to stays valid and is not used concurrently. The child has a separate
        // stack, allocates nothing and makes only system calls. Signals are blocked until immediately before
        // the execution; a signal handler of this process that still runs in the child runs in shared memory,
        // as after `vfork`, and can do what handlers can do.
        let number = unsafe {
            let (mut all, mut before) = (MaybeUninit::uninit(), MaybeUninit::uninit());
            libc::sigfillset(all.as_mut_ptr());
            libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
            let number = libc::clone(take_over, aligned(top), flags, (&raw mut task).cast());
            let error = io::Error::last_os_error();
            libc::pthread_sigmask(libc::SIG_SETMASK, before.as_ptr(), ptr::null_mut());
            if number < 0 { Err(error) } else { Ok(number) }
        }?;
        let process = Pid::from_raw(number).ok_or_else(|| io::Error::other("no process"))?;
        if task.error == 0 {
            return Ok(process);
        }
        super::process::reap(process)?;
        Err(io::Error::from_raw_os_error(task.error))
    }
}

/// Aligns the top of a stack to a multiple of 16 bytes.
fn aligned(top: *mut MaybeUninit<u8>) -> *mut c_void {
    top.map_addr(|address| address & !15).cast()
}

/// Returns the addresses with a terminating null pointer, as the system expects.
fn pointers(texts: &[CString]) -> Vec<*const c_char> {
    texts.iter().map(|text| text.as_ptr()).chain([ptr::null()]).collect()
}

/// The entry point of the child.
extern "C" fn take_over(task: *mut c_void) -> c_int {
    // SAFETY: the pointer was passed by `start`, and stays valid until the child has executed another program
    // or has ended. All calls are allowed between `vfork` and `exec`.
    unsafe {
        let task = &mut *task.cast::<Task<'_>>();
        task.error = match become_it(task) {
            Ok(never) => match never {},
            Err(()) => io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO),
        };
        libc::_exit(127)
    }
}

/// Sets up the environment of the program and executes it.
///
/// # Safety
/// The conditions of [`take_over`] apply.
unsafe fn become_it(task: &Task<'_>) -> Result<std::convert::Infallible, ()> {
    let done = |result: c_int| if result < 0 { Err(()) } else { Ok(()) };
    // SAFETY: these are plain system calls with valid arguments.
    unsafe {
        done(libc::setsid())?;
        for (number, stream) in (0..).zip(task.streams) {
            done(libc::dup2(stream, number))?;
        }
        done(libc::chdir(task.directory.as_ptr()))?;
        if task.rules >= 0 {
            done(restrict(task.rules))?;
        }
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        let mut none = MaybeUninit::uninit();
        libc::sigemptyset(none.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_SETMASK, none.as_ptr(), ptr::null_mut());
        libc::execve(task.path.as_ptr(), task.arguments, task.environment);
    }
    Err(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, File};
    use std::io::{Read, Seek};

    fn program(path: &str, words: &[&str], directory: &Path, output: &File) -> Program {
        let stream = || output.try_clone().expect("a second one").into();
        let streams = [File::open("/dev/null").expect("it is there").into(), stream(), stream()];
        Program::new(Path::new(path), words.iter().map(OsStr::new), directory, streams, None)
            .expect("no zeros in it")
    }

    #[test]
    fn a_program_finds_what_it_is_to_find_each_time() {
        let place = tempfile::tempdir().expect("a directory");
        let mut output = tempfile::tempfile().expect("a file");
        let script = "echo $0 $1 $HOME; pwd -P; read a; ps -o sid= -p $$; echo $$; exec grep -E 'Sig(Blk|Ign)' /proc/self/status";
        let mut program = program("/bin/sh", &["sh", "-c", script, "zero", "one"], place.path(), &output);
        for _ in 0..2 {
            let process = program.start().expect("it is there");
            assert!(super::super::process::reap(process).expect("it is a child").success());
            let mut said = String::new();
            output.rewind().expect("a file");
            output.read_to_string(&mut said).expect("text");
            output.set_len(0).expect("a file");
            output.rewind().expect("a file");
            let lines: Vec<&str> = said.lines().map(str::trim).collect();
            let home = std::env::var("HOME").unwrap_or_default();
            let at = fs::canonicalize(place.path()).expect("it is there");
            assert_eq!(
                lines[..2],
                [format!("zero one {home}").trim(), at.to_str().expect("plain")],
                "{said}"
            );
            assert_eq!(lines[2..4], [process.to_string(), process.to_string()], "it leads a session: {said}");
            let mask = |line: &str| u64::from_str_radix(line.split_once('\t').expect("a mask").1, 16);
            assert_eq!(mask(lines[4]), Ok(0), "no signal is kept off: {said}");
            assert_eq!(mask(lines[5]).map(|mask| mask >> (libc::SIGPIPE - 1) & 1), Ok(0), "{said}");
        }
    }

    #[test]
    fn what_cannot_be_started_says_why() {
        let place = tempfile::tempdir().expect("a directory");
        let output = tempfile::tempfile().expect("a file");
        let file = place.path().join("plain");
        fs::write(&file, "no program").expect("written");
        let gone = place.path().join("gone");
        for (path, directory, error) in [
            ("/nowhere/tool", place.path(), libc::ENOENT),
            (file.to_str().expect("plain"), place.path(), libc::EACCES),
            ("/bin/sh", gone.as_path(), libc::ENOENT),
        ] {
            let failed = program(path, &["tool"], directory, &output).start();
            assert_eq!(failed.expect_err("it cannot be").raw_os_error(), Some(error), "{path}");
        }
    }
}
