//! Proposes to delete whitespace between tokens: blank lines and trailing whitespace, or on request as much as
//! possible.

use super::{Builder, CandidateFilter, Proposal, Snapshot};
use nubbin_search::search::GroupKind;
use nubbin_syntax::edit::{Edit, Seam, Span, needs_blank};

/// The minimum share of unneeded whitespace in a text, as a divisor, from which it is deleted at the start.
const SHARE: usize = 16;

/// Proposes to delete unneeded whitespace: leading and trailing whitespace, blank lines, and repeated spaces. If that
/// fails in one place, each line and each space there is tried, and then the parts of the remaining lines. Whitespace
/// inside tokens and inside unparsed text follows in a separate group.
pub(super) fn tidy(snapshot: &Snapshot<'_>) -> Proposal {
    let source = &snapshot.source;
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart);
    builder.layout();
    let (between, within) = runs(snapshot);
    for runs in [between, within] {
        let edits: Vec<(Span, Edit)> =
            runs.into_iter().filter_map(|run| Some((run, tidied(source, run)?))).collect();
        let owners: Vec<u32> = edits.iter().map(|(_, edit)| builder.delta([edit.clone()])).collect();
        builder.close(GroupKind::Set, None);
        for ((run, _), owner) in edits.into_iter().zip(owners) {
            let parts = parts(source, run);
            let lines: Vec<u32> = parts.iter().map(|part| builder.delta([Edit::delete(*part)])).collect();
            builder.close(GroupKind::Set, Some(owner));
            for (part, owner) in parts.into_iter().zip(lines) {
                pieces(&mut builder, source, part, owner);
            }
        }
    }
    builder.build()
}

/// Proposes the parts of a blank line that could not be deleted: its spaces and its line end, and then each space.
fn pieces(builder: &mut Builder, source: &[u8], line: Span, owner: u32) {
    let ending: &[u8] = if line.of(source).ends_with(b"\r\n") { b"\r\n" } else { b"\n" };
    let Some(blanks) = line.of(source).strip_suffix(ending).filter(|blanks| !blanks.is_empty()) else {
        return;
    };
    let end = line.start + blanks.len() as u32;
    let all = builder.delta([Edit::delete(Span::new(line.start, end))]);
    builder.delta([Edit::delete(Span::new(end, line.end))]);
    builder.close(GroupKind::Set, Some(owner));
    if blanks.len() > 1 {
        for at in line.start..end {
            builder.delta([Edit::delete(Span::new(at, at + 1))]);
        }
        builder.close(GroupKind::Set, Some(all));
    }
}

/// Proposes to delete all unneeded whitespace between tokens at once, if it is a large part of the text.
pub(super) fn blank(snapshot: &Snapshot<'_>) -> Proposal {
    let source = &snapshot.source;
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart);
    builder.layout();
    let edits: Vec<Edit> = runs(snapshot).0.into_iter().filter_map(|run| tidied(source, run)).collect();
    let saved: usize = edits.iter().map(|edit| edit.span.len() as usize - edit.text.len()).sum();
    if saved > source.len() / SHARE {
        builder.single(edits);
    }
    builder.build()
}

/// Returns the runs of whitespace between tokens, and those inside tokens and unparsed text, by position.
fn runs(snapshot: &Snapshot<'_>) -> (Vec<Span>, Vec<Span>) {
    let source = &snapshot.source;
    let (mut between, mut within) = (Vec::new(), Vec::new());
    let leaves = snapshot.leaves().into_iter().map(|(layer, id)| layer.tree.node(id).span);
    // A line end can be a token.
    let tokens = leaves.filter(|span| !is_blank(span.of(source)));
    let mut at = 0;
    for token in tokens.chain([Span::new(source.len() as u32, source.len() as u32)]) {
        let gap = Span::new(at.min(token.start), token.start);
        if is_blank(gap.of(source)) {
            between.extend((!gap.is_empty()).then_some(gap));
        } else {
            within.extend(blanks(source, gap));
        }
        within.extend(blanks(source, Span::new(at.max(token.start).min(token.end), token.end)));
        at = at.max(token.end);
    }
    (between, within)
}

