//! Deletes and rewrites members at the same position of similar lists together. An oracle may require that two
//! functions, two loops or two tables stay similar, and then no member of only one of them can change.

use super::part::Removals;
use super::rule::{Rewriting, rewritings};
use super::symbol::{Context, section_frames};
use super::{Builder, CandidateFilter, Layer, Proposal, Snapshot};
use crate::difference::anchors;
use nubbin_search::search::GroupKind;
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Seam, Span};
use nubbin_syntax::stop;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

struct Tuning {
    /// The minimum number of members that two similar lists share.
    least: usize,
    /// The maximum number of following lists with which a list is compared.
    others: usize,
}

const TUNING: Tuning = Tuning { least: 8, others: 64 };

/// The members of a list, or of one of its sections.
struct Row {
    members: Vec<NodeId>,
    /// A hash of the structure of each member.
    looks: Vec<u64>,
    /// The same hashes, sorted.
    sorted: Vec<u64>,
}

/// For each set of similar lists, proposes to delete the members at the same position in all lists, and to apply a rule
/// at the same place of these members. In languages in which a constant can replace any name, names that lose their
/// definition are replaced by it.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart).scattered();
    let mut rules = None;
    for layer in &snapshot.layers {
        let removals = layer.removals(&snapshot.source);
        let cx = Context::new(snapshot, layer).filter(Context::has_universal);
        let frames = cx.as_ref().map_or_else(HashSet::new, section_frames);
        let rows = rows(layer, removals, &frames, &snapshot.source);
        for places in twins(&rows) {
            let mut inside = Vec::new();
            for members in places {
                let constants = members.iter().filter_map(|&id| Some(cx.as_ref()?.constants_outside(id)));
                let constants: Vec<_> = constants.flatten().collect();
                let edits = removals.edits(members.iter().copied());
                inside.push((builder.delta(edits.into_iter().chain(constants)), members));
            }
            builder.close(GroupKind::Set, None);
            let rules = rules.get_or_insert_with(|| by_place(rewritings(snapshot).0));
            for (owner, members) in inside {
                for alternatives in rewritten(layer, rules, &members) {
                    for edits in alternatives {
                        builder.delta(edits);
                    }
                    builder.close(GroupKind::Choice, Some(owner));
                }
            }
        }
    }
    builder.build()
}

/// For each member, its match of one rule.
type Matches<'r> = BTreeMap<NodeId, &'r Rewriting<'r>>;

/// The matches of rules, by the start of their places.
type Rules<'l> = BTreeMap<u32, Vec<Rewriting<'l>>>;

