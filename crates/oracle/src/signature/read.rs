//! Finds the failures in a text with the known forms, and extracts the identifying parts.
//!
//! The forms (`form.rs`) and the frames of stacks (`stack.rs`) are data.

use super::clean::{self, clean, regex, squeeze, without_bounds, without_numbers};
use super::form::{Form, Needs, Where};
use super::open;
use super::stack::{self, Stack, Summary, bare, is_own, name};
use super::{Signature, SignatureKind, Text, diagnostic, value};
use regex::{Captures, Regex};
use std::collections::HashSet;
use std::sync::LazyLock;

/// The maximum number of lines between the message of an exception and its stack.
const MESSAGE: usize = 12;
/// The maximum number of lines between the message of a crashed program and its stack.
const REPORT: usize = 60;
/// The maximum distance of further groups from a message, in lines.
const NEAR: usize = 60;
/// The maximum distance of the line that a form requires below the message.
const WITH: usize = 8;
/// The number of lines at the beginning and at the end of a text that are compared with the forms.
const LINES: usize = 300;

/// Matches messages about infinite recursion.
static OVERFLOW: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)maximum call stack|too much recursion|stack[ _-]?overflow\w*\b|recursionerror|maximum recursion|stack level too deep|overflowed its stack|stack exceeds|deep recursion|recursion (?:limit|too deep)",
    )
});
/// Matches the part of such a message that describes where the recursion happened to stop.
static OVERFLOWED: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?i)(maximum recursion depth exceeded|stack overflow).*$"));
/// Matches the number or the name of a node of the input, which differs between candidates.
static NODE: LazyLock<Regex> =
    LazyLock::new(|| regex(r"\bt\d+\b|%[\w.$-]+|\bDefId\([^)]*\)|\(#\d+\)|\bbb_?\d+\b|\b_\d+\b"));
/// Matches a message that contains only the signal that ended the program.
static SIGNAL: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)segmentation (?:fault|violation)|\baborted\b|abort trap|bus error|illegal instruction|floating point exception|killed|crash$|received signal|^signal |access violation|SIG(?:SEGV|ABRT|BUS|ILL|FPE)",
    )
});

/// Returns whether a message contains only the signal that ended the program.
pub(super) fn is_of_signal(message: &str) -> bool {
    SIGNAL.is_match(message)
}

/// The lines of a text that have already been used.
#[derive(Default)]
pub(super) struct Seen {
    claimed: HashSet<usize>,
}

impl Seen {
    /// Returns the lines that belong to failures and their stacks.
    pub fn lines(&self) -> &HashSet<usize> {
        &self.claimed
    }
}

/// Finds the failures with this form.
pub(super) fn find(text: &Text<'_>, form: &Form, lines: &[usize], seen: &mut Seen) -> Vec<Signature> {
    if form.unless.as_ref().is_some_and(|unless| unless.is_match(text.whole)) {
        return Vec::new();
    }
    if let Some(opens) = &form.opens {
        return below_stack(text, form, opens, seen).into_iter().collect();
    }
    let mut found = Vec::new();
    for &at in lines {
        if seen.claimed.contains(&at) {
            continue;
        }
        let rest = text.rest(at);
        // The matched word can be the name of a function in a stack.
        if form.is_generic && stack::is_of_stack(text.lines[at]) {
            continue;
        }
        let Some(captures) = form.pattern.captures(rest) else { continue };
        let count = captures[0].trim_end_matches('\n').matches('\n').count() + 1;
        let Some((signature, stack)) = read(text, form, &captures, at, at + count, None) else { continue };
        // Each stack belongs to one message.
        let is_taken = form.is_generic
            && (!stack.is_empty() && seen.claimed.contains(&stack.start)
                || text.lines[at..].iter().take(MESSAGE).any(|line| stack::is_above_message(line)));
        seen.claimed.extend((at..at + count).chain(stack));
        if !is_taken {
            found.push(signature);
        }
    }
    found
}

