//! Detects whether an existing file was written by an earlier run, and makes a backup of it otherwise.
//!
//! A file written by a run has the hash of its content as an extended attribute. An edit changes the content but not
//! the attribute. On a file system without attributes, every file counts as the user's.

use super::{Error, backup, links, temporary};
use blake3::Hash;
use rustix::fs::{XattrFlags, fsetxattr, getxattr};
use std::fs::{self, File};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

const MARK: &str = "user.nubbin.hash";

/// Marks a file with this content as written by a run.
pub(super) fn mark(file: impl AsFd, content: &[u8]) {
    let hash = blake3::hash(content);
    let _ = fsetxattr(file, MARK, hash.to_hex().as_bytes(), XattrFlags::empty());
}

/// Marks the file at this path as written by a run. Devices are not read, because they have no end.
pub fn mark_path(path: &Path) {
    if fs::metadata(path).is_ok_and(|found| found.is_file())
        && let (Ok(content), Ok(file)) = (fs::read(path), File::open(path))
    {
        mark(file, &content);
    }
}

/// Returns whether the file at `path` is not empty and was not written by a run. `is_known` recognizes the hashes of
/// results of an earlier run.
pub(super) fn is_foreign(path: &Path, is_known: impl Fn(&Hash) -> bool) -> bool {
    let Some(content) =
        links::look(path).ok().filter(fs::Metadata::is_file).and_then(|_| fs::read(path).ok())
    else {
        return false;
    };
    let (hash, mut found) = (blake3::hash(&content), [0; 64]);
    let is_marked = getxattr(path, MARK, &mut found) == Ok(64) && found == *hash.to_hex().as_bytes();
    !content.is_empty() && !is_marked && !is_known(&hash)
}

/// Makes a backup of the file at this path if it was not written by a run, and returns the path of the backup.
///
/// # Errors
/// Returns an error when the backup cannot be made; the file is untouched.
pub fn spare(path: &Path) -> Result<Option<PathBuf>, Error> {
    is_foreign(path, |_| false).then(|| backup::back_up(path)).transpose()
}

/// Atomically writes a file, after a backup of a file that was not written by a run. Returns the path of the backup.
/// Devices and pipes are written to directly. A link is replaced.
///
/// # Errors
/// Returns an error when the backup or the file cannot be written.
pub fn write(path: &Path, content: &[u8]) -> Result<Option<PathBuf>, Error> {
    let found = links::look(path);
    if found.as_ref().is_ok_and(|found| !found.is_file()) {
        return fs::write(path, content).map(|()| None).map_err(Error::write(path));
    }
    let real = links::real(path).unwrap_or_else(|_| path.to_owned());
    let spared = spare(&real)?;
    let permissions = found.ok().map(|found| found.permissions());
    temporary::replace(&real, content, permissions.as_ref()).map_err(Error::write(path))?;
    Ok(spared)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_spared_unless_a_run_wrote_it_and_nobody_has_edited_it_since() {
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().join("report.html");
        assert_eq!(write(&path, b"one").expect("written"), None);
        let keeps_marks = !is_foreign(&path, |_| false);
        assert_eq!(write(&path, b"two").expect("written").is_none(), keeps_marks);
        fs::write(&path, "mine").expect("written");
        let spared = write(&path, b"three").expect("written").expect("a backup");
        assert_eq!(
            (fs::read(spared).expect("there"), fs::read(&path).expect("there")),
            (b"mine".into(), b"three".into())
        );
        fs::write(&path, "").expect("written");
        assert_eq!(write(&path, b"four").expect("written"), None, "nothing is lost");
    }
}
