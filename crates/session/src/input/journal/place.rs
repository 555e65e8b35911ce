//! The paths of journals: a folder for each input, in `.nubbin` next to the input.

use super::{JOURNAL, directory};
use crate::input::best::fitted;
use blake3::Hash;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The folder with all journals of a directory.
pub(in crate::input) const HOME: &str = ".nubbin";
/// The number of digits of the input's hash in the name of a folder, which distinguish inputs with the same name.
const DIGITS: usize = 12;
/// The longest part of the input's name in the name of a folder, in bytes.
const LONGEST_NAME: usize = 200;

/// Returns the folder for the journal of an input with this path and hash.
#[must_use]
pub fn folder(path: &Path, input: &Hash) -> PathBuf {
    let mut name = prefix(path);
    name.push(&input.to_hex()[..DIGITS]);
    directory(path).join(HOME).join(name)
}

/// Returns the folders of all journals of inputs with this name, the most recently written first.
#[must_use]
pub fn folders_of(path: &Path) -> Vec<PathBuf> {
    let prefix = prefix(path);
    let is_of = |name: &OsStr| {
        let digits = name.as_bytes().strip_prefix(prefix.as_bytes());
        digits.is_some_and(|digits| digits.len() == DIGITS && digits.iter().all(u8::is_ascii_hexdigit))
    };
    let mut folders = folders_in(directory(path));
    folders.retain(|folder| folder.file_name().is_some_and(is_of));
    folders
}

/// Returns the folders of all journals of a directory's files, the most recently written first.
#[must_use]
pub fn folders_in(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory.join(HOME)).into_iter().flatten().flatten();
    let mut folders: Vec<(SystemTime, PathBuf)> =
        entries.filter_map(|entry| Some((written(&entry.path())?, entry.path()))).collect();
    folders.sort();
    folders.into_iter().rev().map(|(_, folder)| folder).collect()
}

/// Returns when the journal in a folder was last written, if there is one.
fn written(folder: &Path) -> Option<SystemTime> {
    fs::metadata(folder.join(JOURNAL)).and_then(|found| found.modified()).ok()
}

fn prefix(path: &Path) -> OsString {
    let name = path.file_name().unwrap_or(OsStr::new("input"));
    let mut name = fitted(name, LONGEST_NAME).to_owned();
    name.push("-");
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_input_has_a_folder_beside_it() {
        let hash = blake3::hash(b"x");
        let digits = &hash.to_hex()[..12];
        assert_eq!(
            folder(Path::new("a/bug.c"), &hash),
            Path::new("a/.nubbin").join(format!("bug.c-{digits}"))
        );
        assert_eq!(folder(Path::new("bug.c"), &hash), Path::new("./.nubbin").join(format!("bug.c-{digits}")));
    }

    #[test]
    fn the_folders_of_an_input_are_those_of_its_name_only() {
        let directory = tempfile::tempdir().expect("a directory");
        for name in ["a-b-0123456789ab", "a-0123456789ab", "a-0123456789ax", "a-123", "b-0123456789ab"] {
            let folder = directory.path().join(HOME).join(name);
            fs::create_dir_all(&folder).expect("made");
            fs::write(folder.join(JOURNAL), "").expect("written");
        }
        let found = folders_of(&directory.path().join("a"));
        assert_eq!(found, [directory.path().join(".nubbin/a-0123456789ab")]);
        assert_eq!(folders_in(directory.path()).len(), 5);
    }
}
