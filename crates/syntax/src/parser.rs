//! Parsing of bytes, from scratch and incrementally after edits.

use super::{Grammar, Lines};
use crate::edit::ChangedSpan;
use crate::stop;

/// A parser of one grammar.
pub struct Parser {
    parser: tree_sitter::Parser,
}

/// A parsed text: the tree of the library, and the number of syntax errors.
#[derive(Clone, Debug)]
pub struct Parsed {
    tree: Option<tree_sitter::Tree>,
    errors: u32,
}

impl Parsed {
    /// Returns the number of ERROR and MISSING nodes.
    #[must_use]
    pub fn errors(&self) -> u32 {
        self.errors
    }

    pub(super) fn tree(&self) -> &tree_sitter::Tree {
        self.tree.as_ref().expect("it is there until this is dropped")
    }
}

impl Drop for Parsed {
    fn drop(&mut self) {
        stop::free(self.tree.take());
    }
}

/// A text against which later texts are parsed: its tree, and the starts of its lines.
#[derive(Clone, Debug)]
pub struct Revision {
    parsed: Parsed,
    lines: Lines,
}

impl Revision {
    /// Creates a revision from `parsed`, the tree of `text`.
    #[must_use]
    pub fn new(parsed: Parsed, text: &[u8]) -> Self {
        Self { parsed, lines: Lines::new(text) }
    }

    /// Returns the tree.
    #[must_use]
    pub fn parsed(&self) -> &Parsed {
        &self.parsed
    }

    fn point(&self, byte: u32) -> tree_sitter::Point {
        let (row, start) = self.lines.row_of(byte);
        tree_sitter::Point::new(row, (byte - start) as usize)
    }
}

impl Parser {
    /// Creates a parser of `grammar`.
    ///
    /// # Panics
    /// Never: the version of a grammar is checked when it is created.
    #[must_use]
    pub fn new(grammar: &Grammar) -> Self {
        let mut parser = tree_sitter::Parser::new();
        parser.set_language(grammar.language()).expect("a grammar is checked when it is made");
        Self { parser }
    }

    /// Parses `text` from scratch.
    #[must_use]
    pub fn parse(&mut self, text: &[u8]) -> Parsed {
        self.finish(text, None)
    }

    /// Parses `text` incrementally; it differs from the text of `base` by `changes` (in order).
    #[must_use]
    pub fn parse_again(&mut self, text: &[u8], base: &Revision, changes: &[ChangedSpan]) -> Parsed {
        // Editing a tree copies every removed node. If most nodes are removed, it is cheaper to parse the rest
        // from scratch.
        let gone: u32 = changes.iter().map(|change| change.old.len()).sum();
        if gone as usize > text.len() {
            return self.parse(text);
        }
        let mut tree = base.parsed.tree().clone();
        // The changes are applied from the last to the first, so each one refers to positions of the old text.
        for change in changes.iter().rev() {
            let start = base.point(change.old.start);
            tree.edit(&tree_sitter::InputEdit {
                start_byte: change.old.start as usize,
                old_end_byte: change.old.end as usize,
                new_end_byte: (change.old.start + change.new.len()) as usize,
                start_position: start,
                old_end_position: base.point(change.old.end),
                new_end_position: advance(start, change.new.of(text)),
            });
        }
        self.finish(text, Some(&tree))
    }

    fn finish(&mut self, text: &[u8], old: Option<&tree_sitter::Tree>) -> Parsed {
        let tree = self.tree(text, old).unwrap_or_else(|| {
            let language = self.parser.language().expect("it was set when this was made");
            let mut parser = tree_sitter::Parser::new();
            parser.set_language(&language).expect("it was set before");
            stop::free(std::mem::replace(&mut self.parser, parser));
            self.parser.parse(b"", None).expect("nothing cancels the parser here")
        });
        let errors = count_errors(&tree);
        Parsed { tree: Some(tree), errors }
    }
}

impl Parser {
    /// Returns the tree of `text`, or `None` if the thread is stopped first.
    fn tree(&mut self, text: &[u8], old: Option<&tree_sitter::Tree>) -> Option<tree_sitter::Tree> {
        let mut rest = |at: usize, _: tree_sitter::Point| text.get(at..).unwrap_or_default();
        let mut go_on = |_: &tree_sitter::ParseState| stop::go_on();
        let options = tree_sitter::ParseOptions::new().progress_callback(&mut go_on);
        self.parser.parse_with_options(&mut rest, old, Some(options))
    }
}

fn advance(start: tree_sitter::Point, text: &[u8]) -> tree_sitter::Point {
    match memchr::memrchr(b'\n', text) {
        None => tree_sitter::Point::new(start.row, start.column + text.len()),
        Some(last) => {
            let rows = memchr::memchr_iter(b'\n', text).count();
            tree_sitter::Point::new(start.row + rows, text.len() - last - 1)
        }
    }
}

/// Counts ERROR and MISSING nodes, and only visits subtrees that contain some.
fn count_errors(tree: &tree_sitter::Tree) -> u32 {
    let mut cursor = tree.walk();
    let mut count = 0;
    loop {
        let node = cursor.node();
        if node.has_error() {
            count += u32::from(node.is_error() || node.is_missing());
            if cursor.goto_first_child() {
                continue;
            }
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return count;
            }
        }
    }
}
