//! Proposes runs of adjacent tokens across node boundaries, together with references to names that they define.
//!
//! Two adjacent functions can be merged in this way: the end of the first function and the head of the second are
//! deleted, with all calls of the second.
//!
//! ```text
//! def b; c; end  def d; e; end   becomes   def b; c; e; end
//! ```
//!
//! Languages whose rules cover such steps with fewer probes switch this pass off in their manifest.

use super::symbol::Context;
use super::{Builder, CandidateFilter, Layer, Proposal, Snapshot};
use nubbin_language::Idle;
use nubbin_syntax::edit::{Edit, Seam, Span};
use nubbin_syntax::{NONE, NodeId, deletion_span, stop};

struct Tuning {
    /// The minimum and the maximum number of tokens in a run.
    width: (usize, usize),
    /// The maximum number of tokens of a text on which the pass runs.
    tokens: usize,
}

const TUNING: Tuning = Tuning { width: (2, 12), tokens: 300 };

/// Proposes runs of adjacent tokens in a small text.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart).scattered();
    let leaves = snapshot.leaves();
    let [layer] = &snapshot.layers[..] else { return builder.build() };
    if leaves.len() > TUNING.tokens || layer.language.is_idle(Idle::Span) {
        return builder.build();
    }
    let leaves: Vec<NodeId> = leaves.into_iter().map(|(_, id)| id).collect();
    let cx = Context::new(snapshot, layer);
    let (least, most) = TUNING.width;
    for width in stop::all(least..=most.min(leaves.len().saturating_sub(1))) {
        for tokens in leaves.windows(width).filter(|tokens| !are_siblings(layer, tokens)) {
            let alone = vec![Edit::delete(span(snapshot, layer, tokens))];
            let together = cx.as_ref().and_then(|cx| with_references(cx, tokens, alone[0].span));
            builder.choice(&snapshot.source, [alone].into_iter().chain(together).collect());
        }
    }
    builder.build()
}

/// Returns whether the tokens are whole sibling nodes. Other passes have tried those.
fn are_siblings(layer: &Layer<'_>, tokens: &[NodeId]) -> bool {
    let node = |id: NodeId| layer.tree.node(id);
    let (Some(&first), Some(&last)) = (tokens.first(), tokens.last()) else { return true };
    let (start, end) = (node(first).span.start, node(last).span.end);
    // Lists the parents of the leaf and of the nodes around it that begin or end with it.
    let parents = |leaf: NodeId, is_edge: &dyn Fn(NodeId) -> bool| {
        let mut parents = Vec::new();
        let mut id = leaf;
        while id != NONE && is_edge(id) {
            id = node(id).parent;
            parents.push(id);
        }
        parents
    };
    let before = parents(first, &|id| node(id).span.start == start && node(id).span.end <= end);
    let after = parents(last, &|id| node(id).span.end == end && node(id).span.start >= start);
    before.iter().any(|parent| after.contains(parent))
}

/// Returns the span to delete for these tokens.
fn span(snapshot: &Snapshot<'_>, layer: &Layer<'_>, tokens: &[NodeId]) -> Span {
    let span = |id: &NodeId| layer.tree.node(*id).span;
    let (first, last) = (tokens.first().map(span), tokens.last().map(span));
    let span = Span::new(first.map_or(0, |span| span.start), last.map_or(0, |span| span.end));
    deletion_span(&snapshot.source, span)
}

/// Returns the edits that delete the tokens and all references to names that they define. Returns `None` if there are
/// no references, or if they cannot be deleted.
fn with_references(cx: &Context<'_>, tokens: &[NodeId], gone: Span) -> Option<Vec<Edit>> {
    let (&first, &last) = (tokens.first()?, tokens.last()?);
    let mut units = Vec::new();
    for (_, symbol) in cx.symbols.definitions_among(first..last + 1) {
        let symbol = &cx.symbols[symbol];
        let is_gone = |id: NodeId| (first..=last).contains(&id);
        if symbol.definitions.iter().all(|one| is_gone(one.id)) {
            let uses = symbol.references.iter().filter(|one| !is_gone(one.id));
            units.extend(uses.map(|one| cx.unit(one.whole)).collect::<Option<Vec<_>>>()?);
        }
    }
    let apart = |id: &NodeId| cx.span(*id).end <= gone.start || cx.span(*id).start >= gone.end;
    if units.is_empty() || !units.iter().all(apart) {
        return None;
    }
    Some(cx.removals.edits(units).into_iter().chain([Edit::delete(gone)]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Registry;
    use nubbin_syntax::Parser;
    use nubbin_syntax::edit::Patch;

    /// Returns the texts that the pass proposes.
    fn proposed(language: &str, text: &str) -> Vec<String> {
        let language = Registry::built_in().get(language).expect("it is built in");
        let source = text.as_bytes();
        let proposal =
            propose(&Snapshot::new(source.into(), language, Parser::new(language.grammar()).parse(source)));
        let text = |delta| Patch::new(proposal.edits(&|_| false, &[delta])).apply(source, proposal.seam);
        let texts =
            (0..proposal.len() as u32).map(|delta| String::from_utf8(text(delta)).expect("it is text"));
        texts.collect()
    }

    #[test]
    fn two_methods_become_one_and_the_calls_of_the_second_go() {
        let texts =
            proposed("ruby", "class A\n  def b\n    c\n  end\n  def d\n    e\n  end\nend\nA.new.b\nx.d\n");
        let one = "class A\n  def b\n    c\n    e\n  end\nend\nA.new.b\n";
        assert!(texts.iter().any(|text| text.trim_end() == one.trim_end()), "{texts:#?}");
    }

    #[test]
    fn a_language_with_rules_of_its_own_has_none() {
        assert!(proposed("c", "int f() { a(); }\nint g() { b(); }\n").is_empty());
    }
}
