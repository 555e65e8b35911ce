//! Loads rules and injections from query files, checks them, and converts their matches to edits. Which
//! rewrites are tried is decided elsewhere.

use super::Error;
use super::source::Source;
use super::vocabulary::{INJECTIONS, RULES, Vocabulary};
use nubbin_syntax::edit::Span;
use nubbin_syntax::{Capture, Grammar, Parsed, Query, QueryError};
use regex::bytes::Regex;

/// One file of rules.
#[derive(Debug)]
pub struct RuleFile {
    query: Query,
    patterns: Vec<Pattern>,
    captures: Captures,
}

/// The properties that a pattern sets.
#[derive(Debug)]
struct Pattern {
    rule: String,
    /// The text that replaces the node `@replace`.
    text: Option<String>,
    /// The part of the node `@replace` that the text replaces. A node without such a part does not match.
    from: Option<Regex>,
    /// The text that replaces the node `@also`.
    also: Option<String>,
    /// True if the rule is only tried after all larger rewrites are exhausted.
    is_late: bool,
    is_last: bool,
}

/// The numbers of the captures in the file.
#[derive(Clone, Copy, Debug)]
struct Captures {
    delete: Option<u32>,
    replace: Option<u32>,
    also: Option<u32>,
    with: Option<u32>,
    outdent: Option<u32>,
}

/// The edit of one match of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rewrite {
    /// A node is replaced by another node inside it.
    Hoist {
        /// The node that is replaced.
        outer: Span,
        /// The node inside it that stays.
        inner: Span,
    },
    /// Several edits that are applied together.
    Change {
        /// The nodes that are removed.
        deleted: Vec<Span>,
        /// The nodes that are replaced, each with its text.
        replaced: Vec<(Span, String)>,
        /// The blocks whose lines get the indentation of the line in which the match begins.
        outdented: Vec<Span>,
    },
}

/// One match of one rule.
#[derive(Clone, Debug)]
pub struct RuleMatch<'a> {
    /// The name of the rule.
    pub rule: &'a str,
    /// The edit.
    pub rewrite: Rewrite,
    /// True if the rule is only tried after all larger rewrites are exhausted.
    pub is_late: bool,
    /// True if the rule is only tried after everything else is exhausted, with few probes.
    pub is_last: bool,
}

impl RuleFile {
    /// Loads the rules of a file.
    ///
    /// # Errors
    /// Returns an error with file, line and column for an unknown capture, property or operator, for a pattern
    /// without edits or with contradictory edits, and for a node that the grammar does not have.
    pub(super) fn load(grammar: &Grammar, source: &Source) -> Result<Self, Error> {
        let query = compile(grammar, source, RULES)?;
        let number = |name: &str| query.capture_names().iter().position(|n| *n == name).map(|i| i as u32);
        let captures = Captures {
            delete: number("delete"),
            replace: number("replace"),
            also: number("also"),
            with: number("with"),
            outdent: number("outdent"),
        };
        let mut patterns = Vec::new();
        for number in 0..query.patterns() {
            let property = |name: &str| query.property(number, name).map(str::to_owned);
            let wrong = |message| source.error(query.start_of(number), message);
            let rule = property("rule");
            let from = property("from").map(|from| Regex::new(&from)).transpose();
            let pattern = Pattern {
                rule: rule.clone().unwrap_or_default(),
                text: property("text"),
                from: from.map_err(|error| wrong(format!("`from`: {error}")))?,
                also: property("also"),
                is_late: property("late").is_some(),
                is_last: property("last").is_some(),
            };
            let unnamed = "the pattern has no name; add `(#set! rule \"name\")`";
            if let Some(message) = rule.map_or(Some(unnamed), |_| captures.wrong(&query, number, &pattern)) {
                return Err(wrong(message.into()));
            }
            patterns.push(pattern);
        }
        Ok(Self { query, patterns, captures })
    }

