//! Proposes parts of one kind in many places at once, such as the annotations of all parameters. Each kind is a group.
//!
//! The kind of a part consists of the kinds of its node, of its first child and of the nodes around it. List members
//! with separators are left to `delete-nodes`.

use super::part::{Parts, Removable};
use super::{Builder, CandidateFilter, Layer, Proposal, Snapshot};
use nubbin_search::search::GroupKind;
use nubbin_syntax::edit::{Edit, Seam, Span};
use nubbin_syntax::stop;
use nubbin_syntax::{NONE, NodeId};
use std::collections::BTreeMap;

/// The kind of a part: the language, the kinds of the two nodes around the part, its field, its own kind, and the kind
/// of its first child.
type Shape<'l> = (&'l str, [u16; 5]);

/// For each kind of part that occurs in several places, proposes to delete all of them. Of nested parts, only the
/// outermost is deleted.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut alike: BTreeMap<Shape<'_>, Vec<(Span, Place)>> = BTreeMap::new();
    for (file, layer) in snapshot.layers.iter().enumerate() {
        let parts = Parts { layer, source: &snapshot.source };
        for id in stop::all(layer.tree.ids()) {
            for (shape, whole, edit) in of(layer, id, &parts.of(id)) {
                let same = alike.entry(shape).or_default();
                if same.last().is_none_or(|(last, _)| last.end <= whole.start) {
                    same.push((whole, Place { file, around: id, edits: vec![edit] }));
                }
            }
        }
    }
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart);
    for same in alike.into_values().filter(|same| same.len() > 1) {
        close(&mut builder, same.into_iter().map(|(_, place)| place).collect());
    }
    builder.build()
}

/// One of many places that are edited together.
pub(super) struct Place {
    /// The index of the layer of the file in the snapshot.
    pub file: usize,
    /// The node around the place.
    pub around: NodeId,
    pub edits: Vec<Edit>,
}

/// Proposes the edits of all places, which must be in order: for all files together, then for each file, then for each
/// node around places. Places in one file or one class are more often removable together than adjacent places in
/// general.
pub(super) fn close(builder: &mut Builder, places: Vec<Place>) {
    let mut waiting: Vec<(Option<u32>, Vec<Place>)> = vec![(None, places)];
    while let Some((owner, places)) = waiting.pop() {
        let (first, last) = (&places[0], &places[places.len() - 1]);
        let is_of_files = first.file != last.file;
        let is_of_nodes = !is_of_files && places.iter().any(|place| place.around != first.around);
        let mut inner = Vec::new();
        let mut rest = places.into_iter().peekable();
        while let Some(first) = rest.next() {
            let (file, around) = (first.file, first.around);
            let mut same = vec![first];
            let goes_with =
                |next: &Place| next.file == file && is_of_files || next.around == around && is_of_nodes;
            while let Some(next) = rest.next_if(goes_with) {
                same.push(next);
            }
            let delta = builder.delta(same.iter().flat_map(|place| place.edits.iter().cloned()));
            if same.len() > 1 {
                inner.push((Some(delta), same));
            }
        }
        builder.close(GroupKind::Set, owner);
        waiting.extend(inner);
    }
}

/// Returns the removable parts of a node, each with its kind, its span and its edit.
fn of<'l>(layer: &Layer<'l>, id: NodeId, removable: &Removable) -> Vec<(Shape<'l>, Span, Edit)> {
    let tree = &layer.tree;
    let filler = layer.language.filler(tree.node(id).kind);
    let mut found = Vec::new();
    if removable.separators.is_empty() {
        let members: Vec<_> =
            removable.members.iter().filter(|part| !tree.node(part.child).is_extra()).collect();
        let are_same = members.windows(2).all(|two| shape(layer, two[0].child) == shape(layer, two[1].child));
        for (i, part) in members.iter().enumerate() {
            let whole = tree.node(part.child).span;
            // If all members are of one kind, the last one is replaced by the text that an empty list needs.
            let text = filler.filter(|_| are_same && i + 1 == members.len());
            let edit =
                text.map_or_else(|| Edit::delete(part.span), |text| Edit::replace(whole, text.as_bytes()));
            found.push((shape(layer, part.child), whole, edit));
        }
    }
    let optional = removable.optional.iter();
    found.extend(
        optional.map(|part| (shape(layer, part.child), tree.node(part.child).span, Edit::delete(part.span))),
    );
    found
}

