//! Sets up the mount namespace of a warden. Everything is read-only except the paths that its probes can
//! write to, so that permissions, owners and times elsewhere are also protected. Devices and processes are
//! private.
//!
//! This requires namespaces (`namespaces(7)`), and for users without the required rights also a user
//! namespace. If the setup fails, the reason is returned.

use super::confine::Refusal;
use super::devices::{self, Devices};
use super::loopback;
use super::process_limit;
use crate::limits::{Confinement, Sandbox};
use crate::work_directory::Paths;
use rustix::fs::{CWD, Mode, OFlags};
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MountFlags, MountPropagationFlags, MoveMountFlags,
    OpenTreeFlags, fsconfig_create, fsconfig_set_flag, fsconfig_set_string, fsmount, fsopen, mount,
    mount_change, move_mount, open_tree,
};
use rustix::thread::UnshareFlags;
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

/// The last used process number in this namespace; the kernel continues after it.
const LAST_NUMBER: &str = "/proc/sys/kernel/ns_last_pid";
/// The largest process number.
const LARGEST_NUMBER: &str = "/proc/sys/kernel/pid_max";
/// The maximum number of pages of System V memory in this namespace.
const SHARED_PAGES: &str = "/proc/sys/kernel/shmall";
/// The maximum number of bytes of System V memory of a probe without a memory limit.
const SHARED_BYTES: u64 = 256 << 20;

/// The parts of `/proc` that belong to the machine, not to a process.
const SETTINGS: [&str; 5] = ["/proc/sys", "/proc/sysrq-trigger", "/proc/bus", "/proc/fs", "/proc/irq"];

/// The namespaces that a process does not share with its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Namespaces(UnshareFlags);

impl Namespaces {
    /// Returns the combinations of namespaces for a warden, the most complete one first. If `needs_view` is
    /// true, each includes a mount namespace.
    pub fn choices(confinement: &Confinement, needs_view: bool) -> Vec<Self> {
        let mut files = UnshareFlags::NEWNS;
        let mut choices = Vec::new();
        // A private network is needed only if something in it must be reachable.
        let needs_view = needs_view || confinement.loopback;
        if confinement.loopback || confinement.no_network && confinement.sandbox != Sandbox::Off {
            files |= UnshareFlags::NEWNET;
        }
        if confinement.sandbox != Sandbox::Off {
            files |= UnshareFlags::NEWIPC;
            choices
                .extend([files | UnshareFlags::NEWPID, files | UnshareFlags::NEWPID | UnshareFlags::NEWUSER]);
        } else if !needs_view {
            return vec![Self(UnshareFlags::empty())];
        }
        choices.extend([files, files | UnshareFlags::NEWUSER]);
        if !needs_view {
            choices.push(UnshareFlags::empty());
        }
        choices.into_iter().map(Self).collect()
    }

    /// Returns the flags for `clone(2)`.
    pub fn flags(self) -> i32 {
        self.0.bits() as i32
    }

    pub fn has_files(self) -> bool {
        self.0.contains(UnshareFlags::NEWNS)
    }

    pub fn has_processes(self) -> bool {
        self.0.contains(UnshareFlags::NEWPID)
    }

    pub fn has_users(self) -> bool {
        self.0.contains(UnshareFlags::NEWUSER)
    }
}

/// The contents of the mount namespace.
#[derive(Debug)]
pub(super) struct Plan<'p> {
    /// The paths of the warden's directory.
    pub paths: &'p Paths,
    pub confinement: &'p Confinement,
    /// A directory that the probe can change without effect on other processes.
    pub scratch: Option<&'p Path>,
    /// Pairs of paths: a file created at the first path is also mounted at the second one.
    pub pairs: &'p [(PathBuf, PathBuf)],
    /// The paths in hidden directories that stay visible.
    pub seen: &'p [PathBuf],
    /// The memory limit of a process, in bytes.
    pub memory: Option<u64>,
    /// The maximum number of processes, if no control group limits them.
    pub processes: Option<usize>,
}

