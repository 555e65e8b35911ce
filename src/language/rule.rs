//! Rules and injections: query files, checked when they are loaded, and what their matches ask for.

use super::Error;
use super::vocabulary::{self, INJECTIONS, RULES, Vocabulary};
use crate::edit::Span;
use crate::syntax::{Grammar, Parsed, Query, QueryError};
use std::path::Path;

/// One file of rules.
#[derive(Debug)]
pub struct RuleFile {
    query: Query,
    /// For each pattern, its rule's name and the text that it puts in place of `@replace`.
    patterns: Vec<(String, Option<String>)>,
    delete: Option<u32>,
    replace: Option<u32>,
    with: Option<u32>,
}

/// What one match of a rule asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// These nodes go, together.
    Delete(Vec<Span>),
    /// A node becomes another one that lies inside of it.
    Hoist {
        /// The node that is replaced.
        outer: Span,
        /// What stays of it.
        inner: Span,
    },
    /// A node becomes a text.
    Text {
        /// The node that is replaced.
        outer: Span,
        /// What it becomes.
        text: String,
    },
}

/// One match of one rule.
#[derive(Clone, Debug)]
pub struct RuleMatch<'a> {
    /// The rule's name.
    pub rule: &'a str,
    /// What it asks for.
    pub rewrite: Rewrite,
}

impl RuleFile {
    /// Loads the rules in `text`, the contents of `path`.
    ///
    /// # Errors
    /// With file, line and column: for an unknown capture, property or operator, for a pattern that asks for
    /// nothing or for too much, and for what the grammar does not have.
    pub fn load(grammar: &Grammar, path: &Path, text: &str) -> Result<Self, Error> {
        let query = compile(grammar, path, text, RULES)?;
        let number = |name: &str| query.capture_names().iter().position(|n| *n == name).map(|i| i as u32);
        let (delete, replace, with) = (number("delete"), number("replace"), number("with"));
        let mut patterns = Vec::new();
        for pattern in 0..query.patterns() {
            let captures = |name: Option<u32>| name.and_then(|name| query.captures_in(pattern, name));
            let rule = query.property(pattern, "rule").map(str::to_owned);
            let replacement = query.property(pattern, "text").map(str::to_owned);
            let wrong = match (captures(delete), captures(replace), captures(with), &replacement) {
                _ if rule.is_none() => Some("the pattern has no name; add `(#set! rule \"name\")`"),
                (Some(_), None, None, None)
                | (None, Some(true), Some(true), None)
                | (None, Some(true), None, Some(_)) => None,
                (None, None, ..) => Some("the pattern asks for nothing; capture `@delete` or `@replace`"),
                (Some(_), ..) => Some("`@delete` stands alone: no `@replace`, `@with` or `text` beside it"),
                (None, Some(false), ..) | (None, _, Some(false), _) => {
                    Some("`@replace` and `@with` are captured exactly once: no `?`, `*`, `+` or alternatives")
                }
                (None, Some(true), ..) => Some("`@replace` needs either `@with` or `(#set! text \"…\")`"),
            };
            if let Some(message) = wrong {
                return Err(error(path, text, query.start_of(pattern), message.into()));
            }
            patterns.push((rule.unwrap_or_default(), replacement));
        }
        Ok(Self { query, patterns, delete, replace, with })
    }

    /// The names of its rules, in order, each once.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in &self.patterns {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names
    }

    /// All matches in `parsed`, the tree of `text`; and whether some were lost in a file too deep or too wide.
    #[must_use]
    pub fn matches(&self, parsed: &Parsed, text: &[u8]) -> (Vec<RuleMatch<'_>>, bool) {
        let (matches, lost) = self.query.matches(parsed, text);
        let found = matches.into_iter().filter_map(|one| {
            let (rule, text) = &self.patterns[one.pattern];
            let span = |name: Option<u32>| one.captures.iter().find(|c| Some(c.name) == name).map(|c| c.span);
            let rewrite = match (span(self.replace), text) {
                (Some(outer), Some(text)) => Rewrite::Text { outer, text: text.clone() },
                (Some(outer), None) => Rewrite::Hoist { outer, inner: span(self.with)? },
                (None, _) => {
                    let gone = one.captures.iter().filter(|c| Some(c.name) == self.delete);
                    Rewrite::Delete(gone.map(|c| c.span).collect())
                }
            };
            Some(RuleMatch { rule, rewrite })
        });
        (found.collect(), lost)
    }
}

/// Which nodes hold another language.
#[derive(Debug)]
pub struct Injections {
    query: Query,
    languages: Vec<String>,
    content: u32,
}

impl Injections {
    /// Loads `injections.scm`.
    ///
    /// # Errors
    /// As for rules.
    pub fn load(grammar: &Grammar, path: &Path, text: &str) -> Result<Self, Error> {
        let query = compile(grammar, path, text, INJECTIONS)?;
        let content = query.capture_names().iter().position(|n| *n == "injection.content");
        let mut languages = Vec::new();
        for pattern in 0..query.patterns() {
            let language = query.property(pattern, "injection.language");
            let (Some(language), Some(_)) = (language, content) else {
                let message =
                    "an injection needs `@injection.content` and `(#set! injection.language \"…\")`";
                return Err(error(path, text, query.start_of(pattern), message.into()));
            };
            languages.push(language.to_owned());
        }
        Ok(Self { query, languages, content: content.unwrap_or_default() as u32 })
    }

    /// The spans in another language, each with that language's name.
    #[must_use]
    pub fn find(&self, parsed: &Parsed, text: &[u8]) -> Vec<(Span, &str)> {
        let (matches, _) = self.query.matches(parsed, text);
        let found = matches.into_iter().flat_map(|one| {
            let language = self.languages[one.pattern].as_str();
            let content: Vec<_> = one.captures.into_iter().filter(|c| c.name == self.content).collect();
            content.into_iter().map(move |capture| (capture.span, language))
        });
        found.collect()
    }
}

pub(super) fn compile(grammar: &Grammar, path: &Path, text: &str, words: Vocabulary) -> Result<Query, Error> {
    vocabulary::check(text, words).map_err(|unknown| error(path, text, unknown.at, unknown.message))?;
    Query::new(grammar, text).map_err(|QueryError { line, column, message }| Error::Rule {
        path: path.to_owned(),
        line,
        column,
        message,
    })
}

pub(super) fn error(path: &Path, text: &str, at: usize, message: String) -> Error {
    let (line, column) = vocabulary::position(text, at);
    Error::Rule { path: path.to_owned(), line, column, message }
}