    /// Lists the names of the rules in order, each once.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for pattern in &self.patterns {
            if !names.contains(&pattern.rule.as_str()) {
                names.push(&pattern.rule);
            }
        }
        names
    }

    /// Returns all matches in `parsed`, the tree of `text`. The flag is true if matches were lost because the
    /// text is nested too deeply or has too many nodes.
    #[must_use]
    pub fn matches(&self, parsed: &Parsed, text: &[u8]) -> (Vec<RuleMatch<'_>>, bool) {
        let (matches, lost) = self.query.matches(parsed, text);
        let found = matches.into_iter().filter_map(|one| {
            let pattern = &self.patterns[one.pattern];
            let all =
                |name: Option<u32>| one.captures.iter().filter(move |c| Some(c.name) == name).map(|c| c.span);
            let first = |name: Option<u32>| all(name).next();
            let rewrite = if let Some(inner) = first(self.captures.with) {
                Rewrite::Hoist { outer: first(self.captures.replace)?, inner }
            } else if let Some(from) = &pattern.from {
                let node = first(self.captures.replace)?;
                let whole = node.of(text);
                let found = from.find(whole)?;
                let mut part = Vec::new();
                from.captures(whole)?.expand(pattern.text.as_ref()?.as_bytes(), &mut part);
                let part = String::from_utf8_lossy(&part).into_owned();
                let place = Span::new(node.start + found.start() as u32, node.start + found.end() as u32);
                let deleted = all(self.captures.delete).collect();
                Rewrite::Change { deleted, replaced: vec![(place, part)], outdented: Vec::new() }
            } else {
                let texts = [(self.captures.replace, &pattern.text), (self.captures.also, &pattern.also)];
                let replaced = texts.into_iter().filter_map(|(name, form)| {
                    Some((first(name)?, self.filled_in(form.as_ref()?, &one.captures, text)))
                });
                Rewrite::Change {
                    deleted: all(self.captures.delete).collect(),
                    replaced: replaced.collect(),
                    outdented: all(self.captures.outdent).collect(),
                }
            };
            Some(RuleMatch {
                rule: &pattern.rule,
                rewrite,
                is_late: pattern.is_late,
                is_last: pattern.is_last,
            })
        });
        (found.collect(), lost)
    }

    /// Replaces each `{_name}` in a text by the bytes of the captured node with that name.
    fn filled_in(&self, form: &str, captures: &[Capture], text: &[u8]) -> String {
        let mut filled = form.to_owned();
        for capture in captures {
            let place = format!("{{{}}}", self.query.capture_names()[capture.name as usize]);
            if place.starts_with("{_") && filled.contains(&place) {
                filled = filled.replace(&place, &String::from_utf8_lossy(capture.span.of(text)));
            }
        }
        filled
    }
}

impl Captures {
    /// Checks the captures and properties of a pattern, and returns an error message if they are invalid.
    fn wrong(self, query: &Query, number: usize, pattern: &Pattern) -> Option<&'static str> {
        let count = |name: Option<u32>| name.and_then(|name| query.captures_in(number, name));
        let (delete, replace, also) = (count(self.delete), count(self.replace), count(self.also));
        let (with, outdent) = (count(self.with), count(self.outdent));
        if [delete, replace, also, with].iter().all(Option::is_none) {
            return Some("the pattern has no edit; capture `@delete` or `@replace`");
        }
        if [replace, also, with].contains(&Some(false)) {
            return Some(
                "`@replace`, `@also` and `@with` must be captured exactly once, without `?`, `*`, `+` or alternatives",
            );
        }
        if with.is_some() {
            let alone = replace.is_some() && pattern.text.is_none();
            return if !alone {
                Some("`@with` requires `@replace` and excludes `text`")
            } else if [delete, also, outdent].iter().any(Option::is_some) {
                Some("`@with` cannot be combined with `@delete`, `@also` or `@outdent`")
            } else {
                None
            };
        }
        if pattern.from.is_some() && (replace.is_none() || also.is_some() || outdent.is_some()) {
            return Some("`from` requires `@replace` and excludes `@also` and `@outdent`");
        }
        match (replace, &pattern.text, also, &pattern.also) {
            (Some(_), None, ..) => Some("`@replace` requires either `@with` or `(#set! text \"…\")`"),
            (None, Some(_), ..) => Some("`text` is set, but nothing is captured as `@replace`"),
            (_, _, Some(_), None) => Some("`@also` requires `(#set! also \"…\")`"),
            (_, _, None, Some(_)) => Some("`also` is set, but nothing is captured as `@also`"),
            (None, _, Some(_), _) => Some("`@also` requires `@replace`"),
            _ => {
                let forms = [&pattern.text, &pattern.also];
                let is_known = |form: &&String| {
                    form.split("{_").skip(1).filter_map(|rest| rest.split_once('}')).all(|(name, _)| {
                        let known =
                            query.capture_names().iter().position(|n| n.strip_prefix('_') == Some(name));
                        known.is_some_and(|known| query.captures_in(number, known as u32) == Some(true))
                    })
                };
                let known = forms.into_iter().flatten().all(|form| is_known(&form));
                (!known)
                    .then_some("a text contains `{_…}`, but the pattern does not capture `@_…` exactly once")
            }
        }
    }
}

/// A query for nodes with text in another language.
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
    /// Returns the same errors as [`RuleFile::load`].
    pub(super) fn load(grammar: &Grammar, source: &Source) -> Result<Self, Error> {
        let query = compile(grammar, source, INJECTIONS)?;
        let content = query.capture_names().iter().position(|n| *n == "injection.content");
        let mut languages = Vec::new();
        for pattern in 0..query.patterns() {
            let language = query.property(pattern, "injection.language");
            let (Some(language), Some(_)) = (language, content) else {
                let message =
                    "an injection requires `@injection.content` and `(#set! injection.language \"…\")`";
                return Err(source.error(query.start_of(pattern), message.into()));
            };
            languages.push(language.to_owned());
        }
        Ok(Self { query, languages, content: content.unwrap_or_default() as u32 })
    }

    /// Returns the spans with text in another language, each with the name of that language.
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

pub(super) fn compile(grammar: &Grammar, source: &Source, words: Vocabulary) -> Result<Query, Error> {
    source.check(words)?;
    Query::new(grammar, source.text()).map_err(|QueryError { at, message, .. }| source.error(at, message))
}