/// Returns the lines that must be compared with the forms of failures; most output contains no such lines.
pub(super) fn telling_lines(text: &Text<'_>) -> Vec<usize> {
    // A line that announces a stack has the message above it.
    let is_telling = |at: usize| {
        let below = text.lines[at + 1..].iter().take(2);
        clean::is_telling(text.lines[at]) || below.clone().any(|line| clean::announces(line))
    };
    let all: Vec<usize> = (0..text.lines.len()).filter(|&at| is_telling(at)).collect();
    if all.len() <= 2 * LINES { all } else { [&all[..LINES], &all[all.len() - LINES..]].concat() }
}

/// Finds a failure whose message is below its stack. The last one is used, because it ended the program.
fn below_stack(text: &Text<'_>, form: &Form, opens: &Regex, seen: &mut Seen) -> Option<Signature> {
    let head = (0..text.lines.len()).rev().find(|&at| opens.is_match(text.lines[at]))?;
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '|', '\t']).len();
    let depth = indent(text.lines[head]);
    let stack = stack::find(text, head + 1, 1);
    let from = stack.as_ref().map_or(head + 1, |stack| stack.to);
    let at = (from..text.lines.len())
        .find(|&at| indent(text.lines[at]) <= depth && form.pattern.is_match(text.rest(at)))?;
    let captures = form.pattern.captures(text.rest(at))?;
    seen.claimed.extend(head..=at);
    read(text, form, &captures, at, at + 1, Some(stack.unwrap_or_default())).map(|(signature, _)| signature)
}

/// The groups of a match, and those from surrounding lines.
struct Groups<'c, 't> {
    captures: &'c Captures<'t>,
    near: Vec<(&'c str, &'t str)>,
    /// The text of the message, if the match contains only a location in the input.
    said: Option<&'t str>,
}

impl<'t> Groups<'_, 't> {
    /// Returns a group by its name; a form can have several groups with the same name and a number.
    fn get(&self, name: &str) -> &'t str {
        if let Some(said) = self.said.filter(|_| name == "said") {
            return said;
        }
        let numbered = ["", "2", "3"].map(|number| format!("{name}{number}"));
        let mut own =
            numbered.iter().filter_map(|name| self.captures.name(name)).map(|found| found.as_str().trim());
        own.find(|text| !text.is_empty())
            .or_else(|| self.near.iter().find(|(group, _)| *group == name).map(|(_, text)| text.trim()))
            .unwrap_or_default()
    }
}

