//! Creates a private `/dev` for a warden. It contains only the devices that every program needs: no disks,
//! and no kernel interfaces such as `/dev/kvm`. If a test replaces a device there, only the private copy
//! changes, and it is restored before the next test.
//!
//! Compilers that run as root replace their output files, even `/dev/null`. If the user cannot create
//! devices, the devices of the machine are mounted there.

use super::view::{self, place};
use nubbin_archive::disk::Directory;
use rustix::fs::{CWD, FileType, Mode, Stat};
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MountFlags, MoveMountFlags, fsconfig_create,
    fsconfig_set_string, fsmount, fsopen, mount, move_mount,
};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

const DEVICES: &str = "/dev";
/// The required devices with their numbers.
const NODES: [(&str, u32, u32); 6] =
    [("null", 1, 3), ("zero", 1, 5), ("full", 1, 7), ("random", 1, 8), ("urandom", 1, 9), ("tty", 5, 0)];
/// The required links.
const LINKS: [(&str, &str); 5] = [
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
    ("ptmx", "pts/ptmx"),
];
/// The directories that are used as mount points.
const MOUNTED: [&str; 2] = ["pts", "shm"];
/// The maximum number of bytes and files: compilers store temporary files there.
const SIZE: (&str, &str) = ("256m", "10k");
/// The mount options for private terminals.
const TERMINALS: &std::ffi::CStr = c"newinstance,ptmxmode=0666,mode=620";

#[derive(Debug)]
pub(super) struct Devices {
    directory: Directory,
    /// The names of mount points.
    mounted: Vec<OsString>,
    /// Whether the devices are those of the machine, which a test cannot replace.
    is_bound: bool,
    /// The time of the last change of the directory, and its permissions.
    last: (i64, u64, u32),
}

impl Devices {
    /// Mounts the private devices over those of the machine, with mount points for `paths`.
    ///
    /// # Errors
    /// Returns an error if they cannot be mounted.
    pub fn make(paths: &[(&Path, bool)]) -> io::Result<Self> {
        let (own, bound) = Self::fill()?;
        // The RAM disk keeps its contents, and becomes read-only.
        let shared = view::clone(Path::new("/dev/shm"));
        move_mount(&own, "", CWD, DEVICES, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
        if let Ok(shared) = shared {
            move_mount(&shared, "", CWD, "/dev/shm", MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
        }
        for (name, tree) in &bound {
            let path = Path::new(DEVICES).join(name);
            place(&path, false)?;
            move_mount(tree, "", CWD, &path, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
        }
        for (path, is_directory) in paths.iter().filter(|(path, _)| !path.starts_with("/dev/shm")) {
            place(path, *is_directory)?;
        }
        let inner = paths.iter().filter_map(|(path, _)| path.strip_prefix(DEVICES).ok()?.iter().next());
        let mounted = inner.chain(MOUNTED.iter().map(OsStr::new)).map(OsStr::to_owned).collect();
        let directory = Directory::open(Path::new(DEVICES))?;
        let mut devices = Self { directory, mounted, is_bound: !bound.is_empty(), last: (0, 0, 0) };
        devices.last = devices.state()?;
        Ok(devices)
    }

    /// Creates a directory with devices, which is not mounted yet. If the user cannot create devices, the
    /// devices of the machine are also returned, to be mounted in it.
    fn fill() -> io::Result<(OwnedFd, Vec<(&'static str, OwnedFd)>)> {
        let options = fsopen("tmpfs", FsOpenFlags::FSOPEN_CLOEXEC)?;
        for (key, value) in [("mode", "755"), ("size", SIZE.0), ("nr_inodes", SIZE.1)] {
            fsconfig_set_string(&options, key, value)?;
        }
        fsconfig_create(&options)?;
        let own = fsmount(&options, FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::MOUNT_ATTR_NOSUID)?;
        let flags = rustix::fs::OFlags::DIRECTORY | rustix::fs::OFlags::CLOEXEC;
        let directory = Directory::from(File::from(rustix::fs::openat(&own, ".", flags, Mode::empty())?));
        let mut bound = Vec::new();
        for node in NODES {
            match make_node(&directory, node) {
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                    // A container can lack some devices.
                    let there = view::clone(&Path::new(DEVICES).join(node.0));
                    bound.extend(there.ok().map(|tree| (node.0, tree)));
                }
                made => made?,
            }
        }
        for (name, to) in LINKS {
            directory.link(OsStr::new(to), Path::new(name))?;
        }
        for name in MOUNTED {
            directory.make(Path::new(name))?;
        }
        Ok((own, bound))
    }

    fn state(&self) -> io::Result<(i64, u64, u32)> {
        let found = rustix::fs::fstat(&self.directory)?;
        Ok((found.st_ctime, found.st_ctime_nsec as u64, found.st_mode))
    }

    /// Restores the devices if a test has changed something.
    pub fn mend(&mut self) -> io::Result<()> {
        let is_there = |node: &(&str, u32, u32)| {
            self.directory.look(Path::new(node.0)).is_ok_and(|found| is_node(&found, *node))
        };
        if (self.is_bound || NODES.iter().all(is_there)) && self.state()? == self.last {
            return Ok(());
        }
        self.directory.set_mode(0o755)?;
        for name in self.directory.names()? {
            let path = Path::new(&name);
            let node = NODES.iter().find(|node| name == node.0 && !self.is_bound);
            let is_right = match node {
                Some(node) => self.directory.look(path).is_ok_and(|found| is_node(&found, *node)),
                None => self.mounted.contains(&name) || NODES.iter().any(|node| name == node.0),
            };
            if !is_right {
                self.directory.clear(path)?;
            }
        }
        for node in NODES.iter().filter(|_| !self.is_bound) {
            match make_node(&self.directory, *node) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => made?,
            }
        }
        for (name, to) in LINKS {
            self.directory.link(OsStr::new(to), Path::new(name))?;
        }
        self.last = self.state()?;
        Ok(())
    }
}

/// Creates private terminals, because text that is written to the user's terminal can trigger actions.
///
/// # Errors
/// Returns an error if the system does not allow this user to create them.
pub(super) fn make_terminals() -> io::Result<()> {
    mount("devpts", "/dev/pts", "devpts", MountFlags::NOSUID | MountFlags::NOEXEC, Some(TERMINALS))?;
    if Path::new("/dev/ptmx").is_symlink() {
        return Ok(());
    }
    let door = view::clone(Path::new("/dev/pts/ptmx"))?;
    Ok(move_mount(&door, "", CWD, "/dev/ptmx", MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?)
}

/// The permissions of a device that is accessible to everyone.
const OPEN: u32 = 0o666;

fn make_node(directory: &Directory, (name, major, minor): (&str, u32, u32)) -> io::Result<()> {
    let device = rustix::fs::makedev(major, minor);
    rustix::fs::mknodat(directory, name, FileType::CharacterDevice, Mode::from_raw_mode(OPEN), device)?;
    // The umask of this process must not apply to devices.
    Ok(rustix::fs::chmodat(directory, name, Mode::from_raw_mode(OPEN), rustix::fs::AtFlags::empty())?)
}

fn is_node(found: &Stat, (_, major, minor): (&str, u32, u32)) -> bool {
    found.st_rdev == rustix::fs::makedev(major, minor)
        && FileType::from_raw_mode(found.st_mode) == FileType::CharacterDevice
        && found.st_mode & 0o7777 == OPEN
}
