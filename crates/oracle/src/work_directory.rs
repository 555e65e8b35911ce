//! The directories in which probes run: each worker has a directory below the work root, with fresh
//! directories for each probe.
//!
//! A test can rename, replace and link files there, and with `--sandbox off` anywhere. Files are therefore
//! created and removed through descriptors that were opened before the test ran ([`Directory`]), never by
//! path.

use super::home;
use super::surroundings::Surroundings;
use super::wait;
use nubbin_archive as archive;
use nubbin_archive::disk::{Directory, Kept, unpack_below};
use rustix::fs::{FlockOperation, OFlags};
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, Permissions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The memory-backed directory of Linux systems.
const RAM_DISK: &str = "/dev/shm";

/// Tuned constants.
struct Tuning {
    /// A RAM disk with fewer free bytes is not used, because compilers also put their temporary files there.
    ram_disk_bytes: u64,
}

const TUNING: Tuning = Tuning { ram_disk_bytes: 256 << 20 };

/// The prefix of the name of a worker's directory; the process number and a random number follow.
const PREFIX: &str = "nubbin-lab-";
/// The work directory of the probe.
const WORK: &str = "work";
/// The directory of the probe for temporary files.
const TMP: &str = "tmp";
/// The file with the standard output of the probe.
const STDOUT: &str = "stdout";
/// The file with the standard error of the probe.
const STDERR: &str = "stderr";
/// The private home directory of the probe.
const HOME: &str = "home";
/// The part of the home directory that is kept for later probes.
const CACHE: &str = "cache";
/// A directory that a server keeps next to its candidates while it runs.
const SERVED: &str = "served";
/// The directory with the files that replace the user's files.
const STAND_INS: &str = "here";
/// The directory with the copies of log files.
const LOGS: &str = "logs";
/// The directory with the command `nubbin-wait`.
const WAITS: &str = "prestart";
/// The records about the files that a probe opens.
const TRACE: &str = "trace";

/// Returns the default directory for the directories of probes: the RAM disk if it is writable, allows
/// execution and is not nearly full; otherwise the system's temporary directory.
pub(super) fn work_root() -> PathBuf {
    if is_usable(Path::new(RAM_DISK)) { RAM_DISK.into() } else { std::env::temp_dir() }
}

fn is_usable(path: &Path) -> bool {
    use rustix::fs::StatVfsMountFlags as Flags;
    let Ok(stat) = rustix::fs::statvfs(path) else { return false };
    !stat.f_flag.intersects(Flags::NOEXEC | Flags::RDONLY)
        && stat.f_bavail.saturating_mul(stat.f_frsize) >= TUNING.ram_disk_bytes
        && tempfile::tempfile_in(path).is_ok()
}

/// Returns the directories of workers in `work_root` whose owners were killed together with the processes
/// that would have removed them. Each directory is removed when it is dropped.
pub(super) fn abandoned(work_root: &Path) -> Vec<Root> {
    let entries = fs::read_dir(work_root).into_iter().flatten().flatten();
    entries
        .filter(|entry| is_named_by_us(&entry.file_name()))
        .filter_map(|e| Root::take_over(e.path()))
        .collect()
}

/// Locks a directory; fails if another process holds the lock.
fn hold(directory: &File) -> rustix::io::Result<()> {
    rustix::fs::flock(directory, FlockOperation::NonBlockingLockExclusive)
}

/// Returns the path relative to the probe's directory; `None` if the path is in no such directory.
pub(super) fn within(path: &Path) -> Option<PathBuf> {
    let mut parts = path.iter();
    parts.find(|part| is_named_by_us(part))?;
    (parts.next()? == WORK).then(|| parts.collect())
}

/// Returns whether a path is in the directory of a worker.
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

/// How a candidate is stored in the directory of its probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// As a file.
    File,
    /// As the contents of an archive: a subdirectory, or files with their names.
    Inside(archive::ArchiveKind),
    /// As the contents of an archive, which become the directory itself.
    Tree,
}

/// The contents of a probe's directory.
#[derive(Clone, Copy)]
pub(super) struct Content<'c> {
    /// The name of the candidate.
    pub name: &'c OsStr,
    pub candidate: &'c [u8],
    /// The permissions of the candidate, if it is a file.
    pub mode: Option<&'c Permissions>,
    pub layout: Layout,
    pub surroundings: &'c Surroundings,
}

/// The paths of a worker's directory and of its contents, as plain values for other processes.
#[derive(Clone, Debug)]
pub(super) struct Paths {
    path: PathBuf,
    work: PathBuf,
    tmp: PathBuf,
}

impl Paths {
    /// Returns an unused path under `work_root`.
    pub(super) fn plan(work_root: &Path) -> Self {
        let random = RandomState::new().build_hasher().finish();
        Self::at(work_root.join(format!("{PREFIX}{}-{random:016x}", std::process::id())))
    }

