//! Reduces the targets of a jump and removes the sections that become unreachable.
//!
//! ```text
//!   br i1 %x, label %a, label %b
//! // ->
//!   br label %b                       // and `a:` is removed if nothing else leads there
//! ```

use super::Context;
use super::join;
use super::section::{Change, Jump, Sections};
use super::way::Way;
use crate::pass::{Builder, CandidateFilter, Proposal, Snapshot};
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Seam, Span};

struct Tuning {
    /// Maximum number of targets of one jump that are tried. Each of them requires a look at all jumps.
    places: usize,
    /// Approximate maximum number of proposed edits. A change can remove half of a long list.
    edits: usize,
}

const TUNING: Tuning = Tuning { places: 256, edits: 1 << 20 };

/// Proposes, for each jump, to end there, to keep a single target, or to remove one of more than two targets.
pub(in crate::pass) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart).scattered();
    let mut edits = 0;
    for cx in Context::all(snapshot) {
        for sections in Sections::all(&cx) {
            for (section, number, jump) in sections.jumps() {
                let changes = changes(&cx, &sections, (section, number), jump);
                let mut way = |change: &Change| {
                    let way = Way::from(sections.with(change));
                    edits += way.edits().len();
                    (edits <= TUNING.edits).then_some(way)
                };
                let mut ways: Vec<Way> = changes.iter().map_while(&mut way).collect();
                ways.extend(join::ways(&cx, &sections, section, jump));
                cx.choice(&mut builder, ways);
                let cases = cases(&cx, (section, number), jump);
                for case in cases.iter().map_while(way) {
                    cx.choice(&mut builder, vec![case]);
                }
                if edits > TUNING.edits {
                    return builder.build();
                }
            }
        }
    }
    builder.build()
}

/// Returns the changes after which a jump has at most one target.
fn changes(cx: &Context<'_>, sections: &Sections<'_>, at: (usize, usize), jump: &Jump) -> Vec<Change> {
    let (section, number) = at;
    let change = |stays: Vec<usize>, text: Vec<u8>| {
        let edits = vec![Edit::replace(cx.span(jump.member), text)];
        Change { section, jump: number, stays, edits }
    };
    let mut changes: Vec<Change> =
        sections.end().map(|end| change(Vec::new(), end.to_vec())).into_iter().collect();
    if jump.targets.len() > 1 {
        for (target, &(_, to)) in jump.targets.iter().enumerate().take(TUNING.places) {
            let is_first = jump.targets[..target].iter().all(|&(_, other)| other != to);
            let text = sections.jump_to(to).filter(|_| is_first);
            changes.extend(text.map(|text| change(vec![target], text)));
        }
    }
    changes
}

/// Returns the changes that remove one of many targets, with the text between it and the target before.
fn cases(cx: &Context<'_>, (section, number): (usize, usize), jump: &Jump) -> Vec<Change> {
    if jump.targets.len() < 3 {
        return Vec::new();
    }
    let case = |target: usize| {
        let holder =
            |id: NodeId, list: NodeId| cx.symbols.up(id).find(|&node| cx.tree.node(node).parent == list);
        let [before, own] = [jump.targets[target - 1].0, jump.targets[target].0];
        let list = cx.symbols.up(own).find(|&node| cx.symbols.holds(node, before))?;
        let (before, own) = (holder(before, list)?, holder(own, list)?);
        let opens = |id: &NodeId| cx.syntax().opens_list(cx.text(*id));
        let between = cx.tree.children(list).filter(|&child| child > before && child < own);
        let open = between.filter(opens).last().unwrap_or(before);
        let gone = Edit::delete(Span::new(cx.span(open).end, cx.span(own).end));
        let stays = (0..jump.targets.len()).filter(|&other| other != target).collect();
        Some(Change { section, jump: number, stays, edits: vec![gone] })
    };
    (1..jump.targets.len()).take(TUNING.places).filter_map(case).collect()
}
