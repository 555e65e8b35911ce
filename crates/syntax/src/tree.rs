//! A tree as a flat array, sorted by the starts of the nodes.

use super::{Grammar, Parsed};
use crate::edit::Span;
use crate::stop;
use std::fmt::Write;

/// The index of a node in the array.
pub type NodeId = u32;

/// The parent of the root.
pub const NONE: NodeId = u32::MAX;

/// One node. Its first child, if there is one, directly follows it; its next sibling follows its subtree.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// The kind, as numbered by the grammar.
    pub kind: u16,
    /// The symbol in the parse table (an alias has its own kind, but not its own symbol).
    pub symbol: u16,
    /// The field of the parent that contains the node, or 0.
    pub field: u16,
    /// The parse state before the node; this can be a state that does not exist.
    pub state: u16,
    /// The bytes of the node.
    pub span: Span,
    /// The parent, or [`NONE`].
    pub parent: NodeId,
    /// One past the last descendant.
    pub after: NodeId,
    flags: u8,
}

/// Flag: the node has a name in the grammar.
const NAMED: u8 = 1;
/// Flag: the node can occur anywhere, such as a comment.
const EXTRA: u8 = 2;
/// Flag: the node contains text that does not match the grammar.
const ERROR: u8 = 4;

impl Node {
    /// Returns whether the node has a name in the grammar (a rule); if not, it is an anonymous token such as
    /// `;`.
    #[must_use]
    pub fn is_named(&self) -> bool {
        self.flags & NAMED != 0
    }

    /// Returns whether the node can occur anywhere, such as a comment.
    #[must_use]
    pub fn is_extra(&self) -> bool {
        self.flags & EXTRA != 0
    }

    /// Returns whether the node contains text that does not match the grammar.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.flags & ERROR != 0
    }
}

/// The number of nodes between two checks for cancellation.
const STOP_EVERY: u32 = 4096;

