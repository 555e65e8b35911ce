//! Finds the removable parts of a node: list members with their separators, and optional parts.

use super::Layer;
use nubbin_syntax::edit::{Edit, Span};
use nubbin_syntax::{NONE, NodeId, deletion_span};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

struct Tuning {
    /// The minimum number of children in a clause, including its keyword.
    least: usize,
    /// The maximum number of children in a clause.
    most: usize,
    /// The maximum number of ends that are tried for one clause.
    ends: usize,
}

const TUNING: Tuning = Tuning { least: 3, most: 10, ends: 2 };

/// Finds the removable parts in one layer.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a, 'l> {
    pub layer: &'a Layer<'l>,
    pub source: &'a [u8],
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub child: NodeId,
    /// The span to delete.
    pub span: Span,
}

#[derive(Debug, Default)]
pub(super) struct Removable {
    /// The list members.
    pub members: Vec<Part>,
    /// The separators between adjacent members, an empty span where there is none. The list is empty if there are no
    /// separators at all.
    pub separators: Vec<Span>,
    /// The parts that can be removed independently.
    pub optional: Vec<Part>,
    /// The members grouped by terminators, if the list has syntax errors and a repeated terminator; otherwise empty.
    pub stretches: Vec<Stretch>,
}

impl Parts<'_, '_> {
    /// Returns the removable parts of a node.
    pub fn of(&self, id: NodeId) -> Removable {
        let tree = &self.layer.tree;
        if self.layer.language.is_whole(tree.node(id).kind) {
            return Removable::default();
        }
        let children: Vec<NodeId> = tree.children(id).filter(|&c| !tree.node(c).is_extra()).collect();
        let (mut members, mut optional) = self.parts(id, &children);
        let terminator = self.terminator(id);
        let mut separators =
            if terminator.is_some() { Vec::new() } else { self.separators(&children, &members) };
        if separators.is_empty() && terminator.is_none() && self.layer.language.has_terminators() {
            separators = self.runs(id, &children, &mut members);
        }
        if !members.is_empty() && separators.is_empty() {
            for part in &mut members {
                part.span = self.with_terminator(&children, *part);
            }
            self.add_extras(id, terminator.is_some(), &mut members);
            // Members with separators do not delete their lines; the edits of the separators do that.
            for part in &mut members {
                part.span = deletion_span(self.source, part.span);
            }
        }
        for part in &mut optional {
            part.span = deletion_span(self.source, part.span);
        }
        let stretches = terminator.map_or_else(Vec::new, |kind| self.stretches(id, kind, &members));
        Removable { members, separators, optional, stretches }
    }

    /// For each keyword among the children of a node except the first child, returns the spans that begin with the
    /// keyword and that the parse table allows to remove, the longest first. This covers clauses for which a grammar
    /// has no node, such as `REFERENCES a (b)` in a column of SQL.
    pub fn clauses(&self, id: NodeId) -> Vec<Vec<Span>> {
        let tree = &self.layer.tree;
        let children: Vec<NodeId> = tree.children(id).filter(|&c| !tree.node(c).is_extra()).collect();
        if children.len() <= TUNING.least || tree.node(id).is_error() {
            return Vec::new();
        }
        let spans = |i: usize| {
            let ends = (i + TUNING.least..=children.len().min(i + TUNING.most)).rev();
            let spans = ends.filter_map(|end| self.skippable(&children, i..end));
            spans.map(|span| deletion_span(self.source, span)).take(TUNING.ends).collect::<Vec<_>>()
        };
        let heads = (1..children.len()).filter(|&i| self.is_keyword(children[i]));
        heads.map(spans).filter(|spans| !spans.is_empty()).collect()
    }

    /// Returns whether a node is a keyword that the grammar names, such as `keyword_references` for `REFERENCES`.
    fn is_keyword(&self, id: NodeId) -> bool {
        let node = self.layer.tree.node(id);
        let text = node.span.of(self.source);
        let ends_in = |kind: &str| {
            let text = text.to_ascii_lowercase();
            kind.as_bytes().strip_suffix(&text[..]).is_some_and(|head| head.ends_with(b"_"))
        };
        let is_word = !text.is_empty() && text.iter().all(u8::is_ascii_alphabetic);
        let kind = || self.layer.language.grammar().kind_name(node.kind);
        self.layer.tree.is_leaf(id) && node.is_named() && is_word && ends_in(kind())
    }

