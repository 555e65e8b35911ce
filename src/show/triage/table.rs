//! Describes the bugs of a triage in lines of text.

use nubbin_session::text;
use nubbin_session::triage::crash::FileSort;
use nubbin_session::triage::state::{Bug, BugState, TriageState};
use std::path::Path;
use std::time::Duration;

/// Returns a line with the numbers of files by outcome.
pub fn files(state: &TriageState) -> String {
    let count = |sort| state.files.iter().filter(|file| file.sort == sort).count();
    let bugs = |is_found: bool| {
        let own = state.own_bugs().filter(|bug| bug.compared_with.is_none());
        own.filter(|bug| bug.found.is_some() == is_found).count()
    };
    let found = match bugs(true) {
        0 => String::new(),
        found => format!(" ({} more found during reductions)", text::count(found)),
    };
    let shown =
        format!("{} show {}{found}", text::count(count(FileSort::Bug)), text::counted(bugs(false), "bug"));
    let others = [
        (FileSort::Error, "get an ordinary error"),
        (FileSort::Other, "fail in another way"),
        (FileSort::Hangs, "exceed the time limit"),
        (FileSort::OverLimit, "exceed another limit"),
        (FileSort::Unreadable, "cannot be run"),
        (FileSort::Passes, "pass"),
    ];
    let others = others.into_iter().map(|(sort, what)| (count(sort), what)).filter(|(number, _)| *number > 0);
    let parts: Vec<String> = std::iter::once(shown)
        .chain(others.map(|(number, what)| format!("{} {what}", text::count(number))))
        .collect();
    format!("{}: {}", text::counted(state.files.len(), "file"), parts.join(", "))
}

/// Returns a line about a bug.
pub fn line(bug: &Bug) -> String {
    let (number, title) = (bug.number, printable(&bug.title));
    let from = match (bug.found, bug.compared_with) {
        (Some(found), _) => format!("found while reducing {found}"),
        (None, Some(other)) => format!("compared with {other}"),
        (None, None) => text::counted(bug.members.len(), "file"),
    };
    let sizes =
        || format!("{} → {}", text::count(bug.before.tokens), text::counted(bug.after.tokens, "token"));
    let probes = || text::counted(bug.probes, "candidate");
    match &bug.state {
        BugState::Waiting | BugState::Running if bug.turns == 0 => format!("{number:>4}  {title} ({from})"),
        BugState::Waiting | BugState::Running => progress(bug, bug.after.tokens, bug.probes),
        BugState::Small => format!("{number:>4}  {}, {}: {title} ({from})", sizes(), probes()),
        BugState::Stopped(bound) => {
            format!("{number:>4}  {}, {}, stopped by {bound}: {title} ({from})", sizes(), probes())
        }
        BugState::Unreproduced(why) => {
            format!("{number:>4}  not reproducible: {title} ({from}; {})", printable(why))
        }
        BugState::Failed(why) => {
            format!("{number:>4}  cannot be reduced: {title} ({from}; {})", printable(why))
        }
        BugState::Merged(other) => format!("{number:>4}  the same as {other}: {title}"),
    }
}

/// Returns a line about a running reduction.
pub fn progress(bug: &Bug, tokens: usize, probes: usize) -> String {
    let before = if bug.before.tokens > 0 { bug.before.tokens } else { tokens };
    let (before, tokens) = (text::count(before), text::counted(tokens, "token"));
    format!(
        "{:>4}  {before} → {tokens} so far, {}: {}",
        bug.number,
        text::counted(probes, "candidate"),
        printable(&bug.title)
    )
}

/// Returns a line about the overall progress.
pub fn whole(state: &TriageState) -> String {
    let count = |is_so: fn(&Bug) -> bool| state.own_bugs().filter(|bug| is_so(bug)).count();
    let small = count(Bug::has_result);
    let (running, waiting) =
        (count(|bug| bug.state == BugState::Running), count(|bug| bug.state == BugState::Waiting));
    format!(
        "{small} of {} reduced, {running} running, {waiting} waiting",
        text::counted(state.own_bugs().count(), "bug")
    )
}

/// Returns the summary of a triage.
pub fn summary(state: &TriageState, out: &Path) -> String {
    let mut lines = vec![files(state)];
    lines.extend(state.own_bugs().map(line));
    let merged = state.bugs.len() - state.own_bugs().count();
    if merged > 0 {
        lines.push(format!("      {} merged into another bug", text::counted(merged, "group")));
    }
    let time = text::time(Duration::from_secs_f64(state.seconds));
    let shared = match state.shared_runs {
        0 => String::new(),
        shared => format!(" ({} more shared between bugs)", text::count(shared)),
    };
    lines.push(format!("runs      {}{shared}, in {time}", text::count(state.runs)));
    lines.push(format!("page      {}", out.join(super::INDEX).display()));
    if state.own_bugs().any(|bug| bug.state == BugState::Waiting) {
        lines.push("hint: run the same command again to continue with the waiting bugs".to_owned());
    }
    lines.join("\n")
}

fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
