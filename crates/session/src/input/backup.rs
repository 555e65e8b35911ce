//! Makes a copy of the input before the input is replaced.
//!
//! No file is overwritten. If an older backup with other content exists, the next number is used.

use super::best::with_suffix;
use super::{Error, temporary};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Copies `path` to the first of `path.orig`, `path.orig.1`, `path.orig.2`, … that does not exist or has the same
/// content, and returns that path.
pub(super) fn back_up(path: &Path) -> Result<PathBuf, Error> {
    let content = fs::read(path).map_err(Error::read(path))?;
    let mode = fs::metadata(path).map_err(Error::read(path))?.permissions();
    for number in 0u64.. {
        let backup = name(path, number);
        match temporary::create(&backup, path, &content, &mode) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if holds(&backup, &content) {
                    return Ok(backup);
                }
            }
            Err(source) => return Err(Error::Backup { path: backup, source }),
            Ok(()) => return Ok(backup),
        }
    }
    unreachable!("there are fewer files than numbers")
}

/// Returns the path of the next backup of `path`.
pub(super) fn next(path: &Path) -> PathBuf {
    let content = fs::read(path).unwrap_or_default();
    let mut names = (0u64..).map(|number| name(path, number));
    let is_free = |name: &PathBuf| fs::symlink_metadata(name).is_err() || holds(name, &content);
    names.find(is_free).expect("there are fewer files than numbers")
}

/// Returns the backup of `path` with this content, if any.
pub(super) fn find(path: &Path, content: &[u8]) -> Option<PathBuf> {
    let backups = (0u64..).map(|number| name(path, number)).take_while(|backup| backup.exists());
    backups.into_iter().find(|backup| holds(backup, content))
}

/// Returns the first of `path.orig`, `path.orig.1`, … that does not exist. A replaced directory is renamed to it.
pub(super) fn folder_name(path: &Path) -> PathBuf {
    let mut names = (0u64..).map(|number| name(path, number));
    names.find(|name| fs::symlink_metadata(name).is_err()).expect("there are fewer files than numbers")
}

/// Returns the backup of the directory `path` with the content of this archive, if any.
pub(super) fn find_folder(path: &Path, archive: &[u8]) -> Option<PathBuf> {
    let mut backups = (0u64..).map(|number| name(path, number)).take_while(|backup| backup.exists());
    backups.find(|backup| super::read_folder(backup).is_ok_and(|found| found == archive))
}

fn holds(backup: &Path, content: &[u8]) -> bool {
    fs::read(backup).is_ok_and(|found| found == content)
}

fn name(path: &Path, number: u64) -> PathBuf {
    let suffix = if number > 0 { format!(".orig.{number}") } else { ".orig".to_owned() };
    with_suffix(path, suffix.as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backup_never_overwrites_an_older_one() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("bug.c");
        for (content, expected) in [("one", "bug.c.orig"), ("two", "bug.c.orig.1"), ("three", "bug.c.orig.2")]
        {
            fs::write(&path, content).expect("written");
            let backup = back_up(&path).expect("there is a free name");
            assert_eq!(backup, directory.path().join(expected));
            assert_eq!(fs::read(backup).expect("it is there"), content.as_bytes());
        }
        assert_eq!(fs::read(directory.path().join("bug.c.orig")).expect("it is there"), b"one");
    }

    #[test]
    fn a_backup_that_is_there_already_serves_again() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("bug.c");
        fs::write(directory.path().join("bug.c.orig"), "other").expect("written");
        fs::write(&path, "one").expect("written");
        let first = back_up(&path).expect("there is a free name");
        assert_eq!(back_up(&path).expect("the same"), first);
        assert_eq!(find(&path, b"one"), Some(first));
        assert_eq!(find(&path, b"two"), None);
        assert_eq!(fs::read_dir(directory.path()).expect("there").count(), 3);
    }
}
