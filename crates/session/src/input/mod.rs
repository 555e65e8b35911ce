//! Files: the input, the output file that always contains the current best, and the journal.

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

/// The reasons why a file cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The input cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// The input.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The input is too large.
    #[error("`{}` has {bytes} bytes; the limit is 4 GiB", path.display())]
    TooLarge {
        /// The input.
        path: PathBuf,
        /// The size in bytes.
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
        /// The error of the operating system.
        source: io::Error,
    },
    /// Standard output cannot be written.
    #[error("cannot write standard output: {0}")]
    Stdout(#[source] io::Error),
    /// The input, which is to be replaced, was changed by another program. It is not touched.
    #[error("`{}` was changed by another program during the run and is not overwritten", .0.display())]
    Changed(PathBuf),
    /// The input, which is to be replaced, no longer exists.
    #[error("`{}` was deleted during the run", .0.display())]
    Vanished(PathBuf),
    /// Another run writes to the output.
    #[error("`{}` is the output of another run{}", path.display(), process.map(|id| format!(", process {id}")).unwrap_or_default())]
    Claimed {
        /// The output.
        path: PathBuf,
        /// The process ID of the other run, if known.
        process: Option<i32>,
    },
    /// The backup cannot be created; the input is untouched.
    #[error("cannot create the backup `{}`: {source}", path.display())]
    Backup {
        /// The backup.
        path: PathBuf,
        /// The error of the operating system.
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

/// Reads a file.
///
/// # Errors
/// Returns an error when the file does not exist, is a directory, is not readable or is too large.
pub fn read_file(path: &Path) -> Result<Vec<u8>, Error> {
    let length = std::fs::metadata(path).map_or(0, |found| found.len());
    if u32::try_from(length).is_err() {
        return Err(Error::TooLarge { path: path.to_owned(), bytes: length });
    }
    std::fs::read(path).map_err(Error::read(path))
}

/// Packs a directory into an [archive](nubbin_archive), without journals.
///
/// # Errors
/// Returns an error when an entry cannot be read, or is not a file, directory or symbolic link.
pub fn read_folder(path: &Path) -> Result<Vec<u8>, Error> {
    let left_out = [std::ffi::OsStr::new(journal::HOME)];
    disk::pack_folder(path, &left_out).map_err(|error| Error::read(&error.path)(error.source))
}

/// Packs several files into an [archive](nubbin_archive).
///
/// # Errors
/// Returns an error when a file does not exist, is a directory, is not readable or is given twice.
pub fn read_files(paths: &[PathBuf]) -> Result<Vec<u8>, Error> {
    disk::pack_files(paths).map_err(|error| Error::read(&error.path)(error.source))
}

/// Returns the names of files in their archive.
///
/// # Errors
/// Returns the same errors as [`read_files`].
pub fn names(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    disk::names(paths).map_err(|error| Error::read(&error.path)(error.source))
}

/// Reads standard input to its end.
///
/// # Errors
/// Returns an error when it is closed or cannot be read.
pub fn read_stdin() -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes).map_err(Error::Stdin)?;
    Ok(bytes)
}
