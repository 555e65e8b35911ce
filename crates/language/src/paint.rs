//! Classifies the tokens of a text for syntax highlighting: keywords, strings, comments, numbers. It uses the
//! names of the node kinds in the grammar, so no language needs its own list. Colours are chosen elsewhere.

use super::Language;
use nubbin_syntax::edit::Span;

use nubbin_syntax::{NONE, Parser, Tree};

/// The class of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// A keyword of the language.
    Keyword,
    /// A string or a character.
    String,
    /// A comment.
    Comment,
    /// A number.
    Number,
    /// The name of a type, a tag or an attribute.
    Type,
}

/// Parts of the names of kinds, with their classes. The first part that a name contains applies.
const WORDS: [(&str, Paint); 11] = [
    ("comment", Paint::Comment),
    ("interpolation", Paint::Type),
    ("substitution", Paint::Type),
    ("string", Paint::String),
    ("char", Paint::String),
    ("quoted", Paint::String),
    ("number", Paint::Number),
    ("integer", Paint::Number),
    ("float", Paint::Number),
    ("type", Paint::Type),
    ("tag_name", Paint::Type),
];

impl Language {
    /// Returns the pieces of a text that have a class, in order and disjoint. Other names and punctuation have
    /// none.
    #[must_use]
    pub fn paint(&self, text: &[u8]) -> Vec<(Span, Paint)> {
        let parsed = Parser::new(self.grammar()).parse(text);
        let tree = Tree::new(&parsed, 0);
        let mut pieces: Vec<(Span, Paint)> = Vec::new();
        for id in tree.ids().filter(|&id| tree.is_leaf(id)) {
            let node = tree.node(id);
            let name = |kind| self.grammar().kind_name(kind);
            let own = name(node.kind);
            let is_word = !node.is_named() && own.starts_with(|c: char| c.is_ascii_alphabetic() || c == '#');
            let parent = (node.parent != NONE).then(|| tree.node(node.parent));
            let around =
                || parent.filter(|parent| parent.is_named()).and_then(|parent| of_literal(name(parent.kind)));
            let paint = if is_word {
                Some(Paint::Keyword)
            } else if node.is_named() {
                of(own).or_else(around)
            } else {
                around()
            };
            let is_after = pieces.last().is_none_or(|(last, _)| last.end <= node.span.start);
            if let Some(paint) = paint.filter(|_| is_after && !node.span.is_empty()) {
                pieces.push((node.span, paint));
            }
        }
        pieces
    }
}

/// Returns the class of a kind with this name.
fn of(kind: &str) -> Option<Paint> {
    WORDS.iter().find(|(word, _)| kind.contains(word)).map(|(_, paint)| *paint)
}

/// Returns the class of the punctuation inside a node of this kind, which belongs to the node only in strings
/// and comments.
fn of_literal(kind: &str) -> Option<Paint> {
    of(kind).filter(|paint| matches!(paint, Paint::String | Paint::Comment))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Registry;

    #[test]
    fn keywords_strings_comments_and_numbers_are_told_apart() {
        let text = b"int f(void) { return 7; /* why */ }\nconst char *s = \"a\\n\";\n";
        let c = Registry::built_in().get("c").expect("it is built in");
        let painted: Vec<(&str, Paint)> = c
            .paint(text)
            .into_iter()
            .map(|(span, paint)| (std::str::from_utf8(span.of(text)).expect("ASCII"), paint))
            .collect();
        let at = |word: &str| painted.iter().find(|(text, _)| *text == word).map(|(_, paint)| *paint);
        assert_eq!(at("return"), Some(Paint::Keyword), "{painted:?}");
        assert_eq!(at("7"), Some(Paint::Number));
        assert_eq!(at("/* why */"), Some(Paint::Comment));
        assert_eq!(at("int"), Some(Paint::Type));
        assert_eq!(at("\\n"), Some(Paint::String), "{painted:?}");
        assert_eq!(at("f"), None);
    }
}
