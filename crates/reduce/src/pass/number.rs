//! Replaces numbers by smaller ones: 0, 1, half of the digits, half of the value, or the integral part in decimal
//! without exponent and suffix. Two numbers with an operator between them are replaced by the result.
//!
//! Numbers are recognized by their characters. The language defines digit separators and radix prefixes.

use super::{Builder, CandidateFilter, Layer, Proposal, Snapshot};
use nubbin_language::Syntax;
use nubbin_search::search::GroupKind;
use nubbin_syntax::edit::{Edit, Seam, Span, count_tokens};

struct Tuning {
    /// The maximum number of alternatives for one number.
    alternatives: usize,
    /// The maximum length in bytes of numbers that are tried.
    longest: usize,
}

const TUNING: Tuning = Tuning { alternatives: 4, longest: 256 };

/// Proposes shorter numbers for each leaf that is a number, and for a number at the beginning of a node, before a unit.
pub(super) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let mut builder = Builder::new(CandidateFilter::Syntax, Seam::Touch);
    let leaves = snapshot.leaves().into_iter();
    let leaves: Vec<(Span, &Syntax)> =
        leaves.map(|(layer, id)| (layer.tree.node(id).span, layer.language.syntax())).collect();
    for three in leaves.windows(3) {
        let [left, operator, right] = [three[0], three[1], three[2]].map(|leaf| leaf.0.of(&snapshot.source));
        if let Some(result) = result(left, operator, right) {
            let whole = Span::new(three[0].0.start, three[2].0.end);
            builder.delta([Edit::replace(whole, result.to_string().into_bytes())]);
            builder.close(GroupKind::Choice, None);
        }
    }
    let beginnings = snapshot
        .layers
        .iter()
        .flat_map(|layer| beginnings(layer).map(|span| (span, layer.language.syntax())));
    let mut spans: Vec<(Span, &Syntax)> = leaves.into_iter().chain(beginnings).collect();
    spans.sort_by_key(|(span, _)| *span);
    for (span, syntax) in spans {
        let text = std::str::from_utf8(span.of(&snapshot.source));
        for smaller in text.map(|text| smaller(text, syntax)).unwrap_or_default() {
            builder.delta([Edit::replace(span, smaller.into_bytes())]);
        }
        builder.close(GroupKind::Choice, None);
    }
    builder.build()
}

/// Returns the text in each node before its first child.
fn beginnings<'t>(layer: &'t Layer<'_>) -> impl Iterator<Item = Span> + 't {
    let tree = &layer.tree;
    tree.ids().filter_map(|id| {
        let first = tree.node(tree.children(id).next()?).span.start;
        let start = tree.node(id).span.start;
        (start < first).then(|| Span::new(start, first))
    })
}

/// Returns shorter numbers, the simplest first.
pub(super) fn smaller(text: &str, syntax: &Syntax) -> Vec<String> {
    let may_stand =
        |c: char| c.is_ascii_alphanumeric() || ".+-".contains(c) || syntax.digit_separators().contains(c);
    let is_number = text.starts_with(|c: char| c.is_ascii_digit())
        || text.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let size = |text: &str| (count_tokens(text.as_bytes()), text.len());
    if !is_number || text.len() > TUNING.longest || !text.chars().all(may_stand) {
        return Vec::new();
    }
    let digits = value(text, syntax);
    let value = digits.parse::<u128>().ok();
    let halves =
        [digits[..digits.len().div_ceil(2)].to_owned(), value.map_or(String::new(), |v| (v / 2).to_string())];
    let mut found = vec!["0".to_owned(), "1".to_owned()];
    found.extend([digits].into_iter().chain(halves));
    found.retain(|other| !other.is_empty() && size(other) < size(text));
    let mut seen = std::collections::HashSet::new();
    found.retain(|other| seen.insert(other.clone()));
    found.truncate(TUNING.alternatives);
    found
}

/// Computes a binary operation on integers, as most languages define it.
fn result(left: &[u8], operator: &[u8], right: &[u8]) -> Option<u128> {
    let is_digits = |text: &[u8]| text.len() < TUNING.longest && text.iter().all(u8::is_ascii_digit);
    let number = |text| std::str::from_utf8(text).ok().filter(|_| is_digits(text))?.parse::<u128>().ok();
    let (left, right) = (number(left)?, number(right)?);
    match operator {
        b"+" => left.checked_add(right),
        b"-" => left.checked_sub(right),
        b"*" => left.checked_mul(right),
        b"<<" => left.checked_shl(u32::try_from(right).ok()?).filter(|shifted| shifted >> right == left),
        b"|" => Some(left | right),
        b"^" => Some(left ^ right),
        _ => None,
    }
}

/// Returns the integral part of a number in decimal, without a suffix.
fn value(text: &str, syntax: &Syntax) -> String {
    let plain = text.replace(|c| syntax.digit_separators().contains(c), "").to_ascii_lowercase();
    if let Some((rest, radix)) = syntax.radix(&plain) {
        let end = rest.find(|c: char| !c.is_digit(radix)).unwrap_or(rest.len());
        return u128::from_str_radix(&rest[..end], radix).map_or(String::new(), |v| v.to_string());
    }
    let end = plain.find(|c: char| !c.is_ascii_digit()).unwrap_or(plain.len());
    let whole = plain[..end].trim_start_matches('0');
    if whole.is_empty() { "0".to_owned() } else { whole.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn smaller(text: &str) -> Vec<String> {
        super::smaller(text, &Syntax::default())
    }

    #[test]
    fn a_number_becomes_simple_first_and_keeps_what_it_can_last() {
        assert_eq!(smaller("1024"), ["0", "1", "10", "512"]);
        assert_eq!(smaller("0x2aUL"), ["0", "1", "42", "4"]);
        assert_eq!(smaller("2.5e3"), ["0", "1", "2"]);
        assert_eq!(smaller(".5f"), ["0", "1"]);
        assert_eq!(smaller("1'000'000"), ["0", "1", "1000000", "1000"]);
        assert_eq!(smaller("7u"), ["0", "1", "7", "3"]);
    }

    #[test]
    fn two_numbers_come_to_one() {
        let of = |text: &str| {
            let words: Vec<&[u8]> = text.split(' ').map(str::as_bytes).collect();
            result(words[0], words[1], words[2])
        };
        let found = ["1 + 1", "3 - 1", "6 * 7", "1 << 12", "4 | 3", "6 ^ 2"].map(of);
        assert_eq!(found, [2, 2, 42, 4096, 7, 4].map(Some));
        for text in ["1 - 2", "1 << 200", "1 . 5", "1 / 2", "x + 1", "1u + 1", "1 +  "] {
            assert_eq!(of(text), None, "{text}");
        }
    }

    #[test]
    fn what_cannot_be_shorter_or_is_no_number_stays() {
        for text in ["7", "0", "x1", "", "+", "-1", "1 2", "10px}", "٣"] {
            assert_eq!(smaller(text), [""; 0], "{text}");
        }
    }

    proptest! {
        #[test]
        fn alternatives_are_smaller_numbers_and_so_the_end_comes(text in "[0-9][0-9a-fx._]{0,40}") {
            let size = |text: &str| (count_tokens(text.as_bytes()), text.len());
            for other in smaller(&text) {
                prop_assert!(size(&other) < size(&text), "{other} for {text}");
                prop_assert!(other.bytes().all(|b| b.is_ascii_digit()));
            }
        }
    }
}
