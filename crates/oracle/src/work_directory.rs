//! The directories in which probes run: the work root, a directory for each worker in it, and fresh directories for
//! each probe in that.
//!
//! It starts no processes.

use super::home;
use super::surroundings::Surroundings;
use nubbin_archive as archive;
use nubbin_archive::disk::{Kept, unlock};
use rustix::fs::FlockOperation;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, Permissions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};

/// The memory-backed directory that Linux systems have.
const RAM_DISK: &str = "/dev/shm";

/// The numbers that were tuned.
struct Tuning {
    /// A RAM disk with fewer free bytes than this is not used: compilers put their temporary files there too.
    ram_disk_bytes: u64,
    /// The removal of a directory is tried this many times, since killed processes may still write into it.
    removals: usize,
}

const TUNING: Tuning = Tuning { ram_disk_bytes: 256 << 20, removals: 5 };

/// The name of a worker's directory begins with this; the number of a process and a random one follow.
const PREFIX: &str = "nubbin-lab-";
/// The name of the probe's own directory in it.
const WORK: &str = "work";
/// The name of the file with the probe's standard output.
const STDOUT: &str = "stdout";
/// The name of the file with the probe's standard error.
const STDERR: &str = "stderr";
/// The name of the probe's own home.
const HOME: &str = "home";
/// The name of the part of that home that stays for the next probe.
const CACHE: &str = "cache";
/// The name of the directory with what stands in place of the user's files.
const STAND_INS: &str = "here";
/// The name of what is noted of the files that a probe opens.
const TRACE: &str = "trace";

/// The directory that probe directories are made in where nothing else is asked for: the RAM disk if there is one that
/// can be written, executed from and is not nearly full, and the system's temporary directory otherwise.
pub(super) fn work_root() -> PathBuf {
    let ram_disk = PathBuf::from(RAM_DISK);
    if is_usable(&ram_disk) { ram_disk } else { std::env::temp_dir() }
}

fn is_usable(path: &Path) -> bool {
    use rustix::fs::StatVfsMountFlags as Flags;
    let Ok(stat) = rustix::fs::statvfs(path) else { return false };
    !stat.f_flag.intersects(Flags::NOEXEC | Flags::RDONLY)
        && stat.f_bavail.saturating_mul(stat.f_frsize) >= TUNING.ram_disk_bytes
        && tempfile::tempfile_in(path).is_ok()
}

/// The directories of workers in `work_root` that nobody holds any more: their owners were killed, and whoever would
/// have cleaned up after those, too. Each is removed when it is dropped.
pub(super) fn abandoned(work_root: &Path) -> Vec<Root> {
    let entries = fs::read_dir(work_root).into_iter().flatten().flatten();
    entries
        .filter(|entry| is_named_by_us(&entry.file_name()))
        .filter_map(|e| Root::take_over(e.path()))
        .collect()
}

/// Locks a directory, unless somebody else has.
fn hold(directory: &File) -> rustix::io::Result<()> {
    rustix::fs::flock(directory, FlockOperation::NonBlockingLockExclusive)
}

/// Returns the path that a path has in the probe's directory that it leads into; `None` if it leads into none.
pub(super) fn within(path: &Path) -> Option<PathBuf> {
    let mut parts = path.iter();
    parts.find(|part| is_named_by_us(part))?;
    (parts.next()? == WORK).then(|| parts.collect())
}

/// Tells whether a path leads into the directory of a worker.
pub(super) fn is_inside(path: &Path) -> bool {
    path.iter().any(is_named_by_us)
}

fn is_named_by_us(name: &OsStr) -> bool {
    let numbers = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split_once('-'));
    numbers.is_some_and(|(process, random)| {
        let is_number = process.parse::<u32>().is_ok();
        is_number && random.len() == 16 && u64::from_str_radix(random, 16).is_ok()
    })
}

/// The way in which a candidate lies in its probe's directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// It lies there as a file.
    File,
    /// It lies there as the contents of an archive: a directory of its own, or files under their names.
    Inside(archive::ArchiveKind),
    /// It lies there as the contents of an archive: the directory is the candidate.
    Tree,
}

/// The contents of a probe's directory.
#[derive(Clone, Copy)]
pub(super) struct Content<'c> {
    /// The candidate's name.
    pub name: &'c OsStr,
    pub candidate: &'c [u8],
    /// The candidate's permissions, where it is a file.
    pub mode: Option<&'c Permissions>,
    pub layout: Layout,
    pub surroundings: &'c Surroundings,
}

/// The directory of a worker, where its probes' directories are made, one after the other, under the same path.
///
/// Whoever owns it holds a lock on it: a directory without one has lost its owner. The system lets go of a lock when
/// the process ends, however it does; the number of a process, which may be another's by now, says nothing.
#[derive(Debug)]
pub(super) struct Root {
    path: PathBuf,
    work: PathBuf,
    tmp: PathBuf,
    /// The directory itself, locked, where it is removed when this is dropped.
    held: Option<File>,
}

