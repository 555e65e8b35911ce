//! The place in the failing program's own source that its message names. A reduction does not move it, as it moves places in
//! the candidate.

use super::clean::{self, part, regex};
use regex::Regex;
use std::sync::LazyLock;

/// Matches a message with such a place: the file with its line.
static PLACES: LazyLock<[Regex; 5]> = LazyLock::new(|| {
    [
        // gcc
        r"[Ii]nternal compiler error: .*, at ([\w./+-]+:\d+)$",
        // The C library's `assert`
        r"^\S+: ([\w./+-]+:\d+): .*: Assertion ",
        // The other ones'
        r"^Assertion failed: .*file ([\w./+-]+), line (\d+)",
        // LLVM
        r"UNREACHABLE executed at ([\w./+-]+:\d+)",
        // Rust
        r"panicked at (?:'.*', )?([\w./+-]+:\d+):\d+",
    ]
    .map(regex)
});

/// Matches a message that names the signal alone.
static SIGNAL: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)segmentation fault|segmentation violation|\baborted\b|bus error|illegal instruction|floating point exception|killed|crash$|received signal",
    )
});

/// Tells whether a message names no more than the signal that has ended the program.
pub(super) fn is_of_signal(message: &str) -> bool {
    SIGNAL.is_match(message)
}

/// Returns the last part of the file's path, and the line.
pub(super) fn find(output: &[u8], own: &[String]) -> Option<String> {
    if !clean::may_tell(output) {
        return None;
    }
    let text = clean::printable(output);
    text.lines().find_map(|line| {
        let found = PLACES.iter().find_map(|places| places.captures(line))?;
        let place = match found.get(2) {
            Some(line) => format!("{}, line {}", part(&found, 1), line.as_str()),
            None => part(&found, 1).to_owned(),
        };
        let place = place.rsplit('/').next().unwrap_or_default().to_owned();
        let file = place.split([':', ',']).next().unwrap_or_default();
        (!own.iter().any(|own| own == file)).then_some(place)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_alone_says_not_where_it_was() {
        for message in ["gcc ICE: Segmentation fault (pass vect)", "cc1: Killed", "clang crash"] {
            assert!(is_of_signal(message), "{message}");
        }
        assert!(!is_of_signal("gcc ICE: in fold_binary_loc, at fold-const.cc"));
    }

    #[test]
    fn a_place_is_in_the_source_of_the_program_that_fails_and_not_in_the_candidate() {
        let place = |text: &str| find(text.as_bytes(), &["bug.c".to_owned()]);
        for (text, wanted) in [
            (
                "bug.c:7:3: internal compiler error: in fold, at fold-const.cc:10844",
                Some("fold-const.cc:10844"),
            ),
            ("clang: ../lib/Sema/Sema.cpp:77: void f(int): Assertion `x' failed.", Some("Sema.cpp:77")),
            ("Assertion failed: (x), function f, file Sema.cpp, line 77.", Some("Sema.cpp, line 77")),
            ("UNREACHABLE executed at /b/lib/IR/Value.cpp:5!", Some("Value.cpp:5")),
            ("thread 'main' panicked at src/parse.rs:12:9:", Some("parse.rs:12")),
            ("thread 'main' panicked at 'oh no', src/parse.rs:12:9", Some("parse.rs:12")),
            ("a.out: bug.c:3: main: Assertion `x' failed.", None),
            ("bug.c:7:3: internal compiler error: Segmentation fault", None),
            ("bug.c:7:3: error: expected ';' at end of input", None),
        ] {
            assert_eq!(place(text).as_deref(), wanted, "{text}");
        }
    }
}
