//! A `/dev` of a warden's own, for users who may make devices: what a test puts in place of a device there does no harm,
//! and is gone for the next one.
//!
//! Compilers that run as root replace what they write to, `/dev/null` too. Other users cannot, so they see the machine's
//! devices; their terminals are their own all the same.

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
use std::path::Path;

/// The directory itself.
const DEVICES: &str = "/dev";
/// Devices that every program finds, with their numbers.
const NODES: [(&str, u32, u32); 6] =
    [("null", 1, 3), ("zero", 1, 5), ("full", 1, 7), ("random", 1, 8), ("urandom", 1, 9), ("tty", 5, 0)];
/// Links that every program finds.
const LINKS: [(&str, &str); 5] = [
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
    ("ptmx", "pts/ptmx"),
];
/// Directories on which something is mounted.
const MOUNTED: [&str; 2] = ["pts", "shm"];
/// The bytes and the files that there may be: compilers put their results there for a moment.
const SIZE: (&str, &str) = ("256m", "10k");
/// The options that the terminals of its own are mounted with.
const TERMINALS: &std::ffi::CStr = c"newinstance,ptmxmode=0666,mode=620";

/// The devices of a warden.
#[derive(Debug)]
pub(super) struct Devices {
    directory: Directory,
    /// The names on which something is mounted.
    mounted: Vec<OsString>,
    /// The time of the last change of the directory, with its permissions.
    last: (i64, u64, u32),
}

impl Devices {
    /// Makes them in place of the machine's, with places for these paths; `None` where this user may make none.
    ///
    /// # Errors
    /// Returns an error if they cannot be put there.
    pub fn make(paths: &[&Path]) -> io::Result<Option<Self>> {
        let own = match Self::fill() {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(None),
            filled => filled?,
        };
        // What is there of the RAM disk stays where it is, read-only.
        let shared = view::clone(Path::new("/dev/shm"));
        move_mount(&own, "", CWD, DEVICES, MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
        if let Ok(shared) = shared {
            move_mount(&shared, "", CWD, "/dev/shm", MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?;
        }
        for path in paths.iter().filter(|path| !path.starts_with("/dev/shm")) {
            place(path, path.is_dir())?;
        }
        let inner = paths.iter().filter_map(|path| path.strip_prefix(DEVICES).ok()?.iter().next());
        let mounted = inner.chain(MOUNTED.iter().map(OsStr::new)).map(OsStr::to_owned).collect();
        let mut devices = Self { directory: Directory::open(Path::new(DEVICES))?, mounted, last: (0, 0, 0) };
        devices.last = devices.state()?;
        Ok(Some(devices))
    }

    fn fill() -> io::Result<std::os::fd::OwnedFd> {
        let options = fsopen("tmpfs", FsOpenFlags::FSOPEN_CLOEXEC)?;
        for (key, value) in [("mode", "755"), ("size", SIZE.0), ("nr_inodes", SIZE.1)] {
            fsconfig_set_string(&options, key, value)?;
        }
        fsconfig_create(&options)?;
        let own = fsmount(&options, FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::MOUNT_ATTR_NOSUID)?;
        let flags = rustix::fs::OFlags::DIRECTORY | rustix::fs::OFlags::CLOEXEC;
        let directory = Directory::from(File::from(rustix::fs::openat(&own, ".", flags, Mode::empty())?));
        for node in NODES {
            make_node(&directory, node)?;
        }
        for (name, to) in LINKS {
            directory.link(OsStr::new(to), Path::new(name))?;
        }
        for name in MOUNTED {
            directory.make(Path::new(name))?;
        }
        Ok(own)
    }

    fn state(&self) -> io::Result<(i64, u64, u32)> {
        let found = rustix::fs::fstat(&self.directory)?;
        Ok((found.st_ctime, found.st_ctime_nsec as u64, found.st_mode))
    }

    /// Makes them as they were, if a test has changed something.
    pub fn mend(&mut self) -> io::Result<()> {
        let are_there = NODES
            .iter()
            .all(|node| self.directory.look(Path::new(node.0)).is_ok_and(|found| is_node(&found, *node)));
        if are_there && self.state()? == self.last {
            return Ok(());
        }
        self.directory.set_mode(0o755)?;
        for name in self.directory.names()? {
            let path = Path::new(&name);
            let node = NODES.iter().find(|node| name == node.0);
            let is_right = match node {
                Some(node) => self.directory.look(path).is_ok_and(|found| is_node(&found, *node)),
                None => self.mounted.contains(&name),
            };
            if !is_right {
                self.directory.clear(path)?;
            }
        }
        for node in NODES {
            match make_node(&self.directory, node) {
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

/// Makes terminals of its own: what is written to the user's may be more than text.
///
/// # Errors
/// Returns an error if this system does not let this user do so.
pub(super) fn make_terminals() -> io::Result<()> {
    mount("devpts", "/dev/pts", "devpts", MountFlags::NOSUID | MountFlags::NOEXEC, Some(TERMINALS))?;
    if Path::new("/dev/ptmx").is_symlink() {
        return Ok(());
    }
    let door = view::clone(Path::new("/dev/pts/ptmx"))?;
    Ok(move_mount(&door, "", CWD, "/dev/ptmx", MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH)?)
}

/// The permissions of a device that everybody may use.
const OPEN: u32 = 0o666;

fn make_node(directory: &Directory, (name, major, minor): (&str, u32, u32)) -> io::Result<()> {
    let device = rustix::fs::makedev(major, minor);
    rustix::fs::mknodat(directory, name, FileType::CharacterDevice, Mode::from_raw_mode(OPEN), device)?;
    // What this process keeps from the permissions of new files does not hold for devices.
    Ok(rustix::fs::chmodat(directory, name, Mode::from_raw_mode(OPEN), rustix::fs::AtFlags::empty())?)
}

fn is_node(found: &Stat, (_, major, minor): (&str, u32, u32)) -> bool {
    found.st_rdev == rustix::fs::makedev(major, minor)
        && FileType::from_raw_mode(found.st_mode) == FileType::CharacterDevice
        && found.st_mode & 0o7777 == OPEN
}
