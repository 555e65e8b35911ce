//! Parses a text and says what it finds: places that do not fit the grammar, and comments.
//!
//! It keeps no tree.

use super::Language;
use nubbin_syntax::edit::Span;
use nubbin_syntax::{Parser, Tree};

impl Language {
    /// Counts the places of a text that do not fit the grammar.
    #[must_use]
    pub fn errors(&self, text: &[u8]) -> u32 {
        Parser::new(&self.grammar).parse(text).errors()
    }

    /// Finds the nodes of a text that may stand anywhere, in order. These are the comments.
    #[must_use]
    pub fn comments(&self, text: &[u8]) -> Vec<Span> {
        let tree = Tree::new(&Parser::new(&self.grammar).parse(text), 0);
        let nodes = tree.ids().map(|id| tree.node(id));
        nodes
            .filter(|node| node.is_extra() && node.is_named() && !node.is_error())
            .map(|node| node.span)
            .collect()
    }
}
