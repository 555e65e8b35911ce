//! A language: a grammar with the data of its folder under `grammars/`.
//!
//! Built-in folders and a user's own are loaded alike. It names no language outside `registry.rs`, and it does
//! not decide what is tried when.

mod common;
mod elsewhere;
mod folder;
mod kind;
mod lineage;
mod manifest;
mod names;
mod native;
mod normal;
mod paint;
mod registry;
mod rule;
mod source;
mod tidy;
mod vocabulary;

pub use common::{LineWords, Syntax};
pub use elsewhere::Elsewhere;
pub use folder::Folder;
pub use kind::{KindForms, NameKind, Reach, ScopeKind};
pub use manifest::Manifest;
pub use names::{NameMatch, NamePattern, NameQuery, Role};
pub use paint::Paint;
pub use registry::Registry;
pub use rule::{Injections, Rewrite, RuleFile, RuleMatch};

use lineage::Lineage;
use nubbin_syntax::edit::Span;
use nubbin_syntax::{Grammar, Layout, Parser, Tree};
use regex::bytes::Regex;
use source::Source;
use std::collections::{BTreeMap, HashMap};
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::thread;

/// The file of what holds another language.
const INJECTIONS: &str = "injections.scm";

/// The file of names; every other is one of rules.
const NAMES: &str = "names.scm";

/// The file of names that a grammar may ship; its patterns come after those of the other.
const LOCALS: &str = "locals.scm";

/// A language, ready to be used.
#[derive(Debug)]
pub struct Language {
    manifest: Manifest,
    grammar: Grammar,
    injections: Option<Injections>,
    /// The texts of the other query files, by their names.
    sources: BTreeMap<String, Source>,
    queries: OnceLock<Queries>,
    /// What stands where all members of a list of this kind have gone.
    empty: HashMap<u16, String>,
    opaque: Vec<u16>,
    noise: Option<Regex>,
}

/// Why a language cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file of the folder cannot be read.
    #[error("`{}` cannot be read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// `language.toml` is not as it should be.
    #[error("`{}` is not valid: {source}", path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// What is wrong, with its line.
        source: Box<toml::de::Error>,
    },
    /// A rule is not as it should be.
    #[error("`{}:{line}:{column}`: {message}", path.display())]
    Rule {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column in bytes, from 1.
        column: usize,
        /// What is wrong, and what to write instead.
        message: String,
    },
    /// What the manifest calls noise is no regular expression.
    #[error("`{}`: `noise`: {source}", path.display())]
    Noise {
        /// The file.
        path: PathBuf,
        /// What is wrong.
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
    /// What a base's manifest names is no kind of node of this grammar.
    #[error(
        "`{}`: the grammar has no node `{kind}`, which `{key}` of `{base}` names; `without = [\"{key}\"]` leaves it out",
        path.display()
    )]
    InheritedKind {
        /// The language's manifest.
        path: PathBuf,
        /// The kind.
        kind: String,
        /// The key.
        key: &'static str,
        /// The language that it has this from.
        base: String,
    },
    /// There is no language of the name that the manifest says that this one builds on.
    #[error("`{}`: there is no language `{name}` to inherit from", path.display())]
    Base {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
    },
    /// A language builds on itself in the end.
    #[error("`{}`: `inherits` leads in a circle: `{names}`", path.display())]
    Circle {
        /// The file.
        path: PathBuf,
        /// The languages, in their order.
        names: String,
    },
    /// `without` names what this language does not have from another.
    #[error("`{}`: `without` names `{name}`, {}", path.display(), missing(base.as_deref()))]
    Without {
        /// The file.
        path: PathBuf,
        /// What it names.
        name: String,
        /// The language that this one builds on.
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
        /// Those in it.
        folders: Vec<PathBuf>,
    },
    /// The parser's sources do not compile, or the library cannot be loaded.
    #[error("the parser of `{}` cannot be made: {message}", path.display())]
    Parser {
        /// The folder.
        path: PathBuf,
        /// What the compiler or the loader said.
        message: String,
    },
    /// The program is linked statically, and so loads nothing.
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
        /// Why.
        source: nubbin_syntax::GrammarError,
    },
}

fn missing(base: Option<&str>) -> String {
    match base {
        Some(base) => format!("which is no rule, part, file or key that comes from `{base}`"),
        None => "but the language builds on no other; `inherits = \"…\"` says on which".to_owned(),
    }
}

/// The rules of a language and its names, compiled.
#[derive(Debug)]
struct Queries {
    rules: Vec<RuleFile>,
    names: Option<NameQuery>,
}

impl Queries {
    /// All files at the same time, since tree-sitter takes a tenth of a second for the larger ones.
    fn new(
        grammar: &Grammar,
        sources: &BTreeMap<String, Source>,
        manifest: &Manifest,
    ) -> Result<Self, Error> {
        thread::scope(|scope| {
            let rules = sources.iter().filter(|(name, _)| *name != NAMES);
            let rules = rules.map(|(_, source)| scope.spawn(move || RuleFile::load(grammar, source)));
            let rules: Vec<_> = rules.collect();
            let names = sources
                .get(NAMES)
                .map(|source| NameQuery::load(grammar, source, &manifest.kinds))
                .transpose();
            let join =
                |file: thread::ScopedJoinHandle<'_, _>| file.join().unwrap_or_else(|e| resume_unwind(e));
            Ok(Self { rules: rules.into_iter().map(join).collect::<Result<_, _>>()?, names: names? })
        })
    }
}

impl Language {
    /// Makes a language of a grammar and the texts of its folder; what that builds on is built in.
    ///
    /// # Errors
    /// When one of the texts is not valid; the error says where.
    pub fn new(grammar: Grammar, folder: &Folder) -> Result<Self, Error> {
        Self::of(grammar, &Lineage::of(folder, registry::folder)?)
    }

