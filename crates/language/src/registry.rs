//! Lists the built-in languages. No other source file names a language.
//!
//! A language consists of a line here, a feature in `Cargo.toml` and a folder under `grammars/`. A program that
//! is built without the feature contains the folder, but no parser for it.

use super::lineage::Lineage;
use super::native;
use super::{Error, Folder, Language, Manifest, SENTENCES};
use include_dir::{Dir, include_dir};
use nubbin_syntax::Grammar;
use std::path::Path;
use std::sync::OnceLock;

/// The folders of all languages in `grammars/`, embedded in the program.
static FOLDERS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/grammars");

macro_rules! built_in {
    ($($name:literal: $parser:ident, $language:ident, $node_types:ident;)*) => {
        /// Lists the folder names of the built-in languages, each with a function that creates its grammar.
        pub(super) fn parsers() -> Vec<(&'static str, fn() -> Grammar)> {
            vec![$(
                #[cfg(feature = $name)]
                ($name, || {
                    Grammar::new($parser::$language.into(), $parser::$node_types).expect("built-in grammars load")
                }),
            )*]
        }
    };
}

built_in! {
    "c": tree_sitter_c, LANGUAGE, NODE_TYPES;
    "cpp": tree_sitter_cpp, LANGUAGE, NODE_TYPES;
    "python": tree_sitter_python, LANGUAGE, NODE_TYPES;
    "html": tree_sitter_html, LANGUAGE, NODE_TYPES;
    "javascript": tree_sitter_javascript, LANGUAGE, NODE_TYPES;
    "css": tree_sitter_css, LANGUAGE, NODE_TYPES;
    "json": tree_sitter_json, LANGUAGE, NODE_TYPES;
    "rust": tree_sitter_rust, LANGUAGE, NODE_TYPES;
    "typescript": tree_sitter_typescript, LANGUAGE_TYPESCRIPT, TYPESCRIPT_NODE_TYPES;
    "tsx": tree_sitter_typescript, LANGUAGE_TSX, TSX_NODE_TYPES;
    "go": tree_sitter_go, LANGUAGE, NODE_TYPES;
    "java": tree_sitter_java, LANGUAGE, NODE_TYPES;
    "sql": tree_sitter_sequel, LANGUAGE, NODE_TYPES;
    "smt2": tree_sitter_smt2, LANGUAGE, NODE_TYPES;
    "llvm": tree_sitter_llvm, LANGUAGE, NODE_TYPES;
    "mlir": tree_sitter_mlir, LANGUAGE, NODE_TYPES;
    "systemverilog": tree_sitter_systemverilog, LANGUAGE, NODE_TYPES;
    "glsl": tree_sitter_glsl, LANGUAGE_GLSL, NODE_TYPES;
    "hlsl": tree_sitter_hlsl, LANGUAGE_HLSL, NODE_TYPES;
    "wgsl": tree_sitter_wgsl_bevy, LANGUAGE, NODE_TYPES;
    "haskell": tree_sitter_haskell, LANGUAGE, NODE_TYPES;
    "scala": tree_sitter_scala, LANGUAGE, NODE_TYPES;
    "kotlin": tree_sitter_kotlin_ng, LANGUAGE, NODE_TYPES;
    "swift": tree_sitter_swift, LANGUAGE, NODE_TYPES;
    "solidity": tree_sitter_solidity, LANGUAGE, NODE_TYPES;
    "zig": tree_sitter_zig, LANGUAGE, NODE_TYPES;
    "lua": tree_sitter_lua, LANGUAGE, NODE_TYPES;
    "ruby": tree_sitter_ruby, LANGUAGE, NODE_TYPES;
    "php": tree_sitter_php, LANGUAGE_PHP, PHP_NODE_TYPES;
    "bash": tree_sitter_bash, LANGUAGE, NODE_TYPES;
    "xml": tree_sitter_xml, LANGUAGE_XML, XML_NODE_TYPES;
    "yaml": tree_sitter_yaml, LANGUAGE, NODE_TYPES;
    "toml": tree_sitter_toml_ng, LANGUAGE, NODE_TYPES;
}

