//! Programs that are ended by an assertion, by the C library or by a sanitizer.

use super::clean::{clean, part, regex, without_bounds, without_numbers};
use super::frame::{bare, is_own, name};
use super::{Signature, SignatureKind, Text};
use regex::Regex;
use std::sync::LazyLock;

/// Matches the first line of the report of a sanitizer or of libFuzzer: the tool, and the detail.
static SANITIZER: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?:ERROR|WARNING): (\w+Sanitizer|libFuzzer): (.*)$"));
/// Matches the line of such a report that tells whether memory was read or written.
static ACCESS: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^\s*(?i:(read|write) of size)|caused by a (READ|WRITE) memory"));
/// Matches the report of undefined behaviour: the file, and the message.
static UNDEFINED: LazyLock<Regex> = LazyLock::new(|| regex(r"^(\S+?):\d+:\d+: runtime error: (.*)$"));
/// Matches a failed assertion of glibc: the file, the function, and the expression.
static ASSERTION: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?:^|\s)(\S+?):\d+: (?:(.*): )?Assertion [`'‘](.*)['’] failed"));
/// Matches a failed assertion of a BSD or of macOS: the expression, the function, and the file.
static BSD: LazyLock<Regex> =
    LazyLock::new(|| regex(r"Assertion failed: \(?(.*?)\)?, (?:function (.*), )?file (\S+), line \d+"));
/// Matches a failed assertion of musl: the expression, the file, and the function.
static MUSL: LazyLock<Regex> = LazyLock::new(|| regex(r"Assertion failed: (.*) \((\S+): (.*): \d+\)"));
/// Matches a failed check of Chromium: the file, and the message.
static CHECK: LazyLock<Regex> = LazyLock::new(|| regex(r"\[[^\]]*:FATAL:([\w./-]+)(?:\(\d+\)|:\d+)\] (.*)$"));
/// Matches the fatal error of V8: the place.
static FATAL: LazyLock<Regex> = LazyLock::new(|| regex(r"^#\s+Fatal error in (.*), line \d+"));
/// Matches the first line of the report of a Java virtual machine that died.
static MACHINE: LazyLock<Regex> = LazyLock::new(|| regex(r"^# A fatal error has been detected by"));
/// Matches the line by which glibc's allocator ends a program.
static ALLOCATOR: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^(?:[\w./-]+: )?((?:free|malloc|realloc|calloc|munmap_chunk|malloc_consolidate|mremap_chunk|_int_free|_int_malloc)\(\): .*|corrupted (?:size|double-linked).*|double free or corruption.*)$",
    )
});
/// Matches the line by which glibc ends a program, such as `*** stack smashing detected ***: terminated`.
static STARS: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^\*\*\* (.*) \*\*\*: (?:terminated|\S+ terminated)"));
/// Matches the line about a C++ exception that nobody caught: its type.
static THROWN: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^terminate called after throwing an instance of '(.*)'"));
/// Matches the line by which Chromium or V8 reports a signal: its name.
static RECEIVED: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^Received signal \d+ (\w.*?)(?: [0-9a-f]{8,})?$"));

/// Matches the line by which a debugger reports the signal that ended a program: its name.
static DEBUGGER: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^(?:Program|Thread .*) (?:received|terminated with) signal (SIG\w+)"));

pub(super) fn find(text: &Text<'_>) -> Vec<Signature> {
    let kinds = [sanitizer, undefined, assertion, failed_check, abort, machine];
    let mut found: Vec<Signature> = Vec::new();
    for kind in kinds {
        found.extend(text.lines.iter().enumerate().filter_map(|(at, line)| kind(text, at, line)));
    }
    found
}

fn sanitizer(text: &Text<'_>, at: usize, line: &str) -> Option<Signature> {
    let found = SANITIZER.captures(line)?;
    let detail = part(&found, 2);
    let end = [" on ", " (pid", " (0x", ":"].iter().filter_map(|end| detail.find(end)).min();
    let kind = without_numbers(&detail[..end.unwrap_or(detail.len())]);
    let after = text.after(at);
    let access = after.iter().take(4).find_map(|line| ACCESS.captures(line));
    let access = access
        .map(|found| format!(" ({})", format!("{}{}", part(&found, 1), part(&found, 2)).to_uppercase()));
    let said = format!("{}: {kind}{}", part(&found, 1), access.unwrap_or_default());
    Some(Signature::new(SignatureKind::Sanitizer, said).with_stack(after, text.own))
}

fn undefined(text: &Text<'_>, at: usize, line: &str) -> Option<Signature> {
    let found = UNDEFINED.captures(line)?;
    let said = format!("UndefinedBehaviorSanitizer: {}", without_numbers(part(&found, 2)));
    let signature = Signature::new(SignatureKind::Sanitizer, said);
    // It tells its place where it prints no stack.
    let has_stack = text.after(at).first().is_some_and(|line| super::frame::native(line).is_some());
    Some(match part(&found, 1) {
        _ if has_stack => signature.with_stack(text.after(at), text.own),
        file if is_own(file, text.own) => signature,
        file => Signature { frames: vec![name(file).to_owned()], ..signature },
    })
}

fn assertion(text: &Text<'_>, _: usize, line: &str) -> Option<Signature> {
    let (said, function, file) = if let Some(found) = ASSERTION.captures(line) {
        (part(&found, 3), part(&found, 2), part(&found, 1))
    } else if let Some(found) = BSD.captures(line) {
        (part(&found, 1), part(&found, 2), part(&found, 3))
    } else {
        let found = MUSL.captures(line)?;
        (part(&found, 1), part(&found, 3), part(&found, 2))
    };
    let signature = Signature::new(SignatureKind::Assertion, format!("assertion `{}` failed", clean(said)));
    // A function's whole type may stand there.
    let function = bare(function);
    let function = function.rsplit(' ').next().unwrap_or_default();
    let place =
        if function.is_empty() { name(file).to_owned() } else { format!("{function} ({})", name(file)) };
    Some(if is_own(file, text.own) { signature } else { Signature { frames: vec![place], ..signature } })
}

fn failed_check(text: &Text<'_>, at: usize, line: &str) -> Option<Signature> {
    if let Some(found) = CHECK.captures(line) {
        let said = Signature::new(SignatureKind::Assertion, without_bounds(part(&found, 2)));
        return Some(Signature { frames: vec![name(part(&found, 1)).to_owned()], ..said });
    }
    if let Some(found) = RECEIVED.captures(line) {
        let said = Signature::new(SignatureKind::Crash, format!("signal {}", clean(part(&found, 1))));
        return Some(said.with_stack(text.after(at), text.own));
    }
    if let Some(found) = DEBUGGER.captures(line) {
        let said = Signature::new(SignatureKind::Crash, format!("signal {}", part(&found, 1)));
        return Some(said.with_stack(text.after(at), text.own));
    }
    let found = FATAL.captures(line)?;
    let said =
        text.after(at).iter().map(|line| line.trim_start_matches(['#', ' '])).find(|line| !line.is_empty());
    let said = Signature::new(SignatureKind::Assertion, without_bounds(said.unwrap_or("fatal error")));
    let place = name(part(&found, 1));
    Some(if place.is_empty() { said } else { Signature { frames: vec![place.to_owned()], ..said } })
}

fn abort(text: &Text<'_>, at: usize, line: &str) -> Option<Signature> {
    if let Some(found) = ALLOCATOR.captures(line).or_else(|| STARS.captures(line)) {
        return Some(Signature::new(SignatureKind::Abort, clean(part(&found, 1))));
    }
    if let Some(found) = THROWN.captures(line) {
        let what = text.after(at).first().and_then(|line| line.trim_start().strip_prefix("what():"));
        let what = what.map(|what| format!(": {}", without_bounds(what))).unwrap_or_default();
        return Some(Signature::new(SignatureKind::Exception, format!("{}{what}", part(&found, 1))));
    }
    let plain = ["terminate called without an active exception", "pure virtual method called"];
    plain
        .iter()
        .find(|plain| line.starts_with(**plain))
        .map(|plain| Signature::new(SignatureKind::Abort, *plain))
}

/// A virtual machine that has died.
fn machine(text: &Text<'_>, at: usize, line: &str) -> Option<Signature> {
    if !MACHINE.is_match(line) {
        return None;
    }
    let after = text.after(at);
    let told = after.iter().map(|line| line.trim_start_matches('#').trim()).find(|line| !line.is_empty());
    let told = told.unwrap_or("fatal error").split(" at pc").next().unwrap_or_default();
    let frame =
        after.iter().position(|line| line.contains("Problematic frame")).and_then(|at| after.get(at + 1));
    let frame =
        frame.and_then(|line| line.split(']').nth(1)).map(|name| clean(name.trim_end_matches(|c| c != '(')));
    let signature = Signature::new(SignatureKind::Crash, format!("virtual machine: {}", clean(told)));
    let frame = frame.map(|frame| frame.trim_end_matches('(').to_owned()).filter(|frame| !frame.is_empty());
    Some(Signature { frames: frame.into_iter().collect(), ..signature })
}
