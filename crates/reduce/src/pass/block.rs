//! Proposes the blocks of a text in an unknown language, found by indentation, brackets and blank lines.
//!
//! Other passes edit words and characters inside a line.

mod piece;

use super::plain::count;
use super::repeat::thin_equal;
use super::{Builder, CandidateFilter, Proposal, Snapshot};
use nubbin_language::LineWords;
use nubbin_search::search::GroupKind;
use nubbin_syntax::edit::{Edit, Seam, Span, is_word};
use piece::{NONE, Piece, is_nested, pieces};
use std::ops::Range;

/// If a block has more members than this, the members between two blank lines are proposed together first.
const MANY: usize = 8;

/// Proposes each block, its content, and the lines around the content. Each piece of the text is also proposed alone.
/// If a number in the text counts lines, it is decreased when some of these lines are deleted.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let source = &snapshot.source;
    let tree = Tree::new(source);
    let all = 0..tree.pieces.len() as u32;
    let builder = Builder::new(CandidateFilter::Nothing, Seam::Touch).following(count(source));
    let mut proposer = BlockProposer { source, owners: vec![NONE; all.len()], tree, builder };
    proposer.level(all.clone(), None);
    for head in all {
        proposer.block(head);
    }
    proposer.builder.build()
}

/// Returns whether no blocks can be recognized: the text is binary, or its brackets do not nest.
pub(super) fn is_unstructured(source: &[u8]) -> bool {
    source.contains(&0) || !is_nested(source)
}

/// The tree of blocks.
///
/// A block has a first piece, the *head*, all pieces inside the block, and the rest of its *frame*: the pieces that
/// continue and end it, such as `} else {` and `}`. Each piece is either the head of a block (possibly its only piece),
/// or belongs to the frame of an earlier head.
struct Tree {
    pieces: Vec<Piece>,
    /// For each head, the index of the piece after its block.
    ends: Vec<u32>,
    /// Whether a piece belongs to the frame of an earlier one.
    is_frame: Vec<bool>,
    size: u32,
}

/// A block that may continue.
struct OpenBlock {
    head: u32,
    depth: u32,
    /// The last piece that certainly belongs to the block.
    until: u32,
    /// Whether a line in it is indented more than its head.
    is_deep: bool,
}

impl Tree {
    fn new(source: &[u8]) -> Self {
        let pieces = pieces(source);
        let count = pieces.len();
        let (ends, is_frame) = (vec![count as u32; count], vec![false; count]);
        let mut tree = Self { pieces, ends, is_frame, size: source.len() as u32 };
        // The head of the block of each piece.
        let mut heads: Vec<u32> = Vec::with_capacity(count);
        let mut open: Vec<OpenBlock> = Vec::new();
        for number in 0..count as u32 {
            let piece = tree.pieces[number as usize];
            let goes_on = tree.goes_on(source, &open, &heads, number);
            let holds = |block: &OpenBlock| number <= block.until || block.depth < piece.depth;
            let stay = goes_on.or_else(|| open.iter().rposition(holds)).map_or(0, |last| last + 1);
            for block in open.drain(stay..) {
                tree.ends[block.head as usize] = number;
            }
            match open.last_mut() {
                Some(block) if goes_on.is_some() => {
                    tree.is_frame[number as usize] = true;
                    block.until = block.until.max(piece.until);
                    heads.push(block.head);
                    continue;
                }
                Some(block) => block.is_deep |= block.depth + 1 < piece.depth,
                None => {}
            }
            heads.push(number);
            open.push(OpenBlock { head: number, depth: piece.depth, until: piece.until, is_deep: false });
        }
        tree
    }

