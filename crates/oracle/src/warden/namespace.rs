//! A view of the files in which the candidate stands in place of the user's own, for a warden and what it starts alone.
//!
//! It needs a mount namespace (`mount_namespaces(7)`), and where this user may not have one, a user namespace around it.

use super::confine::Refusal;
use rustix::mount::{MountPropagationFlags, mount_bind, mount_change};
use rustix::thread::UnshareFlags;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Has what is made at the first path of each pair stand at the second one, too, for this process alone, which has no other
/// thread yet.
///
/// # Errors
/// Returns an error if this system does not let this user do so.
pub(super) fn put_in_place(pairs: &[(PathBuf, PathBuf)]) -> Result<(), Refusal> {
    let refused = |error: io::Error| -> Refusal {
        format!(
            "`--here` needs a view of the files of its own for each run, which this system does not allow: {error}"
        )
        .into()
    };
    separate().map_err(refused)?;
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)
        .map_err(|error| refused(error.into()))?;
    for (source, target) in pairs {
        make(source, target).and_then(|()| Ok(mount_bind(source, target)?)).map_err(refused)?;
    }
    Ok(())
}

/// Something to stand in place of what is at `target`.
fn make(source: &Path, target: &Path) -> io::Result<()> {
    let found = target.metadata()?;
    if found.is_dir() {
        fs::create_dir_all(source)?;
    } else {
        File::create(source)?;
    }
    fs::set_permissions(source, found.permissions())
}

fn separate() -> io::Result<()> {
    if unshare(UnshareFlags::NEWNS).is_ok() {
        return Ok(());
    }
    let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNS)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

fn unshare(flags: UnshareFlags) -> io::Result<()> {
    // SAFETY: the table of open files stays shared.
    unsafe { rustix::thread::unshare_unsafe(flags) }.map_err(Into::into)
}
