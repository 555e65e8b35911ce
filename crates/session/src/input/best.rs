//! Writes the best to its place: a file that is always whole, or a stream that is written once.
//!
//! It does not decide what the best is, and prints nothing.

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

/// Takes each new best.
///
/// A regular file is replaced atomically: a temporary file in the same directory is written, synced and renamed over it, and the
/// directory is synced; whoever looks sees the old best or the new one.
/// Standard output, and an output that is a device or a pipe, get the final best only.
#[derive(Debug)]
pub struct BestFile {
    target: Target,
    /// The path as the caller knows it; the target is what it leads to.
    name: Option<PathBuf>,
    permissions: Option<Permissions>,
    saved: bool,
    /// The hash of the file's content, as far as it is known.
    holds: Option<Hash>,
    watched: Watched,
    /// Keeps other runs from writing there.
    claim: Option<Claim>,
    /// Somebody else has written what is there now.
    is_foreign: bool,
}

/// The observed states of a file that somebody else may write to.
#[derive(Debug, Default)]
struct Watched {
    /// The state of the file after the last best.
    known: Option<Stamp>,
    /// The state of the file at the last look, if it is not that after the last best.
    seen: Option<Stamp>,
    /// The content that somebody else had put there, and that a new best has replaced.
    found: Option<Vec<u8>>,
}

/// The properties that change with a file's content: the file itself, its length and its time.
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
    /// The best is an archive of a directory.
    Folder {
        path: PathBuf,
        in_place: bool,
        backup: Option<PathBuf>,
    },
    /// The best is an archive of files, and each has its place.
    Files(Vec<BestFile>),
    Stream(PathBuf),
    Stdout,
}

impl BestFile {
    /// Sends the best to `path`, with the permissions of the file `like` if that is given.
    ///
    /// # Errors
    /// Returns an error when `path` is a directory, or `like` is not there.
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

    /// Sends the best to a file of a name that the user has not chosen: neither a directory nor a pipe nor a device is
    /// written to.
    ///
    /// # Errors
    /// Returns an error when something else than a regular file or a link is at `path`, or `like` is not there.
    pub fn regular(path: &Path, like: Option<&Path>) -> Result<Self, Error> {
        match links::look(path) {
            Ok(found) if !found.is_file() && !found.is_dir() => {
                Err(Error::write(path)(io::Error::other("it is no regular file")))
            }
            _ => Self::file(path, like),
        }
    }

    /// Lets the best replace the input at `path`, which holds `content`; just before the first time, a backup is made.
    ///
    /// # Errors
    /// Returns an error when `path` is not there.
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

    /// Sends the best, which is an [archive] of a directory, to `path`, where there is nothing or the
    /// result of an earlier run; it has the permissions of the directory `like` if that is given. With `in_place`,
    /// which is the content of `like`, it replaces this directory, which becomes the backup.
    ///
    /// # Errors
    /// Returns an error when something else is at `path`, or `like` is not there.
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

    /// Sends each file of the best, which is an [archive] of files, to its place.
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

    /// Sends the best to standard output.
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

    /// Makes sure that the output can be written, by writing a temporary file beside it; nothing is changed.
    /// It removes the files that a killed run has left there. From then on no other run can write there.
    ///
    /// # Errors
    /// Returns an error when the directory is missing or may not be written, or another run writes there.
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

    /// Lets a backup be made of a file that is there already, and that somebody else has written, before a best replaces it;
    /// `is_known` knows the hashes of an earlier run's bests. Returns these files and their backups.
    pub fn spare(&mut self, is_known: &dyn Fn(&Hash) -> bool) -> Vec<(PathBuf, PathBuf)> {
        match &mut self.target {
            Target::Files(places) => places.iter_mut().flat_map(|place| place.spare(is_known)).collect(),
            Target::File(path) => {
                self.is_foreign = product::is_foreign(path, is_known);
                if self.is_foreign {
                    // Who keeps others from reading it wants that of what takes its place.
                    self.permissions = permissions(path).ok().or(self.permissions.take());
                }
                let backup = self.is_foreign.then(|| backup::next(path));
                backup.map(|backup| (path.clone(), backup)).into_iter().collect()
            }
            Target::InPlace { .. } | Target::Folder { .. } | Target::Stream(_) | Target::Stdout => Vec::new(),
        }
    }

