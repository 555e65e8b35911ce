//! Finds files that are inlined into the input: files that it includes, next to it or in the include directories of
//! the command.
//!
//! The crate `reduce` inlines them and finds out which ones the failure allows.

use crate::language::Chosen;
use crate::preprocessor::words_of;
use crate::settings::Settings;
use crate::surroundings::listed;
use nubbin_reduce::Languages;
use nubbin_reduce::inline::{Inliner, Join, SourceFile};
use std::cell::Cell;
use std::path::{Path, PathBuf};

/// Tuned parameters.
struct Tuning {
    /// The largest size of an inlined file, and of all of them together, in bytes.
    file_bytes: u64,
    all_bytes: u64,
    /// The largest input, in bytes, for which `--inline` is suggested.
    hinted: usize,
}

const TUNING: Tuning = Tuning { file_bytes: 1 << 22, all_bytes: 1 << 24, hinted: 1 << 18 };

/// Options followed by an include directory, the longest first.
const DIRECTORIES: [&str; 4] = ["-idirafter", "-isystem", "-iquote", "-I"];

/// Whether included files are inlined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InlineChoice {
    /// The files of a directory are inlined into each other; a single file is not changed.
    #[default]
    Auto,
    /// Included files are inlined into the input.
    Always,
    /// Nothing is inlined.
    Never,
}

impl InlineChoice {
    /// Returns the term for a journal.
    pub(crate) fn term(self) -> Option<(String, String)> {
        match self {
            Self::Auto => None,
            Self::Always => Some(("`--inline`".to_owned(), "given".to_owned())),
            Self::Never => Some(("`--inline never`".to_owned(), "given".to_owned())),
        }
    }

    /// Returns whether the files of an input are inlined into each other.
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
        [("--unit", !settings.units.is_empty()), ("protected text", keeps)].into_iter().find(|(_, is)| *is);
    match (settings.inline, senseless) {
        (InlineChoice::Always, Some((reason, _))) => {
            Some(format!("note: `--inline` has no effect with {reason}"))
        }
        (InlineChoice::Always, None) if settings.input.is_several() => None,
        (InlineChoice::Always, None) => found(settings, language, input)
            .is_none()
            .then(|| "note: `--inline` has no effect: no included file was found".to_owned()),
        (InlineChoice::Auto, None) if input.len() <= TUNING.hinted => {
            let found = found(settings, language, input)?;
            let own = settings.input.file().and_then(Path::parent).unwrap_or(Path::new("")).to_owned();
            let directory = std::env::current_dir().ok()?.join(own);
            let name = |path: &Path| format!("`{}`", path.strip_prefix(&directory).unwrap_or(path).display());
            let mut names: Vec<String> = found.comers().map(name).collect();
            names.sort();
            let (files, verb) = listed(names)?;
            Some(format!(
                "note: {files} {verb} included but not reduced; to reduce included files, add `--inline`"
            ))
        }
        (InlineChoice::Auto | InlineChoice::Never, _) => None,
    }
}

/// Finds the files that a single file includes; `None` if there are none.
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

/// Lists the include directories in the arguments of the test.
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
