//! Makes a language of a grammar and the data of its folder under `grammars/`.
//!
//! Built-in folders and a user's own folder are loaded in the same way. No language is named outside `registry.rs`.
//! This crate does not decide what is tried when.

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

/// The name of the file that describes the nodes that hold text in another language.
const INJECTIONS: &str = "injections.scm";

/// The name of the file that describes symbols; every other query file has rules.
const NAMES: &str = "names.scm";

/// The name of the file that describes the nodes that take in another file.
const INLINE: &str = "inline.scm";

/// The name of the file of symbols that many grammars ship. Its patterns come after those of [`NAMES`].
const LOCALS: &str = "locals.scm";

/// The name of the file with the smallest sentences of the grammar, which a test writes.
const SENTENCES: &str = "sentences.toml";

/// A language, ready to be used.
#[derive(Debug)]
pub struct Language {
    manifest: Manifest,
    grammar: Grammar,
    injections: Option<Injections>,
    /// The texts of the query files except [`INJECTIONS`], by their names.
    sources: BTreeMap<String, Source>,
    queries: OnceLock<Queries>,
    /// The text that replaces a list of this kind when all of its members are removed.
    empty: HashMap<u16, String>,
    /// The constant for what is declared with a type of this kind.
    constants: HashMap<u16, String>,
    opaque: Vec<u16>,
    noise: Option<Regex>,
    sentences: HashMap<u16, Vec<String>>,
    /// The kinds of leaves that are names, by what the grammar says of tokens.
    words: Vec<u16>,
}

/// The reason why a language cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file of the folder cannot be read.
    #[error("`{}` cannot be read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// `language.toml` is not valid.
    #[error("`{}` is not valid: {source}", path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// The error, with its line.
        source: Box<toml::de::Error>,
    },
    /// A grammar's `grammar.json` is not valid.
    #[error("`{}` is not valid: {source}", path.display())]
    GrammarFile {
        /// The file.
        path: PathBuf,
        /// The error, with its line.
        source: serde_json::Error,
    },
    /// A pattern of a query file is not valid.
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
    /// A value of `noise` in the manifest is no regular expression.
    #[error("`{}`: `noise`: {source}", path.display())]
    Noise {
        /// The file.
        path: PathBuf,
        /// The error.
        source: Box<regex::Error>,
    },
    /// The manifest names a kind of node that the grammar does not have.
    #[error("`{}`: the grammar has no node `{kind}`", path.display())]
    Kind {
        /// The file.
        path: PathBuf,
        /// The kind.
        kind: String,
    },
    /// The manifest of a base language names a kind of node that this grammar does not have.
    #[error(
        "`{}`: the grammar has no node `{kind}`, which `{key}` of `{base}` names; `without = [\"{key}\"]` leaves it out",
        path.display()
    )]
    InheritedKind {
        /// The language's manifest.
        path: PathBuf,
        /// The kind.
        kind: String,
        /// The key of the manifest.
        key: &'static str,
        /// The language that the key comes from.
        base: String,
    },
    /// There is no language with the name that `inherits` gives.
    #[error("`{}`: there is no language `{name}` to inherit from", path.display())]
    Base {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
    },
    /// A language inherits from itself, perhaps by way of others.
    #[error("`{}`: `inherits` leads in a circle: `{names}`", path.display())]
    Circle {
        /// The file.
        path: PathBuf,
        /// The names of the languages, each of which inherits from the next.
        names: String,
    },
    /// `without` names something that this language does not inherit.
    #[error("`{}`: `without` names `{name}`, {}", path.display(), missing(base.as_deref()))]
    Without {
        /// The file.
        path: PathBuf,
        /// The name in `without`.
        name: String,
        /// The language that this one inherits from, if there is one.
        base: Option<String>,
    },
    /// The folder holds no parser.
    #[error("`{}` holds no parser: neither `parser.so` nor `src/parser.c`", path.display())]
    NoParser {
        /// The folder.
        path: PathBuf,
    },
    /// The folder holds no parser, and several of the folders in it do.
    #[error("`{}` holds several grammars", path.display())]
    Several {
        /// The folder.
        path: PathBuf,
        /// The folders in it that hold a parser.
        folders: Vec<PathBuf>,
    },
    /// The parser's sources do not compile, or the library cannot be loaded.
    #[error("the parser of `{}` cannot be made: {message}", path.display())]
    Parser {
        /// The folder.
        path: PathBuf,
        /// The message of the compiler or the loader.
        message: String,
    },
    /// The program is linked statically and cannot load a parser.
    #[error("the parser of `{}` cannot be loaded: this program is linked statically", path.display())]
    Static {
        /// The folder.
        path: PathBuf,
    },
    /// The parser or its node types cannot be used.
    #[error("the grammar of `{}` cannot be used: {source}", path.display())]
    Grammar {
        /// The folder.
        path: PathBuf,
        /// The reason.
        source: nubbin_syntax::GrammarError,
    },
}

