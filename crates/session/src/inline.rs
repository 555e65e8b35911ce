//! Files that come into the input: those that it takes in, and that lie beside it or where the command looks for them.
//!
//! The library puts the texts together and finds out with which of them the failure stays.

use crate::language::Chosen;
use crate::preprocessor::words_of;
use crate::settings::Settings;
use crate::surroundings::listed;
use nubbin_reduce::Languages;
use nubbin_reduce::inline::{Inliner, Join, SourceFile};
use std::cell::Cell;
use std::path::{Path, PathBuf};

/// The numbers that were tuned.
struct Tuning {
    /// The greatest size of a file that comes in, and of all of them, in bytes.
    file_bytes: u64,
    all_bytes: u64,
    /// The greatest size of an input, in bytes, in which it is looked for what `--inline` would bring in.
    hinted: usize,
}

const TUNING: Tuning = Tuning { file_bytes: 1 << 22, all_bytes: 1 << 24, hinted: 1 << 18 };

/// The options that a directory follows in which a command looks for files, the longest first.
const DIRECTORIES: [&str; 4] = ["-idirafter", "-isystem", "-iquote", "-I"];

/// The part that other files have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InlineChoice {
    /// The files of a directory come into each other; a single file stays as it is.
    #[default]
    Auto,
    /// The files that the input takes in come into it.
    Always,
    /// Every file stays as it is.
    Never,
}

impl InlineChoice {
    /// Returns what a journal notes of it.
    pub(crate) fn term(self) -> Option<(String, String)> {
        match self {
            Self::Auto => None,
            Self::Always => Some(("`--inline`".to_owned(), "given".to_owned())),
            Self::Never => Some(("`--no-inline`".to_owned(), "given".to_owned())),
        }
    }

    /// Tells whether the files of an input come into each other.
    pub(crate) fn joins_files(self, is_directory: bool) -> bool {
        match self {
            Self::Auto => is_directory,
            Self::Always => true,
            Self::Never => false,
        }
    }
}

/// Returns the files that the input, one file, takes in, if they are to come in.
pub(crate) fn inliner<'l>(settings: &Settings, language: &'l Chosen, input: &[u8]) -> Option<Inliner<'l>> {
    if settings.inline == InlineChoice::Always { found(settings, language, input) } else { None }
}

/// Returns a note about files that could come in, or about what is in their way.
pub(crate) fn note(settings: &Settings, language: &Chosen, input: &[u8], keeps: bool) -> Option<String> {
    let senseless =
        [("--unit", !settings.units.is_empty()), ("what has to stay", keeps)].into_iter().find(|(_, is)| *is);
    match (settings.inline, senseless) {
        (InlineChoice::Always, Some((reason, _))) => {
            Some(format!("note: with {reason} no other files come in"))
        }
        (InlineChoice::Always, None) if settings.input.is_several() => None,
        (InlineChoice::Always, None) => found(settings, language, input)
            .is_none()
            .then(|| "note: the input takes in no file that is found here".to_owned()),
        (InlineChoice::Auto, None) if input.len() <= TUNING.hinted => {
            let found = found(settings, language, input)?;
            let own = settings.input.file().and_then(Path::parent).unwrap_or(Path::new("")).to_owned();
            let directory = std::env::current_dir().ok()?.join(own);
            let name = |path: &Path| format!("`{}`", path.strip_prefix(&directory).unwrap_or(path).display());
            let mut names: Vec<String> = found.comers().map(name).collect();
            names.sort();
            let (files, verb) = listed(names)?;
            Some(format!("note: {files} {verb} taken in, and reduced only with `--inline`"))
        }
        (InlineChoice::Auto | InlineChoice::Never, _) => None,
    }
}

/// Finds the files that a single file takes in; `None` if there are none.
fn found<'l>(settings: &Settings, language: &'l Chosen, input: &[u8]) -> Option<Inliner<'l>> {
    let (path, own) = (settings.input.file()?, language.get()?);
    own.inline()?;
    if !settings.is_run || settings.goal.is_some() || settings.search.is_some() {
        return None;
    }
    let here = std::env::current_dir().ok()?;
    let path = here.join(path);
    let beside = path.parent()?.to_owned();
    let given: Vec<PathBuf> = named(settings).into_iter().map(|directory| here.join(directory)).collect();
    let left = Cell::new(TUNING.all_bytes);
    let find = |path: &Path| {
        let is_near = [&here, &beside].into_iter().chain(&given).any(|place| path.starts_with(place));
        let size = path.metadata().ok().filter(|found| is_near && found.is_file())?.len();
        left.set(left.get().checked_sub(size).filter(|_| size <= TUNING.file_bytes)?);
        let text = std::fs::read(path).ok()?;
        let language = language.of(path, &text);
        Some((text, language))
    };
    let root = SourceFile { path, text: input.to_owned(), language: own, stays: true };
    Some(Inliner::new(vec![root], &given, &find)).filter(|inliner| inliner.count() > 0)
}

/// Lists the directories in which the test looks for files, by the options among its words.
fn named(settings: &Settings) -> Vec<PathBuf> {
    let said = crate::preprocessor::said(&settings.test.words);
    let mut words = said.iter().flat_map(|text| words_of(text)).filter(|word| !word.is_empty());
    let mut directories = Vec::new();
    while let Some(word) = words.next() {
        let Some(rest) = DIRECTORIES.iter().find_map(|option| word.strip_prefix(option)) else { continue };
        let directory = if rest.is_empty() { words.next() } else { Some(rest) };
        directories.extend(directory.map(PathBuf::from));
    }
    directories
}
