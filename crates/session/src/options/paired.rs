//! Reduces a file together with the options of its command, as an archive of both.
//!
//! In the directory of a probe the archive has the path of the file. The helper process replaces it by the file
//! before it executes the command, so that only the helper sees the archive.

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

/// The kind of helper.
pub(super) const KIND: &str = "beside";
/// The name of the options in the archive.
const NAME: &str = "options";

/// A file and the options of its command.
#[derive(Debug)]
pub struct Paired {
    /// The file.
    pub input: Input,
    /// The options.
    pub choices: Choices,
    name: PathBuf,
}

impl Paired {
    /// Combines a file and the options of a command.
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

    /// Returns the arguments that run a command on a candidate: the command whose options are reduced, or another
    /// one.
    pub(crate) fn words(&self, command: &[OsString]) -> Vec<OsString> {
        if command == self.choices.command {
            return self.choices.helper(KIND);
        }
        let first = ["/proc/self/exe", super::WORD, KIND, "{}", "", "0"].map(OsString::from);
        let is_named = command.iter().any(|word| holds_placeholder(word, false));
        let last = (!is_named).then(|| OsString::from("{}"));
        first.into_iter().chain(command.iter().cloned()).chain(last).collect()
    }

    /// Returns the remaining options in an archive.
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

/// The remaining options.
#[derive(Clone, Debug)]
pub struct LeftOptions {
    /// The number of options before the reduction.
    pub before: usize,
    /// The remaining arguments, grouped by option.
    pub words: Vec<Vec<OsString>>,
    /// Nothing was removed from the options.
    is_whole: bool,
    line: Vec<OsString>,
}

impl LeftOptions {
    /// Describes which options are needed, or remain if that is not proven.
    #[must_use]
    pub fn told(&self, is_proven: bool) -> String {
        let numbers = format!("{} → {}", self.before, self.words.len());
        match (is_proven, self.words.is_empty()) {
            (_, true) => format!("{numbers}, none is needed"),
            (true, _) if self.is_whole => format!("{numbers}, all are needed"),
            (true, _) => format!("{numbers}, only `{}` is needed", self.shown()),
            (false, _) => format!("{numbers} so far: `{}`", self.shown()),
        }
    }

    /// Returns the command for a file as shell text. `None` stands for any file.
    #[must_use]
    pub fn command(&self, file: Option<&Path>) -> String {
        let file = file.unwrap_or(Path::new("FILE"));
        let word = |word: &OsString| {
            let parts: Vec<&[u8]> = split(word.as_bytes());
            OsString::from_vec(parts.join(file.as_os_str().as_bytes()))
        };
        text::words(&self.line.iter().map(word).collect::<Vec<_>>())
    }

    /// Returns the remaining arguments as shell text.
    #[must_use]
    pub fn shown(&self) -> String {
        text::words(&self.words.concat())
    }
}

/// Splits an argument at the candidate's path.
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

/// Returns the remaining arguments of the options in an archive, if it contains options.
pub(crate) fn left_in(text: &[u8]) -> Option<Vec<OsString>> {
    part(text, Type::Options).map(|options| super::lines(options).into_values().flatten().collect())
}

fn part(text: &[u8], kind: Type) -> Option<&[u8]> {
    let entries = archive::entries(text);
    entries.iter().find(|entry| entry.kind == kind).map(|entry| entry.content_in(text))
}

/// Replaces an archive by its file, and returns the options. Returns `None` for anything else, which is not changed.
pub(super) fn put(path: &Path, candidate: &[u8]) -> io::Result<Option<Vec<u8>>> {
    let Some(options) = part(candidate, Type::Options) else { return Ok(None) };
    let permissions = fs::metadata(path)?.permissions();
    // A read-only file can still be replaced.
    fs::remove_file(path)?;
    let mut new = File::create_new(path)?;
    new.write_all(file(candidate))?;
    new.set_permissions(permissions)?;
    Ok(Some(options.to_vec()))
}