    /// Goes on from an earlier run, which has reduced `input` to `best`, if it has come to one. A file that is missing gets that
    /// best again. Returns the hash of what the file holds.
    ///
    /// # Errors
    /// Returns an error when the best cannot be written.
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
                // What was changed meanwhile is found file by file.
                self.holds = best.or(Some(input)).map(blake3::hash);
            }
            Target::Stream(_) | Target::Stdout => {}
        }
        self.saved = best.is_some() || self.backup().is_some();
        Ok(self.holds)
    }

    /// Returns the one path that a best is replaced at, if there is one.
    #[must_use]
    pub fn only_path(&self) -> Option<&Path> {
        match &self.target {
            Target::File(_) | Target::InPlace { .. } | Target::Folder { .. } => self.name.as_deref(),
            Target::Files(_) | Target::Stream(_) | Target::Stdout => None,
        }
    }

    /// Tells whether the best takes the place of the input.
    #[must_use]
    pub fn is_input(&self) -> bool {
        matches!(&self.target, Target::InPlace { .. } | Target::Folder { in_place: true, .. })
    }

    /// Tells whether the place gets the final best only, and what is written there is gone.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        match &self.target {
            Target::Stream(_) | Target::Stdout => true,
            Target::Files(places) => !places.is_empty() && places.iter().all(Self::is_stream),
            Target::File(_) | Target::InPlace { .. } | Target::Folder { .. } => false,
        }
    }

    /// Returns what is at the place now, if that is a file or a directory.
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

    /// Takes a new best.
    ///
    /// # Errors
    /// Returns an error when it cannot be written; the file then still holds the best before it. It is also an error
    /// when the input is to be replaced, and is not what it was before.
    pub fn save(&mut self, best: &[u8]) -> Result<(), Error> {
        if let Target::File(path) | Target::Folder { path, in_place: false, .. } = &self.target {
            // It was there when the run began.
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
                // A stream gets the final best only.
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
            // Between two looks somebody may have written to it.
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

    /// Returns the content that somebody else has put into the file since the last best. It is returned once, and not
    /// before the file has been the same at two looks, since somebody may still be writing at the first one. This holds
    /// only for a file that is not the input itself, and that holds a best; a file that has gone is no edit.
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

    /// Returns the content that somebody else has put into the file, as it is now.
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

    /// Takes the final best, which a stream gets now, and a file only if it does not hold it already:
    /// where nothing could be reduced, a separate output is a copy of the input, and an input in place is left as it is.
    ///
    /// # Errors
    /// Returns an error when it cannot be written.
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
            // Somebody may have removed or replaced it since the best was saved.
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

    /// Returns the file that the best is in, by the name that it was given; `None` is standard output.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.name.as_deref()
    }

    /// Tells whether a best has been saved: before that, the input is the best.
    #[must_use]
    pub fn is_saved(&self) -> bool {
        self.saved
    }

    /// Returns the path of the untouched input, if it was replaced.
    #[must_use]
    pub fn backup(&self) -> Option<&Path> {
        match &self.target {
            Target::InPlace { backup, .. } | Target::Folder { backup, .. } => backup.as_deref(),
            Target::Files(places) => places.iter().find_map(Self::backup),
            _ => None,
        }
    }
}

/// Returns the hash of the archive of what is at `path`, if that is a directory that can be read.
fn packed(path: &Path) -> Option<Hash> {
    super::read_folder(path).ok().map(|archive| blake3::hash(&archive))
}

/// Returns the contents of an archive's files.
fn contents(archive: &[u8]) -> Vec<&[u8]> {
    archive::entries(archive).iter().map(|entry| &archive[entry.content.0..entry.content.1]).collect()
}

/// Makes sure that nobody else has put something at `path` in place of what is there.
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

/// Returns the directory that `path` is in.
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
