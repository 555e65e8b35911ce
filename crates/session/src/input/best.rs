//! Writes the current best to its output: a file that is always complete, or a stream that is written once.

mod name;

use super::claim::{Claim, Claimed};
use super::{Error, backup, links, product, temporary};
use blake3::Hash;
pub(super) use name::{fitted, with_suffix};
pub use name::{free_name, named, reduced_name};
use nubbin_archive as archive;
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Receives each new current best.
///
/// A regular file is replaced atomically: a temporary file in the same directory is written, synced and renamed, and
/// the directory is synced. A reader sees the old content or the new. Standard output, devices and pipes receive only
/// the final result.
#[derive(Debug)]
pub struct BestFile {
    target: Target,
    /// The path from the caller, before links are resolved.
    name: Option<PathBuf>,
    permissions: Option<Permissions>,
    saved: bool,
    /// The hash of the file's content, if it is known.
    holds: Option<Hash>,
    watched: Watched,
    /// Prevents other runs from writing to the output.
    claim: Option<Claim>,
    /// The current content was written by another program.
    is_foreign: bool,
}

/// The observed states of a file that other programs can write to.
#[derive(Debug, Default)]
struct Watched {
    /// The state of the file after the last save.
    known: Option<Stamp>,
    /// The state of the file at the last check, if it differs from `known`.
    seen: Option<Stamp>,
    /// The content from another program that a save replaced.
    found: Option<Vec<u8>>,
}

/// Properties that change with a file's content: device, inode, length and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp(u64, u64, u64, i64, i64);

impl Stamp {
    fn of(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok()?;
        Some(Self(found.dev(), found.ino(), found.len(), found.mtime(), found.mtime_nsec()))
    }
}

#[derive(Debug)]
enum Target {
    File(PathBuf),
    InPlace {
        path: PathBuf,
        backup: Option<PathBuf>,
    },
    /// The current best is an archive of a directory.
    Folder {
        path: PathBuf,
        in_place: bool,
        backup: Option<PathBuf>,
    },
    /// The current best is an archive of files, each with its own output.
    Files(Vec<BestFile>),
    Stream(PathBuf),
    Stdout,
}

impl BestFile {
    /// Writes to the file `path`, with the permissions of the file `like` if given.
    ///
    /// # Errors
    /// Returns an error when `path` is a directory, or `like` does not exist.
    pub fn file(path: &Path, like: Option<&Path>) -> Result<Self, Error> {
        let target = match links::look(path) {
            Ok(found) if found.is_dir() => {
                return Err(Error::write(path)(io::ErrorKind::IsADirectory.into()));
            }
            Ok(found) if !found.is_file() => Target::Stream(path.to_owned()),
            Ok(_) => Target::File(links::real(path).map_err(Error::write(path))?),
            Err(_) => Target::File(path.to_owned()),
        };
        let permissions = like.map(permissions).transpose()?;
        Ok(Self {
            target,
            name: Some(path.to_owned()),
            permissions,
            saved: false,
            holds: None,
            watched: Watched::default(),
            claim: None,
            is_foreign: false,
        })
    }

    /// Writes to a file whose name the user has not chosen. Directories, pipes and devices are rejected.
    ///
    /// # Errors
    /// Returns an error when `path` exists and is neither a regular file nor a link, or `like` does not exist.
    pub fn regular(path: &Path, like: Option<&Path>) -> Result<Self, Error> {
        match links::look(path) {
            Ok(found) if !found.is_file() && !found.is_dir() => {
                Err(Error::write(path)(io::Error::other("not a regular file")))
            }
            _ => Self::file(path, like),
        }
    }

    /// Replaces the input at `path`, whose content is `content`. A backup is made before the first save.
    ///
    /// # Errors
    /// Returns an error when `path` does not exist.
    pub fn in_place(path: &Path, content: &[u8]) -> Result<Self, Error> {
        let permissions = Some(permissions(path)?);
        let name = Some(path.to_owned());
        let path = links::real(path).map_err(Error::write(path))?;
        let holds = Some(blake3::hash(content));
        Ok(Self {
            target: Target::InPlace { path, backup: None },
            name,
            permissions,
            saved: false,
            holds,
            watched: Watched::default(),
            claim: None,
            is_foreign: false,
        })
    }

