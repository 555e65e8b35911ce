//! Finds pairs of brackets, and pairs of words that nest like brackets, in texts without a syntax tree.

use nubbin_language::LineWords;
use nubbin_syntax::deletion_span;
use nubbin_syntax::edit::{Edit, Span};
use std::collections::{BTreeMap, HashMap};

struct Tuning {
    /// Pairs of words are learned only if at most this many different words occur equally often.
    alike: usize,
    /// The maximum number of kinds of word pairs.
    kinds: usize,
}

const TUNING: Tuning = Tuning { alike: 32, kinds: 8 };

/// Returns the deltas for each pair of brackets: deletions of the brackets with the text between them, of the text
/// only, and of the brackets only.
pub(super) fn pairs(source: &[u8], tokens: &[Span]) -> Vec<Vec<Edit>> {
    let mut open: Vec<(u8, Span)> = Vec::new();
    let mut found = Vec::new();
    for &token in tokens {
        match token.of(source) {
            [left @ (b'(' | b'[' | b'{')] => open.push((*left, token)),
            &[right] => {
                // Other characters and unmatched brackets are skipped.
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

/// For each pair of brackets, returns the edits that replace it by one of its members, the shortest member first. A
/// member is a pair of brackets or a single token directly between them.
pub(super) fn members(source: &[u8], tokens: &[Span]) -> Vec<Vec<[Edit; 2]>> {
    let mut open: Vec<(Span, Vec<Span>)> = Vec::new();
    let mut found = Vec::new();
    for &token in tokens {
        match token.of(source) {
            [b'(' | b'[' | b'{'] => open.push((token, Vec::new())),
            &[right] if opening(right).is_some() => {
                let is_pair = open.last().is_some_and(|(left, _)| Some(left.of(source)[0]) == opening(right));
                let Some((left, mut members)) = open.pop().filter(|_| is_pair) else {
                    // Unmatched brackets have no members.
                    open.clear();
                    continue;
                };
                let pair = Span::new(left.start, token.end);
                if let Some((_, outer)) = open.last_mut() {
                    outer.push(pair);
                }
                members.sort_by_key(|member| member.len());
                let before = |member: &Span| Edit::delete(Span::new(pair.start, member.start));
                let after = |member: &Span| Edit::delete(Span::new(member.end, pair.end));
                found.push(members.iter().map(|member| [before(member), after(member)]).collect());
            }
            _ => {
                if let Some((_, members)) = open.last_mut() {
                    members.push(token);
                }
            }
        }
    }
    found
}

/// Returns pairs of words that nest like brackets, one list per kind: known pairs such as `begin` and `end`, and pairs
/// learned from the text. Two words are a learned pair if they occur equally often, each occurrence of the first is
/// followed by one of the second, and some pairs are nested in others.
pub(super) fn word_pairs(source: &[u8], tokens: &[Span]) -> Vec<Vec<(Span, Span)>> {
    let is_word = |token: &&Span| token.len() > 1 && token.of(source)[0].is_ascii_alphabetic();
    let mut places: HashMap<&[u8], Vec<Span>> = HashMap::new();
    for token in tokens.iter().filter(is_word) {
        places.entry(token.of(source)).or_default().push(*token);
    }
    let mut kinds: Vec<Vec<(Span, Span)>> = Vec::new();
    for (left, right) in &LineWords::common().pairs {
        let of = |wanted: &str| -> Vec<Span> {
            let same = places.iter().filter(|(word, _)| word.eq_ignore_ascii_case(wanted.as_bytes()));
            let mut same: Vec<Span> = same.flat_map(|(_, places)| places).copied().collect();
            same.sort_unstable();
            same
        };
        kinds.push(nest(&of(left), &of(right)).0);
    }
    let mut equally_often: BTreeMap<usize, Vec<&[Span]>> = BTreeMap::new();
    for places in places.values().filter(|places| places.len() > 1) {
        equally_often.entry(places.len()).or_default().push(places);
    }
    for mut words in equally_often.into_values().filter(|words| words.len() <= TUNING.alike) {
        words.sort_unstable_by_key(|places| places[0]);
        for (i, left) in words.iter().enumerate() {
            for right in &words[i + 1..] {
                let (pairs, depth) = nest(left, right);
                if pairs.len() == left.len() && depth > 1 {
                    kinds.push(pairs);
                }
            }
        }
    }
    kinds.retain(|pairs| !pairs.is_empty());
    let mut seen = std::collections::HashSet::new();
    kinds.retain(|pairs| seen.insert(pairs.clone()));
    kinds.truncate(TUNING.kinds);
    kinds
}

/// Matches the occurrences of two words like brackets. Returns the pairs and the maximum nesting depth.
fn nest(left: &[Span], right: &[Span]) -> (Vec<(Span, Span)>, usize) {
    let mut places: Vec<(Span, bool)> = left.iter().map(|&place| (place, true)).collect();
    places.extend(right.iter().map(|&place| (place, false)));
    places.sort_unstable_by_key(|(place, _)| *place);
    let (mut open, mut pairs, mut depth) = (Vec::new(), Vec::new(), 0);
    for (place, opens) in places {
        if opens {
            open.push(place);
        } else if let Some(left) = open.pop() {
            depth = depth.max(open.len() + 1);
            pairs.push((left, place));
        }
    }
    (pairs, depth)
}

/// Returns the opening bracket of a closing one.
pub(super) fn opening(right: u8) -> Option<u8> {
    match right {
        b')' => Some(b'('),
        b']' => Some(b'['),
        b'}' => Some(b'{'),
        _ => None,
    }
}

/// Returns the edits that delete a pair with the text between, the text only, and the pair only.
pub(super) fn deltas(source: &[u8], left: Span, right: Span) -> Vec<Vec<Edit>> {
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
    fn a_member_takes_the_place_of_its_pair() {
        let source = "(f (g x) y)";
        let tokens: Vec<Span> = (0..source.len() as u32)
            .map(|at| Span::new(at, at + 1))
            .filter(|token| token.of(source.as_bytes()) != b" ")
            .collect();
        let all = members(source.as_bytes(), &tokens).into_iter().flatten();
        let all: Vec<_> = all
            .map(|edits| Patch::new(edits.to_vec()).apply(source.as_bytes(), Seam::Apart))
            .map(|text| String::from_utf8(text).expect("text"))
            .collect();
        assert_eq!(all, ["(f g y)", "(f x y)", "f", "y", "(g x)"]);
    }

    fn pairs_of_words(source: &str) -> Vec<Vec<String>> {
        let tokens: Vec<Span> =
            super::super::word::words(source.as_bytes(), Span::new(0, source.len() as u32));
        let bare = |word: &Span| {
            Span::new(word.start, word.start + word.of(source.as_bytes()).trim_ascii_end().len() as u32)
        };
        let tokens: Vec<Span> = tokens.iter().map(bare).collect();
        let text = |(left, right): (Span, Span)| source[left.start as usize..right.end as usize].to_owned();
        let kinds = word_pairs(source.as_bytes(), &tokens).into_iter();
        kinds.map(|pairs| pairs.into_iter().map(text).collect()).collect()
    }

    #[test]
    fn words_pair_that_are_known_or_lie_in_each_other() {
        assert_eq!(pairs_of_words("x BEGIN a end y"), [["BEGIN a end"]]);
        assert_eq!(
            pairs_of_words("open a open b shut c shut"),
            [["open b shut", "open a open b shut c shut"]]
        );
        assert_eq!(pairs_of_words("job a done job b done"), [[""; 0]; 0]);
        assert_eq!(pairs_of_words("shut open open shut"), [[""; 0]; 0]);
    }

    #[test]
    fn brackets_that_do_not_match_are_passed_by() {
        assert_eq!(results("a)(b"), [""; 0]);
        assert_eq!(results("{(a}"), ["", "{}", "(a"]);
    }
}