    /// Returns the paths of the directory at `path`.
    pub(super) fn at(path: PathBuf) -> Self {
        Self { work: path.join(WORK), tmp: path.join(TMP), path }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the current directory of a probe, which contains only the candidate by default.
    pub(super) fn work(&self) -> &Path {
        &self.work
    }

    /// Returns the probe's directory for temporary files.
    pub(super) fn tmp(&self) -> &Path {
        &self.tmp
    }

    /// Returns the file for the standard output of a probe.
    pub(super) fn stdout(&self) -> PathBuf {
        self.path.join(STDOUT)
    }

    /// Returns the file for the standard error of a probe.
    pub(super) fn stderr(&self) -> PathBuf {
        self.path.join(STDERR)
    }

    /// Returns the private home directory of a probe, if it has one.
    pub(super) fn home(&self) -> PathBuf {
        self.path.join(HOME)
    }

    /// Returns the directory with the command `nubbin-wait`.
    pub(super) fn waits(&self) -> PathBuf {
        self.path.join(WAITS)
    }

    /// Returns the file or directory that replaces the user's one with this number.
    pub(super) fn stand_in(&self, number: usize) -> PathBuf {
        self.path.join(STAND_INS).join(number.to_string())
    }

    /// Returns the copy of the log file with this number.
    pub(super) fn log(&self, number: usize) -> PathBuf {
        self.path.join(LOGS).join(number.to_string())
    }

    /// Returns the part of the home directory that is kept from one probe to the next.
    pub(super) fn cache(&self) -> PathBuf {
        self.path.join(CACHE)
    }
}

/// The directory of a worker. The directories of its probes are created in it, one after another, with the
/// same paths.
///
/// The owner holds a lock on the directory, so a directory without a lock has lost its owner. The system
/// releases the lock when the process ends, for whatever reason. A process number is not sufficient, because
/// it can be reused.
#[derive(Debug)]
pub(super) struct Root {
    paths: Paths,
    directory: Directory,
    /// Whether the directory is locked, and removed when this is dropped.
    is_held: bool,
}

impl Root {
    /// Creates a directory at these paths; it is removed when this is dropped.
    pub(super) fn make(paths: Paths) -> io::Result<Self> {
        // The directory gets its final name only when it is locked. If the file system has no locks, no other
        // process can take it over.
        let unheld = paths.path.with_extension("new");
        DirBuilder::new().mode(0o700).create(&unheld)?;
        let held = File::open(&unheld).and_then(|directory| {
            let _ = hold(&directory);
            fs::rename(&unheld, &paths.path)?;
            Ok(directory)
        });
        let held = held.inspect_err(|_| drop(fs::remove_dir(&unheld)))?;
        Ok(Self { paths, directory: held.into(), is_held: true })
    }

    /// Opens a directory that another process created at these paths and will remove.
    pub(super) fn open(paths: Paths) -> io::Result<Self> {
        let directory = Directory::open(&paths.path)?;
        Ok(Self { paths, directory, is_held: false })
    }

    /// Takes over a directory whose creator no longer holds it; `None` if it is still held, or belongs to
    /// another user.
    fn take_over(path: PathBuf) -> Option<Self> {
        let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW;
        let directory = File::options().read(true).custom_flags(flags).open(&path).ok()?;
        let is_own = directory.metadata().ok()?.uid() == rustix::process::geteuid().as_raw();
        if !is_own || hold(&directory).is_err() {
            return None;
        }
        Some(Self { paths: Paths::at(path), directory: directory.into(), is_held: true })
    }

    pub(super) fn paths(&self) -> &Paths {
        &self.paths
    }

    /// Opens the files for the standard output and standard error of a probe.
    pub(super) fn outputs(&self) -> io::Result<[File; 2]> {
        Ok([self.beside(STDOUT)?, self.beside(STDERR)?])
    }

    /// Opens the file for the records about the files that a probe opens.
    pub(super) fn trace(&self) -> io::Result<File> {
        self.beside(TRACE)
    }

    fn beside(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE;
        self.directory.open_file(Path::new(name), flags, 0o600)
    }

    /// Creates the directory for the files that replace the user's files.
    pub(super) fn make_stand_ins(&self) -> io::Result<()> {
        self.directory.make(Path::new(STAND_INS))
    }

    /// Creates `count` empty copies of log files.
    pub(super) fn make_logs(&self, count: usize) -> io::Result<()> {
        self.directory.make(Path::new(LOGS))?;
        (0..count).try_for_each(|number| self.log(number).map(drop))
    }

    /// Opens the copy of the log file with this number.
    pub(super) fn log(&self, number: usize) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE;
        self.directory.open_file(&Path::new(LOGS).join(number.to_string()), flags, 0o600)
    }

