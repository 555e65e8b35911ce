//! Holds the texts of a language's folder, which is built into the program or read from disk.
//!
//! It does not check the queries.

use super::{Error, LOCALS, Manifest, NAMES};
use std::path::{Path, PathBuf};

/// The texts of one language's folder, before they are checked.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    manifest: String,
    queries: Vec<(PathBuf, String)>,
}

impl Folder {
    /// Returns a folder that is part of the program. It takes the folder's name under `grammars/`, the manifest, and
    /// the query files with their names.
    #[must_use]
    pub fn built_in(name: &str, manifest: &str, queries: &[(&str, &str)]) -> Self {
        let path = Path::new("grammars").join(name);
        let queries = queries.iter().map(|(file, text)| (path.join(file), (*text).to_owned())).collect();
        Self { path, manifest: manifest.to_owned(), queries }
    }

    /// Reads a folder from disk. If there is no `language.toml`, the language has the folder's name. If there are no
    /// rules, only the grammar is used. A `queries/locals.scm`, which many grammars ship, describes the names if no
    /// other file does.
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
        Ok(Self { path: path.to_owned(), manifest, queries })
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

    /// Reads the folder's own manifest, without the values that it inherits from another language.
    ///
    /// # Errors
    /// Returns an error if the text is not valid.
    pub fn manifest(&self) -> Result<Manifest, Error> {
        toml::from_str(&self.manifest).map_err(|source| self.invalid(source))
    }

    /// Reads the manifest as a table, without a check of its keys.
    pub(super) fn table(&self) -> Result<toml::Table, Error> {
        toml::from_str(&self.manifest).map_err(|source| self.invalid(source))
    }

    /// Tells whether the folder's own manifest names a kind of node under a key.
    pub(super) fn names_kind(&self, key: &str, kind: &str) -> bool {
        self.manifest().is_ok_and(|manifest| match key {
            "empty" => manifest.empty.contains_key(kind),
            _ => manifest.opaque.iter().any(|opaque| opaque == kind),
        })
    }

    /// Returns the error for a manifest that is not valid.
    pub(super) fn invalid(&self, source: toml::de::Error) -> Error {
        Error::Manifest { path: self.manifest_path(), source: Box::new(source) }
    }

    /// Lists the query files: path and text.
    pub fn queries(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.queries.iter().map(|(path, text)| (path.as_path(), text.as_str()))
    }
}