    /// Returns the index of the open block that a piece continues or ends.
    fn goes_on(&self, source: &[u8], open: &[OpenBlock], heads: &[u32], number: u32) -> Option<usize> {
        let piece = self.pieces[number as usize];
        if piece.closes != NONE {
            let head = heads[piece.closes as usize];
            return open.binary_search_by_key(&head, |block| block.head).ok();
        }
        let last = open.iter().rposition(|block| number <= block.until || block.depth <= piece.depth)?;
        let block = &open[last];
        let text = self.span(number..number + 1).of(source).trim_ascii_start();
        // A bracket at the beginning of a line belongs to the previous line.
        let is_line = block.head + 1 == number && block.until < number;
        let begins = is_line && text.starts_with(b"{") && piece.until > number && !self.has_gap(number);
        (block.depth == piece.depth && (begins || block.is_deep && is_end(text))).then_some(last)
    }

    /// Returns whether a blank line precedes a piece.
    fn has_gap(&self, number: u32) -> bool {
        number > 0 && self.pieces[number as usize - 1].gap
    }

    fn span(&self, pieces: Range<u32>) -> Span {
        let start = |number: u32| self.pieces.get(number as usize).map_or(self.size, |piece| piece.start);
        Span::new(start(pieces.start), start(pieces.end))
    }

    /// Lists the heads of the outermost blocks among these pieces.
    fn blocks(&self, pieces: Range<u32>) -> impl Iterator<Item = u32> {
        let next = move |at: u32| Some(at).filter(|&at| at < pieces.end);
        std::iter::successors(next(pieces.start), move |&head| next(self.ends[head as usize]))
    }

    /// Returns the pieces of the frame of a block, beginning with the head.
    fn frame(&self, head: u32) -> Vec<u32> {
        let mut frame = vec![head];
        let mut at = head + 1;
        while at < self.ends[head as usize] {
            if self.is_frame[at as usize] {
                frame.push(at);
                at += 1;
            } else {
                at = self.ends[at as usize];
            }
        }
        frame
    }
}

/// Returns whether a line that begins with this text ends or continues a block.
fn is_end(text: &[u8]) -> bool {
    let word = text.iter().take_while(|&&byte| is_word(byte)).count();
    let lines = LineWords::common();
    lines.block_ends.iter().any(|end| text.starts_with(end.as_bytes()))
        || lines.block_end_words.iter().any(|end| end.as_bytes().eq_ignore_ascii_case(&text[..word]))
}

struct BlockProposer<'t> {
    source: &'t [u8],
    tree: Tree,
    builder: Builder,
    /// The delta that deletes the block of each head.
    owners: Vec<u32>,
}

