//! The parts of a message that are left out, because they differ in the next run, or after the next step.

use regex::{Captures, Regex};
use std::borrow::Cow;
use std::sync::LazyLock;

/// At most this much of a message counts, in characters.
const LONGEST: usize = 300;
/// At most this much of a condition counts, in characters.
const CONDITION: usize = 4000;

/// The patterns that are replaced, in this order, and their replacements.
const RULES: [(&str, &str); 19] = [
    // Temporary files have names of their own each time.
    (r#"[^\s'"`(<]*nubbin-lab-\d+-[0-9a-f]+/tmp/[^\s'"`:;,)>]*"#, "TMP"),
    // The probe's own directory, so that its files stand by their names alone.
    (r#"[^\s'"`(<]*nubbin-lab-\d+-[0-9a-f]+/work/"#, ""),
    (r#"[^\s'"`(<]*nubbin-lab-\d+-[0-9a-f]+(?:/work|/tmp)?"#, "DIR"),
    (r#"(?:file://)?(?:/tmp|/var/tmp|/dev/shm|/run/user/\d+)/[^\s'"`:;,)>]*"#, "TMP"),
    // Other files by their last name: elsewhere they are in another place.
    (r#"(^|[\s'"`(<=,;:\[|])(?:file://)?\.{0,2}/(?:[\w.+@~-]+/)*([\w.+@~-]+)"#, "$1$2"),
    (r"\b(?:[\w.+@~-]+/)+([\w+-]+\.\w{1,5})\b", "$1"),
    (r"\b[A-Za-z]:\\(?:[^\s'\x22:;,)>\\]+\\)*", ""),
    // The names that `mktemp`, `mkstemp` and compilers give.
    (
        r"\btmp[._-]?[0-9A-Za-z_]{6,10}(?:\.\w{1,6})*\b|\bcc[0-9A-Za-z]{6}\.(?:[a-z]|ii|ld|le|res)\b|\b[\w-]+[._-][0-9A-Za-z]*(?:[0-9][A-Za-z]|[A-Za-z][0-9]|[a-z][A-Z])[0-9A-Za-z]{4,}\.(?:log|tmp|txt|out|dot|dump)\b",
        "TMP",
    ),
    (r"((?:\b[\w+-]+\.[A-Za-z]\w{0,4}|TMP|<\w+>))(?::\d+(?:[:-]\d+)*|\(\d+(?:[,:]\d+)*\))", "$1"),
    (r"(?i)\b(lines?|columns?|col|char|offset|position|pos)([ :=#]*)\d+\b", "$1${2}N"),
    (r"==\d+==\s*", ""),
    (r"\b0x[0-9a-fA-F]+\b", "0x"),
    (r"@[0-9a-f]{5,16}\b", "@"),
    (r"\b[0-9a-f]{12,}\b", "HEX"),
    (r"(?i)\b(pid|tid|process|thread)([ :=#]*)\d+\b", "$1${2}N"),
    (r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?Z?)?|\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?", "TIME"),
    (r"\b\d+(?:\.\d+)?\s?(?:[num]s|µs|s|secs?|seconds?|minutes?|min|hours?)\b", "TIME"),
    // Lengths, angles and frequencies of style sheets.
    (r"\b\d+(?:\.\d+)?(px|r?em|ex|ch|v[wh]|p[tc]|[cm]m|in|deg|rad|turn|dpi|fr|k?Hz)\b", "N$1"),
    (r"(?i)\b\d+(?:\.\d+)?(?:[ -]?bytes?\b| byte\(s\)|\s?[kmgt]i?b\b)", "SIZE"),
];

/// The compiled patterns of [`RULES`], with their replacements.
static RULES_READY: LazyLock<Vec<(Regex, &str)>> =
    LazyLock::new(|| RULES.iter().map(|(pattern, by)| (regex(pattern), *by)).collect());
/// Matches a number, with its sign, fraction and exponent.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| regex(r"-?\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b"));
/// Matches the words before a number that is the name of an error.
static CODE: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"(?i)\b(?:signal|code|status|errno|error|bug|ice|exception|opcode|abort trap)\s*[#:(=]{0,2}\s*$")
});
/// Matches an escape sequence of a terminal, such as a colour or a link.
static ESCAPE: LazyLock<Regex> = LazyLock::new(|| regex("\x1b\\[[0-9;?]*[A-Za-z]|\x1b\\][^\x07]*\x07"));
/// Words that stand in what programs write about failures of their own: most of what is written has none of them, and is
/// not looked at any closer. Of these, the first are looked for in any case of letters.
const TELLING: [&str; 35] = [
    r"internal (?:\w+ )?(?:error|failure|fault|bug|panic|exception|inconsistency|check|consistency)|unexpected (?:error|exception)",
    "assert",
    "invariant",
    r"(?:pre|post)condition",
    "violat",
    "panic",
    "fatal",
    r"un(?:handled|caught)",
    r"\bbugs?\b",
    "unreachable",
    "not reached",
    "be reached",
    "impossible",
    r"(?:can(?:not|'t)|never|not) happen",
    r"not (?:yet )?implemented|unimplemented",
    "sanitizer:",
    "libfuzzer",
    "runtime error",
    r"\bsignal\b",
    "anomaly",
    "check fail",
    r"stack (?:overflow|dump|level|exceeds)|stackoverflow",
    "overflowed its stack|too much recursion|maximum (?:call stack|recursion)",
    "core dumped",
    "segmentation (?:fault|violation)",
    r"\bice\b",
    "logical error",
    "uninitialised value",
    r"invalid (?:read|write) of",
    "crash",
    "abort",
    "inconsisten",
    r"unexpected (?:node|kind|type|opcode|state)",
    r"terminating (?:due to|with|during|in)\b",
    r"TRAP: |exception \w+ raised|failed aver:|context\.\.\.:|\bcondition \x22",
];
/// The others, as they are written.
const EXACT: [&str; 26] = [
    "LLVM ERROR",
    "error in backend",
    "does not dominate",
    r"\(\): ",
    "corrupted ",
    "double free",
    r"\*\*\* ",
    "terminate called",
    "pure virtual",
    "Traceback ",
    "(?:Syntax|Indentation|Tab)Error",
    r"\n\s+at ",
    ":CONSOLE",
    r"___ ",
    "FAILED ",
    "FAIL: |ERROR: ",
    "INTERNAL ",
    ": Failure\n",
    r"\braised [A-Z]",
    "Exception name: ",
    r"\*\* \(",
    "stack traceback:",
    r"cop was inspecting",
    r":in [`']",
    r"Stacktrace:|CallStack \(",
    r"Illegal instruction|Bus error|Floating point exception|Trace/breakpoint|SIG(?:SEGV|ABRT|BUS|ILL|FPE|TRAP)\b|Non-exhaustive|Irrefutable pattern|In procedure |Failure/Error:|Internal\w*(?:Error|Exception)|\u25cf |\n\d+\) \S+::",
];
/// Matches what a text has to have so that it is read.
static TRIGGER: LazyLock<regex::bytes::Regex> = LazyLock::new(|| {
    let telling = TELLING.join("|");
    let pattern = format!("(?-u)(?i:{telling})|{}|Error in |ERROR: LoadError", EXACT.join("|"));
    regex::bytes::Regex::new(&plain(&pattern)).expect("the pattern is valid")
});
/// Matches what a line has to have so that it is compared with the forms.
static TELLING_LINE: LazyLock<Regex> = LazyLock::new(|| {
    let telling = TELLING.join("|");
    regex(&format!(
        "(?i:{telling}|error|exception|throwable|failure|failed|killed|panick)|{}|UNREACHABLE|failed AVER|contract|RPython|=GNAT|signal terminated|Hit MOZ_CRASH|SHOULD NEVER|== (?:Jump|Conditional|Use|Syscall|Mismatched|Source|Process)|thread #|^ +\\d+\\) |^\\d+\\) \\S+::|^--- ",
        EXACT.join("|")
    ))
});
/// Matches a line between the message of a failure and its stack.
static ANNOUNCING: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^\s*(?:stack traceback:|CallStack \(from|Call stack:|Stacktrace:|UNREACHABLE executed|  context\.\.\.:)|: In procedure ",
    )
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
    try_regex(pattern).expect("the pattern is valid")
}

/// A pattern that may be invalid.
pub(super) fn try_regex(pattern: &str) -> Result<Regex, regex::Error> {
    Regex::new(&plain(pattern))
}

fn plain(pattern: &str) -> String {
    let plain = |pattern: String, (class, plain): &(&str, &str)| pattern.replace(class, plain);
    CLASSES.iter().fold(pattern.to_owned(), plain)
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

/// Tells whether a line may be one about a failure of the program itself.
pub(super) fn is_telling(line: &str) -> bool {
    TELLING_LINE.is_match(line)
}

/// Tells whether a line stands between the message of a failure and its stack.
pub(super) fn announces(line: &str) -> bool {
    ANNOUNCING.is_match(line)
}

/// The source text of a condition on one line. Nothing is left out of it.
pub(super) fn squeeze(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().filter(|c| !c.is_control()).take(CONDITION).collect()
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

/// A message of which only the form counts: numbers are left out as well, apart from those that are the name of an error.
pub(super) fn without_numbers(text: &str) -> String {
    let text = clean(text);
    let replaced = NUMBER.replace_all(&text, |found: &Captures<'_>| {
        let start = found.get(0).map_or(0, |number| number.start());
        if CODE.is_match(&text[..start]) { found[0].to_owned() } else { "N".to_owned() }
    });
    replaced.into_owned()
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
