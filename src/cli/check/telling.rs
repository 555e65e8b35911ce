//! The line of an output that tells most about a failure.
//!
//! It knows texts only.

use nubbin::oracle::Run;
use regex::Regex;
use std::sync::LazyLock;

static ERROR: LazyLock<Regex> = LazyLock::new(|| {
    let words = r"(?i)\b(?:\w*error\w*|\w*exception|fatal|fail(?:ed|ure|s)?|abort(?:ed)?|panic(?:ked)?|cannot|can't|could not|crash(?:ed)?|undefined|unexpected|invalid|not found|bug)\b";
    Regex::new(words).expect("the pattern is valid")
});
/// Lines that count, or that say that there was something before.
static COUNTS: LazyLock<Regex> = LazyLock::new(|| {
    let forms = r"(?i)^\W*(?:found |\d+ of )?\d+ (?:errors?|warnings?|problems?|files?|tests?|failed|failures?|passed)\b|\bdue to \d* ?previous|\baborting due|^make(?:\[\d+\])?: \*\*\*|^npm (?:err|error)|^=+ .* =+$|oh no|^for more information|^compilation (?:failed|terminated)";
    Regex::new(forms).expect("the pattern is valid")
});
static PLACE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*(?:[^\s:()]+(?::\d+)+|[^\s:()]+\(\d+(?:,\d+)*\)):\s*").expect("the pattern is valid")
});

/// The option that asks for the most telling line, and its regular expression; none where no line looks like an error.
pub fn option(run: &Run, own: &[String]) -> Option<(&'static str, String)> {
    let streams = [("--stderr", &run.stderr), ("--stdout", &run.stdout)];
    streams.into_iter().find_map(|(option, output)| {
        let text = String::from_utf8_lossy(output);
        let lines = || text.lines().filter(|line| ERROR.is_match(line) && !COUNTS.is_match(line));
        lines().find_map(|line| pattern(line, own)).map(|pattern| (option, pattern))
    })
}

/// A line as a regular expression: without its place and the names of the input.
fn pattern(line: &str, own: &[String]) -> Option<String> {
    let line = PLACE.replace(line, "");
    let mut parts = vec![line.trim().to_owned()];
    for name in own.iter().filter(|name| !name.is_empty()) {
        parts = parts.iter().flat_map(|part| part.split(name.as_str()).map(str::to_owned)).collect();
    }
    let paths = parts.iter().flat_map(|part| {
        part.split_whitespace()
            .collect::<Vec<_>>()
            .split(|word| word.contains('/'))
            .map(|words| words.join(" "))
            .collect::<Vec<_>>()
    });
    let part = paths.max_by_key(|part| (ERROR.is_match(part), part.len()))?;
    (part.len() > 3).then(|| regex::escape(&part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(line: &str) -> Option<String> {
        pattern(line, &["bug.ts".to_owned()]).filter(|_| ERROR.is_match(line) && !COUNTS.is_match(line))
    }

    #[test]
    fn a_line_that_counts_tells_nothing() {
        for line in [
            "1 error",
            "Found 1 error in 1 file (checked 1 source file)",
            "error: aborting due to 1 previous error",
            "make: *** [Makefile:3: all] Error 1",
            "1 file failed to reformat.",
        ] {
            assert_eq!(told(line), None, "{line}");
        }
    }

    #[test]
    fn a_place_and_the_inputs_name_are_left_out() {
        let line = "bug.ts(3,7): error TS2322: Type 'string' is not assignable.";
        assert_eq!(told(line).as_deref(), Some(r"error TS2322: Type 'string' is not assignable\."));
        let line = "error: cannot format /work/bug.ts: Cannot parse: 3:0";
        assert_eq!(told(line).as_deref(), Some("error: cannot format"));
    }
}
