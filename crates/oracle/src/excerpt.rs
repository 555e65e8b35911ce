//! Selects the parts of an output in which messages are searched: the beginning, the end, and the lines in
//! between that can describe a failure.

use crate::signature::Reader;
use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// The number of bytes kept at the beginning of an output, and again at its end.
pub const PART: usize = 64 << 10;
/// The maximum number of bytes kept of the lines in between.
const BETWEEN: usize = 64 << 10;
/// The number of lines kept below a line that can describe a failure: they can hold its stack trace.
const BELOW: usize = 24;
/// The maximum number of bytes searched between the beginning and the end.
const LOOKED_AT: u64 = 64 << 20;
/// The number of bytes read at a time.
const CHUNK: usize = 1 << 20;

/// Reads the excerpt of a file with `length` bytes.
pub fn read(file: &File, length: u64, reader: &Reader) -> io::Result<Vec<u8>> {
    let at = |from: u64, to: u64| {
        let mut bytes = vec![0; (to - from) as usize];
        file.read_exact_at(&mut bytes, from).map(|()| bytes)
    };
    let part = PART as u64;
    if length <= 2 * part {
        return at(0, length);
    }
    let (mut excerpt, tail) = (at(0, part)?, at(length - part, length)?);
    let end = (length - part).min(part + LOOKED_AT);
    let mut between = Between::new(reader);
    let mut from = part;
    while from < end && !between.is_full() {
        let to = end.min(from + CHUNK as u64);
        between.take(&at(from, to)?);
        from = to;
    }
    join(&mut excerpt, &between.kept(), length as usize, &tail);
    Ok(excerpt)
}

/// Returns the excerpt of an output.
#[must_use]
pub fn of<'o>(output: &'o [u8], reader: &Reader) -> Cow<'o, [u8]> {
    if output.len() <= 2 * PART + BETWEEN {
        return Cow::Borrowed(output);
    }
    let (head, rest) = output.split_at(PART);
    let (middle, tail) = rest.split_at(rest.len() - PART);
    let mut between = Between::new(reader);
    for chunk in middle.chunks(CHUNK).take(LOOKED_AT as usize / CHUNK) {
        between.take(chunk);
    }
    let mut excerpt = head.to_vec();
    join(&mut excerpt, &between.kept(), output.len(), tail);
    Cow::Owned(excerpt)
}

/// Appends the kept middle lines and the end to the beginning. A marker line shows that bytes are missing, so
/// that no stack trace continues across the gap.
fn join(excerpt: &mut Vec<u8>, between: &[u8], length: usize, tail: &[u8]) {
    let missing = length - excerpt.len() - between.len() - tail.len();
    excerpt.extend_from_slice(format!("\n[{missing} bytes are left out here]\n").as_bytes());
    if !between.is_empty() {
        excerpt.extend_from_slice(between);
        excerpt.extend_from_slice(b"\n[and here]\n");
    }
    excerpt.extend_from_slice(tail);
}

/// The kept lines between the beginning and the end.
struct Between<'r> {
    reader: &'r Reader,
    kept: Vec<u8>,
    /// The beginning of a line whose end has not been read.
    begun: Vec<u8>,
    /// The number of following lines that are still kept.
    below: usize,
}

impl<'r> Between<'r> {
    fn new(reader: &'r Reader) -> Self {
        Self { reader, kept: Vec::new(), begun: Vec::new(), below: 0 }
    }

    fn is_full(&self) -> bool {
        self.kept.len() >= BETWEEN
    }

    /// Reads the next chunk.
    fn take(&mut self, bytes: &[u8]) {
        let mut text = std::mem::take(&mut self.begun);
        text.extend_from_slice(bytes);
        let end = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        // Longer lines are ignored.
        if end == 0 && text.len() > CHUNK {
            return;
        }
        self.begun = text.split_off(end);
        if self.below == 0 && !self.reader.may_tell(&text) {
            return;
        }
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            if self.is_full() {
                return;
            }
            if self.reader.is_telling(line) {
                self.below = BELOW + 1;
            }
            if self.below > 0 {
                self.below -= 1;
                let room = BETWEEN - self.kept.len();
                self.kept.extend_from_slice(&line[..line.len().min(room)]);
            }
        }
    }

    fn kept(&mut self) -> Vec<u8> {
        let last = std::mem::take(&mut self.begun);
        if !self.is_full() && (self.below > 0 || self.reader.is_telling(&last)) {
            let room = BETWEEN - self.kept.len();
            self.kept.extend_from_slice(&last[..last.len().min(room)]);
        }
        std::mem::take(&mut self.kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::Forms;
    use std::io::Write;

    fn filler(bytes: usize) -> String {
        "the next row is fine\n".repeat(bytes / 21)
    }

    fn written(output: &str) -> Vec<u8> {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(output.as_bytes()).expect("there is room");
        read(&file, output.len() as u64, &Reader::default()).expect("it can be read")
    }

    #[test]
    fn a_short_output_is_kept_whole() {
        let output = filler(2 * PART);
        assert_eq!(written(&output), output.as_bytes());
        assert_eq!(of(output.as_bytes(), &Reader::default()), output.as_bytes());
    }

    #[test]
    fn of_a_long_output_beginning_end_and_telling_lines_are_kept() {
        let failure = "frob: src/a.c:12: walk: Assertion `n > 0' failed.\n";
        for (before, after) in [(0, 900_000), (900_000, 0), (900_000, 3_000_000), (2_200_000, 900_000)] {
            let output = format!("first\n{}{failure}{}last\n", filler(before), filler(after));
            for excerpt in [written(&output), of(output.as_bytes(), &Reader::default()).into_owned()] {
                let text = String::from_utf8(excerpt).expect("text");
                assert!(text.starts_with("first\n") && text.ends_with("last\n") && text.contains(failure));
                assert!(text.len() < 3 * PART + BETWEEN, "{}", text.len());
                assert!(text.contains(" bytes are left out here]\n"));
            }
        }
    }

    #[test]
    fn telling_lines_are_kept_up_to_a_bound_and_those_of_added_forms_as_well() {
        let output = filler(200_000) + &"assertion failed: x\n".repeat(100_000) + &filler(200_000);
        assert!(written(&output).len() < 2 * PART + BETWEEN + 200);
        let forms = Forms::new("[[signature]]\nkind = 'panic'\npattern = 'oops: .*$'\n").expect("a form");
        let reader = Reader::default().with(&forms);
        let output = filler(200_000) + "oops: gone\n" + &filler(200_000);
        let has = |excerpt: &[u8]| String::from_utf8_lossy(excerpt).contains("oops: gone");
        assert!(has(&of(output.as_bytes(), &reader)) && !has(&of(output.as_bytes(), &Reader::default())));
    }
}
