//! A file together with the options of the command that runs on it: an archive of both, which is reduced as one input.
//!
//! In the directory of a probe the archive stands where the file belongs. The helper puts the file in its place before it
//! becomes the command, so that neither the command nor the rest of the session sees anything but the file.

use super::Choices;
use crate::input;
use crate::language::LanguageChoice;
use crate::source::Input;
use crate::text;
use nubbin_archive::{self as archive, ArchiveKind, Item, Type};
use nubbin_oracle::command::holds_placeholder;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The kind of helper for it.
pub(super) const KIND: &str = "beside";
/// The name of the options in the archive.
const NAME: &str = "options";

/// A file, and the options of the command that runs on it.
#[derive(Debug)]
pub struct Paired {
    /// The file.
    pub input: Input,
    /// The options.
    pub choices: Choices,
    /// The name of the file.
    name: PathBuf,
}

impl Paired {
    /// Puts a file and the options of a command together.
    #[must_use]
    pub fn new(input: Input, choices: Choices, language: &LanguageChoice) -> Self {
        let name = input.path(language).file_name().map_or_else(|| PathBuf::from("input"), PathBuf::from);
        Self { input, choices, name }
    }

    /// Reads the file, and returns the archive.
    pub(crate) fn read(&self) -> Result<Vec<u8>, input::Error> {
        let file = self.input.read()?;
        let options = if self.name == Path::new(NAME) { ".options" } else { NAME };
        let item = |path: &Path, kind, content| Item { path: path.to_owned(), kind, mode: 0o644, content };
        let items = [
            item(&self.name, Type::File, file),
            item(Path::new(options), Type::Options, self.choices.text()),
        ];
        Ok(archive::pack(ArchiveKind::Files, &items))
    }

    /// Returns the words that run a command on a candidate: the command whose options are reduced, or another one.
    pub(crate) fn words(&self, command: &[OsString]) -> Vec<OsString> {
        if command == self.choices.command {
            return self.choices.helper(KIND);
        }
        let first = ["/proc/self/exe", super::WORD, KIND, "{}", "", "0"].map(OsString::from);
        let is_named = command.iter().any(|word| holds_placeholder(word, false));
        let last = (!is_named).then(|| OsString::from("{}"));
        first.into_iter().chain(command.iter().cloned()).chain(last).collect()
    }

    /// Returns what is left of the options in an archive.
    #[must_use]
    pub fn left(&self, best: &[u8]) -> LeftOptions {
        let options = part(best, Type::Options).unwrap_or_default();
        LeftOptions {
            before: self.choices.count(),
            is_whole: options == self.choices.text(),
            words: super::lines(options).into_values().collect(),
            line: self.choices.line(options),
        }
    }
}

/// The options that are left.
#[derive(Clone, Debug)]
pub struct LeftOptions {
    /// The number of options of the command as it was typed.
    pub before: usize,
    /// The words that are left, those together that belong together.
    pub words: Vec<Vec<OsString>>,
    /// Nothing has gone, neither options nor parts of them.
    is_whole: bool,
    line: Vec<OsString>,
}

impl LeftOptions {
    /// Says in a line what is needed of the options, or is left of them where that is not proven.
    #[must_use]
    pub fn told(&self, is_proven: bool) -> String {
        let numbers = format!("{} → {}", self.before, self.words.len());
        match (is_proven, self.words.is_empty()) {
            (_, true) => format!("{numbers}, the failure needs none of them"),
            (true, _) if self.is_whole => format!("{numbers}, the failure needs all of them"),
            (true, _) => format!("{numbers}, the failure needs `{}` only", self.shown()),
            (false, _) => format!("{numbers} so far: `{}`", self.shown()),
        }
    }

    /// Returns the command on a file, for a shell. A file without a name stands for any.
    #[must_use]
    pub fn command(&self, file: Option<&Path>) -> String {
        let file = file.unwrap_or(Path::new("FILE"));
        let word = |word: &OsString| {
            let parts: Vec<&[u8]> = split(word.as_bytes());
            OsString::from_vec(parts.join(file.as_os_str().as_bytes()))
        };
        text::words(&self.line.iter().map(word).collect::<Vec<_>>())
    }

    /// Returns the words that are left, for a shell.
    #[must_use]
    pub fn shown(&self) -> String {
        text::words(&self.words.concat())
    }
}

/// Splits a word at the places of the candidate's path.
fn split(word: &[u8]) -> Vec<&[u8]> {
    let (mut parts, mut start, mut at) = (Vec::new(), 0, 0);
    while at + 1 < word.len() {
        if word[at..].starts_with(b"{}") {
            parts.push(&word[start..at]);
            (start, at) = (at + 2, at + 2);
        } else {
            at += 1;
        }
    }
    parts.push(&word[start..]);
    parts
}

/// Returns the content of the file in an archive.
pub(crate) fn file(text: &[u8]) -> &[u8] {
    part(text, Type::File).unwrap_or_default()
}

/// Returns the words that are left of the options in an archive, if it has options.
pub(crate) fn left_in(text: &[u8]) -> Option<Vec<OsString>> {
    part(text, Type::Options).map(|options| super::lines(options).into_values().flatten().collect())
}

/// Returns the content of the first entry of a type.
fn part(text: &[u8], kind: Type) -> Option<&[u8]> {
    let entries = archive::entries(text);
    entries.iter().find(|entry| entry.kind == kind).map(|entry| entry.content_in(text))
}

/// Puts the file of an archive in the archive's place. Returns the options; `None` for what is no such archive, which stays
/// as it is.
pub(super) fn put(path: &Path, candidate: &[u8]) -> io::Result<Option<Vec<u8>>> {
    let Some(options) = part(candidate, Type::Options) else { return Ok(None) };
    let permissions = fs::metadata(path)?.permissions();
    // A file that may not be written can be replaced all the same.
    fs::remove_file(path)?;
    let mut new = File::create_new(path)?;
    new.write_all(file(candidate))?;
    new.set_permissions(permissions)?;
    Ok(Some(options.to_vec()))
}