/// The result of the setup; some parts depend on the system.
#[derive(Debug)]
pub(super) struct View {
    /// The private devices, if there are any.
    pub devices: Option<Devices>,
    /// Whether changes in the scratch directory are not visible to other processes.
    pub has_scratch: bool,
    /// Whether the terminals are private.
    pub has_terminals: bool,
    /// Whether System V memory, queues and semaphores are private.
    pub has_memory: bool,
}

/// Sets up the mount namespace of this process, which must be in these namespaces and have only one thread.
///
/// # Errors
/// Returns an error if the system does not allow this user to do so.
pub(super) fn make(namespaces: Namespaces, plan: &Plan<'_>, ids: (u32, u32)) -> Result<View, Refusal> {
    if namespaces.has_users() {
        said("mapping user and group numbers", map_ids(ids))?;
    }
    said("private mounts", mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC))?;
    if plan.confinement.loopback {
        said("a private network", loopback::raise())?;
    }
    let mut view = View { devices: None, has_scratch: false, has_terminals: false, has_memory: false };
    if plan.confinement.sandbox == Sandbox::Off {
        stand_in(plan)?;
        return Ok(view);
    }
    view.has_memory = namespaces.0.contains(UnshareFlags::NEWIPC);
    let mut kept = writable(plan)?;
    kept.extend(seen(plan)?);
    // Outer mounts come first, because inner ones are mounted in them.
    kept.sort_by_key(|mount| mount.path.components().count());
    said("mounting the files read-only", set(CWD, "/", libc::MOUNT_ATTR_RDONLY, libc::AT_RECURSIVE))?;
    if namespaces.has_processes() {
        let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
        said("a private `/proc`", mount("proc", "/proc", "proc", flags, None))?;
    }
    if let Some(most) = plan.processes {
        // If this fails, the processes are counted instead.
        process_limit::in_namespaces(namespaces, most);
    }
    if namespaces.has_processes() {
        spread_numbers();
    }
    let pages = plan.memory.unwrap_or(SHARED_BYTES) / rustix::param::page_size() as u64;
    let _ = fs::write(SHARED_PAGES, pages.to_string());
    if namespaces.has_processes() {
        said("mounting the system's settings read-only", keep_settings())?;
    }
    // Whether a path is a directory can be determined only while it is visible.
    let in_devices = kept.iter().map(|mount| (mount.path.as_path(), mount.path.is_dir()));
    let in_devices: Vec<_> = in_devices.filter(|(path, _)| path.starts_with("/dev")).collect();
    view.devices = Some(said("private devices", Devices::make(&in_devices))?);
    view.has_terminals = devices::make_terminals().is_ok();
    for hidden in plan.confinement.hidden.iter().filter(|path| path.is_dir()) {
        said("hiding a directory", hide(hidden, &kept))?;
    }
    if let Some(scratch) = plan.scratch {
        view.has_scratch = lay_over(scratch, plan.paths.path(), &kept).is_ok();
        kept.retain(|mount| mount.path != scratch || !view.has_scratch);
    }
    for mount in kept {
        let moved = move_mount(&mount.tree, "", CWD, &mount.path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH);
        said(&mount.path.display().to_string(), moved)?;
    }
    stand_in(plan)?;
    Ok(view)
}

/// Adds the failed operation to an error.
pub(super) fn said<T, E: Into<io::Error>>(what: &str, result: Result<T, E>) -> Result<T, Refusal> {
    result.map_err(|error| format!("this system does not allow {what}: {}", error.into()).into())
}