    /// Writes an [archive] of a directory to `path`, which must not exist or be the result of an earlier run. It has
    /// the permissions of the directory `like` if given. With `in_place`, the content of `like`, that directory is
    /// replaced and becomes the backup.
    ///
    /// # Errors
    /// Returns an error when `path` is something else, or `like` does not exist.
    pub fn folder(path: &Path, like: Option<&Path>, in_place: Option<&[u8]>) -> Result<Self, Error> {
        if links::look(path).is_ok_and(|found| !found.is_dir()) {
            return Err(Error::write(path)(io::ErrorKind::NotADirectory.into()));
        }
        let permissions = like.map(permissions).transpose()?;
        let holds = in_place.map(blake3::hash);
        let target = Target::Folder {
            path: links::real(path).unwrap_or_else(|_| path.to_owned()),
            in_place: holds.is_some(),
            backup: None,
        };
        Ok(Self {
            target,
            name: Some(path.to_owned()),
            permissions,
            saved: false,
            holds,
            watched: Watched::default(),
            claim: None,
            is_foreign: false,
        })
    }

    /// Writes the files of an [archive] to their outputs.
    #[must_use]
    pub fn files(places: Vec<Self>) -> Self {
        let names: Vec<_> = places.iter().filter_map(Self::path).map(Path::as_os_str).collect();
        let name = (!names.is_empty()).then(|| names.join(std::ffi::OsStr::new(", ")).into());
        Self {
            target: Target::Files(places),
            name,
            permissions: None,
            saved: false,
            holds: None,
            watched: Watched::default(),
            claim: None,
            is_foreign: false,
        }
    }

    /// Writes to standard output.
    #[must_use]
    pub fn stdout() -> Self {
        Self {
            target: Target::Stdout,
            name: None,
            permissions: None,
            saved: false,
            holds: None,
            watched: Watched::default(),
            claim: None,
            is_foreign: false,
        }
    }

    /// Checks that the output can be written, by writing a temporary file next to it. Also removes the temporary
    /// files of killed runs, and prevents other runs from writing there.
    ///
    /// # Errors
    /// Returns an error when the directory is missing or not writable, or another run writes there.
    pub fn check(&mut self) -> Result<(), Error> {
        match &mut self.target {
            Target::File(path) | Target::InPlace { path, .. } | Target::Folder { path, .. } => {
                temporary::sweep(path);
                temporary::beside(path, b"", None).map(drop).map_err(Error::write(path))?;
                let claimed = |Claimed(process)| Error::Claimed { path: path.clone(), process };
                self.claim = Some(Claim::new(path).map_err(claimed)?);
                Ok(())
            }
            Target::Files(places) => places.iter_mut().try_for_each(Self::check),
            Target::Stream(_) | Target::Stdout => Ok(()),
        }
    }

    /// Arranges for a backup of existing files that were not written by a run, before they are replaced. `is_known`
    /// recognizes the hashes of results of an earlier run. Returns these files and their backups.
    pub fn spare(&mut self, is_known: &dyn Fn(&Hash) -> bool) -> Vec<(PathBuf, PathBuf)> {
        match &mut self.target {
            Target::Files(places) => places.iter_mut().flat_map(|place| place.spare(is_known)).collect(),
            Target::File(path) => {
                self.is_foreign = product::is_foreign(path, is_known);
                if self.is_foreign {
                    // Keep the permissions that the user has chosen for the file.
                    self.permissions = permissions(path).ok().or(self.permissions.take());
                }
                let backup = self.is_foreign.then(|| backup::next(path));
                backup.map(|backup| (path.clone(), backup)).into_iter().collect()
            }
            Target::InPlace { .. } | Target::Folder { .. } | Target::Stream(_) | Target::Stdout => Vec::new(),
        }
    }

