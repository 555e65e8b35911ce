//! Lists the words of the input that remain in a result, which matter if the result is published.

use crate::language::Chosen;
use crate::text;
use std::collections::{BTreeSet, HashSet};

/// The shortest listed word, in bytes. Shorter ones reveal nothing.
const LEAST: usize = 3;
/// The largest number of words in the summary.
const SHOWN: usize = 12;

/// Returns the sorted words of the input that remain in a result, except keywords: names, numbers, and words in
/// strings and comments.
#[must_use]
pub fn left(input: &[u8], result: &[u8], language: &Chosen) -> Vec<String> {
    let keywords: HashSet<&[u8]> =
        language.get().into_iter().flat_map(|one| one.grammar().keywords()).map(str::as_bytes).collect();
    let known: HashSet<&[u8]> = words(input).collect();
    let left = words(result).filter(|word| known.contains(word) && !keywords.contains(word));
    let left: BTreeSet<String> = left.map(|word| String::from_utf8_lossy(word).into_owned()).collect();
    left.into_iter().collect()
}

/// Returns the words of a text that are long enough.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    text.split(move |byte| !is_word(byte)).filter(|word| word.len() >= LEAST)
}

/// Formats the words for the summary.
#[must_use]
pub fn shown(left: &[String]) -> String {
    let named: Vec<&str> = left.iter().take(SHOWN).map(String::as_str).collect();
    match (left.len(), left.len().saturating_sub(SHOWN)) {
        (0, _) => "no word of the input is left".to_owned(),
        (all, 0) => format!("{} of the input left: {}", text::counted(all, "word"), named.join(", ")),
        (all, more) => {
            format!("{} of the input left: {} and {more} more", text::counted(all, "word"), named.join(", "))
        }
    }
}

/// Returns a hint if the description of the failure contains some of the words.
#[must_use]
pub fn in_message(left: &[String], kept: &str) -> Option<String> {
    let said: HashSet<&[u8]> = words(kept.as_bytes()).collect();
    let number = left.iter().filter(|word| said.contains(word.as_bytes())).count();
    let hint = format!(
        "hint: {} of them {} part of the failure to keep; match less of its message with `--stderr REGEX`",
        number,
        if number == 1 { "is" } else { "are" }
    );
    (number > 0).then_some(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_input_that_are_left_are_told_without_short_ones() {
        let left =
            left(b"int total = acme_rate * 4821; // owed", b"x = acme_rate(4821, ab)", &Chosen::Unknown);
        assert_eq!(left, ["4821", "acme_rate"]);
        assert_eq!(shown(&left), "2 words of the input left: 4821, acme_rate");
        assert_eq!(shown(&[]), "no word of the input is left");
        let hint = in_message(&left, "the failure to keep: it says `Error: acme_rate is 7`");
        assert!(hint.is_some_and(|hint| hint.starts_with("hint: 1 of them is part of the failure")));
        assert_eq!(in_message(&left, "it exits with status 1"), None);
        let many: Vec<String> = (0..15).map(|number| format!("word{number}")).collect();
        assert!(shown(&many).ends_with("word11 and 3 more"));
    }
}
