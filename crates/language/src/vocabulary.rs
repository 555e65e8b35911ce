//! The words that a query file can use. The query library silently ignores unknown words; here they are errors.

use super::kind::{NameKind, ScopeKind};
use std::ops::Range;

/// The captures and properties that one kind of query file can use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vocabulary {
    pub captures: &'static [&'static str],
    pub properties: &'static [&'static str],
    /// Captures that can be followed by a dot and a word.
    pub families: &'static [Family],
}

/// A capture that can be followed by a word of a closed set, such as `@local.definition.function`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Family {
    stem: &'static str,
    /// The noun for the words in messages.
    what: &'static str,
    knows: fn(&str) -> bool,
    words: fn() -> Vec<&'static str>,
}

impl Family {
    /// Returns the word after the stem; `None` for another capture, and for the stem alone.
    fn word(self, capture: &str) -> Option<&str> {
        capture.strip_prefix(self.stem)?.strip_prefix('.')
    }
}

/// The captures of the convention for locals.
const LOCAL: &[Family] = &[
    Family {
        stem: "local.definition",
        what: "kind of name",
        knows: |word| NameKind::of(Some(word)).is_some(),
        words: NameKind::words,
    },
    Family {
        stem: "local.reference",
        what: "kind of name",
        knows: |word| NameKind::of(Some(word)).is_some(),
        words: NameKind::words,
    },
    Family {
        stem: "local.scope",
        what: "kind of scope",
        knows: |word| ScopeKind::of(Some(word)).is_some(),
        words: ScopeKind::words,
    },
];

/// The vocabulary of `locals.scm` in grammar packages.
pub(super) const LOCALS: Vocabulary = Vocabulary {
    captures: &["local.definition", "local.reference", "local.scope"],
    properties: &[
        "local.scope-inherits",
        "definition.function.scope",
        "definition.method.scope",
        "definition.var.scope",
        "definition.parameter.scope",
        "definition.constant.scope",
        "definition.macro.scope",
        "definition.type.scope",
        "definition.field.scope",
        "definition.enum.scope",
        "definition.namespace.scope",
        "definition.import.scope",
        "definition.associated.scope",
    ],
    families: LOCAL,
};

/// The vocabulary of rule files.
pub(super) const RULES: Vocabulary = Vocabulary {
    captures: &["delete", "replace", "also", "with", "outdent"],
    properties: &["rule", "text", "from", "also", "late", "last", "part"],
    families: &[],
};

/// The vocabulary of `injections.scm`.
pub(super) const INJECTIONS: Vocabulary = Vocabulary {
    captures: &["injection.content"],
    properties: &["injection.language", "part"],
    families: &[],
};

/// The vocabulary of `inline.scm`.
pub(super) const INLINE: Vocabulary = Vocabulary {
    captures: &[
        "inline",
        "inline.path",
        "inline.up",
        "inline.name",
        "inline.alias",
        "inline.all",
        "inline.mark",
        "inline.once",
        "inline.guard",
        "inline.own",
        "inline.idle",
        "inline.apart",
        "inline.later",
        "inline.first",
        "inline.access",
        "inline.object",
        "inline.member",
    ],
    properties: &["part"],
    families: &[],
};

/// The vocabulary of `names.scm`.
pub(super) const NAMES: Vocabulary = Vocabulary {
    captures: &[
        "local.scope",
        "local.definition",
        "local.reference",
        "statement",
        "return",
        "result",
        "value",
        "parameters",
        "body",
        "only",
        "only.type",
        "use",
        "object",
        "arguments",
        "alias",
        "argument",
        "keyword",
        "mention",
        "class",
        "base",
        "construct",
        "members",
        "callee",
        "element",
        "pair",
        "spread",
        "each",
        "mark",
        "type",
        "shed",
        "constructor",
        "constructed",
        "generic",
        "level",
        "level.name",
        "level.inner",
        "target",
        "source",
        "address",
        "address.of",
        "list",
        "aggregate",
        "member",
        "member.type",
        "local",
        "tuple",
        "literal",
        "aligned",
        "inside",
        "outside",
        "functor",
    ],
    properties: &[
        "namespace",
        "name",
        "after",
        "unnamed",
        "written",
        "blank",
        "otherwise",
        "reach",
        "skip",
        "constant",
        "local",
        "declare",
        "single",
        "parameter",
        "bare",
        "cast",
        "pointer",
        "free",
        "classwide",
        "this",
        "receiver",
        "handed",
        "itself",
        "unbound",
        "evaluated",
        "result",
        "variable",
        "sole",
        "made",
        "deduced",
        "explicit",
        "short",
        "own",
        "universal",
        "numbered",
        "jump",
        "end",
        "origin",
        "called",
        "level",
        "address",
        "content",
        "part",
        "last",
    ],
    families: LOCAL,
};

