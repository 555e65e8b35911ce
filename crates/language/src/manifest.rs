//! Reads `language.toml`: facts about a language that its grammar does not contain. The keys are checked here,
//! but not whether the grammar has the kinds in them.

use super::Language;
use super::common::Syntax;
use super::constants::Constants;
use super::inline::InlineForms;
use super::kind::{KindForms, NameKind};
use super::normal::Tokens;
use nubbin_syntax::Layout;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The contents of `language.toml`. `grammars/README.md` documents each key.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of its own")]
pub struct Manifest {
    /// The name of the language for `--language`.
    pub name: String,
    /// The display name of the language.
    pub title: String,
    /// The language that this one inherits from.
    #[serde(default)]
    pub inherits: Option<String>,
    /// The inherited rules, parts, files and keys that do not apply here.
    #[serde(default)]
    pub without: Vec<String>,
    /// The file name extensions of the language, without the dot.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// The names of interpreters in a first line (`#!`) that mark a file of the language.
    #[serde(default)]
    pub interpreters: Vec<String>,
    /// The role of whitespace and line breaks.
    #[serde(default)]
    pub layout: Layout,
    /// The kinds of nodes whose lines must not be re-indented.
    #[serde(default)]
    pub opaque: Vec<String>,
    /// The kinds of nodes of which no part is removed separately, although the grammar allows it, because the
    /// rest would be invalid.
    #[serde(default)]
    pub whole: Vec<String>,
    /// The text that replaces a list when all of its members are removed, by the kind of the list.
    #[serde(default)]
    pub empty: BTreeMap<String, String>,
    /// False if the rules of the language make the smallest sentences of its grammar redundant.
    #[serde(default = "yes")]
    pub sentences: bool,
    /// False if tokens next to the members of a list are not removed together with them: a `;` after a member,
    /// or commas between members among other children.
    #[serde(default = "yes")]
    pub terminators: bool,
    /// True if an unused variable or import is an error, so that it is removed with its last use.
    #[serde(default)]
    pub needs_uses: bool,
    /// True if a name must be declared before its use.
    #[serde(default)]
    pub needs_order: bool,
    /// The passes that find nothing in texts of the language.
    #[serde(default)]
    pub idle: Vec<Idle>,
    /// A statement whose only effect is to check whether the file `{}` exists. It is valid before any
    /// statement.
    #[serde(default)]
    pub mark: Option<String>,
    /// The parts of a text that grammars often cannot parse and that a failure rarely needs, as regular
    /// expressions over bytes.
    #[serde(default)]
    pub noise: Vec<String>,
    /// The commands that format a text: each a program with arguments that reads standard input or the file
    /// `{}`.
    #[serde(default)]
    pub formatters: Vec<Vec<String>>,
    /// The commands that resolve the preprocessor directives of a text, in the same form.
    #[serde(default)]
    pub preprocessors: Vec<Vec<String>>,
    /// The commands that succeed if the text in the file `{}` is valid: each a program with arguments.
    #[serde(default)]
    pub validators: Vec<Vec<String>>,
    /// The syntax of the language where it differs from that of most languages.
    #[serde(default)]
    pub syntax: Syntax,
    /// The properties of all names of a kind.
    #[serde(default)]
    pub kinds: BTreeMap<NameKind, KindForms>,
    /// The constants for symbols with a declared type, which override those of their kinds.
    #[serde(default)]
    pub constants: Constants,
    /// How a node that includes another file is replaced.
    #[serde(default)]
    pub inline: Option<InlineForms>,
    /// How to distinguish tokens and whitespace, for a language in which whitespace between tokens is
    /// insignificant.
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
    /// Returns whether no part of a node of this kind is removed separately.
    #[must_use]
    pub fn is_whole(&self, kind: u16) -> bool {
        let whole = &self.manifest.whole;
        !whole.is_empty() && whole.iter().any(|name| name == self.grammar.kind_name(kind))
    }
}