fn is_blank(text: &[u8]) -> bool {
    text.iter().all(u8::is_ascii_whitespace)
}

/// Returns the longest runs of whitespace in a span.
fn blanks(source: &[u8], span: Span) -> Vec<Span> {
    let mut at = span.start;
    let chunks = span.of(source).chunk_by(|a, b| a.is_ascii_whitespace() == b.is_ascii_whitespace());
    let blanks = chunks.filter_map(|chunk| {
        let run = Span::new(at, at + chunk.len() as u32);
        at = run.end;
        is_blank(chunk).then_some(run)
    });
    blanks.collect()
}

/// Returns the edit that shortens a run of whitespace to one line end with the following indentation, or else to one
/// space. Returns `None` if it is that short already.
fn tidied(source: &[u8], run: Span) -> Option<Edit> {
    let text = run.of(source);
    let at_end = run.end as usize == source.len();
    let last = text.iter().rposition(|&b| b == b'\n');
    let tidied = match last {
        _ if run.start == 0 => Vec::new(),
        None if at_end => Vec::new(),
        None => b" ".to_vec(),
        Some(last) => {
            let is_crlf = last > 0 && text[last - 1] == b'\r';
            let line_end: &[u8] = if is_crlf { b"\r\n" } else { b"\n" };
            let indent = if at_end { &[] } else { &text[last + 1..] };
            [line_end, indent].concat()
        }
    };
    (tidied.len() < text.len()).then(|| Edit::replace(run, tidied))
}

/// Returns the parts of a run of whitespace that can be deleted one by one: its lines with their ends, or else its
/// spaces except the last.
fn parts(source: &[u8], run: Span) -> Vec<Span> {
    let text = run.of(source);
    let mut at = run.start;
    let lengths: Vec<usize> = if text.contains(&b'\n') {
        let lines = text.split_inclusive(|&byte| byte == b'\n').filter(|line| line.ends_with(b"\n"));
        let mut lengths: Vec<usize> = lines.map(<[u8]>::len).collect();
        // At the start of a text, indentation is unneeded.
        let rest = text.len() - lengths.iter().sum::<usize>();
        lengths.extend((run.start == 0 && rest > 0).then_some(rest));
        lengths
    } else {
        vec![1; text.len() - 1]
    };
    let parts = lengths.into_iter().map(|length| {
        at += length as u32;
        Span::new(at - length as u32, at)
    });
    parts.collect()
}

/// Proposes to delete all whitespace that does not separate two tokens.
pub(super) fn squeeze(snapshot: &Snapshot<'_>) -> Proposal {
    gaps(snapshot, |source, gap| {
        let (left, right) = (source[..gap.start as usize].last(), source.get(gap.end as usize));
        if needs_blank(left, right) { b" ".to_vec() } else { Vec::new() }
    })
}

/// Proposes a replacement for the whitespace between each two tokens, if it is shorter.
fn gaps(snapshot: &Snapshot<'_>, text: impl Fn(&[u8], Span) -> Vec<u8>) -> Proposal {
    let source = &snapshot.source;
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart);
    builder.layout();
    let mut at = 0;
    let ends = snapshot.leaves().into_iter().map(|(layer, id)| layer.tree.node(id).span);
    for next in ends.chain([Span::new(source.len() as u32, source.len() as u32)]) {
        let gap = Span::new(at.min(next.start), next.start);
        at = at.max(next.end);
        if gap.is_empty() || !gap.of(source).iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let text = text(source, gap);
        if text.len() < gap.len() as usize {
            builder.delta([Edit::replace(gap, text)]);
        }
    }
    builder.close(GroupKind::Set, None);
    builder.build()
}
