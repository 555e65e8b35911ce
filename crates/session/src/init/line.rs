//! Finds the line of an output that names a failure, as opposed to lines that count failures or repeat them.
//!
//! The module `message` chooses the part of the line that a script searches for.

use regex::Regex;
use std::sync::LazyLock;

/// Lines that count failures, or report that a child process failed.
static COUNTS: LazyLock<Regex> = LazyLock::new(|| {
    let lines = [
        r"\d+ (?:\w+ ){0,3}(?:errors?|warnings?|problems?|files?|tests?|failures?|failed|failing|offen[cs]es?|issues?)\b",
        r"Found \d+ ",
        r"(?:error: )?aborting due to ",
        r"error: could not compile ",
        r"error: test failed, to rerun ",
        r"For more information about this error",
        r"compilation terminated",
        r".*\btoo many errors\b",
        r"(?:\S+: )?error: linker command failed",
        r"collect2: error: ",
        r"g?make(?:\[\d+\])?: \*\*\*",
        r"ninja: build stopped",
        r"npm (?:ERR!|error)",
        r"(?:ERR_PNPM|ELIFECYCLE)",
        r"error Command failed",
        r"Error: Process completed",
        r"FAILED \((?:failures|errors)=",
        r"FAILURES?!?$",
        r"(?:Ran|Tests run:|Tests?:|Test Suites:) +\d+",
        r"test result: ",
        r"=+ .* =+$",
        r"_+ .* _+$",
        r"BUILD FAILED",
        r"FAILURE: Build failed",
        r"Oh no!",
        r"exit (?:status|code):? \d+",
    ];
    Regex::new(&format!(r"(?i)^\W*(?:{})", lines.join("|"))).expect("the pattern is valid")
});
/// Diagnostics, and assertions as pytest shows them.
static DIAGNOSTIC: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:(?:fatal |internal )?error|\w*(?:error|exception))(?:\[\w+\]| \w+\d+)?: |^E  +\S|\bpanicked at\b|\bassert(?:ion)?\b")
        .expect("the pattern is valid")
});
/// Any other line that mentions a failure.
static FAILURE: LazyLock<Regex> = LazyLock::new(|| {
    let words = "error|exception|fatal|fail(?:ed|ure|s)?|abort(?:ed)?|panic(?:ked)?|cannot|can't|could not|crash(?:ed)?|unreachable|invalid|unexpected|not found|undefined";
    Regex::new(&format!(r"(?i)\b\w*(?:{words})\b")).expect("the pattern is valid")
});

/// Returns the distinct lines of an output that can name its failure, the most informative first.
pub fn telling(output: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = Vec::new();
    for line in output.lines().filter(|line| line.len() < 10_000 && line.contains(char::is_alphabetic)) {
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines.sort_by_key(|line| rank(line));
    lines
}

fn rank(line: &str) -> u8 {
    if COUNTS.is_match(line) {
        3
    } else if DIAGNOSTIC.is_match(line) {
        0
    } else if FAILURE.is_match(line) {
        1
    } else {
        2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Outputs of tools, each with the line that names the failure.
    const OUTPUTS: [(&str, &str); 11] = [
        (
            "Shop.java:4: error: incompatible types: String cannot be converted to int\n        int price = name;\n                    ^\n1 error\n",
            "Shop.java:4: error: incompatible types: String cannot be converted to int",
        ),
        (
            "error: cannot format a.py: Cannot parse: 1:5: type X = int\n\nOh no! 💥 💔 💥\n1 file failed to reformat.\n",
            "error: cannot format a.py: Cannot parse: 1:5: type X = int",
        ),
        (
            "bad.ts(3,3): error TS2322: Type 'string[]' is not assignable to type 'number'.\n",
            "bad.ts(3,3): error TS2322: Type 'string[]' is not assignable to type 'number'.",
        ),
        (
            "typed.py:4: error: Incompatible types in assignment  [assignment]\nFound 1 error in 1 file (checked 1 source file)\n",
            "typed.py:4: error: Incompatible types in assignment  [assignment]",
        ),
        (
            "error[E0308]: mismatched types\n --> b.rs:1:26\n\nerror: aborting due to 1 previous error\n\nFor more information about this error, try `rustc --explain E0308`.\nerror: could not compile `b` (bin \"b\") due to 1 previous error\n",
            "error[E0308]: mismatched types",
        ),
        (
            "bad.c: In function ‘total’:\nbad.c:2:39: error: ‘struct item’ has no member named ‘prices’\nmake: *** [Makefile:2: all] Error 1\n",
            "bad.c:2:39: error: ‘struct item’ has no member named ‘prices’",
        ),
        (
            "F   [100%]\n=== FAILURES ===\n    def test_total():\n>       assert_total([1, 2])\nE       ValueError: 3\n\n=== short test summary info ===\nFAILED test_total.py::test_total - ValueError: 3\n=== 1 failed in 0.02s ===\n",
            "E       ValueError: 3",
        ),
        (
            "> a@1.0.0 build\n> node x.js\n\nboom: error: no such thing\nnpm ERR! Lifecycle script `build` failed with error:\nnpm ERR! Error: command failed\n",
            "boom: error: no such thing",
        ),
        (
            "/usr/bin/ld: a.o: undefined reference to `f'\ncollect2: error: ld returned 1 exit status\n",
            "/usr/bin/ld: a.o: undefined reference to `f'",
        ),
        ("bad.c:1:1: error: x\n1 error generated.\n", "bad.c:1:1: error: x"),
        ("1 error\n", "1 error"),
    ];

    #[test]
    fn the_line_that_names_the_failure_comes_before_the_one_that_counts() {
        for (output, line) in OUTPUTS {
            assert_eq!(telling(output).first(), Some(&line), "{output}");
        }
    }

    #[test]
    fn lines_that_count_come_last() {
        for (output, _) in &OUTPUTS[..10] {
            let ranks: Vec<u8> = telling(output).into_iter().map(rank).collect();
            assert!(ranks.is_sorted() && ranks[0] < 3, "{output}");
        }
    }
}
