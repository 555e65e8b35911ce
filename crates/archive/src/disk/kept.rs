//! Updates a directory from one archive to another with few writes.
//!
//! Only files that have changed since the last update are written, including files that other processes
//! changed. Files that other processes created are kept unless they block an entry.

use super::super::{Entry, Type, entries};
use super::directory::{Directory, ancestors, is_directory};
use rustix::fs::{AtFlags, Stat, Timespec, Timestamps, utimensat};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::Permissions;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// The files that have been written into a directory.
#[derive(Debug, Default)]
pub struct Kept {
    files: BTreeMap<PathBuf, Stamp>,
}

/// The state of a file or link after it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stamp {
    kind: Type,
    mode: u32,
    content: blake3::Hash,
    disk: Disk,
}

/// The properties by which changes of a file are detected.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Disk {
    inode: u64,
    size: u64,
    mode: u32,
    modified: (i64, i64),
}

impl Disk {
    fn of(found: &Stat) -> Self {
        let modified = (found.st_mtime, found.st_mtime_nsec as i64);
        Self { inode: found.st_ino, size: found.st_size as u64, mode: found.st_mode, modified }
    }
}

impl Kept {
    /// Updates the directory `root` to the contents of an archive. Unchanged files keep their modification
    /// time. Written files get a time later than that of everything that was built from earlier versions.
    ///
    /// # Errors
    /// Returns an error if a path cannot be written or removed.
    pub fn update(&mut self, text: &[u8], root: &Directory) -> io::Result<()> {
        match self.try_update(text, root) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                root.unlock();
                self.try_update(text, root)
            }
            result => result,
        }
    }

    fn try_update(&mut self, text: &[u8], root: &Directory) -> io::Result<()> {
        let all = entries(text);
        let wanted: BTreeSet<&Path> =
            all.iter().filter(|entry| entry.kind != Type::Directory).map(|entry| &*entry.path).collect();
        let gone: Vec<PathBuf> =
            self.files.keys().filter(|path| !wanted.contains(path.as_path())).cloned().collect();
        for path in gone {
            // If a link or a file has replaced a parent directory, the path no longer exists.
            if root.look(&path).is_ok() {
                root.clear(&path)?;
                remove_empty(root, &path);
            }
            self.files.remove(&path);
        }
        let mut made = BTreeSet::new();
        for entry in &all {
            match entry.kind {
                Type::Directory => make_directories(root, &entry.path, &mut made)?,
                Type::File | Type::Link | Type::Options => self.place(entry, text, root, &mut made)?,
            }
        }
        Ok(())
    }

    /// Writes an entry, unless it is up to date.
    fn place(
        &mut self,
        entry: &Entry,
        text: &[u8],
        root: &Directory,
        made: &mut BTreeSet<PathBuf>,
    ) -> io::Result<()> {
        if let Some(parent) = entry.path.parent() {
            make_directories(root, parent, made)?;
        }
        let content = blake3::hash(entry.content_in(text));
        let found = root.look(&entry.path).ok();
        let known = self.files.get(&entry.path);
        if let (Some(known), Some(found)) = (known, &found)
            && (known.kind, known.mode, known.content) == (entry.kind, entry.mode, content)
            && known.disk == Disk::of(found)
        {
            return Ok(());
        }
        self.files.remove(&entry.path);
        root.clear(&entry.path)?;
        if entry.kind == Type::Link {
            root.link(OsStr::from_bytes(entry.content_in(text)), &entry.path)?;
        } else {
            let file = root.write_new(&entry.path, entry.content_in(text), 0o600)?;
            file.set_permissions(Permissions::from_mode(entry.mode))?;
        }
        touch(root, &entry.path)?;
        let disk = Disk::of(&root.look(&entry.path)?);
        self.files.insert(entry.path.clone(), Stamp { kind: entry.kind, mode: entry.mode, content, disk });
        Ok(())
    }
}

/// Sets the modification time of a file to the current time, because the time set by the system can be too
/// early.
fn touch(root: &Directory, path: &Path) -> io::Result<()> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = Timespec { tv_sec: now.as_secs() as i64, tv_nsec: i64::from(now.subsec_nanos()) };
    let times = Timestamps { last_access: now, last_modification: now };
    let Some(name) = path.file_name() else { return Ok(()) };
    let parent = root.enter(path.parent().unwrap_or(Path::new("")))?;
    utimensat(parent, name, &times, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(())
}

/// Creates a directory and its parents; other files at these paths are removed.
fn make_directories(root: &Directory, path: &Path, made: &mut BTreeSet<PathBuf>) -> io::Result<()> {
    for directory in ancestors(path) {
        if made.contains(directory) {
            continue;
        }
        if !root.look(directory).is_ok_and(|found| is_directory(&found)) {
            root.clear(directory)?;
            root.make(directory)?;
        }
        made.insert(directory.to_owned());
    }
    Ok(())
}