impl Root {
    /// A path under `work_root` that nobody else has; nothing is made.
    pub(super) fn plan(work_root: &Path) -> Self {
        let random = RandomState::new().build_hasher().finish();
        Self::at(work_root.join(format!("{PREFIX}{}-{random:016x}", std::process::id())))
    }

    /// Returns the root of a warden's directory that another process has made, and removes.
    pub(super) fn at(path: PathBuf) -> Self {
        Self { work: path.join(WORK), tmp: path.join("tmp"), path, held: None }
    }

    /// Makes it; it is removed when this is dropped.
    pub(super) fn make(mut self) -> io::Result<Self> {
        // Under its name it is never without a lock, unless the file system has none: then nobody can take it over.
        let unheld = self.path.with_extension("new");
        DirBuilder::new().mode(0o700).create(&unheld)?;
        let held = File::open(&unheld).and_then(|directory| {
            let _ = hold(&directory);
            fs::rename(&unheld, &self.path)?;
            Ok(directory)
        });
        self.held = Some(held.inspect_err(|_| remove(&unheld, &unheld))?);
        Ok(self)
    }

    /// Takes over a directory that another process has made and no longer holds; `None` if it still does, or if it is
    /// another user's.
    fn take_over(path: PathBuf) -> Option<Self> {
        let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW;
        let directory = File::options().read(true).custom_flags(flags).open(&path).ok()?;
        let is_own = directory.metadata().ok()?.uid() == rustix::process::geteuid().as_raw();
        if !is_own || hold(&directory).is_err() {
            return None;
        }
        let mut root = Self::at(path);
        root.held = Some(directory);
        Some(root)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The current directory of a probe, where there is nothing but the candidate.
    pub(super) fn work(&self) -> &Path {
        &self.work
    }

    /// A probe's own directory for temporary files.
    pub(super) fn tmp(&self) -> &Path {
        &self.tmp
    }

    /// Files beside the probe's directories that take what a process writes to standard output and standard error.
    pub(super) fn outputs(&self) -> io::Result<[File; 2]> {
        let open = |name| File::options().read(true).append(true).create(true).open(self.path.join(name));
        Ok([open(STDOUT)?, open(STDERR)?])
    }

    /// The home of a probe, where it has one of its own.
    pub(super) fn home(&self) -> PathBuf {
        self.path.join(HOME)
    }

    /// The directory with what stands in place of the user's own files.
    pub(super) fn stand_ins(&self) -> PathBuf {
        self.path.join(STAND_INS)
    }

    /// Returns the path of the thing that stands in place of the user's file or directory of this number.
    pub(super) fn stand_in(&self, number: usize) -> PathBuf {
        self.stand_ins().join(number.to_string())
    }

    /// Returns the path of the part of the home that stays from one probe to the next.
    pub(super) fn cache(&self) -> PathBuf {
        self.path.join(CACHE)
    }

    /// A file beside the probe's directories that takes what is noted of the files that a probe opens.
    pub(super) fn trace(&self) -> io::Result<File> {
        File::options().append(true).create(true).open(self.path.join(TRACE))
    }

    /// Returns the notes about the last probe.
    pub(super) fn traced(&self) -> io::Result<Vec<u8>> {
        fs::read(self.path.join(TRACE))
    }

    /// Makes the directories of a probe, with the candidate in them: a file of this name and these permissions, or what
    /// is in an archive; and what else is to be there.
    pub(super) fn begin(&self, content: Content<'_>) -> io::Result<WorkDirectory<'_>> {
        let Content { name, candidate, mode, layout, surroundings } = content;
        let place = surroundings.candidate_in(&self.work);
        let directory = WorkDirectory { root: self, path: place.join(name), is_kept: false };
        if fs::create_dir(&self.work).is_err() {
            // The last probe may have locked it.
            unlock(&self.path);
            fs::create_dir(&self.work)?;
        }
        fs::create_dir(&self.tmp)?;
        if !surroundings.is_plain() {
            self.surround(surroundings)?;
        }
        if let Some(own) = &surroundings.home {
            home::make(own, &self.home(), &self.cache())?;
        }
        if surroundings.is_in_place {
            self.put_in_place(candidate, layout)?;
            return Ok(directory);
        }
        match layout {
            Layout::File => {}
            Layout::Inside(archive::ArchiveKind::Folder) => {
                fs::create_dir(&directory.path)?;
                archive::disk::unpack(candidate, &directory.path)?;
                self.link(surroundings)?;
                return Ok(directory);
            }
            Layout::Inside(archive::ArchiveKind::Files) | Layout::Tree => {
                archive::disk::unpack(candidate, &place)?;
                self.link(surroundings)?;
                return Ok(directory);
            }
        }
        let mut file = File::create_new(&directory.path)?;
        file.write_all(candidate)?;
        if let Some(mode) = mode {
            file.set_permissions(mode.clone())?;
        }
        self.link(surroundings)?;
        Ok(directory)
    }

    /// Writes the candidate where it stands in place of the user's own files. Those are the same files each time, since
    /// they are seen elsewhere, too.
    fn put_in_place(&self, candidate: &[u8], layout: Layout) -> io::Result<()> {
        match layout {
            Layout::File => fs::write(self.stand_in(0), candidate),
            Layout::Inside(archive::ArchiveKind::Files) => {
                for (at, entry) in archive::entries(candidate).iter().enumerate() {
                    fs::write(self.stand_in(at), entry.content_in(candidate))?;
                }
                Ok(())
            }
            Layout::Inside(archive::ArchiveKind::Folder) | Layout::Tree => {
                let place = self.stand_in(0);
                for entry in fs::read_dir(&place)? {
                    let path = entry?.path();
                    fs::remove_file(&path).or_else(|_| fs::remove_dir_all(&path))?;
                }
                archive::disk::unpack(candidate, &place)
            }
        }
    }

    /// Makes the directories that the command and the candidate stand in.
    fn surround(&self, surroundings: &Surroundings) -> io::Result<()> {
        fs::create_dir_all(self.work.join(&surroundings.directory))?;
        fs::create_dir_all(self.work.join(&surroundings.candidate))
    }

    /// Makes the links, but where something of the candidate stands.
    fn link(&self, surroundings: &Surroundings) -> io::Result<()> {
        for (at, to) in &surroundings.links {
            let place = self.work.join(at);
            match symlink(to, &place) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    fs::create_dir_all(place.parent().unwrap_or(&self.work))?;
                    symlink(to, &place)?;
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => made?,
            }
        }
        Ok(())
    }

    /// Makes the directories of a probe, which is in the directory of the last one, if that has been kept: what is in
    /// the archive `candidate` is made in it, as far as it is not there already.
    pub(super) fn begin_again(
        &self,
        candidate: &[u8],
        kept: &mut Option<Kept>,
    ) -> io::Result<WorkDirectory<'_>> {
        let directory = WorkDirectory { root: self, path: self.work.clone(), is_kept: true };
        if kept.is_none() {
            remove(&self.work, &self.path);
            fs::create_dir(&self.work)?;
        }
        fs::create_dir(&self.tmp)?;
        kept.get_or_insert_default().update(candidate, &self.work)?;
        Ok(directory)
    }

