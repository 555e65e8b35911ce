//! Treats a repeated word as a symbol: deletes the lines that contain it, deletes the word everywhere, or replaces it
//! by another word.
//!
//! Words that occur once are left to the pass over tokens.

use super::super::{Builder, CandidateFilter, Proposal, Snapshot};
use super::count;
use super::words::{Occurrence, Words};
use nubbin_syntax::edit::{Edit, Seam, Span};
use std::collections::{BTreeMap, HashMap, HashSet};

struct Tuning {
    /// The maximum number of words that are proposed at once, those in the longest lines first.
    words: usize,
    /// The maximum number of replacements that are tried for a word.
    partners: usize,
    /// The maximum number of lines, and of words in each, that are searched for replacements.
    searched: usize,
    /// The maximum number of lines of a word for which pairs of lines are joined.
    joined: usize,
    /// The minimum number of lines with words; in shorter texts, words are tried as tokens.
    lines: usize,
}

const TUNING: Tuning = Tuning { words: 128, partners: 4, searched: 64, joined: 4, lines: 4 };

/// Proposes for each repeated word, as alternatives: to delete its lines; to delete the lines in which it has a certain
/// sign, and the word in the others; to delete the word; and to replace it by another word of the same lines. Then it
/// proposes to delete or invert the sign of the word everywhere.
pub(in crate::pass) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let words = Words::new(&snapshot.source);
    let mut builder =
        Builder::new(CandidateFilter::Nothing, Seam::Touch).scattered().following(count(&snapshot.source));
    if (0..words.lines.len() as u32).filter(|&line| !words.places_in(line).is_empty()).count() < TUNING.lines
    {
        return builder.build();
    }
    let keys = Keys::new(&words);
    for symbol in repeated(&words) {
        let mut ways = vec![mentions(&words, symbol), everywhere(&words, symbol)];
        ways.extend(joined(&words, symbol));
        for sign in signs(&words, symbol) {
            ways.push(settled(&words, symbol, sign));
        }
        for other in partners(&words, symbol) {
            ways.push(merged(&words, &keys, symbol, other, None));
            if let Some(sign) = sign(&words, symbol).or_else(|| sign(&words, other)) {
                ways.push(merged(&words, &keys, symbol, other, Some(sign)));
            }
        }
        builder.choice(words.source, ways);
        if let Some(sign) = sign(&words, symbol) {
            builder.choice(words.source, vec![unsigned(&words, symbol, sign), swapped(&words, symbol, sign)]);
        }
    }
    builder.build()
}

/// Returns the words that occur in several lines, those with the longest lines first.
fn repeated(words: &Words<'_>) -> Vec<u32> {
    let weight = |symbol: u32| -> Option<u64> {
        let lines = words.lines_of(symbol);
        let bytes = lines.iter().map(|&line| u64::from(words.lines[line as usize].len())).sum();
        (lines.len() > 1 && !words.is_end(symbol)).then_some(bytes)
    };
    let mut found: Vec<(u64, u32)> =
        (0..words.len()).filter_map(|symbol| Some((weight(symbol)?, symbol))).collect();
    found.sort_by_key(|&(weight, symbol)| (std::cmp::Reverse(weight), symbol));
    found.truncate(TUNING.words);
    found.into_iter().map(|(_, symbol)| symbol).collect()
}

/// Deletes all lines that contain a word.
fn mentions(words: &Words<'_>, symbol: u32) -> Vec<Edit> {
    words.lines_of(symbol).into_iter().map(|line| Edit::delete(words.lines[line as usize])).collect()
}

/// Deletes a word everywhere.
fn everywhere(words: &Words<'_>, symbol: u32) -> Vec<Edit> {
    by_line(words, symbol).into_iter().flat_map(|(line, places)| words.remove(line, &places)).collect()
}

