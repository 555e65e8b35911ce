//! Proposes the options of a command, and the elements of lists in options.
//!
//! The text has one line for each choice: a number, a space, and the arguments that belong together, separated by tabs.
//! The creator of the text decides which arguments belong together.

mod list;

use super::{Builder, CandidateFilter, Proposal, Snapshot, Unit};
use list::{List, lists};
use nubbin_search::search::GroupKind;
use nubbin_syntax::edit::{Edit, Seam, Span};

struct Line<'t> {
    span: Span,
    words: Option<NumberedWords<'t>>,
}

/// The number at the beginning of a line, and the arguments after it.
type NumberedWords<'t> = (usize, Vec<(Span, &'t [u8])>);

/// Escapes an argument for a line: a tab, a line end and a backslash are written as `\t`, `\n` and `\\`.
#[must_use]
pub fn escape(word: &[u8]) -> Vec<u8> {
    let escaped = word.iter().flat_map(|byte| match byte {
        b'\\' => b"\\\\".to_vec(),
        b'\n' => b"\\n".to_vec(),
        b'\t' => b"\\t".to_vec(),
        _ => vec![*byte],
    });
    escaped.collect()
}

/// Reverses [`escape`].
#[must_use]
pub fn unescape(written: &[u8]) -> Vec<u8> {
    let mut bytes = written.iter().copied();
    let mut word = Vec::with_capacity(written.len());
    while let Some(byte) = bytes.next() {
        word.push(match byte {
            b'\\' => match bytes.next() {
                Some(b'n') => b'\n',
                Some(b't') => b'\t',
                other => other.unwrap_or(byte),
            },
            _ => byte,
        });
    }
    word
}

pub(super) fn words(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = builder().placed();
    for line in read(&snapshot.source) {
        builder.delta([Edit::delete(line.span)]);
    }
    builder.close(GroupKind::Set, None);
    builder.build()
}

/// Proposes each option together with the next argument, which may be its value.
pub(super) fn pairs(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = builder();
    let lines = read(&snapshot.source);
    let only = |line: &Line<'_>| match &line.words {
        Some((number, words)) if words.len() == 1 => Some((*number, words[0].1.starts_with(b"-"))),
        _ => None,
    };
    for pair in lines.windows(2) {
        if let (Some((first, true)), Some((second, false))) = (only(&pair[0]), only(&pair[1]))
            && second == first + 1
        {
            builder.single([Edit::delete(Span::new(pair[0].span.start, pair[1].span.end))]);
        }
    }
    builder.build()
}

/// Proposes the elements of each list, outer lists first. A list of one element is deleted with the element that
/// contains it.
pub(super) fn parts(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = builder();
    each_value(&snapshot.source, |line, all| {
        // The first delta of each list.
        let mut firsts = vec![None; all.len()];
        for (number, list) in all.iter().enumerate().filter(|(_, list)| list.members.len() > 1) {
            let outer = List::ancestors(all, number).find_map(|(list, member)| {
                let first: Option<u32> = firsts[list];
                first.map(|first| first + member as u32)
            });
            for member in &list.members {
                let delta = builder.delta([Edit::delete(*member)]);
                firsts[number] = firsts[number].or(Some(delta));
            }
            let whole = List::whole(all, number).unwrap_or(line);
            let spans = vec![whole; list.members.len()];
            builder.close_list(outer, list.separators.clone(), Some(("", spans)));
        }
    });
    builder.build()
}

/// Proposes to replace an element by its parenthesized part, and to delete parts in angle brackets.
pub(super) fn nests(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = builder();
    each_value(&snapshot.source, |_, all| {
        for list in all {
            let (Some(brackets), Some((outer, member))) = (list.brackets, list.owner) else { continue };
            let member = all[outer].members[member];
            if list.is_angled {
                builder.single([Edit::delete(brackets)]);
            } else if brackets.end == member.end && brackets.len() > 2 {
                let before = Span::new(member.start, brackets.start + 1);
                builder
                    .single([Edit::delete(before), Edit::delete(Span::new(brackets.end - 1, brackets.end))]);
            }
        }
    });
    builder.build()
}

fn builder() -> Builder {
    Builder::new(CandidateFilter::Nothing, Seam::Touch)
}

/// Calls `with` for each argument that contains lists, with the span of its line and the lists.
fn each_value(source: &[u8], mut with: impl FnMut(Span, &[List])) {
    for line in read(source) {
        for (span, word) in line.words.iter().flat_map(|(_, words)| words) {
            let lists = lists(word, span.start);
            if !lists.is_empty() {
                with(line.span, &lists);
            }
        }
    }
}

fn read(source: &[u8]) -> Vec<Line<'_>> {
    Unit::Line.split(source).into_iter().map(|span| Line { span, words: words_of(source, span) }).collect()
}

/// Returns the number and the arguments of a line.
fn words_of(source: &[u8], line: Span) -> Option<NumberedWords<'_>> {
    let text = line.of(source);
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let blank = text.iter().position(|&byte| byte == b' ')?;
    let number = std::str::from_utf8(&text[..blank]).ok()?.parse().ok()?;
    let mut at = line.start + blank as u32 + 1;
    let words = text[blank + 1..].split(|&byte| byte == b'\t').map(|word| {
        let span = Span::new(at, at + word.len() as u32);
        at = span.end + 1;
        (span, word)
    });
    Some((number, words.collect()))
}

#[cfg(test)]
mod tests;
