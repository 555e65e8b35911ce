//! Proposes list members with their separators, and optional parts. The parts of a node form a group.
//!
//! ```text
//! f(a, b)             becomes   f(a)
//! if (a) b; else c;   becomes   if (a) b;
//! ```

use super::part::{Part, Parts, Stretch};
use super::symbol::{Context, section_frames};
use super::uses::UsesBuilder;
use super::{Builder, CandidateFilter, Layer, Proposal, Snapshot};
use nubbin_search::search::GroupKind;
use nubbin_syntax::edit::{Edit, Seam, Span};
use nubbin_syntax::stop;
use nubbin_syntax::{NONE, NodeId, Tree};
use std::collections::HashSet;

/// Proposes every part of every node that the grammar allows to remove. In languages in which a constant can replace
/// any name, such as `undef` in LLVM IR, names that lose their definition are replaced by it. Parts that begin or end a
/// section of a list are left to the pass that simplifies jumps.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart);
    for layer in &snapshot.layers {
        let cx = Context::new(snapshot, layer).filter(Context::has_universal);
        let frames = cx.as_ref().map_or_else(HashSet::new, section_frames);
        let constants = |part: NodeId| {
            let edits = || cx.as_ref().map_or_else(Vec::new, |cx| cx.constants_outside(part));
            (!frames.contains(&part)).then(edits)
        };
        let parted = Parted { from: 0, layer, source: &snapshot.source };
        let owners = parted.propose(&mut builder, &mut UsesBuilder::default(), &constants);
        parted.clauses(&mut builder, &owners);
    }
    builder.build()
}

/// Proposes the same deltas, but a delta deletes only definitions that nothing outside uses, and in addition the
/// definitions that become unused. Deltas that would leave constants behind are not proposed.
pub(super) fn unused(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart);
    let mut uses = UsesBuilder::default();
    for layer in &snapshot.layers {
        let cx = Context::new(snapshot, layer);
        let universal = cx.as_ref().filter(|cx| cx.has_universal());
        let frames = universal.map_or_else(HashSet::new, section_frames);
        let others = |part: NodeId| {
            let leaves_constants = universal.is_some_and(|cx| cx.defines_universal(part));
            (!leaves_constants && !frames.contains(&part)).then(Vec::new)
        };
        let parted = Parted { from: 0, layer, source: &snapshot.source };
        let owners = parted.propose(&mut builder, &mut uses, &others);
        if let Some(cx) = cx {
            uses.layer(&cx, &owners, snapshot.is_archive());
        }
    }
    builder.uses(uses.build());
    builder.build()
}

/// The parts of one layer from a position on.
pub(super) struct Parted<'p, 'l> {
    pub from: u32,
    pub layer: &'p Layer<'l>,
    pub source: &'p [u8],
}

impl Parted<'_, '_> {
    /// Proposes the parts, each with the edits that `with` returns for it. A member of a list without separators is
    /// skipped if `with` returns `None`. Returns the innermost delta that deletes each node.
    pub fn propose(
        &self,
        builder: &mut Builder,
        uses: &mut UsesBuilder,
        with: &dyn Fn(NodeId) -> Option<Vec<Edit>>,
    ) -> Vec<u32> {
        let Self { from, layer, source } = *self;
        let tree = &layer.tree;
        let parts = Parts { layer, source };
        let mut proposer = Proposer { tree, builder, uses, with, owners: vec![NONE; tree.len()] };
        for id in stop::all(tree.ids()) {
            let node = tree.node(id);
            if node.parent != NONE && proposer.owners[id as usize] == NONE {
                proposer.owners[id as usize] = proposer.owners[node.parent as usize];
            }
            if node.span.end <= from {
                continue;
            }
            let mut removable = parts.of(id);
            let is_whole = node.span.start >= from;
            if !is_whole {
                // Separators are defined for whole lists only.
                let is_loose = removable.separators.is_empty();
                removable.members.retain(|part| is_loose && part.span.start >= from);
                removable.optional.retain(|part| part.span.start >= from);
                removable.separators.clear();
                removable.stretches.clear();
            }
            let owner = proposer.owners[id as usize];
            let filler = layer.language.filler(node.kind).filter(|_| is_whole);
            if removable.stretches.is_empty() || filler.is_some() {
                proposer.list(owner, &removable.members, &removable.separators, filler);
            } else {
                proposer.stretches(owner, &removable.members, removable.stretches);
            }
            for part in &removable.optional {
                proposer.delta(owner, part, Vec::new());
            }
            proposer.close(owner);
        }
        proposer.owners
    }

