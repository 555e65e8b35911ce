//! Prints syntax trees and deltas as text, for authors of rules.

use crate::pass::{self, Snapshot};
use nubbin_language::Language;
use nubbin_search::search::GroupKind;
use nubbin_syntax::Parser;
use std::fmt::Write;

/// The error for an unknown pass.
#[derive(Debug, thiserror::Error)]
#[error("unknown pass `{name}`; the passes are {}", known.join(", "))]
pub struct UnknownPass {
    /// The requested name.
    pub name: String,
    /// The names of all passes.
    pub known: Vec<&'static str>,
}

fn snapshot<'l>(language: Option<&'l Language>, source: &[u8]) -> Snapshot<'l> {
    match language {
        None => Snapshot::plain(source.into()),
        Some(language) => {
            let parsed = Parser::new(language.grammar()).parse(source);
            Snapshot::new(source.into(), language, parsed)
        }
    }
}

/// Returns the syntax trees of a text, one line per node: field, kind, bytes.
#[must_use]
pub fn tree(language: &Language, source: &[u8]) -> String {
    let mut text = String::new();
    for layer in snapshot(Some(language), source).layers {
        let _ = writeln!(text, "{}, {} errors", layer.language.title(), layer.parsed.errors());
        text += &layer.tree.dump(layer.language.grammar(), source);
    }
    text
}

/// Returns the deltas that a pass proposes for a text: the groups, and the edits of each member.
///
/// # Errors
/// Returns an error if the pass is unknown.
pub fn deltas(language: Option<&Language>, source: &[u8], name: &str) -> Result<String, UnknownPass> {
    let known = || pass::all().map(|pass| pass.name).collect();
    let pass = pass::by_name(name).ok_or_else(|| UnknownPass { name: name.to_owned(), known: known() })?;
    let proposal = pass.propose(&snapshot(language, source));
    let mut text = String::new();
    let groups = proposal.groups();
    for group in groups.groups() {
        let kind = if group.kind == GroupKind::Set { "set" } else { "choice" };
        let inside = group.owner.map_or(String::new(), |owner| format!(", inside of delta {owner}"));
        let _ = writeln!(text, "{kind} of {}{inside}", group.members.len());
        for delta in group.members.clone() {
            let _ = write!(text, "  {delta} (saves {} bytes", groups.weights()[delta as usize]);
            if let Some(uses) = proposal.kept(delta).filter(|&uses| uses > 0) {
                let _ = write!(text, ", {uses} uses keep it");
            }
            text.push_str("):");
            for edit in proposal.own_edits(delta) {
                let _ = write!(
                    text,
                    " {}..{} {:?} -> {:?}",
                    edit.span.start,
                    edit.span.end,
                    shorten(edit.span.of(source)),
                    String::from_utf8_lossy(&edit.text)
                );
            }
            text.push('\n');
        }
    }
    Ok(text)
}

fn shorten(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    if text.chars().count() <= 60 {
        return text.into_owned();
    }
    let head: String = text.chars().take(40).collect();
    let tail: Vec<char> = text.chars().rev().take(15).collect();
    format!("{head} … {}", tail.into_iter().rev().collect::<String>())
}
