//! The syntax that most languages share (`grammars/common.toml`), and the `[syntax]` table of a manifest with
//! the differences.

use nubbin_syntax::edit::Span;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The punctuation and other syntax of a language. A key that a language does not set has the value that most
/// languages have.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Syntax {
    group: Option<[String; 2]>,
    separator: Option<String>,
    terminator: Option<String>,
    no_parameters: Option<String>,
    digit_separators: Option<String>,
    radixes: Option<BTreeMap<String, u32>>,
    opens_list: Option<String>,
    before_whole: Option<String>,
    after_whole: Option<String>,
    takes_no_blank_before: Option<String>,
    takes_no_blank_after: Option<String>,
    around_names: Option<String>,
}

/// The words and signs that classify lines of a text in any language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineWords {
    /// The words of a line that includes or refers to another file.
    pub takes_in: Vec<String>,
    /// The word among them whose line can be replaced by the contents of the file.
    pub stands_for_a_file: String,
    /// The signs at the beginning of a line that ends or continues a block.
    pub block_ends: Vec<String>,
    /// The words at the beginning of such a line, in lower case.
    pub block_end_words: Vec<String>,
    /// Pairs of words that match like brackets, in lower case: the opening one and the closing one.
    pub pairs: Vec<(String, String)>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Common {
    syntax: Syntax,
    lines: LineWords,
}

fn common() -> &'static Common {
    static COMMON: OnceLock<Common> = OnceLock::new();
    COMMON.get_or_init(|| {
        let text = include_str!("../grammars/common.toml");
        toml::from_str(text).unwrap_or_else(|error| panic!("built-in table: {error}"))
    })
}

impl LineWords {
    /// Returns the words and signs for any language.
    #[must_use]
    pub fn common() -> &'static Self {
        &common().lines
    }
}

/// Returns the value that a language sets for a key, or else the common value.
fn said<'s, T>(own: &'s Syntax, key: impl Fn(&'s Syntax) -> &'s Option<T>) -> &'s T {
    let value = key(own).as_ref().or_else(|| key(&common().syntax).as_ref());
    value.expect("the common table has every key; a test reads it")
}

fn has(signs: &str, sign: u8) -> bool {
    signs.as_bytes().contains(&sign)
}

impl Syntax {
    /// Adds brackets around an expression.
    #[must_use]
    pub fn grouped(&self, text: &[u8]) -> Vec<u8> {
        let [open, close] = said(self, |syntax| &syntax.group);
        [open.as_bytes(), text, close.as_bytes()].concat()
    }

    /// Returns the text between two members of a list.
    #[must_use]
    pub fn separator(&self) -> &[u8] {
        said(self, |syntax| &syntax.separator).as_bytes()
    }

    /// Returns the text at the end of a declaration.
    #[must_use]
    pub fn terminator(&self) -> &[u8] {
        said(self, |syntax| &syntax.terminator).as_bytes()
    }

    /// Returns whether a text, as the only member of a parameter list, means that there are no parameters
    /// (`void` in C).
    #[must_use]
    pub fn is_no_parameter(&self, text: &[u8]) -> bool {
        self.no_parameters.as_ref().is_some_and(|none| none.as_bytes() == text)
    }

    /// Returns the characters that can separate the digits of a number without changing its value.
    #[must_use]
    pub fn digit_separators(&self) -> &str {
        said(self, |syntax| &syntax.digit_separators)
    }

    /// Returns whether a token opens a list in brackets, such as a parameter list.
    #[must_use]
    pub fn opens_list(&self, token: &[u8]) -> bool {
        matches!(token, [sign] if has(said(self, |syntax| &syntax.opens_list), *sign))
    }

    /// Returns whether any expression between two characters needs no brackets. The beginning and the end of a
    /// text are `None`.
    #[must_use]
    pub fn holds_whole(&self, before: Option<u8>, after: Option<u8>) -> bool {
        before.is_none_or(|sign| has(said(self, |syntax| &syntax.before_whole), sign))
            && after.is_none_or(|sign| has(said(self, |syntax| &syntax.after_whole), sign))
    }

    /// Returns whether no space is written before a sign.
    #[must_use]
    pub fn takes_no_blank_before(&self, sign: u8) -> bool {
        has(said(self, |syntax| &syntax.takes_no_blank_before), sign)
    }

    /// Returns whether no space is written after a sign.
    #[must_use]
    pub fn takes_no_blank_after(&self, sign: u8) -> bool {
        has(said(self, |syntax| &syntax.takes_no_blank_after), sign)
    }

    /// Returns the span of a name without the signs around it that are not part of it: a label can be defined
    /// as `a:` and used as `%a`.
    #[must_use]
    pub fn bare_name(&self, text: &[u8], span: Span) -> Span {
        let signs = said(self, |syntax| &syntax.around_names);
        let own = span.of(text);
        let is_sign = |byte: &&u8| has(signs, **byte);
        let before = own.iter().take_while(is_sign).count() as u32;
        let after = own[before as usize..].iter().rev().take_while(is_sign).count() as u32;
        Span::new(span.start + before, span.end - after)
    }

    /// Splits the radix prefix (`0x`) off a number in lower case, and returns the rest with the radix. Returns
    /// `None` if the number has no such prefix.
    #[must_use]
    pub fn radix<'t>(&self, number: &'t str) -> Option<(&'t str, u32)> {
        let radixes = said(self, |syntax| &syntax.radixes);
        radixes.iter().find_map(|(prefix, radix)| Some((number.strip_prefix(prefix.as_str())?, *radix)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_language_does_not_say_is_as_in_most() {
        let own: Syntax = toml::from_str("group = [\"[\", \"]\"]\nno_parameters = \"void\"").expect("valid");
        assert_eq!(own.grouped(b"a"), b"[a]");
        assert!(own.is_no_parameter(b"void") && !Syntax::default().is_no_parameter(b"void"));
        assert_eq!(
            (own.separator(), own.terminator(), own.digit_separators()),
            (&b", "[..], &b";"[..], "_'")
        );
        assert_eq!(own.radix("0x2a"), Some(("2a", 16)));
        assert_eq!(own.radix("12"), None);
        assert!(own.opens_list(b"<") && !own.opens_list(b"{") && !own.opens_list(b""));
        assert!(own.holds_whole(Some(b'='), None) && !own.holds_whole(Some(b'='), Some(b'+')));
        assert!(own.takes_no_blank_before(b';') && own.takes_no_blank_after(b'('));
        assert!(!LineWords::common().takes_in.is_empty());
        let bare = |own: &Syntax, text: &str| own.bare_name(text.as_bytes(), Span::new(0, text.len() as u32));
        let own: Syntax = toml::from_str("around_names = \"%:\"").expect("valid");
        assert_eq!(
            (bare(&own, "%a"), bare(&own, "a:"), bare(&own, "%")),
            (Span::new(1, 2), Span::new(0, 1), Span::new(1, 1))
        );
        assert_eq!(bare(&Syntax::default(), "%a"), Span::new(0, 2));
    }
}
