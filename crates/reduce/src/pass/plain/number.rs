//! Replaces the numbers of a text by smaller ones: all numbers together, each number at all its occurrences, and each
//! number before the lines that it counts.

use super::super::number::smaller;
use super::super::{Builder, CandidateFilter, Proposal, Snapshot};
use super::count;
use super::words::Words;
use nubbin_language::Syntax;
use nubbin_syntax::edit::{Edit, Seam, Span, is_word};
use std::collections::BTreeMap;

struct Tuning {
    /// The maximum number of different numbers that are tried one by one, the most frequent first.
    numbers: usize,
}

const TUNING: Tuning = Tuning { numbers: 64 };

/// Proposes to renumber all numbers in order of first occurrence, and to replace each number by the smallest unused one
/// or by about half of it, at all its occurrences. For each number before counted lines, it proposes the largest number
/// in these lines and some shorter numbers.
pub(in crate::pass) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let source = &snapshot.source;
    let words = Words::new(source);
    let mut builder = Builder::new(CandidateFilter::Nothing, Seam::Touch).scattered();
    let numbers: BTreeMap<u64, u32> =
        (0..words.len()).filter_map(|symbol| Some((value(words.text(symbol))?, symbol))).collect();
    let replaced = |symbol: u32, text: String| {
        words.places_of(symbol).map(move |place| Edit::replace(place.word, text.clone().into_bytes()))
    };
    let from = u64::from(!numbers.contains_key(&0));
    let changed = numbers.iter().zip(from..).filter(|((old, _), new)| *old != new);
    builder.choice(
        source,
        vec![changed.flat_map(|((_, &symbol), new)| replaced(symbol, new.to_string())).collect()],
    );
    let mut long: Vec<u32> =
        numbers.values().copied().filter(|&symbol| words.text(symbol).len() > 1).collect();
    long.sort_by_key(|&symbol| std::cmp::Reverse(words.places_of(symbol).count()));
    long.truncate(TUNING.numbers);
    let free = (1..=numbers.len() as u64).find(|number| !numbers.contains_key(number)).unwrap_or(1);
    for symbol in long {
        let text = String::from_utf8_lossy(words.text(symbol));
        let half = smaller(&text, &Syntax::default()).pop();
        let others = std::iter::once(free.to_string()).chain(half);
        let ways = others.map(|other| replaced(symbol, other).collect());
        builder.choice(source, ways.collect());
    }
    let greatest = numbers.keys().last().copied().unwrap_or(0);
    for span in before_counted(source) {
        let text = String::from_utf8_lossy(span.of(source));
        let others = std::iter::once(greatest.to_string()).chain(smaller(&text, &Syntax::default()));
        let ways = others.map(|other| vec![Edit::replace(span, other.into_bytes())]);
        builder.choice(source, ways.collect());
    }
    builder.build()
}

/// Returns the value of a number without leading zeros.
fn value(text: &[u8]) -> Option<u64> {
    let is_plain = text.iter().all(u8::is_ascii_digit) && (text.len() == 1 || text.first() != Some(&b'0'));
    std::str::from_utf8(text).ok().filter(|_| is_plain)?.parse().ok()
}

/// Lists the numbers before counted lines.
fn before_counted(source: &[u8]) -> Vec<Span> {
    let Some(first) = count(source).map(|count| count.lines[0].start) else { return Vec::new() };
    let mut at = 0;
    let chunks = source[..first as usize].chunk_by(|&a, &b| is_word(a) == is_word(b));
    let spans = chunks.map(|chunk| {
        at += chunk.len() as u32;
        Span::new(at - chunk.len() as u32, at)
    });
    spans.filter(|span| value(span.of(source)).is_some()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pass::plain::tests::results_of;

    fn results(source: &str) -> Vec<String> {
        results_of(propose, source)
    }

    #[test]
    fn all_numbers_are_counted_through_in_their_order() {
        assert_eq!(results("7 -12 0\n12 340 0\n")[0], "1 -2 0|2 3 0|");
        assert_eq!(results("7 -12\n12 340\n")[0], "1 -2|2 3|");
    }

    #[test]
    fn a_number_becomes_the_smallest_free_one_at_all_places() {
        let found = results("1 12 0\n-12 a12 0\n");
        assert!(found.contains(&"1 2 0|-2 a12 0|".to_owned()), "{found:?}");
    }

    #[test]
    fn a_number_before_counted_lines_becomes_the_greatest_one_in_them() {
        let found = results("p cnf 20 2\n1 0\n-3 0\n");
        assert!(found.contains(&"p cnf 3 2|1 0|-3 0|".to_owned()), "{found:?}");
    }
}
