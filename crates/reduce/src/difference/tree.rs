//! Compares two syntax trees: finds which children of two nodes are equal, which correspond, and which only one node
//! has.

use super::{Id, TextPart, Weaver};
use nubbin_language::Language;
use nubbin_syntax::{NodeId, Parser, Tree};
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::ops::Range;

const ROOT: NodeId = 0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    Old,
    New,
}

/// How a change can be divided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Division {
    /// Not at all.
    Whole,
    /// It has been divided; other changes have replaced it.
    Divided,
    /// Two nodes of the same kind, each with the start of the whitespace before it.
    Pair([(NodeId, usize); 2]),
    /// A list member that replaces another member: for each text, the node and its range.
    Replaced([(NodeId, Range<usize>); 2]),
    /// A node that only one text has, and the start of the change in that text.
    Subtree(Which, NodeId, usize),
}

#[derive(Clone, Debug)]
pub(super) struct Side<'t> {
    pub text: &'t [u8],
    pub tree: Tree,
    /// A hash of the text and kind of each node.
    names: Vec<u64>,
}

#[derive(Clone, Debug)]
pub(super) struct Trees<'t> {
    pub language: &'t Language,
    pub sides: [Side<'t>; 2],
}

/// Children that are added or removed together: a node with the adjacent tokens, or tokens only.
#[derive(Clone, Debug)]
struct ChildRun {
    nodes: Range<usize>,
    main: Option<NodeId>,
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

impl<'t> Side<'t> {
    fn new(language: &Language, text: &'t [u8]) -> Self {
        let tree = Tree::new(&Parser::new(language.grammar()).parse(text), 0);
        let mut names = vec![0; tree.len()];
        for id in tree.ids().rev() {
            let node = tree.node(id);
            names[id as usize] = if tree.is_leaf(id) {
                hash((node.kind, node.span.of(text)))
            } else {
                let mut at = node.span.start as usize;
                let mut inside = vec![u64::from(node.kind)];
                for child in tree.children(id) {
                    let span = tree.node(child).span;
                    inside.extend([hash(&text[at..at.max(span.start as usize)]), names[child as usize]]);
                    at = at.max(span.end as usize);
                }
                hash((inside, &text[at..at.max(node.span.end as usize)]))
            };
        }
        Self { text, tree, names }
    }

    /// Returns the end of a node. The root extends to the end of the text.
    fn end(&self, id: NodeId) -> usize {
        if id == ROOT { self.text.len() } else { self.tree.node(id).span.end as usize }
    }

    /// Returns the children of a node and their ends. Each child begins at the end of the previous one, so it includes
    /// the whitespace before it.
    fn children(&self, id: NodeId, start: usize) -> (Vec<NodeId>, Vec<usize>) {
        let children: Vec<NodeId> = self.tree.children(id).collect();
        let mut at = start;
        let ends = children.iter().map(|&child| {
            at = at.max(self.end(child));
            at
        });
        let ends = std::iter::once(start).chain(ends).collect();
        (children, ends)
    }

    /// Returns a hash of the kind and the first line of a node, to find the corresponding node.
    fn head(&self, id: NodeId) -> u64 {
        let node = self.tree.node(id);
        let line = node.span.of(self.text).split(|&byte| byte == b'\n').next();
        hash((node.kind, line))
    }
}

impl<'t> Trees<'t> {
    pub fn new(language: &'t Language, old: &'t [u8], new: &'t [u8]) -> Option<Self> {
        let sides = [old, new].map(|text| Side::new(language, text));
        let root = |side: &Side<'_>| (side.tree.node(ROOT).kind, side.tree.node(ROOT).is_error());
        (root(&sides[0]) == root(&sides[1]) && !root(&sides[0]).1).then_some(Self { language, sides })
    }

    pub fn root() -> Division {
        Division::Pair([(ROOT, 0), (ROOT, 0)])
    }

    /// Replaces a change by the changes inside it. Returns whether there are any.
    pub fn divide(&self, id: Id, inner: &Division, part: TextPart<'t>, weaver: &mut Weaver<'t>) -> bool {
        match *inner {
            Division::Pair(nodes) => self.divide_pair(nodes, weaver),
            // The old member can be removed without adding the new one, and vice versa.
            Division::Replaced([(old, ref gone), (new, ref come)]) => {
                let inner = [
                    Division::Subtree(Which::Old, old, gone.start),
                    Division::Subtree(Which::New, new, come.start),
                ];
                let [leaves, comes] = inner;
                weaver.change(&self.sides[0].text[gone.clone()], b"", leaves);
                weaver.change(b"", &self.sides[1].text[come.clone()], comes);
            }
            Division::Subtree(which, node, start) => {
                return self.divide_subtree(id, (which, node, start), part, weaver);
            }
            Division::Whole | Division::Divided => unreachable!("there is nothing inside"),
        }
        true
    }

