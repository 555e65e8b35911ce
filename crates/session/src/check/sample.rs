//! Creates candidates that an oracle should reject, or that show what it depends on.

use crate::text;
use nubbin_archive::{self as archive, Item, Type};
use nubbin_language::Language;
use std::ffi::OsStr;

/// Bytes that are not text in any language.
const GARBAGE: &[u8] = b"\x01\xff\xfe%]q~\x80 7^w)\x00 @`\\\x9cz\"{ k'8[\xc3(=#\n";
/// Texts that cause a syntax error if they are added without their counterpart.
const UNMATCHED: [&str; 4] = [")", "}", "]", "\""];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleKind {
    Empty,
    Blank,
    Comments,
    Garbage,
    SyntaxError,
    Words,
    FirstHalf,
    SecondHalf,
}

impl SampleKind {
    /// Returns whether the candidate contains none of the input's text that could fail.
    pub fn is_nothing(self) -> bool {
        matches!(self, Self::Empty | Self::Blank | Self::Garbage | Self::Comments)
    }
}

#[derive(Clone, Debug)]
pub struct Sample {
    pub kind: SampleKind,
    /// A description of the candidate, as part of a sentence.
    pub what: String,
    pub bytes: Vec<u8>,
    /// A shell command that makes the candidate of `FROM` as `TO`; both are already quoted.
    make: Option<String>,
}

impl Sample {
    /// Returns a shell command that creates the candidate at `to` from the input at `from`, if there is a short one.
    pub fn make(&self, from: &str, to: &str) -> Option<String> {
        let make = self.make.as_ref()?;
        let words: Vec<&str> = make
            .split(' ')
            .map(|word| {
                if word == "FROM" {
                    from
                } else if word == "TO" {
                    to
                } else {
                    word
                }
            })
            .collect();
        Some(words.join(" "))
    }
}

/// Returns the samples of a file or an archive.
pub fn of(input: &[u8], is_archive: bool, language: Option<&Language>) -> Vec<Sample> {
    let kind = archive::kind(input).filter(|_| is_archive);
    kind.map_or_else(|| samples(input, language), |kind| of_archive(input, kind))
}

fn samples(input: &[u8], language: Option<&Language>) -> Vec<Sample> {
    let mut all = vec![
        sample(SampleKind::Empty, "the empty file", Vec::new(), Some(": > TO")),
        sample(SampleKind::Blank, "a blank line", b"\n".to_vec(), Some("echo > TO")),
    ];
    let garbage: Vec<String> = GARBAGE.iter().map(|byte| format!("\\{byte:03o}")).collect();
    let make = format!("printf '{}' > TO", garbage.concat());
    all.push(sample(SampleKind::Garbage, "random bytes", GARBAGE.to_vec(), Some(&make)));
    all.extend(language.and_then(|language| comments(input, language)));
    all.extend(language.and_then(|language| syntax_error(input, language)));
    all.extend(words(input));
    all.extend(halves(input));
    all.retain(|sample| sample.bytes != input);
    all
}

/// Returns the smallest candidate: an empty file, an empty directory, or the named files, all empty.
pub fn nothing(input: &[u8], is_archive: bool) -> Vec<u8> {
    match archive::kind(input).filter(|_| is_archive) {
        None => Vec::new(),
        Some(archive::ArchiveKind::Folder) => archive::pack(archive::ArchiveKind::Folder, &[]),
        Some(kind) => archive::pack(kind, &filled(input, |_| Vec::new())),
    }
}

