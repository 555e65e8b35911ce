//! The texts of a language's folder, built into the program or read from disk.

use super::{Error, LOCALS, Manifest, NAMES};
use std::path::{Path, PathBuf};

/// The data of one language, not yet understood.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
    manifest: String,
    queries: Vec<(PathBuf, String)>,
}

impl Folder {
    /// A folder that is part of the program: its name under `grammars/`, its manifest and its query files.
    #[must_use]
    pub fn built_in(name: &str, manifest: &str, queries: &[(&str, &str)]) -> Self {
        let path = Path::new("grammars").join(name);
        let queries = queries.iter().map(|(file, text)| (path.join(file), (*text).to_owned())).collect();
        Self { path, manifest: manifest.to_owned(), queries }
    }

    /// Reads a folder from disk; without a `language.toml` its name is the folder's own, and without rules only
    /// what the grammar says is used. A `queries/locals.scm`, as grammars ship it, says what names are where no other
    /// file does.
    ///
    /// # Errors
    /// When the folder or one of its files cannot be read.
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

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of its manifest.
    #[must_use]
    pub fn manifest_path(&self) -> PathBuf {
        self.path.join("language.toml")
    }

    /// Its manifest, without what it has from the language that it builds on.
    ///
    /// # Errors
    /// When the text is not valid.
    pub fn manifest(&self) -> Result<Manifest, Error> {
        toml::from_str(&self.manifest).map_err(|source| self.invalid(source))
    }

    /// Its manifest, not yet understood.
    pub(super) fn table(&self) -> Result<toml::Table, Error> {
        toml::from_str(&self.manifest).map_err(|source| self.invalid(source))
    }

    /// Whether the folder's own manifest names a kind under a key.
    pub(super) fn names_kind(&self, key: &str, kind: &str) -> bool {
        self.manifest().is_ok_and(|manifest| match key {
            "empty" => manifest.empty.contains_key(kind),
            _ => manifest.opaque.iter().any(|opaque| opaque == kind),
        })
    }

    /// The error for a manifest that is not valid.
    pub(super) fn invalid(&self, source: toml::de::Error) -> Error {
        Error::Manifest { path: self.manifest_path(), source: Box::new(source) }
    }

    /// Its query files with their paths.
    pub fn queries(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.queries.iter().map(|(path, text)| (path.as_path(), text.as_str()))
    }
}
