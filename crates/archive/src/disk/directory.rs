//! File operations below an open directory, which cannot be redirected outside of it.
//!
//! Every path is resolved from the descriptor (`openat2(2)`, `RESOLVE_BENEATH` and `RESOLVE_NO_SYMLINKS`), so
//! concurrent changes of links and names have no effect on the location.

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags, Stat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path};

/// Tuned constants.
struct Tuning {
    /// The number of rounds without progress after which the removal of a directory fails. Processes that are
    /// being killed can still write into the directory.
    idle_rounds: usize,
}

const TUNING: Tuning = Tuning { idle_rounds: 5 };

/// The flags for opening the directories on a path.
const ENTER: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// The permissions of a directory that must be removed.
const UNLOCKED: u32 = 0o700;

/// An open directory.
#[derive(Debug)]
pub struct Directory {
    descriptor: OwnedFd,
}

impl AsFd for Directory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

impl From<File> for Directory {
    fn from(file: File) -> Self {
        Self { descriptor: file.into() }
    }
}

impl Directory {
    /// Opens the directory at `path`, which must not be a link.
    ///
    /// # Errors
    /// Returns an error if it is not a directory, or cannot be read.
    pub fn open(path: &Path) -> io::Result<Self> {
        let descriptor = rustix::fs::open(path, ENTER | OFlags::RDONLY, Mode::empty())?;
        Ok(Self { descriptor })
    }