    /// Removes what a probe has left beside its directories.
    fn tidy(&self, is_kept: bool) {
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if name == STDOUT
                || name == STDERR
                || name == TRACE
                || name == CACHE
                || name == STAND_INS
                || is_kept && entry.path() == self.work
            {
                continue;
            }
            if fs::remove_file(entry.path()).is_err() {
                remove(&entry.path(), &self.path);
            }
        }
    }

    /// Removes it with all that is in it.
    pub(super) fn remove(&self) {
        remove(&self.path, &self.path);
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        if self.held.is_some() {
            self.remove();
        }
    }
}

/// The directories of one probe; they are removed when this is dropped.
pub(super) struct WorkDirectory<'r> {
    root: &'r Root,
    path: PathBuf,
    /// Is true if all stays but what is temporary.
    is_kept: bool,
}

impl Drop for WorkDirectory<'_> {
    fn drop(&mut self) {
        if self.is_kept {
            remove(&self.root.tmp, &self.root.tmp);
            return self.root.tidy(true);
        }
        // Most tests leave nothing behind: three calls do then, where to look into the directories takes a dozen.
        let _ = fs::remove_file(&self.path);
        for directory in [&self.root.work, &self.root.tmp] {
            if fs::remove_dir(directory).is_err() {
                remove(directory, &self.root.path);
            }
        }
        self.root.tidy(false);
    }
}

/// Removes a directory; where it is locked, all is unlocked that is below `root`, and `root` itself. A leftover in a
/// temporary directory is no reason to stop a reduction, so a failure is not reported.
fn remove(directory: &Path, root: &Path) {
    for _ in 0..TUNING.removals {
        match fs::remove_dir_all(directory) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => unlock(root),
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {}
            _ => return,
        }
    }
}

/// The last `bound` bytes of a file of this length.
pub(super) fn tail(file: &File, length: u64, bound: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length.min(bound) as usize];
    if !bytes.is_empty() {
        file.read_exact_at(&mut bytes, length.saturating_sub(bound))?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests;
