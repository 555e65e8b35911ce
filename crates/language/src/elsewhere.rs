//! Languages without a built-in parser, and the packages that contain one: `grammars/elsewhere.toml`.
//!
//! Nothing is downloaded.

use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A language whose grammar is available from a package registry.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Elsewhere {
    /// The display name of the language.
    pub title: String,
    /// The file name extensions of the language, without the dot.
    pub extensions: Vec<String>,
    /// The npm package of the grammar.
    pub package: String,
    /// The folder of the grammar inside the package.
    #[serde(default)]
    pub folder: PathBuf,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ElsewhereTable {
    language: Vec<Elsewhere>,
}

impl Elsewhere {
    /// Returns the language of a file by its extension.
    ///
    /// # Panics
    /// Panics if the built-in table is invalid; a test reads it.
    #[must_use]
    pub fn of(path: &Path) -> Option<&'static Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        all().iter().find(|language| language.extensions.contains(&ending))
    }

    /// Returns the folder of the grammar, relative to the current directory, if the package is installed there.
    #[must_use]
    pub fn place(&self) -> PathBuf {
        Path::new("node_modules").join(&self.package).join(&self.folder)
    }
}

fn all() -> &'static [Elsewhere] {
    static TABLE: OnceLock<Vec<Elsewhere>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let text = include_str!("../grammars/elsewhere.toml");
        let table: ElsewhereTable =
            toml::from_str(text).unwrap_or_else(|error| panic!("built-in table: {error}"));
        table.language
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Registry;

    #[test]
    fn a_language_is_found_by_an_ending_that_no_other_one_has() {
        let mut endings: Vec<&String> = all().iter().flat_map(|language| &language.extensions).collect();
        endings.sort();
        let count = endings.len();
        endings.dedup();
        assert_eq!(endings.len(), count);
        for ending in endings {
            let path = Path::new("bug").with_extension(ending);
            let (built_in, left_out) =
                (Registry::built_in().detect(&path, b""), Registry::built_in().detect_left_out(&path, b""));
            assert!(Elsewhere::of(&path).is_some() && built_in.is_none() && left_out.is_none(), "{ending}");
        }
        assert!(Elsewhere::of(Path::new("Makefile")).is_none());
    }

    #[test]
    fn a_grammar_among_several_has_a_folder_of_its_own() {
        let place = |name: &str| Elsewhere::of(Path::new(name)).map(Elsewhere::place);
        assert_eq!(place("a.elm"), Some("node_modules/@elm-tooling/tree-sitter-elm/".into()));
        assert_eq!(place("a.MLI"), Some("node_modules/tree-sitter-ocaml/grammars/interface".into()));
    }
}
