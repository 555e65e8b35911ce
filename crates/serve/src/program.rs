//! Finds the file of a program, and the interpreter in its `#!` line.

use crate::name;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// Tuned constants.
struct Tuning {
    /// The number of bytes of a program that are read to find its `#!` line.
    head_bytes: u64,
}

const TUNING: Tuning = Tuning { head_bytes: 512 };

/// Returns the file of a program. A name with a slash is a path; other names are searched in `PATH`.
pub(crate) fn found(program: &Path) -> Option<PathBuf> {
    if program.as_os_str().as_bytes().contains(&b'/') {
        return Some(program.to_owned());
    }
    let paths = std::env::var_os("PATH")?;
    std::env::split_paths(OsStr::new(&paths))
        .map(|directory| directory.join(program))
        .find(|path| path.is_file())
}

/// Returns the interpreter and its arguments from the `#!` line of a program, without `env`.
pub(crate) fn interpreter(program: &Path) -> Option<Vec<OsString>> {
    let head = head(program)?;
    let line = head.strip_prefix(b"#!")?;
    let line = &line[..line.iter().position(|&byte| byte == b'\n')?];
    let mut words: Vec<OsString> = line
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
        .map(|word| OsString::from_vec(word.to_vec()))
        .collect();
    if name(words.first()?) == "env" {
        words.remove(0);
        if words.first().is_some_and(|word| word == "-S") {
            words.remove(0);
        }
    }
    Some(words)
}

/// Returns the first bytes of a program.
pub(crate) fn head(program: &Path) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    File::open(program).ok()?.take(TUNING.head_bytes).read_to_end(&mut head).ok()?;
    Some(head)
}
