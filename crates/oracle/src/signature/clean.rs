//! The parts of a message that are left out, because they differ in the next run, or after the next step.

use regex::{Captures, Regex};
use std::borrow::Cow;
use std::sync::LazyLock;

/// At most this much of a message counts, in characters.
const LONGEST: usize = 300;

/// The patterns that are replaced, in this order, and their replacements.
const RULES: [(&str, &str); 15] = [
    // The probe's own directory, so that its files stand by their names alone.
    (r#"[^\s'"`(<]*nubbin-lab-\d+-[0-9a-f]+/(?:work|tmp)/"#, ""),
    (r#"[^\s'"`(<]*nubbin-lab-\d+-[0-9a-f]+(?:/work|/tmp)?"#, "DIR"),
    // Temporary files have names of their own each time.
    (r#"(?:file://)?(?:/tmp|/var/tmp|/dev/shm|/run/user/\d+)/[^\s'"`:;,)>]*"#, "TMP"),
    // Other files by their last name: elsewhere they are in another place.
    (r#"(^|[\s'"`(<=,;:\[|])(?:file://)?\.{0,2}/(?:[\w.+@~-]+/)*([\w.+@~-]+)"#, "$1$2"),
    (r"\b(?:[\w.+@~-]+/)+([\w+-]+\.\w{1,5})\b", "$1"),
    (r"((?:\b[\w+-]+\.[A-Za-z]\w{0,4}|TMP|<\w+>))(?::\d+(?:[:-]\d+)*|\(\d+(?:[,:]\d+)*\))", "$1"),
    (r"(?i)\b(lines?|columns?|col|char|offset|position|pos)([ :=#]*)\d+\b", "$1${2}N"),
    (r"==\d+==\s*", ""),
    (r"\b0x[0-9a-fA-F]+\b", "0x"),
    (r"@[0-9a-f]{5,16}\b", "@"),
    (r"\b[0-9a-f]{12,}\b", "HEX"),
    (r"(?i)\b(pid|tid|process|thread)([ :=#]*)\d+\b", "$1${2}N"),
    (r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?Z?)?|\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?", "TIME"),
    (r"\b\d+(?:\.\d+)?\s?(?:[num]s|µs|s|secs?|seconds?|minutes?|min|hours?)\b", "TIME"),
    (r"(?i)\b\d+(?:\.\d+)?(?:[ -]?bytes?\b| byte\(s\)|\s?[kmgt]i?b\b)", "SIZE"),
];

/// The compiled patterns of [`RULES`], with their replacements.
static RULES_READY: LazyLock<Vec<(Regex, &str)>> =
    LazyLock::new(|| RULES.iter().map(|(pattern, by)| (regex(pattern), *by)).collect());
/// Matches a number, with its sign, fraction and exponent.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| regex(r"-?\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b"));
/// Matches an escape sequence of a terminal, such as a colour or a link.
static ESCAPE: LazyLock<Regex> = LazyLock::new(|| regex("\x1b\\[[0-9;?]*[A-Za-z]|\x1b\\][^\x07]*\x07"));
/// A word of each form that is known: most of what is written has none of them, and is not looked at any closer.
static TRIGGER: LazyLock<regex::bytes::Regex> = LazyLock::new(|| {
    let words = [
        "nternal compiler error",
        "signal terminated",
        "Stack dump",
        "LLVM ERROR",
        "error in backend",
        "UNREACHABLE",
        "Sanitizer",
        "libFuzzer",
        "runtime error",
        "Assertion",
        ":FATAL:",
        "atal error",
        r"\(\): ",
        "corrupted ",
        "double free",
        r"\*\*\* ",
        "terminate called",
        "pure virtual",
        "Received signal",
        "panicked at",
        "goroutine ",
        "Traceback ",
        "(?:Syntax|Indentation|Tab)Error",
        r"\n\s+at ",
        ":CONSOLE",
        r"___ ",
        "FAILED ",
        "INTERNAL ",
        "received signal",
        "terminated with signal",
        ": Failure\n",
    ];
    regex::bytes::Regex::new(&format!("(?-u){}", words.join("|"))).expect("the pattern is valid")
});
/// Matches a word that a line about an error usually has.
static ERROR: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)\b(?:\w*error|\w*exception|fatal|failed|failure|fail|abort(?:ed)?|panic(?:ked)?|cannot|crash(?:ed)?|unreachable)\b",
    )
});

/// Classes, and what stands for them in ASCII: all letters of the world take ten times as long to compile.
const CLASSES: [(&str, &str); 5] = [
    (r"\w", "[0-9A-Za-z_]"),
    (r"\d", "[0-9]"),
    (r"\s", r"[ \t\r\n]"),
    (r"\S", r"[^ \t\r\n]"),
    (r"\b", r"(?-u:\b)"),
];

/// A pattern of this module's own.
pub(super) fn regex(pattern: &str) -> Regex {
    let plain = |pattern: String, (class, plain): &(&str, &str)| pattern.replace(class, plain);
    let pattern = CLASSES.iter().fold(pattern.to_owned(), plain);
    Regex::new(&pattern).expect("the pattern is valid")
}

/// Bytes as text, without colours.
pub(super) fn printable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    if text.contains('\x1b') { ESCAPE.replace_all(&text, "").into_owned() } else { text.into_owned() }
}

/// Tells whether an output may tell of a failure in a form that is known.
pub(super) fn may_tell(output: &[u8]) -> bool {
    TRIGGER.is_match(output)
}

/// A message without what changes.
pub(super) fn clean(text: &str) -> String {
    let mut text = Cow::Borrowed(text);
    for (regex, by) in RULES_READY.iter() {
        if let Cow::Owned(changed) = regex.replace_all(&text, *by) {
            text = Cow::Owned(changed);
        }
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let line: String = words.join(" ").chars().filter(|c| !c.is_control()).take(LONGEST).collect();
    line.trim_end_matches([' ', ':']).to_owned()
}

/// A message of which only the form counts: numbers are left out, too.
pub(super) fn without_numbers(text: &str) -> String {
    NUMBER.replace_all(&clean(text), "N").into_owned()
}

/// A message about a bound that was not kept to, without the numbers; smaller ones fail just the same.
pub(super) fn without_bounds(text: &str) -> String {
    const BOUNDS: [&str; 5] = ["out of bounds", "out of range", "overflow", "range_check", "out-of-bounds"];
    let lower = text.to_lowercase();
    if BOUNDS.iter().any(|bound| lower.contains(bound)) { without_numbers(text) } else { clean(text) }
}

pub(super) fn looks_like_an_error(line: &str) -> bool {
    ERROR.is_match(line)
}

/// The part of a match of this number; nothing where it is not there.
pub(super) fn part<'t>(found: &Captures<'t>, number: usize) -> &'t str {
    found.get(number).map_or("", |part| part.as_str())
}
