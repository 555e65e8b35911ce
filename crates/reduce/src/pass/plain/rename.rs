//! Shortens words: each is replaced by one letter at all its occurrences, either repeated words to save bytes, or all
//! words to anonymize a text.

use super::super::{Builder, CandidateFilter, Proposal, Snapshot};
use super::words::Words;
use nubbin_search::search::GroupKind;
use nubbin_syntax::edit::{Edit, Seam};
use std::collections::HashSet;

/// The minimum number of bytes that short names must save in total.
const LEAST: usize = 16;

/// Proposes for each repeated word its first character, or an unused letter.
pub(in crate::pass) fn propose(snapshot: &Snapshot<'_>) -> Proposal {
    let words = Words::new(&snapshot.source);
    let mut builder = Builder::new(CandidateFilter::Nothing, Seam::Touch).scattered();
    let mut taken: HashSet<Vec<u8>> = (0..words.len()).map(|symbol| words.text(symbol).to_vec()).collect();
    let mut saved = 0;
    for symbol in 0..words.len() {
        let text = words.text(symbol);
        let is_name = text.len() > 1 && text[0].is_ascii_alphabetic();
        if !is_name || words.places_of(symbol).nth(1).is_none() {
            continue;
        }
        let letters = std::iter::once(text[0]).chain(b'a'..=b'z');
        let Some(short) = letters.map(|letter| vec![letter]).find(|short| !taken.contains(short)) else {
            break;
        };
        saved += words.places_of(symbol).count() * (text.len() - 1);
        builder.delta(words.places_of(symbol).map(|place| Edit::replace(place.word, short.clone())));
        taken.insert(short);
    }
    builder.close(GroupKind::Set, None);
    if saved < LEAST {
        return Builder::new(CandidateFilter::Nothing, Seam::Touch).build();
    }
    builder.build()
}

/// Proposes for each word one or two unused letters, and for each number a shorter one, at all occurrences: in
/// identifiers, strings and comments. The new letters do not depend on the word.
pub(in crate::pass) fn anonymize(snapshot: &Snapshot<'_>) -> Proposal {
    let words = Words::new(&snapshot.source);
    let filter = if snapshot.layers.is_empty() { CandidateFilter::Nothing } else { CandidateFilter::Syntax };
    let mut builder = Builder::new(filter, Seam::Touch).scattered();
    let taken: HashSet<&[u8]> = (0..words.len()).map(|symbol| words.text(symbol)).collect();
    let mut letters = short_names().filter(|name| !taken.contains(&name[..])).peekable();
    for symbol in 0..words.len() {
        let text = words.text(symbol);
        let short = match text[0] {
            byte if byte.is_ascii_digit() => vec![b'1'],
            _ => letters.peek().cloned().unwrap_or_default(),
        };
        if short.is_empty() || short.len() >= text.len() {
            continue;
        }
        if !text[0].is_ascii_digit() {
            letters.next();
        }
        builder.delta(words.places_of(symbol).map(|place| Edit::replace(place.word, short.clone())));
    }
    builder.close(GroupKind::Set, None);
    builder.build()
}

/// Lists names of one letter, then of two.
fn short_names() -> impl Iterator<Item = Vec<u8>> {
    let letters = || (b'a'..=b'z').chain(b'A'..=b'Z');
    let pairs = letters().flat_map(move |one| letters().map(move |other| vec![one, other]));
    letters().map(|letter| vec![letter]).chain(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nubbin_syntax::edit::Patch;

    #[test]
    fn words_and_numbers_of_an_anonymous_text_are_short_and_tell_nothing() {
        let source = b"invoice(\"ACME owes 4821\", a, no) # invoice 7\n";
        let proposal = anonymize(&Snapshot::plain(source[..].into()));
        let all: Vec<u32> = (0..proposal.len() as u32).collect();
        let patch = Patch::new(proposal.edits(&|_| false, &all));
        assert_eq!(patch.apply(source, Seam::Touch), b"b(\"c d 1\", a, e) # b 7\n");
    }

    #[test]
    fn repeated_words_become_letters_that_are_free() {
        let source = b"lease c05 lost\nlease c05 c x\nlease lease\n";
        let proposal = propose(&Snapshot::plain(source[..].into()));
        let all: Vec<u32> = (0..proposal.len() as u32).collect();
        let patch = Patch::new(proposal.edits(&|_| false, &all));
        assert_eq!(patch.apply(source, Seam::Touch), b"l a lost\nl a c x\nl l\n");
    }
}
