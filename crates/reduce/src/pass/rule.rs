//! Turns the matches of the rules of a language into deltas. The matches at one node are alternatives.

use super::hoist::hoist;
use super::kind::{self, Place};
use super::proposal::gain;
use super::{Builder, CandidateFilter, Layer, Proposal, Snapshot};
use nubbin_language::{Language, Rewrite, Syntax};
use nubbin_search::search::GroupKind;
use nubbin_syntax::edit::{Edit, Seam, Span};
use nubbin_syntax::stop;
use nubbin_syntax::{Layout, NodeId, deletion_span, indentation};
use std::cmp::Reverse;
use std::collections::BTreeMap;

struct Tuning {
    /// The minimum number of bytes that a match must save to be tried together with others.
    fine: u32,
    /// The maximum saving of such a match, as a share of the current best: `n` means 1/2^n.
    large: u32,
}

const TUNING: Tuning = Tuning { fine: 32, large: 5 };

/// Returns the child of the root of a layer that contains a place.
fn around(layer: &Layer<'_>, place: Span) -> NodeId {
    let mut children = layer.tree.children(0);
    children.find(|&child| place.start < layer.tree.node(child).span.end).unwrap_or(0)
}

/// When the matches of a rule are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Time {
    /// From the beginning.
    Early,
    /// When larger rewrites are exhausted.
    Late,
    /// When everything else is exhausted, with few probes.
    Last,
}

/// A match of a rule.
#[derive(Clone, Debug)]
pub struct Rewriting<'l> {
    /// The name of the rule.
    pub rule: &'l str,
    /// The edits.
    pub edits: Vec<Edit>,
    /// The node that the match changes. Matches at one node are alternatives.
    pub(super) place: Span,
    pub(super) time: Time,
}

/// Returns all matches that make the text smaller, by layer and rule file. The flag is true if matches were lost
/// because the text is nested too deeply.
#[must_use]
pub fn rewritings<'l>(snapshot: &Snapshot<'l>) -> (Vec<Rewriting<'l>>, bool) {
    let mut found = Vec::new();
    let mut some_lost = false;
    for layer in &snapshot.layers {
        for file in layer.language.rules() {
            let (matches, lost) = file.matches(&layer.parsed, layer.span.of(&snapshot.source));
            some_lost |= lost;
            // The gain of deeply nested matches takes long to compute.
            let matches = matches.into_iter().take_while(|_| !stop::has_come());
            let all = matches.filter_map(|found| {
                let place = place(layer, &found.rewrite);
                Some(Rewriting {
                    rule: found.rule,
                    edits: edits(snapshot, layer, &found.rewrite, place)?,
                    place,
                    time: match (found.is_last, found.is_late) {
                        (true, _) => Time::Last,
                        (false, true) => Time::Late,
                        (false, false) => Time::Early,
                    },
                })
            });
            found.extend(all.filter(|one| gain(&snapshot.source, &one.edits) > (0, 0)));
        }
    }
    (found, some_lost)
}

/// Proposes every match of the early rules.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    matching(snapshot, Time::Early)
}

/// Proposes each early rule in many places at once. The outermost matches of a rule form one group. Matches are
/// excluded if they are small, or so large that they are tried alone. If several rules match at the same place, the one
/// that saves the most bytes is used.
///
/// In a large text a single match weighs very little, but all matches of a rule together, such as the bodies of all
/// functions, weigh much. (C-Vise bisects its `replace-function-def-with-decl` in the same way.)
pub(super) fn everywhere(snapshot: &Snapshot<'_>) -> Proposal {
    // In an archive, small matches are included, because no pass has tried them on the single files yet.
    let least = if snapshot.is_archive() { 1 } else { TUNING.fine };
    let bounds = i64::from(least)..=(snapshot.source.len() >> TUNING.large) as i64;
    let mut places: BTreeMap<(u32, Reverse<u32>), (i64, Rewriting<'_>)> = BTreeMap::new();
    for one in rewritings(snapshot).0.into_iter().filter(|one| one.time == Time::Early) {
        let (_, bytes) = gain(&snapshot.source, &one.edits);
        let place = (one.place.start, Reverse(one.place.end));
        if bounds.contains(&bytes) && places.get(&place).is_none_or(|(most, _)| *most < bytes) {
            places.insert(place, (bytes, one));
        }
    }
    let mut rules: BTreeMap<&str, Vec<Rewriting<'_>>> = BTreeMap::new();
    for (_, one) in places.into_values() {
        let outer = rules.entry(one.rule).or_default();
        if outer.last().is_none_or(|last| last.place.end <= one.place.start) {
            outer.push(one);
        }
    }
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart);
    for outer in rules.into_values() {
        if snapshot.is_archive() {
            let place = |one: Rewriting<'_>| {
                let file = snapshot.layers.partition_point(|layer| layer.span.end < one.place.start);
                let around = around(&snapshot.layers[file], one.place);
                Place { file, around, edits: one.edits }
            };
            kind::close(&mut builder, outer.into_iter().map(place).collect());
            continue;
        }
        for one in outer {
            builder.delta(one.edits);
        }
        builder.close(GroupKind::Set, None);
    }
    builder.build()
}