    /// Continues an earlier run, which has reduced `input` to `best` if that is given. A missing file is written
    /// again. Returns the hash of the file's content.
    ///
    /// # Errors
    /// Returns an error when the file cannot be written.
    pub fn resume(&mut self, input: &[u8], best: Option<&[u8]>) -> Result<Option<Hash>, Error> {
        match &mut self.target {
            Target::InPlace { path, backup } => *backup = backup::find(path, input),
            Target::File(path) => {
                self.watched.known = Stamp::of(path);
                self.holds = fs::read(path).ok().map(|found| blake3::hash(&found));
                if let (None, Some(best)) = (self.holds, best) {
                    self.save(best)?;
                }
            }
            Target::Folder { path, in_place, backup } => {
                if *in_place {
                    *backup = backup::find_folder(path, input);
                }
                self.holds = packed(path);
                if let (None, Some(best)) = (self.holds, best) {
                    self.save(best)?;
                }
            }
            Target::Files(places) => {
                let (inputs, bests) = (contents(input), best.map(contents).unwrap_or_default());
                for (i, place) in places.iter_mut().enumerate() {
                    place.resume(inputs.get(i).unwrap_or(&&b""[..]), bests.get(i).copied())?;
                }
                // Changes since then are detected for each file.
                self.holds = best.or(Some(input)).map(blake3::hash);
            }
            Target::Stream(_) | Target::Stdout => {}
        }
        self.saved = best.is_some() || self.backup().is_some();
        Ok(self.holds)
    }

    /// Returns the path that is replaced, if there is exactly one.
    #[must_use]
    pub fn only_path(&self) -> Option<&Path> {
        match &self.target {
            Target::File(_) | Target::InPlace { .. } | Target::Folder { .. } => self.name.as_deref(),
            Target::Files(_) | Target::Stream(_) | Target::Stdout => None,
        }
    }

    /// Returns whether the input is replaced.
    #[must_use]
    pub fn is_input(&self) -> bool {
        matches!(&self.target, Target::InPlace { .. } | Target::Folder { in_place: true, .. })
    }

