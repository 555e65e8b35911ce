//! Creates a language from a grammar and the data of its folder under `grammars/`.
//!
//! Built-in and custom folders are loaded in the same way. Languages are named only in `registry.rs`. This
//! crate does not decide which rewrites are tried and when.

mod commands;
mod common;
mod constants;
mod elsewhere;
mod folder;
mod inline;
mod kind;
mod lineage;
mod manifest;
mod names;
mod native;
mod needs;
mod normal;
mod paint;
mod registry;
mod rule;
mod source;
mod symbols;
mod text;
mod tidy;
mod vocabulary;

pub use common::{LineWords, Syntax};
pub use constants::Constants;
pub use elsewhere::Elsewhere;
pub use folder::Folder;
pub use inline::{InlineForms, InlineQuery, InlineRole, NameForms, Search};
pub use kind::{KindForms, NameKind, Reach, ScopeKind};
pub use manifest::{Idle, Manifest};
pub use names::{NameMatch, NamePattern, NameQuery, Role};
pub use paint::Paint;
pub use registry::Registry;
pub use rule::{Injections, Rewrite, RuleFile, RuleMatch};
pub use symbols::{Definition, Indirection, Reference, Shapes, Symbol, SymbolId, Symbols};

use lineage::Lineage;
use nubbin_syntax::edit::Span;
use nubbin_syntax::{Grammar, Layout};
use regex::bytes::Regex;
use source::Source;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::thread;

/// The file that describes the nodes with text in another language.
const INJECTIONS: &str = "injections.scm";

/// The file that describes symbols. All other query files contain rules.
const NAMES: &str = "names.scm";

/// The file that describes the nodes that include another file.
const INLINE: &str = "inline.scm";

/// The file of symbols that many grammars contain. Its patterns come after those of [`NAMES`].
const LOCALS: &str = "locals.scm";

/// The file with the smallest sentences of the grammar, which a test generates.
const SENTENCES: &str = "sentences.toml";

/// A loaded language.
#[derive(Debug)]
pub struct Language {
    manifest: Manifest,
    grammar: Grammar,
    injections: Option<Injections>,
    /// The texts of the query files except [`INJECTIONS`], by name.
    sources: BTreeMap<String, Source>,
    queries: OnceLock<Queries>,
    /// The text that replaces a list of this kind when all of its members are removed.
    empty: HashMap<u16, String>,
    /// The constant for symbols with a type of this kind.
    constants: HashMap<u16, String>,
    opaque: Vec<u16>,
    noise: Option<Regex>,
    sentences: HashMap<u16, Vec<String>>,
    /// The kinds of leaves that are names, according to the grammar.
    words: Vec<u16>,
}