/// The nodes of one text.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    /// Copies the tree of `parsed`, whose text begins at byte `offset` of the whole text. If the thread is
    /// cancelled first, the tree consists of the root alone.
    #[must_use]
    pub fn new(parsed: &Parsed, offset: u32) -> Self {
        let mut nodes: Vec<Node> = Vec::with_capacity(parsed.tree().root_node().descendant_count());
        let mut cursor = parsed.tree().walk();
        let mut parent = NONE;
        loop {
            let node = cursor.node();
            let id = nodes.len() as NodeId;
            if id.is_multiple_of(STOP_EVERY) && id > 0 && stop::has_come() {
                // The result will not be used, but it must be a valid tree.
                nodes.truncate(1);
                nodes[0].after = 1;
                return Self { nodes };
            }
            nodes.push(Node {
                kind: node.kind_id(),
                symbol: node.grammar_id(),
                field: cursor.field_id().map_or(0, std::num::NonZero::get),
                state: node.parse_state(),
                span: Span::new(offset + node.start_byte() as u32, offset + node.end_byte() as u32),
                parent,
                after: id + 1,
                flags: (u8::from(node.is_named()) * NAMED)
                    | (u8::from(node.is_extra()) * EXTRA)
                    | (u8::from(node.is_error()) * ERROR),
            });
            if cursor.goto_first_child() {
                parent = id;
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Self { nodes };
                }
                let after = nodes.len() as NodeId;
                nodes[parent as usize].after = after;
                parent = nodes[parent as usize].parent;
            }
        }
    }

    /// Returns the number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns whether there are no nodes. The tree of an empty text still has a root.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the number of levels; 0 without nodes.
    #[must_use]
    pub fn depth(&self) -> usize {
        let mut levels: Vec<usize> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            levels.push(if node.parent == NONE { 1 } else { levels[node.parent as usize] + 1 });
        }
        levels.into_iter().max().unwrap_or(0)
    }

    /// Returns a node.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// Lists all nodes, parents before their children.
    #[must_use]
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        0..self.nodes.len() as NodeId
    }

    /// Lists the nodes that begin inside a span, in order.
    pub fn starting_in(&self, span: Span) -> impl Iterator<Item = NodeId> + '_ {
        let first = self.nodes.partition_point(|node| node.span.start < span.start);
        let nodes = self.nodes[first..].iter().take_while(move |node| node.span.start < span.end);
        nodes.enumerate().map(move |(i, _)| (first + i) as NodeId)
    }

    /// Returns the outermost node with this kind and these bytes.
    #[must_use]
    pub fn find(&self, span: Span, kind: u16) -> Option<NodeId> {
        let key = |span: Span| (span.start, std::cmp::Reverse(span.end));
        // Nodes with the same start are sorted by their ends, except for empty nodes among them.
        let first = self.nodes.partition_point(|node| key(node.span) < key(span));
        let mut same = self.nodes[first..].iter().take_while(|node| node.span == span);
        if let Some(at) = same.position(|node| node.kind == kind) {
            return Some((first + at) as NodeId);
        }
        let first = self.nodes.partition_point(|node| node.span.start < span.start);
        let here = self.nodes[first..].iter().take_while(|node| node.span.start == span.start);
        let at = here.enumerate().find(|(_, node)| node.span == span && node.kind == kind)?.0;
        Some((first + at) as NodeId)
    }

    /// Lists the named children of a node, without comments and other extras.
    pub fn members(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.children(id).filter(|&child| self.node(child).is_named() && !self.node(child).is_extra())
    }

    /// Lists a node and its ancestors, innermost first.
    pub fn up(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(id), |&id| Some(self.node(id).parent).filter(|&parent| parent != NONE))
    }

    /// Lists the children of a node, in order.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.node(id).after;
        let mut next = id + 1;
        std::iter::from_fn(move || {
            let child = next;
            (child < end).then(|| {
                next = self.node(child).after;
                child
            })
        })
    }

    /// Lists the spans of inner nodes that no child covers, including whitespace.
    pub fn between(&self) -> impl Iterator<Item = Span> + '_ {
        self.ids().filter(|&id| !self.is_leaf(id)).flat_map(|id| self.gaps(id))
    }

    /// Lists the spans of a node that no child covers, including whitespace.
    pub fn gaps(&self, id: NodeId) -> impl Iterator<Item = Span> + '_ {
        let whole = self.node(id).span;
        let children = self.children(id).map(|child| self.node(child).span);
        let ends = children.chain([Span::new(whole.end, whole.end)]);
        let gaps = ends.scan(whole.start, |at, child| {
            let gap = (*at < child.start).then(|| Span::new(*at, child.start));
            *at = child.end;
            Some(gap)
        });
        gaps.flatten()
    }

    /// Returns whether a node has no children.
    #[must_use]
    pub fn is_leaf(&self, id: NodeId) -> bool {
        self.node(id).after == id + 1
    }

    /// Returns the first leaf that begins after the subtree of `id`, except comments and other extras.
    #[must_use]
    pub fn leaf_after(&self, id: NodeId) -> Option<NodeId> {
        let mut next = self.node(id).after;
        while (next as usize) < self.nodes.len() {
            if self.node(next).is_extra() {
                next = self.node(next).after;
            } else if self.is_leaf(next) {
                return Some(next);
            } else {
                next += 1;
            }
        }
        None
    }

    /// Returns the tree as indented text, one line per node.
    #[must_use]
    pub fn dump(&self, grammar: &Grammar, source: &[u8]) -> String {
        let mut text = String::new();
        let mut open: Vec<NodeId> = Vec::new();
        for id in self.ids() {
            let node = self.node(id);
            while open.last().is_some_and(|&last| self.node(last).after <= id) {
                open.pop();
            }
            let field = grammar.field_name(node.field).map_or(String::new(), |name| format!("{name}: "));
            let name = grammar.kind_name(node.kind);
            let name = if node.is_named() { name.to_owned() } else { format!("{name:?}") };
            let indent = "  ".repeat(open.len().min(60));
            let _ = write!(text, "{indent}{field}{name} {}..{}", node.span.start, node.span.end);
            if self.is_leaf(id) && node.is_named() {
                let bytes = node.span.of(source);
                let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]).into_owned();
                let _ = write!(text, " {shown:?}");
            }
            text.push('\n');
            open.push(id);
        }
        text
    }
}
