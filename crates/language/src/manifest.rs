//! Reads `language.toml`: facts about a language that its grammar does not contain.
//!
//! It checks the keys, not whether the grammar has the kinds that are named.

use super::Language;
use super::common::Syntax;
use super::constants::Constants;
use super::inline::InlineForms;
use super::kind::{KindForms, NameKind};
use super::normal::Tokens;
use nubbin_syntax::Layout;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The contents of `language.toml`; `grammars/README.md` explains each key.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of its own")]
pub struct Manifest {
    /// The name of the language, which `--language` takes.
    pub name: String,
    /// The name of the language for people.
    pub title: String,
    /// The name of the language that this one inherits from.
    #[serde(default)]
    pub inherits: Option<String>,
    /// The names of inherited things that do not hold here: rules, parts, files and keys.
    #[serde(default)]
    pub without: Vec<String>,
    /// The endings of the language's files, without the dot.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// The names of interpreters that mark a file of the language, if its first line (`#!`) names one of them.
    #[serde(default)]
    pub interpreters: Vec<String>,
    /// The role of blanks and line ends, for example whether indentation means something.
    #[serde(default)]
    pub layout: Layout,
    /// The kinds of nodes whose lines must not be re-indented.
    #[serde(default)]
    pub opaque: Vec<String>,
    /// The kinds of nodes of which no part goes by itself, though the grammar lets it: the rest would make no sense.
    #[serde(default)]
    pub whole: Vec<String>,
    /// The text that replaces a list when all of its members are removed, by the list's kind.
    #[serde(default)]
    pub empty: BTreeMap<String, String>,
    /// Is false if the rules of the language say more than the smallest sentences of its grammar would.
    #[serde(default = "yes")]
    pub sentences: bool,
    /// Is false if tokens that the grammar has beside the members of a list do not go with these: a `;` behind a member,
    /// or commas between members among other children.
    #[serde(default = "yes")]
    pub terminators: bool,
    /// Is true if a variable or an import that nothing uses is an error, so that it goes with its last use.
    #[serde(default)]
    pub needs_uses: bool,
    /// Is true if a name is known only behind its declaration, so that what uses it comes after that.
    #[serde(default)]
    pub needs_order: bool,
    /// The passes that bring nothing in texts of the language.
    #[serde(default)]
    pub idle: Vec<Idle>,
    /// A statement whose only effect is a check whether the file `{}` exists. It can stand before any statement.
    #[serde(default)]
    pub mark: Option<String>,
    /// The parts of a text that grammars often cannot parse and that a failure seldom needs, as regular expressions
    /// over bytes.
    #[serde(default)]
    pub noise: Vec<String>,
    /// The commands that format a text: each a program with its arguments, which reads standard input or the file `{}`.
    #[serde(default)]
    pub formatters: Vec<Vec<String>>,
    /// The commands that resolve the preprocessor directives of a text, in the same form.
    #[serde(default)]
    pub preprocessors: Vec<Vec<String>>,
    /// The commands that succeed where the text in the file `{}` is valid: each a program with its arguments.
    #[serde(default)]
    pub validators: Vec<Vec<String>>,
    /// The signs that texts of the language are written with, if they differ from those of most languages.
    #[serde(default)]
    pub syntax: Syntax,
    /// The facts that hold for all names of a kind.
    #[serde(default)]
    pub kinds: BTreeMap<NameKind, KindForms>,
    /// The constants for what is declared with a type, in place of that of its kind.
    #[serde(default)]
    pub constants: Constants,
    /// The way in which another file comes in where a text takes it in.
    #[serde(default)]
    pub inline: Option<InlineForms>,
    /// The way to tell tokens from blanks, for a language in which blanks between tokens mean nothing.
    #[serde(default)]
    pub tokens: Option<Tokens>,
}

/// A pass that can be switched off for a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Idle {
    /// Replaces a node by one of its descendants.
    Hoist,
    /// Replaces a node by a smaller node of its kind from elsewhere in the text.
    Substitute,
    /// Deletes runs of adjacent tokens, and references to names that they define.
    #[serde(rename = "delete-token-ranges")]
    Span,
    /// Replaces a statement by a call that it contains.
    #[serde(rename = "statement-to-call")]
    Evaluate,
}

fn yes() -> bool {
    true
}

impl Language {
    /// Tells whether no part of a node of this kind goes by itself.
    #[must_use]
    pub fn is_whole(&self, kind: u16) -> bool {
        let whole = &self.manifest.whole;
        !whole.is_empty() && whole.iter().any(|name| name == self.grammar.kind_name(kind))
    }
}
