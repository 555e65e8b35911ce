//! Formats numbers, times, statuses and commands for messages.

use nubbin_oracle::Status;
use nubbin_oracle::command::{holds_placeholder, placeholder};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::Duration;

/// The longest displayed part of a line of output, in characters.
const WIDEST: usize = 300;

/// Formats a count with commas between thousands.
#[must_use]
pub fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a number of bytes in whole megabytes.
#[must_use]
pub(crate) fn megabytes(bytes: u64) -> String {
    format!("{} MB", count((bytes / 1_000_000) as usize))
}

/// Formats a count with its unit.
#[must_use]
pub fn counted(number: usize, unit: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {unit}{plural}", count(number))
}

/// Formats the difference of two numbers in percent of the first.
#[must_use]
pub fn less(before: usize, after: usize) -> String {
    if before == 0 {
        return "0.0%".to_owned();
    }
    let percent = 100.0 * (before as f64 - after as f64) / before as f64;
    match before.cmp(&after) {
        Ordering::Equal => "0.0%".to_owned(),
        Ordering::Less => format!("+{:.1}%", -percent),
        // Not 100 % if something remains.
        Ordering::Greater if after > 0 => format!("-{:.1}%", percent.min(99.9)),
        Ordering::Greater => format!("-{percent:.1}%"),
    }
}

/// Formats a part of a number of runs: `14 of 20 runs (70 %)`.
#[must_use]
pub fn share(part: usize, runs: usize) -> String {
    let percent = 100.0 * part as f64 / runs.max(1) as f64;
    format!("{} of {} ({percent:.0} %)", count(part), counted(runs, "run"))
}

/// Formats a number between 0 and 1 as a percentage with two digits.
#[must_use]
pub fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    let digits = (1 - percent.log10().floor() as i32).clamp(0, 6) as usize;
    let rounded = format!("{percent:.digits$}");
    let short =
        if rounded.contains('.') { rounded.trim_end_matches('0').trim_end_matches('.') } else { &rounded };
    format!("{short} %")
}

/// Formats a time.
#[must_use]
pub fn time(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0 => format!("{} ms", time.as_millis()),
        1..60 => format!("{:.1} s", time.as_secs_f64()),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
    }
}

/// Formats the number of probes per second.
#[must_use]
pub fn rate(probes: usize, time: Duration) -> String {
    let rate = probes as f64 / time.as_secs_f64().max(0.001);
    if rate < 10.0 { format!("{rate:.1}/s") } else { format!("{rate:.0}/s") }
}

/// Returns at most `most` of the known words: those similar to a misspelt word, the most similar first, or else any.
pub fn nearest<'k>(word: &str, known: impl Iterator<Item = &'k str>, most: usize) -> Vec<&'k str> {
    let mut known: Vec<(usize, &str)> = known.map(|one| (distance(word, one), one)).collect();
    known.sort_by_key(|(distance, _)| *distance);
    known.dedup();
    let close = known.partition_point(|(distance, _)| 3 * distance <= word.chars().count().max(3));
    known.truncate(if close == 0 { most } else { close.min(most) });
    known.into_iter().map(|(_, one)| one).collect()
}

/// Returns the number of characters that must be inserted, removed or replaced to turn one text into the other
/// (Levenshtein 1966).
#[must_use]
pub fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, &b) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[other.len()]
}

/// The Linux signals; the index is the number minus 1.
const SIGNALS: [&str; 31] = [
    "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE",
    "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ",
    "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
];
/// The highest signal number on Linux.
const HIGHEST: i32 = 64;

/// Returns the name of a signal, or `signal N`.
#[must_use]
pub fn signal(number: i32) -> String {
    let name = usize::try_from(number - 1).ok().and_then(|at| SIGNALS.get(at));
    name.map_or_else(|| format!("signal {number}"), |name| format!("SIG{name}"))
}