/// Creates a signature from a match on the lines from `at` to `end`, and returns it with the lines of its
/// stack. `stack` is the stack if it is already known.
fn read(
    text: &Text<'_>,
    form: &Form,
    captures: &Captures<'_>,
    at: usize,
    end: usize,
    stack: Option<Stack>,
) -> Option<(Signature, std::ops::Range<usize>)> {
    let below = end.min(text.lines.len());
    let mut groups = Groups { captures, near: near(text, form, at, below), said: None };
    let cause = form.cause.as_ref().and_then(|cause| {
        let line = (below..text.lines.len()).rev().find(|&at| cause.is_match(text.lines[at]))?;
        Some((line, cause.captures(text.lines[line])?))
    });
    let stack = stack.or_else(|| {
        let from = cause.as_ref().map_or(below, |(line, _)| line + 1);
        match form.stack {
            Where::None => None,
            Where::Below => stack::find(text, from, MESSAGE),
            Where::Functions => stack::find(text, from, REPORT),
        }
    });
    let has_stack = stack.as_ref().is_some_and(|stack| stack.to > stack.from);
    groups.said = stack.as_ref().and_then(|stack| below_excerpt(text, &groups, below, stack));
    let file = groups.get("file");
    let is_own_file = !file.is_empty() && is_own(file, text.own);
    let has_place = has_stack || !file.is_empty() && !is_own_file;
    if !has_what_it_needs(text, form, below, has_stack, has_place) {
        return None;
    }
    let whole = &captures[0];
    let is_overflow = OVERFLOW.is_match(whole) && !whole.contains("buffer");
    let is_crash = form.stack == Where::Functions;
    let is_recursion = is_overflow || is_crash && stack.as_ref().is_some_and(Stack::is_recursion);
    let summary = told(&groups, is_own_file).unwrap_or_else(|| {
        let stack = stack.as_ref();
        stack.map_or_else(Summary::default, |stack| said(stack, text.own, is_recursion, is_crash))
    });
    let is_thrown = matches!(form.kind, SignatureKind::Exception | SignatureKind::Panic);
    let is_inside = form.is_inside
        || is_own_file && is_thrown
        || is_thrown && has_stack && !summary.is_outside && file.is_empty();
    let lines = stack.as_ref().map_or(0..0, |stack| stack.from..stack.to);
    let mut writer =
        Writer { form, own: text.own, is_placed: summary.place.is_some(), is_inside, values: Vec::new() };
    let mut message = writer.message(&groups);
    if let Some((_, cause)) = &cause {
        groups = Groups { captures: cause, near: Vec::new(), said: None };
        message = format!("{message}, caused by {}", writer.message(&groups));
    }
    let message = if is_recursion { OVERFLOWED.replace(&message, "$1").into_owned() } else { message };
    let message = message.trim_end_matches([':', ' ', ',']).to_owned();
    if !message.chars().any(char::is_alphabetic) {
        return None;
    }
    // The message can contain the location.
    let is_told = !groups.get("file").is_empty() || !groups.get("function").is_empty();
    let frames = summary.frames.into_iter().filter(|frame| !is_told || !is_in(&message, last(frame)));
    let signature = Signature {
        kind: form.kind,
        frames: frames.collect(),
        place: summary.place.filter(|_| !is_recursion),
        is_recursion,
        message,
        is_inside,
        values: writer.values,
    };
    Some((signature, lines))
}

/// Returns whether a text is only a location in one of the candidate's files.
fn is_own_place(text: &str, own: &[String]) -> bool {
    let file = text.trim_end_matches(|c: char| c.is_ascii_digit() || c == ':');
    file.len() < text.len()
        && !file.contains(char::is_whitespace)
        && (is_own(file, own) || is_own(name(file), own))
}

/// Returns the text below an excerpt of the input, if the message itself is only a location in the input.
fn below_excerpt<'t>(
    text: &Text<'t>,
    groups: &Groups<'_, '_>,
    below: usize,
    stack: &Stack,
) -> Option<&'t str> {
    let between = text.lines.get(below..stack.from).filter(|_| is_own_place(groups.get("said"), text.own))?;
    // Evaluated code can also appear in the stack of a runtime.
    let mut said = between.iter().filter(|line| !stack::is_of_stack(line)).map(|line| line.trim());
    said.rfind(|line| !line.is_empty())
}

fn said(stack: &Stack, own: &[String], is_recursion: bool, is_crash: bool) -> Summary {
    if is_recursion { stack.recursion(own) } else { stack.summary(own, !is_crash) }
}

/// Returns whether the output meets the other conditions of a form.
fn has_what_it_needs(text: &Text<'_>, form: &Form, below: usize, has_stack: bool, has_place: bool) -> bool {
    let has_line = form
        .with
        .as_ref()
        .is_none_or(|with| text.lines[below..].iter().take(WITH).any(|line| with.is_match(line)));
    has_line
        && match form.needs {
            Needs::Nothing => true,
            Needs::Place => has_place,
            Needs::Stack => has_stack,
        }
}

/// Returns the file of a frame, or its function if it has no file.
fn last(frame: &str) -> &str {
    frame.rsplit(" (").next().unwrap_or_default().trim_end_matches(')')
}

/// Returns whether a message contains a name as a separate word.
fn is_in(message: &str, name: &str) -> bool {
    !name.is_empty() && (message.split([' ', ',', '(', ')']).any(|word| word.trim_end_matches(':') == name))
}

