//! The copy of the input that is made before the input itself is replaced.
//!
//! It never overwrites a file: an older backup stays, and the next number is taken.

use super::Error;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Copies `path` to `path.orig`, or to the first of `path.orig.1`, `path.orig.2`, … that is free, and returns where.
pub(super) fn back_up(path: &Path) -> Result<PathBuf, Error> {
    let content = fs::read(path).map_err(Error::read(path))?;
    let mode = fs::metadata(path).map_err(Error::read(path))?.permissions();
    for number in 0u64.. {
        let backup = name(path, number);
        let failed = |source| Error::Backup { path: backup.clone(), source };
        match File::create_new(&backup) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(failed(error)),
            Ok(mut file) => {
                file.write_all(&content).map_err(failed)?;
                file.set_permissions(mode).map_err(failed)?;
                file.sync_all().map_err(failed)?;
            }
        }
        return Ok(backup);
    }
    unreachable!("there are fewer files than numbers")
}

fn name(path: &Path, number: u64) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".orig");
    if number > 0 {
        name.push(format!(".{number}"));
    }
    name.into()
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
}
