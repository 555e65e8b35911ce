//! Traces the system calls by which a run uses paths, and undoes the changes afterwards if requested.
//!
//! The tracer reads the memory of the callers, which can deceive it, so it does not replace the sandbox.

use super::notify::{Call, Listener, Reply};
use super::undo::Undo;
use crate::patience::lock;
use crate::trace::{Act, Opened, Trace, Tracing};
use rustix::event::{PollFd, PollFlags};
use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Mutex;

/// The maximum length of a path, in bytes.
const LONGEST: usize = libc::PATH_MAX as usize;
/// The maximum number of recorded paths of a run.
const MOST: usize = 50_000;
/// The descriptor that represents the current directory.
const HERE: i32 = libc::AT_FDCWD;

/// How a call uses its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    /// Opens it; the argument with this index contains the flags.
    Open(usize),
    /// Opens it; the argument with this index points to the flags.
    OpenHow(usize),
    /// Executes it.
    Execute,
    /// Queries whether it exists, or its properties.
    Look,
    /// Creates it.
    Make,
    /// Changes it.
    Change,
    /// Removes it, or moves it away.
    Remove,
    /// Moves another file to it.
    Replace,
}

impl Deed {
    fn act(self) -> Act {
        if matches!(self, Self::Execute | Self::Look | Self::Open(_) | Self::OpenHow(_)) {
            Act::Read
        } else {
            Act::Write
        }
    }
}

/// A system call with a path.
struct PathCall {
    number: i64,
    /// The index of the argument with the descriptor of the directory to which the path is relative; `None`
    /// for the current directory.
    directory: Option<usize>,
    path: usize,
    deed: Deed,
}

const fn form(number: i64, directory: Option<usize>, path: usize, deed: Deed) -> PathCall {
    PathCall { number, directory, path, deed }
}

/// The traced calls. A call that moves a file has two entries.
const FORMS: &[PathCall] = &[
    form(libc::SYS_openat, Some(0), 1, Deed::Open(2)),
    form(libc::SYS_openat2, Some(0), 1, Deed::OpenHow(2)),
    form(libc::SYS_execve, None, 0, Deed::Execute),
    form(libc::SYS_execveat, Some(0), 1, Deed::Execute),
    form(libc::SYS_newfstatat, Some(0), 1, Deed::Look),
    form(libc::SYS_statx, Some(0), 1, Deed::Look),
    form(libc::SYS_faccessat, Some(0), 1, Deed::Look),
    form(libc::SYS_faccessat2, Some(0), 1, Deed::Look),
    form(libc::SYS_mkdirat, Some(0), 1, Deed::Make),
    form(libc::SYS_mknodat, Some(0), 1, Deed::Make),
    form(libc::SYS_symlinkat, Some(1), 2, Deed::Make),
    form(libc::SYS_linkat, Some(2), 3, Deed::Make),
    form(libc::SYS_renameat2, Some(0), 1, Deed::Remove),
    form(libc::SYS_renameat2, Some(2), 3, Deed::Replace),
    form(libc::SYS_unlinkat, Some(0), 1, Deed::Remove),
    form(libc::SYS_truncate, None, 0, Deed::Change),
    form(libc::SYS_fchmodat, Some(0), 1, Deed::Change),
    form(libc::SYS_fchownat, Some(0), 1, Deed::Change),
    form(libc::SYS_renameat, Some(0), 1, Deed::Remove),
    form(libc::SYS_renameat, Some(2), 3, Deed::Replace),
    #[cfg(target_arch = "x86_64")]
    form(libc::SYS_open, None, 0, Deed::Open(1)),
    #[cfg(target_arch = "x86_64")]
    form(libc::SYS_stat, None, 0, Deed::Look),
    #[cfg(target_arch = "x86_64")]
    form(libc::SYS_lstat, None, 0, Deed::Look),
    #[cfg(target_arch = "x86_64")]
    form(libc::SYS_access, None, 0, Deed::Look),
    #[cfg(target_arch = "x86_64")]
    form(libc::SYS_creat, None, 0, Deed::Change),
    #[cfg(target_arch = "x86_64")]
    form(libc::SYS_mkdir, None, 0, Deed::Make),
    #[cfg(target_arch = "x86_64")]
    form(libc::SYS_mknod, None, 0, Deed::Make),
    #[cfg(target_arch = "x86_64")]
    form(libc::SYS_symlink, None, 1, Deed::Make),
    #[cfg(target_arch = "x86_64")]
    form(libc::SYS_link, None, 1, Deed::Make),
    #[cfg(target_arch = "x86_64")]
    form(libc::SYS_rename, None, 0, Deed::Remove),
    #[cfg(target_arch = "x86_64")]
    form(libc::SYS_rename, None, 1, Deed::Replace),
    #[cfg(target_arch = "x86_64")]
    form(libc::SYS_unlink, None, 0, Deed::Remove),
    #[cfg(target_arch = "x86_64")]
    form(libc::SYS_rmdir, None, 0, Deed::Remove),
    #[cfg(target_arch = "x86_64")]
    form(libc::SYS_chmod, None, 0, Deed::Change),
    #[cfg(target_arch = "x86_64")]
    form(libc::SYS_chown, None, 0, Deed::Change),
    #[cfg(target_arch = "x86_64")]
    form(libc::SYS_lchown, None, 0, Deed::Change),
];