/// Returns the location that the message itself contains.
fn told(groups: &Groups<'_, '_>, is_own_file: bool) -> Option<Summary> {
    let (file, line, function) = (groups.get("file"), groups.get("line"), bare(groups.get("function")));
    if file.is_empty() && function.is_empty() {
        return None;
    }
    if is_own_file {
        return Some(Summary::default());
    }
    let file = name(file);
    let frame = match (function.as_str(), file) {
        ("", file) => file.to_owned(),
        (function, "") => function.to_owned(),
        (function, file) => format!("{function} ({file})"),
    };
    let place = (!file.is_empty() && !line.is_empty()).then(|| format!("{file}:{line}"));
    Some(Summary { frames: vec![frame], place, is_outside: true })
}

/// Searches for further groups around a match: first above it, the nearest line first.
fn near<'t, 'f>(text: &Text<'t>, form: &'f Form, at: usize, below: usize) -> Vec<(&'f str, &'t str)> {
    let above = text.lines[at.saturating_sub(NEAR)..at].iter().rev();
    let lines: Vec<&'t str> = above.chain(text.lines[below..].iter().take(NEAR)).copied().collect();
    let look = |(group, pattern): &'f (String, Regex)| {
        let found = lines.iter().find_map(|line| pattern.captures(line))?;
        let part = (1..found.len()).find_map(|number| found.get(number)).or_else(|| found.get(0))?;
        Some((group.as_str(), part.as_str()))
    };
    form.near.iter().filter_map(look).collect()
}

/// Formats messages without the parts that vary.
struct Writer<'f> {
    form: &'f Form,
    /// The names of the candidate's files.
    own: &'f [String],
    /// Whether a location in the source of the program also identifies the failure.
    is_placed: bool,
    is_inside: bool,
    values: Vec<String>,
}

impl Writer<'_> {
    fn message(&mut self, groups: &Groups<'_, '_>) -> String {
        let values = std::cell::RefCell::new(std::mem::take(&mut self.values));
        let kind = groups.get("type");
        let message = self.form.title.fill(&|group| {
            let text = groups.get(group);
            match group {
                "condition" => squeeze(text),
                "type" => text.strip_prefix("__main__.").unwrap_or(text).to_owned(),
                "tool" => name(text)
                    .trim_end_matches(|c: char| c.is_ascii_digit() || c == '-' || c == '.')
                    .to_owned(),
                "code" | "word" | "level" | "pass" | "test" => text.to_owned(),
                "access" => text.to_uppercase(),
                "function" => bare(text),
                "file" => name(text).to_owned(),
                _ => self.text(text, kind, &mut values.borrow_mut()),
            }
        });
        self.values = values.into_inner();
        message
    }

    /// Removes addresses, paths and numbers from a text, and quoted text if the location identifies the
    /// failure.
    fn text(&self, text: &str, kind: &str, values: &mut Vec<String>) -> String {
        if self.form.is_verbatim {
            return clean(text);
        }
        let mut text = text.to_owned();
        for names in &self.form.names {
            text = diagnostic::opened_groups(names, &text, values);
        }
        if kind.contains("Assert") || kind.contains("ComparisonFailure") {
            text = value::opened(&text, values);
        } else if self.is_placed {
            // Errors raised at the same location are equal for any part of the input.
            let is_thrown = matches!(self.form.kind, SignatureKind::Exception | SignatureKind::Panic);
            let is_assertion = text.to_lowercase().contains("assert");
            text = if is_thrown && !is_assertion {
                open::all_quoted(&text, values)
            } else {
                open::quoted(&text, diagnostic::builtin(), values)
            };
            text = open::empty(&text);
        }
        if matches!(self.form.kind, SignatureKind::Compiler) {
            text = NODE.replace_all(&text, "N").into_owned();
        }
        // An error raised by the input itself is identified by nothing else.
        if self.is_inside && self.form.kind == SignatureKind::Exception {
            return without_bounds(&text);
        }
        let text = without_numbers(&text);
        self.own.iter().fold(text, |text, name| open::named(&text, name))
    }
}
