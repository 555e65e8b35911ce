//! Handles symbolic links at output paths. They are not followed, because a link in an untrusted directory can lead
//! elsewhere.

use super::best::directory;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Directories with links of the operating system, such as `/dev/stdout` and `/dev/fd/3`.
const OF_THE_SYSTEM: [&str; 2] = ["/dev", "/proc"];

/// Returns whether a symbolic link other than the system's own is at this path.
#[must_use]
pub fn is_link(path: &Path) -> bool {
    let is_system = OF_THE_SYSTEM.iter().any(|folder| path.starts_with(folder));
    !is_system && fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink())
}

/// Returns the metadata of this path. A link counts as missing.
pub(super) fn look(path: &Path) -> io::Result<fs::Metadata> {
    if is_link(path) { Err(io::ErrorKind::NotFound.into()) } else { fs::metadata(path) }
}

/// Resolves the links in the directory part of a path.
pub(super) fn real(path: &Path) -> io::Result<PathBuf> {
    let folder = directory(path).canonicalize()?;
    path.file_name().map_or_else(|| path.canonicalize(), |name| Ok(folder.join(name)))
}

/// Removes all links in a folder of nubbin and in its subfolders; nubbin creates none there.
pub(super) fn remove_links(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)?.flatten() {
        let kind = entry.file_type()?;
        if kind.is_symlink() {
            fs::remove_file(entry.path())?;
        } else if kind.is_dir() {
            remove_links(&entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_told_from_what_they_lead_to() {
        let place = tempfile::tempdir().expect("a directory");
        let at = |name: &str| place.path().join(name);
        fs::write(at("file"), "x").expect("written");
        symlink(at("file"), at("link")).expect("linked");
        symlink(place.path(), at("here")).expect("linked");
        assert!(is_link(&at("link")) && !is_link(&at("file")) && !is_link(&at("none")));
        assert!(!is_link(Path::new("/dev/stdout")));
        assert!(look(&at("link")).is_err() && look(&at("file")).is_ok());
        let real_folder = place.path().canonicalize().expect("it is there");
        assert_eq!(real(&at("here/link")).expect("it is there"), real_folder.join("link"));
    }

    #[test]
    fn only_links_are_removed() {
        let place = tempfile::tempdir().expect("a directory");
        let at = |name: &str| place.path().join(name);
        fs::create_dir(at("folder")).expect("made");
        fs::write(at("folder/file"), "x").expect("written");
        symlink(at("folder"), at("link")).expect("linked");
        symlink(at("folder/file"), at("folder/link")).expect("linked");
        remove_links(place.path()).expect("removed");
        assert!(at("folder/file").exists());
        assert!(!is_link(&at("link")) && !is_link(&at("folder/link")));
    }
}