/// Parses a signal given as `SIGSEGV`, `segv` or `11`.
///
/// # Errors
/// Returns an error when there is no such signal.
pub fn signal_number(text: &str) -> Result<i32, String> {
    if let Ok(number) = text.parse() {
        return if (1..=HIGHEST).contains(&number) { Ok(number) } else { Err("no such signal".to_owned()) };
    }
    let wanted = text.to_ascii_uppercase();
    let wanted = wanted.strip_prefix("SIG").unwrap_or(&wanted);
    let at = SIGNALS.iter().position(|name| *name == wanted);
    at.map(|at| at as i32 + 1).ok_or_else(|| "no such signal (examples: `SEGV`, `ABRT`)".to_owned())
}

/// Describes how a process ended, as the rest of a sentence about it.
#[must_use]
pub fn ending(status: Status) -> String {
    match status {
        Status::Signal(number) => format!("was killed by {}", signal(number)),
        other => other.to_string(),
    }
}

/// Quotes an argument for a shell if necessary.
#[must_use]
pub fn quote(word: &OsStr) -> String {
    if let Some(word) = word.to_str() {
        let is_safe = |c: char| c.is_ascii_alphanumeric() || "-_./,:@%+".contains(c);
        // A first argument `a=b` would set a variable.
        let is_option = word.starts_with('-');
        let is_plain = !word.is_empty() && word.chars().all(|c| is_safe(c) || c == '=' && is_option);
        return if is_plain { word.to_owned() } else { shell_words::quote(word).into_owned() };
    }
    let escaped: String = word.as_bytes().iter().map(|&byte| escape(byte)).collect();
    format!("$'{escaped}'")
}

fn escape(byte: u8) -> String {
    match byte {
        b'\'' | b'\\' => format!("\\{}", byte as char),
        b' '..=b'~' => (byte as char).to_string(),
        _ => format!("\\x{byte:02x}"),
    }
}

/// Formats arguments as a shell command line.
#[must_use]
pub fn words(words: &[OsString]) -> String {
    let shown = |(at, word): (usize, &OsString)| match word.to_str() {
        // No shell expands empty braces.
        Some("{}") => "{}".to_owned(),
        // Only before a program, `a=b` sets a variable.
        Some(text)
            if at > 0
                && text.contains('=')
                && quote(text.replace('=', "").as_ref()) == text.replace('=', "") =>
        {
            text.to_owned()
        }
        _ => quote(word),
    };
    words.iter().enumerate().map(shown).collect::<Vec<_>>().join(" ")
}

/// Returns a shell command line in which placeholders are replaced by the paths of the candidates in the current
/// directory. If there are none, the paths are appended unless `is_found`.
pub(crate) fn command_line(words: &[OsString], names: &[PathBuf], is_found: bool) -> String {
    let paths: Vec<String> =
        names.iter().map(|name| format!("\"$PWD\"/{}", quote(name.as_os_str()))).collect();
    let mut quoted: Vec<String> = words.iter().map(|word| quote_around(word, &paths)).collect();
    if !is_found && !words.iter().any(|word| holds_placeholder(word, names.len() > 1)) {
        quoted.extend(paths);
    }
    quoted.join(" ")
}

/// Quotes an argument except its placeholders, which are replaced by paths.
fn quote_around(word: &OsStr, paths: &[String]) -> String {
    if paths.len() > 1 && word == "{}" {
        return paths.join(" ");
    }
    let (mut quoted, mut from, mut at) = (String::new(), 0, 0);
    let bytes = word.as_bytes();
    while at < bytes.len() {
        let found = placeholder(&bytes[at..]).filter(|&(_, number)| number == 0 || paths.len() > 1);
        let Some((length, path)) =
            found.and_then(|(length, number)| Some((length, paths.get(number.saturating_sub(1))?)))
        else {
            at += 1;
            continue;
        };
        if at > from {
            quoted.push_str(&quote(OsStr::from_bytes(&bytes[from..at])));
        }
        quoted.push_str(path);
        at += length;
        from = at;
    }
    if from < bytes.len() || quoted.is_empty() {
        quoted.push_str(&quote(OsStr::from_bytes(&bytes[from..])));
    }
    quoted
}