/// The predicates that a query can use.
const PREDICATES: &[&str] = &[
    "eq?",
    "not-eq?",
    "any-eq?",
    "any-not-eq?",
    "match?",
    "not-match?",
    "any-match?",
    "any-not-match?",
    "any-of?",
    "not-any-of?",
];

/// A word that is not in the vocabulary: its byte offset in the text, and a message that lists the known words.
#[derive(Debug)]
pub(super) struct Unknown {
    pub at: usize,
    pub message: String,
}

/// Finds the first word of `text` that the vocabulary does not contain.
pub(super) fn check(text: &str, vocabulary: Vocabulary) -> Result<(), Unknown> {
    let mut words = Words { text, at: 0 };
    while let Some((at, word)) = words.next() {
        if let Some(capture) = word.strip_prefix('@') {
            if !capture.starts_with('_') && !vocabulary.captures.contains(&capture) {
                let unknown = || Err(unknown(at, "capture", word, vocabulary.captures, "@"));
                of_family(at, capture, vocabulary).unwrap_or_else(unknown)?;
            }
        } else if word == "#set!" {
            let Some((at, key)) = words.next() else { break };
            if !vocabulary.properties.contains(&key) {
                return Err(unknown(at, "property", key, vocabulary.properties, ""));
            }
        } else if let Some(operator) = word.strip_prefix('#')
            && !PREDICATES.contains(&operator)
        {
            return Err(unknown(at, "operator", word, PREDICATES, "#"));
        }
    }
    Ok(())
}

/// Checks the word of a capture that belongs to a family; `None` for any other capture.
fn of_family(at: usize, capture: &str, vocabulary: Vocabulary) -> Option<Result<(), Unknown>> {
    let of = |family: &Family| Some((*family, family.word(capture)?));
    let (family, word) = vocabulary.families.iter().find_map(of)?;
    let is_known = (family.knows)(word);
    Some(if is_known { Ok(()) } else { Err(unknown(at, family.what, word, &(family.words)(), "")) })
}

fn unknown(at: usize, what: &str, word: &str, known: &[&str], prefix: &str) -> Unknown {
    let known: Vec<String> = known.iter().map(|k| format!("`{prefix}{k}`")).collect();
    Unknown { at, message: format!("unknown {what} `{word}`; expected one of {}", known.join(", ")) }
}

/// Lists the byte range of each pattern of `text`, with its captures and without the comments around it.
///
/// # Errors
/// Returns the first byte of a pattern that is not closed.
pub(super) fn patterns(text: &str) -> Result<Vec<Range<usize>>, usize> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut depth = 0_usize;
    let mut words = Words { text, at: 0 };
    while let Some(&byte) = text.as_bytes().get(words.at) {
        let start = words.at;
        let mut is_closed = true;
        match byte {
            b';' => words.skip_to(|b| b == b'\n'),
            b'"' => is_closed = words.skip_string(),
            _ if is_word(byte) => words.skip_to(|b| !is_word(b)),
            _ => words.at += 1,
        }
        if byte == b';' || byte.is_ascii_whitespace() {
            continue;
        }
        match found.last_mut() {
            Some(last) if depth > 0 || b"@?*+".contains(&byte) => last.end = words.at,
            _ => found.push(start..words.at),
        }
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            _ => depth += usize::from(!is_closed),
        }
    }
    match found.last() {
        Some(last) if depth > 0 => Err(last.start),
        _ => Ok(found),
    }
}

