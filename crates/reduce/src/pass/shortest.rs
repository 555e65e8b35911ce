//! Replaces a node by the shortest sentences of the grammar that fit in its place: one of the same kind, and others.
//! (The idea is from "replacement beyond deletion" in syntax-guided reduction, OOPSLA 2025.)

use super::{Builder, CandidateFilter, Layer, Proposal, Snapshot};
use nubbin_search::search::GroupKind;
use nubbin_syntax::edit::{Edit, Seam, count_tokens};
use nubbin_syntax::{NONE, stop};
use std::collections::HashMap;

struct Tuning {
    /// The maximum number of sentences tried for one node, in addition to the shortest sentence of the same kind.
    alternatives: usize,
}

const TUNING: Tuning = Tuning { alternatives: 2 };

/// A sentence that fits in a place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Fitting<'l> {
    /// Tokens and bytes.
    size: (usize, usize),
    text: &'l str,
    kind: u16,
}

/// Proposes for each node of several tokens the shortest sentences that the grammar allows in its place.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart);
    for layer in &snapshot.layers {
        let mut places: HashMap<(u16, u16), Vec<Fitting<'_>>> = HashMap::new();
        for id in stop::all(layer.tree.ids()) {
            let node = layer.tree.node(id);
            if !node.is_named() || node.is_extra() || node.is_error() || node.parent == NONE {
                continue;
            }
            let own = count_tokens(node.span.of(&snapshot.source));
            if own < 2 {
                continue;
            }
            let place = (layer.tree.node(node.parent).kind, node.field);
            let fitting = places.entry(place).or_insert_with(|| fitting(layer, place));
            let smaller = || fitting.iter().filter(|one| one.size.0 < own);
            let mut texts: Vec<&str> = smaller().map(|one| one.text).take(TUNING.alternatives).collect();
            texts.extend(smaller().find(|one| one.kind == node.kind).map(|one| one.text));
            texts.dedup();
            for text in texts {
                builder.delta([Edit::replace(node.span, text.as_bytes())]);
            }
            builder.close(GroupKind::Choice, None);
        }
    }
    builder.build()
}

/// Returns the sentences of all kinds that are allowed in a field of a kind, the shortest first.
fn fitting<'l>(layer: &Layer<'l>, (kind, field): (u16, u16)) -> Vec<Fitting<'l>> {
    let Some(slot) = layer.language.grammar().slot(kind, field) else { return Vec::new() };
    let kinds = layer.language.sentences().filter(|(kind, _)| slot.allows(*kind));
    let of_kind = |(kind, texts): (u16, &'l [String])| {
        let size = |text: &str| (count_tokens(text.as_bytes()), text.len());
        texts.iter().map(move |text| Fitting { size: size(text), text, kind })
    };
    let mut fitting: Vec<Fitting<'_>> = kinds.flat_map(of_kind).collect();
    fitting.sort_unstable();
    fitting
}

#[cfg(test)]
mod tests {
    use super::*;
    use nubbin_language::Language;
    use nubbin_syntax::Parser;
    use nubbin_syntax::edit::Patch;

    #[test]
    fn a_node_becomes_the_smallest_of_its_place_and_of_its_kind() {
        let folder = tempfile::tempdir().expect("a directory");
        let manifest = "name = \"x\"\ntitle = \"X\"\ninherits = \"json\"\nsentences = true\n";
        let sentences =
            "words = []\n[kinds]\nnumber = [\"0\"]\narray = [\"[]\", \"[0]\"]\nstring = ['\"\"']\n";
        for (name, text) in [("language.toml", manifest), ("sentences.toml", sentences)] {
            std::fs::write(folder.path().join(name), text).expect("a writable directory");
        }
        let language = Language::load(folder.path()).expect("a language");
        let text = b"{\"a\": [1, 2, 3]}";
        let parsed = Parser::new(language.grammar()).parse(text);
        let proposal = propose(&Snapshot::new(text[..].into(), &language, parsed));
        let all: Vec<String> = (0..proposal.len() as u32)
            .map(|delta| Patch::new(proposal.edits(&|_| false, &[delta])).apply(text, proposal.seam))
            .map(|text| String::from_utf8(text).expect("text stays text"))
            .collect();
        let expected = ["0", "\"\"", "{\"\": [1, 2, 3]}", "{\"a\": 0}", "{\"a\": \"\"}", "{\"a\": []}"];
        assert_eq!(all, expected);
    }
}