    /// With all of its queries compiled.
    fn of(grammar: Grammar, lineage: &Lineage) -> Result<Self, Error> {
        let language = Self::unprepared(grammar, lineage)?;
        let queries = Queries::new(&language.grammar, &language.sources, &language.manifest)?;
        Ok(Self { queries: queries.into(), ..language })
    }

    /// With rules and names that are compiled when they are first asked for; they have to be valid.
    fn unprepared(grammar: Grammar, lineage: &Lineage) -> Result<Self, Error> {
        let manifest = lineage.manifest()?;
        let kind = |key: &'static str, name: &str| {
            grammar.kind_id(name).ok_or_else(|| lineage.unknown_kind(key, name))
        };
        let empty = manifest
            .empty
            .iter()
            .map(|(name, text)| Ok((kind("empty", name)?, text.clone())))
            .collect::<Result<_, Error>>()?;
        let opaque = manifest.opaque.iter().map(|name| kind("opaque", name)).collect::<Result<_, _>>()?;
        let noise = (!manifest.noise.is_empty()).then(|| Regex::new(&manifest.noise.join("|")));
        let path = || lineage.own().manifest_path();
        let noise =
            noise.transpose().map_err(|source| Error::Noise { path: path(), source: Box::new(source) })?;
        let mut sources = lineage.sources()?;
        let injections = sources.remove(INJECTIONS).map(|source| Injections::load(&grammar, &source));
        let injections = injections.transpose()?;
        Ok(Self { manifest, grammar, injections, sources, queries: OnceLock::new(), empty, opaque, noise })
    }

    /// Compiles the rules and the names in a thread of its own, if nobody has yet: for C++ that takes a second.
    pub fn prepare(&'static self) {
        if self.queries.get().is_none() {
            // Without a thread it is done when they are first asked for.
            let _ = thread::Builder::new().spawn(|| self.queries());
        }
    }

    fn queries(&self) -> &Queries {
        self.queries.get_or_init(|| {
            Queries::new(&self.grammar, &self.sources, &self.manifest)
                .unwrap_or_else(|error| panic!("built-in language: {error}"))
        })
    }

    /// Its name, as `--language` takes it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.manifest.name
    }

    /// Its name for people.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.manifest.title
    }

    /// The endings of its files, without the dot.
    #[must_use]
    pub fn extensions(&self) -> &[String] {
        &self.manifest.extensions
    }

    /// The interpreters that a first line `#!` may name.
    #[must_use]
    pub fn interpreters(&self) -> &[String] {
        &self.manifest.interpreters
    }

    /// Whether indentation means something.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.manifest.layout
    }

    /// Its grammar.
    #[must_use]
    pub fn grammar(&self) -> &Grammar {
        &self.grammar
    }

    /// Its rules, a file each.
    #[must_use]
    pub fn rules(&self) -> &[RuleFile] {
        &self.queries().rules
    }

    /// Which nodes hold another language.
    #[must_use]
    pub fn injections(&self) -> Option<&Injections> {
        self.injections.as_ref()
    }

    /// What defines names and what refers to them.
    #[must_use]
    pub fn names(&self) -> Option<&NameQuery> {
        self.queries().names.as_ref()
    }

    /// What stands where all members of a list of this kind have gone.
    #[must_use]
    pub fn filler(&self, kind: u16) -> Option<&str> {
        self.empty.get(&kind).map(String::as_str)
    }

    /// A statement that does nothing but ask whether the file `{}` is there, if the language has one.
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

    /// Whether layout says nothing in this language.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.manifest.tokens.is_some()
    }

    /// A text of it laid out again, if layout says nothing in this language: a line for each statement.
    #[must_use]
    pub fn tidy(&self, text: &[u8]) -> Option<Vec<u8>> {
        let tokens = self.manifest.tokens.as_ref()?;
        Some(tokens.tidy(text)).filter(|tidied| tokens.normalised(tidied) == tokens.normalised(text))
    }

    /// The signs that its texts are written with.
    #[must_use]
    pub fn syntax(&self) -> &Syntax {
        &self.manifest.syntax
    }

    /// The programs that lay a text of it out again, the preferred one first.
    #[must_use]
    pub fn formatters(&self) -> &[Vec<String>] {
        &self.manifest.formatters
    }

    /// The programs that resolve the directives of a text of it, the preferred one first.
    #[must_use]
    pub fn preprocessors(&self) -> &[Vec<String>] {
        &self.manifest.preprocessors
    }

    /// What in a text the grammar often does not understand and a failure seldom needs, in order.
    pub fn noise<'t>(&'t self, text: &'t [u8]) -> impl Iterator<Item = Span> + 't {
        let found = self.noise.iter().flat_map(|noise| noise.find_iter(text));
        found.map(|one| Span::new(one.start() as u32, one.end() as u32))
    }

    /// How many places of a text do not fit the grammar.
    #[must_use]
    pub fn errors(&self, text: &[u8]) -> u32 {
        Parser::new(&self.grammar).parse(text).errors()
    }

    /// What in a text may stand anywhere, as comments do, in order.
    #[must_use]
    pub fn comments(&self, text: &[u8]) -> Vec<Span> {
        let tree = Tree::new(&Parser::new(&self.grammar).parse(text), 0);
        let nodes = tree.ids().map(|id| tree.node(id));
        nodes
            .filter(|node| node.is_extra() && node.is_named() && !node.is_error())
            .map(|node| node.span)
            .collect()
    }

    /// Whether lines inside a node of this kind are never re-indented.
    #[must_use]
    pub fn is_opaque(&self, kind: u16) -> bool {
        self.opaque.contains(&kind)
    }
}
