//! Parses a text and returns the number of syntax errors or the comments.

use super::Language;
use nubbin_syntax::edit::Span;
use nubbin_syntax::{Parser, Tree};

impl Language {
    /// Counts the syntax errors of a text.
    #[must_use]
    pub fn errors(&self, text: &[u8]) -> u32 {
        Parser::new(&self.grammar).parse(text).errors()
    }

    /// Finds the comments of a text: the nodes that can occur anywhere, in order.
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
