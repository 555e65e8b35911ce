//! Finds code that the failing run does not execute, and proposes to delete all of it at once.
//!
//! Each block is instrumented with a *mark*: a statement that only checks whether a file with a unique path exists.
//! [`Coverage`] traces the run and reports which of these paths are checked. One run thus covers all blocks, whereas
//! bisection would need about one run per block.

use super::files_of;
use crate::Languages;
use crate::offer::{Offer, Proposed, Proposer};
use crate::pass::{Layer, Snapshot, emptied};
use nubbin_archive::{self as archive, Type};
use nubbin_syntax::edit::{Edit, Patch, Seam, Span};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The directory of the paths that marks check. It need not exist.
pub const MARKS: &str = "/nubbin-reached";
/// The minimum number of blocks to instrument. Fewer blocks are deleted as fast one by one.
const LEAST: usize = 64;

/// Traces runs of the oracle.
pub trait Coverage {
    /// Runs the oracle on a candidate and returns the paths that the run uses. Returns `None` without a run if they
    /// cannot be traced.
    fn reached(&self, candidate: &[u8]) -> Option<Reached>;
}

/// The paths that a run uses.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// Whether the candidate was interesting; otherwise the paths are meaningless.
    pub is_interesting: bool,
    /// The names of files in [`MARKS`], which are numbers.
    pub marks: BTreeSet<usize>,
    /// The used files of the candidate, by their paths in it; empty if unknown.
    pub files: BTreeSet<PathBuf>,
}

/// Proposes to delete the code that is not executed.
pub(super) struct Unreached<'u> {
    pub languages: &'u dyn Languages,
    pub coverage: &'u dyn Coverage,
    /// The number of runs.
    pub runs: Cell<usize>,
    /// Whether a run was successful.
    pub sees: Cell<bool>,
}

impl<'u> Unreached<'u> {
    pub fn new(languages: &'u dyn Languages, coverage: &'u dyn Coverage) -> Self {
        Self { languages, coverage, runs: Cell::new(0), sees: Cell::new(false) }
    }
}

struct Block<'l> {
    span: Span,
    /// The statement that checks the path of the block.
    mark: Edit,
    /// The text that replaces the block.
    filler: &'l str,
}

impl Proposer for Unreached<'_> {
    fn propose(&self, best: &[u8]) -> Proposed {
        let files = files_of(best, self.languages);
        let snapshot = Snapshot::files(best.into(), &files);
        let blocks: Vec<Block<'_>> =
            snapshot.layers.iter().flat_map(|layer| blocks(layer, &snapshot.source)).collect();
        if blocks.len() < LEAST {
            return Proposed::default();
        }
        let marks = blocks.iter().enumerate().map(|(number, block)| Edit {
            span: block.mark.span,
            text: String::from_utf8_lossy(&block.mark.text)
                .replace("{}", &format!("{MARKS}/{number}"))
                .into_bytes()
                .into(),
        });
        let marked = Patch::new(marks.collect()).apply(best, Seam::Touch);
        let Some(reached) = self.coverage.reached(&marked) else { return Proposed::default() };
        self.runs.set(self.runs.get() + 1);
        if !reached.is_interesting {
            return Proposed::default();
        }
        self.sees.set(true);
        let mut offers = Vec::new();
        if archive::kind(best) == Some(archive::ArchiveKind::Folder) && !reached.files.is_empty() {
            for entry in archive::entries(best) {
                if entry.kind == Type::File && !reached.files.contains(&entry.path) {
                    let (start, end) = entry.all;
                    offers.push(offer("file", Edit::delete(Span::new(start as u32, end as u32))));
                }
            }
        }
        for layer in snapshot.layers.iter().filter(|layer| layer.language.mark().is_some()) {
            let emptied = emptied(layer, &snapshot.source);
            offers.extend(emptied.into_iter().map(|(kind, edit)| offer(kind, edit)));
        }
        let mut end = 0;
        for (number, block) in blocks.iter().enumerate() {
            let is_inside = block.span.start < end;
            if is_inside || reached.marks.contains(&number) || block.span.of(best) == block.filler.as_bytes()
            {
                continue;
            }
            end = block.span.end;
            offers.push(offer("block", Edit::replace(block.span, block.filler.as_bytes())));
        }
        Proposed { offers, notes: Vec::new() }
    }
}