    /// Opens a directory below this one.
    ///
    /// # Errors
    /// Returns an error if it is not a directory, or if the path contains a link or leads outside.
    pub fn enter(&self, path: &Path) -> io::Result<Self> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        Ok(Self { descriptor: self.open_below(path, ENTER | OFlags::RDONLY, Mode::empty())? })
    }

    /// Opens a file below this directory.
    ///
    /// # Errors
    /// Returns the system's error, also if the path contains a link.
    pub fn open_file(&self, path: &Path, flags: OFlags, mode: u32) -> io::Result<File> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(self.open_below(path, flags, Mode::from_raw_mode(mode))?.into())
    }

    /// Creates a file with this content.
    ///
    /// # Errors
    /// Returns an error if the path exists, or the file cannot be created.
    pub fn write_new(&self, path: &Path, content: &[u8], mode: u32) -> io::Result<File> {
        let mut file = self.open_file(path, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL, mode)?;
        io::Write::write_all(&mut file, content)?;
        Ok(file)
    }

    fn open_below(&self, path: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        // The system rejects a mode without the corresponding flag.
        let mode = if flags.contains(OFlags::CREATE) { mode } else { Mode::empty() };
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match rustix::fs::openat2(self, path, flags, mode, resolve) {
            // An older kernel, or a container that blocks unknown system calls.
            Err(Errno::NOSYS | Errno::PERM) => self.step_below(path, flags, mode),
            opened => Ok(opened?),
        }
    }

    /// Works like `openat2`, one directory at a time.
    fn step_below(&self, path: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        let plain = |part| match part {
            Component::Normal(name) => Ok(name),
            _ => Err(io::Error::from(Errno::XDEV)),
        };
        let names: Vec<&OsStr> = path
            .components()
            .filter(|part| *part != Component::CurDir)
            .map(plain)
            .collect::<Result<_, _>>()?;
        let Some((last, above)) = names.split_last() else {
            return Ok(rustix::fs::openat(self, ".", flags, mode)?);
        };
        let mut at: Option<OwnedFd> = None;
        for name in above {
            let from = at.as_ref().map_or(self.as_fd(), AsFd::as_fd);
            at = Some(rustix::fs::openat(from, *name, ENTER | OFlags::PATH, Mode::empty())?);
        }
        let from = at.as_ref().map_or(self.as_fd(), AsFd::as_fd);
        Ok(rustix::fs::openat(from, *last, flags | OFlags::NOFOLLOW, mode)?)
    }

    /// Creates a directory in an existing one.
    ///
    /// # Errors
    /// Returns an error if the path exists, or the directory cannot be created.
    pub fn make(&self, path: &Path) -> io::Result<()> {
        self.in_parent(path, |parent, name| {
            Ok(rustix::fs::mkdirat(parent, name, Mode::from_raw_mode(0o777))?)
        })
    }

    /// Creates a directory and its missing parents, and opens it.
    ///
    /// # Errors
    /// Returns an error if a part of the path is not a directory, for example a link.
    pub fn make_all(&self, path: &Path) -> io::Result<Self> {
        match self.enter(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            entered => return entered,
        }
        for part in ancestors(path) {
            match self.make(part) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => made?,
            }
        }
        self.enter(path)
    }

    /// Creates a symbolic link with the target `to`.
    ///
    /// # Errors
    /// Returns an error if the path exists, or the link cannot be created.
    pub fn link(&self, to: &OsStr, path: &Path) -> io::Result<()> {
        self.in_parent(path, |parent, name| Ok(rustix::fs::symlinkat(to, parent, name)?))
    }

    /// Returns the properties of a path, without following a link.
    ///
    /// # Errors
    /// Returns an error if the path does not exist.
    pub fn look(&self, path: &Path) -> io::Result<Stat> {
        self.in_parent(path, |parent, name| Ok(rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)?))
    }

    /// Returns whether a path is a directory, and not a link to one.
    #[must_use]
    pub fn is_directory(&self, path: &Path) -> bool {
        self.look(path).is_ok_and(|found| is_directory(&found))
    }

    /// Removes a file or a link.
    ///
    /// # Errors
    /// Returns an error if the path is a directory, or cannot be removed.
    pub fn remove_file(&self, path: &Path) -> io::Result<()> {
        self.in_parent(path, |parent, name| Ok(rustix::fs::unlinkat(parent, name, AtFlags::empty())?))
    }

    /// Removes an empty directory.
    ///
    /// # Errors
    /// Returns an error if the path is not a directory, or is not empty.
    pub fn remove_empty(&self, path: &Path) -> io::Result<()> {
        self.in_parent(path, |parent, name| Ok(rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR)?))
    }

    /// Removes a path with all its contents, if it exists.
    ///
    /// # Errors
    /// Returns an error if a path cannot be removed.
    pub fn clear(&self, path: &Path) -> io::Result<()> {
        let cleared = self.in_parent(path, |parent, name| {
            if remove_plain(parent, name)? {
                return Ok(());
            }
            let inside = unlocked(parent, name)?;
            inside.empty()?;
            Ok(rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR)?)
        });
        match cleared {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            cleared => cleared,
        }
    }

    /// Removes all contents of this directory. Nested directories are moved up before their parents are
    /// removed, so that a few descriptors suffice for any depth.
    ///
    /// # Errors
    /// Returns an error if a path cannot be removed.
    pub fn empty(&self) -> io::Result<()> {
        let (mut idle, mut moved, mut failure) = (0, 0u64, None);
        while idle < TUNING.idle_rounds {
            let names = self.names()?;
            if names.is_empty() {
                return Ok(());
            }
            let mut has_changed = false;
            for name in names {
                match self.take_apart(&name, &mut moved) {
                    Ok(()) => has_changed = true,
                    Err(error) if error.kind() == io::ErrorKind::NotFound => has_changed = true,
                    Err(error) => failure = Some(error),
                }
            }
            idle = if has_changed { 0 } else { idle + 1 };
        }
        Err(failure.unwrap_or_else(|| Errno::NOTEMPTY.into()))
    }

    /// Removes an entry; subdirectories are moved into this directory first.
    fn take_apart(&self, name: &OsStr, moved: &mut u64) -> io::Result<()> {
        if remove_plain(self.as_fd(), name)? {
            return Ok(());
        }
        let inside = unlocked(self.as_fd(), name)?;
        for inner in inside.names()? {
            if remove_plain(inside.as_fd(), &inner)? {
                continue;
            }
            // The target directory of a move must also be writable.
            let _ = unlocked(inside.as_fd(), &inner);
            loop {
                *moved += 1;
                let free = format!(".{moved:x}");
                match rustix::fs::renameat_with(
                    &inside,
                    &*inner,
                    self,
                    free,
                    rustix::fs::RenameFlags::NOREPLACE,
                ) {
                    Err(Errno::EXIST) => {}
                    done => break done?,
                }
            }
        }
        Ok(rustix::fs::unlinkat(self, name, AtFlags::REMOVEDIR)?)
    }

    /// Returns the names of the entries.
    ///
    /// # Errors
    /// Returns an error if they cannot be read.
    pub fn names(&self) -> io::Result<Vec<std::ffi::OsString>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(self)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                names.push(OsStr::from_bytes(name).to_owned());
            }
        }
        Ok(names)
    }

    /// Makes this directory and all directories below it writable for their owner.
    pub fn unlock(&self) {
        let mut left = match self.enter(Path::new("")) {
            Ok(own) => vec![own],
            Err(_) => return,
        };
        while let Some(directory) = left.pop() {
            let _ = directory.set_mode(UNLOCKED);
            let names = directory.names().unwrap_or_default();
            let inner = names.iter().filter(|name| directory.is_directory(Path::new(name)));
            left.extend(inner.filter_map(|name| unlocked(directory.as_fd(), name).ok()));
        }
    }

    /// Sets the permissions of the directory itself.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn set_mode(&self, mode: u32) -> io::Result<()> {
        Ok(rustix::fs::fchmod(self, Mode::from_raw_mode(mode))?)
    }

    /// Applies a function to the parent directory and the name of a path.
    fn in_parent<T>(
        &self,
        path: &Path,
        act: impl FnOnce(BorrowedFd<'_>, &OsStr) -> io::Result<T>,
    ) -> io::Result<T> {
        let Some(name) = path.file_name() else { return Err(Errno::INVAL.into()) };
        match path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            None => act(self.as_fd(), name),
            Some(parent) => {
                let parent = self.open_below(parent, ENTER | OFlags::PATH, Mode::empty())?;
                act(parent.as_fd(), name)
            }
        }
    }
}

