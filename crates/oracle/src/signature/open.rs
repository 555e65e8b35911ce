//! Replaces the identifiers and the text of the input in a message, because a reduction changes them.

use super::OPEN;
use std::collections::HashSet;

/// The characters that start a quoted text.
pub(super) const QUOTES: [char; 6] = ['\'', '"', '`', '‘', '“', '«'];

/// Words that are not identifiers of the input: keywords, and names that come with a language.
#[derive(Debug)]
pub(super) struct Builtin(HashSet<String>);

impl Builtin {
    pub fn new(words: &str) -> Self {
        Self(words.split_whitespace().map(str::to_owned).collect())
    }

    /// Returns whether a text contains an identifier or other text of the input.
    pub fn is_own(&self, text: &str) -> bool {
        let mut words = text.split(|c| !is_word(c)).filter(|word| !word.is_empty());
        words.any(|word| !word.starts_with(|c: char| c.is_ascii_digit()) && !self.0.contains(word))
    }
}

/// Replaces quoted identifiers in a message, and adds them to `values`.
pub(super) fn quoted(text: &str, builtin: &Builtin, values: &mut Vec<String>) -> String {
    quoted_if(text, &|inner| builtin.is_own(inner), values)
}

/// Replaces all quoted text in a message, and adds it to `values`.
pub(super) fn all_quoted(text: &str, values: &mut Vec<String>) -> String {
    quoted_if(text, &|_| true, values)
}

fn quoted_if(text: &str, is_open: &dyn Fn(&str) -> bool, values: &mut Vec<String>) -> String {
    let mut opened = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((start, inner, end)) = next_quote(rest, opened.chars().next_back()) {
        opened.push_str(&rest[..start]);
        let is_own = inner != OPEN && is_open(inner);
        if is_own {
            values.push(inner.to_owned());
        }
        opened.push_str(if is_own { OPEN } else { inner });
        // The closing quote is copied here, so that it is not read as an opening one.
        let close = rest[end..].chars().next().map_or(0, char::len_utf8);
        opened.push_str(&rest[end..end + close]);
        rest = &rest[end + close..];
    }
    opened + rest
}

/// Also replaces empty quotes, whose content may have been deleted by the reduction.
pub(super) fn empty(text: &str) -> String {
    let mut opened = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = ["''", "\"\""].iter().filter_map(|quotes| rest.find(quotes)).min() {
        let (before, quotes) = (&rest[..at], &rest[at..at + 2]);
        let is_quote = !before.ends_with(|c: char| c.is_alphanumeric() || QUOTES.contains(&c))
            && !rest[at + 2..].starts_with(|c: char| c.is_alphanumeric() || QUOTES.contains(&c));
        opened.extend([before, &quotes[..1], if is_quote { OPEN } else { "" }, &quotes[1..]]);
        rest = &rest[at + 2..];
    }
    opened + rest
}

