//! Makes a self-contained HTML page about all bugs of a triage: sizes, curves, reduced files, members.

use super::{REPORT, RUN};
use crate::show::record::report::{escape, fill};
use nubbin_session::text;
use nubbin_session::triage::crash::FileSort;
use nubbin_session::triage::state::{Bug, BugState, FileSeen, TriageState};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// The template of the page.
const PAGE: &str = include_str!("page.html");
/// The style sheet of the page.
const STYLE: &str = include_str!("page.css");
/// The width and the height of a curve, in its own units.
const CURVE: (f64, f64) = (160.0, 44.0);
/// The largest reduced file that is shown, in bytes.
const SHOWN: usize = 2000;
/// The most listed members of a bug.
const NAMED: usize = 200;
/// The outcome of a file without a failure.
const PASSES: &str = "passes";
/// The most listed kinds of ordinary errors.
const ERRORS: usize = 50;

/// Tells whether the directory of a bug has a file with this name.
type IsThere<'p> = &'p dyn Fn(&Bug, &str) -> bool;
/// Reads the reduced file of a bug.
type Small<'p> = &'p dyn Fn(&Bug) -> Option<Vec<u8>>;

/// Returns the page.
pub fn page(state: &TriageState, is_there: IsThere<'_>, small: Small<'_>) -> String {
    let shown: Vec<&Bug> = state.own_bugs().filter(|bug| bug.compared_with.is_none()).collect();
    let mut rows = String::new();
    for bug in &shown {
        rows += &row(bug, is_there, small);
    }
    let filled = [
        ("style", STYLE.to_owned()),
        ("name", escape(&state.folder)),
        ("command", escape(&state.command)),
        ("cards", cards(state, &shown)),
        ("rows", rows),
        ("left", left(state)),
    ];
    fill(PAGE, &filled)
}

fn cards(state: &TriageState, shown: &[&Bug]) -> String {
    let small = shown.iter().filter(|bug| bug.has_result()).count();
    let count = |sort| state.files.iter().filter(|file| file.sort == sort).count();
    let merged = state.bugs.len() - state.own_bugs().count();
    let bugs = match merged {
        0 => String::new(),
        merged => format!("<small>{} merged</small>", text::counted(merged, "more group")),
    };
    let card =
        |name: &str, value: String, more: &str| format!("<div><dt>{name}</dt><dd>{value}{more}</dd></div>");
    let files = format!("<small>{} show a bug</small>", text::count(count(FileSort::Bug)));
    let shared = format!("<small>{} more shared</small>", text::count(state.shared_runs));
    [
        card("bugs", text::count(shown.len()), &bugs),
        card("reduced", text::count(small), ""),
        card("files", text::count(state.files.len()), &files),
        card("runs", text::count(state.runs), if state.shared_runs > 0 { &shared } else { "" }),
        card("time", text::time(Duration::from_secs_f64(state.seconds)), ""),
    ]
    .concat()
}

/// Returns the part of one bug.
fn row(bug: &Bug, is_there: IsThere<'_>, small: Small<'_>) -> String {
    let folder = escape(&bug.folder);
    let (state, class) = state(bug);
    let sizes = match (bug.before.tokens, bug.after.tokens) {
        (0, _) => {
            let bytes = bug.members.iter().map(|member| member.bytes).min().unwrap_or_default();
            format!("<p class=\"sizes\">{}</p>", text::counted(bytes, "byte"))
        }
        (before, after) => format!(
            "<p class=\"sizes\"><span>{}</span> → <strong>{}</strong></p>",
            text::count(before),
            text::counted(after, "token")
        ),
    };
    let link = |name: &str, what: &str| {
        let is_there = is_there(bug, name);
        is_there.then(|| format!("<a href=\"{folder}/{}\">{what}</a>", escape(name)))
    };
    let own = bug.name.as_deref().and_then(|name| link(name, "reduced file"));
    let links = [
        own,
        link(RUN, "report of the run"),
        link(REPORT, "bug report"),
        link("repeat.sh", "script to reproduce it"),
        link("members.txt", "members"),
    ];
    let links: Vec<String> = links.into_iter().flatten().collect();
    let code = small(bug).filter(|_| bug.turns > 0 && bug.after.bytes <= SHOWN);
    let code = code.map(|code| {
        format!("<pre tabindex=\"0\"><code>{}</code></pre>", escape(&String::from_utf8_lossy(&code)))
    });
    let members: String = bug
        .members
        .iter()
        .take(NAMED)
        .map(|member| match member.found {
            None => format!("<li>{}</li>", escape(&member.path)),
            Some(number) => format!("<li>found while reducing bug {number}</li>"),
        })
        .collect();
    let more = bug.members.len().saturating_sub(NAMED);
    let more = if more > 0 { format!("<li>and {} more</li>", text::count(more)) } else { String::new() };
    let number = bug.number;
    let found = bug
        .found
        .map(|found| format!("<span class=\"badge\">found while reducing {found}</span>"))
        .unwrap_or_default();
    let probes = match bug.probes {
        0 => String::new(),
        probes => format!("<p>{}</p>", text::counted(probes, "candidate")),
    };
    format!(
        "<article id=\"bug-{number}\"><header><h3><a href=\"#bug-{number}\">{number}</a> {}</h3>\
         <p><span class=\"badge {class}\">{}</span>{found}</p></header>\
         <div class=\"facts\"><div>{sizes}{probes}</div>{}</div>{}\
         <p class=\"links\">{}</p><details><summary>{}</summary><ul>{members}{more}</ul></details></article>\n",
        escape(&bug.title),
        escape(&state),
        curve(bug),
        code.unwrap_or_default(),
        links.join(" · "),
        text::counted(bug.members.len(), "file"),
    )
}