    /// Returns the kind of the token that terminates several members of the outermost list, if that list has syntax
    /// errors. In this case a member may have been split, and terminators may be missing or be inside an error node.
    fn terminator(&self, id: NodeId) -> Option<u16> {
        let tree = &self.layer.tree;
        let is_broken = |child: NodeId| tree.node(child).is_extra() && tree.node(child).is_error();
        if tree.node(id).parent != NONE || tree.node(id).is_error() || !tree.children(id).any(is_broken) {
            return None;
        }
        let nodes = tree.children(id).map(|child| tree.node(child));
        let mut seen = HashSet::new();
        nodes.filter(|node| !node.is_named() && !node.is_error()).find_map(|node| {
            let is_new = seen.insert(node.kind);
            (!is_new).then_some(node.kind)
        })
    }

    /// Returns the list members and the optional parts among the children of a node.
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
                // Without it the list would be empty, which the grammar forbids.
            } else if is_member {
                let span = self.with_word(children, i).unwrap_or(node.span);
                members.push(Part { child, span });
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

    /// Returns whether a child is the only named one in its slot, and the language has no text for an empty slot.
    fn is_only(&self, children: &[NodeId], i: usize) -> bool {
        let tree = &self.layer.tree;
        let node = tree.node(children[i]);
        let same = |&other: &NodeId| tree.node(other).is_named() && tree.node(other).field == node.field;
        self.layer.language.filler(tree.node(node.parent).kind).is_none()
            && !children[..i].iter().chain(&children[i + 1..]).any(same)
    }

    /// Returns the only member of a list whose brackets are in the same field, if the parse table allows to remove it.
    /// Such a field is never empty, but the list can be.
    fn only(&self, id: NodeId) -> Option<Part> {
        let tree = &self.layer.tree;
        let children: Vec<NodeId> = tree.children(id).filter(|&c| !tree.node(c).is_extra()).collect();
        let (named, tokens): (Vec<usize>, Vec<usize>) =
            (0..children.len()).partition(|&i| tree.node(children[i]).is_named());
        let field = |i: usize| tree.node(children[i]).field;
        let has_brackets = |i: usize| field(i) != 0 && tokens.iter().any(|&token| field(token) == field(i));
        let mut alone = named.into_iter().filter(|&i| has_brackets(i) && self.is_only(&children, i));
        alone.find_map(|i| Some(Part { child: children[i], span: self.skippable(&children, i..i + 1)? }))
    }

    /// Returns whether a child is one of two tokens that enclose all others. These are removed by replacing the node by
    /// its content.
    fn is_bracket(&self, children: &[NodeId], i: usize) -> bool {
        let ends = [0, children.len() - 1];
        children.len() > 2
            && ends.contains(&i)
            && ends.iter().all(|&e| !self.layer.tree.node(children[e]).is_named())
    }

    /// Adds comments and error nodes between the members of a list without separators as members, so that they can be
    /// deleted together with their neighbors. Unless the list has a terminator, an error node is added only if it has
    /// text outside its children.
    fn add_extras(&self, id: NodeId, is_terminated: bool, members: &mut Vec<Part>) {
        let tree = &self.layer.tree;
        let has_text = |id| tree.gaps(id).any(|gap| !gap.of(self.source).trim_ascii().is_empty());
        let extras = tree.children(id).filter(|&child| {
            let node = tree.node(child);
            let goes = || is_terminated || !tree.node(id).is_error() && has_text(child);
            node.is_extra() && !node.span.is_empty() && (!node.is_error() || goes())
        });
        members.extend(extras.map(|child| Part { child, span: tree.node(child).span }));
        members.sort_by_key(|part| part.child);
    }

    /// Returns the span of an optional part, possibly with the token before or after it, as the parse table requires.
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

    /// Returns the span of the only member of a list with the word before it, if the parse table allows to remove only
    /// both, such as `is A` in a Solidity contract.
    fn with_word(&self, children: &[NodeId], i: usize) -> Option<Span> {
        let tree = &self.layer.tree;
        let word = tree.node(*children.get(i.checked_sub(1)?)?);
        let is_word = !word.is_named() && word.span.of(self.source).iter().all(u8::is_ascii_alphabetic);
        let alone = is_word && self.is_only(children, i) && self.skippable(children, i..i + 1).is_none();
        if alone { self.skippable(children, i - 1..i + 1) } else { None }
    }

    /// Returns the span of a member of a list without separators. It includes the next token if the parse table
    /// requires that, such as the `;` after a statement.
    fn with_terminator(&self, children: &[NodeId], part: Part) -> Span {
        let Ok(i) = children.binary_search(&part.child) else { return part.span };
        let is_token = |&child: &NodeId| !self.layer.tree.node(child).is_named();
        if !self.layer.language.has_terminators()
            || !children.get(i + 1).is_some_and(is_token)
            || self.is_bracket(children, i + 1)
            || self.skippable(children, i..i + 1).is_some()
        {
            return part.span;
        }
        self.skippable(children, i..i + 2).unwrap_or(part.span)
    }

    /// Returns the stretches of a list, each up to a terminator.
    fn stretches(&self, id: NodeId, terminator: u16, members: &[Part]) -> Vec<Stretch> {
        let tree = &self.layer.tree;
        let terminates = |id: NodeId| tree.node(id).kind == terminator;
        let mut stretches = Vec::new();
        let (mut first, mut next) = (0, 0);
        for child in tree.children(id) {
            let is_member = members.get(next).is_some_and(|part| part.child == child);
            next += usize::from(is_member);
            let is_end =
                terminates(child) || is_member && tree.children(child).last().is_some_and(terminates);
            if is_end && first < next {
                let span = Span::new(members[first].span.start, tree.node(child).span.end);
                stretches.push(Stretch { members: first..next, span: deletion_span(self.source, span) });
                first = next;
            }
        }
        if let (Some(from), Some(to)) = (members.get(first), members.last()) {
            let span = Span::new(from.span.start, to.span.end);
            stretches.push(Stretch { members: first..members.len(), span });
        }
        stretches
    }

    /// Returns the span of these children, if the parse table allows the next token to follow the previous one.
    fn skippable(&self, children: &[NodeId], range: Range<usize>) -> Option<Span> {
        let tree = &self.layer.tree;
        let (first, last) = (children[range.start], children[range.end - 1]);
        let next = tree.leaf_after(last)?;
        let follows =
            self.layer.language.grammar().may_follow(tree.node(first).state, tree.node(next).symbol);
        follows?.then(|| Span::new(tree.node(first).span.start, tree.node(last).span.end))
    }

    /// Returns the separators of the lists among the members, if any. Such a list has members of one kind, the
    /// separator of the language between each two, and none after the last. Members of no such list get the span to
    /// delete.
    fn runs(&self, id: NodeId, children: &[NodeId], members: &mut [Part]) -> Vec<Span> {
        let tree = &self.layer.tree;
        let at = |child: NodeId| children.binary_search(&child).expect("members are children");
        let separator = self.layer.language.syntax().separator().trim_ascii();
        let is_separator =
            |id: NodeId| !tree.node(id).is_named() && tree.node(id).span.of(self.source) == separator;
        let between = |left: Part, right: Part| {
            let (from, to) = (at(left.child), at(right.child));
            let token = (to - from == 2).then(|| children[from + 1])?;
            let is_one = tree.node(left.child).kind == tree.node(right.child).kind;
            (is_one && is_separator(token)).then_some(token)
        };
        let tokens: Vec<Option<NodeId>> = members.windows(2).map(|pair| between(pair[0], pair[1])).collect();
        if tokens.iter().all(Option::is_none) || tree.children(id).any(|child| tree.node(child).is_error()) {
            return Vec::new();
        }
        let mut separators = vec![Span::new(0, 0); tokens.len()];
        let mut from = 0;
        for run in tokens.chunk_by(|left, right| left.is_some() == right.is_some()) {
            let last = from + run.len();
            let behind = children.get(at(members[last].child) + 1);
            if !behind.is_some_and(|&id| is_separator(id)) {
                for (place, token) in (from..last).zip(run.iter().flatten()) {
                    let end = tree.node(members[place + 1].child).span.start;
                    separators[place] = Span::new(tree.node(*token).span.start, end);
                }
            }
            from = last;
        }
        if separators.iter().all(|span| span.is_empty()) {
            return Vec::new();
        }
        for (place, part) in members.iter_mut().enumerate() {
            let beside = [place.checked_sub(1), Some(place)].into_iter().flatten();
            if beside.filter_map(|gap| separators.get(gap)).all(|span| span.is_empty()) {
                part.span = deletion_span(self.source, self.with_terminator(children, *part));
            }
        }
        separators
    }

    /// Returns the separators between the members, if there is exactly one token between each two, always of the same
    /// kind.
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
            let is_bracket = matches!(between.span.of(self.source), b"(" | b")" | b"[" | b"]" | b"{" | b"}");
            if between.is_named() || is_bracket || *kind.get_or_insert(between.kind) != between.kind {
                return Vec::new();
            }
            // The span extends to the next member, so that no whitespace is left.
            separators.push(Span::new(between.span.start, tree.node(pair[1].child).span.start));
        }
        separators
    }
}

