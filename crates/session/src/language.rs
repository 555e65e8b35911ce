//! Determines the language of the input.

use crate::failure::Failure;
use crate::failure::Fault;
use crate::text;
use nubbin_language::{Elsewhere, Language, Manifest, Registry};
use nubbin_reduce::Languages;
use std::path::{Path, PathBuf};

/// The user's choice of a language.
#[derive(Debug)]
pub enum LanguageChoice {
    /// The language is detected.
    Detect,
    /// The language with this name.
    Named(String),
    /// The language in this folder.
    Folder(PathBuf),
}

/// A built-in or loaded language.
#[derive(Debug)]
pub enum Chosen {
    /// A built-in language.
    BuiltIn(&'static Language),
    /// A language loaded from a folder.
    Loaded(Box<Language>),
    /// The language is unknown.
    Unknown,
}

impl LanguageChoice {
    /// Creates the choice from a name or a folder.
    ///
    /// # Errors
    /// Returns an error when the name is unknown.
    pub fn new(name: Option<String>, folder: Option<PathBuf>) -> Result<Self, Failure> {
        match (name, folder) {
            (_, Some(folder)) => Ok(Self::Folder(folder)),
            (Some(name), None) => known(&name).map(Self::Named).ok_or_else(|| unknown(&name)),
            (None, None) => Ok(Self::Detect),
        }
    }

    /// Returns the usual file extension, if a language was named.
    pub fn extension(&self) -> Option<&'static str> {
        let Self::Named(name) = self else { return None };
        let mut manifests = Registry::built_in().manifests();
        manifests.find(|manifest| &manifest.name == name)?.extensions.first().map(String::as_str)
    }

    /// Returns a registry that detects the language of each of several files.
    pub(crate) fn of_many(&self) -> Result<Chosen, Failure> {
        match self {
            Self::Detect => Ok(Chosen::Unknown),
            Self::Folder(folder) => Ok(Chosen::Loaded(Box::new(Language::load(folder)?))),
            Self::Named(name) => {
                let message = format!("`--language {name}` needs a single file");
                Err(Failure::usage(message).hint(
                    "the language of each of several files is detected by its name; remove `--language`",
                ))
            }
        }
    }

    /// Returns the language of a file with this path and content.
    ///
    /// # Errors
    /// Returns an error when the named folder contains no language.
    pub fn resolve(&self, path: &Path, content: &[u8]) -> Result<Chosen, Failure> {
        let registry = Registry::built_in();
        let found = match self {
            Self::Folder(folder) => return Ok(Chosen::Loaded(Box::new(Language::load(folder)?))),
            Self::Named(name) => registry.get(name),
            Self::Detect => registry.detect(path, content),
        };
        Ok(found.map_or(Chosen::Unknown, Chosen::BuiltIn))
    }
}

/// Returns a note on how to get a parser, if the language is not built in.
#[must_use]
pub fn elsewhere(path: &Path, content: &[u8]) -> Option<String> {
    if let Some(Manifest { name, title, .. }) = Registry::built_in().detect_left_out(path, content) {
        return Some(format!(
            "nubbin was built without the parser for {title}; for a better result, build it with \
             `--features {name}`, or use a grammar with `--language DIR/`"
        ));
    }
    let language = Elsewhere::of(path)?;
    let (title, package) = (&language.title, text::quote(language.package.as_ref()));
    let place = language.place().components().collect::<PathBuf>();
    Some(format!(
        "no parser for {title} is built in; for a better result, run `npm install --ignore-scripts {package}` and use \
         `--language {}`",
        text::quote(place.as_os_str())
    ))
}

impl Languages for Chosen {
    /// Returns the loaded language for files with its extensions; for other files the language is detected.
    fn of(&self, path: &Path, content: &[u8]) -> Option<&Language> {
        let ending = path.extension().and_then(|ending| ending.to_str());
        match self {
            Self::Loaded(language)
                if ending.is_some_and(|e| language.extensions().iter().any(|x| x == e)) =>
            {
                Some(language)
            }
            _ => Registry::built_in().detect(path, content),
        }
    }
}

/// The language of a single file.
pub(crate) struct OneLanguage<'c>(pub &'c Chosen);

impl Languages for OneLanguage<'_> {
    fn of(&self, _: &Path, _: &[u8]) -> Option<&Language> {
        self.0.get()
    }
}

impl Chosen {
    /// Returns the language, if known.
    #[must_use]
    pub fn get(&self) -> Option<&Language> {
        match self {
            Self::BuiltIn(language) => Some(language),
            Self::Loaded(language) => Some(language),
            Self::Unknown => None,
        }
    }
}

/// Returns the names of all built-in languages.
#[must_use]
pub fn names() -> String {
    let names: Vec<&str> = Registry::built_in().manifests().map(|manifest| manifest.name.as_str()).collect();
    names.join(", ")
}

/// Returns the name of a language that is given by its name, in any case, or by the extension of its files.
fn known(given: &str) -> Option<String> {
    let given = given.to_ascii_lowercase();
    let by_name = Registry::built_in().manifests().find(|manifest| manifest.name == given);
    let has_extension = |manifest: &&Manifest| manifest.extensions.contains(&given);
    let found = by_name.or_else(|| Registry::built_in().manifests().find(has_extension));
    found.map(|manifest| manifest.name.clone())
}

fn unknown(name: &str) -> Failure {
    if Registry::built_in().left_out().any(|manifest| manifest.name == name) {
        let message = format!("nubbin was built without the parser for `{name}`");
        return Failure::message(Fault::Language, message)
            .hint(format!("build it with `--features {name}`, or use a grammar with `--language DIR/`"));
    }
    Failure::message(Fault::Language, format!("unknown language `{name}`"))
        .hint(format!("the supported languages are {}; to add another, use `--language DIR/`", names()))
}
