//! Finds the parts of the input that must not change, as byte spans.

use crate::control::Control;
use crate::failure::Failure;
use crate::failure::Fault;
use crate::language::Chosen;
use crate::text;
use memchr::memmem;
use nubbin_archive as archive;
use nubbin_reduce::Languages;
use nubbin_reduce::pass;
use nubbin_syntax::edit::Span;
use regex::bytes::Regex;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The words on the lines before and after the part to reduce.
const MARKERS: [&str; 2] = ["DDBEGIN", "DDEND"];
/// The number of function names that an error message shows.
const SHOWN: usize = 8;

/// Returns the spans of an input that must not change. If the input is an archive, they are positions in the archive.
///
/// # Errors
/// Returns an error when a requested part does not exist.
pub fn spans(
    control: &Control,
    path: &Path,
    input: &[u8],
    language: &Chosen,
    is_archive: bool,
) -> Result<Vec<Span>, Failure> {
    let mut search = WantedFinder::new(control);
    if is_archive {
        for entry in archive::entries(input).iter().filter(|entry| entry.kind == archive::Type::File) {
            search.look(&entry.path, entry.content_in(input), entry.content.0 as u32, language)?;
        }
    } else {
        search.look(path, input, 0, language)?;
    }
    search.end()
}

/// Searches files for requested parts.
struct WantedFinder<'c> {
    control: &'c Control,
    spans: Vec<Span>,
    /// Whether each requested part was found; expressions first, then functions.
    found: Vec<bool>,
    functions: Vec<String>,
    /// A description of a file in a language without functions.
    nameless: Option<String>,
}

impl<'c> WantedFinder<'c> {
    fn new(control: &'c Control) -> Self {
        let found = vec![false; control.keep.len() + control.keep_function.len()];
        Self { control, spans: Vec::new(), found, functions: Vec::new(), nameless: None }
    }

    /// Searches a file, which starts at position `start`.
    fn look(&mut self, path: &Path, content: &[u8], start: u32, language: &Chosen) -> Result<(), Failure> {
        let moved = |span: Span| Span::new(span.start + start, span.end + start);
        if self.control.markers {
            self.spans.extend(outside_of_markers(path, content)?.into_iter().map(moved));
        }
        for (i, regex) in self.control.keep.iter().enumerate() {
            let matches = regex.find_iter(content).filter(|one| !one.is_empty());
            let before = self.spans.len();
            self.spans.extend(matches.map(|one| moved(Span::new(one.start() as u32, one.end() as u32))));
            self.found[i] |= self.spans.len() > before;
        }
        if self.control.keep_function.is_empty() {
            return Ok(());
        }
        let language = language.get().or_else(|| language.of(path, content));
        let functions = language.and_then(|language| pass::functions(language, content));
        let Some(functions) = functions else {
            let title = language.map_or("no known language", |language| language.title());
            self.nameless = Some(format!("`{}` is in {title}", path.display()));
            return Ok(());
        };
        for (name, span) in functions {
            let mut wanted = self.control.keep_function.iter();
            if let Some(i) = wanted.position(|wanted| wanted.as_bytes() == name) {
                self.found[self.control.keep.len() + i] = true;
                self.spans.push(moved(span));
            }
            self.functions.push(String::from_utf8_lossy(&name).into_owned());
        }
        Ok(())
    }

    /// Returns the spans, or an error for the first missing part.
    fn end(self) -> Result<Vec<Span>, Failure> {
        let Some(missing) = self.found.iter().position(|found| !found) else { return Ok(self.spans) };
        if let Some(regex) = self.control.keep.get(missing) {
            return Err(matches_nothing(regex));
        }
        let name = &self.control.keep_function[missing - self.control.keep.len()];
        if let (Some(nameless), true) = (self.nameless, self.functions.is_empty()) {
            let message = format!("`--keep function:NAME` cannot find functions: {nameless}");
            return Err(Failure::message(Fault::Usage, message).hint(
                "protect text with `--keep REGEX`, or all text outside the lines between DDBEGIN and DDEND",
            ));
        }
        let message = format!("no function `{}` in the input", name.display());
        let near = text::nearest(&name.to_string_lossy(), self.functions.iter().map(String::as_str), SHOWN);
        let hint = match near.as_slice() {
            [] => "the input contains no functions".to_owned(),
            near => format!("functions with similar names: {}", near.join(", ")),
        };
        Err(Failure::message(Fault::Usage, message).hint(hint))
    }
}

fn matches_nothing(regex: &Regex) -> Failure {
    let message = format!("`--keep {}` matches nothing in the input", text::quote(regex.as_str().as_ref()));
    Failure::message(Fault::Usage, message)
        .hint("the syntax is that of the crate `regex`; with `(?m)`, ^ and $ match the ends of lines; with `(?s)`, a dot matches line ends")
}