/// Adjacent members of a list up to a terminator, such as a partly parsed SQL statement.
#[derive(Debug)]
pub(super) struct Stretch {
    /// The indices of the members.
    pub members: Range<usize>,
    /// The span to delete, including the terminator.
    pub span: Span,
}

/// The edits that remove each removable node of a layer.
#[derive(Debug)]
pub(super) struct Removals {
    lists: Vec<RemovableList>,
    ways: HashMap<NodeId, RemovalWay>,
}

#[derive(Debug)]
struct RemovableList {
    removable: Removable,
    /// The span from the first to the last member, and its replacement if all members are removed.
    filler: Option<(Span, Box<[u8]>)>,
}

#[derive(Clone, Copy, Debug)]
enum RemovalWay {
    /// A list member: the index of the list, and of the member in it.
    Member(u32, u32),
    /// An optional part, with the span to delete.
    Part(Span),
}

impl Removals {
    /// Finds the removable nodes of a layer.
    pub fn new(parts: Parts<'_, '_>) -> Self {
        let (mut lists, mut ways) = (Vec::new(), HashMap::new());
        for id in parts.layer.tree.ids().filter(|&id| !parts.layer.tree.is_leaf(id)) {
            let removable = parts.of(id);
            ways.extend(removable.optional.iter().map(|part| (part.child, RemovalWay::Part(part.span))));
            let list = lists.len() as u32;
            let members = removable.members.iter().enumerate();
            ways.extend(members.map(|(i, part)| (part.child, RemovalWay::Member(list, i as u32))));
            ways.extend(parts.only(id).map(|part| (part.child, RemovalWay::Part(part.span))));
            if let (Some(&first), Some(&last)) = (removable.members.first(), removable.members.last()) {
                let tree = &parts.layer.tree;
                let whole = Span::new(tree.node(first.child).span.start, tree.node(last.child).span.end);
                let filler = parts.layer.language.filler(tree.node(id).kind);
                lists.push(RemovableList {
                    removable,
                    filler: filler.map(|text| (whole, text.as_bytes().into())),
                });
            }
        }
        Self { lists, ways }
    }

