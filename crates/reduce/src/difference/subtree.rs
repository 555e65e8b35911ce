//! Divides a node that only one text has into the members of its lists, and the rest of the node, without which no
//! member can exist.

use super::tree::{Division, Side, Trees, Which};
use super::{Id, TextPart, Weaver};
use nubbin_syntax::NodeId;

impl<'t> Trees<'t> {
    /// Replaces a change by one change for each outermost list member of a node, and one for the rest of the node.
    /// Returns whether the node has any members.
    pub(super) fn divide_subtree(
        &self,
        id: Id,
        (which, node, start): (Which, NodeId, usize),
        part: TextPart<'t>,
        weaver: &mut Weaver<'t>,
    ) -> bool {
        let (TextPart::Old(_, text) | TextPart::New(_, text)) = part else { return false };
        let side = &self.sides[usize::from(which == Which::New)];
        if !self.has_members(side, node) {
            // The change stays as it is.
            weaver.changes[id as usize].inner = Division::Whole;
            weaver.parts.push(part);
            return false;
        }
        let rest = weaver.begin(Division::Whole);
        weaver.changes[id as usize].heir = Some(rest);
        // New nodes are first added without their members; old nodes first lose their members.
        weaver.changes[rest as usize].is_early = which == Which::New;
        let end = start + text.len();
        let mut walk = Walk { which, side, weaver, rest, at: start, end, list: None, held: None };
        let after = side.tree.node(node).after;
        let mut next = node + 1;
        while next < after {
            if self.is_member(side, next) {
                walk.member(next);
                next = side.tree.node(next).after;
            } else {
                if side.tree.is_leaf(next) {
                    walk.leaf(next);
                }
                next += 1;
            }
        }
        walk.finish();
        true
    }

    fn has_members(&self, side: &Side<'_>, node: NodeId) -> bool {
        (node + 1..side.tree.node(node).after).any(|id| self.is_member(side, id))
    }

    /// Returns whether a node is a comment, or a list member that the grammar allows to remove.
    pub(super) fn is_member(&self, side: &Side<'_>, id: NodeId) -> bool {
        let (tree, node) = (&side.tree, side.tree.node(id));
        if !node.is_named() || node.span.is_empty() {
            return false;
        }
        if node.is_extra() {
            return true;
        }
        let Some(slot) = self.language.grammar().slot(tree.node(node.parent).kind, node.field) else {
            return false;
        };
        let others = || tree.members(node.parent).filter(|&other| tree.node(other).field == node.field);
        slot.multiple && (!slot.required || others().nth(1).is_some())
    }
}

/// Walks over a node and separates its list members from the rest.
struct Walk<'w, 't> {
    which: Which,
    side: &'w Side<'t>,
    weaver: &'w mut Weaver<'t>,
    /// The change for the rest of the node.
    rest: Id,
    /// The current byte, and the byte at which the node ends (`end`).
    at: usize,
    end: usize,
    /// The list of the previous member, and the first member of that list.
    list: Option<(NodeId, Id)>,
    /// The end of the tokens after the previous member, if only tokens have followed it.
    held: Option<usize>,
}

impl<'t> Walk<'_, 't> {
    /// Returns the text from the current byte to `end`, and moves there.
    fn take(&mut self, end: usize) -> &'t [u8] {
        let start = self.at;
        self.at = end.max(start);
        &self.side.text[start..self.at]
    }

    fn part(&self, id: Id, text: &'t [u8]) -> TextPart<'t> {
        match self.which {
            Which::Old => TextPart::Old(id, text),
            Which::New => TextPart::New(id, text),
        }
    }

    /// Adds the held text to the rest of the node: it is not a separator.
    fn release(&mut self) {
        if let Some(end) = self.held.take() {
            let text = self.take(end);
            let part = self.part(self.rest, text);
            self.weaver.parts.push(part);
        }
    }

    fn leaf(&mut self, id: NodeId) {
        let node = self.side.tree.node(id);
        let end = (node.span.end as usize).max(self.held.unwrap_or(self.at));
        let is_separator = !node.is_named() && self.list.is_some_and(|(parent, _)| parent == node.parent);
        if !is_separator {
            self.release();
            self.list = self.list.filter(|(parent, _)| *parent == node.parent);
        }
        if is_separator {
            self.held = Some(end);
        } else {
            let text = self.take(end);
            let part = self.part(self.rest, text);
            self.weaver.parts.push(part);
        }
    }

    fn member(&mut self, id: NodeId) {
        let node = self.side.tree.node(id);
        let list = self.list.filter(|(parent, _)| *parent == node.parent);
        match (list, self.held.take()) {
            (Some((_, first)), Some(end)) => {
                let text = self.take(end);
                let next = self.weaver.changes.len() as Id;
                self.weaver.parts.push(TextPart::Between { first, last: next, which: self.which, text });
            }
            (None, Some(end)) => {
                self.held = Some(end);
                self.release();
            }
            (_, None) => {}
        }
        let change = self.weaver.begin(Division::Subtree(self.which, id, self.at));
        self.weaver.changes[change as usize].is_early = self.which == Which::Old;
        let text = self.take(node.span.end as usize);
        let part = self.part(change, text);
        self.weaver.parts.push(part);
        let first = list.map_or(change, |(_, first)| first);
        self.list = Some((node.parent, first));
    }

    fn finish(mut self) {
        self.release();
        let text = self.take(self.end);
        let part = self.part(self.rest, text);
        self.weaver.parts.push(part);
    }
}
