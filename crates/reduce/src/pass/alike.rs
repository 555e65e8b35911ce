//! Edits equal parts of a text together: an oracle may require that they stay equal.
//!
//! ```text
//! f(abc + def, abc + def)   becomes   f(abc, abc)
//! ```

use super::number::smaller;
use super::part::{Parts, Removals};
use super::substitute::smallest;
use super::word::words;
use super::{Builder, CandidateFilter, Layer, Proposal, Snapshot, hoist};
use nubbin_search::search::GroupKind;
use nubbin_syntax::edit::{Edit, Seam, Span, count_tokens, is_signed_name, is_word};
use nubbin_syntax::{NONE, NodeId};
use std::collections::{BTreeMap, HashMap};

struct Tuning {
    /// The maximum length of equal parts, in bytes.
    longest: u32,
    /// The maximum number of alternatives for one set of equal parts.
    ways: usize,
}

const TUNING: Tuning = Tuning { longest: 256, ways: 3 };

/// For each text that several nodes share, proposes to delete all these nodes, or to replace them by a descendant, a
/// smaller node of the same kind, a smaller number or a single character. Nodes whose parents are also equal can be
/// replaced by their first identifier.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart).scattered();
    for layer in &snapshot.layers {
        let alike = Alike::new(snapshot, layer);
        for places in repeated(layer, &snapshot.source) {
            let ways =
                if layer.tree.is_leaf(places[0]) { alike.shorter(&places) } else { alike.smaller(&places) };
            for way in ways.into_iter().take(TUNING.ways) {
                builder.delta(way);
            }
            builder.close(GroupKind::Choice, None);
            if layer.tree.is_leaf(places[0]) {
                continue;
            }
            for some in in_equal_parents(layer, &snapshot.source, &places) {
                if let Some(word) = alike.first_word(some[0]) {
                    builder.single(alike.all_become(&some, word));
                }
            }
        }
    }
    builder.build()
}

/// Returns the nodes of each text that more than one node has, in the order of the first node.
fn repeated(layer: &Layer<'_>, source: &[u8]) -> Vec<Vec<NodeId>> {
    let tree = &layer.tree;
    let mut numbers: HashMap<&[u8], usize> = HashMap::new();
    let mut repeated: Vec<Vec<NodeId>> = Vec::new();
    for id in tree.ids() {
        let node = tree.node(id);
        let is_all = node.parent == NONE || tree.node(node.parent).span == node.span;
        if !node.is_named() || node.is_extra() || node.is_error() || is_all {
            continue;
        }
        if !(2..=TUNING.longest).contains(&node.span.len()) || is_signed_name(node.span.of(source)) {
            continue;
        }
        let number = *numbers.entry(node.span.of(source)).or_insert_with(|| {
            repeated.push(Vec::new());
            repeated.len() - 1
        });
        repeated[number].push(id);
    }
    repeated.retain(|places| places.len() > 1);
    repeated
}

/// Splits equal nodes by the texts of their parents. Nodes are included only if several of them have equal parents, but
/// not all.
fn in_equal_parents(layer: &Layer<'_>, source: &[u8], places: &[NodeId]) -> Vec<Vec<NodeId>> {
    let parent = |id: NodeId| layer.tree.node(layer.tree.node(id).parent).span;
    let mut by_parent: BTreeMap<&[u8], Vec<NodeId>> = BTreeMap::new();
    for &id in places.iter().filter(|&&id| parent(id).len() <= TUNING.longest) {
        by_parent.entry(parent(id).of(source)).or_default().push(id);
    }
    let mut within: Vec<Vec<NodeId>> = by_parent.into_values().collect();
    within.retain(|some| some.len() > 1 && some.len() < places.len());
    within.sort_unstable();
    within
}

/// Returns the first character of a text of several words.
fn initial(text: &[u8]) -> Option<Vec<u8>> {
    let words = words(text, Span::new(0, text.len() as u32));
    let first = words.first().filter(|_| words.len() > 1)?;
    let character = *first.of(text).first()?;
    (character.is_ascii() && is_word(character)).then(|| vec![character])
}

/// Builds the alternatives for equal nodes of a layer.
struct Alike<'s, 'l> {
    snapshot: &'s Snapshot<'l>,
    layer: &'s Layer<'l>,
    removals: Removals,
    smallest: HashMap<u16, Vec<Span>>,
}

impl<'s, 'l> Alike<'s, 'l> {
    fn new(snapshot: &'s Snapshot<'l>, layer: &'s Layer<'l>) -> Self {
        let source = &snapshot.source;
        let removals = Removals::new(Parts { layer, source });
        Self { snapshot, layer, removals, smallest: smallest(layer, source) }
    }

    fn text(&self, span: Span) -> &'s [u8] {
        span.of(&self.snapshot.source)
    }

    fn all_become(&self, places: &[NodeId], text: &[u8]) -> Vec<Edit> {
        places.iter().map(|&id| Edit::replace(self.layer.tree.node(id).span, text)).collect()
    }

    /// Returns the alternatives that shorten equal leaves.
    fn shorter(&self, places: &[NodeId]) -> Vec<Vec<Edit>> {
        let text = self.text(self.layer.tree.node(places[0]).span);
        let syntax = self.layer.language.syntax();
        let numbers = std::str::from_utf8(text).map(|text| smaller(text, syntax)).unwrap_or_default();
        let shorter = numbers.into_iter().map(String::into_bytes).chain(initial(text));
        shorter.map(|text| self.all_become(places, &text)).collect()
    }

    /// Returns the alternatives that delete or shrink equal nodes of several tokens.
    fn smaller(&self, places: &[NodeId]) -> Vec<Vec<Edit>> {
        let tree = &self.layer.tree;
        let first = tree.node(places[0]);
        let mut ways = Vec::new();
        if places.iter().all(|&id| self.removals.may_go(id)) {
            ways.push(self.removals.edits(places.iter().copied()));
        }
        for inner in hoist::descendants(self.layer, places[0]) {
            let (from, to) = (inner.start - first.span.start, inner.end - first.span.start);
            let each = places.iter().flat_map(|&id| {
                let outer = tree.node(id).span;
                let inner = Span::new(outer.start + from, outer.start + to);
                hoist::hoist(self.snapshot, self.layer, outer, inner)
            });
            ways.push(each.collect());
        }
        let size = |text: &[u8]| (count_tokens(text), text.len());
        let own = size(self.text(first.span));
        let others = self.smallest.get(&first.kind).into_iter().flatten().map(|&span| self.text(span));
        ways.extend(others.filter(|other| size(other) < own).map(|other| self.all_become(places, other)));
        ways
    }

    /// Returns the first identifier of a node, such as `a` in `a::b`. Its kind may differ from that of the node.
    fn first_word(&self, id: NodeId) -> Option<&'s [u8]> {
        let tree = &self.layer.tree;
        let first = (id..tree.node(id).after).find(|&id| tree.is_leaf(id))?;
        let text = self.text(tree.node(first).span);
        (tree.node(first).is_named() && text.iter().all(|&byte| is_word(byte))).then_some(text)
    }
}