    /// Returns whether a node can be removed.
    pub fn may_go(&self, id: NodeId) -> bool {
        self.ways.contains_key(&id)
    }

    /// Returns whether a node is a member of a list without separators.
    pub fn is_loose(&self, id: NodeId) -> bool {
        let list = |list: u32| &self.lists[list as usize].removable;
        matches!(self.ways.get(&id), Some(&RemovalWay::Member(of, _)) if list(of).separators.is_empty())
    }

    /// Returns the list member after a node, or the one before it if the node is the last.
    pub fn beside(&self, id: NodeId) -> Option<NodeId> {
        let Some(&RemovalWay::Member(list, at)) = self.ways.get(&id) else { return None };
        let members = &self.lists[list as usize].removable.members;
        let at = at as usize;
        members.get(at + 1).or_else(|| members.get(at.checked_sub(1)?)).map(|part| part.child)
    }

    /// Returns whether a node is a list member.
    pub fn is_member(&self, id: NodeId) -> bool {
        matches!(self.ways.get(&id), Some(RemovalWay::Member(..)))
    }

    /// Returns the edits that remove these nodes, except nodes that cannot be removed.
    pub fn edits(&self, nodes: impl IntoIterator<Item = NodeId>) -> Vec<Edit> {
        let mut edits = Vec::new();
        let mut lists: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for node in nodes {
            match self.ways.get(&node) {
                Some(&RemovalWay::Part(span)) => edits.push(Edit::delete(span)),
                Some(&RemovalWay::Member(list, member)) => {
                    lists.entry(list).or_default().insert(member);
                }
                None => {}
            }
        }
        for (list, gone) in lists {
            let RemovableList { removable: list, filler } = &self.lists[list as usize];
            if let Some((whole, text)) = filler
                && gone.len() == list.members.len()
            {
                edits.push(Edit::replace(*whole, text.clone()));
                continue;
            }
            edits.extend(gone.iter().map(|&i| Edit::delete(list.members[i as usize].span)));
            let needless = needless(&list.separators, |i| !gone.contains(&i));
            edits.extend(needless.into_iter().map(Edit::delete));
        }
        edits
    }
}

/// Returns the separators to delete if only some members stay. One separator is kept between each two of them that had
/// one between them.
pub(super) fn needless(separators: &[Span], stays: impl Fn(u32) -> bool) -> Vec<Span> {
    let mut any_before = false;
    let mut needless = Vec::new();
    for (i, &separator) in separators.iter().enumerate() {
        any_before |= stays(i as u32);
        if separator.is_empty() {
            any_before = false;
        } else if !(any_before && stays(i as u32 + 1)) {
            needless.push(separator);
        }
    }
    needless
}
