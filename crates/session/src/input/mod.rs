//! Files in memory and on disk: reading the input, the file that always holds the best, and the journal.
//!
//! It knows bytes and paths only: nothing here decides what is better.

mod backup;
mod best;
mod claim;
mod folder;
pub mod journal;
pub mod links;
pub mod product;
mod temporary;

use nubbin_archive::disk;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

pub use best::{BestFile, free_name, named, reduced_name};
pub use folder::{left_alone, read_project};
pub use journal::Journal;

/// The reasons why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The input cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// The input.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The input has more bytes than can be numbered.
    #[error("`{}` has {bytes} bytes, and at most 4 GiB can be reduced", path.display())]
    TooLarge {
        /// The input.
        path: PathBuf,
        /// Its size.
        bytes: u64,
    },
    /// Standard input cannot be read.
    #[error("cannot read standard input: {0}")]
    Stdin(#[source] io::Error),
    /// The output cannot be written.
    #[error("cannot write `{}`: {source}", path.display())]
    Write {
        /// The output.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// Standard output cannot be written.
    #[error("cannot write standard output: {0}")]
    Stdout(#[source] io::Error),
    /// The input, which is to be replaced, has been changed by somebody else. It is left alone.
    #[error("`{}` was changed by somebody else in the meantime, and is left as it is now", .0.display())]
    Changed(PathBuf),
    /// The input, which is to be replaced, is no longer there.
    #[error("`{}` has vanished in the meantime", .0.display())]
    Vanished(PathBuf),
    /// Another run writes to the output.
    #[error("`{}` is the output of another run{}", path.display(), process.map(|id| format!(", process {id}")).unwrap_or_default())]
    Claimed {
        /// The output.
        path: PathBuf,
        /// The number of the other run's process, if that is known.
        process: Option<i32>,
    },
    /// The backup cannot be made; the input is untouched.
    #[error("cannot make the backup `{}`: {source}", path.display())]
    Backup {
        /// The backup.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl Error {
    fn read(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Read { path, source }
    }

    fn write(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::Write { path, source }
    }
}

/// Reads the whole of a file.
///
/// # Errors
/// Returns an error when it is not there, is a directory, may not be read, or has more bytes than can be reduced.
pub fn read_file(path: &Path) -> Result<Vec<u8>, Error> {
    let length = std::fs::metadata(path).map_or(0, |found| found.len());
    if u32::try_from(length).is_err() {
        return Err(Error::TooLarge { path: path.to_owned(), bytes: length });
    }
    std::fs::read(path).map_err(Error::read(path))
}

/// Packs a directory into an [archive](nubbin_archive), without the journals in it.
///
/// # Errors
/// Returns an error when something in it may not be read, or is no file, directory or symbolic link.
pub fn read_folder(path: &Path) -> Result<Vec<u8>, Error> {
    let left_out = [std::ffi::OsStr::new(journal::HOME)];
    disk::pack_folder(path, &left_out).map_err(|error| Error::read(&error.path)(error.source))
}

/// Packs several files into an [archive](nubbin_archive).
///
/// # Errors
/// Returns an error when one of them is not there, is a directory, may not be read, or is given twice.
pub fn read_files(paths: &[PathBuf]) -> Result<Vec<u8>, Error> {
    disk::pack_files(paths).map_err(|error| Error::read(&error.path)(error.source))
}

/// Returns the names of several files in their archive.
///
/// # Errors
/// Returns the same errors as [`read_files`].
pub fn names(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    disk::names(paths).map_err(|error| Error::read(&error.path)(error.source))
}

/// Reads the whole of standard input.
///
/// # Errors
/// Returns an error when it is closed or cannot be read.
pub fn read_stdin() -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes).map_err(Error::Stdin)?;
    Ok(bytes)
}
