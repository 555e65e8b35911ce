//! Parts of one kind go in many places at once, such as the annotations of all parameters: a group for each kind.
//!
//! A kind is told by the grammar: which node a part is, what it begins with, and what it stands in. Members with
//! separators between them are left to `delete`, which knows which separator goes.

use super::part::{Parts, Removable};
use super::{Builder, Filter, Layer, Proposal, Snapshot};
use crate::edit::{Edit, Seam, Span};
use crate::search::Kind;
use crate::syntax::{NONE, NodeId};
use std::collections::BTreeMap;

/// What tells parts of one kind: the language, the kinds of the two nodes around a part, its field, its own kind, and
/// the kind of what it begins with.
type Shape<'l> = (&'l str, [u16; 5]);

/// The parts of one kind, and what takes the place of each.
type Alike = Vec<(Span, Edit)>;

/// Proposes for each kind of part that stands in several places that all of them go, the outermost ones first.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut alike: BTreeMap<Shape<'_>, Alike> = BTreeMap::new();
    for layer in &snapshot.layers {
        let parts = Parts { layer, source: &snapshot.source };
        for id in layer.tree.ids() {
            for (shape, whole, edit) in of(layer, id, &parts.of(id)) {
                let same = alike.entry(shape).or_default();
                if same.last().is_none_or(|(last, _)| last.end <= whole.start) {
                    same.push((whole, edit));
                }
            }
        }
    }
    let mut builder = Builder::new(Filter::Syntax, Seam::Apart);
    for same in alike.into_values().filter(|same| same.len() > 1) {
        for (_, edit) in same {
            builder.delta([edit]);
        }
        builder.close(Kind::Set, None);
    }
    builder.build()
}

/// What may go of a node, with what tells its kind.
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
            // Where all members are of one kind, the last one leaves what an empty list has to hold.
            let text = filler.filter(|_| are_same && i + 1 == members.len());
            let edit = text.map_or_else(|| Edit::delete(part.span), |text| Edit::replace(whole, text.as_bytes()));
            found.push((shape(layer, part.child), whole, edit));
        }
    }
    let optional = removable.optional.iter();
    found.extend(optional.map(|part| {
        (shape(layer, part.child), tree.node(part.child).span, Edit::delete(part.span))
    }));
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