/// Deletes the lines in which a word has this sign, and the word in all others.
fn settled(words: &Words<'_>, symbol: u32, sign: &[u8]) -> Vec<Edit> {
    let edits = by_line(words, symbol).into_iter().flat_map(|(line, places)| {
        if places.iter().any(|place| place.sign(words.source) == sign) {
            vec![Edit::delete(words.lines[line as usize])]
        } else {
            words.remove(line, &places)
        }
    });
    edits.collect()
}

/// Returns the occurrences of a word by line.
fn by_line(words: &Words<'_>, symbol: u32) -> BTreeMap<u32, Vec<Occurrence>> {
    let mut lines: BTreeMap<u32, Vec<Occurrence>> = BTreeMap::new();
    for place in words.places_of(symbol) {
        lines.entry(place.line).or_default().push(place);
    }
    lines
}

/// Returns the two signs of a word, the empty one first, if it has exactly these; otherwise none.
fn signs<'t>(words: &Words<'t>, symbol: u32) -> Vec<&'t [u8]> {
    let mut signs: Vec<&[u8]> = words.places_of(symbol).map(|place| place.sign(words.source)).collect();
    signs.sort_unstable();
    signs.dedup();
    if signs.len() == 2 && signs[0].is_empty() { signs } else { Vec::new() }
}

/// Returns the first non-empty sign of a word.
fn sign<'t>(words: &Words<'t>, symbol: u32) -> Option<&'t [u8]> {
    words.places_of(symbol).map(|place| place.sign(words.source)).find(|sign| !sign.is_empty())
}

/// Returns the words that occur in most of the lines of a word.
fn partners(words: &Words<'_>, symbol: u32) -> Vec<u32> {
    let mut counts: HashMap<u32, usize> = HashMap::new();
    for line in words.lines_of(symbol).into_iter().take(TUNING.searched) {
        for place in words.places_in(line).iter().take(TUNING.searched) {
            *counts.entry(place.symbol).or_default() += 1;
        }
    }
    let mut found: Vec<(u32, usize)> =
        counts.into_iter().filter(|&(other, _)| other != symbol && is_like(words, symbol, other)).collect();
    found.sort_by_key(|&(other, count)| (std::cmp::Reverse(count), other));
    found.truncate(TUNING.partners);
    found.into_iter().map(|(other, _)| other).collect()
}

/// Returns whether two words may be names of the same kind: both are numbers, or both are short or contain a digit.
/// Other words are seldom useful replacements.
fn is_like(words: &Words<'_>, one: u32, other: u32) -> bool {
    let is_number = |symbol: u32| words.text(symbol).iter().all(u8::is_ascii_digit);
    let is_name = |symbol: u32| {
        let text = words.text(symbol);
        text.len() < 3 || text.iter().any(u8::is_ascii_digit)
    };
    let is_end = words.is_end(one) || words.is_end(other);
    !is_end && is_number(one) == is_number(other) && is_name(one) && is_name(other)
}

/// Joins each two neighboring lines of a word, if the lines contain only words and their signs. The word is deleted if
/// its signs differ.
fn joined(words: &Words<'_>, symbol: u32) -> Vec<Vec<Edit>> {
    let lines = by_line(words, symbol);
    if lines.len() > TUNING.joined {
        return Vec::new();
    }
    let lines: Vec<(u32, Vec<Occurrence>)> = lines.into_iter().collect();
    lines.windows(2).filter_map(|two| join(words, &two[0], &two[1])).collect()
}