/// The built-in languages. Each is loaded on first use; its rules and names are compiled on first use.
pub struct Registry {
    entries: Vec<Entry>,
    /// The manifests of the folders whose parser is not built in.
    left_out: Vec<Manifest>,
}

/// One built-in language.
struct Entry {
    folder: Folder,
    manifest: Manifest,
    grammar: fn() -> Grammar,
    language: OnceLock<Language>,
}

impl Registry {
    /// Returns the registry of the built-in languages.
    ///
    /// # Panics
    /// Panics if a built-in manifest is invalid; a test loads them all.
    #[must_use]
    pub fn built_in() -> &'static Self {
        static REGISTRY: OnceLock<Registry> = OnceLock::new();
        REGISTRY.get_or_init(|| {
            let entries: Vec<Entry> = parsers().into_iter().map(entry).collect();
            let names = FOLDERS.dirs().filter_map(|dir| dir.path().to_str());
            let names = names.filter(|name| entries.iter().all(|entry| entry.manifest.name != *name));
            let left_out = names.filter_map(folder).map(|folder| manifest(&folder)).collect();
            Self { entries, left_out }
        })
    }

    /// Lists the manifests of the languages.
    pub fn manifests(&self) -> impl Iterator<Item = &Manifest> {
        self.entries.iter().map(|entry| &entry.manifest)
    }

    /// Returns the language with this name.
    ///
    /// # Panics
    /// Panics if a built-in rule is invalid; a test loads them all.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Language> {
        let entry = self.entries.iter().find(|entry| entry.manifest.name == name)?;
        Some(entry.language.get_or_init(|| {
            let lineage = Lineage::of(&entry.folder, self::folder);
            lineage
                .and_then(|lineage| Language::unprepared((entry.grammar)(), &lineage))
                .unwrap_or_else(|error| panic!("built-in language: {error}"))
        }))
    }

    /// Returns the language of a file, by its extension or by the interpreter in the first line.
    #[must_use]
    pub fn detect(&self, path: &Path, content: &[u8]) -> Option<&Language> {
        let manifest = self.manifests().find(takes(path, content))?;
        self.get(&manifest.name)
    }

    /// Lists the manifests of the languages whose parsers were left out of this build. The name of such a
    /// language is the name of the cargo feature that adds its parser.
    pub fn left_out(&self) -> impl Iterator<Item = &Manifest> {
        self.left_out.iter()
    }

    /// Returns the manifest of the language of a file if its parser was left out of this build.
    #[must_use]
    pub fn detect_left_out(&self, path: &Path, content: &[u8]) -> Option<&Manifest> {
        self.left_out().find(takes(path, content))
    }
}

/// Returns a predicate for the language of a file: by its extension, or by the interpreter in the first line.
fn takes(path: &Path, content: &[u8]) -> impl Fn(&&Manifest) -> bool {
    let ending = path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase);
    let interpreter = interpreter(content);
    move |manifest| {
        ending.as_ref().is_some_and(|e| manifest.extensions.contains(e))
            || interpreter.as_ref().is_some_and(|i| manifest.interpreters.contains(i))
    }
}