fn offer(kind: &str, edit: Edit) -> Offer {
    Offer::Edits { kind: kind.into(), edits: vec![edit] }
}

/// Returns the blocks of a file by their starts, outer blocks first.
fn blocks<'l>(layer: &Layer<'l>, source: &[u8]) -> Vec<Block<'l>> {
    let language = layer.language;
    let Some(mark) = language.mark() else { return Vec::new() };
    let of = |id| {
        let node = layer.tree.node(id);
        let filler = language.filler(node.kind).filter(|_| !node.span.is_empty())?;
        let start = node.span.start as usize;
        let line = source[..start].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let before = &source[line..start];
        // A statement on a separate line includes the line end.
        let end = if before.iter().all(u8::is_ascii_whitespace) {
            [b"\n", before].concat()
        } else {
            b"; ".to_vec()
        };
        let text = [mark.as_bytes(), &end].concat();
        let mark = Edit { span: Span::new(node.span.start, node.span.start), text: text.into() };
        Some(Block { span: node.span, mark, filler })
    };
    let mut blocks: Vec<Block<'_>> = layer.tree.ids().filter_map(of).collect();
    blocks.sort_by_key(|block| (block.span.start, std::cmp::Reverse(block.span.end)));
    // In texts without syntax errors no two blocks begin at the same position. In other texts the outer block is kept.
    blocks.dedup_by_key(|block| block.span.start);
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use nubbin_archive::{ArchiveKind, Item};
    use nubbin_language::Registry;

    struct Watch<'w>(&'w std::cell::RefCell<Vec<u8>>);
    impl Coverage for Watch<'_> {
        fn reached(&self, candidate: &[u8]) -> Option<Reached> {
            candidate.clone_into(&mut self.0.borrow_mut());
            let marks = (0..96).filter(|number| number % 3 != 2 && *number < 93).collect();
            Some(Reached { is_interesting: true, marks, ..Reached::default() })
        }
    }

    #[test]
    fn blocks_that_are_not_reached_are_offered_and_marks_stand_where_statements_may() {
        let text = "def f(a):\n    if a: return 1\n    else:\n        b = 2\n        return b\n".repeat(32);
        let (path, content) = ("a.py".into(), text.into_bytes());
        let best =
            archive::pack(ArchiveKind::Files, &[Item { kind: Type::File, mode: 0o644, path, content }]);
        let seen = std::cell::RefCell::new(Vec::new());
        let registry = Registry::built_in();
        let watch = Watch(&seen);
        let unreached = Unreached::new(registry, &watch);
        let answer = unreached.propose(&best);
        assert_eq!(unreached.runs.get(), 1);
        let offered: Vec<String> = answer
            .offers
            .iter()
            .map(|offer| match offer {
                Offer::Edits { edits, .. } => String::from_utf8_lossy(edits[0].span.of(&best)).into_owned(),
                Offer::Text(_) => unreachable!("edits are offered"),
            })
            .collect();
        assert_eq!(offered.len(), 32, "the inner blocks of the last one go with it");
        assert_eq!(offered[0], "b = 2\n        return b");
        assert!(offered[31].starts_with("if a: return 1"));
        let marked = String::from_utf8(seen.borrow().clone()).expect("text stays text");
        let files = archive::entries(marked.as_bytes());
        let source = files[0].content_in(marked.as_bytes());
        let python = registry.get("python").expect("it is built in");
        let parsed = nubbin_syntax::Parser::new(python.grammar()).parse(source);
        assert_eq!(parsed.errors(), 0, "{marked}");
        assert!(marked.contains("/nubbin-reached/95") && !marked.contains("/nubbin-reached/96"));
    }
}
