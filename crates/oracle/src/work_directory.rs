//! The directories in which probes run: the work root, a directory for each worker in it, and fresh directories for
//! each probe in that.
//!
//! A test may rename, replace and link what is in there, and with `--sandbox off` anything. So what is made and removed
//! for it is reached from descriptors that were opened before it ran ([`Directory`]), never by a path.
//! It starts no processes.

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

/// The memory-backed directory that Linux systems have.
const RAM_DISK: &str = "/dev/shm";

/// The numbers that were tuned.
struct Tuning {
    /// A RAM disk with fewer free bytes than this is not used: compilers put their temporary files there too.
    ram_disk_bytes: u64,
}

const TUNING: Tuning = Tuning { ram_disk_bytes: 256 << 20 };

/// The name of a worker's directory begins with this; the number of a process and a random one follow.
const PREFIX: &str = "nubbin-lab-";
/// The name of the probe's own directory in it.
const WORK: &str = "work";
/// The name of the probe's directory for temporary files.
const TMP: &str = "tmp";
/// The name of the file with the probe's standard output.
const STDOUT: &str = "stdout";
/// The name of the file with the probe's standard error.
const STDERR: &str = "stderr";
/// The name of the probe's own home.
const HOME: &str = "home";
/// The name of the part of that home that stays for the next probe.
const CACHE: &str = "cache";
/// The name of the directory that a server keeps beside its candidates for as long as it runs.
const SERVED: &str = "served";
/// The name of the directory with what stands in place of the user's files.
const STAND_INS: &str = "here";
/// The name of the directory with the copies of log files.
const LOGS: &str = "logs";
/// The name of the directory with the word by which a test says that it waits for its candidate.
const WAITS: &str = "prestart";
/// The name of what is noted of the files that a probe opens.
const TRACE: &str = "trace";

/// The directory that probe directories are made in where nothing else is asked for: the RAM disk if there is one that
/// can be written, executed from and is not nearly full, and the system's temporary directory otherwise.
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

/// The paths of a worker's directory and of what is in it: plain names, for the processes that are told them.
#[derive(Clone, Debug)]
pub(super) struct Paths {
    path: PathBuf,
    work: PathBuf,
    tmp: PathBuf,
}

impl Paths {
    /// A path under `work_root` that nobody else has.
    pub(super) fn plan(work_root: &Path) -> Self {
        let random = RandomState::new().build_hasher().finish();
        Self::at(work_root.join(format!("{PREFIX}{}-{random:016x}", std::process::id())))
    }

    /// The paths of a directory that is at this one.
    pub(super) fn at(path: PathBuf) -> Self {
        Self { work: path.join(WORK), tmp: path.join(TMP), path }
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

    /// The file that takes what a probe writes to standard output.
    pub(super) fn stdout(&self) -> PathBuf {
        self.path.join(STDOUT)
    }

    /// The file that takes what a probe writes to standard error.
    pub(super) fn stderr(&self) -> PathBuf {
        self.path.join(STDERR)
    }

    /// The home of a probe, where it has one of its own.
    pub(super) fn home(&self) -> PathBuf {
        self.path.join(HOME)
    }

    /// The directory with the word by which a test says that it waits.
    pub(super) fn waits(&self) -> PathBuf {
        self.path.join(WAITS)
    }

    /// Returns the path of the thing that stands in place of the user's file or directory of this number.
    pub(super) fn stand_in(&self, number: usize) -> PathBuf {
        self.path.join(STAND_INS).join(number.to_string())
    }

    /// Returns the path of the copy of the log file of this number.
    pub(super) fn log(&self, number: usize) -> PathBuf {
        self.path.join(LOGS).join(number.to_string())
    }

    /// Returns the path of the part of the home that stays from one probe to the next.
    pub(super) fn cache(&self) -> PathBuf {
        self.path.join(CACHE)
    }
}

/// The directory of a worker, where its probes' directories are made, one after the other, under the same path.
///
/// Whoever owns it holds a lock on it: a directory without one has lost its owner. The system lets go of a lock when
/// the process ends, however it does; the number of a process, which may be another's by now, says nothing.
#[derive(Debug)]
pub(super) struct Root {
    paths: Paths,
    directory: Directory,
    /// Is true if it is locked, and removed when this is dropped.
    is_held: bool,
}

impl Root {
    /// Makes a directory at these paths; it is removed when this is dropped.
    pub(super) fn make(paths: Paths) -> io::Result<Self> {
        // Under its name it is never without a lock, unless the file system has none: then nobody can take it over.
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

    /// Opens a directory that another process has made at these paths, and removes.
    pub(super) fn open(paths: Paths) -> io::Result<Self> {
        let directory = Directory::open(&paths.path)?;
        Ok(Self { paths, directory, is_held: false })
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
        Some(Self { paths: Paths::at(path), directory: directory.into(), is_held: true })
    }

    pub(super) fn paths(&self) -> &Paths {
        &self.paths
    }

    /// Files beside the probe's directories that take what a process writes to standard output and standard error.
    pub(super) fn outputs(&self) -> io::Result<[File; 2]> {
        Ok([self.beside(STDOUT)?, self.beside(STDERR)?])
    }

    /// A file beside the probe's directories that takes what is noted of the files that a probe opens.
    pub(super) fn trace(&self) -> io::Result<File> {
        self.beside(TRACE)
    }

    fn beside(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE;
        self.directory.open_file(Path::new(name), flags, 0o600)
    }

    /// Makes the directory with what stands in place of the user's own files.
    pub(super) fn make_stand_ins(&self) -> io::Result<()> {
        self.directory.make(Path::new(STAND_INS))
    }

    /// Makes empty copies of so many log files.
    pub(super) fn make_logs(&self, count: usize) -> io::Result<()> {
        self.directory.make(Path::new(LOGS))?;
        (0..count).try_for_each(|number| self.log(number).map(drop))
    }

    /// Opens the copy of the log file of this number.
    pub(super) fn log(&self, number: usize) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE;
        self.directory.open_file(&Path::new(LOGS).join(number.to_string()), flags, 0o600)
    }

