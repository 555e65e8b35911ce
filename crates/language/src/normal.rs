//! Normalizes a text of a language in which whitespace between tokens is insignificant. Two texts with the same
//! normalized text have the same meaning in the language.
//!
//! Comments count as tokens: a compiler ignores them, but an oracle can look for them. The module works on
//! characters, so a candidate need not be parsed first. If in doubt, it keeps the whitespace.

use nubbin_syntax::edit::{is_word, needs_blank};
use serde::Deserialize;

/// How to distinguish tokens and whitespace, for languages in which whitespace between tokens is insignificant.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tokens {
    /// The characters that begin and end a token in which whitespace is significant. A backslash escapes them.
    /// The token also ends at the end of the line.
    #[serde(default)]
    quotes: String,
    /// The token that begins a comment that ends with its line.
    #[serde(default)]
    line_comment: Option<String>,
    /// The tokens that begin and end a comment.
    #[serde(default)]
    block_comment: Option<[String; 2]>,
    /// The character at the beginning of a line (a directive) in which whitespace and the line break are
    /// significant.
    #[serde(default)]
    directive: Option<char>,
    /// The token at the end of a line that joins the next line to it.
    #[serde(default)]
    continuation: Option<String>,
    /// The letters of an exponent: a plus or minus after one of them can belong to the number.
    #[serde(default)]
    exponents: String,
}

impl Tokens {
    /// Returns the text without the whitespace that is not needed to separate tokens.
    #[must_use]
    pub fn normalised(&self, text: &[u8]) -> Vec<u8> {
        let exponents = self.exponents.as_bytes();
        let mut normaliser =
            Normaliser { out: Vec::with_capacity(text.len()), blank: false, in_directive: false, exponents };
        let mut at = 0;
        let mut opens_line = true;
        let special = self.special();
        while let Some(&byte) = text.get(at) {
            let rest = &text[at..];
            let plain = rest.iter().take_while(|&&b| !special[usize::from(b)]).count();
            if plain > 0 {
                normaliser.push(&rest[..plain]);
                opens_line = false;
                at += plain;
                continue;
            }
            if byte.is_ascii_whitespace() {
                if byte == b'\n' {
                    normaliser.end_line();
                    opens_line = true;
                }
                normaliser.blank = true;
                at += 1;
                continue;
            }
            let (comment, ends_line) = self.comment(rest);
            let joins_lines = self.joins_lines(rest);
            let length = if comment > 0 {
                normaliser.push(&rest[..comment]);
                if ends_line {
                    normaliser.out.push(b'\n');
                    normaliser.in_directive = false;
                }
                opens_line = ends_line;
                comment
            } else if joins_lines {
                normaliser.blank = true;
                1 + rest.iter().take_while(|&&b| b != b'\n').count()
            } else {
                if opens_line && self.is_directive(byte) {
                    normaliser.begin_directive();
                }
                opens_line = false;
                let length = if self.is_quote(byte) { quoted(rest) } else { 1 };
                normaliser.push(&rest[..length]);
                length
            };
            at += length;
        }
        normaliser.out
    }

    /// Returns whether a text begins with the token that joins the next line to this one.
    fn joins_lines(&self, text: &[u8]) -> bool {
        let rest = self.continuation.as_ref().and_then(|sign| text.strip_prefix(sign.as_bytes()));
        rest.is_some_and(|rest| rest.starts_with(b"\n") || rest.starts_with(b"\r\n"))
    }

    /// Marks the bytes that can be more than a part of a token: whitespace, and the first bytes of comments,
    /// quotes, directives and joined lines.
    fn special(&self) -> [bool; 256] {
        let comments = self.line_comment.iter().chain(self.block_comment.iter().map(|[begin, _]| begin));
        let comments = comments.chain(&self.continuation);
        let begins = comments.filter_map(|begin| begin.bytes().next());
        let directive = self.directive.and_then(|first| u8::try_from(first).ok());
        let mut special = [false; 256];
        for byte in b" \t\n\r\x0c".iter().copied().chain(begins).chain(self.quotes.bytes()).chain(directive) {
            special[usize::from(byte)] = true;
        }
        special
    }

    /// Returns whether a character begins a token in which whitespace is significant.
    pub(super) fn is_quote(&self, byte: u8) -> bool {
        self.quotes.as_bytes().contains(&byte)
    }

    /// Returns whether a character at the beginning of a line makes the line a directive.
    pub(super) fn is_directive(&self, byte: u8) -> bool {
        self.directive.is_some_and(|first| first as u32 == u32::from(byte))
    }

