//! The names of results and of what stands beside them.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The number of bytes that a file's name may have.
const LONGEST: usize = 255;

/// Returns the first of `path`, `path.1`, `path.2`, … that is free.
///
/// # Panics
/// Never: there are fewer files than numbers.
#[must_use]
pub fn free_name(path: &Path) -> PathBuf {
    let numbered = |number: u64| with_suffix(path, format!(".{number}").as_ref());
    let mut names = std::iter::once(path.to_owned()).chain((1..).map(numbered));
    names.find(|name| fs::symlink_metadata(name).is_err()).expect("there are fewer files than numbers")
}

/// Returns the name that the reduced input gets: `.reduced` between stem and extension, in the same directory.
#[must_use]
pub fn reduced_name(input: &Path) -> PathBuf {
    named(input, ".reduced")
}

/// Returns a path with a word between stem and extension.
#[must_use]
pub fn named(path: &Path, word: &str) -> PathBuf {
    let mut suffix = OsString::from(word);
    if let Some(extension) = path.extension() {
        suffix.push(".");
        suffix.push(extension);
    }
    with_suffix(&path.with_file_name(path.file_stem().unwrap_or_default()), &suffix)
}

/// Returns a path with something behind its name, of which as much is left as a name may be long. A character is not cut.
pub(in crate::input) fn with_suffix(path: &Path, suffix: &OsStr) -> PathBuf {
    let name = path.file_name().unwrap_or_default();
    let mut fitted = fitted(name, LONGEST.saturating_sub(suffix.len())).to_owned();
    fitted.push(suffix);
    path.with_file_name(fitted)
}

/// Returns so many bytes of a name at most. A character is not cut.
pub(in crate::input) fn fitted(name: &OsStr, most: usize) -> &OsStr {
    let bytes = name.as_bytes();
    let is_start = |at: &usize| bytes.get(*at).is_none_or(|byte| byte & 0xc0 != 0x80);
    let end = (0..=bytes.len().min(most)).rev().find(is_start).unwrap_or(0);
    OsStr::from_bytes(&bytes[..end])
}