impl BlockProposer<'_> {
    /// Proposes the frame of a block, the parts between the pieces of the frame, and the content of these parts.
    fn block(&mut self, head: u32) {
        let end = self.tree.ends[head as usize];
        if self.tree.is_frame[head as usize] || end == head + 1 {
            return;
        }
        let frame = self.tree.frame(head);
        let owner = Some(self.owners[head as usize]);
        for &piece in &frame {
            self.delta(piece..piece + 1);
        }
        self.builder.close(GroupKind::Set, owner);
        let ends = frame[1..].iter().copied().chain([end]);
        let parts: Vec<Range<u32>> = frame.iter().zip(ends).map(|(&from, to)| from..to).collect();
        let mut owners = vec![owner];
        for part in &parts[1..] {
            owners.push(if part.len() > 1 { Some(self.delta(part.clone())) } else { owner });
        }
        self.builder.close(GroupKind::Set, owner);
        for (part, owner) in parts.into_iter().zip(owners) {
            self.level(part.start + 1..part.end, owner);
        }
    }

    /// Proposes the outermost blocks among these pieces. If there are many, the groups between blank lines are proposed
    /// first.
    fn level(&mut self, pieces: Range<u32>, owner: Option<u32>) {
        let blocks: Vec<u32> = self.tree.blocks(pieces.clone()).collect();
        let paragraphs: Vec<&[u32]> = blocks.chunk_by(|_, &next| !self.tree.has_gap(next)).collect();
        if blocks.len() <= MANY || paragraphs.len() == 1 {
            return self.members(&blocks, owner);
        }
        let mut deltas = Vec::with_capacity(paragraphs.len());
        for paragraph in &paragraphs {
            let last = paragraph[paragraph.len() - 1];
            deltas.push(self.delta(paragraph[0]..self.tree.ends[last as usize]));
        }
        self.builder.close(GroupKind::Set, owner);
        for (paragraph, delta) in paragraphs.into_iter().zip(deltas) {
            match paragraph {
                &[single] => self.owners[single as usize] = delta,
                _ => self.members(paragraph, Some(delta)),
            }
        }
    }

    /// Proposes each of these blocks. Runs of equal blocks are halved. If all blocks are separated by commas, they form
    /// a list.
    fn members(&mut self, blocks: &[u32], owner: Option<u32>) {
        let spans: Vec<Span> =
            blocks.iter().map(|&head| self.tree.span(head..self.tree.ends[head as usize])).collect();
        let commas = self.commas(&spans);
        if commas.is_empty() {
            for range in thin_equal(self.source, &spans) {
                let span = Span::new(spans[range.start].start, spans[range.end - 1].end);
                let delta = self.builder.delta([Edit::delete(span)]);
                blocks[range].iter().for_each(|&head| self.owners[head as usize] = delta);
            }
            return self.builder.close(GroupKind::Set, owner);
        }
        for (i, (&head, &span)) in blocks.iter().zip(&spans).enumerate() {
            self.owners[head as usize] = match commas.get(i) {
                Some(comma) => {
                    let around = [Span::new(span.start, comma.start), Span::new(comma.end, span.end)];
                    self.builder.delta(around.map(Edit::delete))
                }
                None => self.builder.delta([Edit::delete(span)]),
            };
        }
        self.builder.close_list(owner, commas, None);
    }

    /// Returns the commas at the ends of all these blocks except the last one, or an empty list if the blocks are not
    /// separated by commas.
    fn commas(&self, blocks: &[Span]) -> Vec<Span> {
        let comma = |block: &Span| {
            let text = block.of(self.source).trim_ascii_end();
            let end = block.start + text.len() as u32;
            text.ends_with(b",").then(|| Span::new(end - 1, end))
        };
        let Some((last, others)) = blocks.split_last() else { return Vec::new() };
        let commas: Option<Vec<Span>> = others.iter().map(comma).collect();
        commas.filter(|_| comma(last).is_none()).unwrap_or_default()
    }

    /// Proposes to delete these pieces. Returns the delta.
    fn delta(&mut self, pieces: Range<u32>) -> u32 {
        self.builder.delta([Edit::delete(self.tree.span(pieces))])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn proposal(source: &str) -> Proposal {
        propose(&Snapshot::plain(source.as_bytes().into()))
    }

    /// Formats each group: the texts of its deltas, and the text of its owner. Line ends are shown as bars.
    fn groups(source: &str) -> Vec<String> {
        let proposal = proposal(source);
        let text = |delta: u32| -> String {
            let edits = proposal.own_edits(delta).iter();
            edits.map(|edit| std::str::from_utf8(edit.span.of(source.as_bytes())).unwrap()).collect()
        };
        let line = |group: &nubbin_search::search::Group| {
            let members: Vec<String> = group.members.clone().map(text).collect();
            let owner = group.owner.map(|owner| format!("{}: ", text(owner))).unwrap_or_default();
            format!("{owner}{}", members.join(" + ")).replace('\n', "|")
        };
        proposal.groups().groups().iter().map(line).collect()
    }

    #[test]
    fn a_block_is_a_line_with_the_deeper_ones_after_it_and_what_ends_it() {
        let expected = ["if a| b|fi| + c|", "if a| b|fi|: if a| + fi|", "if a| b|fi|:  b|"];
        assert_eq!(groups("if a\n b\nfi\nc\n"), expected);
        let expected = ["a|\tb| |  c| + d|", "a|\tb| |  c|: a|", "a|\tb| |  c|: \tb| | +   c|"];
        assert_eq!(groups("a\n\tb\n \n  c\nd\n"), expected);
    }

    #[test]
    fn a_block_that_goes_on_has_parts() {
        let expected = [
            "x {| a|} else {| b|}|",
            "x {| a|} else {| b|}|: x {| + } else {| + }|",
            "x {| a|} else {| b|}|: } else {| b|",
            "x {| a|} else {| b|}|:  a|",
            "} else {| b|:  b|",
        ];
        assert_eq!(groups("x {\n a\n} else {\n b\n}\n"), expected);
    }

    #[test]
    fn brackets_tell_blocks_where_nothing_is_indented() {
        let expected = ["f|{|a|}| + b|", "f|{|a|}|: f| + {| + }|", "f|{|a|}|: {|a|", "{|a|: a|"];
        assert_eq!(groups("f\n{\na\n}\nb\n"), expected);
        assert_eq!(groups("f(\na,\nb)\n")[2], "f(|a,|b)|: a| + b");
    }

    #[test]
    fn texts_below_a_block_in_the_first_column_are_part_of_it() {
        let source = "sub {\n  print <<E;\ntext\nE\n  }\nx\n";
        assert_eq!(groups(source)[0], "sub {|  print <<E;|text|E|  }| + x|");
    }

    #[test]
    fn paragraphs_go_together_where_there_are_many_lines() {
        let many = "a\nb\nc\nd\ne\nf\ng\nh\ni\n";
        let expected = vec![
            "a|b|c|d|e|f|g|h|i|| + x|| + y|z|".to_owned(),
            "a|b|c|d|e|f|g|h|i||: a| + b| + c| + d| + e| + f| + g| + h| + i||".to_owned(),
            "y|z|: y| + z|".to_owned(),
        ];
        assert_eq!(groups(&format!("{many}\nx\n\ny\nz\n")), expected);
        assert_eq!(groups("a\n\nb\nc\n"), ["a|| + b| + c|"]);
    }

    #[test]
    fn commas_stay_between_members_that_stay() {
        let source = "(\n  a,\n  b,\n  c\n)\n";
        let proposal = proposal(source);
        let members = proposal.groups().groups()[2].members.clone();
        let after = |gone: &[u32]| {
            let gone: Vec<u32> = gone.iter().map(|i| members.start + i).collect();
            let patch = nubbin_syntax::edit::Patch::new(proposal.edits(&|_| false, &gone));
            String::from_utf8(patch.apply(source.as_bytes(), Seam::Touch)).unwrap()
        };
        assert_eq!(after(&[2]), "(\n  a,\n  b\n)\n");
        assert_eq!(after(&[0]), "(\n  b,\n  c\n)\n");
        assert_eq!(after(&[0, 1, 2]), "(\n)\n");
    }

    #[test]
    fn words_that_only_begin_like_an_end_end_nothing() {
        assert!(is_end(b"END IF\n") && is_end(b"fi") && is_end(b"});"));
        assert!(!is_end(b"file: x\n") && !is_end(b"endpoint\n") && !is_end(b"{"));
    }

    proptest! {
        /// Two blocks are nested or disjoint, each piece is proposed alone, and each delta lies inside the owner of its
        /// group.
        #[test]
        fn every_text_makes_a_tree(text in "([ \t]{0,3}(if|fi|\\{|\\}|\\(|\\)|\\(x,|[\"']|a){0,3}\r?\n){0,12}") {
            let proposal = proposal(&text);
            let spans = |delta: u32| {
                let edits = proposal.own_edits(delta);
                Span::new(edits[0].span.start, edits[edits.len() - 1].span.end)
            };
            for group in proposal.groups().groups() {
                let members: Vec<Span> = group.members.clone().map(spans).collect();
                prop_assert!(members.windows(2).all(|pair| pair[0].end <= pair[1].start));
                if let Some(owner) = group.owner {
                    // The owner can exclude the comma after a block.
                    let owner = spans(owner);
                    prop_assert!(members.iter().all(|member| owner.contains(*member)));
                }
            }
            let tree = Tree::new(text.as_bytes());
            for number in 0..tree.pieces.len() as u32 {
                let piece = tree.span(number..number + 1);
                let goes = |delta: u32| proposal.own_edits(delta).iter().all(|edit| piece.contains(edit.span));
                prop_assert!((0..proposal.len() as u32).any(goes));
            }
        }
    }
}
