//! Ready-made test servers: converts a command to the command of a server that loads the same program once,
//! and runs it for many candidates.
//!
//! - [`of_command`] supports programs in Python and Node; [`JavaCommand`] supports `java` and `javac`.
//! - A command without a suitable server yields `None`; there are no errors.
//!
//! The servers and the library for Node are included in this crate as text and passed as arguments, so
//! nothing must be installed. The crate starts no processes, and reads only the first lines of programs.

mod java;
mod node;
mod program;
mod python;

pub use java::{JAVA_COMPILER, JavaCommand};

use std::ffi::OsString;
use std::path::Path;

/// Returns the arguments of a server that runs this command, if a server for it is known. `is_candidate`
/// returns whether an argument is the path of the candidate; a candidate that is itself the program cannot be
/// loaded once.
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

/// Replaces `python3 -m nubbin.serve` by the server that is included in this crate, so that the module need
/// not be installed. Other commands are returned unchanged.
#[must_use]
pub fn own(words: Vec<OsString>) -> Vec<OsString> {
    python::own(words)
}

/// Returns the name of a program, without its directory.
fn name(word: &OsString) -> &str {
    Path::new(word).file_name().and_then(|name| name.to_str()).unwrap_or_default()
}