/// Returns the spans outside of marker pairs: up to the line with the first marker, between two pairs, and after the
/// last.
///
/// As in Lithium, a line that contains DDBEGIN starts the part to reduce, and the next line with DDEND ends it. In
/// contrast to Lithium, there can be several pairs. After the first pair, an unpaired marker is kept.
fn outside_of_markers(path: &Path, content: &[u8]) -> Result<Vec<Span>, Failure> {
    if MARKERS.iter().all(|marker| memmem::find(content, marker.as_bytes()).is_none()) {
        return Ok(Vec::new());
    }
    let wrong = |line: usize, message: &str| {
        let place = format!("`{}`, line {line}: {message}", path.display());
        Err(Failure::message(Fault::Usage, place).hint(
            "only the lines between DDBEGIN and DDEND are reduced; to ignore the markers, set `no-markers = true` in `nubbin.toml`",
        ))
    };
    // The start of the current protected span, and the line and the end of an unpaired DDBEGIN.
    let (mut spans, mut from, mut open) = (Vec::new(), 0, None);
    let mut at = 0;
    for (number, line) in (1..).zip(lines(content)) {
        let [begins, ends] = MARKERS.map(|marker| has_word(line, marker.as_bytes()));
        let next = at + line.len() as u32;
        match open {
            None if begins => open = Some((number, next)),
            None if ends && spans.is_empty() => {
                return wrong(number, "no DDBEGIN before this DDEND");
            }
            Some((_, end)) if ends => {
                spans.push(Span::new(from, end));
                (from, open) = (at, None);
            }
            _ => {}
        }
        at = next;
    }
    match open {
        Some((number, _)) if spans.is_empty() => wrong(number, "no DDEND after this DDBEGIN"),
        None if spans.is_empty() => Ok(spans),
        _ => {
            spans.push(Span::new(from, at));
            Ok(spans)
        }
    }
}

/// Returns the lines of a text with their ends, which can be carriage returns.
fn lines(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = content;
    std::iter::from_fn(move || {
        let is_end = |at: usize| rest[at] == b'\n' || (rest[at] == b'\r' && rest.get(at + 1) != Some(&b'\n'));
        let end = (0..rest.len()).find(|&at| is_end(at)).map_or(rest.len(), |at| at + 1);
        let (line, after) = rest.split_at(end);
        rest = after;
        (!line.is_empty()).then_some(line)
    })
}

/// Returns whether a line contains a marker that is not part of a longer word such as ADDEND.
fn has_word(line: &[u8], word: &[u8]) -> bool {
    line.split(|byte| !byte.is_ascii_alphabetic()).any(|one| one == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(content: &str) -> Option<Vec<&str>> {
        let spans = outside_of_markers(Path::new("x"), content.as_bytes()).ok()?;
        Some(spans.into_iter().map(|span| &content[span.start as usize..span.end as usize]).collect())
    }

    #[test]
    fn what_is_around_markers_is_kept_with_their_lines() {
        assert_eq!(kept("a\nb\n"), Some(Vec::new()));
        assert_eq!(kept("a\n// DDBEGIN\nb\n// DDEND\nc"), Some(vec!["a\n// DDBEGIN\n", "// DDEND\nc"]));
        assert_eq!(kept("DDBEGIN\nDDEND"), Some(vec!["DDBEGIN\n", "DDEND"]));
    }

    #[test]
    fn a_marker_is_no_part_of_a_longer_word() {
        assert_eq!(kept("DDBEGINNING\nADDEND\n"), Some(Vec::new()));
        let glued = "<!--DDBEGIN_1-->\nint ADDEND;\n__DDEND2\n";
        assert_eq!(kept(glued), Some(vec!["<!--DDBEGIN_1-->\n", "__DDEND2\n"]));
    }

    #[test]
    fn a_line_with_both_markers_is_the_one_that_is_waited_for() {
        let text = "// DDBEGIN (up to DDEND)\nb\n// DDBEGIN\nc\n// DDEND of DDBEGIN\n";
        assert_eq!(kept(text), Some(vec!["// DDBEGIN (up to DDEND)\n", "// DDEND of DDBEGIN\n"]));
    }

    #[test]
    fn more_pairs_may_follow_and_what_is_none_stays() {
        let twice = "DDBEGIN\nb\nDDEND\nc\n#DDBEGIN\nd\n#DDEND\n";
        assert_eq!(kept(twice), Some(vec!["DDBEGIN\n", "DDEND\nc\n#DDBEGIN\n", "#DDEND\n"]));
        let stray = "DDBEGIN\nb\nDDEND\nDDEND\nc\nDDBEGIN\nd\n";
        assert_eq!(kept(stray), Some(vec!["DDBEGIN\n", "DDEND\nDDEND\nc\nDDBEGIN\nd\n"]));
    }

    #[test]
    fn lines_may_end_with_carriage_returns() {
        assert_eq!(kept("DDBEGIN\rb\rDDEND\rc"), Some(vec!["DDBEGIN\r", "DDEND\rc"]));
        assert_eq!(kept("DDBEGIN\r\nb\r\nDDEND\r\n"), Some(vec!["DDBEGIN\r\n", "DDEND\r\n"]));
    }

    #[test]
    fn a_first_marker_without_its_other_is_an_error() {
        for content in
            ["a\nDDBEGIN\n", "DDEND\n", "DDBEGIN\nDDBEGIN\n", "/* DDBEGIN DDEND */\n", "DDEND\nDDBEGIN\n"]
        {
            assert_eq!(kept(content), None, "{content}");
        }
    }
}
