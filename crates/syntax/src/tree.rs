//! A tree as a flat array, in the order in which its nodes begin.

use super::{Grammar, Parsed};
use crate::edit::Span;
use crate::stop;
use std::fmt::Write;

/// A node's place in the array.
pub type NodeId = u32;

/// The parent of the root.
pub const NONE: NodeId = u32::MAX;

/// One node. Its first child, if it has any, comes right after it; its next sibling where its subtree ends.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Its kind, as the grammar numbers them.
    pub kind: u16,
    /// Its symbol in the parse table (an alias has its own kind, not its own symbol).
    pub symbol: u16,
    /// The field of its parent that it stands in, or 0.
    pub field: u16,
    /// The parse state before it, or one that does not exist.
    pub state: u16,
    /// Its bytes.
    pub span: Span,
    /// Its parent, or [`NONE`].
    pub parent: NodeId,
    /// One past its last descendant.
    pub after: NodeId,
    flags: u8,
}

/// The flag of a node that has a name in the grammar.
const NAMED: u8 = 1;
/// The flag of a node that may stand anywhere, such as a comment.
const EXTRA: u8 = 2;
/// The flag of a node for text that the grammar does not fit.
const ERROR: u8 = 4;

impl Node {
    /// Tells whether it has a name in the grammar (a rule), or is a mere token like `;`.
    #[must_use]
    pub fn is_named(&self) -> bool {
        self.flags & NAMED != 0
    }

    /// Tells whether it may stand anywhere, as comments do.
    #[must_use]
    pub fn is_extra(&self) -> bool {
        self.flags & EXTRA != 0
    }

    /// Tells whether it stands for text that does not fit the grammar.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.flags & ERROR != 0
    }
}

/// After so many nodes it is looked whether to stop.
const STOP_EVERY: u32 = 4096;

/// The nodes of one text.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    /// Copies the tree of `parsed`, whose text begins at byte `offset` of the whole; its root alone if the thread is
    /// told to stop before it is done.
    #[must_use]
    pub fn new(parsed: &Parsed, offset: u32) -> Self {
        let mut nodes: Vec<Node> = Vec::with_capacity(parsed.tree().root_node().descendant_count());
        let mut cursor = parsed.tree().walk();
        let mut parent = NONE;
        loop {
            let node = cursor.node();
            let id = nodes.len() as NodeId;
            if id.is_multiple_of(STOP_EVERY) && id > 0 && stop::has_come() {
                // Nobody looks at it any more; the root alone is a tree.
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

    /// Tells whether there is no node; the tree of an empty text still has its root.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the number of levels, 0 for no node.
    #[must_use]
    pub fn depth(&self) -> usize {
        let mut levels: Vec<usize> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            levels.push(if node.parent == NONE { 1 } else { levels[node.parent as usize] + 1 });
        }
        levels.into_iter().max().unwrap_or(0)
    }

    /// A node.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// All nodes, parents before their children.
    #[must_use]
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        0..self.nodes.len() as NodeId
    }

    /// The nodes that begin inside a span, in their order.
    pub fn starting_in(&self, span: Span) -> impl Iterator<Item = NodeId> + '_ {
        let first = self.nodes.partition_point(|node| node.span.start < span.start);
        let nodes = self.nodes[first..].iter().take_while(move |node| node.span.start < span.end);
        nodes.enumerate().map(move |(i, _)| (first + i) as NodeId)
    }

    /// The outermost node of this kind with these bytes.
    #[must_use]
    pub fn find(&self, span: Span, kind: u16) -> Option<NodeId> {
        let key = |span: Span| (span.start, std::cmp::Reverse(span.end));
        // Nodes that begin together are in the order of their ends, but where empty ones stand among them.
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

    /// The named children of a node, comments and the like left out.
    pub fn members(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.children(id).filter(|&child| self.node(child).is_named() && !self.node(child).is_extra())
    }

    /// A node and those that it lies in, the innermost first.
    pub fn up(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(id), |&id| Some(self.node(id).parent).filter(|&parent| parent != NONE))
    }

    /// The children of a node, in order.
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

    /// Lists the spans of the nodes with children that none of their children has, blanks included.
    pub fn between(&self) -> impl Iterator<Item = Span> + '_ {
        self.ids().filter(|&id| !self.is_leaf(id)).flat_map(|id| self.gaps(id))
    }

    /// Lists the spans of a node that none of its children has, blanks included.
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

    /// Tells whether a node has no children.
    #[must_use]
    pub fn is_leaf(&self, id: NodeId) -> bool {
        self.node(id).after == id + 1
    }

    /// The first leaf that begins after the subtree of `id`, comments and other extras left out.
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

    /// The tree as indented text, a line a node, for people.
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
