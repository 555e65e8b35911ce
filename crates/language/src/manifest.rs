//! `language.toml`: what a grammar does not say of its language.

use super::common::Syntax;
use super::kind::{KindForms, NameKind};
use super::normal::Tokens;
use nubbin_syntax::Layout;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The contents of `language.toml`; `grammars/README.md` explains each key.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// What `--language` takes.
    pub name: String,
    /// For people.
    pub title: String,
    /// The language that this one builds on.
    #[serde(default)]
    pub inherits: Option<String>,
    /// What of that does not hold here: rules, parts, files and keys.
    #[serde(default)]
    pub without: Vec<String>,
    /// File endings, without the dot.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// Names that a first line `#!` may end in.
    #[serde(default)]
    pub interpreters: Vec<String>,
    /// Whether indentation means something.
    #[serde(default)]
    pub layout: Layout,
    /// Kinds whose lines are never re-indented.
    #[serde(default)]
    pub opaque: Vec<String>,
    /// What stands where every member of a list has gone, by the list's kind.
    #[serde(default)]
    pub empty: BTreeMap<String, String>,
    /// A statement that does nothing but ask whether the file `{}` is there; it can stand before any statement.
    #[serde(default)]
    pub mark: Option<String>,
    /// What a grammar often does not understand and a failure seldom needs, as regular expressions over bytes.
    #[serde(default)]
    pub noise: Vec<String>,
    /// Programs that lay a text out again: each with its arguments, reading standard input or the file `{}`.
    #[serde(default)]
    pub formatters: Vec<Vec<String>>,
    /// Programs that resolve the directives of a text, in the same form.
    #[serde(default)]
    pub preprocessors: Vec<Vec<String>>,
    /// The signs that its texts are written with, where they differ from those of most languages.
    #[serde(default)]
    pub syntax: Syntax,
    /// What holds for all names of a kind.
    #[serde(default)]
    pub kinds: BTreeMap<NameKind, KindForms>,
    /// Where blanks between tokens say nothing: how tokens are told from them.
    #[serde(default)]
    pub tokens: Option<Tokens>,
}