    /// Creates the directories of a probe with the candidate, its surroundings and, for an archive, the
    /// unpacked files.
    pub(super) fn begin(&self, content: Content<'_>) -> io::Result<WorkDirectory<'_>> {
        self.make_places(content.surroundings)?;
        self.fill(content)
    }

    /// Creates the directories of a probe whose candidate follows later.
    pub(super) fn prepare(&self, surroundings: &Surroundings) -> io::Result<()> {
        let made = self.make_places(surroundings);
        let made = made.and_then(|()| link(surroundings, &self.directory.enter(Path::new(WORK))?));
        made.inspect_err(|_| self.tidy(false))
    }

    /// Writes the candidate into directories that were created in advance, and that a process may have used
    /// since.
    pub(super) fn fill_prepared(&self, content: Content<'_>) -> io::Result<WorkDirectory<'_>> {
        let work = self.directory.enter(Path::new(WORK))?;
        // A file of the candidate takes precedence over a link.
        for (at, _) in &content.surroundings.links {
            let _ = work.remove_file(at);
        }
        if content.layout == Layout::File && !content.surroundings.is_in_place {
            work.clear(&content.surroundings.candidate.join(content.name))?;
        }
        self.fill(content)
    }

    fn make_places(&self, surroundings: &Surroundings) -> io::Result<()> {
        if self.directory.make(Path::new(WORK)).is_err() {
            // The previous probe can have changed the permissions of the directory or replaced it.
            let _ = self.directory.set_mode(0o700);
            self.directory.clear(Path::new(WORK))?;
            self.directory.make(Path::new(WORK))?;
        }
        let made = self.make_places_beside(surroundings);
        made.inspect_err(|_| self.tidy(false))
    }

    fn make_places_beside(&self, surroundings: &Surroundings) -> io::Result<()> {
        self.directory.make(Path::new(TMP))?;
        if let Some(own) = &surroundings.home {
            home::make(own, &self.directory, (Path::new(HOME), Path::new(CACHE)), &self.paths.cache())?;
        }
        if !surroundings.is_plain() {
            let work = self.directory.enter(Path::new(WORK))?;
            work.make_all(&surroundings.directory)?;
            work.make_all(&surroundings.candidate)?;
        }
        Ok(())
    }

    /// Writes the candidate into the existing directories.
    fn fill(&self, content: Content<'_>) -> io::Result<WorkDirectory<'_>> {
        let Content { name, candidate, mode, layout, surroundings } = content;
        let mut directory = WorkDirectory { root: self, file: None, is_kept: false };
        if surroundings.is_in_place {
            self.put_in_place(candidate, layout)?;
            return Ok(directory);
        }
        let work = self.directory.enter(Path::new(WORK))?;
        let place = if surroundings.is_plain() { work } else { work.enter(&surroundings.candidate)? };
        match layout {
            Layout::File => {
                let file = place.write_new(Path::new(name), candidate, 0o666)?;
                if let Some(mode) = mode {
                    file.set_permissions(mode.clone())?;
                }
                directory.file = Some((place, name.into()));
            }
            Layout::Inside(archive::ArchiveKind::Folder) => {
                unpack_below(candidate, &place.make_all(Path::new(name))?)?;
            }
            Layout::Inside(archive::ArchiveKind::Files) | Layout::Tree => unpack_below(candidate, &place)?,
        }
        if !surroundings.links.is_empty() {
            link(surroundings, &self.directory.enter(Path::new(WORK))?)?;
        }
        Ok(directory)
    }

    /// Creates the directory with the command `nubbin-wait` again, and opens it.
    pub(super) fn make_word(&self) -> io::Result<Directory> {
        self.directory.clear(Path::new(WAITS))?;
        self.directory.make(Path::new(WAITS))?;
        let place = self.directory.enter(Path::new(WAITS))?;
        place.write_new(Path::new(wait::WORD), wait::SCRIPT.as_bytes(), 0o755)?;
        Ok(place)
    }

    /// Writes the candidate over the files that replace the user's files. The files themselves are reused,
    /// because they are also mounted elsewhere.
    fn put_in_place(&self, candidate: &[u8], layout: Layout) -> io::Result<()> {
        let here = self.directory.enter(Path::new(STAND_INS))?;
        let write = |number: usize, content: &[u8]| {
            let name = number.to_string();
            let mut file = here.open_file(Path::new(&name), OFlags::WRONLY | OFlags::TRUNC, 0)?;
            io::Write::write_all(&mut file, content)
        };
        match layout {
            Layout::File => write(0, candidate),
            Layout::Inside(archive::ArchiveKind::Files) => {
                for (at, entry) in archive::entries(candidate).iter().enumerate() {
                    write(at, entry.content_in(candidate))?;
                }
                Ok(())
            }
            Layout::Inside(archive::ArchiveKind::Folder) | Layout::Tree => {
                let place = here.enter(Path::new("0"))?;
                place.empty()?;
                unpack_below(candidate, &place)
            }
        }
    }

    /// Creates the directories of a probe in the directory of the previous one, if it was kept. Only the
    /// differences to the archive `candidate` are written.
    pub(super) fn begin_again(
        &self,
        candidate: &[u8],
        kept: &mut Option<(Directory, Kept)>,
    ) -> io::Result<WorkDirectory<'_>> {
        let directory = WorkDirectory { root: self, file: None, is_kept: true };
        if kept.as_ref().is_some_and(|(work, _)| !self.is_work(work)) {
            // The name now refers to another directory.
            *kept = None;
        }
        if kept.is_none() {
            let _ = self.directory.set_mode(0o700);
            self.directory.clear(Path::new(WORK))?;
            self.directory.make(Path::new(WORK))?;
            *kept = Some((self.directory.enter(Path::new(WORK))?, Kept::default()));
        }
        self.directory.make(Path::new(TMP))?;
        if let Some((work, kept)) = kept {
            kept.update(candidate, work)?;
        }
        Ok(directory)
    }

    /// Returns whether the work directory is still this one.
    fn is_work(&self, work: &Directory) -> bool {
        let number = |found: rustix::fs::Stat| (found.st_dev, found.st_ino);
        let there = self.directory.look(Path::new(WORK)).ok().map(number);
        there.is_some() && there == rustix::fs::fstat(work).ok().map(number)
    }

    /// Removes the part of the home directory that is kept from one probe to the next.
    pub(super) fn forget_cache(&self) {
        let _ = self.directory.clear(Path::new(CACHE));
    }

    /// Removes leftover files of a probe. Errors are ignored, because leftovers in a temporary directory are
    /// no reason to stop a reduction; if they block the next probe, that probe reports it.
    pub(super) fn tidy(&self, is_kept: bool) {
        for name in self.directory.names().unwrap_or_default() {
            let stays = [STDOUT, STDERR, TRACE, CACHE, SERVED, STAND_INS].iter().any(|own| name == *own);
            if name == WAITS {
                if !self.directory.enter(Path::new(WAITS)).is_ok_and(|place| wait::is_untouched(&place)) {
                    let _ = self.make_word();
                }
            } else if !(stays || is_kept && name == WORK) {
                let _ = self.directory.clear(Path::new(&name));
            }
        }
    }

    /// Returns whether the directory still exists, under any name.
    pub(super) fn is_there(&self) -> bool {
        rustix::fs::fstat(&self.directory).is_ok_and(|found| found.st_nlink > 0)
    }

    /// Removes the directory with its contents.
    pub(super) fn remove(&self) {
        let _ = self.directory.set_mode(0o700);
        let _ = self.directory.empty();
        let _ = fs::remove_dir(&self.paths.path);
    }
}

/// Creates the links, except where a file of the candidate exists.
fn link(surroundings: &Surroundings, work: &Directory) -> io::Result<()> {
    for (at, to) in &surroundings.links {
        match at.parent().map(|parent| work.make_all(parent)) {
            // A parent directory is a link or a file of the candidate, and its target does not belong to the
            // probe.
            Some(Err(error)) if [libc::ELOOP, libc::ENOTDIR].map(Some).contains(&error.raw_os_error()) => {
                continue;
            }
            made => drop(made.transpose()?),
        }
        match work.link(to.as_os_str(), at) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => made?,
        }
    }
    Ok(())
}

impl Drop for Root {
    fn drop(&mut self) {
        if self.is_held {
            self.remove();
        }
    }
}

/// The directories of one probe; they are removed when this is dropped.
pub(super) struct WorkDirectory<'r> {
    root: &'r Root,
    /// The directory and the name of the candidate, if it is a file.
    file: Option<(Directory, PathBuf)>,
    /// Whether the directories are kept, except for the temporary one.
    is_kept: bool,
}

impl Drop for WorkDirectory<'_> {
    fn drop(&mut self) {
        let own = &self.root.directory;
        if !self.is_kept {
            // Most tests leave no files: three system calls suffice then, instead of a dozen for listing the
            // directories.
            if let Some((place, name)) = &self.file {
                let _ = place.remove_file(name);
            }
            let _ = own.remove_empty(Path::new(WORK));
        }
        let _ = own.remove_empty(Path::new(TMP));
        self.root.tidy(self.is_kept);
    }
}

/// Returns the last `bound` bytes of a file with `length` bytes.
pub(super) fn tail(file: &File, length: u64, bound: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length.min(bound) as usize];
    if !bytes.is_empty() {
        file.read_exact_at(&mut bytes, length.saturating_sub(bound))?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests;
