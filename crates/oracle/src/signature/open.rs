//! Names of the input in a message: a reduction renames them, so they become open.

use super::OPEN;
use std::collections::HashSet;

/// The characters that a quoted text may begin with.
pub(super) const QUOTES: [char; 6] = ['\'', '"', '`', '‘', '“', '«'];

/// The words that are no names of the input: keywords, and what comes with a language.
pub(super) struct Builtin(HashSet<String>);

impl Builtin {
    pub fn new(words: &str) -> Self {
        Self(words.split_whitespace().map(str::to_owned).collect())
    }

    /// Tells whether a text holds a name of the input, or a piece of its text.
    pub fn is_own(&self, text: &str) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        let mut words = text.split(|c| !is_word(c)).filter(|word| !word.is_empty());
        words.any(|word| !word.starts_with(|c: char| c.is_ascii_digit()) && !self.0.contains(word))
    }
}

/// A message in which quoted names are open; what they were is added to `values`.
pub(super) fn quoted(text: &str, builtin: &Builtin, values: &mut Vec<String>) -> String {
    let mut opened = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((start, inner, end)) = next_quote(rest, opened.chars().next_back()) {
        opened.push_str(&rest[..start]);
        let is_own = inner != OPEN && builtin.is_own(inner);
        if is_own {
            values.push(inner.to_owned());
        }
        opened.push_str(if is_own { OPEN } else { inner });
        // The closing quote goes along, so that it opens nothing.
        let close = rest[end..].chars().next().map_or(0, char::len_utf8);
        opened.push_str(&rest[end..end + close]);
        rest = &rest[end + close..];
    }
    opened + rest
}

/// The next quoted text: where it starts, it, and where it ends. `before` is what stands before `text`.
fn next_quote(text: &str, before: Option<char>) -> Option<(usize, &str, usize)> {
    let mut before = before;
    for (at, c) in text.char_indices() {
        let start = at + c.len_utf8();
        if QUOTES.contains(&c)
            && !(c.is_ascii() && before.is_some_and(char::is_alphanumeric))
            && let Some(end) = closing(&text[start..], c)
        {
            return Some((start, &text[start..start + end], start + end));
        }
        before = Some(c);
    }
    None
}

/// Returns the end of a quote that `open` has begun: a quote within a word is an apostrophe.
fn closing(text: &str, open: char) -> Option<usize> {
    let is_close = |c: char| match open {
        '‘' => c == '’',
        '“' => c == '”',
        '«' => c == '»',
        '`' => matches!(c, '`' | '\''),
        open => c == open,
    };
    let ends_word = |at: usize| !text[at..].chars().nth(1).is_some_and(char::is_alphanumeric);
    text.char_indices()
        .find(|&(at, c)| at > 0 && is_close(c) && (!c.is_ascii() || ends_word(at)))
        .map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_quotes_become_open_and_types_stay() {
        let builtin = Builtin::new("int const char operator");
        let open = |text: &str| quoted(text, &builtin, &mut Vec::new());
        for (text, opened) in [
            ("cannot convert 'Shop' to 'int'", "cannot convert '…' to 'int'"),
            ("from ‘const char*’ to ‘Item *’", "from ‘const char*’ to ‘…’"),
            ("expected ';' before '}' token", "expected ';' before '}' token"),
            ("can't find `total' or `int'", "can't find `…' or `int'"),
            (r#"Name "x" isn't known, "int" is"#, r#"Name "…" isn't known, "int" is"#),
            (r#"Type '"old"' is 'int[3]'"#, "Type '…' is 'int[3]'"),
            ("lifetime `'a` of `x`", "lifetime `…` of `…`"),
            ("no 'operator<' for 'it's", "no 'operator<' for 'it's"),
        ] {
            assert_eq!(open(text), opened);
        }
    }

    #[test]
    fn what_was_open_is_known() {
        let mut values = Vec::new();
        quoted("'a' and 'b::c<int>'", &Builtin::new("int"), &mut values);
        assert_eq!(values, ["a", "b::c<int>"]);
    }
}
