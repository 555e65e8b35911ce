//! Packs directories and files from disk, and unpacks them.

mod directory;
mod kept;

pub use directory::Directory;
pub use kept::Kept;

use super::{ArchiveKind, Entry, Item, Type, entries, pack};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Component, Path, PathBuf};

/// The permission bits of a mode.
const PERMISSIONS: u32 = 0o7777;

/// The reason why a path could not be packed.
#[derive(Debug, thiserror::Error)]
#[error("`{}`: {source}", path.display())]
pub struct Error {
    /// The path of the file or directory that could not be read.
    pub path: PathBuf,
    /// The system's error.
    #[source]
    pub source: io::Error,
}

fn at<T>(path: &Path, result: io::Result<T>) -> Result<T, Error> {
    result.map_err(|source| Error { path: path.to_owned(), source })
}

/// Packs the directory `root`, except entries with one of the names `left_out`.
///
/// # Errors
/// Returns an error if a path cannot be read, or is not a file, a directory or a symbolic link.
pub fn pack_folder(root: &Path, left_out: &[&OsStr]) -> Result<Vec<u8>, Error> {
    pack_but(root, |path| left_out.contains(&path.as_os_str()))
}

/// Packs the directory `root`, except the paths for which `is_left_out` returns true, and their contents.
///
/// # Errors
/// Returns the same errors as [`pack_folder`].
pub fn pack_but(root: &Path, is_left_out: impl Fn(&Path) -> bool) -> Result<Vec<u8>, Error> {
    let mut items = Vec::new();
    // In reverse order, so that `pop` returns them in order.
    let mut waiting = listed(root, Path::new(""), &is_left_out)?;
    while let Some(path) = waiting.pop() {
        let place = root.join(&path);
        let item = item(&place, path.clone())?;
        if item.kind == Type::Directory {
            waiting.extend(listed(&place, &path, &is_left_out)?);
        }
        items.push(item);
    }
    Ok(pack(ArchiveKind::Folder, &items))
}

