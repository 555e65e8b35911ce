//! Proposes parts near the end of a large text, and then to delete everything before the end.
//!
//! In most languages definitions precede their uses, and a program follows the headers that it includes. A small
//! program often needs few headers or none.

use super::delete::Parted;
use super::proposal::gain;
use super::uses::UsesBuilder;
use super::{Builder, CandidateFilter, Layer, Proposal, Snapshot};
use nubbin_search::search::GroupKind;
use nubbin_syntax::NodeId;
use nubbin_syntax::edit::{Edit, Seam};
use std::cmp::Reverse;

struct Tuning {
    /// The size of the end in bytes: roughly that of a user's program that follows preprocessed library headers.
    end: usize,
    /// The smallest and the largest end that is tried alone, in bytes. Each is four times as large as the previous one.
    alone: (usize, usize),
}

const TUNING: Tuning = Tuning { end: 1 << 13, alone: (1 << 8, 1 << 18) };

/// Proposes the parts in the end of the text.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart);
    if let Some(layer) = program(snapshot) {
        let from = snapshot.source.len().saturating_sub(TUNING.end) as u32;
        let parted = Parted { from, layer, source: &snapshot.source };
        parted.propose(&mut builder, &mut UsesBuilder::default(), &|_| Some(Vec::new()));
    }
    builder.build()
}

/// Proposes, as alternatives, to keep only an end of the text.
pub(super) fn alone(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart);
    let Some(layer) = program(snapshot) else { return builder.build() };
    let removals = layer.removals(&snapshot.source);
    let parts = loose_parts(layer, |id| removals.is_loose(id));
    let before = |begin: u32| {
        let mut end = 0;
        let mut outermost = Vec::new();
        // A nested part comes after the part that contains it.
        for &(id, _) in &parts {
            let span = layer.tree.node(id).span;
            if span.end <= begin && span.start >= end {
                outermost.push(id);
                end = span.end;
            }
        }
        removals.edits(outermost)
    };
    let len = snapshot.source.len();
    let sizes = std::iter::successors(Some(TUNING.alone.0), |size| Some(size * 4));
    let sizes = sizes.take_while(|&size| size <= TUNING.alone.1.min(len / 4));
    let mut ways: Vec<Vec<Edit>> =
        sizes.filter_map(|size| begin(layer, &parts, len - size)).map(before).collect();
    ways.sort_by_cached_key(|edits| Reverse(gain(&snapshot.source, edits)));
    ways.dedup();
    for edits in ways {
        builder.delta(edits);
    }
    builder.close(GroupKind::Choice, None);
    builder.build()
}

/// Returns the layer of a text that is a single program in a language with definitions and uses.
fn program<'s, 'l>(snapshot: &'s Snapshot<'l>) -> Option<&'s Layer<'l>> {
    let [layer] = &snapshot.layers[..] else { return None };
    layer.language.names().is_some().then_some(layer)
}

/// Lists the members of lists without separators, each with its nesting depth.
fn loose_parts(layer: &Layer<'_>, is_loose: impl Fn(NodeId) -> bool) -> Vec<(NodeId, u32)> {
    let mut around = vec![0; layer.tree.len()];
    let mut parts = Vec::new();
    for id in layer.tree.ids() {
        let outer = around.get(layer.tree.node(id).parent as usize).copied().unwrap_or(0);
        let is_part = is_loose(id);
        around[id as usize] = outer + u32::from(is_part);
        parts.extend(is_part.then_some((id, outer)));
    }
    parts
}

/// Returns the position from which the end is kept: the start of the first of the outermost parts after `from`.
fn begin(layer: &Layer<'_>, parts: &[(NodeId, u32)], from: usize) -> Option<u32> {
    let start = |id: NodeId| layer.tree.node(id).span.start;
    let inside = parts.iter().filter(|(id, _)| start(*id) as usize >= from);
    inside.map(|&(id, around)| (around, start(id))).min().map(|(_, start)| start)
}

#[cfg(test)]
mod tests {
    use crate::{Reduction, Registry, Verdict};

    /// Returns a C program after this number of unused declarations.
    fn after_headers(program: &str, declarations: usize) -> Vec<u8> {
        let declaration =
            |i: usize| format!("extern long header_function_{i}(const char *, unsigned long);\n");
        let headers: String = (0..declarations).map(declaration).collect();
        (headers + program).into_bytes()
    }

    #[test]
    fn a_large_text_whose_end_fails_by_itself_loses_the_rest_in_one_step() {
        let program = "static int twice(int a) { return 2 * a; }\nint main(void) {\n  int b = twice(4);\n  return boom(b);\n}\n";
        let input = after_headers(program, 6_000);
        let mut probes = 0;
        let mut at_the_end = None;
        let fails = |text: &[u8]| Verdict::from(text.windows(5).any(|w| w == b"boom("));
        let c = Registry::built_in().get("c");
        let mut sink = |event: crate::event::Event<'_>| match event {
            crate::event::Event::Probed { counts, .. } => probes = counts.probes,
            crate::event::Event::Accepted { pass: "truncate/start", size, .. } => {
                at_the_end = Some((probes, size.bytes));
            }
            _ => {}
        };
        let reduction = || Reduction::new(&input[..]).language(c).confirm(1);
        let outcome = reduction().sink(&mut sink).run(&fails).expect("it fails");
        let without = reduction()
            .passes(|name| !["truncate/end", "truncate/start"].contains(&name))
            .run(&fails)
            .expect("it fails");
        assert_eq!(at_the_end, Some((21, 246)));
        assert_eq!((outcome.counts.probes, without.counts.probes), (49, 52));
    }

    #[test]
    fn a_small_text_has_no_opening() {
        let input = after_headers("int main(void) { return boom(); }\n", 60);
        let fails = |text: &[u8]| Verdict::from(text.windows(5).any(|w| w == b"boom("));
        let c = Registry::built_in().get("c");
        let outcome = Reduction::new(input).language(c).run(&fails).expect("it fails");
        assert!(
            outcome
                .passes
                .iter()
                .all(|pass| !["truncate/end", "truncate/start"].contains(&pass.name.as_str()))
        );
    }
}