fn by_place(all: Vec<Rewriting<'_>>) -> Rules<'_> {
    let mut rules = Rules::new();
    for one in all {
        rules.entry(one.place.start).or_default().push(one);
    }
    rules
}

/// Returns the alternatives for each place inside some members at which the same rules match in all members.
fn rewritten(layer: &Layer<'_>, rules: &Rules<'_>, members: &[NodeId]) -> Vec<Vec<Vec<Edit>>> {
    let mut all: BTreeMap<(usize, usize), BTreeMap<&str, Matches<'_>>> = BTreeMap::new();
    for &member in members {
        let leaves = Leaves::of(layer, member);
        let span = layer.tree.node(member).span;
        let inside = rules.range(span.start..span.end).flat_map(|(_, all)| all);
        for one in inside.filter(|one| one.place.end <= span.end) {
            if let Some(place) = leaves.place(one.place) {
                // If a rule matches twice at one place of a member, the first match is used.
                all.entry(place).or_default().entry(one.rule).or_default().entry(member).or_insert(one);
            }
        }
    }
    let everywhere = |matches: &Matches<'_>| matches.len() == members.len();
    let joined =
        |matches: Matches<'_>| -> Vec<Edit> { matches.values().flat_map(|one| one.edits.clone()).collect() };
    let alternatives =
        all.into_values().map(|rules| rules.into_values().filter(everywhere).map(joined).collect::<Vec<_>>());
    alternatives.filter(|alternatives| !alternatives.is_empty()).collect()
}

/// The indices of the leaves of a node, by their starts and ends.
struct Leaves {
    starts: HashMap<u32, usize>,
    ends: HashMap<u32, usize>,
}

impl Leaves {
    fn of(layer: &Layer<'_>, id: NodeId) -> Self {
        let tree = &layer.tree;
        let leaves = (id..tree.node(id).after).filter(|&id| tree.is_leaf(id)).map(|id| tree.node(id).span);
        let (starts, ends) = leaves.enumerate().map(|(i, leaf)| ((leaf.start, i), (leaf.end, i))).unzip();
        Self { starts, ends }
    }

    /// Returns the indices of the first and the last leaf of a span.
    fn place(&self, span: Span) -> Option<(usize, usize)> {
        Some((*self.starts.get(&span.start)?, *self.ends.get(&span.end)?))
    }
}

/// Returns the rows that are long enough, in the order of the text.
fn rows(layer: &Layer<'_>, removals: &Removals, frames: &HashSet<NodeId>, source: &[u8]) -> Vec<Row> {
    let tree = &layer.tree;
    let mut rows = Vec::new();
    for id in tree.ids().filter(|&id| !tree.is_leaf(id)) {
        let members: Vec<NodeId> = tree.children(id).filter(|&child| removals.is_loose(child)).collect();
        for members in members.split(|member| frames.contains(member)) {
            if members.len() >= TUNING.least {
                let looks: Vec<u64> = members.iter().map(|&member| look(layer, member, source)).collect();
                let mut sorted = looks.clone();
                sorted.sort_unstable();
                rows.push(Row { members: members.to_vec(), looks, sorted });
            }
        }
    }
    rows
}

/// Returns a hash of the kind and the fixed tokens of a node, ignoring names, numbers and texts.
fn look(layer: &Layer<'_>, id: NodeId, source: &[u8]) -> u64 {
    let tree = &layer.tree;
    let mut hasher = DefaultHasher::new();
    tree.node(id).kind.hash(&mut hasher);
    for node in (id..tree.node(id).after).map(|id| tree.node(id)).filter(|node| !node.is_named()) {
        node.span.of(source).hash(&mut hasher);
    }
    hasher.finish()
}

/// For each set of similar rows, returns the members at each position that at least two rows share.
fn twins(rows: &[Row]) -> Vec<Vec<Vec<NodeId>>> {
    let mut is_taken = vec![false; rows.len()];
    let mut all = Vec::new();
    for (i, row) in stop::all(rows.iter().enumerate()) {
        if is_taken[i] {
            continue;
        }
        let mut places: Vec<Vec<NodeId>> = row.members.iter().map(|&member| vec![member]).collect();
        for (j, other) in rows.iter().enumerate().skip(i + 1).take(TUNING.others) {
            if is_taken[j] {
                continue;
            }
            let Some(same) = alike(row, other) else { continue };
            is_taken[j] = true;
            for (here, there) in same {
                for (place, &member) in places[here].iter_mut().zip(&other.members[there]) {
                    place.push(member);
                }
            }
        }
        places.retain(|place| place.len() > 1);
        if !places.is_empty() {
            all.push(places);
        }
    }
    all
}

/// Returns the positions at which two rows are similar, as ranges of both, if these cover at least half of the longer
/// row.
fn alike(one: &Row, other: &Row) -> Option<Vec<(Range<usize>, Range<usize>)>> {
    let least = TUNING.least.max(one.looks.len().max(other.looks.len()).div_ceil(2));
    // Most rows differ so much that comparing the sorted hashes is enough.
    if shared(&one.sorted, &other.sorted) < least {
        return None;
    }
    let same = anchors(&one.looks, &other.looks);
    (same.iter().map(|(here, _)| here.len()).sum::<usize>() >= least).then_some(same)
}

/// Returns the number of elements that two sorted lists share.
fn shared(one: &[u64], other: &[u64]) -> usize {
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while let (Some(left), Some(right)) = (one.get(i), other.get(j)) {
        i += usize::from(left <= right);
        j += usize::from(right <= left);
        shared += usize::from(left == right);
    }
    shared
}
