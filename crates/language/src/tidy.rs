//! Formats a text of a language in which whitespace between tokens is insignificant: one line for each
//! statement, with indentation by braces.
//!
//! It is used if no formatter is installed. It changes little: tokens without whitespace between them stay
//! together, and most line breaks stay. It does not parse the text.

use super::normal::{Tokens, quoted};
use nubbin_syntax::edit::is_word;

/// The number of spaces by which a block is indented.
const STEP: usize = 2;

/// A piece of text that is copied unchanged.
#[derive(Clone, Copy)]
struct Piece<'t> {
    text: &'t [u8],
    /// The whitespace between this piece and the one before.
    gap: Gap,
    kind: Kind,
    /// True for a brace around statements, braces or nothing. The pieces inside such braces are on separate
    /// lines.
    is_block: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    None,
    Blank,
    Break,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A word, a number, a quoted text, or a character of an operator.
    Plain,
    /// A comment that ends with its line.
    Line,
    /// A directive, which occupies whole lines.
    Directive,
}

impl Piece<'_> {
    fn is(&self, texts: &[&[u8]]) -> bool {
        self.kind == Kind::Plain && texts.contains(&self.text)
    }

    fn is_word(&self) -> bool {
        self.kind == Kind::Plain && self.text.first().is_some_and(|&byte| is_word(byte))
    }
}

impl Tokens {
    /// Formats a text with one line for each statement and with indented blocks.
    #[must_use]
    pub fn tidy(&self, text: &[u8]) -> Vec<u8> {
        let mut pieces = self.pieces(text);
        mark_blocks(&mut pieces);
        let mut page = Page { out: Vec::with_capacity(text.len() + 16), ..Page::default() };
        let mut before: Option<Piece<'_>> = None;
        for piece in pieces {
            page.put(before, piece);
            before = Some(piece);
        }
        if !page.out.is_empty() {
            page.out.push(b'\n');
        }
        page.out
    }

    fn pieces<'t>(&self, text: &'t [u8]) -> Vec<Piece<'t>> {
        let (mut pieces, mut at) = (Vec::new(), 0);
        while at < text.len() {
            let blanks = text[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let gap = match &text[at..at + blanks] {
                [] => Gap::None,
                blanks if blanks.contains(&b'\n') => Gap::Break,
                _ => Gap::Blank,
            };
            at += blanks;
            let rest = &text[at..];
            let Some(&first) = rest.first() else { break };
            let opens_line = gap == Gap::Break || pieces.is_empty();
            let (length, kind) = self.piece(rest, first, opens_line);
            pieces.push(Piece { text: &rest[..length], gap, kind, is_block: false });
            at += length;
        }
        pieces
    }

    /// Returns the length and the kind of the piece at the beginning of a text.
    fn piece(&self, rest: &[u8], first: u8, opens_line: bool) -> (usize, Kind) {
        if opens_line && self.is_directive(first) {
            return (directive(rest), Kind::Directive);
        }
        match self.comment(rest) {
            (length, true) if length > 0 => return (length, Kind::Line),
            (length, false) if length > 0 => return (length, Kind::Plain),
            _ => {}
        }
        let length = if self.is_quote(first) {
            quoted(rest)
        } else {
            rest.iter().take_while(|&&byte| is_word(byte)).count().max(1)
        };
        (length, Kind::Plain)
    }
}

/// Returns the length of a directive including its continuation lines.
fn directive(text: &[u8]) -> usize {
    let mut at = 0;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        at += line.len();
        if !line.trim_ascii_end().ends_with(b"\\") {
            break;
        }
    }
    text[..at].trim_ascii_end().len()
}