/// Removes the parent directories of a path that have become empty.
fn remove_empty(root: &Directory, path: &Path) {
    let above = path.ancestors().skip(1).filter(|above| *above != Path::new(""));
    for directory in above {
        if root.remove_empty(directory).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{ArchiveKind, Item, pack};
    use super::super::pack_folder;
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn text(files: &[(&str, &str)]) -> Vec<u8> {
        let item = |(path, content): &(&str, &str)| {
            let kind = if let Some(to) = content.strip_prefix("-> ") {
                return Item { path: path.into(), kind: Type::Link, mode: 0o777, content: to.into() };
            } else {
                Type::File
            };
            Item { path: path.into(), kind, mode: 0o644, content: content.as_bytes().to_vec() }
        };
        pack(ArchiveKind::Folder, &files.iter().map(item).collect::<Vec<_>>())
    }

    fn time(path: &Path) -> (i64, i64) {
        let found = rustix::fs::lstat(path).expect("it is there");
        Disk::of(&found).modified
    }

    #[test]
    fn only_what_differs_is_written_and_what_was_made_stays() {
        let folder = tempfile::tempdir().expect("a directory");
        let root = folder.path();
        let place = Directory::open(root).expect("it is there");
        let mut kept = Kept::default();
        kept.update(&text(&[("a/x.c", "1"), ("a/y.c", "1"), ("b/z.c", "1")]), &place).expect("writable");
        fs::write(root.join("a/x.o"), "made").expect("writable");
        let before = time(&root.join("a/x.c"));
        kept.update(&text(&[("a/x.c", "1"), ("a/y.c", "2")]), &place).expect("writable");
        assert_eq!(time(&root.join("a/x.c")), before);
        assert!(time(&root.join("a/y.c")) > time(&root.join("a/x.o")));
        assert_eq!(fs::read(root.join("a/y.c")).expect("it is there"), b"2");
        assert!(root.join("a/x.o").exists() && !root.join("b").exists());
    }

    #[test]
    fn what_the_command_has_changed_is_written_again() {
        let folder = tempfile::tempdir().expect("a directory");
        let root = folder.path();
        let place = Directory::open(root).expect("it is there");
        let mut kept = Kept::default();
        let wanted = text(&[("a/b/c", "1"), ("link", "-> a"), ("x", "x")]);
        kept.update(&wanted, &place).expect("writable");
        fs::write(root.join("a/b/c"), "other").expect("writable");
        fs::remove_file(root.join("link")).expect("it is there");
        fs::create_dir(root.join("link")).expect("free");
        fs::remove_file(root.join("x")).expect("it is there");
        kept.update(&wanted, &place).expect("writable");
        assert_eq!(pack_folder(root, &[]).expect("readable").len(), {
            let fresh = tempfile::tempdir().expect("a directory");
            super::super::unpack(&wanted, fresh.path()).expect("writable");
            pack_folder(fresh.path(), &[]).expect("readable").len()
        });
        assert_eq!(fs::read(root.join("a/b/c")).expect("it is there"), b"1");
    }

    #[test]
    fn nothing_is_written_through_a_link_that_took_the_place_of_a_directory() {
        let folder = tempfile::tempdir().expect("a directory");
        let outside = tempfile::tempdir().expect("a directory");
        let root = folder.path();
        let place = Directory::open(root).expect("it is there");
        fs::write(outside.path().join("gone"), "mine").expect("writable");
        let mut kept = Kept::default();
        kept.update(&text(&[("a/c", "1"), ("a/gone", "1")]), &place).expect("writable");
        fs::remove_dir_all(root.join("a")).expect("it is there");
        symlink(outside.path(), root.join("a")).expect("free");
        kept.update(&text(&[("a/c", "2")]), &place).expect("writable");
        assert_eq!(fs::read(outside.path().join("gone")).expect("untouched"), b"mine");
        assert!(!outside.path().join("c").exists());
        assert_eq!(fs::read(root.join("a/c")).expect("it is there"), b"2");
    }

    #[test]
    fn a_file_becomes_a_directory_and_a_file_again() {
        let folder = tempfile::tempdir().expect("a directory");
        let root = folder.path();
        let place = Directory::open(root).expect("it is there");
        let mut kept = Kept::default();
        for wanted in [text(&[("a", "1")]), text(&[("a/b", "1")]), text(&[("a", "1")])] {
            kept.update(&wanted, &place).expect("writable");
        }
        assert_eq!(fs::read(root.join("a")).expect("it is there"), b"1");
    }
}
