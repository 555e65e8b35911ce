//! The places that a run writes to: no link is followed there, since a stranger's directory may hold one that leads
//! elsewhere.

use super::best::directory;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Directories whose links are the system's: `/dev/stdout`, `/dev/fd/3`.
const OF_THE_SYSTEM: [&str; 2] = ["/dev", "/proc"];

/// Tells whether a symbolic link is at this path, other than the system's own.
#[must_use]
pub fn is_link(path: &Path) -> bool {
    let is_system = OF_THE_SYSTEM.iter().any(|folder| path.starts_with(folder));
    !is_system && fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink())
}

/// Returns what is at this path; a link there counts as nothing.
pub(super) fn look(path: &Path) -> io::Result<fs::Metadata> {
    if is_link(path) { Err(io::ErrorKind::NotFound.into()) } else { fs::metadata(path) }
}

/// Returns a path without links in its directory: a link at its end is left.
pub(super) fn real(path: &Path) -> io::Result<PathBuf> {
    let folder = directory(path).canonicalize()?;
    path.file_name().map_or_else(|| path.canonicalize(), |name| Ok(folder.join(name)))
}

/// Removes the links in a folder of Nubbin's own and in its folders: none of them is Nubbin's.
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
