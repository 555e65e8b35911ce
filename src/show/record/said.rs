//! Keeps the outputs of rejected candidates next to the journal, for the report of a resumed run.
//!
//! The file contains no candidate. Without it, a report has fewer reasons.

use super::runs::Said;
use nubbin_session::Ends;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// The name of the file in the folder of the journal.
const NAME: &str = "said";
/// The longest time that a line is buffered if other lines follow it.
const PAUSE: Duration = Duration::from_millis(200);

/// A line of the file.
#[derive(Serialize, Deserialize)]
struct Entry {
    /// The blake3 hash of the candidate.
    name: String,
    ends: Ends,
    line: Option<String>,
}

/// The outputs, by the hash of the candidate.
#[derive(Debug)]
pub struct Book {
    known: HashMap<blake3::Hash, Said>,
    /// The file; `None` after a failed write.
    out: Option<BufWriter<File>>,
    flushed: Instant,
}

impl Book {
    /// Opens the book in the folder of a journal. The content of an earlier run is read only if this run resumes it.
    pub fn open(folder: &Path, is_resumed: bool) -> Self {
        let path = folder.join(NAME);
        let mut known = HashMap::new();
        if is_resumed {
            let text = fs::read(&path).unwrap_or_default();
            known.extend(text.split(|&byte| byte == b'\n').filter_map(entry));
        } else {
            let _ = fs::remove_file(&path);
        }
        let out = File::options().append(true).create(true).open(&path).ok().map(BufWriter::new);
        let mut book = Self { known, out, flushed: Instant::now() };
        // The last line of a killed run can be incomplete.
        book.write(|out| out.write_all(b"\n"));
        book
    }

    /// Returns the output for the candidate with this hash.
    pub fn find(&self, name: &blake3::Hash) -> Option<&Said> {
        self.known.get(name)
    }

    /// Adds the output of a candidate.
    pub fn add(&mut self, name: blake3::Hash, said: &Said) {
        let Some(status) = said.status else { return };
        let line = Entry { name: name.to_hex().to_string(), ends: Ends::of(status), line: said.line.clone() };
        self.known.insert(name, said.clone());
        self.write(|out| {
            serde_json::to_writer(&mut *out, &line)?;
            out.write_all(b"\n")
        });
        if self.flushed.elapsed() > PAUSE {
            self.flushed = Instant::now();
            self.write(Write::flush);
        }
    }

    fn write(&mut self, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) {
        if self.out.as_mut().is_some_and(|out| write(out).is_err()) {
            self.out = None;
        }
    }
}

/// Parses a line; returns `None` if it is not valid.
fn entry(line: &[u8]) -> Option<(blake3::Hash, Said)> {
    let Entry { name, ends, line } = serde_json::from_slice(line).ok()?;
    let name = blake3::Hash::from_hex(name).ok()?;
    Some((name, Said { status: Some(ends.status()), line }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nubbin_oracle::Status;

    #[test]
    fn a_resumed_run_knows_all_outputs_except_an_incomplete_line() {
        let folder = tempfile::tempdir().expect("a directory");
        let said =
            |status, line: &str| Said { status: Some(Status::Exit(status)), line: Some(line.to_owned()) };
        let [one, other] = ["one", "other"].map(|text| blake3::hash(text.as_bytes()));
        Book::open(folder.path(), false).add(one, &said(3, "error: one"));
        let path = folder.path().join(NAME);
        let torn = [fs::read(&path).expect("written"), b"{\"name\":\"ab".to_vec()].concat();
        fs::write(&path, torn).expect("written");
        Book::open(folder.path(), true).add(other, &said(4, "other"));
        let book = Book::open(folder.path(), true);
        assert_eq!(book.find(&one), Some(&said(3, "error: one")));
        assert_eq!(book.find(&other), Some(&said(4, "other")));
        assert_eq!(Book::open(folder.path(), false).find(&one), None);
    }
}
