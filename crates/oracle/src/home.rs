//! A home of the probes' own, for programs that write to the user's: all that is there is there as links, but where they
//! write.
//!
//! The cache stays from one probe of a worker to the next; all else is made anew for each.

use super::surroundings::Home;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

/// The directory of a home in which programs keep what they can make again.
pub(super) const CACHE: &str = ".cache";
/// A file that is larger is not copied.
const LARGEST: u64 = 16 << 20;

/// Makes the home at `place`, with its cache at `cache`, which may be there already.
pub(super) fn make(home: &Home, place: &Path, cache: &Path) -> io::Result<()> {
    fs::create_dir(place)?;
    let is_warm = cache.is_dir();
    fs::create_dir_all(cache)?;
    symlink(cache, place.join(CACHE))?;
    for folder in home.own.iter().filter(|folder| !is_warm || !folder.starts_with(CACHE)) {
        fs::create_dir_all(place.join(folder))?;
        fill(home, folder, place);
    }
    for file in home.copied.iter().filter(|file| !is_warm || !file.starts_with(CACHE)) {
        let from = home.from.join(file);
        if from.metadata().is_ok_and(|found| found.is_file() && found.len() <= LARGEST) {
            fs::copy(from, place.join(file))?;
        }
    }
    Ok(())
}

/// Links to what is in a folder of the user's home; what cannot be linked is missing.
fn fill(home: &Home, folder: &Path, place: &Path) {
    for entry in fs::read_dir(home.from.join(folder)).into_iter().flatten().flatten() {
        let path = folder.join(entry.file_name());
        let is_cache = path == Path::new(CACHE);
        if !is_cache && !home.own.contains(&path) && !home.copied.contains(&path) {
            let _ = symlink(entry.path(), place.join(path));
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
            make(&home, &at("home"), &at("cache")).expect("a home");
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
