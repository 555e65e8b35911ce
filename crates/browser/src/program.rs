//! Finds a browser if none is specified.

use crate::browser::Kind;
use std::path::{Path, PathBuf};

/// The names of browsers in order of preference.
pub const BROWSERS: [&str; 6] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "firefox", "firefox-esr"];

/// Returns the option with which a browser can be tried by hand, in addition to `--headless`.
#[must_use]
pub fn debugging(words: &[String]) -> &'static str {
    match Kind::of(words) {
        Kind::Chromium => "--remote-debugging-pipe",
        Kind::Firefox => "--remote-debugging-port=0",
    }
}

/// Returns the first of the browsers that exists in these directories.
#[must_use]
pub fn find(directories: impl IntoIterator<Item = PathBuf>) -> Option<&'static str> {
    let directories: Vec<PathBuf> = directories.into_iter().collect();
    let is_there = |name: &&&str| directories.iter().any(|directory| is_program(&directory.join(name)));
    BROWSERS.iter().find(is_there).copied()
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_first_one_that_is_there_is_taken() {
        let folder = tempfile::tempdir().expect("a directory");
        let directories = || [folder.path().to_owned()];
        assert_eq!(find(directories()), None);
        for (name, mode) in [("google-chrome", 0o755), ("chromium", 0o644)] {
            let path = folder.path().join(name);
            std::fs::write(&path, "").expect("a file");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("permissions");
        }
        assert_eq!(find(directories()), Some("google-chrome"));
    }
}
