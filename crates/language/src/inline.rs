//! Reads `inline.scm` and `[inline]` of a manifest: which nodes take in another file, where that file is, and what
//! takes the place of such a node once the file's text comes in.
//!
//! It knows no files.

use super::Error;
use super::rule::compile;
use super::source::Source;
use super::vocabulary::INLINE;
use nubbin_syntax::edit::Span;
use nubbin_syntax::{Grammar, Parsed, Query};
use serde::Deserialize;

/// The role of a capture of `inline.scm`; `grammars/README.md` explains each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum InlineRole {
    Statement,
    Path,
    Up,
    Name,
    Alias,
    All,
    Mark,
    Once,
    Guard,
    Own,
    Idle,
    Apart,
    Later,
    First,
    Access,
    Object,
    Member,
}

/// The captures, each with its role.
const ROLES: &[(&str, InlineRole)] = &[
    ("inline", InlineRole::Statement),
    ("inline.path", InlineRole::Path),
    ("inline.up", InlineRole::Up),
    ("inline.name", InlineRole::Name),
    ("inline.alias", InlineRole::Alias),
    ("inline.all", InlineRole::All),
    ("inline.mark", InlineRole::Mark),
    ("inline.once", InlineRole::Once),
    ("inline.guard", InlineRole::Guard),
    ("inline.own", InlineRole::Own),
    ("inline.idle", InlineRole::Idle),
    ("inline.apart", InlineRole::Apart),
    ("inline.later", InlineRole::Later),
    ("inline.first", InlineRole::First),
    ("inline.access", InlineRole::Access),
    ("inline.object", InlineRole::Object),
    ("inline.member", InlineRole::Member),
];

/// The patterns of `inline.scm`.
#[derive(Debug)]
pub struct InlineQuery {
    query: Query,
    /// The role of each capture; `None` for one that only a predicate uses.
    roles: Vec<Option<InlineRole>>,
}

impl InlineQuery {
    /// Loads `inline.scm`.
    ///
    /// # Errors
    /// Returns an error with file, line and column for an unknown word and for a node that the grammar does not have.
    pub(super) fn load(grammar: &Grammar, source: &Source) -> Result<Self, Error> {
        let query = compile(grammar, source, INLINE)?;
        let role = |name: &&str| ROLES.iter().find(|(known, _)| known == name).map(|(_, role)| *role);
        let roles = query.capture_names().iter().map(role).collect();
        Ok(Self { query, roles })
    }

    /// Returns the captures of each match in `parsed`, which is the tree of `text`.
    #[must_use]
    pub fn matches(&self, parsed: &Parsed, text: &[u8]) -> Vec<Vec<(InlineRole, Span)>> {
        let (matches, _) = self.query.matches(parsed, text);
        let captures = |one: nubbin_syntax::Match| {
            let roles = one.captures.iter().map(|capture| (self.roles[capture.name as usize], capture.span));
            roles.filter_map(|(role, span)| Some((role?, span))).collect()
        };
        matches.into_iter().map(captures).collect()
    }
}

/// The directories in which a file is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Search {
    /// The directory of the file that takes it in.
    Beside,
    /// The directories around that one.
    Above,
    /// The directories that the command names, or all of those in an archive.
    Given,
}

/// The table `[inline]` of a manifest.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InlineForms {
    /// The paths of the file, the likeliest first: `{path}` is the captured one, and `{stem}` the name of the file that
    /// takes it in, without its ending.
    pub paths: Vec<String>,
    /// The directories in which it is looked for, in order.
    pub search: Vec<Search>,
    /// The text between the parts of a captured path, if they are not those of a file's path. Then a part may be a
    /// package, which comes in before what is in it.
    #[serde(default)]
    pub separator: Option<String>,
    /// The text that takes the place of the `{statement}`, with the `{text}` of the file.
    #[serde(default = "text")]
    pub form: String,
    /// The part of the language in which all files have one space of names, if it has such a part: names are made
    /// unique, and a file comes in once.
    #[serde(default)]
    pub names: Option<NameForms>,
}

/// The table `[inline.names]`: how names are made unique.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NameForms {
    /// The statement that gives a `{value}` a `{name}`.
    pub assign: String,
    /// The statement after a class that has got a `{name}` for its `{old}` one, by which it still knows that.
    pub class: String,
    /// The object of all names of the file that everything comes into.
    pub object: String,
    /// The form in which a `{name}` is taken in under an `{alias}`.
    pub alias: String,
    /// The statement that does nothing.
    pub nothing: String,
    /// The text between two statements on a line.
    pub join: String,
    /// The text between two names that are taken in.
    pub separator: String,
    /// The beginning of names that have a meaning of their own in each file, and stay as they are.
    pub special: String,
}

fn text() -> String {
    "{text}".to_owned()
}