    /// Returns whether the output receives only the final result and cannot be read back.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        match &self.target {
            Target::Stream(_) | Target::Stdout => true,
            Target::Files(places) => !places.is_empty() && places.iter().all(Self::is_stream),
            Target::File(_) | Target::InPlace { .. } | Target::Folder { .. } => false,
        }
    }

    /// Returns the current content of the output, if that is a file or a directory.
    #[must_use]
    pub fn content(&self) -> Option<Vec<u8>> {
        match &self.target {
            Target::File(path) | Target::InPlace { path, .. } => {
                links::look(path).and_then(|_| fs::read(path)).ok()
            }
            Target::Folder { path, .. } => super::read_folder(path).ok(),
            Target::Files(_) | Target::Stream(_) | Target::Stdout => None,
        }
    }

    /// Saves a new current best.
    ///
    /// # Errors
    /// Returns an error when it cannot be written; the file then keeps its content. Also returns an error when the
    /// input is replaced and was changed by another program.
    pub fn save(&mut self, best: &[u8]) -> Result<(), Error> {
        if let Target::File(path) | Target::Folder { path, in_place: false, .. } = &self.target {
            // The directory existed when the run started.
            fs::create_dir_all(directory(path)).map_err(Error::write(path))?;
        }
        match &mut self.target {
            Target::Folder { path, in_place, backup } => {
                let mut new = None;
                if *in_place {
                    if packed(path) != self.holds {
                        return Err(if path.exists() { Error::Changed } else { Error::Vanished }(
                            path.clone(),
                        ));
                    }
                    new = backup.is_none().then(|| backup::folder_name(path));
                }
                temporary::replace_folder(path, best, self.permissions.as_ref(), new.as_deref())
                    .map_err(Error::write(path))?;
                *backup = backup.take().or(new);
                (self.saved, self.holds) = (true, Some(blake3::hash(best)));
            }
            Target::Files(places) => {
                // A stream receives the final result only.
                for (place, content) in places.iter_mut().zip(contents(best)) {
                    if !place.is_stream() {
                        place.finish(content)?;
                    }
                }
                (self.saved, self.holds) = (true, Some(blake3::hash(best)));
            }
            _ => {}
        }
        if let Target::InPlace { path, backup } = &mut self.target {
            is_untouched(path, self.holds)?;
            if backup.is_none() {
                *backup = Some(backup::back_up(path)?);
            }
        }
        if let Target::File(_) = &self.target {
            // Another program can have written to the file since the last check.
            let found = self.foreign();
            self.watched.found = self.watched.found.take().or(found);
        }
        if let (Target::File(path), true) = (&self.target, std::mem::take(&mut self.is_foreign))
            && path.is_file()
        {
            backup::back_up(path)?;
        }
        if let Target::File(path) | Target::InPlace { path, .. } = &self.target {
            temporary::replace(path, best, self.permissions.as_ref()).map_err(Error::write(path))?;
            self.watched =
                Watched { known: Stamp::of(path), seen: None, ..std::mem::take(&mut self.watched) };
            self.saved = true;
            self.holds = Some(blake3::hash(best));
        }
        Ok(())
    }

    /// Returns the content that another program has written to the file since the last save. It is returned once, and
    /// only after two checks found it unchanged, because the program can still be writing. Applies only to files
    /// other than the input that contain a saved result. A deleted file is not an edit.
    pub fn edited(&mut self) -> Option<Vec<u8>> {
        if self.watched.found.is_some() {
            return self.watched.found.take();
        }
        let Target::File(path) = &self.target else { return None };
        let now = Stamp::of(path);
        if now == self.watched.known {
            return None;
        }
        let before = std::mem::replace(&mut self.watched.seen, now);
        if before == now { self.foreign() } else { None }
    }

    /// Returns the current content of the file if another program has written it.
    pub fn edited_last(&mut self) -> Option<Vec<u8>> {
        self.watched.found.take().or_else(|| self.foreign())
    }

    fn foreign(&mut self) -> Option<Vec<u8>> {
        let Target::File(path) = &self.target else { return None };
        let known = self.watched.known?;
        let now = Stamp::of(path).filter(|now| *now != known)?;
        let content = fs::read(path).ok()?;
        self.watched.known = Some(now);
        let hash = Some(blake3::hash(&content));
        (std::mem::replace(&mut self.holds, hash) != hash).then_some(content)
    }

    /// Saves the final result. A stream is written now, and a file only if it has another content. If nothing could
    /// be reduced, a separate output is a copy of the input, and an input in place is not touched.
    ///
    /// # Errors
    /// Returns an error when the result cannot be written.
    pub fn finish(&mut self, best: &[u8]) -> Result<(), Error> {
        if let Target::Files(places) = &mut self.target
            && places.iter().any(Self::is_stream)
        {
            let mut places = places.iter_mut().zip(contents(best));
            return places.try_for_each(|(place, content)| place.finish(content));
        }
        match &self.target {
            Target::Stream(_) | Target::Stdout => self.stream(best),
            Target::Files(_) => self.save(best),
            // The file can have been removed or replaced since the last save.
            _ if self.content().is_some_and(|found| found == best) => Ok(()),
            _ => self.save(best),
        }
    }

    fn stream(&self, best: &[u8]) -> Result<(), Error> {
        match &self.target {
            Target::Stream(path) => write_stream(path, best).map_err(Error::write(path)),
            _ => write_stdout(best).map_err(Error::Stdout),
        }
    }

    /// Returns the path of the output as given by the caller; `None` is standard output.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.name.as_deref()
    }

    /// Returns whether a result has been saved. Before that, the input is the current best.
    #[must_use]
    pub fn is_saved(&self) -> bool {
        self.saved
    }

    /// Returns the path of the backup of the input, if it was replaced.
    #[must_use]
    pub fn backup(&self) -> Option<&Path> {
        match &self.target {
            Target::InPlace { backup, .. } | Target::Folder { backup, .. } => backup.as_deref(),
            Target::Files(places) => places.iter().find_map(Self::backup),
            _ => None,
        }
    }
}

/// Returns the hash of the archive of a directory, if it can be read.
fn packed(path: &Path) -> Option<Hash> {
    super::read_folder(path).ok().map(|archive| blake3::hash(&archive))
}

fn contents(archive: &[u8]) -> Vec<&[u8]> {
    archive::entries(archive).iter().map(|entry| &archive[entry.content.0..entry.content.1]).collect()
}

/// Returns an error if another program has changed the file at `path`.
fn is_untouched(path: &Path, holds: Option<Hash>) -> Result<(), Error> {
    match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Error::Vanished(path.to_owned())),
        Err(error) => Err(Error::read(path)(error)),
        Ok(found) if holds.is_some_and(|hash| hash != blake3::hash(&found)) => {
            Err(Error::Changed(path.to_owned()))
        }
        Ok(_) => Ok(()),
    }
}

fn permissions(path: &Path) -> Result<Permissions, Error> {
    Ok(fs::metadata(path).map_err(Error::read(path))?.permissions())
}

pub(super) fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

fn write_stream(path: &Path, best: &[u8]) -> io::Result<()> {
    File::options().write(true).open(path)?.write_all(best)
}

fn write_stdout(best: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(best)?;
    stdout.flush()
}

#[cfg(test)]
mod tests;