/// Marks the braces of blocks: braces that contain a statement or another brace.
fn mark_blocks(pieces: &mut [Piece<'_>]) {
    let mut open: Vec<(usize, bool)> = Vec::new();
    for at in 0..pieces.len() {
        let piece = pieces[at];
        if piece.is(&[b"{"]) {
            // Outer braces were marked when the brace inside them was opened.
            if let Some((_, is_block)) = open.last_mut() {
                *is_block = true;
            }
            open.push((at, false));
        } else if piece.is(&[b";"]) || piece.kind != Kind::Plain {
            if let Some((_, is_block)) = open.last_mut() {
                *is_block = true;
            }
        } else if piece.is(&[b"}"])
            && let Some((start, is_block)) = open.pop()
        {
            // Code on separate lines stays there.
            let is_block = is_block || at > start + 1 && pieces[start + 1].gap == Gap::Break;
            (pieces[start].is_block, pieces[at].is_block) = (is_block, is_block);
        }
    }
}

/// The formatted text while it is written.
#[derive(Default)]
struct Page {
    out: Vec<u8>,
    /// The number of open blocks.
    depth: usize,
    /// The number of open parentheses and brackets in the innermost open block.
    inside: usize,
    /// The number of open parentheses and brackets before each open block.
    outside: Vec<usize>,
}

impl Page {
    fn put(&mut self, before: Option<Piece<'_>>, piece: Piece<'_>) {
        if piece.is(&[b"}"]) && piece.is_block {
            self.depth = self.depth.saturating_sub(1);
            self.inside = self.outside.pop().unwrap_or(0);
        }
        match before.map_or(Gap::None, |before| self.gap(before, piece)) {
            Gap::None => {}
            Gap::Blank => self.out.push(b' '),
            Gap::Break => {
                self.out.push(b'\n');
                // A statement that continues on the next line is indented once more.
                let goes_on = before.is_some_and(|before| !self.ends(before)) && self.depth > 0;
                let goes_on = goes_on && !piece.is(&[b"{", b"}"]);
                let depth = if piece.kind == Kind::Directive { 0 } else { self.depth + usize::from(goes_on) };
                self.out.resize(self.out.len() + STEP * depth, b' ');
            }
        }
        self.out.extend_from_slice(piece.text);
        if piece.is(&[b"{"]) && piece.is_block {
            self.depth += 1;
            self.outside.push(std::mem::take(&mut self.inside));
        } else if piece.is(&[b"(", b"["]) {
            self.inside += 1;
        } else if piece.is(&[b")", b"]"]) {
            self.inside = self.inside.saturating_sub(1);
        }
    }

    /// Returns whether a statement or a member of a list ends with a piece.
    fn ends(&self, piece: Piece<'_>) -> bool {
        let is_member = self.inside == 0 && piece.is(&[b","]);
        piece.kind != Kind::Plain || is_member || piece.is(&[b";", b"{", b"}", b":"])
    }

    /// Returns the whitespace between two pieces.
    fn gap(&self, before: Piece<'_>, piece: Piece<'_>) -> Gap {
        let must_break = before.kind != Kind::Plain || piece.kind == Kind::Directive;
        let is_empty = before.is(&[b"{"]) && piece.is(&[b"}"]);
        let opens = before.is(&[b"{"]) && before.is_block || piece.is(&[b"}"]) && piece.is_block;
        let ends = before.is(&[b";"]) && self.inside == 0;
        if must_break || !is_empty && (opens || ends && piece.kind == Kind::Plain) {
            return Gap::Break;
        }
        let is_tight = piece.is(&[b";", b",", b")", b"]"]) || before.is(&[b"(", b"["]);
        if is_empty || is_tight && !before.is(&[b";", b","]) {
            return Gap::None;
        }
        match piece.gap {
            // The `{` of a body stays on the line of its head.
            Gap::Break if piece.is(&[b"{"]) => Gap::Blank,
            Gap::None | Gap::Break if before.is(&[b"}"]) && before.is_block && piece.is_word() => Gap::Break,
            Gap::Break if self.inside > 0 && !before.is(&[b",", b";"]) => Gap::Blank,
            gap => gap,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tokens() -> Tokens {
        let manifest =
            "quotes = \"\\\"'\"\nline_comment = \"//\"\nblock_comment = [\"/*\", \"*/\"]\ndirective = \"#\"";
        toml::from_str(manifest).expect("a manifest")
    }

    fn tidy(text: &str) -> String {
        String::from_utf8(tokens().tidy(text.as_bytes())).expect("what was text stays it")
    }

    #[test]
    fn a_result_reads_as_somebody_would_write_it() {
        assert_eq!(
            tidy("c(e)\n{\n    struct {\n        int d[e]\n    } a, b\n    ; e ? a : b;\n}\n"),
            "c(e) {\n  struct {\n    int d[e]\n  } a, b;\n  e ? a : b;\n}\n"
        );
        assert_eq!(tidy("a ?: b"), "a ?: b\n", "what touches stays together");
        assert_eq!(tidy("f(){\n\n\n\n g( a , b ) ;}h(){}"), "f(){\n  g(a, b);\n}\nh(){}\n");
        assert_eq!(tidy("int a[] = {1, 2};"), "int a[] = {1, 2};\n");
        assert_eq!(tidy("for (;;) x;"), "for (;;) x;\n");
        assert_eq!(
            tidy("#define f(x) \\\n  x\nint a; // b\nint c;"),
            "#define f(x) \\\n  x\nint a; // b\nint c;\n"
        );
    }

    #[test]
    fn what_is_laid_out_stays_so() {
        for text in [
            "c(e) {\n  struct {\n    int d[e]\n  } a, b;\n  e ? a : b;\n}\n",
            "enum e {\n  A,\n  B\n};\n",
            "({\n  ;\n}\na\n",
            "",
        ] {
            assert_eq!(tidy(text), text);
        }
    }

    proptest! {
        #[test]
        fn no_token_changes(text in "([a-c]|[0-9]|[+;(){}?:,#]|\"[a ]{0,3}\"|//a\n|[ \n]){0,30}") {
            let tidied = tidy(&text);
            let normalised = |text: &str| tokens().normalised(text.as_bytes());
            // If a line comment or a directive joins other lines, the caller detects that the tokens differ.
            let is_plain = !text.contains("//") && !text.contains('#');
            prop_assert!(normalised(&tidied) == normalised(&text) || !is_plain);
            prop_assert!(tidy(&tidied) == tidied || !is_plain, "{tidied} becomes {}", tidy(&tidied));
        }
    }
}
