//! Shows texts on the page with colours and the reason for each token. Only the beginning of a large text is shown.

use super::escape;
use crate::show::record::reason::Reason;
use crate::show::record::runs::Said;
use nubbin_archive as archive;
use nubbin_language::{Language, Paint};
use nubbin_reduce::Languages;
use nubbin_session::language::Chosen;
use nubbin_session::text;
use nubbin_syntax::edit::Span;
use std::fmt::Write;
use std::ops::Range;
use std::path::Path;

/// The numbers that were tuned.
struct Tuning {
    /// The limit for the displayed part of a text, in bytes.
    shown_bytes: usize,
    /// The most tokens with a reason.
    explained_tokens: usize,
}

const TUNING: Tuning = Tuning { shown_bytes: 48 << 10, explained_tokens: 2000 };

/// A text with its tokens and their reasons.
pub struct Source<'s> {
    pub text: &'s [u8],
    pub language: &'s Chosen,
    /// True if the text contains several files.
    pub is_archive: bool,
    pub tokens: &'s [Range<usize>],
    pub reasons: &'s [Reason],
}

/// Returns a text as HTML in a box.
pub fn html(source: &Source<'_>) -> String {
    if !source.is_archive {
        return piece(source, 0..source.text.len(), source.language.get(), TUNING.shown_bytes);
    }
    let (mut html, mut room) = (String::new(), TUNING.shown_bytes);
    let entries = archive::entries(source.text);
    let files: Vec<_> = entries.iter().filter(|entry| entry.kind == archive::Type::File).collect();
    for (at, entry) in files.iter().enumerate() {
        if room == 0 {
            let _ = write!(html, r#"<p class="cut">{} more</p>"#, text::counted(files.len() - at, "file"));
            break;
        }
        let content = entry.content_in(source.text);
        let language = source.language.of(&entry.path, content);
        let _ = write!(html, "<h4>{}</h4>", escape(&entry.path.to_string_lossy()));
        html += &piece(source, entry.content.0..entry.content.1, language, room);
        room = room.saturating_sub(content.len());
    }
    html
}

/// Returns the first `most` bytes of a part.
fn piece(source: &Source<'_>, part: Range<usize>, language: Option<&Language>, most: usize) -> String {
    let all = part.len();
    let end = part.start + all.min(most);
    let cut = (part.start..=end).rev().find(|&at| source.text.get(at).is_none_or(|b| b & 0xc0 != 0x80));
    let part = part.start..cut.filter(|&at| at + 4 > end).unwrap_or(end);
    let text = &source.text[part.clone()];
    let painted = language.map_or_else(Vec::new, |language| language.paint(text));
    let label = if source.reasons.is_empty() { "input" } else { "result" };
    let mut html = format!(r#"<pre class="code" tabindex="0" aria-label="{label}"><code>"#);
    let mut at = part.start;
    for (number, token) in source.tokens.iter().enumerate().take(TUNING.explained_tokens) {
        if token.start < part.start || token.end > part.end {
            continue;
        }
        html += &colours(source.text, at..token.start, part.start, &painted);
        let why = source.reasons.get(number).map_or_else(String::new, |reason| why(source, reason, number));
        let is_known = !matches!(source.reasons.get(number), Some(Reason::Unknown) | None);
        let class = if is_known { "t" } else { "t u" };
        let _ = write!(html, r#"<span class="{class}" title="{}">"#, escape(&why));
        html += &colours(source.text, token.clone(), part.start, &painted);
        html += "</span>";
        at = token.end;
    }
    html += &colours(source.text, at..part.end, part.start, &painted);
    html += "</code></pre>";
    if part.len() < all {
        let (shown, all) = (text::count(part.len()), text::counted(all, "byte"));
        let _ = write!(html, r#"<p class="cut">Only the first {shown} of {all} are shown.</p>"#);
    }
    html
}

/// Returns a part of a text with its colours. The positions in `painted` are relative to `origin`.
fn colours(text: &[u8], stretch: Range<usize>, origin: usize, painted: &[(Span, Paint)]) -> String {
    let mut html = String::new();
    let mut at = stretch.start;
    let first = painted.partition_point(|(span, _)| origin + span.end as usize <= stretch.start);
    let of = |from: usize, to: usize| escape(&String::from_utf8_lossy(&text[from..to]));
    for (span, paint) in &painted[first..] {
        let (from, to) = (origin + span.start as usize, origin + span.end as usize);
        if from >= stretch.end {
            break;
        }
        let (from, to) = (from.max(at), to.min(stretch.end));
        let _ = write!(html, r#"{}<i class="{}">{}</i>"#, of(at, from), class(*paint), of(from, to));
        at = to;
    }
    html + &of(at, stretch.end)
}

fn class(paint: Paint) -> &'static str {
    match paint {
        Paint::Keyword => "k",
        Paint::String => "s",
        Paint::Comment => "c",
        Paint::Number => "n",
        Paint::Type => "y",
    }
}

/// Returns a reason as a sentence.
fn why(source: &Source<'_>, reason: &Reason, number: usize) -> String {
    let own = String::from_utf8_lossy(&source.text[source.tokens[number].clone()]);
    match reason {
        Reason::Alone(said) => format!("without `{own}`: {}", sentence(said)),
        Reason::With(range, said) => {
            let (start, end) = (source.tokens[range.start].start, source.tokens[range.end - 1].end);
            let all = brief(&source.text[start..end]);
            format!("not removed alone; without `{all}`: {}", sentence(said))
        }
        Reason::Replaced(new, said) => format!("with `{new}` instead: {}", sentence(said)),
        Reason::Unknown => {
            "not run: without it the text is unparsable, or the verdict was cached from an earlier text"
                .to_owned()
        }
    }
}

fn sentence(said: &Said) -> String {
    let Some(status) = said.status else {
        return "not interesting before the run was resumed; the output was not saved".to_owned();
    };
    let ending = text::ending(status);
    said.line.as_ref().map_or_else(|| ending.clone(), |line| format!("{ending}, `{line}`"))
}

/// Returns a text on one line. The middle of a long text is left out.
fn brief(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4000)]);
    let words: Vec<&str> = text.split_whitespace().collect();
    let line: Vec<char> = words.join(" ").chars().collect();
    if line.len() <= 60 {
        return line.into_iter().collect();
    }
    let (head, tail): (String, String) =
        (line[..30].iter().collect(), line[line.len() - 25..].iter().collect());
    format!("{head} … {tail}")
}

/// Returns the name for a fence in Markdown: the name of the language, or else the extension of the file.
pub fn fence_name(path: &Path, language: &Chosen) -> String {
    let own = language.get().map(|language| language.name().to_owned());
    own.or_else(|| path.extension().map(|ending| ending.to_string_lossy().into_owned())).unwrap_or_default()
}