fn of_archive(input: &[u8], kind: archive::ArchiveKind) -> Vec<Sample> {
    let pack = |items: &[Item]| archive::pack(kind, items);
    let nothing = nothing(input, true);
    let is_folder = kind == archive::ArchiveKind::Folder;
    let empty = if is_folder { "the empty directory" } else { "its files emptied" };
    let mut all = vec![sample(SampleKind::Empty, empty, nothing, None)];
    if is_folder {
        let blank = pack(&filled(input, |_| Vec::new()));
        all.push(sample(SampleKind::Blank, "its files emptied", blank, None));
    }
    let garbage = pack(&filled(input, |_| GARBAGE.to_vec()));
    all.push(sample(SampleKind::Garbage, "random bytes in each of its files", garbage, None));
    let count = filled(input, <[u8]>::to_vec).iter().filter(|item| item.kind == Type::File).count();
    for (kind, what, kept) in [
        (SampleKind::FirstHalf, "the first half of its files with the others empty", 0..count / 2),
        (SampleKind::SecondHalf, "the second half of its files with the others empty", count / 2..count),
    ] {
        let mut number = 0..;
        let half = |content: &[u8]| {
            let is_kept = number.next().is_some_and(|number| kept.contains(&number));
            if is_kept { content.to_vec() } else { Vec::new() }
        };
        if count > 1 {
            all.push(sample(kind, what, pack(&filled(input, half)), None));
        }
    }
    all.retain(|sample| sample.bytes != input);
    all
}

/// Returns the entries of an archive with replaced file contents.
fn filled(input: &[u8], mut content: impl FnMut(&[u8]) -> Vec<u8>) -> Vec<Item> {
    let entries = archive::entries(input).into_iter();
    let item = |entry: archive::Entry| {
        let own = entry.content_in(input);
        let content = if entry.kind == Type::File { content(own) } else { own.to_vec() };
        Item { path: entry.path.clone(), kind: entry.kind, mode: entry.mode, content }
    };
    entries.map(item).collect()
}

fn sample(kind: SampleKind, what: &str, bytes: Vec<u8>, make: Option<&str>) -> Sample {
    Sample { kind, what: what.to_owned(), bytes, make: make.map(str::to_owned) }
}

fn comments(input: &[u8], language: &Language) -> Option<Sample> {
    let spans = language.comments(input);
    let lines: Vec<&[u8]> = spans.iter().map(|span| span.of(input)).collect();
    let text = [lines.join(&b"\n"[..]), b"\n".to_vec()].concat();
    (!lines.is_empty()).then(|| sample(SampleKind::Comments, "its comments alone", text, None))
}

/// Returns the input with an unmatched bracket in front, if it has no syntax error so far.
fn syntax_error(input: &[u8], language: &Language) -> Option<Sample> {
    let before = language.errors(input);
    UNMATCHED.into_iter().find_map(|bracket| {
        let text = [bracket.as_bytes(), b"\n", input].concat();
        let make = format!("{{ echo {}; cat FROM ; }} > TO", text::quote(OsStr::new(bracket)));
        let what = format!("the input with an unmatched `{bracket}` in front, a syntax error");
        (before == 0 && language.errors(&text) > 0)
            .then(|| sample(SampleKind::SyntaxError, &what, text, Some(&make)))
    })
}

fn words(input: &[u8]) -> Option<Sample> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let words: Vec<&[u8]> = input.split(|byte| !is_word(byte)).filter(|word| !word.is_empty()).collect();
    let make = "LC_ALL=C tr -cs '[:alnum:]_' '[ *]' < FROM > TO";
    let is_more = input.iter().any(|byte| !is_word(byte) && !byte.is_ascii_whitespace());
    is_more.then(|| {
        sample(
            SampleKind::Words,
            "its words without the punctuation between them",
            words.join(&b' '),
            Some(make),
        )
    })
}

/// Returns the two halves, by lines or else by bytes.
fn halves(input: &[u8]) -> Vec<Sample> {
    let lines: Vec<&[u8]> = input.split_inclusive(|&byte| byte == b'\n').collect();
    if lines.len() < 2 {
        return Vec::new();
    }
    let (first, second) = lines.split_at(lines.len() / 2);
    let makes =
        [format!("head -n {} FROM > TO", first.len()), format!("tail -n +{} FROM > TO", first.len() + 1)];
    vec![
        sample(SampleKind::FirstHalf, "its first half", first.concat(), Some(&makes[0])),
        sample(SampleKind::SecondHalf, "its second half", second.concat(), Some(&makes[1])),
    ]
}