/// Calls that open files without being visible to the tracer.
pub(super) const UNSEEN: [i64; 1] = [libc::SYS_io_uring_setup];

/// Returns the numbers of the traced calls, without duplicates.
pub(super) fn calls() -> Vec<i64> {
    let mut numbers: Vec<i64> = FORMS.iter().map(|form| form.number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// Traces and records a run.
#[derive(Debug)]
pub(super) struct Tracer {
    tracing: Tracing,
    known: HashSet<(PathBuf, Act)>,
    pub trace: Trace,
    undo: Option<Undo>,
}

impl Tracer {
    /// With `has_scratch`, changes are not visible to other processes, so no files are saved.
    pub fn new(tracing: Tracing, has_scratch: bool) -> Self {
        let undo = (!has_scratch).then(Undo::default);
        Self { tracing, known: HashSet::new(), trace: Trace::default(), undo }
    }

    /// Records a call, and decides whether it is performed.
    fn see(&mut self, call: &Call, is_waiting: impl Fn() -> bool) -> Reply {
        let deeds: Vec<Result<(PathBuf, Deed), Deed>> =
            FORMS.iter().filter(|form| form.number == call.number).map(|form| deed(call, form)).collect();
        if !is_waiting() {
            return Reply::GoOn;
        }
        let mut reply = Reply::GoOn;
        for deed in deeds {
            let is_refused = match deed {
                Ok((path, deed)) => self.note(call, path, deed) != Reply::GoOn,
                // The call could affect a file that must not change.
                Err(deed) => self.tracing.undone.is_some() && self.undo.is_some() && deed.act() == Act::Write,
            };
            if is_refused {
                reply = Reply::Fail(libc::EACCES);
            }
        }
        reply
    }

    fn note(&mut self, call: &Call, path: PathBuf, deed: Deed) -> Reply {
        let act = deed.act();
        if act == Act::Read {
            let is_mark = path.parent().is_some_and(|parent| Some(parent) == self.tracing.marks.as_deref());
            let is_file = || {
                path.starts_with(&self.tracing.reads)
                    && fs::metadata(&path).is_ok_and(|found| found.is_file())
            };
            if is_mark || is_file() {
                self.add(call, path, act);
            }
            return Reply::GoOn;
        }
        if deed == Deed::Make && path.is_dir() {
            // The call will fail, and changes nothing.
            return Reply::GoOn;
        }
        if self.tracing.protected.contains(&path) {
            return Reply::Fail(libc::EACCES);
        }
        if self.tracing.undone.as_ref().is_some_and(|undone| path.starts_with(undone)) {
            let is_safe = self.undo.as_mut().is_none_or(|undo| undo.can_take_back(&path));
            return if is_safe { Reply::GoOn } else { Reply::Fail(libc::EACCES) };
        }
        self.add(call, path, act);
        Reply::GoOn
    }

    fn add(&mut self, call: &Call, path: PathBuf, act: Act) {
        if self.known.len() < MOST && self.known.insert((path.clone(), act)) {
            let program = fs::read_to_string(format!("/proc/{}/comm", call.thread)).unwrap_or_default();
            self.trace.opened.push(Opened { path, act, program: program.trim_end().to_owned() });
        }
    }

    /// Undoes the changes, if requested.
    pub fn clean(&mut self) {
        if let Some(undo) = &mut self.undo {
            undo.take_back();
        }
    }
}

/// Answers all calls until `end` is closed.
pub(super) fn attend(listener: &Listener, end: BorrowedFd<'_>, tracer: &Mutex<Tracer>) {
    loop {
        let mut waiting = [
            PollFd::from_borrowed_fd(listener.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(end, PollFlags::IN),
        ];
        if rustix::event::poll(&mut waiting, None).is_err() {
            continue;
        }
        let [called, ended] = waiting.map(|one| one.revents());
        if called.contains(PollFlags::IN) {
            if let Ok(call) = listener.receive() {
                let reply = lock(tracer).see(&call, || listener.is_waiting(&call));
                listener.answer(&call, reply);
            }
        } else if !ended.is_empty() || !called.is_empty() {
            return;
        }
    }
}

/// Returns the path of a call and how the call uses it; or only the possible use if the memory of the caller
/// cannot be read.
fn deed(call: &Call, form: &PathCall) -> Result<(PathBuf, Deed), Deed> {
    let memory = File::open(format!("/proc/{}/mem", call.thread)).map_err(|_| form.deed)?;
    let flags = match form.deed {
        Deed::Open(at) => Some(call.arguments[at]),
        Deed::OpenHow(at) => number(&memory, call.arguments[at]),
        _ => None,
    };
    let deed = match flags {
        Some(flags) if changes(flags as i32) => Deed::Change,
        _ => form.deed,
    };
    let directory = form.directory.map_or(HERE, |at| call.arguments[at] as i32);
    let path = text(&memory, call.arguments[form.path]);
    let path = path.and_then(|path| resolved(call.thread, directory, &path));
    path.map(|path| (path, deed)).ok_or(deed)
}

fn changes(flags: i32) -> bool {
    let is_unnamed = flags & libc::O_TMPFILE == libc::O_TMPFILE;
    !is_unnamed && (flags & libc::O_ACCMODE != libc::O_RDONLY || flags & (libc::O_CREAT | libc::O_TRUNC) != 0)
}

/// Reads the string at an address, up to its NUL byte.
fn text(memory: &File, from: u64) -> Option<PathBuf> {
    let mut bytes = Vec::new();
    let mut page = [0; 256];
    while bytes.len() < LONGEST {
        let at = from + bytes.len() as u64;
        // Reads stay within a page, because the following page can be unmapped.
        let most = page.len().min(4096 - (at % 4096) as usize);
        let count = memory.read_at(&mut page[..most], at).ok().filter(|&count| count > 0)?;
        if let Some(end) = page[..count].iter().position(|&byte| byte == 0) {
            bytes.extend_from_slice(&page[..end]);
            return Some(OsString::from_vec(bytes).into());
        }
        bytes.extend_from_slice(&page[..count]);
    }
    None
}

fn number(memory: &File, at: u64) -> Option<u64> {
    let mut bytes = [0; 8];
    memory.read_exact_at(&mut bytes, at).ok()?;
    Some(u64::from_le_bytes(bytes))
}

/// Returns the absolute path, with the links in all existing directories resolved.
fn resolved(thread: u32, directory: i32, path: &Path) -> Option<PathBuf> {
    let whole = if path.is_absolute() {
        path.to_owned()
    } else {
        let from = match directory {
            HERE => format!("/proc/{thread}/cwd"),
            number => format!("/proc/{thread}/fd/{number}"),
        };
        let from = fs::read_link(from).ok()?;
        if path.as_os_str().is_empty() { from } else { from.join(path) }
    };
    let real = whole
        .parent()
        .zip(whole.file_name())
        .and_then(|(parent, name)| Some(parent.canonicalize().ok()?.join(name)));
    Some(real.unwrap_or_else(|| plain(&whole)))
}

/// Removes `.` and `..` from a path.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_flags_that_may_change_a_file_count_as_a_change() {
        assert!(!changes(libc::O_RDONLY | libc::O_CLOEXEC | libc::O_DIRECTORY));
        assert!(changes(libc::O_WRONLY) && changes(libc::O_RDWR) && changes(libc::O_CREAT));
        assert!(changes(libc::O_RDONLY | libc::O_TRUNC));
        assert!(!changes(libc::O_TMPFILE | libc::O_RDWR));
    }

    #[test]
    fn a_path_is_followed_as_far_as_it_leads() {
        assert_eq!(plain(Path::new("/a/./b/../c")), Path::new("/a/c"));
        let this = std::process::id();
        let here = std::env::current_dir().expect("there is one").canonicalize().expect("it is there");
        assert_eq!(
            resolved(this, HERE, Path::new("x/../y")),
            Some(here.join("x/../y")).map(|path| plain(&path))
        );
    }
}
