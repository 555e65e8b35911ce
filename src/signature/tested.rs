//! Tests that fail, as the runners of tests tell it: which one, and with what message.

use super::clean::{clean, part, regex};
use super::{Kind, Signature, Text};
use regex::Regex;
use std::sync::LazyLock;

static HEADING: LazyLock<Regex> = LazyLock::new(|| regex(r"^_{3,} (.+?) _{3,}$"));
static SAID: LazyLock<Regex> = LazyLock::new(|| regex(r"^E {3,}(\S.*)$"));
static SUMMARY: LazyLock<Regex> = LazyLock::new(|| regex(r"^FAILED \S+?::(\S+)(?: - (.*))?$"));
static CASE: LazyLock<Regex> = LazyLock::new(|| regex(r"^(?:FAIL|ERROR): (\w+) \((\S+)\)"));
static RAISED: LazyLock<Regex> = LazyLock::new(|| regex(r"^([A-Za-z_][\w.]*)(?:: (.*))?$"));

pub(super) fn find(text: &Text<'_>) -> Vec<Signature> {
    let headings: Vec<usize> = (0..text.lines.len()).filter(|&at| HEADING.is_match(text.lines[at])).collect();
    let ends = headings.iter().skip(1).copied().chain([text.lines.len()]);
    let mut found: Vec<Signature> = headings
        .iter()
        .zip(ends)
        .filter_map(|(&at, end)| section(text.lines[at], &text.lines[at + 1..end]))
        .collect();
    if found.is_empty() {
        found.extend(text.lines.iter().filter_map(|line| summary(line)));
    }
    found.extend(text.lines.iter().enumerate().filter_map(|(at, line)| case(text, at, line)));
    found
}

/// What stands below the name of a test.
fn section(heading: &str, lines: &[&str]) -> Option<Signature> {
    let found = HEADING.captures(heading)?;
    let mut said = lines.iter().filter_map(|line| SAID.captures(line)).map(|found| part(&found, 1));
    let first = said.next()?;
    // With a message of its own, what was asserted stands in the next line.
    let asserted = said.next().filter(|line| line.starts_with("assert ") && !first.contains("assert "));
    let said = [Some(first), asserted].into_iter().flatten().map(clean).collect::<Vec<_>>().join(": ");
    let test = part(&found, 1);
    let signature = Signature::new(Kind::Test, format!("test {}: {said}", clean(test)));
    Some(Signature { is_inside: test.starts_with("ERROR collecting"), ..signature })
}

fn summary(line: &str) -> Option<Signature> {
    let found = SUMMARY.captures(line)?;
    let test = part(&found, 1).replace("::", ".");
    let said = clean(part(&found, 2));
    Some(Signature::new(
        Kind::Test,
        if said.is_empty() { format!("test {test}") } else { format!("test {test}: {said}") },
    ))
}

/// A test whose traceback follows.
fn case(text: &Text<'_>, at: usize, line: &str) -> Option<Signature> {
    let found = CASE.captures(line)?;
    let after = text.after(at);
    let start = after.iter().take(4).position(|line| line.starts_with("Traceback "))?;
    let raised = after[start + 1..].iter().find(|line| !line.starts_with(' ') && RAISED.is_match(line))?;
    Some(Signature::new(Kind::Test, format!("test {}: {}", part(&found, 1), clean(raised))))
}
