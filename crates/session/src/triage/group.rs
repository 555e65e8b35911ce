//! Assigns failures to bugs.
//!
//! A failure belongs to a bug with the same failure, or to one whose message differs only in words of the texts, such
//! as the name of a function.

use super::crash::{Crash, FileSort};
use super::state::{Bug, BugState, Member, TriageState};
use super::survey::Surveyed;

/// Reads the text of a member.
pub(super) type Read<'r> = &'r dyn Fn(&Member) -> Option<Vec<u8>>;

/// Returns the number of the bug to which the failure of a text belongs, if any.
pub(super) fn bug_of(
    state: &mut TriageState,
    crash: &Crash,
    text: Option<Vec<u8>>,
    read: Read<'_>,
) -> Option<usize> {
    if let Some(same) = state.bugs.iter().find(|bug| bug.crash.is(crash)) {
        return Some(state.root(same.number));
    }
    let text = text?;
    let common = |bug: &Bug| {
        if !bug.crash.may_be(crash) {
            return None;
        }
        let other = bug.members.iter().find_map(read)?;
        Some((bug.number, bug.crash.common(crash, [&other, &text])?))
    };
    let (number, common) = state.bugs.iter().find_map(common)?;
    let number = state.root(number);
    let bug = state.bug_mut(number);
    if bug.turns == 0 && bug.state == BugState::Waiting && bug.crash != common {
        bug.title = common.title();
        bug.crash = common;
    }
    Some(number)
}

/// Adds a file to its bug, or creates a bug for a new failure. `read` reads a member.
pub(super) fn add(state: &mut TriageState, one: Surveyed, read: Read<'_>) {
    let Surveyed { mut seen, showing } = one;
    if let Some(same) = &seen.same_as {
        if let Some(first) = state.files.iter().find(|file| file.path == *same) {
            (seen.sort, seen.bug, seen.seconds) = (first.sort, first.bug, first.seconds);
            seen.title.clone_from(&first.title);
        }
        state.files.push(seen);
        return;
    }
    let member = Member {
        path: seen.path.clone(),
        found: None,
        bytes: seen.bytes,
        seconds: seen.seconds,
        failed: None,
    };
    if let Some(crash) = showing.crash.filter(|_| showing.sort == FileSort::Bug) {
        let number = bug_of(state, &crash, read(&member), read).unwrap_or_else(|| {
            state.bugs.push(Bug::new(state.bugs.len() + 1, crash, showing.title));
            state.bugs.len()
        });
        seen.bug = Some(number);
        let bug = state.bug_mut(number);
        bug.members.push(member);
        if matches!(bug.state, BugState::Unreproduced(_)) {
            bug.state = BugState::Waiting;
        }
        // A file of the folder shows the bug now.
        bug.found = None;
    }
    state.files.push(seen);
}

#[cfg(test)]
mod tests {
    use super::super::crash::Showing;
    use super::super::state::FileSeen;
    use super::*;
    use crate::baseline::Ends;
    use nubbin_oracle::signature::Signature;
    use std::collections::BTreeMap;

    fn crash(message: &str) -> Crash {
        let said = format!("x.c:1:2: internal compiler error: {message}\n");
        Crash { ends: Ends::Exit(1), signature: Signature::of(b"", said.as_bytes(), &[]) }
    }

    fn added(files: &[(&str, &str)]) -> TriageState {
        let mut state = TriageState::new(String::new(), String::new(), BTreeMap::new());
        let text = |member: &Member| Some(member.path.clone().into_bytes());
        for (text_of_file, message) in files {
            let crash = crash(message);
            let showing = Showing { sort: FileSort::Bug, title: crash.title(), crash: Some(crash) };
            let seen = FileSeen {
                path: (*text_of_file).to_owned(),
                bytes: 1,
                hash: String::new(),
                sort: FileSort::Bug,
                title: String::new(),
                bug: None,
                same_as: None,
                seconds: 0.1,
            };
            add(&mut state, Surveyed { seen, showing }, &text);
        }
        state
    }

    #[test]
    fn messages_that_differ_in_names_of_the_input_are_one_bug() {
        let state = added(&[
            ("void f(int n) { g(n); }", "n from g referenced in f"),
            ("void other(int m) { h(m); }", "m from h referenced in other"),
        ]);
        assert_eq!((state.bugs.len(), state.bugs[0].members.len()), (1, 2));
        assert_eq!(state.bugs[0].title, "internal error: … from … referenced in …");
    }

    #[test]
    fn messages_that_differ_in_other_words_are_two_bugs() {
        let texts =
            [("int fold;", "in fold_binary, at fold.cc:3"), ("int x;", "in expand_expr, at fold.cc:3")];
        assert_eq!(added(&texts).bugs.len(), 2);
        assert_eq!(added(&[texts[0], ("int y;", texts[0].1)]).bugs.len(), 1);
    }
}