/// Returns a description of the state of a bug, and the CSS class of its colour.
fn state(bug: &Bug) -> (String, &'static str) {
    match &bug.state {
        BugState::Waiting if bug.turns == 0 => ("waiting".to_owned(), ""),
        BugState::Waiting => ("waiting for its next time slice".to_owned(), ""),
        BugState::Running => ("running".to_owned(), "busy"),
        BugState::Small => ("reduced".to_owned(), "done"),
        BugState::Stopped(bound) => (format!("stopped by {bound}"), "done"),
        BugState::Unreproduced(_) => ("not reproducible".to_owned(), "bad"),
        BugState::Failed(why) => (format!("cannot be reduced: {why}"), "bad"),
        BugState::Merged(other) => (format!("the same as {other}"), ""),
    }
}

/// Draws the size of the current best over candidates, on a logarithmic scale.
fn curve(bug: &Bug) -> String {
    let [first, .., last] = &bug.curve[..] else { return String::new() };
    let far = bug.probes.max(last.probes).max(1) as f64;
    let high = (first.tokens.max(2) as f64).ln();
    let (width, height) = CURVE;
    let x = |probes: usize| probes as f64 / far * width;
    let y = |tokens: usize| 2.0 + (height - 4.0) * (1.0 - (tokens.max(1) as f64).ln() / high).clamp(0.0, 1.0);
    let mut path = format!("M0 {:.1}", y(first.tokens));
    for at in &bug.curve[1..] {
        let _ = write!(path, "H{:.1}V{:.1}", x(at.probes), y(at.tokens));
    }
    let _ = write!(path, "H{width}");
    let label = format!("{} to {} tokens over {} candidates", first.tokens, last.tokens, bug.probes);
    format!(
        "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{label}\"><title>{label}</title>\
         <path class=\"area\" d=\"{path}V{height}H0Z\"/><path class=\"line\" d=\"{path}\"/></svg>"
    )
}

/// Returns the files without a bug, by outcome.
fn left(state: &TriageState) -> String {
    let mut groups: BTreeMap<(&'static str, &str), Vec<&FileSeen>> = BTreeMap::new();
    for file in &state.files {
        let what = match file.sort {
            FileSort::Bug => continue,
            FileSort::Error => "an ordinary error",
            FileSort::Other => "another failure",
            FileSort::Hangs => "exceeds the time limit",
            FileSort::OverLimit => "exceeds another limit",
            FileSort::Passes => PASSES,
            FileSort::Unreadable => "cannot be run",
        };
        groups.entry((what, &file.title)).or_default().push(file);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, files)| std::cmp::Reverse(files.len()));
    let mut rows = String::new();
    for ((what, title), files) in groups.iter().take(ERRORS) {
        let title = if *what == PASSES { String::new() } else { escape(title) };
        let first = escape(&files[0].path);
        let more = if files.len() > 1 {
            format!(" and {} more", text::count(files.len() - 1))
        } else {
            String::new()
        };
        let _ = write!(
            rows,
            "<tr><td>{}</td><th scope=\"row\">{what}</th><td>{title}</td><td>{first}{more}</td></tr>",
            text::count(files.len())
        );
    }
    if rows.is_empty() {
        return String::new();
    }
    format!(
        "<section aria-labelledby=\"h-left\"><h2 id=\"h-left\">Files without a bug</h2><div class=\"wide\"><table><thead><tr>\
         <th scope=\"col\">files</th><th scope=\"col\">outcome</th><th scope=\"col\">message</th><th scope=\"col\">example</th></tr></thead>\
         <tbody>{rows}</tbody></table></div></section>"
    )
}