    fn divide_pair(&self, nodes: [(NodeId, usize); 2], weaver: &mut Weaver<'t>) {
        let mut lists = [0, 1].map(|i| self.list(i, nodes[i]));
        let mut tails = Vec::new();
        while let Some(at) = only_pair(&lists) {
            let [old, new] = &lists;
            weaver.shared(&old.side.text[old.ends[0]..old.start_of_body(at)]);
            tails.push(&old.side.text[old.ends[at + 1]..old.ends[old.nodes.len()] + old.rest.len()]);
            let inside = [old, new].map(|list| (list.nodes[at], list.start_of_body(at)));
            lists = [0, 1].map(|i| self.list(i, inside[i]));
        }
        let [old, new] = &lists;
        let mut at = [0, 0];
        let same = |list: &Children<'_, '_>| -> Vec<u64> {
            list.nodes.iter().map(|&id| list.side.names[id as usize]).collect()
        };
        for (olds, news) in anchors(&same(old), &same(new)) {
            self.gap(&lists, &[at[0]..olds.start, at[1]..news.start], weaver);
            for (o, n) in olds.clone().zip(news.clone()) {
                weaver.both(old.lead(o), new.lead(n));
                weaver.both(old.body(o), new.body(n));
            }
            at = [olds.end, news.end];
        }
        self.gap(&lists, &[at[0]..old.nodes.len(), at[1]..new.nodes.len()], weaver);
        weaver.both(old.rest, new.rest);
        tails.into_iter().rev().for_each(|tail| weaver.shared(tail));
    }

    /// Compares the children between two equal ones. Children correspond if their first lines are equal, or else if
    /// they have the same kind.
    fn gap(&self, lists: &[Children<'_, 't>; 2], gap: &[Range<usize>; 2], weaver: &mut Weaver<'t>) {
        let [old, new] = lists;
        let head = |list: &Children<'_, '_>, at: usize| list.side.head(list.nodes[at]);
        let kind = |list: &Children<'_, '_>, at: usize| u64::from(list.side.tree.node(list.nodes[at]).kind);
        for gap in pairs(lists, gap, head) {
            let Gap::Between(gap) = gap else {
                gap.weave(old, new, weaver);
                continue;
            };
            for gap in pairs(lists, &gap, kind) {
                match gap {
                    Gap::Between([olds, news]) => self.alone(lists, olds, news, weaver),
                    Gap::Pair(..) => gap.weave(old, new, weaver),
                }
            }
        }
    }

    /// Adds changes for children without a counterpart. Old children are replaced by new ones in order, because a
    /// grammar may require exactly one child at this place; surplus children are added or removed.
    fn alone(
        &self,
        lists: &[Children<'_, 't>; 2],
        olds: Range<usize>,
        news: Range<usize>,
        weaver: &mut Weaver<'t>,
    ) {
        let [old, new] = lists;
        let (mut olds, mut news) = (old.runs(olds).into_iter(), new.runs(news).into_iter());
        let subtree = |which, list: &Children<'_, '_>, run: &ChildRun| match run.main {
            Some(node) => Division::Subtree(which, node, list.ends[run.nodes.start]),
            None => Division::Whole,
        };
        let member = |list: &Children<'_, 't>, run: &ChildRun| {
            let node = run.main.filter(|&node| self.is_member(list.side, node))?;
            Some((node, list.ends[run.nodes.start]..list.ends[run.nodes.end]))
        };
        loop {
            match (olds.next(), news.next()) {
                (None, None) => break,
                (Some(o), Some(n)) => {
                    let inner = match (member(old, &o), member(new, &n)) {
                        (Some(o), Some(n)) => Division::Replaced([o, n]),
                        _ => Division::Whole,
                    };
                    weaver.change(old.text(&o.nodes), new.text(&n.nodes), inner)
                }
                (Some(o), None) => weaver.change(old.text(&o.nodes), b"", subtree(Which::Old, old, &o)),
                (None, Some(n)) => weaver.change(b"", new.text(&n.nodes), subtree(Which::New, new, &n)),
            };
        }
    }

    fn list(&self, side: usize, (id, start): (NodeId, usize)) -> Children<'_, 't> {
        let side = &self.sides[side];
        let (nodes, ends) = side.children(id, start);
        let last = *ends.last().unwrap_or(&start);
        Children { side, nodes, rest: &side.text[last..last.max(side.end(id))], ends }
    }
}

struct Children<'s, 't> {
    side: &'s Side<'t>,
    nodes: Vec<NodeId>,
    /// The start of each child, including the whitespace before it, and the end of the last child.
    ends: Vec<usize>,
    /// The text after the last child.
    rest: &'t [u8],
}

impl<'t> Children<'_, 't> {
    fn start_of_body(&self, at: usize) -> usize {
        (self.side.tree.node(self.nodes[at]).span.start as usize).clamp(self.ends[at], self.ends[at + 1])
    }