/// Lists the properties that a pattern sets, with their values. A property without a value has an empty one.
pub(super) fn properties(pattern: &str) -> Vec<(&str, String)> {
    let mut words = Words { text: pattern, at: 0 };
    let mut found = Vec::new();
    while let Some((_, word)) = words.next() {
        if word != "#set!" {
            continue;
        }
        let Some((at, key)) = words.next() else { break };
        let rest = pattern[at + key.len()..].trim_start();
        let value = rest.strip_prefix('"').and_then(|value| value.split('"').next());
        found.push((key, value.unwrap_or_default().to_owned()));
    }
    found
}

/// The words of a query outside strings and comments, with their positions.
struct Words<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<(usize, &'a str)> {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b';' => self.skip_to(|b| b == b'\n'),
                b'"' => _ = self.skip_string(),
                _ if is_word(byte) => {
                    let start = self.at;
                    self.skip_to(|b| !is_word(b));
                    return Some((start, &self.text[start..self.at]));
                }
                _ => self.at += 1,
            }
        }
        None
    }

    fn skip_to(&mut self, stop: impl Fn(u8) -> bool) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().position(|&b| stop(b)).unwrap_or(rest.len());
    }

    /// Skips a string and returns true, or moves to the end and returns false if the string is not closed.
    fn skip_string(&mut self) -> bool {
        self.at += 1;
        while let Some(&byte) = self.text.as_bytes().get(self.at) {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'"' {
                return true;
            }
        }
        self.at = self.text.len();
        false
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"@#_-.?!".contains(&byte) || byte >= 0x80
}

/// Returns the line and the column, both from 1, of a byte of `text`.
pub(super) fn position(text: &str, at: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..at.min(text.len())];
    let line = memchr::memchr_iter(b'\n', before).count() + 1;
    let column = before.iter().rev().take_while(|&&b| b != b'\n').count() + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_told_apart_by_their_brackets() {
        let text = "; (a)\n(a \")\" @_x ; ]\n) @delete @also\n[(b)]* @c\n\"if\" @d _ @e\n";
        let found: Vec<&str> =
            patterns(text).expect("all is closed").into_iter().map(|span| &text[span]).collect();
        assert_eq!(found, ["(a \")\" @_x ; ]\n) @delete @also", "[(b)]* @c", "\"if\" @d", "_ @e"],);
        assert_eq!(patterns("(a)\n((b) (#set! c \"d\")\n(e)"), Err(4));
        assert_eq!(patterns("(a) (b \"c)"), Err(4));
        assert_eq!(patterns("(a) \""), Err(4));
        let set = properties("((a \"#set! x\") (#set! rule \"b c\") (#set! last) (#set! text \"\"))");
        assert_eq!(set, [("rule", "b c".to_owned()), ("last", String::new()), ("text", String::new())]);
    }

    #[test]
    fn unknown_words_are_found_where_they_stand() {
        let text = "; @nothing\n(a \"@no #no?\") @delete\n(b) @remove";
        let error = check(text, RULES).expect_err("`@remove` is unknown");
        assert_eq!(position(text, error.at), (3, 5));
        assert!(error.message.contains("`@remove`") && error.message.contains("`@delete`"));
        let error = check("((a) @_x (#equals? @_x \"y\"))", RULES).expect_err("`#equals?` is unknown");
        assert_eq!(error.at, 10);
        let error = check("((a) @delete (#set! name \"y\"))", RULES).expect_err("`name` is unknown");
        assert!(error.message.contains("`name`"));
        check("((a) @_x (#eq? @_x \"y\") (#set! rule \"z\"))", RULES).expect("all known");
    }

    #[test]
    fn a_kind_that_there_is_not_is_found_where_it_stands() {
        for text in
            ["@local.definition", "@local.definition.function", "@local.reference.field", "@local.scope.open"]
        {
            check(&format!("(a) {text}"), NAMES).expect("all known");
        }
        for (text, word) in
            [("definition.vairable", "vairable"), ("reference.x", "x"), ("scope.class", "class")]
        {
            let error = check(&format!("(a)\n(b) @local.{text}"), NAMES).expect_err("there is no such kind");
            assert!(
                error.message.contains(&format!("`{word}`; expected one of `function`")),
                "{}",
                error.message
            );
            assert_eq!(error.at, 8);
        }
        let error = check("(a) @local.definitions", NAMES).expect_err("there is no such capture");
        assert!(error.message.contains("`@local.definition`"), "{}", error.message);
    }
}
