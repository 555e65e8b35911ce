//! The texts of a language's folder, which is built into the program or read from disk. Queries are not checked
//! here.

use super::{Error, INJECTIONS, LOCALS, Manifest, NAMES, SENTENCES};
use nubbin_syntax::Sentences;
use std::path::{Path, PathBuf};

/// The keys of a manifest that belong to the rules and names of a language.
const BEYOND: [&str; 10] = [
    "empty",
    "noise",
    "kinds",
    "without",
    "sentences",
    "inline",
    "constants",
    "needs_uses",
    "needs_order",
    "whole",
];

/// The texts of a language's folder before they are checked.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    manifest: String,
    queries: Vec<(PathBuf, String)>,
    sentences: Option<Sentences>,
}

impl Folder {
    /// Creates a built-in folder from its name under `grammars/`, the manifest, and the query files with their
    /// names.
    #[must_use]
    pub fn built_in(name: &str, manifest: &str, queries: &[(&str, &str)]) -> Self {
        let path = Path::new("grammars").join(name);
        let queries = queries.iter().map(|(file, text)| (path.join(file), (*text).to_owned())).collect();
        Self { path, manifest: manifest.to_owned(), queries, sentences: None }
    }

    /// Adds the smallest sentences of the grammar, as the text of `sentences.toml`.
    ///
    /// # Errors
    /// Returns an error if the text is invalid.
    pub fn with_sentences(self, text: &str) -> Result<Self, Error> {
        let path = self.path.join(SENTENCES);
        let sentences =
            toml::from_str(text).map_err(|source| Error::Manifest { path, source: source.into() })?;
        Ok(Self { sentences: Some(sentences), ..self })
    }

    /// Removes the rules, the names and the keys that belong to them.
    pub(super) fn bare(mut self) -> Self {
        self.queries.retain(|(path, _)| path.ends_with(INJECTIONS));
        if let Ok(mut table) = self.table() {
            table.retain(|key, _| !BEYOND.contains(&key));
            self.manifest = table.to_string();
        }
        self
    }

    /// Reads a folder from disk.
    ///
    /// Without a `language.toml`, the language has the name of the folder. Without rules, only the grammar is
    /// used: its `src/grammar.json` gives the smallest sentences. The file `queries/locals.scm`, which many
    /// grammars contain, describes the names if no other file does.
    ///
    /// # Errors
    /// Returns an error if the folder or one of its files cannot be read.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| Error::Read { path, source }
        };
        let manifest_path = path.join("language.toml");
        let entries = std::fs::read_dir(path).map_err(failed(path))?;
        let manifest = if manifest_path.exists() {
            std::fs::read_to_string(&manifest_path).map_err(failed(&manifest_path))?
        } else {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let name = name.trim_start_matches("tree-sitter-");
            format!("name = {name:?}\ntitle = {name:?}\n")
        };
        let mut queries = Vec::new();
        for entry in entries {
            let file = entry.map_err(failed(path))?.path();
            if file.extension().is_some_and(|ending| ending == "scm") {
                let text = std::fs::read_to_string(&file).map_err(failed(&file))?;
                queries.push((file, text));
            }
        }
        let shipped = path.join("queries").join(LOCALS);
        let says_names = |file: &PathBuf| {
            [NAMES, LOCALS].iter().any(|name| file.file_name().is_some_and(|own| own == *name))
        };
        if shipped.exists() && !queries.iter().any(|(file, _)| says_names(file)) {
            let text = std::fs::read_to_string(&shipped).map_err(failed(&shipped))?;
            queries.push((shipped, text));
        }
        queries.sort();
        let folder = Self { path: path.to_owned(), manifest, queries, sentences: None };
        let (own, grammar) = (path.join(SENTENCES), path.join("src/grammar.json"));
        if own.exists() {
            return folder.with_sentences(&std::fs::read_to_string(&own).map_err(failed(&own))?);
        }
        if !grammar.exists() {
            return Ok(folder);
        }
        let text = std::fs::read_to_string(&grammar).map_err(failed(&grammar))?;
        let sentences = Sentences::of_grammar(&text);
        let sentences = sentences.map_err(|source| Error::GrammarFile { path: grammar, source })?;
        Ok(Self { sentences: Some(sentences), ..folder })
    }

    /// Returns the path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of the manifest.
    #[must_use]
    pub fn manifest_path(&self) -> PathBuf {
        self.path.join("language.toml")
    }

    /// Reads the manifest of the folder, without inherited values.
    ///
    /// # Errors
    /// Returns an error if the text is invalid.
    pub fn manifest(&self) -> Result<Manifest, Error> {
        toml::from_str(&self.manifest).map_err(|source| self.invalid(source))
    }

    /// Reads the manifest as a table without checking its keys.
    pub(super) fn table(&self) -> Result<toml::Table, Error> {
        toml::from_str(&self.manifest).map_err(|source| self.invalid(source))
    }

    /// Returns whether the manifest of the folder itself lists a kind of node under a key.
    pub(super) fn names_kind(&self, key: &str, kind: &str) -> bool {
        self.manifest().is_ok_and(|manifest| match key {
            "empty" => manifest.empty.contains_key(kind),
            "constants" => manifest.constants.kinds.contains_key(kind),
            _ => manifest.opaque.iter().any(|opaque| opaque == kind),
        })
    }

    /// Returns the error for an invalid manifest.
    pub(super) fn invalid(&self, source: toml::de::Error) -> Error {
        Error::Manifest { path: self.manifest_path(), source: Box::new(source) }
    }

    /// Returns the smallest sentences of the grammar, if they are known.
    #[must_use]
    pub fn sentences(&self) -> Option<&Sentences> {
        self.sentences.as_ref()
    }

    /// Lists the query files: path and text.
    pub fn queries(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.queries.iter().map(|(path, text)| (path.as_path(), text.as_str()))
    }
}