/// Returns a path and its parents, the outermost first.
pub(super) fn ancestors(path: &Path) -> impl Iterator<Item = &Path> {
    let above: Vec<&Path> = path.ancestors().filter(|above| !above.as_os_str().is_empty()).collect();
    above.into_iter().rev()
}

pub(super) fn is_directory(found: &Stat) -> bool {
    FileType::from_raw_mode(found.st_mode) == FileType::Directory
}

/// Removes a file or an empty directory; returns whether the path was removed.
fn remove_plain(parent: BorrowedFd<'_>, name: &OsStr) -> io::Result<bool> {
    match rustix::fs::unlinkat(parent, name, AtFlags::empty()) {
        Ok(()) => return Ok(true),
        // Some systems return `EPERM` for directories.
        Err(Errno::ISDIR | Errno::PERM) => {}
        Err(Errno::ACCESS) => {
            // The parent directory is not writable.
            chmod(parent, UNLOCKED)?;
            if rustix::fs::unlinkat(parent, name, AtFlags::empty()).is_ok() {
                return Ok(true);
            }
        }
        Err(error) => return Err(error.into()),
    }
    match rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR) {
        Ok(()) => Ok(true),
        Err(Errno::NOTEMPTY | Errno::EXIST | Errno::ACCESS) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Opens a directory for removal, regardless of its permissions.
fn unlocked(parent: BorrowedFd<'_>, name: &OsStr) -> io::Result<Directory> {
    let open = || rustix::fs::openat(parent, name, ENTER | OFlags::RDONLY, Mode::empty());
    let descriptor = match open() {
        Err(Errno::ACCESS) => {
            let path = rustix::fs::openat(parent, name, ENTER | OFlags::PATH, Mode::empty())?;
            chmod(path.as_fd(), UNLOCKED)?;
            open()?
        }
        opened => opened?,
    };
    let directory = Directory { descriptor };
    // The directory can belong to another user; its contents can still be removable.
    let _ = directory.set_mode(UNLOCKED);
    Ok(directory)
}

/// Sets the permissions of an open file, even if it was opened with `O_PATH`.
fn chmod(descriptor: BorrowedFd<'_>, mode: u32) -> io::Result<()> {
    if rustix::fs::fchmod(descriptor, Mode::from_raw_mode(mode)).is_ok() {
        return Ok(());
    }
    std::fs::set_permissions(
        format!("/proc/self/fd/{}", descriptor.as_raw_fd()),
        Permissions::from_mode(mode),
    )
}

#[cfg(test)]
mod tests;