/// The reason why a language cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file of the folder cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// `language.toml` is invalid.
    #[error("`{}` is invalid: {source}", path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// The error, with its line.
        source: Box<toml::de::Error>,
    },
    /// The `grammar.json` of a grammar is invalid.
    #[error("`{}` is invalid: {source}", path.display())]
    GrammarFile {
        /// The file.
        path: PathBuf,
        /// The error, with its line.
        source: serde_json::Error,
    },
    /// A pattern of a query file is invalid.
    #[error("`{}:{line}:{column}`: {message}", path.display())]
    Rule {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column in bytes, from 1.
        column: usize,
        /// The error, and what to write instead.
        message: String,
    },
    /// A value of `noise` in the manifest is not a regular expression.
    #[error("`{}`: `noise`: {source}", path.display())]
    Noise {
        /// The file.
        path: PathBuf,
        /// The error.
        source: Box<regex::Error>,
    },
    /// The manifest lists a kind of node that the grammar does not have.
    #[error("`{}`: the grammar has no node `{kind}`", path.display())]
    Kind {
        /// The file.
        path: PathBuf,
        /// The kind.
        kind: String,
    },
    /// The manifest of a base language lists a kind of node that this grammar does not have.
    #[error(
        "`{}`: the grammar has no node `{kind}`, which `{key}` of `{base}` lists; add `without = [\"{key}\"]` to leave `{key}` out",
        path.display()
    )]
    InheritedKind {
        /// The manifest of this language.
        path: PathBuf,
        /// The kind.
        kind: String,
        /// The key of the manifest.
        key: &'static str,
        /// The language that defines the key.
        base: String,
    },
    /// The base language in `inherits` does not exist.
    #[error("`{}`: unknown base language `{name}`", path.display())]
    Base {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
    },
    /// A language inherits from itself, directly or indirectly.
    #[error("`{}`: `inherits` is cyclic: `{names}`", path.display())]
    Circle {
        /// The file.
        path: PathBuf,
        /// The names of the languages, each of which inherits from the next.
        names: String,
    },
    /// `without` lists something that this language does not inherit.
    #[error("`{}`: `without` lists `{name}`, {}", path.display(), missing(base.as_deref()))]
    Without {
        /// The file.
        path: PathBuf,
        /// The name in `without`.
        name: String,
        /// The base language, if there is one.
        base: Option<String>,
    },
    /// The folder does not contain a parser.
    #[error("no parser in `{}`: expected `parser.so` or `src/parser.c`", path.display())]
    NoParser {
        /// The folder.
        path: PathBuf,
    },
    /// The folder does not contain a parser, but several of its subfolders do.
    #[error("`{}` contains several grammars", path.display())]
    Several {
        /// The folder.
        path: PathBuf,
        /// The subfolders with a parser.
        folders: Vec<PathBuf>,
    },
    /// The source code of the parser does not compile, or the library cannot be loaded.
    #[error("cannot build the parser of `{}`: {message}", path.display())]
    Parser {
        /// The folder.
        path: PathBuf,
        /// The message of the compiler or the loader.
        message: String,
    },
    /// The program is linked statically and cannot load a parser.
    #[error("cannot load the parser of `{}`: this program is linked statically", path.display())]
    Static {
        /// The folder.
        path: PathBuf,
    },
    /// The parser or its node types cannot be used.
    #[error("cannot use the grammar of `{}`: {source}", path.display())]
    Grammar {
        /// The folder.
        path: PathBuf,
        /// The reason.
        source: nubbin_syntax::GrammarError,
    },
}

fn missing(base: Option<&str>) -> String {
    match base {
        Some(base) => format!("which is not a rule, part, file or key of `{base}`"),
        None => "but the language has no base; set `inherits = \"…\"`".to_owned(),
    }
}

/// The compiled queries of a language: rules and names.
#[derive(Debug)]
struct Queries {
    rules: Vec<RuleFile>,
    names: Option<NameQuery>,
    inline: Option<InlineQuery>,
}

impl Queries {
    /// Compiles all files in parallel, because tree-sitter needs a tenth of a second for the larger ones; one
    /// after the other if no thread can be started.
    fn new(
        grammar: &Grammar,
        sources: &BTreeMap<String, Source>,
        manifest: &Manifest,
    ) -> Result<Self, Error> {
        thread::scope(|scope| {
            let rules = sources.iter().filter(|(name, _)| ![NAMES, INLINE].contains(&name.as_str()));
            let start = |source| {
                let load = move || RuleFile::load(grammar, source);
                thread::Builder::new().spawn_scoped(scope, load).map_err(|_| source)
            };
            let rules: Vec<_> = rules.map(|(_, source)| start(source)).collect();
            let names = sources
                .get(NAMES)
                .map(|source| NameQuery::load(grammar, source, &manifest.kinds))
                .transpose();
            let inline = sources.get(INLINE).map(|source| InlineQuery::load(grammar, source)).transpose();
            let join = |file: Result<thread::ScopedJoinHandle<'_, _>, _>| match file {
                Ok(thread) => thread.join().unwrap_or_else(|e| resume_unwind(e)),
                Err(source) => RuleFile::load(grammar, source),
            };
            let rules = rules.into_iter().map(join).collect::<Result<_, _>>()?;
            Ok(Self { rules, names: names?, inline: inline? })
        })
    }
}

impl Language {
    /// Creates a language from a grammar and the texts of its folder. A language that it inherits from must be
    /// built in.
    ///
    /// # Errors
    /// Returns an error with its location if one of the texts is invalid.
    pub fn new(grammar: Grammar, folder: &Folder) -> Result<Self, Error> {
        Self::of(grammar, &Lineage::of(folder, registry::folder)?)
    }