/// Proposes every match of the late rules. They save only one or two tokens and join nodes that can later be removed
/// only together.
pub(super) fn late(snapshot: &Snapshot<'_>) -> Proposal {
    matching(snapshot, Time::Late)
}

/// Proposes every match of the last rules. They insert a constant of another type where the default constant of the
/// language changed the failure.
pub(super) fn last(snapshot: &Snapshot<'_>) -> Proposal {
    matching(snapshot, Time::Last)
}

fn matching(snapshot: &Snapshot<'_>, time: Time) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart);
    let mut places: BTreeMap<Span, Vec<Vec<Edit>>> = BTreeMap::new();
    let (all, some_lost) = rewritings(snapshot);
    if some_lost {
        builder.note(
            "the text is nested too deeply to apply some rules everywhere; other passes are not affected",
        );
    }
    for one in all.into_iter().filter(|one| one.time == time) {
        places.entry(one.place).or_default().push(one.edits);
    }
    for alternatives in places.into_values() {
        builder.choice(&snapshot.source, alternatives);
    }
    builder.build()
}

fn shifted(layer: &Layer<'_>, span: Span) -> Span {
    Span::new(layer.span.start + span.start, layer.span.start + span.end)
}

/// Returns the span from the first to the last node that a match changes.
fn place(layer: &Layer<'_>, rewrite: &Rewrite) -> Span {
    match rewrite {
        Rewrite::Hoist { outer, .. } => shifted(layer, *outer),
        Rewrite::Change { deleted, replaced, outdented } => {
            let spans = || deleted.iter().chain(outdented).chain(replaced.iter().map(|(span, _)| span));
            let start = spans().map(|s| s.start).min().unwrap_or_default();
            let end = spans().map(|s| s.end).max().unwrap_or_default();
            shifted(layer, Span::new(start, end))
        }
    }
}

/// Returns the edits of a match, or `None` if a block to be outdented is on the same line as its header.
fn edits(snapshot: &Snapshot<'_>, layer: &Layer<'_>, rewrite: &Rewrite, place: Span) -> Option<Vec<Edit>> {
    match rewrite {
        Rewrite::Hoist { outer, inner } => {
            Some(hoist(snapshot, layer, shifted(layer, *outer), shifted(layer, *inner)))
        }
        Rewrite::Change { deleted, replaced, outdented } => {
            let spans = deleted.iter().map(|&span| (shifted(layer, span), ""));
            let texts = replaced.iter().map(|(span, text)| (shifted(layer, *span), text.as_str()));
            let mut edits = changes(&snapshot.source, layer.language, spans.chain(texts).collect());
            for &block in outdented {
                edits.extend(outdent(snapshot, layer, shifted(layer, block), place.start)?);
            }
            Some(edits)
        }
    }
}

/// Returns the edits that outdent a block, including its first line, to the indentation of the line of `place`.
fn outdent(snapshot: &Snapshot<'_>, layer: &Layer<'_>, block: Span, place: u32) -> Option<Vec<Edit>> {
    let source = &snapshot.source;
    let line = snapshot.lines.start_of(block.start);
    let from = indentation(source, line);
    let to = indentation(source, snapshot.lines.start_of(place));
    if line + from != block.start || from < to {
        return None;
    }
    let mut edits = snapshot.lines.reindent(source, block, place, &layer.opaque);
    edits.push(Edit::delete(Span::new(line + to, line + from)));
    Some(edits)
}

