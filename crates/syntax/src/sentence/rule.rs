//! The rules of a grammar, as in `grammar.json` of tree-sitter.

use serde::Deserialize;
use std::collections::BTreeMap;

/// The part of `grammar.json` that sentences depend on.
#[derive(Debug, Deserialize)]
pub(super) struct GrammarFile {
    /// The rule of ordinary identifiers.
    #[serde(default)]
    pub word: Option<String>,
    pub rules: BTreeMap<String, Rule>,
    #[serde(default)]
    externals: Vec<Rule>,
    /// The rules that stand for one of several kinds and create no node.
    #[serde(default)]
    supertypes: Vec<String>,
    #[serde(default)]
    inline: Vec<String>,
}

/// One rule, or a part of one.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum Rule {
    Blank,
    String {
        value: String,
    },
    Pattern {
        value: String,
        #[serde(default)]
        flags: Option<String>,
    },
    Symbol {
        name: String,
    },
    Seq {
        members: Vec<Rule>,
    },
    Choice {
        members: Vec<Rule>,
    },
    Repeat {
        content: Box<Rule>,
    },
    Repeat1 {
        content: Box<Rule>,
    },
    Token {
        content: Box<Rule>,
    },
    ImmediateToken {
        content: Box<Rule>,
    },
    Alias {
        content: Box<Rule>,
        named: bool,
        value: String,
    },
    Field {
        content: Box<Rule>,
    },
    #[serde(alias = "PREC_LEFT", alias = "PREC_RIGHT", alias = "PREC_DYNAMIC", alias = "RESERVED")]
    Prec {
        content: Box<Rule>,
    },
    /// A rule type of another version of the generator; it has no sentence.
    #[serde(other)]
    Unknown,
}

impl Rule {
    /// Returns the rule inside, if there is exactly one.
    pub fn content(&self) -> Option<&Self> {
        match self {
            Self::Repeat { content }
            | Self::Repeat1 { content }
            | Self::Token { content }
            | Self::ImmediateToken { content }
            | Self::Alias { content, .. }
            | Self::Field { content }
            | Self::Prec { content } => Some(content),
            _ => None,
        }
    }

    /// Lists the rules directly inside.
    fn inner(&self) -> &[Self] {
        match self {
            Self::Seq { members } | Self::Choice { members } => members,
            _ => self.content().map_or(&[], std::slice::from_ref),
        }
    }
}

impl GrammarFile {
    /// Lists the rules that create named nodes, with their names.
    pub fn visible(&self) -> impl Iterator<Item = (&str, &Rule)> {
        let all = self.rules.iter().map(|(name, rule)| (name.as_str(), rule));
        all.filter(|(name, _)| !self.is_hidden(name))
    }

    /// Returns whether a rule creates no node.
    pub fn is_hidden(&self, name: &str) -> bool {
        let is_in = |names: &[String]| names.iter().any(|other| other == name);
        name.starts_with('_') || is_in(&self.supertypes) || is_in(&self.inline)
    }

    /// Lists the names that nodes have only in some places, with their rules.
    pub fn aliases(&self) -> Vec<(&str, &Rule)> {
        let mut waiting: Vec<&Rule> = self.rules.values().collect();
        let mut found = Vec::new();
        while let Some(rule) = waiting.pop() {
            if let Rule::Alias { content, named: true, value } = rule {
                found.push((value.as_str(), &**content));
            }
            waiting.extend(rule.inner());
        }
        found
    }

    /// Lists the tokens of the external scanner that have no rule.
    pub fn externals(&self) -> impl Iterator<Item = &str> {
        self.externals.iter().filter_map(|rule| match rule {
            Rule::Symbol { name } if !self.rules.contains_key(name) => Some(name.as_str()),
            _ => None,
        })
    }
}

/// Returns whether the name of a scanner token suggests that it ends a line or a statement, and can be empty.
pub(super) fn ends_line(name: &str) -> bool {
    ["newline", "semicolon", "line_break", "line_end", "terminator", "eof"]
        .iter()
        .any(|part| name.contains(part))
}
