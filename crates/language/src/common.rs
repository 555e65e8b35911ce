//! Signs and words that most languages share, from `grammars/common.toml`, and `[syntax]`, by which a language differs.
//!
//! It holds signs and words, and decides nothing about them.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The signs that texts are written with. What a language does not say is as in most others.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Syntax {
    group: Option<[String; 2]>,
    separator: Option<String>,
    terminator: Option<String>,
    no_parameters: Option<String>,
    digit_separators: Option<String>,
    radixes: Option<BTreeMap<String, u32>>,
}

/// The words and signs at which lines are told apart in a text of any language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LineWords {
    /// Words of a line that takes in another file.
    pub takes_in: Vec<String>,
    /// The one among them whose line the file's text can take the place of.
    pub stands_for_a_file: String,
    /// The signs that a line begins with which ends or continues a block.
    pub block_ends: Vec<String>,
    /// The words that such a line begins with, in lower case.
    pub block_end_words: Vec<String>,
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
    /// Those that hold in any language.
    #[must_use]
    pub fn common() -> &'static Self {
        &common().lines
    }
}

/// The value of this key that a language has, or that most others have.
fn said<'s, T>(own: &'s Syntax, key: impl Fn(&'s Syntax) -> &'s Option<T>) -> &'s T {
    let value = key(own).as_ref().or_else(|| key(&common().syntax).as_ref());
    value.expect("the common table has every key; a test reads it")
}

impl Syntax {
    /// Puts brackets around an expression, so that it holds together anywhere.
    #[must_use]
    pub fn grouped(&self, text: &[u8]) -> Vec<u8> {
        let [open, close] = said(self, |syntax| &syntax.group);
        [open.as_bytes(), text, close.as_bytes()].concat()
    }

    /// Gives what stands between two members of a list.
    #[must_use]
    pub fn separator(&self) -> &[u8] {
        said(self, |syntax| &syntax.separator).as_bytes()
    }

    /// Gives what ends a declaration.
    #[must_use]
    pub fn terminator(&self) -> &[u8] {
        said(self, |syntax| &syntax.terminator).as_bytes()
    }

    /// Tells whether the only member of a list of parameters says that there are none.
    #[must_use]
    pub fn is_no_parameter(&self, text: &[u8]) -> bool {
        self.no_parameters.as_ref().is_some_and(|none| none.as_bytes() == text)
    }

    /// Gives the signs that may stand between the digits of a number and say nothing.
    #[must_use]
    pub fn digit_separators(&self) -> &str {
        said(self, |syntax| &syntax.digit_separators)
    }

    /// Splits what tells the radix off a number in lower case, and gives the radix.
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
        assert!(!LineWords::common().takes_in.is_empty());
    }
}
