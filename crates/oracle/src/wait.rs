//! The command `nubbin-wait`, by which a test reports that it is ready and waits for its candidate. It is a
//! small script that each warden puts on the `PATH` of its probes.
//!
//! The script writes a line to a pipe, and then waits until another pipe is opened for writing. If there are
//! no pipes, the candidate already exists.

use nubbin_archive::disk::Directory;
use rustix::fs::{FileType, Mode, OFlags};
use std::fs::File;
use std::io;
use std::path::Path;

/// The name of the script.
pub(crate) const WORD: &str = "nubbin-wait";
/// The environment variable with the path of the script. A program of the same name elsewhere on the `PATH`
/// runs it.
pub(crate) const VARIABLE: &str = "NUBBIN_WAIT";
/// The text of the script. The pipes are in the same directory.
pub(crate) const SCRIPT: &str = include_str!("wait.sh");
/// The pipe that receives a line from each waiting process.
const WAITS: &str = "waits";
/// The pipe that can be opened once the candidate exists.
const GO: &str = "go";

/// Returns whether the directory contains only the script and the pipes.
pub(crate) fn is_untouched(place: &Directory) -> bool {
    place.names().is_ok_and(|names| names.iter().all(|name| [WORD, WAITS, GO].iter().any(|own| name == *own)))
}

/// Creates the pipes next to the script, and opens the pipe that becomes readable once a process waits.
pub(crate) fn make_pipes(place: &Directory) -> io::Result<File> {
    for name in [WAITS, GO] {
        rustix::fs::mknodat(place, name, FileType::Fifo, Mode::RWXU, 0)?;
    }
    open(place, WAITS)
}

/// Releases the waiting processes, and those that wait later, until the returned file is dropped.
pub(crate) fn let_go(place: &Directory) -> io::Result<File> {
    open(place, GO)
}

/// Opens a pipe in both directions, so that the other end can be opened without blocking.
fn open(place: &Directory, name: &str) -> io::Result<File> {
    place.open_file(Path::new(name), OFlags::RDWR | OFlags::NONBLOCK, 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_uses_the_pipes_of_these_names() {
        for name in [WAITS, GO] {
            assert!(SCRIPT.contains(&format!("\"$here/{name}\"")), "{name}");
        }
    }
}
