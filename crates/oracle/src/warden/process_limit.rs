//! The limit on the number of processes and threads of a probe.
//!
//! Counting is too slow for a program that multiplies quickly, so the kernel must refuse new processes. It
//! does so
//! - in a control group with the `pids` controller (`cgroups(7)`), if this user can create one;
//! - in a PID namespace, by the largest process number, since Linux 6.14 (`pid_namespaces(7)`);
//! - for a user other than root in a user namespace, by `RLIMIT_NPROC`, since Linux 5.14.
//!
//! The kernel also counts threads. A small limit is therefore enforced by counting processes while a probe
//! runs, and the limit in the kernel is never below [`LEAST`]. The outer process creates and removes the
//! group; the inner process is added to it before it starts its work.

use super::view::Namespaces;
use rustix::process::{Pid, Resource, Rlimit};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// The location of control groups.
const GROUPS: &str = "/sys/fs/cgroup";
/// The prefix of the name of a group; the number of the process that created it follows.
const NAME: &str = "nubbin-";
/// The smallest limit on processes and threads that is set in the kernel.
const LEAST: usize = 4096;
/// The maximum number of processes and threads of the warden itself in the group.
const OWN: usize = 8;
/// Process numbers below this one are reserved for the kernel (`RESERVED_PIDS`), which accepts no smaller
/// limit.
const RESERVED: usize = 301;
/// The largest process number; since the version below, of this namespace.
const LARGEST_NUMBER: &str = "/proc/sys/kernel/pid_max";
/// The first version of Linux in which the setting belongs to a namespace, not to the machine.
const OF_NAMESPACES: (u32, u32) = (6, 14);

/// A control group with a limit on processes. Dropping it removes the group.
#[derive(Debug)]
pub(super) struct Group {
    path: PathBuf,
}

impl Group {
    /// Creates a group for `most` processes of a probe; `None` if this user cannot create one.
    pub fn make(most: usize) -> Option<Self> {
        let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
        let parent = parent(&groups, Path::new(GROUPS))?;
        sweep(&parent);
        let path = parent.join(format!("{NAME}{}", std::process::id()));
        fs::create_dir(&path).ok()?;
        let group = Self { path };
        fs::write(group.path.join("pids.max"), tasks(most).to_string()).ok()?;
        Some(group)
    }

    /// Adds a process to the group.
    pub fn take(&self, process: Pid) -> io::Result<()> {
        fs::write(self.path.join("cgroup.procs"), process.as_raw_nonzero().to_string())
    }

    /// Returns a counter of refused processes.
    pub fn refusals(&self) -> Option<Refusals> {
        let events = File::open(self.path.join("pids.events")).ok()?;
        Some(Refusals { events, before: 0 })
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.path);
    }
}

/// Returns the nearest enclosing control group whose subgroups have the controller.
fn parent(groups: &str, root: &Path) -> Option<PathBuf> {
    let line = |has: &dyn Fn(&str) -> bool| {
        groups.lines().find_map(|line| {
            let mut parts = line.splitn(3, ':').skip(1);
            let (controllers, path) = (parts.next()?, parts.next()?);
            has(controllers).then(|| path.trim_start_matches('/'))
        })
    };
    if let Some(path) = line(&|controllers| controllers.split(',').any(|one| one == "pids")) {
        return Some(root.join("pids").join(path)).filter(|path| path.is_dir());
    }
    let own = root.join(line(&str::is_empty)?);
    let has_controller = |path: &&Path| {
        fs::read_to_string(path.join("cgroup.subtree_control"))
            .is_ok_and(|controllers| controllers.split_whitespace().any(|one| one == "pids"))
    };
    own.ancestors().take_while(|path| path.starts_with(root)).find(has_controller).map(Path::to_owned)
}

/// Removes the groups of wardens that were killed. Groups that contain processes cannot be removed.
fn sweep(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(process) = name.to_str().and_then(|name| name.strip_prefix(NAME)) else { continue };
        if !Path::new("/proc").join(process).exists() {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// Counts how often a group refused a process because it was full.
#[derive(Debug)]
pub(super) struct Refusals {
    events: File,
    before: u64,
}

impl Refusals {
    /// Returns whether a process was refused since the last call.
    pub fn are_new(&mut self) -> bool {
        let mut text = [0; 64];
        let length = self.events.read_at(&mut text, 0).unwrap_or(0);
        let text = String::from_utf8_lossy(&text[..length]);
        let count = text.lines().find_map(|line| line.strip_prefix("max ")?.trim().parse().ok());
        let count = count.unwrap_or(self.before);
        count > std::mem::replace(&mut self.before, count)
    }
}

/// Limits the processes in the namespaces of this process, if the system supports it.
pub(super) fn in_namespaces(namespaces: Namespaces, most: usize) {
    let is_numbered = namespaces.has_processes()
        && namespaces.has_files()
        && kernel() >= OF_NAMESPACES
        && fs::write(LARGEST_NUMBER, (tasks(most) + RESERVED).to_string()).is_ok();
    if !is_numbered && namespaces.has_users() && !rustix::process::geteuid().is_root() {
        let _ = by_user(most);
    }
}

/// Returns the limit on processes and threads that is set in the kernel.
fn tasks(most: usize) -> usize {
    most.max(LEAST) + OWN
}

fn by_user(most: usize) -> rustix::io::Result<()> {
    let most = tasks(most) as u64;
    let most = rustix::process::getrlimit(Resource::Nproc).maximum.map_or(most, |there| there.min(most));
    rustix::process::setrlimit(Resource::Nproc, Rlimit { current: Some(most), maximum: Some(most) })
}

/// Returns the version of the kernel.
fn kernel() -> (u32, u32) {
    let name = rustix::system::uname();
    let release = name.release().to_string_lossy().into_owned();
    let mut parts = release.split(|c: char| !c.is_ascii_digit()).map(|part| part.parse().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}

/// Returns whether this machine has more than `most` processes and threads; otherwise no probe can have more.
pub(super) fn may_exceed(most: usize) -> bool {
    usize::from(rustix::system::sysinfo().procs) > most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_with_the_controller_is_found_in_both_versions() {
        let place = tempfile::tempdir().expect("a directory");
        let root = place.path();
        fs::create_dir_all(root.join("pids/outer")).expect("made");
        fs::create_dir_all(root.join("user/session")).expect("made");
        for (group, controllers) in [("user", "memory pids\n"), ("user/session", "\n"), (".", "cpu\n")] {
            fs::write(root.join(group).join("cgroup.subtree_control"), controllers).expect("written");
        }
        let first = "9:name=systemd:/\n8:pids:/outer\n0::/\n";
        assert_eq!(parent(first, root), Some(root.join("pids/outer")));
        assert_eq!(parent("0::/user/session\n", root), Some(root.join("user")));
        assert_eq!(parent("0::/\n", root), None);
        assert_eq!(parent("", root), None);
    }

    #[test]
    fn the_groups_of_processes_that_have_ended_are_removed() {
        let place = tempfile::tempdir().expect("a directory");
        let alive = format!("{NAME}{}", std::process::id());
        for name in [&alive, "nubbin-4194305", "other"] {
            fs::create_dir(place.path().join(name)).expect("made");
        }
        sweep(place.path());
        let mut left: Vec<_> = fs::read_dir(place.path()).expect("it is there").flatten().collect();
        left.sort_by_key(fs::DirEntry::file_name);
        let left: Vec<_> = left.iter().map(|entry| entry.file_name().into_string().expect("text")).collect();
        assert_eq!(left, [alive.as_str(), "other"]);
    }
}