/// Returns the edits that replace spans by texts. Spans with only whitespace between them are joined, so that a line
/// that becomes empty is deleted.
fn changes(source: &[u8], language: &Language, mut parts: Vec<(Span, &str)>) -> Vec<Edit> {
    parts.sort_unstable();
    let mut whole: Vec<(Span, String)> = Vec::with_capacity(parts.len());
    for (span, text) in parts {
        match whole.last_mut() {
            Some((last, _)) if last.contains(span) => {}
            Some((last, joined))
                if last.end >= span.start || only_blanks(source, language.layout(), *last, span) =>
            {
                last.end = span.end;
                joined.push_str(text);
            }
            _ => whole.push((span, text.to_owned())),
        }
    }
    whole.into_iter().map(|(span, text)| change(source, language.syntax(), span, &text)).collect()
}

/// Returns whether there is only whitespace between two spans. Line breaks count as whitespace only if the layout is
/// free.
fn only_blanks(source: &[u8], layout: Layout, left: Span, right: Span) -> bool {
    let between = Span::new(left.end, right.start).of(source);
    between.iter().all(|b| b" \t".contains(b) || layout != Layout::Indentation && b"\r\n".contains(b))
}

/// Returns the edit that replaces `span` by `text`.
///
/// If the span begins or ends with the text, only the rest is deleted, so that no space is inserted before existing
/// text.
fn change(source: &[u8], syntax: &Syntax, span: Span, text: &str) -> Edit {
    let old = span.of(source);
    let length = text.len() as u32;
    if text.is_empty() {
        Edit::delete(tidy(source, syntax, span))
    } else if old.ends_with(text.as_bytes()) {
        Edit::delete(Span::new(span.start, span.end - length))
    } else if old.starts_with(text.as_bytes()) {
        Edit::delete(Span::new(span.start + length, span.end))
    } else {
        Edit::replace(span, text.as_bytes())
    }
}

/// Returns the span to delete for `span`: its line, or the whitespace on the side where none is needed.
fn tidy(source: &[u8], syntax: &Syntax, span: Span) -> Span {
    let whole = deletion_span(source, span);
    let is_line = whole.end > span.end && source[whole.end as usize - 1] == b'\n';
    let (left, right) = (&source[..span.start as usize], source.get(span.end as usize));
    if !is_line && right.is_some_and(|&sign| syntax.takes_no_blank_before(sign)) {
        let blanks = left.iter().rev().take_while(|b| b" \t".contains(b)).count() as u32;
        Span::new(span.start - blanks, span.end)
    } else if is_line
        || left.last().is_none_or(|&sign| sign.is_ascii_whitespace() || syntax.takes_no_blank_after(sign))
    {
        whole
    } else {
        // The text on the left needs the space on the right.
        Span::new(whole.start, span.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nubbin_language::Registry;
    use nubbin_search::search::Group;
    use nubbin_syntax::Parser;
    use nubbin_syntax::edit::Patch;
    use std::fmt::Write;

    #[test]
    fn everywhere_a_rule_takes_its_outermost_matches_that_are_not_small_as_one_group() {
        let mut text = String::new();
        for i in 0..40 {
            let body = if i == 7 { "{ }" } else { "{ if (a) { g(1); g(2); g(3); g(4); g(5); g(6); } }" };
            writeln!(text, "int f{i}(int a) {body}").expect("to a string");
        }
        let language = Registry::built_in().get("c").expect("C is built in");
        let parsed = Parser::new(language.grammar()).parse(text.as_bytes());
        let proposal = everywhere(&Snapshot::new(text.as_bytes().into(), language, parsed));
        let groups = proposal.groups();
        let without = |group: &Group| {
            let all: Vec<u32> = group.members.clone().collect();
            let text = Patch::new(proposal.edits(&|_| false, &all)).apply(text.as_bytes(), proposal.seam);
            String::from_utf8(text).expect("text stays text")
        };
        let of_bodies = |group: &&Group| without(group).starts_with("int f0(int a) ;");
        let bodies = groups.groups().iter().find(of_bodies).expect("a group");
        assert_eq!((bodies.members.len(), bodies.kind), (39, GroupKind::Set));
        assert!(without(bodies).contains("int f6(int a) ;\nint f7(int a) { }\nint f8(int a) ;\n"));
        assert!(groups.groups().iter().all(|group| group.members.len() <= 39));
    }
}
