//! Removes the values that an assertion compared from its message, because a reduction makes them smaller.

use super::OPEN;
use super::clean::{clean, regex};
use regex::Regex;
use std::sync::LazyLock;

/// Matches the operator between two values.
static OPERATOR: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^ (?:==|!=|===|!==|<=|>=|<|>|is not|is|not in|in|not found in|unexpectedly found in|not less than or equal to|not less than|not greater than or equal to|not greater than|is not an instance of|to (?:strictly |deeply |loosely )?(?:equal|be|deep equal|eql|be above|be below|be at least|be at most|include|match)|and|vs\.?) ",
    )
});
/// Matches `expected: <3> but was: <5>`, as printed on the JVM.
static EXPECTED: LazyLock<Regex> = LazyLock::new(|| regex(r"(expected: ?)<.*?>( but was: ?)<.*?>( |$)"));
/// Matches a value next to a word that announces it.
static TOLD: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"((?i:\b(?:expected|actual|got|received)(?: value)?:? ))-?\d[\w.]*\b|(\()-?\d[\w.+-]*( difference\))",
    )
});
/// Matches the words before a value that is the whole assertion.
static ALONE: LazyLock<Regex> = LazyLock::new(|| regex(r"^(?:AssertionError: )?assert (?:not )?"));
/// Matches a number or a literal word of a language at the start of a text.
static PLAIN: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^(?:-?(?:\d[\w.]*(?:[eE][+-]?\d+)?|inf|nan)[jL]?|None|True|False|true|false|null|undefined|NaN|-?Infinity)",
    )
});
/// Matches the name or the prefix before a string or an opening bracket; it can be empty.
static CALL: LazyLock<Regex> = LazyLock::new(|| regex(r"^[brfuBRFU]?(?:[A-Za-z_][\w.]*)?"));

/// Replaces the values of comparisons in a text, and adds them to `values`.
pub(super) fn opened(text: &str, values: &mut Vec<String>) -> String {
    let mut opened = String::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let is_start =
            !text[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '\'' | '"'));
        if let Some((left, operator, right)) = is_start.then(|| comparison(rest)).flatten() {
            values.extend([clean(left), clean(right)]);
            opened.extend([OPEN, operator, OPEN]);
            at += left.len() + operator.len() + right.len();
        } else {
            let first = rest.chars().next().unwrap_or_default();
            opened.push(first);
            at += first.len_utf8();
        }
    }
    if let Some(found) = ALONE.find(&opened)
        && let Some(value) =
            value(&opened[found.end()..]).filter(|value| found.end() + value.len() == opened.len())
    {
        values.push(clean(value));
        opened.replace_range(found.end().., OPEN);
    }
    let opened = EXPECTED.replace(&opened, format!("${{1}}<{OPEN}>${{2}}<{OPEN}>${{3}}"));
    TOLD.replace_all(&opened, format!("${{1}}${{2}}{OPEN}${{3}}")).into_owned()
}

/// Returns the first value, the operator and the second value at the start of a text.
fn comparison(text: &str) -> Option<(&str, &str, &str)> {
    let left = value(text)?;
    let operator = OPERATOR.find(&text[left.len()..])?.as_str();
    let from = left.len() + operator.len();
    let right = value(&text[from..])?;
    Some((left, operator, right))
}

/// Returns the value at the start of a text. A truncated value extends to the end.
fn value(text: &str) -> Option<&str> {
    let plain = PLAIN.find(text).map(|found| found.end());
    let plain =
        plain.filter(|&end| !text[end..].starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '('));
    let end = plain.or_else(|| {
        let name = CALL.find(text).map_or(0, |found| found.end());
        let inner = &text[name..];
        let open = inner.chars().next()?;
        let end = match open {
            '\'' | '"' if name <= 2 => quoted(inner, open),
            '(' | '[' | '{' => bracketed(inner),
            '<' if name == 0 && inner[1..].starts_with(char::is_alphabetic) => bracketed(inner),
            _ => return None,
        };
        Some(name + end)
    })?;
    Some(&text[..end])
}

/// Returns the end of a quoted text.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == quote && !is_escaped {
            return at + c.len_utf8();
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    text.len()
}

/// Returns the end of a text in brackets.
fn bracketed(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut skip = 0;
    for (at, c) in text.char_indices() {
        if at < skip {
            continue;
        }
        match c {
            '\'' | '"' => skip = at + quoted(&text[at..], c),
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' | '>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return at + c.len_utf8();
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_compared_is_open_and_the_rest_of_the_text_stays() {
        for (text, expected) in [
            ("assert 1299.75 == 1300.0", "assert … == …"),
            ("assert 5 == 3, of all things", "assert … == …, of all things"),
            ("assert [1, 'a]', (2,)] == []", "assert … == …"),
            ("assert 'x y' in {'a': 1}", "assert … in …"),
            ("assert not 3 < 2", "assert not … < …"),
            ("assert None is not None", "assert … is not …"),
            ("assert Point(x=1, y=2) == Point(x=1, y=3)", "assert … == …"),
            ("assert <shop.Cart object at 0x> is None", "assert … is …"),
            ("assert ['one', 'tw...", "assert …"),
            ("assert False", "assert …"),
            ("assert not [1, 2]", "assert not …"),
            ("assert is_sorted([1, 2]), 'x'", "assert is_sorted([1, 2]), 'x'"),
            ("AssertionError: 3 != 4 : the sum", "AssertionError: … != … : the sum"),
            (
                "AssertionError: 3.5 != 4 within 7 places (0.5 difference)",
                "AssertionError: … != … within 7 places (… difference)",
            ),
            ("Lists differ: [1] != [2]", "Lists differ: … != …"),
            ("AssertionError: 7 not found in [1, 2]", "AssertionError: … not found in …"),
            ("5 == 3", "… == …"),
            ("expected 5 to equal 3", "expected … to equal …"),
            ("expected: <3> but was: <5>", "expected: <…> but was: <…>"),
            ("expected 3, got 5", "expected …, got …"),
            ("total == 3 is the goal", "total == 3 is the goal"),
            ("case 12 is not done", "case 12 is not done"),
        ] {
            assert_eq!(opened(text, &mut Vec::new()), expected);
        }
    }

    #[test]
    fn what_the_values_were_is_known() {
        let mut values = Vec::new();
        opened("assert [1, 2] == (3)", &mut values);
        assert_eq!(values, ["[1, 2]", "(3)"]);
    }
}
