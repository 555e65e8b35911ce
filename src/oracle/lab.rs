//! Where probes run: the work root, and one fresh directory for each probe.
//!
//! It starts no processes.

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The memory-backed directory that Linux systems have.
const RAM_DISK: &str = "/dev/shm";
/// A smaller RAM disk is left alone: compilers put their temporary files there too.
const ENOUGH: u64 = 256 << 20;
/// How often the removal of a directory is tried, while killed processes may still write into it.
const REMOVALS: usize = 5;

/// The directory that probe directories are made in where nothing else is asked for: the RAM disk if there is one that can be
/// written, executed from and is not nearly full, and the system's temporary directory otherwise.
pub(super) fn work_root() -> PathBuf {
    let ram_disk = PathBuf::from(RAM_DISK);
    if is_usable(&ram_disk) { ram_disk } else { std::env::temp_dir() }
}

fn is_usable(path: &Path) -> bool {
    use rustix::fs::StatVfsMountFlags as Flags;
    let Ok(stat) = rustix::fs::statvfs(path) else { return false };
    !stat.f_flag.intersects(Flags::NOEXEC | Flags::RDONLY)
        && stat.f_bavail.saturating_mul(stat.f_frsize) >= ENOUGH
        && tempfile::tempfile_in(path).is_ok()
}

/// The directory of one probe; it is removed when this is dropped.
pub(super) struct Lab {
    root: PathBuf,
}

impl Lab {
    /// Makes a fresh directory under `work_root`.
    pub(super) fn new(work_root: &Path) -> io::Result<Self> {
        let root = tempfile::Builder::new().prefix("nubbin-").tempdir_in(work_root)?.keep();
        let lab = Self { root };
        fs::create_dir(lab.work())?;
        fs::create_dir(lab.tmp())?;
        Ok(lab)
    }

    /// The probe's current directory, where there is nothing but the candidate.
    pub(super) fn work(&self) -> PathBuf {
        self.root.join("work")
    }

    /// The probe's own directory for temporary files.
    pub(super) fn tmp(&self) -> PathBuf {
        self.root.join("tmp")
    }

    /// Writes the candidate under `name`, and returns its path.
    pub(super) fn place(
        &self,
        name: &OsStr,
        candidate: &[u8],
        mode: Option<&Permissions>,
    ) -> io::Result<PathBuf> {
        let path = self.work().join(name);
        let mut file = File::create_new(&path)?;
        file.write_all(candidate)?;
        if let Some(mode) = mode {
            file.set_permissions(mode.clone())?;
        }
        Ok(path)
    }

    /// A file beside the probe's directories that takes what the process writes.
    pub(super) fn output(&self, name: &str) -> io::Result<File> {
        File::options().read(true).append(true).create_new(true).open(self.root.join(name))
    }
}

impl Drop for Lab {
    /// Removes the directory. A leftover in a temporary directory is no reason to stop a reduction, so a failure is not reported.
    fn drop(&mut self) {
        for _ in 0..REMOVALS {
            match fs::remove_dir_all(&self.root) {
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => unlock(&self.root),
                Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {}
                _ => return,
            }
        }
    }
}

/// Makes each directory below `root` writable for its owner; symbolic links are not followed.
fn unlock(root: &Path) {
    let mut left = vec![root.to_owned()];
    while let Some(directory) = left.pop() {
        let _ = fs::set_permissions(&directory, Permissions::from_mode(0o700));
        let entries = fs::read_dir(&directory).into_iter().flatten().flatten();
        left.extend(entries.filter(|e| e.file_type().is_ok_and(|t| t.is_dir())).map(|e| e.path()));
    }
}

/// The last `bound` bytes of `file`.
pub(super) fn tail(file: &File, bound: u64) -> io::Result<Vec<u8>> {
    let length = file.metadata()?.len();
    let mut bytes = vec![0; length.min(bound) as usize];
    file.read_exact_at(&mut bytes, length.saturating_sub(bound))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_that_the_probe_locked_are_removed() {
        let lab = Lab::new(&work_root()).expect("a directory");
        let root = lab.root.clone();
        let deep = lab.work().join("a/b");
        fs::create_dir_all(&deep).expect("directories");
        fs::write(deep.join("file"), "x").expect("a file");
        for locked in [&deep, &lab.work(), &root] {
            fs::set_permissions(locked, Permissions::from_mode(0o500)).expect("locked");
        }
        drop(lab);
        assert!(!root.exists());
    }

    #[test]
    fn unlocking_makes_every_directory_writable_and_follows_no_link() {
        let outside = tempfile::tempdir().expect("a directory");
        fs::set_permissions(outside.path(), Permissions::from_mode(0o500)).expect("locked");
        let lab = Lab::new(&work_root()).expect("a directory");
        let deep = lab.work().join("deep");
        fs::create_dir(&deep).expect("a directory");
        std::os::unix::fs::symlink(outside.path(), lab.work().join("link")).expect("a link");
        fs::set_permissions(&deep, Permissions::from_mode(0o500)).expect("locked");
        unlock(&lab.root);
        let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
        assert_eq!(mode(&deep), 0o700);
        assert_eq!(mode(outside.path()), 0o500);
    }

    #[test]
    fn the_tail_is_the_end_of_a_file() {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(b"0123456789").expect("written");
        assert_eq!(tail(&file, 3).expect("read"), b"789");
        assert_eq!(tail(&file, 30).expect("read"), b"0123456789");
    }
}
