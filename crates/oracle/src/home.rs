//! Creates a home directory for the probes of programs that write to the user's home. Everything in the
//! user's home is linked, except the parts that the program changes.
//!
//! The cache directory is kept for later probes of the same worker; the rest is created again for each probe.

use super::surroundings::Home;
use nubbin_archive::disk::Directory;
use std::fs;
use std::io;
use std::path::Path;

/// The directory in a home where programs store data that they can generate again.
pub(super) const CACHE: &str = ".cache";
/// Files larger than this are not copied, in bytes.
const LARGEST: u64 = 16 << 20;

/// Creates the home and its cache in `root` with these names. The cache, at `cache_path`, can already exist.
pub(super) fn make(
    home: &Home,
    root: &Directory,
    names: (&Path, &Path),
    cache_path: &Path,
) -> io::Result<()> {
    let (own, cache) = names;
    root.make(own)?;
    let is_warm = root.is_directory(cache);
    if !is_warm {
        root.clear(cache)?;
        root.make(cache)?;
    }
    let places = Places { home: root.enter(own)?, cache: root.enter(cache)? };
    places.home.link(cache_path.as_os_str(), Path::new(CACHE))?;
    for folder in home.own.iter().filter(|folder| !is_warm || !folder.starts_with(CACHE)) {
        let (place, inside) = places.of(folder);
        fill(home, folder, &place.make_all(inside)?);
    }
    for file in home.copied.iter().filter(|file| !is_warm || !file.starts_with(CACHE)) {
        let from = home.from.join(file);
        let Ok(found) = from.metadata() else { continue };
        if found.is_file() && found.len() <= LARGEST {
            let (place, inside) = places.of(file);
            place.write_new(inside, &fs::read(&from)?, 0o600)?.set_permissions(found.permissions())?;
        }
    }
    Ok(())
}

/// The two directories of a home.
struct Places {
    home: Directory,
    cache: Directory,
}

impl Places {
    /// Returns the directory that holds a path of the home, and the path relative to it.
    fn of<'p>(&self, path: &'p Path) -> (&Directory, &'p Path) {
        path.strip_prefix(CACHE).map_or((&self.home, path), |inside| (&self.cache, inside))
    }
}

/// Links to the entries of a folder in the user's home. Entries that cannot be linked are omitted.
fn fill(home: &Home, folder: &Path, place: &Directory) {
    for entry in fs::read_dir(home.from.join(folder)).into_iter().flatten().flatten() {
        let path = folder.join(entry.file_name());
        let is_cache = path == Path::new(CACHE);
        if !is_cache && !home.own.contains(&path) && !home.copied.contains(&path) {
            let _ = place.link(entry.path().as_os_str(), Path::new(&entry.file_name()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn what_is_written_to_is_the_runs_own_and_the_cache_stays() {
        let place = tempfile::tempdir().expect("a directory");
        let at = |path: &str| place.path().join(path);
        for folder in ["real/.config/tool", "real/.config/other", "real/.cache/kept"] {
            fs::create_dir_all(at(folder)).expect("a directory");
        }
        fs::write(at("real/.config/tool/state"), "one").expect("a file");
        fs::write(at("real/.profile"), "x").expect("a file");
        let mut home = Home { from: at("real"), ..Home::default() };
        home.gives(Path::new(".config/tool/state"), at("real").as_path());
        home.gives(Path::new(".cache/tool/index"), at("real").as_path());
        for round in 0..2 {
            let root = Directory::open(place.path()).expect("it is there");
            make(&home, &root, (Path::new("home"), Path::new("cache")), &at("cache")).expect("a home");
            assert!(at("home/.profile").is_symlink() && at("home/.config/other").is_symlink());
            assert_eq!(fs::read(at("home/.config/tool/state")).expect("a copy"), b"one");
            assert!(at("home/.cache/kept").is_symlink() && !at("home/.cache/tool").is_symlink());
            assert_eq!(at("home/.cache/tool/index").exists(), round == 1);
            fs::write(at("home/.config/tool/state"), "other").expect("written");
            fs::write(at("home/.cache/tool/index"), "warm").expect("written");
            fs::remove_dir_all(at("home")).expect("removed");
        }
        assert_eq!(fs::read(at("real/.config/tool/state")).expect("as it was"), b"one");
        assert_eq!(fs::read_dir(at("real/.cache")).expect("as it was").count(), 1);
        assert_eq!(home.own[0], PathBuf::new());
    }
}
