//! Finds the reason why each token of a result is needed: the output of the oracle without the token. Only candidates of
//! the run are searched; the oracle is not run again.

use super::runs::{Rejected, Said};
use std::collections::HashMap;
use std::ops::Range;

/// The greatest number of tokens for which a reason is searched.
const MOST: usize = 3000;

/// The known reason why a token is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The output without this token.
    Alone(Said),
    /// The output without all tokens of this range.
    With(Range<usize>, Said),
    /// The output with this text instead of the token.
    Replaced(String, Said),
    /// No run without this token is known.
    Unknown,
}

/// Returns the ranges of the tokens of a text: words and single characters, or whole lines.
pub fn tokens(text: &[u8], by_lines: bool) -> Vec<Range<usize>> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let (mut tokens, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let length = |is_in: &dyn Fn(u8) -> bool| text[at..].iter().take_while(|&&byte| is_in(byte)).count();
        let length = match text[at] {
            byte if by_lines && byte != b'\n' => length(&|byte| byte != b'\n'),
            byte if is_word(byte) => length(&is_word),
            byte if byte.is_ascii_whitespace() || byte == 0x0b => {
                at += 1;
                continue;
            }
            _ => 1,
        };
        tokens.push(at..at + length);
        at += length;
    }
    tokens
}

/// Returns the reason why each token of the last of `bests` is needed. `bests` are in the order of the run. An earlier
/// text counts if it has the same number of tokens, because then only identifiers have changed.
pub fn reasons(bests: &[&[u8]], rejected: &[Rejected], by_lines: bool) -> Vec<Reason> {
    let mut names = Names::default();
    let mut split = |text: &[u8]| {
        let found = tokens(text, by_lines);
        let numbers: Vec<u32> = found.iter().map(|token| names.of(&text[token.clone()])).collect();
        (found, numbers)
    };
    let bests: Vec<Vec<u32>> = bests.iter().map(|best| split(best).1).collect();
    let count = bests.last().map_or(0, Vec::len);
    let mut reasons = vec![Reason::Unknown; count];
    if count > MOST {
        return reasons;
    }
    let fits =
        |text: &(Vec<Range<usize>>, Vec<u32>)| text.1.len() <= count && (count == 1 || !text.1.is_empty());
    let candidates: Vec<_> = rejected.iter().map(|one| (one, split(&one.candidate))).collect();
    for own in bests.iter().filter(|own| own.len() == count) {
        // The latest candidate comes last, so its reason is kept.
        for (one, (found, theirs)) in candidates.iter().filter(|(_, text)| fits(text)) {
            compare(&mut reasons, own, one, found, theirs);
        }
    }
    reasons
}