/// Returns the last lines of an output, each after a bar, safe to print on a terminal.
pub(crate) fn last_lines(output: &[u8], most: usize) -> String {
    let text = String::from_utf8_lossy(output);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let shown = &lines[lines.len().saturating_sub(most)..];
    let mut cleaned = String::new();
    for line in shown {
        cleaned.push_str("  | ");
        cleaned.extend(line.chars().filter(|c| !c.is_control()).take(WIDEST));
        cleaned.push('\n');
    }
    cleaned
}

/// Escapes control characters other than tabs and line ends, such as `\u{1b}`, and characters that change the
/// direction of text. File names and outputs can be untrusted and must not control the terminal.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_order = |c: char| {
        c.is_control() && c != '\n' && c != '\t'
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(is_order) {
        return Cow::Borrowed(text);
    }
    let mut printable = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        let ends_line = c == '\r' && characters.peek() == Some(&'\n');
        if is_order(c) && !ends_line {
            printable.extend(c.escape_default());
        } else {
            printable.push(c);
        }
    }
    Cow::Owned(printable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_and_changes_of_direction_are_escaped() {
        assert_eq!(printable("a\tb\r\nc \u{e9}"), "a\tb\r\nc \u{e9}");
        assert_eq!(printable("evil\x1b]0;X\x07.c"), "evil\\u{1b}]0;X\\u{7}.c");
        assert_eq!(printable("a\rb\u{9b}31m"), "a\\rb\\u{9b}31m");
        assert_eq!(printable("\u{202e}c.exe"), "\\u{202e}c.exe");
    }

    #[test]
    fn the_nearest_words_come_first() {
        assert_eq!((distance("kitten", "sitting"), distance("", "abc"), distance("a", "a")), (3, 3, 0));
        let known = ["delete", "hoist", "token", "tokens"];
        assert_eq!(nearest("tokn", known.into_iter(), 3), ["token"]);
        assert_eq!(nearest("xyz", known.into_iter(), 3).len(), 3);
    }

    #[test]
    fn numbers_are_for_people() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(counted(1, "token"), "1 token");
        assert_eq!(less(200, 3), "-98.5%");
        assert_eq!((less(0, 0).as_str(), less(7, 7).as_str()), ("0.0%", "0.0%"));
        assert_eq!(less(10, 12), "+20.0%");
        assert_eq!((less(5_000, 2).as_str(), less(5, 0).as_str()), ("-99.9%", "-100.0%"));
        assert_eq!(
            (share(14, 20).as_str(), share(0, 0).as_str()),
            ("14 of 20 runs (70 %)", "0 of 0 runs (0 %)")
        );
        assert_eq!(time(Duration::from_millis(2_340)), "2.3 s");
        assert_eq!(time(Duration::from_secs(3_725)), "1 h 02 min");
    }

    #[test]
    fn a_command_can_be_pasted_into_a_shell() {
        let words = [OsString::from("grep"), "a b={}".into(), OsStr::from_bytes(b"\xff'").into()];
        assert_eq!(command_line(&words, &["b.c".into()], false), r#"grep 'a b='"$PWD"/b.c $'\xff\''"#);
        assert_eq!(command_line(&["./o".into()], &["b c".into()], false), r#"./o "$PWD"/'b c'"#);
        let several =
            command_line(&["cmp".into(), "x={2}".into(), "{}".into()], &["a".into(), "b/c".into()], false);
        assert_eq!(several, r#"cmp 'x='"$PWD"/b/c "$PWD"/a "$PWD"/b/c"#);
    }

    #[test]
    fn output_is_shown_by_its_last_lines_without_control_characters() {
        assert_eq!(last_lines(b"one\n\ntwo\n\x1b[31mthree\n", 2), "  | two\n  | [31mthree\n");
        assert_eq!(last_lines(b"", 2), "");
    }

    #[test]
    fn signals_have_names_and_numbers() {
        for text in ["SIGSEGV", "SEGV", "segv", "11"] {
            assert_eq!(signal_number(text), Ok(11));
        }
        assert!(signal_number("SIGNOPE").is_err());
        assert!(signal_number("0").is_err());
        assert_eq!(signal(6), "SIGABRT");
        assert_eq!(signal(50), "signal 50");
    }
}