fn join(
    words: &Words<'_>,
    (first, places): &(u32, Vec<Occurrence>),
    (second, others): &(u32, Vec<Occurrence>),
) -> Option<Vec<Edit>> {
    let source = words.source;
    let bytes = |line: u32| words.places_in(line).iter().map(|place| place.signed.len()).sum::<u32>();
    let is_bare = |line: &u32| {
        let text = words.lines[*line as usize].of(source);
        text.iter().filter(|byte| !byte.is_ascii_whitespace()).count() as u32 == bytes(*line)
    };
    if !is_bare(first) || !is_bare(second) {
        return None;
    }
    let is_contrary = places[0].sign(source) != others[0].sign(source);
    let stays = |place: &&Occurrence| !(is_contrary && place.symbol == places[0].symbol);
    let text = |place: &Occurrence| place.signed.of(source);
    let (head, tail) = (words.places_in(*first), words.places_in(*second));
    let end = head.iter().rev().take_while(|place| words.is_end(place.symbol)).count();
    let (head, end) = head.split_at(head.len() - end);
    let mut joined: Vec<&[u8]> = head.iter().filter(stays).map(text).collect();
    for place in tail.iter().filter(stays).filter(|place| !words.is_end(place.symbol)) {
        if !joined.contains(&text(place)) {
            joined.push(text(place));
        }
    }
    joined.extend(end.iter().map(text));
    let line = words.lines[*first as usize];
    let line = Span::new(line.start, line.start + line.of(source).trim_ascii_end().len() as u32);
    Some(vec![Edit::replace(line, joined.join(&b' ')), Edit::delete(words.lines[*second as usize])])
}

/// The words of each line with their signs, sorted.
struct Keys<'t>(Vec<Vec<(u32, &'t [u8])>>);

impl<'t> Keys<'t> {
    fn new(words: &Words<'t>) -> Self {
        let key = |line: u32| key(words.places_in(line).iter().map(|p| (p.symbol, p.sign(words.source))));
        Self((0..words.lines.len() as u32).map(key).collect())
    }
}

/// Returns the sorted words of a line.
fn key<'t>(places: impl Iterator<Item = (u32, &'t [u8])>) -> Vec<(u32, &'t [u8])> {
    let mut key: Vec<_> = places.collect();
    key.sort_unstable();
    key
}

/// Replaces a word by another one, with the opposite sign if `turned` is given. If a line then has the other word
/// twice, one occurrence is deleted, or the line if the signs differ. A line that becomes equal to another line is
/// deleted.
fn merged(words: &Words<'_>, keys: &Keys<'_>, symbol: u32, other: u32, turned: Option<&[u8]>) -> Vec<Edit> {
    let source = words.source;
    let lines = by_line(words, symbol);
    let neighbours: HashSet<u32> =
        words.lines_of(other).into_iter().filter(|l| !lines.contains_key(l)).collect();
    let mut seen: HashSet<Vec<(u32, &[u8])>> =
        neighbours.iter().map(|&line| keys.0[line as usize].clone()).collect();
    let mut edits = Vec::new();
    for (line, places) in lines {
        let sign_of = |place: &Occurrence| match (turned, place.sign(source)) {
            (Some(_), sign) if !sign.is_empty() => b"".as_slice(),
            (Some(sign), _) | (None, sign) => sign,
        };
        let mut known: Option<&[u8]> = None;
        let mut is_contrary = false;
        let mut own = Vec::new();
        let others = words.places_in(line).iter().filter(|place| place.symbol == other);
        let others: Vec<&[u8]> = others.map(|place| place.sign(source)).collect();
        for sign in &others {
            is_contrary |= known.is_some_and(|known| known != *sign);
            known = Some(sign);
        }
        for place in &places {
            let sign = sign_of(place);
            match known {
                Some(known) if known == sign => own.push(words.delete(*place)),
                Some(_) => is_contrary = true,
                None => {
                    known = Some(sign);
                    let text = [sign, words.text(other)].concat();
                    own.push(Edit::replace(place.signed, text));
                }
            }
        }
        let rest = words.places_in(line).iter().filter(|p| p.symbol != symbol && p.symbol != other);
        let rest = rest.map(|place| (place.symbol, place.sign(source)));
        let key = key(rest.chain(known.map(|sign| (other, sign))));
        if is_contrary || !seen.insert(key) {
            own = vec![Edit::delete(words.lines[line as usize])];
        }
        edits.append(&mut own);
    }
    edits
}

