//! Turns the proposals of an external program into deltas.
//!
//! Proposals of one kind form sets, which are bisected. Proposals that replace the same spans are alternatives, and so
//! are whole texts. Candidates need not parse.

use super::proposal::gain;
use super::{Builder, CandidateFilter, Proposal, Snapshot};
use crate::offer::Offer;
use nubbin_search::search::GroupKind;
use nubbin_syntax::edit::{Edit, Seam, Span};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of sets for one kind, if proposals overlap. The remaining ones are tried alone.
const LAYERS: usize = 64;

/// A set of proposals without overlapping edits.
#[derive(Default)]
struct DisjointEdits<'o> {
    members: Vec<&'o [Edit]>,
    /// The start and the end of each span.
    taken: BTreeMap<u32, u32>,
}

impl DisjointEdits<'_> {
    fn is_free(&self, span: Span) -> bool {
        let before = self.taken.range(..=span.start).next_back();
        let after = self.taken.range(span.start..).next();
        before.is_none_or(|(&start, &end)| start < span.start && end <= span.start)
            && after.is_none_or(|(&start, _)| span.end <= start && span.start < start)
    }
}

/// Proposes the offers of the snapshot.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Nothing, Seam::Touch).scattered();
    let source = &snapshot.source[..];
    let mut kinds: Vec<(&str, Vec<&[Edit]>)> = Vec::new();
    let mut texts = Vec::new();
    for offer in &snapshot.offers {
        match offer {
            Offer::Text(text) => texts.push(vec![Edit::between(source, text)]),
            Offer::Edits { kind, edits } => match kinds.iter_mut().find(|(known, _)| *known == &**kind) {
                Some((_, lines)) => lines.push(edits),
                None => kinds.push((kind, vec![edits])),
            },
        }
    }
    for (_, mut lines) in kinds {
        // The largest gain comes first. Proposals inside others follow.
        lines.sort_by_key(|edits| (Reverse(bytes(edits)), edits.first().map(|edit| edit.span.start)));
        let lines = alternatives(&mut builder, source, &lines);
        sets(&mut builder, &lines);
    }
    texts.sort_by_key(|edits| Reverse(gain(source, edits)));
    texts.dedup();
    for edits in texts {
        builder.delta(edits);
    }
    builder.close(GroupKind::Choice, None);
    builder.build()
}

fn bytes(edits: &[Edit]) -> i64 {
    edits.iter().map(|edit| i64::from(edit.span.len()) - edit.text.len() as i64).sum()
}

/// Adds groups of alternatives: proposals that replace the same spans. Returns the other proposals.
fn alternatives<'o>(builder: &mut Builder, source: &[u8], lines: &[&'o [Edit]]) -> Vec<&'o [Edit]> {
    let mut places: BTreeMap<Vec<Span>, Vec<&'o [Edit]>> = BTreeMap::new();
    let place = |edits: &[Edit]| edits.iter().map(|edit| edit.span).collect::<Vec<_>>();
    for edits in lines {
        let same = places.entry(place(edits)).or_default();
        if !same.contains(edits) {
            same.push(edits);
        }
    }
    for same in places.values_mut().filter(|same| same.len() > 1) {
        same.sort_by_key(|edits| Reverse(gain(source, edits)));
        for edits in same.iter() {
            builder.delta(edits.iter().cloned());
        }
        builder.close(GroupKind::Choice, None);
    }
    let alone = |edits: &&&[Edit]| places.get(&place(edits)).is_some_and(|same| same[..] == [**edits]);
    let mut seen = BTreeSet::new();
    lines.iter().filter(alone).filter(|edits| seen.insert(place(edits))).copied().collect()
}

/// Adds sets of proposals without overlaps.
fn sets(builder: &mut Builder, lines: &[&[Edit]]) {
    let mut layers: Vec<DisjointEdits<'_>> = Vec::new();
    for edits in lines {
        let fits = |layer: &DisjointEdits<'_>| edits.iter().all(|edit| layer.is_free(edit.span));
        let at = layers.iter().position(fits).unwrap_or(layers.len());
        if at == LAYERS {
            builder.single(edits.iter().cloned());
            continue;
        }
        if at == layers.len() {
            layers.push(DisjointEdits::default());
        }
        layers[at].members.push(edits);
        layers[at].taken.extend(edits.iter().map(|edit| (edit.span.start, edit.span.end)));
    }
    for mut layer in layers {
        layer.members.sort_by_key(|edits| edits.first().map(|edit| edit.span));
        for edits in layer.members {
            builder.delta(edits.iter().cloned());
        }
        builder.close(GroupKind::Set, None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offer::read;
    use nubbin_search::search::Group;

    /// Returns the groups for an answer: whether each is a set, and the edits of its members.
    fn groups(source: &str, answer: &str) -> Vec<(bool, Vec<String>)> {
        let mut snapshot = Snapshot::plain(source.as_bytes().into());
        let answer = read(answer.as_bytes(), source.as_bytes());
        assert!(answer.notes.is_empty(), "{:?}", answer.notes);
        snapshot.offers = answer.offers;
        let proposal = propose(&snapshot);
        let shown = |edit: &Edit| {
            format!("{}-{}{}", edit.span.start, edit.span.end, String::from_utf8_lossy(&edit.text))
        };
        let member = |delta| proposal.own_edits(delta).iter().map(shown).collect::<Vec<_>>().join("+");
        let groups = proposal.groups();
        let group =
            |group: &Group| (group.kind == GroupKind::Set, group.members.clone().map(member).collect());
        groups.groups().iter().map(group).collect()
    }

    fn edit(start: u32, end: u32, text: &str, kind: &str) -> String {
        format!(
            "{{\"type\":\"{kind}\",\"edits\":[{{\"start\":{start},\"end\":{end},\"text\":\"{text}\"}}]}}\n"
        )
    }

    #[test]
    fn edits_of_a_kind_are_a_set_and_what_lies_in_others_is_another() {
        let answer = edit(0, 9, "", "a") + &edit(1, 2, "", "a") + &edit(3, 4, "", "a") + &edit(5, 6, "", "b");
        let found = groups("0123456789", &answer);
        let set = |members: &[&str]| (true, members.iter().map(|text| (*text).to_owned()).collect());
        assert_eq!(found, [set(&["0-9"]), set(&["1-2", "3-4"]), set(&["5-6"])]);
    }

    #[test]
    fn edits_at_the_same_place_and_whole_texts_are_alternatives() {
        let answer = edit(2, 8, "xy", "") + &edit(2, 8, "z", "") + "{\"text\":\"019\"}\n{\"text\":\"09\"}\n";
        let found = groups("0123456789", &answer);
        let choice = |members: &[&str]| (false, members.iter().map(|text| (*text).to_owned()).collect());
        assert_eq!(found, [choice(&["2-8z", "2-8xy"]), choice(&["1-9", "2-9"])]);
    }
}
