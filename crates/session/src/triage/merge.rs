//! Merges bugs that are the same: each small file also shows the failure of the other, or both are the same text. If
//! the message does not name the position of the crash, the texts can differ in names.

use super::state::{Bug, BugState, TriageState};
use std::collections::HashMap;

/// Returns whether two bugs are the same. `texts` are their small files.
pub(super) fn are_one(one: &Bug, other: &Bug, texts: [&[u8]; 2]) -> bool {
    let (key, other_key) = (one.crash.key(), other.crash.key());
    let shows = |bug: &Bug, key: &String| bug.shows.contains(key);
    let is_mutual = key != other_key && shows(one, &other_key) && shows(other, &key);
    is_mutual
        || words(texts[0]) == words(texts[1])
        || one.crash.is(&other.crash) && are_alike(texts[0], texts[1])
}

/// Returns whether two texts are equal up to whitespace and one-letter names, which reductions assign.
pub(super) fn are_alike(one: &[u8], other: &[u8]) -> bool {
    let (one, other) = (words(one), words(other));
    if one.is_empty() || one.len() != other.len() {
        return false;
    }
    let (mut there, mut back) = (HashMap::new(), HashMap::new());
    one.into_iter().zip(other).all(|(one, other)| {
        let is_short = |word: &[u8]| word.len() == 1 && word[0].is_ascii_alphabetic();
        let may_differ = is_short(one) && is_short(other);
        *there.entry(one).or_insert(other) == other
            && *back.entry(other).or_insert(one) == one
            && (one == other || may_differ)
    })
}

/// Returns the words and the other characters of a text, without whitespace.
pub(super) fn words(text: &[u8]) -> Vec<&[u8]> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let parts = text.chunk_by(|one, other| is_word(*one) && is_word(*other));
    parts.filter(|part| !part[0].is_ascii_whitespace()).collect()
}

/// Returns the number of the bug that equals this one, which has a small file. `text` reads the small file of a bug.
pub(super) fn same(
    state: &TriageState,
    number: usize,
    text: &dyn Fn(&Bug) -> Option<Vec<u8>>,
) -> Option<usize> {
    let bug = state.bug(number)?;
    let own = text(bug)?;
    let others = state.own_bugs().filter(|other| other.number != number && other.state == BugState::Small);
    let mut found = others.filter(|other| text(other).is_some_and(|text| are_one(bug, other, [&own, &text])));
    found.next().map(|other| other.number)
}

/// Merges two equal bugs. The smaller file is kept. Returns the number of the removed bug and of the remaining one.
pub(super) fn join(state: &mut TriageState, one: usize, other: usize) -> (usize, usize) {
    let rank = |number: usize| {
        let bug = &state.bugs[number - 1];
        (bug.compared_with.is_some(), bug.after.tokens, bug.after.bytes, number)
    };
    let (stays, goes) = if rank(one) <= rank(other) { (one, other) } else { (other, one) };
    let bug = state.bug_mut(goes);
    bug.state = BugState::Merged(stays);
    let (members, is_compared) = (std::mem::take(&mut bug.members), bug.compared_with.take().is_some());
    let target = state.bug_mut(stays);
    target.agreed += usize::from(is_compared);
    for member in members {
        if !target.members.iter().any(|known| known.path == member.path) {
            target.members.push(member);
        }
    }
    target.sort_members();
    for file in state.files.iter_mut().filter(|file| file.bug == Some(goes)) {
        file.bug = Some(stays);
    }
    (goes, stays)
}

#[cfg(test)]
mod tests {
    use super::super::crash::Crash;
    use super::super::state::{Measure, Member};
    use super::*;
    use crate::baseline::Ends;
    use std::collections::BTreeMap;

    fn state(tokens: [usize; 2]) -> TriageState {
        let mut state = TriageState::new(String::new(), String::new(), BTreeMap::new());
        for (number, tokens) in (1..).zip(tokens) {
            let crash = Crash { ends: Ends::Exit(number), signature: None };
            let mut bug = Bug::new(number as usize, crash, String::new());
            let path = format!("{number}.c");
            bug.members.push(Member { path, found: None, bytes: 9, seconds: 0.1, failed: None });
            bug.after = Measure { tokens, bytes: tokens, lines: 1 };
            bug.state = BugState::Small;
            state.bugs.push(bug);
        }
        state
    }

    #[test]
    fn texts_are_alike_up_to_blanks_and_names_of_one_letter() {
        let alike = |one: &str, other: &str| are_alike(one.as_bytes(), other.as_bytes());
        assert!(alike("int a(b) { return b; }", "int x(y)\n{return y;}"));
        assert!(!alike("int a(b) { return b; }", "int x(y) { return x; }"), "another one is returned");
        assert!(!alike("int a;", "long a;"), "that is no name");
        assert!(!alike("a[1];", "a[2];"), "a number may be what matters");
        assert!(!alike("", ""));
    }

    #[test]
    fn two_bugs_are_one_if_each_small_file_shows_both() {
        let text = |bug: &Bug| Some(format!("text {}", bug.number).into_bytes());
        let mut two = state([5, 3]);
        let keys: Vec<String> = two.bugs.iter().map(|bug| bug.crash.key()).collect();
        two.bugs[0].shows = keys.clone();
        assert_eq!(same(&two, 1, &text), None, "the other one alone may be a bug of its own");
        two.bugs[1].shows = keys;
        assert_eq!(same(&two, 1, &text), Some(2));
    }

    #[test]
    fn small_files_that_differ_in_a_name_are_one_bug_only_if_they_show_the_same() {
        let text = |bug: &Bug| Some(format!("int {}", if bug.number == 1 { 'x' } else { 'y' }).into_bytes());
        let mut two = state([2, 2]);
        assert_eq!(same(&two, 1, &text), None, "the name may be what matters");
        two.bugs[1].crash = two.bugs[0].crash.clone();
        assert_eq!(same(&two, 1, &text), Some(2));
        assert_eq!(same(&state([2, 2]), 1, &|_| Some(b"int x".to_vec())), Some(2), "the same text");
    }

    #[test]
    fn the_smaller_file_stays_and_gets_all_members() {
        let mut two = state([5, 3]);
        assert_eq!(join(&mut two, 1, 2), (1, 2));
        assert_eq!(two.bugs[0].state, BugState::Merged(2));
        assert_eq!((two.bugs[1].members.len(), two.root(1)), (2, 2));
        assert_eq!(two.own_bugs().count(), 1);
    }

    #[test]
    fn the_order_of_the_members_depends_neither_on_their_times_nor_on_how_the_bugs_were_joined() {
        let listed = |joined: [usize; 2], seconds: [f64; 2]| {
            let mut two = state([3, 3]);
            for (bug, seconds) in two.bugs.iter_mut().zip(seconds) {
                let number = bug.number;
                let member = |path: &str, found, bytes| {
                    let path = format!("{path}{number}.c");
                    Member { path, found, bytes, seconds, failed: None }
                };
                bug.members = vec![member("seen", Some(1), 1), member("b", None, 20), member("a", None, 20)];
            }
            let (_, stays) = join(&mut two, joined[0], joined[1]);
            two.bugs[stays - 1].members.iter().map(|member| member.path.clone()).collect::<Vec<_>>()
        };
        let expected = ["a1.c", "a2.c", "b1.c", "b2.c", "seen1.c", "seen2.c"];
        assert_eq!(listed([1, 2], [0.1, 0.1]), expected);
        assert_eq!(listed([2, 1], [7.0, 0.1]), expected);
        assert_eq!(listed([1, 2], [0.1, 90.0]), expected);
    }
}
