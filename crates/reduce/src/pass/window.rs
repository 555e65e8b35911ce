//! Proposes windows: several nearby tokens that are deleted together, although they do not form a node.
//!
//! Vulcan (OOPSLA 2023) tries every subset of up to eight consecutive tokens, most of which do not parse. This pass
//! parses the candidates itself and proposes only a few that do. The exhaustive pass takes much longer.

use super::{Builder, CandidateFilter, Proposal, Snapshot};
use nubbin_syntax::edit::{Edit, Patch, Seam, Span};
use nubbin_syntax::{Parser, deletion_span};

struct Tuning {
    /// The maximum number of consecutive tokens in a window.
    width: usize,
    /// The maximum number of tokens of a text on which the pass runs.
    tokens: usize,
    /// The number of tokens of the text for each proposed delta.
    share: usize,
    /// The minimum number of proposed deltas.
    fewest_windows: usize,
    /// The maximum number of deltas in the exhaustive proposal.
    most_windows: usize,
    /// The maximum number of consecutive tokens that are deleted together if the rest need not parse.
    cut: usize,
}

const TUNING: Tuning =
    Tuning { width: 8, tokens: 400, share: 8, fewest_windows: 4, most_windows: 4_000, cut: 4 };

/// Proposes the simplest windows without which the text parses.
pub(super) fn some(snapshot: &Snapshot<'_>) -> Proposal {
    fitting(snapshot, |tokens| (tokens / TUNING.share).max(TUNING.fewest_windows))
}

/// Proposes all windows without which the text parses.
pub(super) fn all(snapshot: &Snapshot<'_>) -> Proposal {
    fitting(snapshot, |_| TUNING.most_windows)
}

/// Proposes consecutive tokens; the rest need not parse.
pub(super) fn cut(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Nothing, Seam::Apart);
    let tokens = tokens(snapshot);
    for width in 2..=TUNING.cut {
        for window in tokens.windows(width) {
            builder.single(edits(&snapshot.source, window, (1 << width) - 1));
        }
    }
    builder.build()
}

fn fitting(snapshot: &Snapshot<'_>, most: impl Fn(usize) -> usize) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Apart);
    let (Some(layer), tokens) = (snapshot.layers.first(), tokens(snapshot)) else { return builder.build() };
    let most = most(tokens.len());
    let mut parser = Parser::new(layer.language.grammar());
    let mut found = 0;
    for shape in shapes(tokens.len().min(TUNING.width)) {
        for window in tokens.windows(shape.width) {
            if found == most {
                return builder.build();
            }
            let edits = edits(&snapshot.source, window, shape.gone);
            let candidate = Patch::new(edits.clone()).apply(&snapshot.source, Seam::Apart);
            if parser.parse(&candidate).errors() <= layer.parsed.errors() {
                builder.single(edits);
                found += 1;
            }
        }
    }
    builder.build()
}

/// Returns the tokens, or none if the text has too many.
fn tokens(snapshot: &Snapshot<'_>) -> Vec<Span> {
    let leaves = snapshot.leaves();
    if leaves.len() > TUNING.tokens {
        return Vec::new();
    }
    leaves.into_iter().map(|(layer, id)| layer.tree.node(id).span).collect()
}

/// The deleted tokens of a window, as bits; the lowest bit is for the first token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct WindowShape {
    width: usize,
    gone: u32,
}

/// Returns all shapes up to a width, by the number of deleted tokens and then by width. The first and last token of a
/// shape are always deleted.
fn shapes(width: usize) -> Vec<WindowShape> {
    let mut shapes: Vec<WindowShape> = (2..=width)
        .flat_map(|width| {
            (0..1u32 << (width - 2)).map(move |inner| (width, 1 | inner << 1 | 1 << (width - 1)))
        })
        .map(|(width, gone)| WindowShape { width, gone })
        .collect();
    shapes.sort_by_key(|shape| (shape.gone.count_ones(), shape.width));
    shapes
}

/// Returns the edits that delete tokens of a window. Adjacent tokens are deleted together. If tokens between deleted
/// ones stay, line ends stay as well.
fn edits(source: &[u8], window: &[Span], gone: u32) -> Vec<Edit> {
    let has_gap = gone.count_ones() < window.len() as u32;
    let mut edits = Vec::new();
    let mut at = 0;
    while at < window.len() {
        let length = (gone >> at).trailing_ones() as usize;
        if length > 0 {
            let tokens = Span::new(window[at].start, window[at + length - 1].end);
            let span = deletion_span(source, tokens);
            let takes_line = has_gap && span.of(source).ends_with(b"\n");
            edits.push(Edit::delete(if takes_line { tokens } else { span }));
        }
        at += length + 1;
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_begin_and_end_with_a_token_that_goes_and_the_simplest_come_first() {
        let texts: Vec<String> = shapes(4)
            .into_iter()
            .map(|shape| (0..shape.width).map(|i| if shape.gone >> i & 1 == 1 { 'x' } else { '.' }).collect())
            .collect();
        assert_eq!(texts, ["xx", "x.x", "x..x", "xxx", "xx.x", "x.xx", "xxxx"]);
        assert_eq!(shapes(8).len(), 127);
    }

    #[test]
    fn a_window_with_a_gap_leaves_the_ends_of_lines() {
        let source = b"e = \\\n 0\n";
        let tokens = [Span::new(0, 1), Span::new(2, 3), Span::new(4, 6), Span::new(7, 8)];
        let without = |window: &[Span], gone| {
            String::from_utf8(Patch::new(edits(source, window, gone)).apply(source, Seam::Apart)).unwrap()
        };
        assert_eq!(without(&tokens[1..], 0b101), "e \\\n \n");
        assert_eq!(without(&tokens[1..], 0b111), "e\n");
    }
}