/// Maps the user and the group to the same numbers as outside.
fn map_ids((user, group): (u32, u32)) -> io::Result<()> {
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// A part of the file system that is mounted again at the same path.
struct Kept {
    path: PathBuf,
    tree: OwnedFd,
}

impl Kept {
    fn of(path: &Path) -> io::Result<Self> {
        Ok(Self { path: path.canonicalize()?, tree: clone(path)? })
    }

    /// Returns the mount of a copy in place of a file.
    fn copy(copy: &Path, file: &Path) -> io::Result<Self> {
        fs::set_permissions(copy, file.metadata()?.permissions())?;
        Ok(Self { path: file.canonicalize()?, tree: clone(copy)? })
    }
}

/// Returns a detached copy of the mounts at a path.
pub(super) fn clone(path: &Path) -> io::Result<OwnedFd> {
    let flags =
        OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_RECURSIVE;
    Ok(open_tree(CWD, path, flags)?)
}

/// Returns the paths that the probes can write to, except for existing devices.
fn writable(plan: &Plan<'_>) -> Result<Vec<Kept>, Refusal> {
    // If an overlay is unavailable, the changes in this directory are undone instead, which protects only
    // against accidents.
    let scratch = plan.scratch.filter(|_| plan.confinement.sandbox != Sandbox::Strict);
    let paths = [plan.paths.path()].into_iter().chain(scratch);
    let paths = paths.chain(plan.confinement.writable.iter().map(PathBuf::as_path));
    let is_whole = |path: &&Path| *path != Path::new("/dev") && path.exists();
    let writable = paths.filter(is_whole).map(Kept::of);
    let logs = plan.confinement.logs.iter().enumerate().filter(|(_, log)| log.is_file());
    let copies = logs.map(|(number, log)| Kept::copy(&plan.paths.log(number), log));
    writable.chain(copies).map(|kept| said("mounts", kept)).collect()
}

/// Returns the visible paths in hidden directories, which are mounted read-only.
fn seen(plan: &Plan<'_>) -> Result<Vec<Kept>, Refusal> {
    let is_hidden = |path: &&PathBuf| plan.confinement.hidden.iter().any(|hidden| path.starts_with(hidden));
    let seen = plan.seen.iter().filter(is_hidden).filter(|path| path.exists());
    let kept = seen.map(|path| {
        let kept = said("mounts", Kept::of(path))?;
        said(
            "mounts",
            set(&kept.tree, "", libc::MOUNT_ATTR_RDONLY, libc::AT_RECURSIVE | libc::AT_EMPTY_PATH),
        )?;
        Ok(kept)
    });
    kept.collect()
}

/// The structure of `mount_setattr(2)`.
#[repr(C)]
struct Attributes {
    set: u64,
    clear: u64,
    propagation: u64,
    namespace: u64,
}

fn set(from: impl AsFd, path: &str, attributes: u64, flags: i32) -> io::Result<()> {
    let path = std::ffi::CString::new(path)?;
    let attributes = Attributes { set: attributes, clear: 0, propagation: 0, namespace: 0 };
    // SAFETY: the kernel reads the path and the structure, which live until the call returns.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            from.as_fd().as_raw_fd(),
            path.as_ptr(),
            flags,
            &raw const attributes,
            size_of::<Attributes>(),
        )
    };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Mounts an empty directory over a hidden one, with mount points for later mounts.
