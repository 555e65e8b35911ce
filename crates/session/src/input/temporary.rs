//! Replaces files atomically: a temporary file is written next to the target, synced, and renamed.
//!
//! Each temporary file has a unique name and is locked while it is written, so that two runs with the same output do
//! not disturb each other, and files of killed runs can be recognized by their missing lock.

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

/// Tuned parameters.
struct Tuning {
    /// The number of random characters in a name.
    random_characters: usize,
    /// The largest number of bytes of the target's name in a temporary name; names are limited to 255 bytes.
    named_bytes: usize,
    /// The number of attempts if another program removes the temporary file.
    attempts: usize,
}

const TUNING: Tuning = Tuning { random_characters: 6, named_bytes: 200, attempts: 3 };

/// Atomically replaces `path` by a file with this content.
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

/// Atomically creates `path` with this content, unless it exists. The temporary name is derived from `other`, in the
/// same directory.
pub(super) fn create(path: &Path, other: &Path, content: &[u8], permissions: &Permissions) -> io::Result<()> {
    let file = beside(other, content, Some(permissions))?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path).map_err(|failed| failed.error)?;
    sync_directory(path)
}

/// Atomically replaces the directory at `path` by the content of an archive. The old directory becomes `backup` or is
/// removed.
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
    // Without support for locks, leftovers are not removed.
    let _ = flock(&held, FlockOperation::NonBlockingLockExclusive);
    let filled = disk::unpack(archive, made.path()).and_then(|()| {
        let permissions = permissions.cloned().unwrap_or_else(|| Permissions::from_mode(0o755));
        held.set_permissions(permissions)?;
        rustix::fs::syncfs(&held)?;
        exchange(made.path(), path)
    });
    // The temporary name now denotes the old directory, or the new one if the exchange failed.
    let old = made.keep();
    match (&filled, backup) {
        (Ok(true), Some(backup)) => fs::rename(&old, backup)?,
        (Ok(false), _) => {}
        // A link to a directory: the directory is kept.
        _ if is_link(&old) => fs::remove_file(&old)?,
        _ => disk::remove(&old)?,
    }
    filled?;
    sync_directory(path)
}

/// Exchanges two directories, or renames the first if the second does not exist. Returns whether it existed.
fn exchange(new: &Path, path: &Path) -> io::Result<bool> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    if fs::symlink_metadata(path).is_err() {
        fs::rename(new, path)?;
        return Ok(false);
    }
    if renameat_with(CWD, new, CWD, path, RenameFlags::EXCHANGE).is_err() {
        // The file system does not support exchanging: the path is missing for a moment.
        let aside = new.with_extension("old");
        fs::rename(path, &aside)?;
        fs::rename(new, path)?;
        fs::rename(&aside, new)?;
    }
    Ok(true)
}

/// Returns a file next to `path` with this content, which is removed when it is dropped.
pub(super) fn beside(
    path: &Path,
    content: &[u8],
    permissions: Option<&Permissions>,
) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    let prefix = prefix(path);
    builder.prefix(&prefix).rand_bytes(TUNING.random_characters).permissions(Permissions::from_mode(0o666));
    let mut file = builder.tempfile_in(directory(path))?;
    // Without support for locks, leftovers are not removed.
    let _ = flock(file.as_file(), FlockOperation::NonBlockingLockExclusive);
    file.write_all(content)?;
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions.clone())?;
    }
    Ok(file)
}

/// Removes the temporary files of killed runs next to `path`.
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

/// Returns whether this is a file or directory that no process is writing.
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
