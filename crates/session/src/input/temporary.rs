//! Files that take the place of others in one instant: written beside them, synced, and renamed.
//!
//! Each has a name of its own, and a lock while it is written: two runs with the same output do not get in each other's
//! way, and what a killed run has left behind is known by its missing lock.

use super::best::directory;
use super::links::is_link;
use super::product;
use nubbin_archive::disk;
use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::NamedTempFile;

/// The numbers that were tuned.
struct Tuning {
    /// This many characters of a name are chosen at random.
    random_characters: usize,
    /// At most this many bytes of the other file's name are in a temporary name: names have at most 255 bytes.
    named_bytes: usize,
    /// A file that somebody else removes is made again until this many attempts have failed.
    attempts: usize,
}

const TUNING: Tuning = Tuning { random_characters: 6, named_bytes: 200, attempts: 3 };

/// Replaces `path` by a file that holds `content`: whoever looks sees the old file or the new one.
pub(super) fn replace(path: &Path, content: &[u8], permissions: Option<&Permissions>) -> io::Result<()> {
    for attempt in 1.. {
        let file = beside(path, content, permissions)?;
        product::mark(file.as_file(), content);
        file.as_file().sync_all()?;
        match file.persist(path) {
            Err(failed) if failed.error.kind() == io::ErrorKind::NotFound && attempt < TUNING.attempts => {}
            Err(failed) => return Err(failed.error),
            Ok(_) => break,
        }
    }
    sync_directory(path)
}

/// Makes a file `path` that holds `content`, unless there is one of that name. Until then it goes by a name after
/// `other`, which is in the same directory.
pub(super) fn create(path: &Path, other: &Path, content: &[u8], permissions: &Permissions) -> io::Result<()> {
    let file = beside(other, content, Some(permissions))?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path).map_err(|failed| failed.error)?;
    sync_directory(path)
}

/// Puts a directory with the content of an archive at `path`: a reader sees the old directory or the new one, and
/// nothing in between. The old directory, if there was one, becomes `backup` or is removed.
pub(super) fn replace_folder(
    path: &Path,
    archive: &[u8],
    permissions: Option<&Permissions>,
    backup: Option<&Path>,
) -> io::Result<()> {
    let mut builder = tempfile::Builder::new();
    let prefix = prefix(path);
    let made = builder.prefix(&prefix).rand_bytes(TUNING.random_characters).tempdir_in(directory(path))?;
    let held = File::open(made.path())?;
    // Where locks are not supported, leftovers stay.
    let _ = flock(&held, FlockOperation::NonBlockingLockExclusive);
    let filled = disk::unpack(archive, made.path()).and_then(|()| {
        let permissions = permissions.cloned().unwrap_or_else(|| Permissions::from_mode(0o755));
        held.set_permissions(permissions)?;
        rustix::fs::syncfs(&held)?;
        exchange(made.path(), path)
    });
    // What stands at the temporary name now is the old one, or what could not be put in its place.
    let old = made.keep();
    match (&filled, backup) {
        (Ok(true), Some(backup)) => fs::rename(&old, backup)?,
        (Ok(false), _) => {}
        // A link to a directory: what it leads to is left.
        _ if is_link(&old) => fs::remove_file(&old)?,
        _ => disk::remove(&old)?,
    }
    filled?;
    sync_directory(path)
}

/// Lets two directories change places, or renames the first where there is no second. Says whether there was one.
fn exchange(new: &Path, path: &Path) -> io::Result<bool> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    if fs::symlink_metadata(path).is_err() {
        fs::rename(new, path)?;
        return Ok(false);
    }
    if renameat_with(CWD, new, CWD, path, RenameFlags::EXCHANGE).is_err() {
        // This file system cannot: for an instant there is none.
        let aside = new.with_extension("old");
        fs::rename(path, &aside)?;
        fs::rename(new, path)?;
        fs::rename(&aside, new)?;
    }
    Ok(true)
}

/// Returns a file beside `path` that holds `content` and goes when it is dropped.
pub(super) fn beside(
    path: &Path,
    content: &[u8],
    permissions: Option<&Permissions>,
) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    let prefix = prefix(path);
    builder.prefix(&prefix).rand_bytes(TUNING.random_characters).permissions(Permissions::from_mode(0o666));
    let mut file = builder.tempfile_in(directory(path))?;
    // Where locks are not supported, leftovers stay.
    let _ = flock(file.as_file(), FlockOperation::NonBlockingLockExclusive);
    file.write_all(content)?;
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions.clone())?;
    }
    Ok(file)
}

/// Removes what a killed run has left beside `path`.
pub(super) fn sweep(path: &Path) {
    let prefix = prefix(path);
    let entries = fs::read_dir(directory(path)).into_iter().flatten().flatten();
    for entry in entries.filter(|entry| is_ours(&entry.file_name(), &prefix)) {
        if is_left(&entry.path()) && fs::remove_file(entry.path()).is_err() {
            let _ = disk::remove(&entry.path());
        }
    }
}

fn is_ours(name: &OsStr, prefix: &OsStr) -> bool {
    let random = name.as_bytes().strip_prefix(prefix.as_bytes());
    random.is_some_and(|random| {
        random.len() == TUNING.random_characters && random.iter().all(u8::is_ascii_alphanumeric)
    })
}

/// Tells whether this is a file or a directory that nobody is writing.
fn is_left(path: &Path) -> bool {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let Ok(file) = rustix::fs::open(path, flags, Mode::empty()).map(File::from) else { return false };
    file.metadata().is_ok_and(|found| found.is_file() || found.is_dir())
        && flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok()
}

fn prefix(path: &Path) -> OsString {
    let name = path.file_name().unwrap_or_default().as_bytes();
    let mut prefix = OsString::from(".");
    prefix.push(OsStr::from_bytes(&name[..name.len().min(TUNING.named_bytes)]));
    prefix.push(".nubbin-");
    prefix
}

fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(directory(path))?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_run_has_left_is_removed_and_nothing_else() {
        let directory = tempfile::tempdir().expect("a directory");
        let at = |name: &str| directory.path().join(name);
        let path = at("bug.c");
        let written = beside(&path, b"half", None).expect("a file");
        for name in
            [".bug.c.nubbin-a1B2c3", ".bug.c.nubbin-a1B2c3d", ".bug.c.nubbin-a1B2c.", ".bug.nubbin-a1B2c3"]
        {
            fs::write(at(name), "x").expect("written");
        }
        std::os::unix::fs::symlink(at(".bug.nubbin-a1B2c3"), at(".bug.c.nubbin-llllll")).expect("a link");
        sweep(&path);
        assert!(!at(".bug.c.nubbin-a1B2c3").exists());
        for name in
            [".bug.c.nubbin-a1B2c3d", ".bug.c.nubbin-a1B2c.", ".bug.nubbin-a1B2c3", ".bug.c.nubbin-llllll"]
        {
            assert!(at(name).exists(), "{name}");
        }
        assert!(written.path().exists(), "it is being written");
    }

    #[test]
    fn a_name_as_long_as_names_can_be_is_no_hindrance() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("x".repeat(255));
        replace(&path, b"whole", None).expect("written");
        assert_eq!(fs::read(&path).expect("there"), b"whole");
    }
}
