//! A directory as input: which files are reduced and which are ignored.

use super::{Error, journal};
use ignore::{DirEntry, WalkBuilder};
use nubbin_archive::disk;
use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The names of files and directories that belong to tools.
const NAMES: [&str; 8] =
    [journal::HOME, ".git", ".hg", ".svn", "__pycache__", "node_modules", ".tox", ".pytest_cache"];
/// Files that mark their directory as reproducible.
const MARKS: [&str; 3] = ["CACHEDIR.TAG", "pyvenv.cfg", "CMakeCache.txt"];

/// Packs a directory into an [archive](nubbin_archive). Files of version control, of earlier runs, of builds and
/// caches, and those that a `.gitignore` in the directory names are excluded.
///
/// # Errors
/// Returns an error when an entry cannot be read, or is not a file, directory or symbolic link.
pub fn read_project(root: &Path) -> Result<Vec<u8>, Error> {
    let kept = kept(root);
    disk::pack_but(root, |path| !kept.contains(path)).map_err(|error| Error::read(&error.path)(error.source))
}

/// Returns the outermost files and directories that [`read_project`] excludes, as sorted relative paths.
#[must_use]
pub fn left_alone(root: &Path) -> Vec<PathBuf> {
    left(root, &kept(root))
}

/// Returns the paths to reduce. Unreadable paths are included, so that reading them reports the reason.
fn kept(root: &Path) -> HashSet<PathBuf> {
    let walk = WalkBuilder::new(root)
        .standard_filters(false)
        .git_ignore(true)
        .require_git(false)
        .filter_entry(|entry| entry.depth() == 0 || !is_left_out(entry))
        .build();
    let path = |entry: DirEntry| entry.path().strip_prefix(root).map(Path::to_owned).ok();
    walk.flatten().filter_map(path).collect()
}

fn is_left_out(entry: &DirEntry) -> bool {
    let (path, name) = (entry.path(), entry.file_name());
    let is_named = NAMES.iter().any(|one| name == OsStr::new(one));
    let is_marked = || path.is_dir() && MARKS.iter().any(|mark| path.join(mark).is_file());
    is_named || is_result(path) || is_marked()
}

/// Returns whether a file is the result of an earlier run on a file next to it.
fn is_result(path: &Path) -> bool {
    let plain = match (path.file_stem(), path.extension()) {
        (Some(stem), Some(extension)) if extension == "reduced" => PathBuf::from(stem),
        (Some(stem), Some(extension)) => match Path::new(stem).extension() {
            Some(last) if last == "reduced" => Path::new(stem).with_extension(extension),
            _ => return false,
        },
        _ => return false,
    };
    path.with_file_name(plain).exists()
}

/// Returns the outermost entries that are not kept.
fn left(root: &Path, kept: &HashSet<PathBuf>) -> Vec<PathBuf> {
    let mut left = BTreeSet::new();
    let folders = kept.iter().filter(|path| root.join(path).is_dir());
    for folder in folders {
        for entry in std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten() {
            let path = folder.join(entry.file_name());
            if !kept.contains(&path) {
                left.insert(path);
            }
        }
    }
    left.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nubbin_archive::entries;
    use std::fs;

    #[test]
    fn what_can_be_made_again_is_left_alone() {
        let place = tempfile::tempdir().expect("a directory");
        let root = place.path();
        let files = [
            ".git/HEAD",
            ".gitignore",
            ".hidden",
            "a.c",
            "a.reduced.c",
            "b.reduced.c",
            "build/CMakeCache.txt",
            "out/x.o",
            "src/a.log",
            "src/deep/.gitignore",
            "src/deep/kept.log",
            "src/x.py",
            "src/__pycache__/x.pyc",
            "target/CACHEDIR.TAG",
            "venv/pyvenv.cfg",
        ];
        for file in files {
            fs::create_dir_all(root.join(file).parent().expect("a parent")).expect("a directory");
            fs::write(root.join(file), "x").expect("a file");
        }
        fs::write(root.join(".gitignore"), "*.log\n/out/\n").expect("a file");
        fs::write(root.join("src/deep/.gitignore"), "!kept.log\n").expect("a file");
        let archive = read_project(root).expect("readable");
        let found = entries(&archive);
        let found: Vec<&str> = found.iter().filter_map(|entry| entry.path.to_str()).collect();
        let kept = [
            ".gitignore",
            ".hidden",
            "a.c",
            "b.reduced.c",
            "src",
            "src/deep",
            "src/deep/.gitignore",
            "src/deep/kept.log",
            "src/x.py",
        ];
        assert_eq!(found, kept);
        let left = left_alone(root);
        let left: Vec<&str> = left.iter().filter_map(|path| path.to_str()).collect();
        let alone = [".git", "a.reduced.c", "build", "out", "src/__pycache__", "src/a.log", "target", "venv"];
        assert_eq!(left, alone);
    }

    #[test]
    fn a_directory_that_is_ignored_further_up_is_read_when_it_is_named() {
        let place = tempfile::tempdir().expect("a directory");
        fs::create_dir(place.path().join("case")).expect("a directory");
        fs::write(place.path().join(".gitignore"), "case/\n").expect("a file");
        fs::write(place.path().join("case/x"), "x").expect("a file");
        let root = place.path().join("case");
        let archive = read_project(&root).expect("readable");
        assert_eq!((entries(&archive).len(), left_alone(&root).len()), (1, 0));
    }
}
