//! The lines of a journal and their format.

use blake3::Hash;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use serde_json::Value;

/// The version of the format. Other versions are rejected.
pub(super) const FORMAT: u32 = 1;

/// The start of the checksum, which is the last field of each line.
const SUM: &[u8] = b",\"sum\":\"";
/// The number of hexadecimal digits of a checksum.
const SUM_DIGITS: usize = 8;

/// A line: a JSON object with one field, whose name is the kind of the line, and on disk a checksum.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Line {
    /// The header, which is always the first line.
    Header(Header),
    /// The facts learned from the initial runs of the oracle.
    Baseline(Value),
    /// The verdict of the oracle on a candidate.
    Verdict(#[serde(with = "hex")] Hash, char),
    /// A new current best.
    Step(JournalStep),
    /// The steps from this number on are invalid.
    Undone(usize),
    /// The earlier verdicts of this code are invalid.
    Forgotten(char),
    /// The earlier verdicts on this candidate are invalid.
    Doubted(#[serde(with = "hex")] Hash),
    /// The run has ended.
    End(End),
}

pub(super) struct ReadLine {
    pub line: Line,
    /// It has a checksum, which is correct.
    pub is_checked: bool,
}

impl Line {
    /// Returns the bytes of the line with its checksum and a newline.
    pub(super) fn write(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(self).map(seal)
    }

    /// Parses a line; returns `None` if it is damaged. Lines without a checksum, from earlier versions, are accepted.
    pub(super) fn read(bytes: &[u8]) -> Option<ReadLine> {
        let bytes = bytes.strip_suffix(b"\n")?;
        let sealed = bytes.len().checked_sub(SUM.len() + SUM_DIGITS + 2);
        let sealed = sealed.filter(|&at| bytes[at..].starts_with(SUM));
        let Some(at) = sealed else {
            return Some(ReadLine { line: serde_json::from_slice(bytes).ok()?, is_checked: false });
        };
        let text = [&bytes[..at], b"}"].concat();
        if seal(text.clone()) != [bytes, b"\n"].concat() {
            return None;
        }
        Some(ReadLine { line: serde_json::from_slice(&text).ok()?, is_checked: true })
    }
}

/// Appends the checksum to a JSON object as its last field, and a newline.
pub(super) fn seal(mut text: Vec<u8>) -> Vec<u8> {
    let sum = blake3::hash(&text).to_hex();
    text.pop();
    text.extend_from_slice(SUM);
    text.extend_from_slice(&sum.as_bytes()[..SUM_DIGITS]);
    text.extend_from_slice(b"\"}\n");
    text
}

/// The run and the input to which a journal belongs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    format: u32,
    /// The version of the program that created the journal.
    pub program: String,
    /// The name of the input.
    pub name: Latin1,
    /// The hash of the input.
    #[serde(with = "hex")]
    pub input: Hash,
    /// Data of the caller.
    pub settings: Value,
}

impl Header {
    /// Creates the header of a new journal.
    #[must_use]
    pub fn new(name: &[u8], input: &[u8], settings: Value) -> Self {
        let program = env!("CARGO_PKG_VERSION").to_owned();
        Self { format: FORMAT, program, name: Latin1(name.into()), input: blake3::hash(input), settings }
    }

    /// Returns whether this version supports the format.
    pub(super) fn is_known(&self) -> bool {
        self.format == FORMAT
    }
}

/// A new current best, and the edits from the previous one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "struct Step")]
pub struct JournalStep {
    /// The number of the step, from 1.
    pub number: usize,
    /// The pass that found it.
    pub pass: String,
    /// The number of tokens.
    pub tokens: usize,
    /// The number of bytes.
    pub bytes: usize,
    /// The number of lines.
    pub lines: usize,
    /// The edits to the previous step, as start, end and replacement. The byte spans are sorted and disjoint.
    pub edits: Vec<(u32, u32, Latin1)>,
    /// The hash of the bytes.
    #[serde(with = "hex")]
    pub hash: Hash,
}

impl JournalStep {
    /// Returns the length after this step, from the length before; `None` if the edits do not fit.
    pub(super) fn length(&self, before: u64) -> Option<u64> {
        let (mut length, mut done) = (before, 0);
        for (start, end, text) in &self.edits {
            if *start < done || end < start || u64::from(*end) > before {
                return None;
            }
            done = *end;
            length = length - u64::from(end - start) + text.0.len() as u64;
        }
        Some(length)
    }

    /// Applies the step to the previous content; returns `None` if the edits do not fit.
    #[must_use]
    pub fn apply(&self, before: &[u8]) -> Option<Vec<u8>> {
        let mut after = Vec::with_capacity(before.len());
        let mut done = 0;
        for (start, end, text) in &self.edits {
            let (start, end) = (*start as usize, *end as usize);
            after.extend_from_slice(before.get(done..start)?);
            after.extend_from_slice(&text.0);
            done = (end >= start).then_some(end)?;
        }
        after.extend_from_slice(before.get(done..)?);
        Some(after)
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// The search finished.
    Finished,
    /// The run was stopped.
    Interrupted,
    /// The run failed.
    Failed,
}

/// Bytes stored as a string with one character per byte (Latin-1), so that any bytes are preserved and text stays
/// readable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Latin1(pub Box<[u8]>);

impl From<&[u8]> for Latin1 {
    fn from(bytes: &[u8]) -> Self {
        Self(bytes.into())
    }
}

impl Serialize for Latin1 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0.iter().map(|&byte| char::from(byte)).collect::<String>())
    }
}

impl<'de> Deserialize<'de> for Latin1 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes: Result<Vec<u8>, _> = text.chars().map(u8::try_from).collect();
        bytes.map(|bytes| Self(bytes.into())).map_err(D::Error::custom)
    }
}

/// Serialises hashes as hexadecimal digits.
mod hex {
    use super::{Deserialize, Deserializer, Error, Hash, Serializer};

    pub fn serialize<S: Serializer>(hash: &Hash, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(hash.to_hex().as_str())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Hash, D::Error> {
        Hash::from_hex(String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_come_back_from_their_string(bytes: Vec<u8>) {
            let written = serde_json::to_string(&Latin1(bytes.clone().into())).expect("a string");
            prop_assert!(!written.contains('\n'), "a line stays a line");
            let read: Latin1 = serde_json::from_str(&written).expect("bytes");
            prop_assert_eq!(read.0.to_vec(), bytes);
        }
    }

    #[test]
    fn a_string_that_was_not_made_of_bytes_is_refused() {
        assert!(serde_json::from_str::<Latin1>("\"\u{2026}\"").is_err());
    }

    #[test]
    fn a_step_is_made_of_the_best_before_it_or_not_at_all() {
        let edits = |edits: &[(u32, u32, &str)]| JournalStep {
            number: 1,
            pass: "delete-nodes".to_owned(),
            tokens: 0,
            bytes: 0,
            lines: 0,
            edits: edits.iter().map(|&(start, end, text)| (start, end, text.as_bytes().into())).collect(),
            hash: blake3::hash(b""),
        };
        let made = |list: &[(u32, u32, &str)]| edits(list).apply(b"0123456789");
        assert_eq!(made(&[(0, 2, ""), (4, 5, "xy"), (9, 10, "")]).as_deref(), Some(b"23xy5678".as_slice()));
        assert_eq!(made(&[]).as_deref(), Some(b"0123456789".as_slice()));
        for wrong in [[(4, 2, "")].as_slice(), &[(9, 11, "")], &[(4, 6, ""), (5, 7, "")], &[(11, 11, "x")]] {
            assert_eq!(made(wrong), None, "{wrong:?}");
        }
    }
}
