//! Compilers that say, or show, that the error is their own.

use super::clean::{clean, part, regex};
use super::frame::name;
use super::{Signature, SignatureKind, Text};
use regex::Regex;
use std::sync::LazyLock;

/// Matches the line by which gcc or rustc reports an internal error: the program, and the message.
static ICE: LazyLock<Regex> = LazyLock::new(|| regex(r"^(?:(.*?): )?[Ii]nternal compiler error:? ?(.*)$"));
/// Matches the line by which gcc names the pass that it was in.
static PASS: LazyLock<Regex> = LazyLock::new(|| regex(r"^during \w+ pass: ([A-Za-z_-]+)"));
/// Matches a line with an error: the message.
static TOLD: LazyLock<Regex> = LazyLock::new(|| regex(r"(?:^|: )error: (.*)$"));
/// Matches the line by which another tool reports an internal error: the message.
static INTERNAL: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^(?:\S.*?: error: |error: cannot \w+ .+?: |Error: )?INTERNAL (?:ERROR|Error)(?: --|:) ?(.*?)(?:\.? *Please .*)?$",
    )
});
/// Matches a line of the stack that gcc prints: the function.
static FRAME: LazyLock<Regex> = LazyLock::new(|| regex(r"^0x[0-9a-f]+ (.*)$"));
/// Matches the line below such a frame: the source file.
static SOURCE: LazyLock<Regex> = LazyLock::new(|| regex(r"^\s+(\S+?)(?::\d+)+$"));
/// Matches the line by which the gcc driver reports that a signal ended a program: the signal, and the program.
static ENDED: LazyLock<Regex> = LazyLock::new(|| regex(r"error: (.+?) signal terminated program (\w+)"));
/// Matches the line by which LLVM reports a fatal error: the message.
static BACKEND: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?:LLVM ERROR|error in backend|UNREACHABLE executed at): ?(.*)$|^UNREACHABLE executed at (.*)$")
});
/// Matches the line with the arguments in LLVM's stack dump: the program.
static ARGUMENTS: LazyLock<Regex> = LazyLock::new(|| regex(r"Program arguments: (\S+)"));
/// Matches the number or the name of a node of the input, which differs after each step.
static NODE: LazyLock<Regex> = LazyLock::new(|| regex(r"\bt\d+\b|%\w+|\bDefId\([^)]*\)|\(#\d+\)"));
/// Matches the line by which a compiler on the Java machine announces its crash; the exception below says more.
static IN_COMPILER: LazyLock<Regex> =
    LazyLock::new(|| regex(r"^An exception has occurred in the compiler|^The compiler has crashed"));

pub(super) fn find(text: &Text<'_>) -> Vec<Signature> {
    let lines = text.lines.iter().enumerate();
    let mut found: Vec<Signature> = lines.filter_map(|(at, line)| internal(text, at, line)).collect();
    found.extend(stack_dump(text));
    found
}

/// Cleans a message, and leaves out what it holds of the input's nodes, too.
fn message(text: &str) -> String {
    clean(&NODE.replace_all(text, "N"))
}

fn internal(text: &Text<'_>, at: usize, line: &str) -> Option<Signature> {
    if let Some(ended) = ENDED.captures(line) {
        return Some(Signature::new(SignatureKind::Compiler, format!("{}: {}", &ended[2], &ended[1])));
    }
    if let Some(found) = INTERNAL.captures(line) {
        return interpreted(text, part(&found, 1));
    }
    if IN_COMPILER.is_match(line) {
        return None;
    }
    let found = ICE.captures(line)?;
    let (who, what) = (part(&found, 1), part(&found, 2));
    if who == "error" || who.starts_with("error[") {
        return Some(Signature::new(SignatureKind::Compiler, format!("rustc ICE: {}", message(what))));
    }
    let mut said = format!("gcc ICE: {}", message(what));
    if let Some(pass) = text.before(at, 4).find_map(|line| PASS.captures(line)) {
        said = format!("{said} (pass {})", &pass[1]);
    }
    // The error that the verification found stands in a line above.
    if what.starts_with("verify_")
        && let Some(told) = text.before(at, 60).find_map(|line| TOLD.captures(line))
    {
        said = format!("{said}: {}", message(&told[1]));
    }
    let signature = Signature::new(SignatureKind::Compiler, said);
    // If the message names no function by itself, its own stack does.
    Some(if what.contains(", at ") { signature } else { signature.with_frames(own_stack(text, at), &[]) })
}

/// An internal error of a tool that is no compiler of machine code. Where it shows a traceback, that says more.
fn interpreted(text: &Text<'_>, said: &str) -> Option<Signature> {
    let has_stack = text.lines.iter().any(|line| line.trim_start().starts_with("Traceback "));
    let said = format!("internal error: {}", message(said));
    (!has_stack).then(|| Signature::new(SignatureKind::Compiler, said.trim_end_matches([':', ' '])))
}

/// The stack that gcc prints: the function on one line, the file on the next.
fn own_stack<'t>(text: &'t Text<'_>, at: usize) -> Vec<(&'t str, &'t str)> {
    let after = text.after(at);
    let file = |at: usize| {
        let line = after.get(at + 1)?;
        SOURCE.captures(line).map(|found| part(&found, 1))
    };
    let frames = after.iter().enumerate();
    frames.filter_map(|(at, line)| Some((part(&FRAME.captures(line)?, 1), file(at).unwrap_or("")))).collect()
}

/// Returns the signature of what LLVM's tools print when they die. If an assertion is the reason, that has been found
/// already.
fn stack_dump(text: &Text<'_>) -> Option<Signature> {
    let backend = text.lines.iter().find_map(|line| {
        let found = BACKEND.captures(line)?;
        Some(message(&format!("{}{}", part(&found, 1), part(&found, 2))))
    });
    let dump = text.lines.iter().position(|line| line.starts_with("Stack dump"));
    let is_assertion = text.lines.iter().any(|line| line.contains("Assertion `"));
    if is_assertion || (dump.is_none() && backend.is_none()) {
        return None;
    }
    let who = text.lines.iter().find_map(|line| ARGUMENTS.captures(line));
    let who = who.as_ref().map_or("LLVM", |found| name(part(found, 1)));
    let who = who.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-' || c == '.');
    let (kind, said) = match backend {
        Some(said) => (SignatureKind::Compiler, format!("{who} ICE: {said}")),
        None => (SignatureKind::Crash, format!("{who} crash")),
    };
    let signature = Signature::new(kind, said);
    Some(match dump {
        Some(at) => signature.with_stack(text.after(at), text.own),
        None => signature,
    })
}
