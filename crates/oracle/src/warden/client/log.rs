//! Log files of the user that a test appends to. A probe sees a copy of each; text that it appends to the
//! copy is appended to the real file. Other changes to the copy have no effect.
//!
//! The copies are mounted by `view`; without a mount namespace, probes use the real files.

use crate::work_directory::Root;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// For files larger than this, in bytes, the copy starts empty.
const LARGEST: u64 = 16 << 20;

/// A log file and its copy for probes.
#[derive(Debug)]
pub(super) struct Log {
    /// The user's file, opened for appending.
    file: File,
    copy: File,
    /// The copy holds the bytes of the file from this offset …
    start: u64,
    /// … up to this offset.
    end: u64,
}

impl Log {
    /// Opens the file at `path` and the copy with this number; `None` if the file cannot be appended to.
    ///
    /// # Errors
    /// Returns an error if the copy cannot be opened.
    pub fn open(path: &Path, root: &Root, number: usize) -> io::Result<Option<Self>> {
        let copy = root.log(number)?;
        let file = File::options().read(true).append(true).open(path).ok();
        Ok(file.map(|file| Self { file, copy, start: 0, end: 0 }))
    }

    /// Updates the copy from the file before a probe.
    pub fn refresh(&mut self) -> io::Result<()> {
        let length = self.file.metadata()?.len();
        let is_as_left = self.copy.metadata()?.len() == self.end - self.start && length >= self.end;
        if !is_as_left || self.end == 0 {
            self.copy.set_len(0)?;
            self.start = if length > LARGEST { length } else { 0 };
            self.end = self.start;
        }
        if length > self.end {
            copy(&self.file, self.end, length, &self.copy)?;
            self.end = length;
        }
        Ok(())
    }

    /// Appends the additions of a probe to the file.
    pub fn pass_on(&mut self) -> io::Result<()> {
        let (known, length) = (self.end - self.start, self.copy.metadata()?.len());
        if length > known {
            copy(&self.copy, known, length, &self.file)?;
            self.copy.set_len(known)?;
        }
        Ok(())
    }
}

/// Appends the bytes from `start` to `end` of one file to another.
fn copy(from: &File, start: u64, end: u64, mut to: &File) -> io::Result<()> {
    let (mut at, mut bytes) = (start, vec![0; 64 << 10]);
    while at < end {
        let most = bytes.len().min(usize::try_from(end - at).unwrap_or(usize::MAX));
        match from.read_at(&mut bytes[..most], at)? {
            0 => break,
            length => {
                to.write_all(&bytes[..length])?;
                at += length as u64;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work_directory::Paths;
    use std::fs;

    #[test]
    fn only_what_is_added_to_a_copy_reaches_the_file() {
        let place = tempfile::tempdir().expect("a directory");
        let root = Root::make(Paths::plan(place.path())).expect("made");
        root.make_logs(1).expect("made");
        let path = place.path().join("log");
        fs::write(&path, "one\n").expect("written");
        let mut log = Log::open(&path, &root, 0).expect("opened").expect("it may be appended to");
        let copy = root.paths().log(0);
        let read = |path: &Path| fs::read_to_string(path).expect("it is there");
        let append = |path: &Path, text: &str| {
            File::options().append(true).open(path).and_then(|mut file| file.write_all(text.as_bytes()))
        };

        log.refresh().expect("copied");
        assert_eq!(read(&copy), "one\n");
        append(&copy, "two\n").expect("appended");
        log.pass_on().expect("passed on");
        append(&path, "of another probe\n").expect("appended");
        log.refresh().expect("copied");
        assert_eq!((read(&path), read(&copy)), (read(&copy), "one\ntwo\nof another probe\n".to_owned()));

        fs::write(&copy, "").expect("emptied");
        log.pass_on().expect("nothing is passed on");
        log.refresh().expect("copied");
        assert_eq!(read(&copy), "one\ntwo\nof another probe\n");

        fs::write(&copy, read(&path).replace("one", "ONE") + "three\n").expect("overwritten");
        log.pass_on().expect("passed on");
        assert_eq!(read(&path), "one\ntwo\nof another probe\nthree\n");
    }
}
