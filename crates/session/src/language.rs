//! Finds the language of the input.
//!
//! The library defines the languages, and recognises them.

use crate::failure::Failure;
use crate::failure::Fault;
use crate::text;
use nubbin_language::{Elsewhere, Language, Manifest, Registry};
use nubbin_reduce::Languages;
use std::path::{Path, PathBuf};

/// The user's choice of the language.
#[derive(Debug)]
pub enum LanguageChoice {
    /// The user has chosen nothing: the language is recognised by the file.
    Detect,
    /// Its name.
    Named(String),
    /// The folder of a language that is not built in.
    Folder(PathBuf),
}

/// A language that is built in, or was loaded.
#[derive(Debug)]
pub enum Chosen {
    /// It comes with the program.
    BuiltIn(&'static Language),
    /// It was loaded from a folder.
    Loaded(Box<Language>),
    /// No language is known.
    Unknown,
}

impl LanguageChoice {
    /// Returns the choice that these two options make.
    ///
    /// # Errors
    /// Returns an error when there is no language of this name.
    pub fn new(name: Option<String>, folder: Option<PathBuf>) -> Result<Self, Failure> {
        match (name, folder) {
            (_, Some(folder)) => Ok(Self::Folder(folder)),
            (Some(name), None) => known(&name).map(Self::Named).ok_or_else(|| unknown(&name)),
            (None, None) => Ok(Self::Detect),
        }
    }

    /// Returns the extension that a file in this language has, if the language was named.
    pub fn extension(&self) -> Option<&'static str> {
        let Self::Named(name) = self else { return None };
        let mut manifests = Registry::built_in().manifests();
        manifests.find(|manifest| &manifest.name == name)?.extensions.first().map(String::as_str)
    }

    /// Returns the means to tell the language of each of several files.
    pub(crate) fn of_many(&self) -> Result<Chosen, Failure> {
        match self {
            Self::Detect => Ok(Chosen::Unknown),
            Self::Folder(folder) => Ok(Chosen::Loaded(Box::new(Language::load(folder)?))),
            Self::Named(name) => {
                let message = format!("`--language {name}` is for a single file");
                Err(Failure::usage(message)
                    .hint("each of several files is in the language that its name tells"))
            }
        }
    }

    /// Returns the language of the file at `path`, which holds `content`.
    ///
    /// # Errors
    /// Returns an error when the folder that was named holds no language.
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

/// Returns a note on how to get a parser, if the file is in a language that is not built in.
#[must_use]
pub fn elsewhere(path: &Path, content: &[u8]) -> Option<String> {
    if let Some(Manifest { name, title, .. }) = Registry::built_in().detect_left_out(path, content) {
        return Some(format!(
            "this program was built without the parser for {title}; for a better result: build it with \
             `--features {name}`, or give a grammar with `--language DIR/`"
        ));
    }
    let language = Elsewhere::of(path)?;
    let (title, package) = (&language.title, text::quote(language.package.as_ref()));
    let place = language.place().components().collect::<PathBuf>();
    Some(format!(
        "no parser for {title} is built in; for a better result: `npm install --ignore-scripts {package}`, then \
         `--grammar {}`",
        text::quote(place.as_os_str())
    ))
}

impl Languages for Chosen {
    /// Returns a loaded language for the files with its endings; for any other file the language is recognised.
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

/// The language of the only file.
pub(crate) struct OneLanguage<'c>(pub &'c Chosen);

impl Languages for OneLanguage<'_> {
    fn of(&self, _: &Path, _: &[u8]) -> Option<&Language> {
        self.0.get()
    }
}

impl Chosen {
    /// Returns the language, if one is known.
    #[must_use]
    pub fn get(&self) -> Option<&Language> {
        match self {
            Self::BuiltIn(language) => Some(language),
            Self::Loaded(language) => Some(language),
            Self::Unknown => None,
        }
    }
}

/// Returns the names of all languages that are built in.
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
        let message = format!("this program was built without the parser for `{name}`");
        return Failure::message(Fault::Language, message)
            .hint(format!("build it with `--features {name}`, or give a grammar with `--language DIR/`"));
    }
    Failure::message(Fault::Language, format!("there is no language `{name}`"))
        .hint(format!("the languages are {}; `--language DIR/` adds another", names()))
}
