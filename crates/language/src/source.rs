//! Assembles the text of a query from patterns, and keeps the file position of each. The text is split by
//! brackets, strings and comments; patterns are not interpreted.

use super::Error;
use super::LOCALS;
use super::vocabulary::{self, Vocabulary};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One pattern of a query file.
#[derive(Clone, Debug)]
pub(super) struct SourcePattern {
    file: Arc<File>,
    span: Range<usize>,
    /// The rule to which the pattern belongs.
    pub rule: Option<String>,
    /// A name by which a derived language can leave the pattern out, in addition to the name of the rule.
    pub part: Option<String>,
    /// True if the pattern comes after all others.
    pub is_last: bool,
    /// Advice for the error message if the pattern does not fit the grammar.
    pub remedy: Option<String>,
}

/// The path and the text of a query file.
#[derive(Debug)]
struct File {
    path: PathBuf,
    text: String,
}

/// The text of a query.
#[derive(Debug)]
pub(super) struct Source {
    text: String,
    /// The patterns, each with its offset in the text.
    pieces: Vec<(usize, SourcePattern)>,
}

/// Splits a file into its patterns, in order.
///
/// # Errors
/// Returns an error with the start of the pattern if a bracket or a quote is not closed.
pub(super) fn pieces(path: &Path, text: &str) -> Result<Vec<SourcePattern>, Error> {
    let file = Arc::new(File { path: path.to_owned(), text: text.to_owned() });
    let spans = vocabulary::patterns(text).map_err(|open| {
        let (line, column) = vocabulary::position(text, open);
        let message = "invalid query: a parenthesis, a bracket or a quote is not closed".to_owned();
        Error::Rule { path: path.to_owned(), line, column, message }
    })?;
    let piece = |span: Range<usize>| {
        let properties = vocabulary::properties(&text[span.clone()]);
        let property = |key: &str| properties.iter().find(|(known, _)| *known == key);
        let value = |key: &str| property(key).map(|(_, value)| value.clone());
        SourcePattern {
            file: Arc::clone(&file),
            rule: value("rule"),
            part: value("part"),
            is_last: property("last").is_some(),
            remedy: None,
            span,
        }
    };
    Ok(spans.into_iter().map(piece).collect())
}

impl SourcePattern {
    /// Returns the name of the pattern's file.
    pub fn file_name(&self) -> &str {
        self.file.path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }

    /// Returns whether the pattern comes from a `locals.scm`, which has only the captures of tree-sitter's
    /// convention.
    pub fn is_locals(&self) -> bool {
        self.file_name() == LOCALS
    }

    /// Returns whether the pattern captures definitions of names.
    pub fn defines(&self) -> bool {
        self.text().contains("@local.definition")
    }

    fn text(&self) -> &str {
        &self.file.text[self.span.clone()]
    }
}

impl Source {
    /// Lists the names of the rules, once for each of their patterns.
    pub fn rules(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|(_, piece)| piece.rule.as_deref())
    }

    /// Joins patterns to one text.
    pub fn new(pieces: Vec<SourcePattern>) -> Self {
        let mut source = Self { text: String::new(), pieces: Vec::with_capacity(pieces.len()) };
        for piece in pieces {
            let at = source.text.len();
            source.text.push_str(piece.text());
            source.text.push('\n');
            source.pieces.push((at, piece));
        }
        source
    }

    /// Returns the whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Checks that all words of the patterns are in the vocabulary.
    ///
    /// # Errors
    /// Returns an error with the position of the first unknown word and the known words.
    pub fn check(&self, words: Vocabulary) -> Result<(), Error> {
        self.pieces.iter().try_for_each(|(start, piece)| {
            let words = if piece.is_locals() { vocabulary::LOCALS } else { words };
            vocabulary::check(piece.text(), words)
                .map_err(|unknown| self.error(start + unknown.at, unknown.message))
        })
    }

    /// Returns an error with the file, line and column of a byte of the text.
    ///
    /// # Panics
    /// Panics if there is no pattern, and therefore no possible error.
    pub fn error(&self, at: usize, mut message: String) -> Error {
        let number = self.pieces.partition_point(|(start, _)| *start <= at).saturating_sub(1);
        let (start, SourcePattern { file, span, remedy, .. }) = &self.pieces[number];
        let (line, column) = vocabulary::position(&file.text, (span.start + at - start).min(span.end));
        if let Some(remedy) = remedy {
            message = format!("{message}; {remedy}");
        }
        Error::Rule { path: file.path.clone(), line, column, message }
    }
}
