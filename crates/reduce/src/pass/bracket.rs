//! Finds pairs of brackets by their characters, for texts without a tree.

use nubbin_syntax::deletion_span;
use nubbin_syntax::edit::{Edit, Span};

/// Returns the deltas for each pair of brackets among these tokens: the edits that remove the brackets and the text
/// between them, only the text, and only the brackets.
pub(super) fn pairs(source: &[u8], tokens: &[Span]) -> Vec<Vec<Edit>> {
    let mut open: Vec<(u8, Span)> = Vec::new();
    let mut found = Vec::new();
    for &token in tokens {
        match token.of(source) {
            [left @ (b'(' | b'[' | b'{')] => open.push((*left, token)),
            &[right] => {
                // Other characters and brackets without a match are skipped.
                let left = opening(right);
                let Some(at) = open.iter().rposition(|(byte, _)| Some(*byte) == left) else { continue };
                let (_, first) = open[at];
                open.truncate(at);
                found.extend(deltas(source, first, token));
            }
            _ => {}
        }
    }
    found
}

/// Returns the bracket that a closing one belongs to.
pub(super) fn opening(right: u8) -> Option<u8> {
    match right {
        b')' => Some(b'('),
        b']' => Some(b'['),
        b'}' => Some(b'{'),
        _ => None,
    }
}

fn deltas(source: &[u8], left: Span, right: Span) -> Vec<Vec<Edit>> {
    let delete = |span| Edit::delete(deletion_span(source, span));
    let inside = Span::new(left.end, right.start);
    let mut deltas = vec![vec![delete(Span::new(left.start, right.end))]];
    if inside.of(source).iter().any(|b| !b.is_ascii_whitespace()) {
        deltas.push(vec![Edit::delete(inside)]);
        deltas.push(vec![delete(left), delete(right)]);
    }
    deltas
}

#[cfg(test)]
mod tests {
    use super::*;
    use nubbin_syntax::edit::{Patch, Seam};

    fn results(source: &str) -> Vec<String> {
        let bytes = source.as_bytes();
        let tokens: Vec<Span> = (0..bytes.len() as u32).map(|at| Span::new(at, at + 1)).collect();
        let results = pairs(bytes, &tokens).into_iter();
        results.map(|edits| String::from_utf8(Patch::new(edits).apply(bytes, Seam::Apart)).unwrap()).collect()
    }

    #[test]
    fn each_pair_goes_with_and_without_what_is_between_and_leaves_the_rest() {
        assert_eq!(results("f(a)"), ["f", "f()", "f a"]);
        assert_eq!(results("([])"), ["()", "", "()", "[]"]);
    }

    #[test]
    fn brackets_that_do_not_match_are_passed_by() {
        assert_eq!(results("a)(b"), [""; 0]);
        assert_eq!(results("{(a}"), ["", "{}", "(a"]);
    }
}
