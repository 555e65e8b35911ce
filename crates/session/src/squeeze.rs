//! Prepares a result for display: removes blank lines after a stopped run, and shows small results.

use nubbin_archive::{self as archive, Entry, Type};
use std::fmt::Write;
use std::time::Duration;

/// The time limit of the run without blank lines, for which the user waits.
pub const LIMIT: Duration = Duration::from_secs(5);

/// The same limit if the time of the whole run is over.
pub const LATE: Duration = Duration::from_millis(500);

/// Tuned parameters.
struct Tuning {
    /// The largest displayed number of lines.
    lines: usize,
    /// The longest displayed line in characters.
    width: usize,
}

const TUNING: Tuning = Tuning { lines: 20, width: 200 };

/// Returns a text or archive without blank lines and trailing whitespace; `None` if there are none.
#[must_use]
pub fn squeezed(text: &[u8], is_archive: bool) -> Option<Vec<u8>> {
    let mut all = Vec::with_capacity(text.len());
    let mut at = 0;
    for Entry { content: (start, end), .. } in files(text, is_archive) {
        all.extend_from_slice(&text[at..start]);
        all.extend(lines(&text[start..end]));
        at = end;
    }
    if is_archive {
        all.extend_from_slice(&text[at..]);
    } else {
        all = lines(text);
    }
    (all != text).then_some(all)
}

fn lines(text: &[u8]) -> Vec<u8> {
    let solid = |line: &&[u8]| !line.trim_ascii().is_empty();
    let kept = text.split_inclusive(|&byte| byte == b'\n').filter(solid);
    let mut squeezed = Vec::with_capacity(text.len());
    for line in kept {
        let end = if line.ends_with(b"\r\n") { &b"\r\n"[..] } else { &b"\n"[..] };
        let is_ended = line.ends_with(b"\n");
        squeezed.extend_from_slice(line.trim_ascii_end());
        squeezed.extend_from_slice(if is_ended { end } else { b"" });
    }
    squeezed
}

fn files(text: &[u8], is_archive: bool) -> Vec<Entry> {
    let entries = if is_archive { archive::entries(text) } else { Vec::new() };
    entries.into_iter().filter(|entry| entry.kind == Type::File).collect()
}

/// Returns a small result as it is displayed. Of several files, non-empty ones are shown below their names.
#[must_use]
pub fn small(text: &[u8], is_archive: bool) -> Option<String> {
    let mut shown = String::new();
    if is_archive {
        for entry in files(text, true) {
            let content = entry.content_in(text);
            if !content.trim_ascii().is_empty() {
                let _ = writeln!(shown, "{}:", entry.path.display());
                let _ = writeln!(shown, "{}", plain(content)?.trim_end());
            }
        }
    } else {
        shown.push_str(plain(text)?);
    }
    let fits = |line: &str| line.chars().count() <= TUNING.width;
    let is_small = (1..=TUNING.lines).contains(&shown.lines().count()) && shown.lines().all(fits);
    (is_small && !shown.trim().is_empty()).then_some(shown)
}

/// Returns the text, if a terminal displays it unchanged.
fn plain(text: &[u8]) -> Option<&str> {
    let is_odd = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    std::str::from_utf8(text).ok().filter(|text| !text.contains(is_odd))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nubbin_archive::{ArchiveKind, Item};

    #[test]
    fn blank_lines_go_and_line_ends_stay_as_they_are() {
        let squeezed =
            |text: &str| squeezed(text.as_bytes(), false).map(|text| String::from_utf8(text).expect("text"));
        assert_eq!(squeezed("\n\na \n \n  b\n\n").as_deref(), Some("a\n  b\n"));
        assert_eq!(squeezed("a\r\n\r\nb").as_deref(), Some("a\r\nb"));
        assert_eq!((squeezed("a\n  b\n"), squeezed("")), (None, None));
    }

    #[test]
    fn of_several_files_those_that_hold_something_are_shown_below_their_names() {
        let item = |path: &str, content: &str| Item {
            path: path.into(),
            kind: Type::File,
            mode: 0o644,
            content: content.into(),
        };
        let archive = archive::pack(ArchiveKind::Folder, &[item("a.c", "\n\nint a;\n"), item("b.c", "")]);
        let squeezed = squeezed(&archive, true).expect("it has blank lines");
        assert_eq!(small(&squeezed, true).as_deref(), Some("a.c:\nint a;\n"));
    }

    #[test]
    fn what_is_long_wide_binary_or_empty_is_not_shown() {
        assert_eq!(small(b"a\tb\n", false).as_deref(), Some("a\tb\n"));
        for text in [&b"x\n".repeat(21)[..], &b"x".repeat(201), b"\x1b[1m", b"\xff", b"", b"\n"] {
            assert_eq!(small(text, false), None, "{text:?}");
        }
    }
}
