//! Makes repeated words short: each becomes one letter at all places.

use super::super::{Builder, CandidateFilter, Proposal, Snapshot};
use super::words::Words;
use nubbin_search::search::GroupKind;
use nubbin_syntax::edit::{Edit, Seam};
use std::collections::HashSet;

/// The least number of bytes that short names have to save together; less is not worth the probes.
const LEAST: usize = 16;

/// Proposes for each repeated word its first character, or a letter that is no word of the text yet.
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

#[cfg(test)]
mod tests {
    use super::*;
    use nubbin_syntax::edit::Patch;

    #[test]
    fn repeated_words_become_letters_that_are_free() {
        let source = b"lease c05 lost\nlease c05 c x\nlease lease\n";
        let proposal = propose(&Snapshot::plain(source[..].into()));
        let all: Vec<u32> = (0..proposal.len() as u32).collect();
        let patch = Patch::new(proposal.edits(&|_| false, &all));
        assert_eq!(patch.apply(source, Seam::Touch), b"l a lost\nl a c x\nl l\n");
    }
}
