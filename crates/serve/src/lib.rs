//! Ready-made test servers: the words of a command become those of a server that loads the same program once.
//!
//! The programs of the servers, and the library for Node, are in this crate as text, and handed over as an argument, so
//! nothing has to be installed. It starts no processes; the only files that it looks at are the first lines of programs.

mod java;
mod node;
mod program;
mod python;

pub use java::{JAVA_COMPILER, JavaCommand};

use std::ffi::OsString;
use std::path::Path;

/// Returns the words of a server that runs the command of these words, if a server for it is known. `is_candidate`
/// tells whether a word stands for the candidate, which is another program each time.
///
/// ```
/// let words = ["python3", "-m", "json.tool", "{}"].map(Into::into);
/// assert!(nubbin_serve::of_command(&words, |word| word == "{}").is_some());
/// let words = ["python3", "{}"].map(Into::into);
/// assert!(nubbin_serve::of_command(&words, |word| word == "{}").is_none());
/// ```
#[must_use]
pub fn of_command(words: &[OsString], is_candidate: impl Fn(&OsString) -> bool) -> Option<Vec<OsString>> {
    python::of_command(words, &is_candidate).or_else(|| node::of_command(words, &is_candidate))
}

/// Returns the words of a server in which `python3 -m nubbin.serve` stands for the server of this crate, which then
/// need not be installed; any other words as they are.
#[must_use]
pub fn own(words: Vec<OsString>) -> Vec<OsString> {
    python::own(words)
}

/// The name of a program, without its directory.
fn name(word: &OsString) -> &str {
    Path::new(word).file_name().and_then(|name| name.to_str()).unwrap_or_default()
}
