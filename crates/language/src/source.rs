//! The text of a query, put together of patterns, each with the place in a file that it comes from.
//!
//! It takes a text apart by brackets, strings and comments; what a pattern means is the query's.

use super::Error;
use super::LOCALS;
use super::vocabulary::{self, Vocabulary};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One pattern of a query file.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    file: Arc<File>,
    span: Range<usize>,
    /// The rule that it is of.
    pub rule: Option<String>,
    /// What a language that builds on this one can leave it out by, beside its rule.
    pub part: Option<String>,
    /// Whether it comes after all others.
    pub is_last: bool,
    /// What to do where it does not fit.
    pub remedy: Option<String>,
}

/// A query file as it was read.
#[derive(Debug)]
struct File {
    path: PathBuf,
    text: String,
}

/// A query's text.
#[derive(Debug)]
pub(super) struct Source {
    text: String,
    /// The pieces, with where each begins in the text.
    pieces: Vec<(usize, Piece)>,
}

/// The patterns of a file, in order.
///
/// # Errors
/// When brackets or quotes are left open, with where the pattern begins.
pub(super) fn pieces(path: &Path, text: &str) -> Result<Vec<Piece>, Error> {
    let file = Arc::new(File { path: path.to_owned(), text: text.to_owned() });
    let spans = vocabulary::patterns(text).map_err(|open| {
        let (line, column) = vocabulary::position(text, open);
        let message = "not a query: a parenthesis, a bracket or a quote is left open".to_owned();
        Error::Rule { path: path.to_owned(), line, column, message }
    })?;
    let piece = |span: Range<usize>| {
        let properties = vocabulary::properties(&text[span.clone()]);
        let property = |key: &str| properties.iter().find(|(known, _)| *known == key);
        let value = |key: &str| property(key).map(|(_, value)| value.clone());
        Piece {
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

impl Piece {
    /// The name of its file.
    pub fn file_name(&self) -> &str {
        self.file.path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }

    /// Tells whether it is of a file that a grammar ships, which has only the captures of the convention.
    pub fn is_locals(&self) -> bool {
        self.file_name() == LOCALS
    }

    /// Tells whether it captures what defines a name.
    pub fn defines(&self) -> bool {
        self.text().contains("@local.definition")
    }

    fn text(&self) -> &str {
        &self.file.text[self.span.clone()]
    }
}

impl Source {
    /// The text of these patterns.
    pub fn new(pieces: Vec<Piece>) -> Self {
        let mut source = Self { text: String::new(), pieces: Vec::with_capacity(pieces.len()) };
        for piece in pieces {
            let at = source.text.len();
            source.text.push_str(piece.text());
            source.text.push('\n');
            source.pieces.push((at, piece));
        }
        source
    }

    /// All of it.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Finds the first word that is not in the vocabulary.
    ///
    /// # Errors
    /// With where that word stands, and what to write instead.
    pub fn check(&self, words: Vocabulary) -> Result<(), Error> {
        self.pieces.iter().try_for_each(|(start, piece)| {
            let words = if piece.is_locals() { vocabulary::LOCALS } else { words };
            vocabulary::check(piece.text(), words)
                .map_err(|unknown| self.error(start + unknown.at, unknown.message))
        })
    }

    /// What is wrong at a byte of the text, as an error of the file that the byte comes from.
    ///
    /// # Panics
    /// When there is no pattern at all: then nothing can be wrong.
    pub fn error(&self, at: usize, mut message: String) -> Error {
        let number = self.pieces.partition_point(|(start, _)| *start <= at).saturating_sub(1);
        let (start, Piece { file, span, remedy, .. }) = &self.pieces[number];
        let (line, column) = vocabulary::position(&file.text, (span.start + at - start).min(span.end));
        if let Some(remedy) = remedy {
            message = format!("{message}; {remedy}");
        }
        Error::Rule { path: file.path.clone(), line, column, message }
    }
}