fn entry((name, grammar): (&'static str, fn() -> Grammar)) -> Entry {
    let folder = folder(name).expect("every built-in language has a folder");
    let manifest = manifest(&folder);
    Entry { folder, manifest, grammar, language: OnceLock::new() }
}

fn manifest(folder: &Folder) -> Manifest {
    let manifest = Lineage::of(folder, self::folder).and_then(|lineage| lineage.manifest());
    manifest.unwrap_or_else(|error| panic!("built-in manifest: {error}"))
}

/// Returns the built-in folder of a language, even if its parser is not built in.
pub(super) fn folder(name: &str) -> Option<Folder> {
    let text = file_text;
    let dir = FOLDERS.get_dir(name)?;
    let manifest = dir.get_file(format!("{name}/language.toml"))?;
    let mut queries: Vec<(&str, &str)> = dir
        .files()
        .filter(|file| file.path().extension().is_some_and(|ending| ending == "scm") && !is_left_out(file))
        .map(|file| (file.path().file_name().and_then(|n| n.to_str()).expect("plain names"), text(file)))
        .collect();
    queries.sort_unstable();
    let own = Folder::built_in(name, text(manifest), &queries);
    let own = if is_bare() { own.bare() } else { own };
    Some(match dir.get_file(format!("{name}/{SENTENCES}")) {
        None => own,
        Some(sentences) => {
            own.with_sentences(text(sentences)).unwrap_or_else(|error| panic!("built-in: {error}"))
        }
    })
}

/// Returns whether the rules and names of the built-in languages are disabled, to measure results with the
/// grammar alone.
fn is_bare() -> bool {
    std::env::var_os("NUBBIN_RULES").is_some_and(|value| value == "none")
}

/// Returns whether a rule file is disabled, to measure its effect:
/// `NUBBIN_RULES=-go/late.scm,-go/expression.scm`.
fn is_left_out(file: &include_dir::File<'static>) -> bool {
    let value = std::env::var("NUBBIN_RULES").unwrap_or_default();
    let mut left_out = value.split(',').filter(|name| !["", "none"].contains(name));
    left_out.any(|name| {
        let name = name.strip_prefix('-').unwrap_or_else(|| {
            panic!("invalid NUBBIN_RULES: expected `none` or files to leave out, such as `-go/late.scm`, not `{name}`")
        });
        assert!(FOLDERS.contains(name), "invalid NUBBIN_RULES: no file `{name}` in `grammars`");
        file.path() == Path::new(name)
    })
}

fn file_text(file: &'static include_dir::File<'static>) -> &'static str {
    file.contents_utf8().expect("grammars are text")
}

/// Returns the name of the program in a first line that begins with `#!`, without its directory and without
/// `env`.
fn interpreter(content: &[u8]) -> Option<String> {
    let line = content.strip_prefix(b"#!")?.split(|&b| b == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    let first = words.next()?;
    let name = if first == "env" { words.find(|word| !word.starts_with('-'))? } else { first };
    Some(name.to_owned())
}

impl Language {
    /// Loads a custom folder: `parser.so` or the sources of a grammar (`src/parser.c`), the node types
    /// (`node-types.json` or `src/node-types.json`), and the other files of a folder under `grammars/`.
    ///
    /// A folder without a parser uses the parser of the built-in language that it inherits from. For a package
    /// without such files in its root, the only grammar inside it is loaded.
    ///
    /// # Errors
    /// Returns an error that names the file if a file is missing or invalid, and an error if a package contains
    /// several grammars.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let place = native::place(path)?;
        let path = place.as_path();
        let folder = Folder::read(path)?;
        let lineage = Lineage::of(&folder, self::folder)?;
        let of_base = |name: &str| parsers().into_iter().find(|(known, _)| *known == name);
        let grammar = match lineage.bases().find_map(of_base) {
            Some((_, grammar)) if !native::is_in(path) => grammar(),
            _ => own_grammar(path, &folder.manifest()?.name)?,
        };
        Self::of(grammar, &lineage)
    }
}

/// Loads the grammar in a custom folder.
fn own_grammar(path: &Path, name: &str) -> Result<Grammar, Error> {
    if !native::is_in(path) {
        return Err(Error::NoParser { path: path.to_owned() });
    }
    let node_types = [path.join("node-types.json"), path.join("src/node-types.json")];
    let node_types = node_types.iter().find(|p| p.exists()).unwrap_or(&node_types[1]);
    let json = std::fs::read_to_string(node_types)
        .map_err(|source| Error::Read { path: node_types.clone(), source })?;
    let language = native::load(path, name)?;
    Grammar::new(language.into(), &json).map_err(|source| Error::Grammar { path: path.to_owned(), source })
}