    /// Returns the length of the comment at the beginning of a text, or 0, and whether the comment ends with
    /// its line.
    pub(super) fn comment(&self, text: &[u8]) -> (usize, bool) {
        if self.line_comment.as_ref().is_some_and(|begin| text.starts_with(begin.as_bytes())) {
            return (text.iter().position(|&b| b == b'\n').unwrap_or(text.len()), true);
        }
        let length = match &self.block_comment {
            Some([begin, end]) if text.starts_with(begin.as_bytes()) => {
                let inside = &text[begin.len()..];
                let end_at = memchr::memmem::find(inside, end.as_bytes());
                end_at.map_or(text.len(), |to| begin.len() + to + end.len())
            }
            _ => 0,
        };
        (length, false)
    }
}

/// The normalized text while it is written.
struct Normaliser<'t> {
    out: Vec<u8>,
    /// The letters of an exponent: a plus or minus after one of them can belong to the number.
    exponents: &'t [u8],
    /// True if there was whitespace before the next token.
    blank: bool,
    in_directive: bool,
}

impl Normaliser<'_> {
    fn push(&mut self, token: &[u8]) {
        if std::mem::take(&mut self.blank)
            && (self.in_directive || must_stay(self.out.last().copied(), token[0], self.exponents))
        {
            self.out.push(b' ');
        }
        self.out.extend_from_slice(token);
    }

    fn begin_directive(&mut self) {
        self.in_directive = true;
        self.out.push(b'\n');
        self.blank = false;
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.in_directive) {
            self.out.push(b'\n');
        }
    }
}

/// Returns whether whitespace between two bytes can be significant in the language.
fn must_stay(left: Option<u8>, right: u8, exponents: &[u8]) -> bool {
    let Some(left) = left else { return false };
    let is_plain = |b: u8| is_word(b) || b"()[]{};,\"'".contains(&b) || b"+-*/%<>=!&|^:.?~".contains(&b);
    let in_number = (left.is_ascii_digit() || left == b'.') && (right.is_ascii_digit() || right == b'.');
    let in_exponent = exponents.contains(&left) && b"+-".contains(&right);
    left != b'\n'
        && (needs_blank(Some(&left), Some(&right))
            || !is_plain(left)
            || !is_plain(right)
            || in_number
            || in_exponent)
}

/// Returns the length of the quoted token at the beginning of a text.
pub(super) fn quoted(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\n' => return at,
            b'\\' if text.get(at + 1).is_some_and(|&b| b != b'\n') => at += 2,
            _ if byte == text[0] => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn normalised(text: &str) -> String {
        let tokens = Tokens {
            quotes: "\"'".to_owned(),
            line_comment: Some("//".to_owned()),
            block_comment: Some(["/*".to_owned(), "*/".to_owned()]),
            directive: Some('#'),
            continuation: Some("\\".to_owned()),
            exponents: "eEpP".to_owned(),
        };
        String::from_utf8(tokens.normalised(text.as_bytes())).expect("what stays is whole")
    }

    #[test]
    fn blanks_between_tokens_say_nothing() {
        assert_eq!(normalised("int  f ( void )\n{\n  return 1 ; }\n"), "int f(void){return 1;}");
        assert_eq!(normalised("a; // b  c\nd"), "a;//b  c\nd".replace("//b", "// b"));
        assert_ne!(normalised("a /* x  y */ b"), normalised("a /* x y */ b"));
        assert_eq!(normalised("a + +b"), "a+ +b");
    }

    #[test]
    fn blanks_that_keep_tokens_apart_or_stand_in_quotes_stay() {
        for (one, other) in [
            ("int x", "intx"),
            ("a + +b", "a ++b"),
            ("1 .5", "1.5"),
            ("1e +5", "1e+5"),
            ("f(\"a  b\")", "f(\"a b\")"),
            ("'\\' '", "'\\''"),
            ("a / *b", "a /*b"),
            ("# x", "#x y"),
        ] {
            assert_ne!(normalised(one), normalised(other), "{one}");
        }
    }

    #[test]
    fn directives_keep_their_lines_and_their_blanks() {
        assert_eq!(normalised("#define f (x)\nint  a;\n"), "\n#define f (x)\nint a;");
        assert_ne!(normalised("#define f(x)\n"), normalised("#define f (x)\n"));
        assert_ne!(normalised("#define f\nint a;\n"), normalised("#define f int a;\n"));
        assert_ne!(normalised("int a;\n#if 1\n"), normalised("int a; #if 1\n"));
        assert_eq!(normalised("#define f \\\n  1\nx\n"), normalised("#define f 1\n  x\n"));
    }

    proptest! {
        #[test]
        fn normalised_text_is_normalised_already_and_holds_all_other_characters(text in "[a-c1 \n+;()]{0,30}") {
            let once = normalised(&text);
            prop_assert_eq!(&normalised(&once), &once);
            let solid = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(solid(&once), solid(&text));
        }

        #[test]
        fn more_blanks_between_tokens_change_nothing(tokens in prop::collection::vec("[a-c]{1,2}|[0-9]|[+;(){}<]|\"[a ]{0,3}\"", 0..12)) {
            prop_assert_eq!(normalised(&tokens.join(" ")), normalised(&tokens.join(" \n\t ")));
        }
    }
}
