//! Saves files before a run changes them, and restores them afterwards.
//!
//! Contents are kept in memory, where the run cannot change them, up to a limit.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{self, File, FileTimes, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Tuned constants.
struct Tuning {
    /// The maximum number of bytes kept for all paths together.
    kept_bytes: u64,
    /// The maximum number of paths.
    kept_paths: usize,
}

const TUNING: Tuning = Tuning { kept_bytes: 256 << 20, kept_paths: 50_000 };

/// The state of a path before its first change.
#[derive(Debug)]
enum Before {
    Nothing,
    File {
        content: Vec<u8>,
        permissions: Permissions,
        times: FileTimes,
    },
    Link(PathBuf),
    /// A directory with the names of its entries.
    Directory(Permissions, HashSet<OsString>),
}

/// The saved states, in the order of the changes.
#[derive(Debug, Default)]
pub(super) struct Undo {
    known: HashSet<PathBuf>,
    before: Vec<(PathBuf, Before)>,
    bytes: u64,
}

impl Undo {
    /// Saves the file or directory at a path that is about to be changed, including the contents of a
    /// directory. Returns whether it can be restored.
    pub fn can_take_back(&mut self, path: &Path) -> bool {
        if self.known.contains(path) {
            return true;
        }
        let Ok(before) = self.look(path) else { return false };
        if let Before::Directory(_, names) = &before {
            // Paths are restored in reverse order, so the entries of a directory are saved before it.
            if !names.iter().all(|name| self.can_take_back(&path.join(name))) {
                return false;
            }
        }
        self.known.insert(path.to_owned());
        self.before.push((path.to_owned(), before));
        true
    }

    fn look(&mut self, path: &Path) -> io::Result<Before> {
        let found = match fs::symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Before::Nothing),
            found => found?,
        };
        if self.known.len() >= TUNING.kept_paths {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        if found.is_symlink() {
            return Ok(Before::Link(fs::read_link(path)?));
        }
        if found.is_dir() {
            let names = fs::read_dir(path)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<_>>()?;
            return Ok(Before::Directory(found.permissions(), names));
        }
        self.bytes += found.len();
        if !found.is_file() || self.bytes > TUNING.kept_bytes {
            self.bytes -= found.len();
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let times = FileTimes::new().set_modified(found.modified()?).set_accessed(found.accessed()?);
        Ok(Before::File { content: fs::read(path)?, permissions: found.permissions(), times })
    }

    /// Restores the saved states. Paths that cannot be restored are left unchanged.
    pub fn take_back(&mut self) {
        self.known.clear();
        for (path, before) in self.before.drain(..).rev() {
            let _ = bring_back(&path, before);
        }
    }
}

/// Removes a path that the run created. Files of the user in it have been saved.
fn remove(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
    }
}

fn bring_back(path: &Path, before: Before) -> io::Result<()> {
    match before {
        Before::Nothing => remove(path),
        Before::Link(to) => {
            if fs::read_link(path).is_ok_and(|now| now == to) {
                return Ok(());
            }
            remove(path)?;
            symlink(to, path)
        }
        Before::Directory(permissions, names) => {
            if !fs::symlink_metadata(path).is_ok_and(|now| now.is_dir()) {
                remove(path)?;
                fs::create_dir_all(path)?;
            }
            // Removes entries that were moved here with a renamed directory.
            for entry in fs::read_dir(path)?.flatten().filter(|entry| !names.contains(&entry.file_name())) {
                remove(&entry.path())?;
            }
            fs::set_permissions(path, permissions)
        }
        Before::File { content, permissions, times } => {
            // A link at this path would redirect the write to another file.
            if fs::symlink_metadata(path).is_ok_and(|now| !now.is_file()) {
                remove(path)?;
            }
            let mut file = File::options().write(true).create(true).truncate(true).open(path)?;
            file.write_all(&content)?;
            file.set_permissions(permissions)?;
            file.set_times(times)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn what_was_changed_made_moved_and_removed_is_as_before() {
        let place = tempfile::tempdir().expect("a directory");
        let at = |name: &str| place.path().join(name);
        fs::write(at("changed"), "one").expect("a file");
        fs::write(at("removed"), "two").expect("a file");
        fs::set_permissions(at("removed"), Permissions::from_mode(0o640)).expect("a mode");
        fs::create_dir(at("gone")).expect("a directory");
        symlink("changed", at("link")).expect("a link");
        let before = fs::metadata(at("changed")).expect("it is there").modified().expect("a time");
        let mut undo = Undo::default();
        for name in ["changed", "removed", "gone", "link", "made", "made/file"] {
            assert!(undo.can_take_back(&at(name)), "{name}");
        }
        fs::write(at("changed"), "other").expect("written");
        fs::remove_file(at("removed")).expect("removed");
        fs::remove_dir(at("gone")).expect("removed");
        fs::remove_file(at("link")).expect("removed");
        fs::create_dir(at("made")).expect("a directory");
        fs::write(at("made/file"), "new").expect("a file");
        undo.take_back();
        assert_eq!(fs::read(at("changed")).expect("it is there"), b"one");
        assert_eq!(fs::metadata(at("changed")).expect("it is there").modified().expect("a time"), before);
        let found = fs::metadata(at("removed")).expect("it is there again");
        assert_eq!((found.len(), found.permissions().mode() & 0o777), (3, 0o640));
        assert!(at("gone").is_dir() && !at("made").exists());
        assert_eq!(fs::read_link(at("link")).expect("a link"), Path::new("changed"));
    }

    #[test]
    fn a_directory_that_was_moved_or_replaced_is_as_before() {
        let place = tempfile::tempdir().expect("a directory");
        let at = |name: &str| place.path().join(name);
        fs::create_dir_all(at("src/deep")).expect("a directory");
        fs::write(at("src/deep/file"), "one").expect("a file");
        fs::write(at("src/other"), "two").expect("a file");
        for new in ["moved", "out"] {
            let mut undo = Undo::default();
            for name in ["src", new, "src/made"] {
                assert!(undo.can_take_back(&at(name)), "{name}");
            }
            fs::rename(at("src"), at(new)).expect("moved");
            if new == "out" {
                fs::create_dir(at("src")).expect("another one");
                fs::write(at("src/stray"), "x").expect("a file");
            }
            undo.take_back();
            assert_eq!(fs::read(at("src/deep/file")).expect("it is there again"), b"one");
            assert_eq!(fs::read(at("src/other")).expect("it is there again"), b"two");
            assert!(!at(new).exists() && !at("src/stray").exists());
        }
    }

    #[test]
    fn what_is_neither_file_nor_directory_is_not_given_up() {
        assert!(!Undo::default().can_take_back(Path::new("/dev/null")));
    }
}