fn missing(base: Option<&str>) -> String {
    match base {
        Some(base) => format!("which is no rule, part, file or key that comes from `{base}`"),
        None => "but the language builds on no other; `inherits = \"…\"` says on which".to_owned(),
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
    /// Compiles all files at the same time, since tree-sitter needs a tenth of a second for the larger ones; one after the
    /// other where the system has no thread left.
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
    /// Makes a language of a grammar and the texts of its folder. A language that it inherits from has to be built in.
    ///
    /// # Errors
    /// Returns an error if one of the texts is not valid; the error says where.
    pub fn new(grammar: Grammar, folder: &Folder) -> Result<Self, Error> {
        Self::of(grammar, &Lineage::of(folder, registry::folder)?)
    }

    /// Makes a language and compiles all of its queries.
    fn of(grammar: Grammar, lineage: &Lineage) -> Result<Self, Error> {
        let language = Self::unprepared(grammar, lineage)?;
        let queries = Queries::new(&language.grammar, &language.sources, &language.manifest)?;
        Ok(Self { queries: queries.into(), ..language })
    }

    /// Makes a language whose rules and names are compiled when they are first used. They have to be valid.
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

    /// Starts a thread that compiles the rules and the names, if they are not compiled yet. For C++ that takes a
    /// second.
    pub fn prepare(&'static self) {
        if self.queries.get().is_none() {
            // If no thread can be started, they are compiled when they are first used.
            let _ = thread::Builder::new().spawn(|| self.queries());
        }
    }

    fn queries(&self) -> &Queries {
        self.queries.get_or_init(|| {
            Queries::new(&self.grammar, &self.sources, &self.manifest)
                .unwrap_or_else(|error| panic!("built-in language: {error}"))
        })
    }

    /// Returns the name of the language, which `--language` takes.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.manifest.name
    }

    /// Returns the name of the language for people.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.manifest.title
    }

    /// Returns the endings of the language's files, without the dot.
    #[must_use]
    pub fn extensions(&self) -> &[String] {
        &self.manifest.extensions
    }

    /// Returns the names of interpreters that mark a file of the language, if its first line (`#!`) names one of them.
    #[must_use]
    pub fn interpreters(&self) -> &[String] {
        &self.manifest.interpreters
    }

    /// Tells how blanks and line ends matter in the language, for example whether indentation means something.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.manifest.layout
    }

    /// Returns the grammar.
    #[must_use]
    pub fn grammar(&self) -> &Grammar {
        &self.grammar
    }

    /// Returns the rules: one entry for each file.
    #[must_use]
    pub fn rules(&self) -> &[RuleFile] {
        &self.queries().rules
    }

    /// Counts the rules without compiling them.
    #[must_use]
    pub fn rule_count(&self) -> usize {
        self.sources.values().flat_map(Source::rules).collect::<BTreeSet<_>>().len()
    }

    /// Tells whether the language has a query that finds names, without compiling it.
    #[must_use]
    pub fn has_names(&self) -> bool {
        self.sources.contains_key(NAMES)
    }

    /// Returns the query that finds the nodes with text in another language.
    #[must_use]
    pub fn injections(&self) -> Option<&Injections> {
        self.injections.as_ref()
    }

    /// Returns the query that finds definitions of names and references to them.
    #[must_use]
    pub fn names(&self) -> Option<&NameQuery> {
        self.queries().names.as_ref()
    }

    /// Returns the query that finds the nodes that take in another file, and the way in which the text of that file
    /// takes their place.
    #[must_use]
    pub fn inline(&self) -> Option<(&InlineQuery, &InlineForms)> {
        self.sources.get(INLINE)?;
        self.manifest.inline.as_ref().and_then(|forms| Some((self.queries().inline.as_ref()?, forms)))
    }

    /// Tells whether a pass brings nothing in texts of the language.
    #[must_use]
    pub fn is_idle(&self, pass: Idle) -> bool {
        self.manifest.idle.contains(&pass)
    }

    /// Lists the smallest sentences of each kind of node, the smallest first. There are none if the folder has no
    /// `sentences.toml` and no `src/grammar.json`.
    pub fn sentences(&self) -> impl Iterator<Item = (u16, &[String])> {
        self.sentences.iter().map(|(kind, texts)| (*kind, texts.as_slice()))
    }

    /// Tells whether the grammar says which leaves are names.
    #[must_use]
    pub fn has_words(&self) -> bool {
        !self.words.is_empty()
    }

    /// Tells whether a leaf of this kind is a name, by what the grammar says of its token.
    #[must_use]
    pub fn is_word(&self, kind: u16) -> bool {
        self.words.contains(&kind)
    }

    /// Returns the text that replaces a list of this kind when all of its members are removed.
    #[must_use]
    pub fn filler(&self, kind: u16) -> Option<&str> {
        self.empty.get(&kind).map(String::as_str)
    }

    /// Returns a statement whose only effect is a check whether the file `{}` exists, if the language has one.
    #[must_use]
    pub fn mark(&self) -> Option<&str> {
        self.manifest.mark.as_deref()
    }

    /// Returns the normalised text: the text without the blanks that keep no tokens apart. Returns `None` if blanks
    /// between tokens mean something in this language.
    #[must_use]
    pub fn normalised(&self, text: &[u8]) -> Option<Vec<u8>> {
        self.manifest.tokens.as_ref().map(|tokens| tokens.normalised(text))
    }

    /// Tells whether blanks between tokens mean nothing in this language.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.manifest.tokens.is_some()
    }

    /// Formats a text with one line for each statement. Returns `None` if blanks between tokens mean something in this
    /// language, or if the result would have other tokens.
    #[must_use]
    pub fn tidy(&self, text: &[u8]) -> Option<Vec<u8>> {
        let tokens = self.manifest.tokens.as_ref()?;
        Some(tokens.tidy(text)).filter(|tidied| tokens.normalised(tidied) == tokens.normalised(text))
    }

    /// Returns the signs that texts of the language are written with.
    #[must_use]
    pub fn syntax(&self) -> &Syntax {
        &self.manifest.syntax
    }

    /// Finds the parts of a text that match the manifest's `noise`, in order: parts that grammars often cannot parse
    /// and that a failure seldom needs.
    pub fn noise<'t>(&'t self, text: &'t [u8]) -> impl Iterator<Item = Span> + 't {
        let found = self.noise.iter().flat_map(|noise| noise.find_iter(text));
        found.map(|one| Span::new(one.start() as u32, one.end() as u32))
    }

    /// Tells whether a member of a list takes a token beside it with it that the grammar does not count as part of it: one
    /// behind it that cannot stay alone, or the separator of members among other children.
    #[must_use]
    pub fn has_terminators(&self) -> bool {
        self.manifest.terminators
    }

    /// Tells whether the lines inside a node of this kind must not be re-indented.
    #[must_use]
    pub fn is_opaque(&self, kind: u16) -> bool {
        self.opaque.contains(&kind)
    }
}
