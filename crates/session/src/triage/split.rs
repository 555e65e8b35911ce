//! Finds further bugs: failures seen during a reduction, and files of a group whose message does not name the
//! position of the crash.

use super::merge::words;
use super::state::{Bug, BugState, Member};
use std::collections::HashSet;

/// Tuned parameters.
struct Tuning {
    /// The largest number of samples of one reduction that are examined.
    samples: usize,
    /// Files of a group with a vague message are reduced for comparison until this many consecutive ones end in a
    /// known small file.
    agreeing: usize,
    /// A text found during another reduction replaces a group's file before its first turn if it is smaller by this
    /// factor.
    smaller: usize,
}

const TUNING: Tuning = Tuning { samples: 20, agreeing: 2, smaller: 2 };

/// Returns the samples to examine.
pub(super) fn samples<T>(samples: Vec<T>) -> Vec<T> {
    samples.into_iter().take(TUNING.samples).collect()
}

/// Returns whether a text of this size is a better start for a bug than its own files.
pub(super) fn is_better(bug: &Bug, bytes: usize) -> bool {
    let smallest =
        bug.members.iter().filter(|member| member.failed.is_none()).map(|member| member.bytes).min();
    bug.state == BugState::Waiting
        && bug.turns == 0
        && smallest.is_none_or(|smallest| bytes * TUNING.smaller <= smallest)
}

/// Returns the member of a vague group to reduce for comparison, if any: the one whose text differs most from the
/// reduced members. `text` reads a member.
pub(super) fn doubtful<'b>(
    bug: &'b Bug,
    tried: &[String],
    text: &dyn Fn(&Member) -> Option<Vec<u8>>,
) -> Option<&'b Member> {
    if !bug.crash.is_vague() || bug.agreed >= TUNING.agreeing {
        return None;
    }
    let is_tried = |member: &&Member| tried.contains(&member.path);
    let known: Vec<Vec<u8>> = bug.members.iter().filter(is_tried).filter_map(text).collect();
    let known: Vec<HashSet<&[u8]>> = known.iter().map(|text| words(text).into_iter().collect()).collect();
    let left = bug
        .members
        .iter()
        .filter(|member| !is_tried(member) && member.failed.is_none() && member.found.is_none());
    let distance = |member: &Member| {
        let text = text(member)?;
        let own: HashSet<&[u8]> = words(&text).into_iter().collect();
        let shared = |other: &HashSet<&[u8]>| {
            let both = own.intersection(other).count();
            1000 * both / (own.len() + other.len() - both).max(1)
        };
        Some(1000 - known.iter().map(shared).max().unwrap_or_default())
    };
    left.filter_map(|member| Some((distance(member)?, member)))
        .max_by(|(one, first), (other, second)| {
            one.cmp(other).then(second.bytes.cmp(&first.bytes)).then(second.path.cmp(&first.path))
        })
        .map(|(_, member)| member)
}

#[cfg(test)]
mod tests {
    use super::super::crash::Crash;
    use super::*;
    use crate::baseline::Ends;
    use nubbin_oracle::signature::Signature;

    fn group(names: &[&str]) -> Bug {
        let crash = Crash { ends: Ends::Signal(11), signature: None };
        let mut bug = Bug::new(1, crash, String::new());
        for name in names {
            let path = (*name).to_owned();
            bug.members.push(Member { path, found: None, bytes: 10, seconds: 0.1, failed: None });
        }
        bug
    }

    #[test]
    fn of_a_vague_group_the_member_least_like_the_others_is_compared() {
        let mut bug = group(&["a b c", "a b c d", "x y z", "a b"]);
        let text = |member: &Member| Some(member.path.clone().into_bytes());
        let tried = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let chosen =
            |bug: &Bug, names: &[&str]| doubtful(bug, &tried(names), &text).map(|one| one.path.clone());
        assert_eq!(chosen(&bug, &["a b c"]).as_deref(), Some("x y z"));
        assert_eq!(chosen(&bug, &["a b c", "x y z"]).as_deref(), Some("a b"));
        assert_eq!(chosen(&bug, &["a b c", "a b c d", "x y z", "a b"]), None);
        bug.agreed = 2;
        assert_eq!(chosen(&bug, &["a b c"]), None, "two have come to the same");
        bug.agreed = 0;
        bug.crash.signature =
            Signature::of(b"", b"x.c:3:1: internal compiler error: in fold, at fold.cc:7\n", &[]);
        assert_eq!(chosen(&bug, &["a b c"]), None, "it says where it died");
    }

    #[test]
    fn a_much_smaller_text_is_a_better_beginning_before_the_first_turn() {
        let mut bug = group(&["a"]);
        assert!(is_better(&bug, 5) && !is_better(&bug, 6));
        bug.turns = 1;
        assert!(!is_better(&bug, 1));
    }
}
