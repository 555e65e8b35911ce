//! Names of results and of other files next to them.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The longest file name in bytes.
const LONGEST: usize = 255;

/// Returns the first of `path`, `path.1`, `path.2`, … that does not exist.
///
/// # Panics
/// Never panics: there are fewer files than numbers.
#[must_use]
pub fn free_name(path: &Path) -> PathBuf {
    let numbered = |number: u64| with_suffix(path, format!(".{number}").as_ref());
    let mut names = std::iter::once(path.to_owned()).chain((1..).map(numbered));
    names.find(|name| fs::symlink_metadata(name).is_err()).expect("there are fewer files than numbers")
}

/// Returns the default path of the result: the input's with `.reduced` between stem and extension.
#[must_use]
pub fn reduced_name(input: &Path) -> PathBuf {
    named(input, ".reduced")
}

/// Returns a path with `word` between stem and extension.
#[must_use]
pub fn named(path: &Path, word: &str) -> PathBuf {
    let mut suffix = OsString::from(word);
    if let Some(extension) = path.extension() {
        suffix.push(".");
        suffix.push(extension);
    }
    with_suffix(&path.with_file_name(path.file_stem().unwrap_or_default()), &suffix)
}

/// Appends `suffix` to the name of a path. The name is shortened at a character boundary if necessary.
pub(in crate::input) fn with_suffix(path: &Path, suffix: &OsStr) -> PathBuf {
    let name = path.file_name().unwrap_or_default();
    let mut fitted = fitted(name, LONGEST.saturating_sub(suffix.len())).to_owned();
    fitted.push(suffix);
    path.with_file_name(fitted)
}

/// Returns at most `most` bytes of a name, cut at a character boundary.
pub(in crate::input) fn fitted(name: &OsStr, most: usize) -> &OsStr {
    let bytes = name.as_bytes();
    let is_start = |at: &usize| bytes.get(*at).is_none_or(|byte| byte & 0xc0 != 0x80);
    let end = (0..=bytes.len().min(most)).rev().find(is_start).unwrap_or(0);
    OsStr::from_bytes(&bytes[..end])
}
