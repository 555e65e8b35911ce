//! Queries over trees, with access to all captures and properties.

use super::{Grammar, Parsed};
use crate::edit::Span;
use crate::stop;
use streaming_iterator::StreamingIterator;

/// Maximum number of matches in progress. It is sufficient for any text that does not nest the nodes of each
/// rule a hundred levels deep, and small enough that a hundred thousand levels take seconds.
const OPEN_AT_ONCE: u32 = 2000;

/// A compiled query.
pub struct Query {
    query: tree_sitter::Query,
}

impl std::fmt::Debug for Query {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Query({:?})", self.query.capture_names())
    }
}

/// The error of an invalid query: a message and its position in the text (from 1).
#[derive(Debug, thiserror::Error)]
#[error("{line}:{column}: {message}")]
pub struct QueryError {
    /// Line, from 1.
    pub line: usize,
    /// Column in bytes, from 1.
    pub column: usize,
    /// Byte offset in the text.
    pub at: usize,
    /// The message.
    pub message: String,
}

/// A captured node of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capture {
    /// The number of the capture in the query.
    pub name: u32,
    /// The bytes of the node.
    pub span: Span,
    /// The kind of the node.
    pub kind: u16,
}

/// One match of a query.
#[derive(Clone, Debug)]
pub struct Match {
    /// The index of the pattern in the query.
    pub pattern: usize,
    /// The captures, in the order of the nodes.
    pub captures: Vec<Capture>,
}

impl Query {
    /// Compiles `source`.
    ///
    /// # Errors
    /// Returns an error if it is not a valid query, or if the grammar does not have a node or field in
    /// it.
    pub fn new(grammar: &Grammar, source: &str) -> Result<Self, QueryError> {
        tree_sitter::Query::new(grammar.language(), source).map(|query| Self { query }).map_err(|error| {
            let (line, column) = (error.row + 1, error.column + 1);
            QueryError { line, column, at: error.offset, message: explain(&error) }
        })
    }

    /// Returns the number of patterns.
    #[must_use]
    pub fn patterns(&self) -> usize {
        self.query.pattern_count()
    }

    /// Returns the byte offset of a pattern in the text of the query.
    #[must_use]
    pub fn start_of(&self, pattern: usize) -> usize {
        self.query.start_byte_for_pattern(pattern)
    }

    /// Returns the names of the captures, by number.
    #[must_use]
    pub fn capture_names(&self) -> &[&str] {
        self.query.capture_names()
    }

    /// Returns how often a pattern has a capture: never (`None`), exactly once (`Some(true)`), or an unknown
    /// number of times (`Some(false)`).
    #[must_use]
    pub fn captures_in(&self, pattern: usize, name: u32) -> Option<bool> {
        match self.query.capture_quantifiers(pattern)[name as usize] {
            tree_sitter::CaptureQuantifier::Zero => None,
            tree_sitter::CaptureQuantifier::One => Some(true),
            _ => Some(false),
        }
    }

    /// Returns the value of a property that a pattern sets.
    #[must_use]
    pub fn property(&self, pattern: usize, key: &str) -> Option<&str> {
        let properties = self.query.property_settings(pattern);
        properties.iter().find(|p| &*p.key == key).map(|p| p.value.as_deref().unwrap_or(""))
    }

    /// Returns all matches in `parsed`, the tree of `text`, in the order of their starts. The flag is true if
    /// matches were lost because too many were in progress.
    #[must_use]
    pub fn matches(&self, parsed: &Parsed, text: &[u8]) -> (Vec<Match>, bool) {
        let mut cursor = tree_sitter::QueryCursor::new();
        cursor.set_match_limit(OPEN_AT_ONCE);
        let mut found = Vec::new();
        let mut go_on = |_: &tree_sitter::QueryCursorState| stop::go_on();
        let options = tree_sitter::QueryCursorOptions::new().progress_callback(&mut go_on);
        let root = parsed.tree().root_node();
        let mut matches = cursor.matches_with_options(&self.query, root, text, options);
        while let Some(one) = matches.next() {
            let captures = one.captures().iter().map(|capture| {
                let range = capture.node.byte_range();
                let span = Span::new(range.start as u32, range.end as u32);
                Capture { name: capture.index, span, kind: capture.node.kind_id() }
            });
            found.push(Match { pattern: one.pattern_index, captures: captures.collect() });
        }
        let lost = cursor.did_exceed_match_limit();
        (found, lost)
    }
}

fn explain(error: &tree_sitter::QueryError) -> String {
    use tree_sitter::QueryErrorKind as Kind;
    let what = error.message.lines().next().unwrap_or_default().trim_matches('"');
    match error.kind {
        Kind::NodeType => format!("the grammar has no node `{what}`"),
        Kind::Field => format!("the grammar has no field `{what}`"),
        Kind::Capture => format!("the pattern has no capture `{what}`"),
        Kind::Structure => "this pattern can never match in the grammar".to_owned(),
        Kind::Syntax => "invalid query: check parentheses and quotes".to_owned(),
        Kind::Predicate | Kind::Language => what.to_owned(),
    }
}
