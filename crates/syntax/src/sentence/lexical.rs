//! The smallest texts of tokens, and the tokens that are names.

use super::rule::{GrammarFile, Rule};
use regex::Regex;
use regex_syntax::hir::{Class, Hir, HirKind};

/// A name as most languages write it, alone and after the signs that some languages put before names.
const NAMES: [&str; 5] = ["xq1", "%xq1", "@xq1", "$xq1", "'xq1"];

/// Texts that are not names. A token that matches one of these can hold anything.
const OTHERS: [&str; 4] = ["1.5", "+=", "\"xq1\"", "x q"];

/// The number of levels of hidden rules to search.
const LEVELS: usize = 4;

/// Returns the smallest text of a token; `None` for a rule that is more than a token, and for a pattern that
/// cannot be parsed.
pub(super) fn smallest(rule: &Rule) -> Option<String> {
    match rule {
        Rule::String { value } => Some(value.clone()),
        Rule::Pattern { .. } => smallest_match(&regex_syntax::parse(&pattern(rule)?).ok()?),
        Rule::Token { content } | Rule::ImmediateToken { content } => joined(content),
        _ => None,
    }
}

/// Returns the smallest text of a part of a token.
fn joined(rule: &Rule) -> Option<String> {
    match rule {
        Rule::Blank | Rule::Repeat { .. } => Some(String::new()),
        Rule::Seq { members } => members.iter().map(joined).collect(),
        Rule::Choice { members } => members.iter().filter_map(joined).min_by_key(|text| order(text)),
        Rule::Symbol { .. } => None,
        _ => smallest(rule).or_else(|| joined(rule.content()?)),
    }
}

/// Orders texts of tokens by length, then by `rank`.
fn order(text: &str) -> (usize, u8, String) {
    let rank = text.chars().next().map_or(0, rank);
    (text.len(), rank, text.to_owned())
}

/// Orders characters: `a`, `0`, other lower-case letters, digits, capitals, signs, and all others.
fn rank(c: char) -> u8 {
    match c {
        'a' => 0,
        '0' => 1,
        'b'..='z' => 2,
        '1'..='9' => 3,
        'A'..='Z' => 4,
        '!'..='~' => 5,
        ' ' => 6,
        _ => 7,
    }
}

/// Returns the smallest text that a regular expression matches.
fn smallest_match(hir: &Hir) -> Option<String> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(String::new()),
        HirKind::Literal(literal) => String::from_utf8(literal.0.to_vec()).ok(),
        HirKind::Class(Class::Unicode(class)) => {
            let plain =
                (' '..='~').filter(|&c| class.ranges().iter().any(|r| (r.start()..=r.end()).contains(&c)));
            let first = class.ranges().first().map(regex_syntax::hir::ClassUnicodeRange::start);
            plain.min_by_key(|&c| (rank(c), c)).or(first).map(String::from)
        }
        HirKind::Class(Class::Bytes(_)) => None,
        HirKind::Repetition(repetition) => {
            if repetition.min == 0 {
                return Some(String::new());
            }
            Some(smallest_match(&repetition.sub)?.repeat(repetition.min as usize))
        }
        HirKind::Capture(capture) => smallest_match(&capture.sub),
        HirKind::Concat(parts) => parts.iter().map(smallest_match).collect(),
        HirKind::Alternation(parts) => parts.iter().filter_map(smallest_match).min_by_key(|text| order(text)),
    }
}

/// Returns whether a rule is a token that matches names.
pub(super) fn is_word(file: &GrammarFile, rule: &Rule) -> bool {
    let Some(pattern) = whole(file, rule, LEVELS) else { return false };
    let Ok(pattern) = Regex::new(&format!("^(?:{pattern})$")) else { return false };
    NAMES.iter().any(|name| pattern.is_match(name)) && !OTHERS.iter().any(|other| pattern.is_match(other))
}

/// Returns the regular expression of a rule that is one token, looking through hidden rules.
fn whole(file: &GrammarFile, rule: &Rule, levels: usize) -> Option<String> {
    match rule {
        Rule::Token { content } | Rule::ImmediateToken { content } => pattern(content),
        Rule::Pattern { .. } => pattern(rule),
        Rule::Prec { content } => whole(file, content, levels),
        Rule::Choice { members } => {
            let members: Option<Vec<String>> =
                members.iter().map(|member| whole(file, member, levels)).collect();
            Some(members?.join("|"))
        }
        Rule::Symbol { name } if levels > 0 && file.is_hidden(name) => {
            whole(file, file.rules.get(name)?, levels - 1)
        }
        _ => None,
    }
}

/// Returns a part of a token as a regular expression; `None` if it contains anything but text.
fn pattern(rule: &Rule) -> Option<String> {
    let all = |members: &[Rule]| members.iter().map(pattern).collect::<Option<Vec<_>>>();
    Some(match rule {
        Rule::Blank => String::new(),
        Rule::String { value } => regex_syntax::escape(value),
        Rule::Pattern { value, flags } => {
            let ignores_case = flags.iter().flat_map(|flags| flags.chars()).filter(|&flag| flag == 'i');
            format!("(?{}:{})", ignores_case.collect::<String>(), with_plain_brackets(value))
        }
        Rule::Seq { members } => all(members)?.concat(),
        Rule::Choice { members } => format!("(?:{})", all(members)?.join("|")),
        Rule::Repeat { content } => format!("(?:{})*", pattern(content)?),
        Rule::Repeat1 { content } => format!("(?:{})+", pattern(content)?),
        Rule::Prec { content } | Rule::Token { content } | Rule::ImmediateToken { content } => {
            pattern(content)?
        }
        _ => return None,
    })
}

/// Converts a regular expression of JavaScript to the syntax of the `regex` crate, in which a bracket inside a
/// class must be escaped.
fn with_plain_brackets(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let (mut in_class, mut is_escaped, mut opens) = (false, false, false);
    for c in text.chars() {
        if in_class && !is_escaped && c == '['
            || in_class && !is_escaped && "&~-".contains(c) && made.ends_with(c)
        {
            made.push('\\');
        }
        if is_escaped {
            // A slash needs no escape in either syntax.
            if c == '/' {
                made.pop();
            }
        } else if c == '[' && !in_class {
            (in_class, opens) = (true, true);
            made.push(c);
            continue;
        } else if c == ']' && in_class && !(opens && made.ends_with('[')) {
            in_class = false;
        }
        is_escaped = c == '\\' && !is_escaped;
        made.push(c);
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(value: &str) -> Option<String> {
        smallest(&Rule::Pattern { value: value.to_owned(), flags: None })
    }

    #[test]
    fn a_pattern_gives_the_plainest_of_its_smallest_texts() {
        assert_eq!(of("[_\\p{XID_Start}][_\\p{XID_Continue}]*").as_deref(), Some("a"));
        assert_eq!(of("0[xX][0-9a-f]+|[0-9]+").as_deref(), Some("0"));
        assert_eq!(of("[^\"\\\\/[]+").as_deref(), Some("a"));
        assert_eq!(of("\\/\\/[^\\n]*").as_deref(), Some("//"));
        assert_eq!(of("(?=x)"), None);
    }
}