/// Returns the paths of a directory's entries, in reverse order.
fn listed(directory: &Path, path: &Path, is_left_out: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>, Error> {
    let mut names = BTreeSet::new();
    for entry in at(directory, fs::read_dir(directory))? {
        names.insert(at(directory, entry)?.file_name());
    }
    let paths = names.iter().rev().map(|name| path.join(name));
    Ok(paths.filter(|path| !is_left_out(path)).collect())
}

/// Reads the file, directory or link at `place`, as an item with the path `path`.
fn item(place: &Path, path: PathBuf) -> Result<Item, Error> {
    let found = at(place, fs::symlink_metadata(place))?;
    let (kind, content) = if found.is_symlink() {
        (Type::Link, at(place, fs::read_link(place))?.into_os_string().into_vec())
    } else if found.is_dir() {
        (Type::Directory, Vec::new())
    } else if found.is_file() {
        (Type::File, at(place, fs::read(place))?)
    } else {
        let odd = "it is not a file, a directory or a symbolic link, so it cannot be copied";
        return at(place, Err(io::Error::other(odd)));
    };
    Ok(Item { path, kind, mode: found.mode() & PERMISSIONS, content })
}

/// Packs these files, each with its name. If two files have the same name, their paths relative to a common
/// directory are used.
///
/// # Errors
/// Returns an error if a path is not a file, or cannot be read.
pub fn pack_files(paths: &[PathBuf]) -> Result<Vec<u8>, Error> {
    let mut items = Vec::new();
    for (place, path) in paths.iter().zip(names(paths)?) {
        let content = at(place, fs::read(place))?;
        let mode = at(place, fs::metadata(place))?.mode() & PERMISSIONS;
        items.push(Item { path, kind: Type::File, mode, content });
    }
    Ok(pack(ArchiveKind::Files, &items))
}

/// Returns the names of files in their archive.
///
/// # Errors
/// Returns an error if a file does not exist, or is given twice.
pub fn names(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Error> {
    if let Some(below) = below_first(paths) {
        return Ok(below);
    }
    let own: Vec<PathBuf> = paths.iter().filter_map(|path| path.file_name()).map(PathBuf::from).collect();
    let distinct: BTreeSet<_> = own.iter().collect();
    if distinct.len() == paths.len() {
        return Ok(own);
    }
    let mut real = Vec::new();
    for path in paths {
        let found = at(path, path.canonicalize())?;
        if real.contains(&found) {
            return at(path, Err(io::Error::other("it is given twice")));
        }
        real.push(found);
    }
    let first: Vec<Component<'_>> = real[0].components().collect();
    let shared =
        (0..first.len()).take_while(|&i| real.iter().all(|path| path.components().nth(i) == Some(first[i])));
    let shared = shared.count();
    Ok(real.iter().map(|path| path.components().skip(shared).collect()).collect())
}

/// Returns the paths relative to the directory of the first file, if all other files are in or below it.
/// Relative references between the files then stay valid. `None` if a file is elsewhere, or a path contains
/// `..`.
fn below_first(paths: &[PathBuf]) -> Option<Vec<PathBuf>> {
    let root = paths.first()?.parent()?;
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    let below = |path: &PathBuf| {
        let below = path.strip_prefix(root).ok()?;
        below.components().all(is_plain).then(|| below.to_owned())
    };
    let below: Vec<PathBuf> = paths.iter().map(below).collect::<Option<_>>()?;
    let distinct: BTreeSet<_> = below.iter().collect();
    (distinct.len() == paths.len()).then_some(below)
}

/// Unpacks an archive below `root`, which is created if it does not exist. It must not contain entries with
/// the same names.
///
/// # Errors
/// Returns an error if an entry cannot be created.
pub fn unpack(text: &[u8], root: &Path) -> io::Result<()> {
    fs::create_dir_all(root)?;
    unpack_below(text, &Directory::open(root)?)
}

/// Unpacks an archive below a directory, which must not contain entries with the same names. Links are not
/// followed.
///
/// # Errors
/// Returns an error if an entry cannot be created.
pub fn unpack_below(text: &[u8], root: &Directory) -> io::Result<()> {
    let all = entries(text);
    for entry in &all {
        if let Some(parent) = entry.path.parent() {
            root.make_all(parent)?;
        }
        match entry.kind {
            Type::Directory => drop(root.make_all(&entry.path)?),
            Type::Link => root.link(OsStr::from_bytes(entry.content_in(text)), &entry.path)?,
            Type::File | Type::Options => write(root, entry, text)?,
        }
    }
    // Permissions are set last, because a directory can be read-only.
    for entry in all.iter().rev().filter(|entry| entry.kind == Type::Directory) {
        root.enter(&entry.path)?.set_mode(entry.mode)?;
    }
    Ok(())
}

fn write(root: &Directory, entry: &Entry, text: &[u8]) -> io::Result<()> {
    let file = root.write_new(&entry.path, entry.content_in(text), 0o600)?;
    file.set_permissions(Permissions::from_mode(entry.mode))
}

/// Removes a directory with its contents. Permissions are changed if required.
///
/// # Errors
/// Returns an error if a path cannot be removed.
pub fn remove(root: &Path) -> io::Result<()> {
    Directory::open(root)?.empty()?;
    fs::remove_dir(root)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_modes_empty_directories_and_odd_names_are_kept() {
        let folder = tempfile::tempdir().expect("a directory");
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        let odd = OsString::from_vec(b"odd\xff\nname".to_vec());
        fs::create_dir_all(from.join("a/empty")).expect("directories");
        fs::write(from.join("a").join(&odd), b"\xff\0\n\n").expect("a file");
        fs::write(from.join("run.sh"), "#!/bin/sh\n").expect("a file");
        fs::set_permissions(from.join("run.sh"), Permissions::from_mode(0o4751)).expect("permissions");
        symlink("nowhere", from.join("link")).expect("a link");
        fs::write(from.join(".left"), "").expect("a file");
        fs::set_permissions(from.join("a"), Permissions::from_mode(0o555)).expect("permissions");
        let text = pack_folder(&from, &[OsStr::new(".left")]).expect("readable");
        unpack(&text, &to).expect("writable");
        assert_eq!(pack_folder(&to, &[]).expect("readable"), text);
        assert!(to.join("a/empty").is_dir() && !to.join(".left").exists());
        assert_eq!(fs::read(to.join("a").join(&odd)).expect("the file"), b"\xff\0\n\n");
        assert_eq!(fs::read_link(to.join("link")).expect("the link"), Path::new("nowhere"));
        assert_eq!(fs::metadata(to.join("run.sh")).expect("the file").mode() & PERMISSIONS, 0o4751);
        for place in [from, to] {
            fs::set_permissions(place.join("a"), Permissions::from_mode(0o755)).expect("permissions");
        }
    }

    #[test]
    fn files_have_their_own_names_unless_two_are_alike() {
        let folder = tempfile::tempdir().expect("a directory");
        let path = |name: &str| folder.path().join(name);
        for name in ["x/a.c", "x/b.c", "y/z/a.c"] {
            fs::create_dir_all(path(name).parent().expect("one")).expect("directories");
            fs::write(path(name), name).expect("a file");
        }
        assert_eq!(
            names(&[path("x/a.c"), path("x/b.c")]).expect("files"),
            [Path::new("a.c"), Path::new("b.c")]
        );
        let two = names(&[path("x/a.c"), path("y/z/a.c")]).expect("files");
        assert_eq!(two, [Path::new("x/a.c"), Path::new("y/z/a.c")]);
        assert!(names(&[path("x/a.c"), path("x/a.c")]).is_err());
    }
}