    fn lead(&self, at: usize) -> &'t [u8] {
        &self.side.text[self.ends[at]..self.start_of_body(at)]
    }

    fn body(&self, at: usize) -> &'t [u8] {
        &self.side.text[self.start_of_body(at)..self.ends[at + 1]]
    }

    fn text(&self, range: &Range<usize>) -> &'t [u8] {
        &self.side.text[self.ends[range.start]..self.ends[range.end]]
    }

    /// Splits a range of children into runs: each is a node with the tokens that separate it from others.
    fn runs(&self, range: Range<usize>) -> Vec<ChildRun> {
        let is_node = |at: usize| self.side.tree.node(self.nodes[at]).is_named();
        let begins_with_token = !range.is_empty() && !is_node(range.start);
        let mut runs: Vec<ChildRun> = Vec::new();
        for at in range {
            let node = is_node(at).then(|| self.nodes[at]);
            // If the range begins with a token, tokens belong to the node after them, otherwise to the node before
            // them.
            let joins = runs.last().is_some_and(|run| match (begins_with_token, node) {
                (true, _) => run.main.is_none(),
                (false, node) => node.is_none(),
            });
            match runs.last_mut().filter(|_| joins) {
                Some(run) => (run.nodes.end, run.main) = (at + 1, run.main.or(node)),
                None => runs.push(ChildRun { nodes: at..at + 1, main: node }),
            }
        }
        runs
    }
}

/// Returns the index of the only children that differ, if they have the same kind. The difference is then inside them.
fn only_pair([old, new]: &[Children<'_, '_>; 2]) -> Option<usize> {
    let name = |list: &Children<'_, '_>, at: usize| list.side.names[list.nodes[at] as usize];
    let kind = |list: &Children<'_, '_>, at: usize| list.side.tree.node(list.nodes[at]).kind;
    if old.nodes.len() != new.nodes.len() || old.rest != new.rest {
        return None;
    }
    let mut differ = (0..old.nodes.len()).filter(|&at| name(old, at) != name(new, at));
    let at = differ.next().filter(|_| differ.next().is_none())?;
    let is_leaf = old.side.tree.is_leaf(old.nodes[at]) || new.side.tree.is_leaf(new.nodes[at]);
    let same_leads = (0..old.nodes.len()).all(|at| old.lead(at) == new.lead(at));
    (!is_leaf && kind(old, at) == kind(new, at) && same_leads).then_some(at)
}

/// A pair of corresponding children, or the children between two such pairs.
enum Gap {
    Between([Range<usize>; 2]),
    Pair(usize, usize),
}

impl Gap {
    /// Adds a change for two corresponding children. It can be divided later.
    fn weave<'t>(&self, old: &Children<'_, 't>, new: &Children<'_, 't>, weaver: &mut Weaver<'t>) {
        let Self::Pair(o, n) = *self else { return };
        let inner = if old.side.tree.is_leaf(old.nodes[o]) || new.side.tree.is_leaf(new.nodes[n]) {
            Division::Whole
        } else {
            Division::Pair([(old.nodes[o], old.ends[o]), (new.nodes[n], new.ends[n])])
        };
        weaver.change(old.text(&(o..o + 1)), new.text(&(n..n + 1)), inner);
    }
}

/// Returns the pairs with the same key in a gap, and the children between them. Tokens are never paired.
fn pairs(
    lists: &[Children<'_, '_>; 2],
    gap: &[Range<usize>; 2],
    key: impl Fn(&Children<'_, '_>, usize) -> u64,
) -> Vec<Gap> {
    let named = |i: usize| -> Vec<usize> {
        let list = &lists[i];
        gap[i].clone().filter(|&at| list.side.tree.node(list.nodes[at]).is_named()).collect()
    };
    let (olds, news) = (named(0), named(1));
    let keys = |i: usize, at: &[usize]| -> Vec<u64> { at.iter().map(|&at| key(&lists[i], at)).collect() };
    let mut found = Vec::new();
    let mut at = [gap[0].start, gap[1].start];
    for (o, n) in anchors(&keys(0, &olds), &keys(1, &news)) {
        for (o, n) in o.zip(n) {
            let (o, n) = (olds[o], news[n]);
            found.push(Gap::Between([at[0]..o, at[1]..n]));
            found.push(Gap::Pair(o, n));
            at = [o + 1, n + 1];
        }
    }
    found.push(Gap::Between([at[0]..gap[0].end, at[1]..gap[1].end]));
    found
}

/// Returns the ranges in which two lists are equal.
pub(crate) fn anchors(old: &[u64], new: &[u64]) -> Vec<(Range<usize>, Range<usize>)> {
    let equal = |op: &DiffOp| matches!(op, DiffOp::Equal { .. });
    let ops = capture_diff_slices(Algorithm::Myers, old, new);
    ops.iter().filter(|op| equal(op)).map(|op| (op.old_range(), op.new_range())).collect()
}