/// Deletes the sign of a word everywhere.
fn unsigned(words: &Words<'_>, symbol: u32, sign: &[u8]) -> Vec<Edit> {
    turned(words, symbol, sign, |_| b"")
}

/// Inverts the sign of a word everywhere.
fn swapped(words: &Words<'_>, symbol: u32, sign: &[u8]) -> Vec<Edit> {
    turned(words, symbol, sign, |now| if now.is_empty() { sign } else { b"" })
}

fn turned<'s>(words: &Words<'_>, symbol: u32, sign: &'s [u8], to: impl Fn(&[u8]) -> &'s [u8]) -> Vec<Edit> {
    let places = words.places_of(symbol).filter(|place| [b"", sign].contains(&place.sign(words.source)));
    let edits = places.filter_map(|place| {
        let (before, after) = (place.sign(words.source), to(place.sign(words.source)));
        let span = Span::new(place.signed.start, place.word.start);
        (before != after).then(|| Edit::replace(span, after))
    });
    edits.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nubbin_syntax::edit::Patch;

    /// Lists the texts of the alternatives of each group.
    fn results(source: &str) -> Vec<Vec<String>> {
        let proposal = propose(&Snapshot::plain(source.as_bytes().into()));
        let result = |delta: u32| {
            let patch = Patch::new(proposal.edits(&|_| false, &[delta]));
            String::from_utf8(patch.apply(source.as_bytes(), Seam::Touch)).unwrap().replace('\n', "|")
        };
        proposal.groups().groups().iter().map(|group| group.members.clone().map(result).collect()).collect()
    }

    #[test]
    fn the_lines_of_a_word_go_or_the_word_or_another_word_takes_its_place() {
        let found = results("a b\na b c\nd e f g h i\nj\n");
        assert_eq!(found[0][0], "d e f g h i|j|");
        assert!(found[0].contains(&"b|b c|d e f g h i|j|".to_owned()), "{found:?}");
        assert!(found.iter().flatten().all(|text| text.ends_with("d e f g h i|j|")));
    }

    #[test]
    fn the_lines_with_one_sign_go_and_the_word_in_the_others() {
        let found = results("1 2 0\n-1 3 0\n2 4 0\n5 0\n");
        let of_one = found.iter().find(|ways| ways.contains(&"3 0|2 4 0|5 0|".to_owned())).unwrap();
        assert!(of_one.contains(&"2 0|2 4 0|5 0|".to_owned()), "{of_one:?}");
    }

    #[test]
    fn a_word_that_takes_anothers_place_stands_once_in_a_line_and_contrary_lines_go() {
        let found: Vec<String> = results("1 2 0\n-1 2 0\n-1 4 0\n4 -2 0\n").into_iter().flatten().collect();
        // 1 becomes 2, or 1 becomes -2.
        for text in ["2 0|4 -2 0|", "2 0|2 4 0|4 -2 0|"] {
            assert!(found.contains(&text.to_owned()), "{text} in {found:?}");
        }
    }

    #[test]
    fn two_lines_of_a_word_become_one_without_it_if_its_signs_differ() {
        let found: Vec<String> = results("1 2 0\n-1 3 2 0\n4 5 0\n6 0\n").into_iter().flatten().collect();
        assert!(found.contains(&"2 3 0|4 5 0|6 0|".to_owned()), "{found:?}");
    }

    #[test]
    fn a_sign_goes_or_changes_sides() {
        let found = results("-1 2 0\n-1 3 0\n1 4 0\n5 0\n");
        let ways = ["1 2 0|1 3 0|1 4 0|5 0|", "1 2 0|1 3 0|-1 4 0|5 0|"].map(str::to_owned);
        assert!(found.contains(&ways.to_vec()), "{found:?}");
    }
}