    /// Makes the directories of a probe, with the candidate in them: a file of this name and these permissions, or what
    /// is in an archive; and what else is to be there.
    pub(super) fn begin(&self, content: Content<'_>) -> io::Result<WorkDirectory<'_>> {
        self.make_places(content.surroundings)?;
        self.fill(content)
    }

    /// Makes the directories of a probe whose candidate comes later.
    pub(super) fn prepare(&self, surroundings: &Surroundings) -> io::Result<()> {
        let made = self.make_places(surroundings);
        let made = made.and_then(|()| link(surroundings, &self.directory.enter(Path::new(WORK))?));
        made.inspect_err(|_| self.tidy(false))
    }

    /// Puts the candidate into directories that were prepared for it, and that a process may have used since.
    pub(super) fn fill_prepared(&self, content: Content<'_>) -> io::Result<WorkDirectory<'_>> {
        let work = self.directory.enter(Path::new(WORK))?;
        // Where something of the candidate stands there is no link.
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
            // The last probe may have locked it, or put something in its place.
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

    /// Writes the candidate into the directories that are there.
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

    /// Makes the directory with the word by which a test says that it waits, anew, and opens it.
    pub(super) fn make_word(&self) -> io::Result<Directory> {
        self.directory.clear(Path::new(WAITS))?;
        self.directory.make(Path::new(WAITS))?;
        let place = self.directory.enter(Path::new(WAITS))?;
        place.write_new(Path::new(wait::WORD), wait::SCRIPT.as_bytes(), 0o755)?;
        Ok(place)
    }

    /// Writes the candidate where it stands in place of the user's own files. Those are the same files each time, since
    /// they are seen elsewhere, too.
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

    /// Makes the directories of a probe, which is in the directory of the last one, if that has been kept: what is in
    /// the archive `candidate` is made in it, as far as it is not there already.
    pub(super) fn begin_again(
        &self,
        candidate: &[u8],
        kept: &mut Option<(Directory, Kept)>,
    ) -> io::Result<WorkDirectory<'_>> {
        let directory = WorkDirectory { root: self, file: None, is_kept: true };
        if kept.as_ref().is_some_and(|(work, _)| !self.is_work(work)) {
            // What is under that name is another one.
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

    /// Tells whether the work directory is still this one.
    fn is_work(&self, work: &Directory) -> bool {
        let number = |found: rustix::fs::Stat| (found.st_dev, found.st_ino);
        let there = self.directory.look(Path::new(WORK)).ok().map(number);
        there.is_some() && there == rustix::fs::fstat(work).ok().map(number)
    }

    /// Removes the part of the home that stays from one probe to the next.
    pub(super) fn forget_cache(&self) {
        let _ = self.directory.clear(Path::new(CACHE));
    }

    /// Removes what a probe has left beside its directories. A leftover in a temporary directory is no reason to stop a
    /// reduction, so a failure is not reported; what stands in the way of the next probe is.
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

    /// Tells whether it is still there, under whatever name.
    pub(super) fn is_there(&self) -> bool {
        rustix::fs::fstat(&self.directory).is_ok_and(|found| found.st_nlink > 0)
    }

    /// Removes it with all that is in it.
    pub(super) fn remove(&self) {
        let _ = self.directory.set_mode(0o700);
        let _ = self.directory.empty();
        let _ = fs::remove_dir(&self.paths.path);
    }
}

/// Makes the links, but where something of the candidate stands.
fn link(surroundings: &Surroundings, work: &Directory) -> io::Result<()> {
    for (at, to) in &surroundings.links {
        match at.parent().map(|parent| work.make_all(parent)) {
            // It is a link or a file of the candidate: what is behind it is not ours.
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
    /// The candidate, where it is a file: the directory that it is in, and its name.
    file: Option<(Directory, PathBuf)>,
    /// Is true if all stays but what is temporary.
    is_kept: bool,
}

impl Drop for WorkDirectory<'_> {
    fn drop(&mut self) {
        let own = &self.root.directory;
        if !self.is_kept {
            // Most tests leave nothing behind: three calls do then, where to look into the directories takes a dozen.
            if let Some((place, name)) = &self.file {
                let _ = place.remove_file(name);
            }
            let _ = own.remove_empty(Path::new(WORK));
        }
        let _ = own.remove_empty(Path::new(TMP));
        self.root.tidy(self.is_kept);
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
