//! Panics and exceptions that nobody catches.

use super::clean::{clean, part, regex, without_bounds};
use super::frame::{Frame, is_own, name};
use super::{Signature, SignatureKind, Text, value};
use regex::Regex;
use std::sync::LazyLock;

/// Matches the line about a panic of Rust: the thread, the message in old versions, and the file.
static PANICKED: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^thread '(.*?)' (?:\(\d+\) )?panicked at (?:'(.*)', )?(\S+?):\d+:\d+:?$"));
/// Matches the innermost query in the stack of queries of rustc: its name.
static QUERY: LazyLock<Regex> = LazyLock::new(|| regex(r"^#0 \[(\w+)\]"));
/// Matches the line about a panic or a fatal error of Go: the message.
static GO: LazyLock<Regex> = LazyLock::new(|| regex(r"^(?:panic|fatal error): (.*)$"));
/// Matches the second line of a frame of Go: the file.
static GO_FILE: LazyLock<Regex> = LazyLock::new(|| regex(r"^\t(\S+):\d+"));
/// Matches a frame of a Python traceback: the file, and the function.
static TRACED: LazyLock<Regex> = LazyLock::new(|| regex(r#"^\s*File "(.*)", line \d+(?:, in (.*))?$"#));
/// Matches the line about a Python exception: its type, and the message.
static RAISED: LazyLock<Regex> = LazyLock::new(|| regex(r"^([A-Za-z_][\w.]*)(?:: (.*))?$"));
/// Matches the line about a Python file that cannot be parsed.
static SYNTAX: LazyLock<Regex> = LazyLock::new(|| regex(r"^\w*(?:Syntax|Indentation|Tab)Error: "));
/// Matches the line about an exception of Java or JavaScript: the mark of a cause, the type, and the message.
static HEADER: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"^(?:Exception in thread "[^"]*" |Uncaught |Unhandled exception: |(Caused by): )?((?:[\w$]+\.)*[A-Z][\w$]*(?:Error|Exception|Throwable|Failure)\w*)(?: \[\w+\])?(?:: (.*))?$"#,
    )
});
/// Matches a frame of Java or JavaScript: the function, and the file.
static AT: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^\s+at (?:async )?(?:new )?(?:(.+?) ?\()?([^()]*?)(?::\d+)*\)?(?: \{)?$"));
/// Matches a message of a page's console in Chromium's log: its level, and its text.
static CONSOLE: LazyLock<Regex> =
    LazyLock::new(|| regex(r#"\[[\d:/.]+:(\w+):CONSOLE[(:]\d+\)?\] "(.*)", source: "#));

/// A message may have at most this many lines before the stack begins.
const MESSAGE: usize = 12;

pub(super) fn find(text: &Text<'_>) -> Vec<Signature> {
    let lines = || text.lines.iter().enumerate();
    let mut found: Vec<Signature> = lines().filter_map(|(at, line)| panic(text, at, line)).collect();
    found.extend(lines().find_map(|(at, line)| goroutine(text, at, line)));
    found.extend(traceback(text));
    found.extend(stack_trace(text));
    found.extend(text.lines.iter().filter_map(|line| console(line)));
    found
}

fn panic(text: &Text<'_>, at: usize, line: &str) -> Option<Signature> {
    let found = PANICKED.captures(line)?;
    let (who, file) = (part(&found, 1), part(&found, 3));
    let said = Some(part(&found, 2)).filter(|said| !said.is_empty());
    let said = said.or_else(|| text.after(at).first().copied()).unwrap_or_default();
    let mut said = format!("panic: {}", without_bounds(said));
    let mut kind = SignatureKind::Panic;
    if who == "rustc" {
        kind = SignatureKind::Compiler;
        let query = text.after(at).iter().find_map(|line| QUERY.captures(line));
        let query = query.map(|found| format!(" (query {})", part(&found, 1))).unwrap_or_default();
        said = format!("rustc ICE: {said}{query}");
    }
    let signature = Signature::new(kind, said);
    Some(if is_own(file, text.own) {
        Signature { is_inside: true, ..signature }
    } else {
        Signature { frames: vec![name(file).to_owned()], ..signature }
    })
}

fn goroutine(text: &Text<'_>, at: usize, line: &str) -> Option<Signature> {
    let found = GO.captures(line)?;
    let after = text.after(at);
    let start = after.iter().take(MESSAGE).position(|line| line.starts_with("goroutine "))?;
    let stack = &after[start + 1..];
    let end = stack.iter().position(|line| line.is_empty()).unwrap_or(stack.len());
    let file =
        |at: usize| stack.get(at + 1).and_then(|line| GO_FILE.captures(line)).map(|found| part(&found, 1));
    let functions = stack[..end].iter().enumerate().filter(|(_, line)| !line.starts_with('\t'));
    let frames: Vec<Frame<'_>> = functions.filter_map(|(at, line)| Some((*line, file(at)?))).collect();
    let said = format!("panic: {}", without_bounds(part(&found, 1)));
    Some(thrown(Signature::new(SignatureKind::Panic, said).with_frames(frames, text.own)))
}

/// The last traceback, which is the one that ended the program.
fn traceback(text: &Text<'_>) -> Option<Signature> {
    let start = text.lines.iter().rposition(|line| line.trim_start() == "Traceback (most recent call last):");
    let Some(start) = start else {
        // A file that cannot be read as a program has no stack.
        let line = text.lines.iter().rev().find(|line| SYNTAX.is_match(line))?;
        return Some(Signature { is_inside: true, ..Signature::new(SignatureKind::Exception, clean(line)) });
    };
    let after = text.after(start);
    let end = after.iter().position(|line| !line.starts_with(' ') && RAISED.is_match(line))?;
    let mut frames: Vec<Frame<'_>> = after[..end]
        .iter()
        .filter_map(|line| TRACED.captures(line))
        .map(|found| (part(&found, 2), part(&found, 1)))
        .collect();
    frames.reverse();
    let found = RAISED.captures(after[end])?;
    let mut values = Vec::new();
    let said = raised(part(&found, 1), part(&found, 2), &mut values);
    let signature = Signature { values, ..Signature::new(SignatureKind::Exception, said) };
    Some(thrown(signature.with_frames(frames, text.own)))
}

/// The first exception with lines `at f (file)`; what caused it in the end counts, too.
fn stack_trace(text: &Text<'_>) -> Option<Signature> {
    let has_stack = |at: usize| text.after(at).iter().take(MESSAGE).any(|line| AT.is_match(line));
    let mut headers =
        text.lines.iter().enumerate().filter(|&(at, line)| HEADER.is_match(line) && has_stack(at));
    let (first, line) = headers.next()?;
    let found = HEADER.captures(line)?;
    let mut values = Vec::new();
    let mut said = raised(part(&found, 2), part(&found, 3), &mut values);
    let mut causes = headers.filter(|(_, line)| line.starts_with("Caused by: "));
    let cause = causes.next_back().and_then(|(at, line)| Some((at, HEADER.captures(line)?)));
    if let Some((_, found)) = &cause {
        said = format!("{said}, caused by {}", raised(part(found, 2), part(found, 3), &mut values));
    }
    let stack = text.after(cause.map_or(first, |(at, _)| at));
    let stack = stack.iter().skip_while(|line| !AT.is_match(line)).map_while(|line| AT.captures(line));
    let frames: Vec<Frame<'_>> = stack
        .map(|found| (part(&found, 1), part(&found, 2)))
        .filter(|(function, file)| !file.starts_with("node:") && !function.starts_with("java.base/"))
        .collect();
    let signature = Signature { values, ..Signature::new(SignatureKind::Exception, said) };
    Some(thrown(signature.with_frames(frames, text.own)))
}

/// An exception that comes through nothing but the candidate's own code says something about the candidate alone.
fn thrown(signature: Signature) -> Signature {
    Signature { is_inside: signature.frames.is_empty(), ..signature }
}

/// An exception with its message; where it is an assertion, without the values.
fn raised(exception: &str, message: &str, values: &mut Vec<String>) -> String {
    let exception = exception.strip_prefix("__main__.").unwrap_or(exception);
    let is_assertion = exception.contains("Assert") || exception.contains("ComparisonFailure");
    let message = if is_assertion { value::opened(message, values) } else { message.to_owned() };
    match without_bounds(&message) {
        message if message.is_empty() => exception.to_owned(),
        message => format!("{exception}: {message}"),
    }
}

fn console(line: &str) -> Option<Signature> {
    let found = CONSOLE.captures(line)?;
    let said = part(&found, 2);
    let is_error = part(&found, 1) == "ERROR" || super::clean::looks_like_an_error(said);
    (is_error || said.starts_with("Uncaught"))
        .then(|| Signature::new(SignatureKind::Console, format!("console: {}", clean(said))))
}