fn hide(hidden: &Path, kept: &[Kept]) -> io::Result<()> {
    let empty = fsopen("tmpfs", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_set_string(&empty, "mode", "755")?;
    fsconfig_create(&empty)?;
    let empty = fsmount(&empty, FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::empty())?;
    let hidden = hidden.canonicalize()?;
    // Whether a path is a directory can be determined only while it is visible.
    let places = kept
        .iter()
        .filter_map(|mount| Some((mount, mount.path.strip_prefix(&hidden).ok()?, mount.path.is_dir())));
    let places: Vec<_> = places.filter(|(_, inside, _)| !inside.as_os_str().is_empty()).collect();
    move_mount(&empty, "", CWD, &hidden, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
    for (mount, _, is_directory) in places {
        place(&mount.path, is_directory)?;
    }
    set(&empty, "", libc::MOUNT_ATTR_RDONLY, libc::AT_EMPTY_PATH)
}

/// Creates a mount point.
pub(super) fn place(path: &Path, is_directory: bool) -> io::Result<()> {
    if path.exists() {
        return Ok(());
    }
    if is_directory {
        return fs::create_dir_all(path);
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    File::create(path).map(drop)
}

/// Redirects all changes in a directory to an overlay that ends with the warden.
fn lay_over(scratch: &Path, root: &Path, kept: &[Kept]) -> io::Result<()> {
    let own = kept.iter().find(|mount| root.canonicalize().is_ok_and(|root| root == mount.path));
    let own = own.ok_or(io::ErrorKind::NotFound)?;
    let at = nubbin_archive::disk::Directory::from(File::from(rustix::fs::openat(
        &own.tree,
        ".",
        OFlags::DIRECTORY | OFlags::CLOEXEC,
        Mode::empty(),
    )?));
    for name in ["over", "over/changes", "over/work"] {
        at.make(Path::new(name))?;
    }
    let overlay = fsopen("overlay", FsOpenFlags::FSOPEN_CLOEXEC)?;
    // The directories are passed as descriptors, because their names can contain any character.
    let open = |path: &Path| {
        let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::PATH;
        rustix::fs::open(path, flags, Mode::empty())
    };
    let lower = open(scratch)?;
    let (upper, work) = (at.enter(Path::new("over/changes"))?, at.enter(Path::new("over/work"))?);
    let found = rustix::fs::fstat(&lower)?;
    upper.set_mode(found.st_mode & 0o7777)?;
    let named = |descriptor: i32| format!("/proc/self/fd/{descriptor}");
    fsconfig_set_string(&overlay, "lowerdir", named(lower.as_raw_fd()))?;
    fsconfig_set_string(&overlay, "upperdir", named(upper.as_fd().as_raw_fd()))?;
    fsconfig_set_string(&overlay, "workdir", named(work.as_fd().as_raw_fd()))?;
    // A user namespace cannot use the system's overlay attributes; user attributes work everywhere.
    fsconfig_set_flag(&overlay, "userxattr")?;
    fsconfig_create(&overlay)?;
    let laid = fsmount(&overlay, FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::empty())?;
    move_mount(&laid, "", CWD, scratch, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
    Ok(())
}

/// Mounts the candidate over the user's files.
fn stand_in(plan: &Plan<'_>) -> Result<(), Refusal> {
    for (source, target) in plan.pairs {
        let made = stand_in_for(source, target);
        said("mounting the candidate over the user's files, as required by `--here`", made)?;
    }
    Ok(())
}

fn stand_in_for(source: &Path, target: &Path) -> io::Result<()> {
    let found = target.metadata()?;
    if found.is_dir() {
        fs::create_dir_all(source)?;
    } else {
        File::create(source)?;
    }
    fs::set_permissions(source, found.permissions())?;
    Ok(move_mount(&clone(source)?, "", CWD, target, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?)
}

/// Makes the settings of the machine read-only in a private `/proc`, because some are shared with the
/// machine.
fn keep_settings() -> io::Result<()> {
    for path in SETTINGS.map(Path::new).into_iter().filter(|path| path.exists()) {
        let tree = clone(path)?;
        set(&tree, "", libc::MOUNT_ATTR_RDONLY, libc::AT_RECURSIVE | libc::AT_EMPTY_PATH)?;
        move_mount(&tree, "", CWD, path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
    }
    Ok(())
}

/// Starts process numbers at a random value, so that two wardens are unlikely to use the same numbers: some
/// programs derive file names from them.
fn spread_numbers() {
    let most = fs::read_to_string(LARGEST_NUMBER).ok().and_then(|most| most.trim().parse::<u64>().ok());
    let random = RandomState::new().build_hasher().finish();
    let first = 300 + random % most.unwrap_or(32768).saturating_sub(300).max(1);
    let _ = fs::write(LAST_NUMBER, first.to_string());
}
