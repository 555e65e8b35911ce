//! Reads `inline.scm` and the `[inline]` table of a manifest: the nodes that include another file, where that
//! file is, and what replaces such a node. This module does not read the included files.

use super::Error;
use super::rule::compile;
use super::source::Source;
use super::vocabulary::INLINE;
use nubbin_syntax::edit::Span;
use nubbin_syntax::{Grammar, Parsed, Query};
use serde::Deserialize;

/// The role of a capture of `inline.scm`. `grammars/README.md` documents each.
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

/// The captures and their roles.
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
    /// The role of each capture; `None` for one that is only used by a predicate.
    roles: Vec<Option<InlineRole>>,
}

impl InlineQuery {
    /// Loads `inline.scm`.
    ///
    /// # Errors
    /// Returns an error with file, line and column for an unknown word or an unknown node.
    pub(super) fn load(grammar: &Grammar, source: &Source) -> Result<Self, Error> {
        let query = compile(grammar, source, INLINE)?;
        let role = |name: &&str| ROLES.iter().find(|(known, _)| known == name).map(|(_, role)| *role);
        let roles = query.capture_names().iter().map(role).collect();
        Ok(Self { query, roles })
    }

    /// Returns the captures of each match in `parsed`, the tree of `text`.
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

/// A set of directories in which an included file is searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Search {
    /// The directory of the including file.
    Beside,
    /// The directories above that one.
    Above,
    /// The directories that the command specifies, or all directories of an archive.
    Given,
}

/// The table `[inline]` of a manifest.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InlineForms {
    /// The paths to try, the most likely first: `{path}` is the captured path, `{stem}` the name of the
    /// including file without its extension.
    pub paths: Vec<String>,
    /// The directories to search, in order.
    pub search: Vec<Search>,
    /// The separator of a captured path if it is not a file path. A part of such a path can be a package, which
    /// is included before its contents.
    #[serde(default)]
    pub separator: Option<String>,
    /// The text that replaces the `{statement}`, with the `{text}` of the file.
    #[serde(default = "text")]
    pub form: String,
    /// Set if all files share one namespace after inlining: names are made unique, and a file is included once.
    #[serde(default)]
    pub names: Option<NameForms>,
}

/// The table `[inline.names]`: how names are made unique.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NameForms {
    /// The statement that assigns a `{value}` to a `{name}`.
    pub assign: String,
    /// The statement after a class that was renamed from `{old}` to `{name}`; for example to restore
    /// the old name as an attribute.
    pub class: String,
    /// An expression for the object that holds all names of the file.
    pub object: String,
    /// The form of an import of a `{name}` under an `{alias}`.
    pub alias: String,
    /// The statement that does nothing.
    pub nothing: String,
    /// The text between two statements on a line.
    pub join: String,
    /// The text between two imported names.
    pub separator: String,
    /// The prefix of names that have a separate meaning in each file and are not renamed.
    pub special: String,
}

fn text() -> String {
    "{text}".to_owned()
}
