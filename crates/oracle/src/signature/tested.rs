//! Reads the name and the message of failing tests from the output of test runners.

use super::clean::{clean, part, regex};
use super::{OPEN, Signature, SignatureKind, Text, value};
use regex::Regex;
use std::sync::LazyLock;

/// Matches the heading of a failure in the output of pytest: the test.
static HEADING: LazyLock<Regex> = LazyLock::new(|| regex(r"^_{3,} (.+?) _{3,}$"));
/// Matches a line of the error below such a heading.
static SAID: LazyLock<Regex> = LazyLock::new(|| regex(r"^E {3,}(\S.*)$"));
/// Matches a failure in the short summary of pytest: the test and the message.
static SUMMARY: LazyLock<Regex> = LazyLock::new(|| regex(r"^FAILED \S+?::(\S+)(?: - (.*))?$"));
/// Matches the heading of a failure in the output of unittest: the test and its class.
static CASE: LazyLock<Regex> = LazyLock::new(|| regex(r"^(?:FAIL|ERROR): (\w+) \((\S+)\)"));
/// Matches the line about a Python exception: its type and the message.
static RAISED: LazyLock<Regex> = LazyLock::new(|| regex(r"^([A-Za-z_][\w.]*)(?:: (.*))?$"));

/// Matches the first line of a failure of `GoogleTest`.
static FAILURE: LazyLock<Regex> = LazyLock::new(|| regex(r"^\S+[:(]\d+\)?:? (?:Failure|error)$"));
/// Matches the line with which `GoogleTest` starts a test: its name.
static RUNS: LazyLock<Regex> = LazyLock::new(|| regex(r"^\[ RUN +\] (\S+)$"));
/// Matches the line of `GoogleTest` with a comparison; the groups are the parts around the operands.
static OPERANDS: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(Expected: \().*(\) (?:==|!=|<=|>=|<|>) \().*(\), actual: ).*$"));
/// Matches the line of `GoogleTest` with the expression of a failure; the group is the part before it.
static ACTUAL: LazyLock<Regex> = LazyLock::new(|| regex(r"^((?:Value of|Expected): ).*[^:]$"));
/// The maximum number of lines between a failure and the name of its test above it.
const MOST: usize = 200;

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
    for one in [case, google] {
        found.extend(text.lines.iter().enumerate().filter_map(|(at, line)| one(text, at, line)));
    }
    found
}

/// Returns the failure that is described below the name of a test.
fn section(heading: &str, lines: &[&str]) -> Option<Signature> {
    let found = HEADING.captures(heading)?;
    let mut said = lines.iter().filter_map(|line| SAID.captures(line)).map(|found| part(&found, 1));
    let first = said.next()?;
    // If the assertion has a custom message, the asserted expression is in the next line.
    let asserted = said.next().filter(|line| line.starts_with("assert ") && !first.contains("assert "));
    let mut values = Vec::new();
    let mut open = |said: &str| clean(&asserted_text(said, &mut values));
    let said = [Some(first), asserted].into_iter().flatten().map(&mut open).collect::<Vec<_>>().join(": ");
    let test = part(&found, 1);
    let signature = Signature::new(SignatureKind::Test, format!("test {}: {said}", clean(test)));
    Some(Signature { is_inside: test.starts_with("ERROR collecting"), values, ..signature })
}

/// Removes the compared values from an assertion; other text is kept.
fn asserted_text(said: &str, values: &mut Vec<String>) -> String {
    if said.starts_with("assert ") || said.contains("AssertionError") {
        value::opened(said, values)
    } else {
        said.to_owned()
    }
}

fn summary(line: &str) -> Option<Signature> {
    let found = SUMMARY.captures(line)?;
    let test = part(&found, 1).replace("::", ".");
    let mut values = Vec::new();
    let said = clean(&asserted_text(part(&found, 2), &mut values));
    let said = if said.is_empty() { format!("test {test}") } else { format!("test {test}: {said}") };
    Some(Signature { values, ..Signature::new(SignatureKind::Test, said) })
}

/// Reads a test whose traceback follows.
fn case(text: &Text<'_>, at: usize, line: &str) -> Option<Signature> {
    let found = CASE.captures(line)?;
    let after = text.after(at);
    let start = after.iter().take(4).position(|line| line.starts_with("Traceback "))?;
    let raised = after[start + 1..].iter().find(|line| !line.starts_with(' ') && RAISED.is_match(line))?;
    let mut values = Vec::new();
    let said = format!("test {}: {}", part(&found, 1), clean(&asserted_text(raised, &mut values)));
    Some(Signature { values, ..Signature::new(SignatureKind::Test, said) })
}

/// Reads a failure of `GoogleTest`; the name of its test is above or below it.
fn google(text: &Text<'_>, at: usize, line: &str) -> Option<Signature> {
    if !FAILURE.is_match(line) {
        return None;
    }
    let name =
        text.before(at, MOST).find_map(|line| RUNS.captures(line)).map(|found| part(&found, 1).to_owned());
    let said = text.after(at).iter().find(|line| !line.trim().is_empty())?;
    // The operands are source text of the test; their values are in other lines.
    let open = OPERANDS.replace(said, format!("${{1}}{OPEN}${{2}}{OPEN}${{3}}{OPEN}"));
    let open = if open == *said { ACTUAL.replace(said, format!("${{1}}{OPEN}")) } else { open };
    let values = text.after(at).iter().take(5).skip(1).take_while(|line| line.starts_with(' '));
    let values = values.map(|line| clean(line)).collect();
    let said = format!("test {}: {}", name?, clean(&open));
    Some(Signature { values, ..Signature::new(SignatureKind::Test, said) })
}
