//! The word by which a test says that it has got ready and waits for its candidate: a small script that each warden
//! puts on the `PATH` of its probes.
//!
//! It says so by a line to a pipe, and waits until somebody opens the other one to write. Where there are no pipes, the
//! candidate is there already. It starts nothing.

use nubbin_archive::disk::Directory;
use rustix::fs::{FileType, Mode, OFlags};
use std::fs::File;
use std::io;
use std::path::Path;

/// The word, which is the name of the script.
pub(crate) const WORD: &str = "nubbin-wait";
/// The variable with the script's path, where it waits: a program of that name elsewhere on the `PATH` runs it.
pub(crate) const VARIABLE: &str = "NUBBIN_WAIT";
/// The script. The pipes lie beside it.
pub(crate) const SCRIPT: &str = include_str!("wait.sh");
/// The name of the pipe that takes a line from each process that waits.
const WAITS: &str = "waits";
/// The name of the pipe that can be opened once the candidate is there.
const GO: &str = "go";

/// Tells whether nothing has been put beside the script and the pipes.
pub(crate) fn is_untouched(place: &Directory) -> bool {
    place.names().is_ok_and(|names| names.iter().all(|name| [WORD, WAITS, GO].iter().any(|own| name == *own)))
}

/// Makes the pipes beside the script, and opens the one that can be read once a process waits.
pub(crate) fn make_pipes(place: &Directory) -> io::Result<File> {
    for name in [WAITS, GO] {
        rustix::fs::mknodat(place, name, FileType::Fifo, Mode::RWXU, 0)?;
    }
    open(place, WAITS)
}

/// Lets go whoever waits, or will say so, until what is returned is dropped.
pub(crate) fn let_go(place: &Directory) -> io::Result<File> {
    open(place, GO)
}

/// Opens a pipe for both directions, so that nobody who opens it for one of them has to wait.
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