    /// Proposes clauses that begin with a keyword and are not nodes. `owners` has the innermost delta that deletes each
    /// node.
    fn clauses(&self, builder: &mut Builder, owners: &[u32]) {
        let parts = Parts { layer: self.layer, source: self.source };
        for id in stop::all(self.layer.tree.ids()) {
            let owner = owners[id as usize];
            for spans in parts.clauses(id) {
                for span in spans {
                    builder.delta([Edit::delete(span)]);
                }
                builder.close(GroupKind::Choice, (owner != NONE).then_some(owner));
            }
        }
    }
}

/// Builds the deltas during a walk over the nodes of a layer, outermost nodes first.
struct Proposer<'p> {
    tree: &'p Tree,
    builder: &'p mut Builder,
    uses: &'p mut UsesBuilder,
    /// Returns the edits that accompany the deletion of a part.
    with: &'p dyn Fn(NodeId) -> Option<Vec<Edit>>,
    /// The innermost delta that deletes each node.
    owners: Vec<u32>,
}

impl Proposer<'_> {
    /// Adds the delta that deletes a part and makes these edits.
    fn delta(&mut self, owner: u32, part: &Part, edits: Vec<Edit>) {
        self.uses.delta(self.tree.node(part.child).span, owner);
        let edits = [Edit::delete(part.span)].into_iter().chain(edits);
        self.owners[part.child as usize] = self.builder.delta(edits);
    }

    /// Closes the group of the latest deltas.
    fn close(&mut self, owner: u32) {
        self.builder.close(GroupKind::Set, (owner != NONE).then_some(owner));
    }

    /// Adds the members of a list as a group.
    fn list(&mut self, owner: u32, members: &[Part], separators: &[Span], filler: Option<&str>) {
        for part in members {
            let edits = (self.with)(part.child);
            if edits.is_some() || !separators.is_empty() {
                self.delta(owner, part, edits.unwrap_or_default());
            }
        }
        let spans = || members.iter().map(|part| self.tree.node(part.child).span).collect();
        let filler = filler.map(|text| (text, spans()));
        self.builder.close_list((owner != NONE).then_some(owner), separators.to_vec(), filler);
    }

    /// Adds the sections of a list as a group, and the members of each section inside it.
    fn stretches(&mut self, owner: u32, members: &[Part], stretches: Vec<Stretch>) {
        let mut inside = Vec::new();
        for Stretch { members: range, span } in stretches {
            let nodes = || members[range.clone()].iter().map(|part| part.child);
            let edits: Option<Vec<_>> = nodes().map(self.with).collect();
            let Some(edits) = edits else {
                inside.push((owner, range));
                continue;
            };
            self.uses.delta(span, owner);
            let delta =
                self.builder.delta([Edit::delete(span)].into_iter().chain(edits.into_iter().flatten()));
            nodes().for_each(|node| self.owners[node as usize] = delta);
            if range.len() > 1 {
                inside.push((delta, range));
            }
        }
        self.close(owner);
        for (owner, range) in inside {
            self.list(owner, &members[range], &[], None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nubbin_language::Registry;
    use nubbin_syntax::Parser;
    use nubbin_syntax::edit::Patch;

    #[test]
    fn members_beside_other_children_go_with_their_separators() {
        let text = b"SELECT a FROM b, c, d WHERE e";
        let language = Registry::built_in().get("sql").expect("it is built in");
        let parsed = Parser::new(language.grammar()).parse(text);
        let proposal = propose(&Snapshot::new(text[..].into(), language, parsed));
        let all: Vec<String> = (0..proposal.len() as u32)
            .map(|delta| Patch::new(proposal.edits(&|_| false, &[delta])).apply(text, proposal.seam))
            .map(|text| String::from_utf8(text).expect("text stays text"))
            .collect();
        for tables in ["c, d", "b, d", "b, c"] {
            assert!(all.contains(&format!("SELECT a FROM {tables} WHERE e")), "{all:?}");
        }
    }
}