/// Returns the edits that delete nodes, such as conditions, whose blocks are all empty, each with the kind of the node.
/// Nodes that define a name are excluded, since the name may be used elsewhere.
#[must_use]
pub fn emptied<'l>(layer: &Layer<'l>, source: &[u8]) -> Vec<(&'l str, Edit)> {
    let (tree, language) = (&layer.tree, layer.language);
    // The number of blocks in each node, and how many of them are empty.
    let mut blocks = vec![(0u32, 0u32); tree.len()];
    for id in tree.ids() {
        let node = tree.node(id);
        let Some(filler) = language.filler(node.kind) else { continue };
        let is_empty = node.span.of(source) == filler.as_bytes();
        let mut above = node.parent;
        while above != NONE {
            let (all, empty) = &mut blocks[above as usize];
            (*all, *empty) = (*all + 1, *empty + u32::from(is_empty));
            above = tree.node(above).parent;
        }
    }
    let parts = Parts { layer, source };
    let has_name = |id: NodeId| {
        let mut fields =
            tree.children(id).filter_map(|child| language.grammar().field_name(tree.node(child).field));
        blocks[id as usize].0 > 0 && fields.any(|field| field == "name")
    };
    let is_plain = |child: NodeId| !(child..tree.node(child).after).any(has_name);
    let is_emptied =
        |child: NodeId| blocks[child as usize].0 > 0 && blocks[child as usize].0 == blocks[child as usize].1;
    let mut found = Vec::new();
    for id in tree.ids() {
        let removable = parts.of(id);
        let filler = language.filler(tree.node(id).kind).filter(|_| removable.separators.is_empty());
        let last = removable.members.last().map(|part| part.child);
        let all = removable.members.iter().chain(&removable.optional);
        for part in all.filter(|part| is_emptied(part.child) && is_plain(part.child)) {
            let whole = tree.node(part.child).span;
            let text = filler.filter(|_| last == Some(part.child));
            let edit =
                text.map_or_else(|| Edit::delete(part.span), |text| Edit::replace(whole, text.as_bytes()));
            found.push((language.grammar().kind_name(tree.node(part.child).kind), edit));
        }
    }
    found
}

fn shape<'l>(layer: &Layer<'l>, id: NodeId) -> Shape<'l> {
    let tree = &layer.tree;
    let kind = |id: NodeId| if id == NONE { 0 } else { tree.node(id).kind };
    let node = tree.node(id);
    let around = if node.parent == NONE { NONE } else { tree.node(node.parent).parent };
    let first = tree.children(id).next().unwrap_or(NONE);
    (layer.language.name(), [kind(around), kind(node.parent), node.field, node.kind, kind(first)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use nubbin_language::Registry;
    use nubbin_syntax::edit::Patch;

    const ONE: &str = "class A:\n    def f(a: int):\n        pass\n    def g(b: int):\n        pass\n";
    const OTHER: &str = "def h(c: str):\n    pass\nx = 1";

    #[test]
    fn parts_of_one_kind_go_in_all_files_and_then_in_one_after_the_other() {
        let text = [ONE, "=\n", OTHER, "\n="].concat();
        let language = Registry::built_in().get("python").expect("Python is built in");
        let start = (ONE.len() + 2) as u32;
        let files = [Span::new(0, ONE.len() as u32), Span::new(start, start + OTHER.len() as u32)];
        let snapshot = Snapshot::files(text.as_bytes().into(), &files.map(|span| (span, language)));
        let mut proposal = propose(&snapshot);
        proposal.clip(files.into_iter());
        let left = |deltas: &[u32]| {
            let candidate =
                Patch::new(proposal.edits(&|_| false, deltas)).apply(text.as_bytes(), proposal.seam);
            String::from_utf8(candidate).expect("text stays text")
        };
        let groups = proposal.groups();
        let all: Vec<String> =
            groups.groups().iter().map(|group| left(&group.members.clone().collect::<Vec<_>>())).collect();
        // A class without methods keeps the statement that a class body requires.
        let without_methods = text.replace(&ONE[9..], "    pass\n");
        assert!(all.contains(&without_methods), "{all:?}");
        assert!(all.iter().all(|left| left.ends_with("\n=") && left.contains("=\n")), "{all:?}");
        let owned = groups.groups().iter().filter(|group| group.owner.is_some()).count();
        assert!(owned > 0, "what one file has is a part of what all have");
    }
}
