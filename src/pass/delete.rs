//! Members of lists with their separators, and optional parts: a group for each node that has some.

use super::{Builder, Filter, Layer, Proposal, Snapshot};
use crate::edit::{Edit, Seam, Span};
use crate::syntax::{NONE, NodeId, deletion_span};

/// Proposes every part of every node that the grammar lets go.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(Filter::Syntax, Seam::Apart);
    for layer in &snapshot.layers {
        Deletions { layer, source: &snapshot.source, owner: vec![NONE; layer.tree.len()] }
            .propose(&mut builder);
    }
    builder.build()
}

struct Deletions<'a, 'l> {
    layer: &'a Layer<'l>,
    source: &'a [u8],
    /// For each node, the innermost delta that takes it away.
    owner: Vec<u32>,
}

/// A part of a node that may go.
struct Part {
    child: NodeId,
    /// What goes.
    span: Span,
}

impl Deletions<'_, '_> {
    fn propose(mut self, builder: &mut Builder) {
        let tree = &self.layer.tree;
        for id in tree.ids() {
            let parent = tree.node(id).parent;
            if parent != NONE && self.owner[id as usize] == NONE {
                self.owner[id as usize] = self.owner[parent as usize];
            }
            let children: Vec<NodeId> = tree.children(id).filter(|&c| !tree.node(c).is_extra()).collect();
            let (mut members, optional) = self.parts(id, &children);
            let owner = Some(self.owner[id as usize]).filter(|&owner| owner != NONE);
            let separators = self.separators(&children, &members);
            if !members.is_empty() && separators.is_empty() {
                self.add_comments(id, &mut members);
            }
            let filler = self.layer.language.filler(tree.node(id).kind);
            let spans = members.iter().map(|part| tree.node(part.child).span).collect();
            for part in &members {
                // A separated member leaves its line to the others; the separators' own edits tidy up.
                let own = tree.node(part.child).span;
                let span = if separators.is_empty() { deletion_span(self.source, part.span) } else { own };
                self.owner[part.child as usize] = builder.delta([Edit::delete(span)]);
            }
            builder.close_list(owner, separators, filler.map(|text| (text, spans)));
            for part in &optional {
                let span = deletion_span(self.source, part.span);
                self.owner[part.child as usize] = builder.delta([Edit::delete(span)]);
            }
            builder.close(crate::search::Kind::Set, owner);
        }
    }

    /// The list members and the optional parts among a node's children.
    fn parts(&self, id: NodeId, children: &[NodeId]) -> (Vec<Part>, Vec<Part>) {
        let tree = &self.layer.tree;
        let in_error = tree.node(id).is_error();
        let (mut members, mut optional) = (Vec::new(), Vec::new());
        for (i, &child) in children.iter().enumerate() {
            let node = tree.node(child);
            let slot = self.layer.slot(child).filter(|_| node.is_named());
            if node.span.is_empty() {
                continue;
            }
            let is_member = slot.is_some_and(|slot| slot.multiple);
            if in_error || node.is_error() {
                members.push(Part { child, span: node.span });
            } else if is_member && slot.is_some_and(|slot| slot.required) && self.is_only(children, i) {
                // Without it the list would be empty, which the grammar does not allow.
            } else if is_member {
                members.push(Part { child, span: node.span });
            } else if slot.is_some_and(|slot| !slot.required) {
                let span = self.optional_span(children, i).unwrap_or(node.span);
                optional.push(Part { child, span });
            } else if slot.is_none()
                && !self.is_bracket(children, i)
                && let Some(span) = self.skippable(children, i..i + 1)
            {
                optional.push(Part { child, span });
            }
        }
        (members, optional)
    }

    /// Whether no other named child stands in the same slot, and the language has nothing to put there instead.
    fn is_only(&self, children: &[NodeId], i: usize) -> bool {
        let tree = &self.layer.tree;
        let node = tree.node(children[i]);
        let same = |&other: &NodeId| tree.node(other).is_named() && tree.node(other).field == node.field;
        self.layer.language.filler(tree.node(node.parent).kind).is_none()
            && !children[..i].iter().chain(&children[i + 1..]).any(same)
    }

    /// Whether a child is one of two tokens that enclose all others: they go by hoisting what is inside.
    fn is_bracket(&self, children: &[NodeId], i: usize) -> bool {
        let ends = [0, children.len() - 1];
        children.len() > 2
            && ends.contains(&i)
            && ends.iter().all(|&e| !self.layer.tree.node(children[e]).is_named())
    }

    /// Comments between the members of a list without separators are members, so that neighbours that go
    /// together leave nothing behind.
    fn add_comments(&self, id: NodeId, members: &mut Vec<Part>) {
        let tree = &self.layer.tree;
        let comments = tree.children(id).filter(|&child| {
            let node = tree.node(child);
            node.is_extra() && !node.is_error() && !node.span.is_empty()
        });
        members.extend(comments.map(|child| Part { child, span: tree.node(child).span }));
        members.sort_by_key(|part| part.child);
    }

    /// What goes with an optional part: it alone, or with the token before or after it, as the parse table says.
    fn optional_span(&self, children: &[NodeId], i: usize) -> Option<Span> {
        let token = |i: usize| children.get(i).is_some_and(|&c| !self.layer.tree.node(c).is_named());
        let before = i > 0 && token(i - 1);
        let after = token(i + 1);
        let try_range = |from: usize, to: usize| self.skippable(children, from..to);
        try_range(i, i + 1)
            .or_else(|| before.then(|| try_range(i - 1, i + 1))?)
            .or_else(|| after.then(|| try_range(i, i + 2))?)
            .or_else(|| (before && after).then(|| try_range(i - 1, i + 2))?)
    }

    /// The span of these children, if the parse table lets the next token follow right after what is before.
    fn skippable(&self, children: &[NodeId], range: std::ops::Range<usize>) -> Option<Span> {
        let tree = &self.layer.tree;
        let (first, last) = (children[range.start], children[range.end - 1]);
        let next = tree.leaf_after(last)?;
        let follows =
            self.layer.language.grammar().may_follow(tree.node(first).state, tree.node(next).symbol);
        follows?.then(|| Span::new(tree.node(first).span.start, tree.node(last).span.end))
    }

    /// The separators between the members, when each two have exactly one token of the same kind between them.
    fn separators(&self, children: &[NodeId], members: &[Part]) -> Vec<Span> {
        let tree = &self.layer.tree;
        let mut separators = Vec::new();
        let mut kind = None;
        for pair in members.windows(2) {
            let at = |child: NodeId| children.binary_search(&child).expect("members are children");
            let (left, right) = (at(pair[0].child), at(pair[1].child));
            if right - left != 2 {
                return Vec::new();
            }
            let between = tree.node(children[left + 1]);
            if between.is_named() || *kind.get_or_insert(between.kind) != between.kind {
                return Vec::new();
            }
            // Up to the next member, blanks and all, so that none are left over.
            separators.push(Span::new(between.span.start, tree.node(pair[1].child).span.start));
        }
        separators
    }
}