    /// Creates a language and compiles all of its queries.
    fn of(grammar: Grammar, lineage: &Lineage) -> Result<Self, Error> {
        let language = Self::unprepared(grammar, lineage)?;
        let queries = Queries::new(&language.grammar, &language.sources, &language.manifest)?;
        Ok(Self { queries: queries.into(), ..language })
    }

    /// Creates a language whose rules and names are compiled on first use. They must be valid.
    fn unprepared(grammar: Grammar, lineage: &Lineage) -> Result<Self, Error> {
        let manifest = lineage.manifest()?;
        let kind = |key: &'static str, name: &str| {
            grammar.kind_id(name).ok_or_else(|| lineage.unknown_kind(key, name))
        };
        let by_kind = |key: &'static str, texts: &BTreeMap<String, String>| {
            let texts = texts.iter().map(|(name, text)| Ok((kind(key, name)?, text.clone())));
            texts.collect::<Result<HashMap<_, _>, Error>>()
        };
        let empty = by_kind("empty", &manifest.empty)?;
        let constants = by_kind("constants", &manifest.constants.kinds)?;
        manifest.whole.iter().try_for_each(|name| kind("whole", name).map(drop))?;
        let opaque = manifest.opaque.iter().map(|name| kind("opaque", name)).collect::<Result<_, _>>()?;
        let noise = (!manifest.noise.is_empty()).then(|| Regex::new(&manifest.noise.join("|")));
        let path = || lineage.own().manifest_path();
        let noise =
            noise.transpose().map_err(|source| Error::Noise { path: path(), source: Box::new(source) })?;
        let mut sources = lineage.sources()?;
        let injections = sources.remove(INJECTIONS).map(|source| Injections::load(&grammar, &source));
        let injections = injections.transpose()?;
        let (mut sentences, mut words) = (HashMap::new(), Vec::new());
        if let Some(known) = lineage.sentences().filter(|_| manifest.sentences) {
            let texts =
                known.kinds.iter().filter_map(|(name, texts)| Some((grammar.kind_id(name)?, texts.clone())));
            sentences = texts.collect();
            words = known.words.iter().filter_map(|name| grammar.kind_id(name)).collect();
        }
        let queries = OnceLock::new();
        Ok(Self {
            manifest,
            grammar,
            injections,
            sources,
            queries,
            empty,
            constants,
            opaque,
            noise,
            sentences,
            words,
        })
    }

    /// Starts a thread that compiles the rules and the names, if that has not been done. For C++ it takes a
    /// second.
    pub fn prepare(&'static self) {
        if self.queries.get().is_none() {
            // If no thread can be started, they are compiled on first use.
            let _ = thread::Builder::new().spawn(|| self.queries());
        }
    }

    fn queries(&self) -> &Queries {
        self.queries.get_or_init(|| {
            Queries::new(&self.grammar, &self.sources, &self.manifest)
                .unwrap_or_else(|error| panic!("built-in language: {error}"))
        })
    }

    /// Returns the name of the language for `--language`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.manifest.name
    }

    /// Returns the display name of the language.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.manifest.title
    }

    /// Returns the file name extensions of the language, without the dot.
    #[must_use]
    pub fn extensions(&self) -> &[String] {
        &self.manifest.extensions
    }

    /// Returns the names of interpreters in a first line (`#!`) that mark a file of the language.
    #[must_use]
    pub fn interpreters(&self) -> &[String] {
        &self.manifest.interpreters
    }

    /// Returns how whitespace and line breaks matter in the language.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.manifest.layout
    }

    /// Returns the grammar.
    #[must_use]
    pub fn grammar(&self) -> &Grammar {
        &self.grammar
    }

    /// Returns the rules, one entry for each file.
    #[must_use]
    pub fn rules(&self) -> &[RuleFile] {
        &self.queries().rules
    }

    /// Counts the rules without compiling them.
    #[must_use]
    pub fn rule_count(&self) -> usize {
        self.sources.values().flat_map(Source::rules).collect::<BTreeSet<_>>().len()
    }

    /// Returns whether the language has a query for names, without compiling it.
    #[must_use]
    pub fn has_names(&self) -> bool {
        self.sources.contains_key(NAMES)
    }

    /// Returns the query for nodes with text in another language.
    #[must_use]
    pub fn injections(&self) -> Option<&Injections> {
        self.injections.as_ref()
    }

    /// Returns the query for definitions of names and references to them.
    #[must_use]
    pub fn names(&self) -> Option<&NameQuery> {
        self.queries().names.as_ref()
    }

    /// Returns the query for nodes that include another file, and the forms for replacing them by its text.
    #[must_use]
    pub fn inline(&self) -> Option<(&InlineQuery, &InlineForms)> {
        self.sources.get(INLINE)?;
        self.manifest.inline.as_ref().and_then(|forms| Some((self.queries().inline.as_ref()?, forms)))
    }

    /// Returns whether a pass finds nothing in texts of the language.
    #[must_use]
    pub fn is_idle(&self, pass: Idle) -> bool {
        self.manifest.idle.contains(&pass)
    }

    /// Lists the smallest sentences of each kind of node, smallest first. There are none if the folder has
    /// neither `sentences.toml` nor `src/grammar.json`.
    pub fn sentences(&self) -> impl Iterator<Item = (u16, &[String])> {
        self.sentences.iter().map(|(kind, texts)| (*kind, texts.as_slice()))
    }

    /// Returns whether the grammar determines which leaves are names.
    #[must_use]
    pub fn has_words(&self) -> bool {
        !self.words.is_empty()
    }

    /// Returns whether a leaf of this kind is a name, according to the grammar.
    #[must_use]
    pub fn is_word(&self, kind: u16) -> bool {
        self.words.contains(&kind)
    }

    /// Returns the text that replaces a list of this kind when all of its members are removed.
    #[must_use]
    pub fn filler(&self, kind: u16) -> Option<&str> {
        self.empty.get(&kind).map(String::as_str)
    }

    /// Returns a statement whose only effect is to check whether the file `{}` exists, if the language has one.
    #[must_use]
    pub fn mark(&self) -> Option<&str> {
        self.manifest.mark.as_deref()
    }

    /// Returns the text without the whitespace that is not needed to separate tokens. Returns `None` if
    /// whitespace between tokens is significant in this language.
    #[must_use]
    pub fn normalised(&self, text: &[u8]) -> Option<Vec<u8>> {
        self.manifest.tokens.as_ref().map(|tokens| tokens.normalised(text))
    }

    /// Returns whether whitespace between tokens is insignificant in this language.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.manifest.tokens.is_some()
    }

    /// Formats a text with one line for each statement. Returns `None` if whitespace between tokens is
    /// significant in this language, or if the result would have different tokens.
    #[must_use]
    pub fn tidy(&self, text: &[u8]) -> Option<Vec<u8>> {
        let tokens = self.manifest.tokens.as_ref()?;
        Some(tokens.tidy(text)).filter(|tidied| tokens.normalised(tidied) == tokens.normalised(text))
    }

    /// Returns the punctuation and other syntax of the language.
    #[must_use]
    pub fn syntax(&self) -> &Syntax {
        &self.manifest.syntax
    }

    /// Finds the parts of a text that match `noise` of the manifest, in order. Grammars often cannot parse
    /// these parts, and a failure rarely needs them.
    pub fn noise<'t>(&'t self, text: &'t [u8]) -> impl Iterator<Item = Span> + 't {
        let found = self.noise.iter().flat_map(|noise| noise.find_iter(text));
        found.map(|one| Span::new(one.start() as u32, one.end() as u32))
    }

    /// Returns whether an adjacent token is removed together with a member of a list although the grammar does
    /// not include it in the member: a token after it that is invalid alone, or the separator among other
    /// children.
    #[must_use]
    pub fn has_terminators(&self) -> bool {
        self.manifest.terminators
    }

    /// Returns whether the lines inside a node of this kind must not be re-indented.
    #[must_use]
    pub fn is_opaque(&self, kind: u16) -> bool {
        self.opaque.contains(&kind)
    }
}