/// Compares a candidate with the result, and records the reason for each token that the candidate lacks.
fn compare(reasons: &mut [Reason], own: &[u32], one: &Rejected, found: &[Range<usize>], theirs: &[u32]) {
    let same = own.iter().zip(theirs).take_while(|(a, b)| a == b).count();
    let rest = own.len().min(theirs.len()) - same;
    let tail = own.iter().rev().zip(theirs.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let gone = same..own.len() - tail;
    let new = &found[same..theirs.len() - tail];
    match (gone.len(), new) {
        (0, _) => {}
        // Of two equal neighbours, removing either gives the same text.
        (1, []) => {
            let is_same = |at: &usize| own[*at] == own[gone.start];
            let before = (0..gone.start).rev().take_while(is_same);
            for at in before.chain(gone.start..gone.end) {
                reasons[at] = Reason::Alone(one.said.clone());
            }
        }
        (_, []) => with(reasons, &gone, &one.said),
        (1, [first, .., last]) => replaced(&mut reasons[gone.start], one, first.start..last.end),
        (1, [only]) => replaced(&mut reasons[gone.start], one, only.clone()),
        _ => apart(reasons, own, theirs, &gone, &one.said),
    }
}

/// Records a candidate without these tokens.
fn with(reasons: &mut [Reason], gone: &Range<usize>, said: &Said) {
    for reason in &mut reasons[gone.clone()] {
        let is_better = match reason {
            Reason::Alone(_) => false,
            Reason::With(known, _) => gone.len() <= known.len(),
            Reason::Replaced(..) | Reason::Unknown => true,
        };
        if is_better {
            *reason = Reason::With(gone.clone(), said.clone());
        }
    }
}

/// Records a candidate with another text instead of a token.
fn replaced(reason: &mut Reason, one: &Rejected, new: Range<usize>) {
    if matches!(reason, Reason::Unknown | Reason::Replaced(..)) {
        let new = String::from_utf8_lossy(&one.candidate[new]).into_owned();
        *reason = Reason::Replaced(new, one.said.clone());
    }
}

/// Records a candidate without tokens in several places, if it contains the other tokens between them in the same order.
fn apart(reasons: &mut [Reason], own: &[u32], theirs: &[u32], gone: &Range<usize>, said: &Said) {
    let left = &theirs[gone.start..theirs.len() - (own.len() - gone.end)];
    let mut left = left.iter().peekable();
    let is_left = |at: &usize| left.next_if(|token| **token == own[*at]).is_none();
    let missing: Vec<usize> = gone.clone().filter(is_left).collect();
    if left.next().is_none() && missing.len() > 1 {
        with(reasons, gone, said);
    }
}

/// Gives a number to each different text.
#[derive(Default)]
struct Names(HashMap<Vec<u8>, u32>);

impl Names {
    fn of(&mut self, text: &[u8]) -> u32 {
        if let Some(&number) = self.0.get(text) {
            return number;
        }
        let number = self.0.len() as u32;
        self.0.insert(text.to_owned(), number);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nubbin_oracle::Status;

    fn said(status: i32) -> Said {
        Said { status: Some(Status::Exit(status)), line: None }
    }

    fn why(best: &str, rejected: &[(&str, i32)]) -> Vec<Reason> {
        let rejected: Vec<Rejected> = rejected
            .iter()
            .map(|&(text, status)| Rejected { candidate: text.into(), said: said(status) })
            .collect();
        reasons(&[best.as_bytes()], &rejected, false)
    }

    #[test]
    fn the_latest_run_without_only_this_token_is_the_reason() {
        let found = why("f (a);", &[("f( );", 1), ("f(a)", 2), ("f();", 3), ("g(a);", 4), ("x", 9)]);
        let expected = [
            Reason::Replaced("g".to_owned(), said(4)),
            Reason::Unknown,
            Reason::Alone(said(3)),
            Reason::Unknown,
            Reason::Alone(said(2)),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn tokens_that_were_only_removed_together_share_the_reason_of_the_shortest_range() {
        let found = why("f(a);", &[(";", 1), ("f;", 2)]);
        assert_eq!(found[0], Reason::With(0..4, said(1)));
        assert_eq!(found[1..4], vec![Reason::With(1..4, said(2)); 3]);
        assert_eq!(found[4], Reason::Unknown);
    }

    #[test]
    fn equal_neighbours_have_the_same_reason() {
        assert_eq!(why("((a", &[("(a", 1)])[..2], [Reason::Alone(said(1)), Reason::Alone(said(1))]);
    }

    #[test]
    fn a_text_with_other_identifiers_gives_reasons_for_the_same_tokens() {
        let rejected = [Rejected { candidate: b"long();".to_vec(), said: said(1) }];
        let found = reasons(&[b"long(name);", b"x+long(name)", b"f(a);"], &rejected, false);
        assert_eq!(found[2], Reason::Alone(said(1)));
        assert_eq!((found.len(), &found[0]), (5, &Reason::Unknown));
    }

    #[test]
    fn tokens_are_words_and_single_characters_or_lines() {
        assert_eq!(tokens(b"a1 +=\xc3\xa4", false), [0..2, 3..4, 4..5, 5..7]);
        assert_eq!(tokens(b"-O2\n-g x\n", true), [0..3, 4..8]);
    }
}