/// Returns whether `message` matches `other`; the replaced parts match any text.
pub(super) fn covers(message: &str, other: &str) -> bool {
    let mut parts = message.split(OPEN);
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = other.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// The minimum length of a piece of the input in a message, in characters.
const SHARED: usize = 12;
/// The minimum length of such a piece if it consists only of words.
const WORDS: usize = 24;
/// The number of bytes of the input that are compared with a message.
const MOST: usize = 4 << 20;

/// Replaces the name of a file in a message.
pub(super) fn named(message: &str, name: &str) -> String {
    if name.is_empty() { message.to_owned() } else { replaced(message, name, &mut Vec::new()) }
}

/// Frequent words of messages, which are rarely identifiers.
const ENGLISH: &str = "after and any are as at be been before but by can cannot did does done during for from had has have if in into is \
                       it its may must no not of off on only or other should than that the then there this to too was were when where \
                       which while will with within without would";

/// Replaces each word that is an identifier of the input, and adds it to `values`, unless most words of the
/// message are such identifiers.
pub(super) fn names(message: &str, input: &[u8], builtin: &Builtin, values: &mut Vec<String>) -> String {
    let text = String::from_utf8_lossy(&input[..input.len().min(MOST)]);
    let of_input: HashSet<&str> = text.split(|c| !is_word(c)).filter(|word| !word.is_empty()).collect();
    let is_name = |word: &str| {
        let is_number = word.starts_with(|c: char| c.is_ascii_digit());
        let is_english = ENGLISH.split_whitespace().any(|one| one == word);
        !is_number && !is_english && word != "N" && of_input.contains(word) && builtin.is_own(word)
    };
    let words: Vec<&str> = message.split(|c| !is_word(c)).filter(|word| !word.is_empty()).collect();
    let own: HashSet<&str> = words.iter().copied().filter(|word| is_name(word)).collect();
    if own.len() * 2 > words.len() {
        return message.to_owned();
    }
    own.into_iter()
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .fold(message.to_owned(), |message, word| replaced(&message, word, values))
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// Replaces all occurrences of a word, and adds it to `values`.
fn replaced(message: &str, word: &str, values: &mut Vec<String>) -> String {
    let mut opened = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(at) = rest.find(word) {
        let end = at + word.len();
        let is_whole = !rest[..at].ends_with(is_word) && !rest[end..].starts_with(is_word);
        // A replaced part is a word boundary.
        opened.push_str(&rest[..at]);
        if is_whole {
            opened.push_str(OPEN);
            values.push(word.to_owned());
        } else {
            opened.push_str(word);
        }
        rest = &rest[end..];
    }
    opened + rest
}

/// Replaces long or quoted pieces of the input in a message, and adds them to `values`. In text that a
/// program quoted, a line feed can appear as two characters.
pub(super) fn shared(message: &str, input: &[u8], builtin: &Builtin, values: &mut Vec<String>) -> String {
    let text = String::from_utf8_lossy(&input[..input.len().min(MOST)]);
    let mut message = message.to_owned();
    for inner in quotes(&message).into_iter().map(str::to_owned).collect::<Vec<_>>() {
        if builtin.is_own(&inner) && inner != OPEN && text.contains(&inner) {
            message = replaced(&message, &inner, values);
        }
    }
    let message = message.as_str();
    let plain: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut quoted = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            '\'' | '"' | '\\' => quoted.extend(['\\', c]),
            c => quoted.push(c),
        }
    }
    let mut opened = String::new();
    let mut at = 0;
    while at < message.len() {
        let is_start = !message[..at].ends_with(char::is_alphanumeric);
        let end = if is_start {
            [&plain, &quoted].iter().map(|text| common_end(message, at, text)).max().unwrap_or(at)
        } else {
            at
        };
        let piece = message[at..end].trim_end();
        // One or two keywords of a language occur in many messages.
        let has_signs = piece.chars().any(|c| !c.is_alphabetic() && c != ' ');
        let is_long = piece.chars().count() >= if has_signs { SHARED } else { WORDS };
        if is_long {
            values.push(piece.to_owned());
            opened.push_str(OPEN);
            at += piece.len();
        } else {
            let first = message[at..].chars().next().unwrap_or_default();
            opened.push(first);
            at += first.len_utf8();
        }
    }
    opened
}

/// Returns the end of the longest piece of a message from `at` on that occurs in `text`.
fn common_end(message: &str, at: usize, text: &str) -> usize {
    let ends: Vec<usize> =
        message[at..].char_indices().map(|(offset, c)| at + offset + c.len_utf8()).collect();
    let count = ends.partition_point(|&end| text.contains(&message[at..end]));
    if count == 0 { at } else { ends[count - 1] }
}

/// Returns the quoted texts of a message.
fn quotes(message: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some((_, inner, end)) = next_quote(&message[at..], message[..at].chars().next_back()) {
        found.push(inner);
        at += end;
        at += message[at..].chars().next().map_or(0, char::len_utf8);
    }
    found
}

/// Returns the start, the text and the end of the next quoted text. `before` is the character before `text`.
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

/// Returns the end of a quotation that starts with `open`. A quote character within a word is an apostrophe.
fn closing(text: &str, open: char) -> Option<usize> {
    let is_close = |c: char| match open {
        '‘' => c == '’',
        '“' => c == '”',
        '«' => c == '»',
        '`' => matches!(c, '`' | '\''),
        open => c == open,
    };
    let ends_word = |at: usize| !text[at..].chars().nth(1).is_some_and(char::is_alphanumeric);
    let is_escaped = |at: usize| text[..at].chars().rev().take_while(|&c| c == '\\').count() % 2 == 1;
    text.char_indices()
        .find(|&(at, c)| at > 0 && is_close(c) && (!c.is_ascii() || ends_word(at) && !is_escaped(at)))
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
