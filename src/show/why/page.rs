//! The answers as a self-contained HTML page: the chain from input to failure, with the source.

use super::Answer;
use super::source::Sources;
use super::text::{by_line, difference, marks, steps};
use crate::show::record::report::{escape, fill};
use nubbin_session::text;
use nubbin_session::why::explain::Explained;
use nubbin_session::why::{At, ChainFound, StateFound};
use nubbin_state::account::Account;
use nubbin_state::causes::{Link, Sort, Transition};
use nubbin_state::effect::Effect;
use nubbin_state::events::Reduced;
use nubbin_state::protocol::Place;
use nubbin_state::state::Found;
use std::ffi::OsString;
use std::fmt::Write;

/// The template of the page.
const PAGE: &str = include_str!("page.html");
/// The style sheet of the page.
const STYLE: &str = include_str!("page.css");
/// The line of the template before the body.
const START: &str = "<main>";
/// The number of source lines shown before and after a statement.
const AROUND: u32 = 2;
/// The longest gap between two statements that is shown in full, in lines.
const GAP: u32 = 3;

/// Returns the page. It begins with the account of the failure, if one is given.
pub fn page(answer: &Answer, account: Option<&Account>) -> String {
    let page = body(answer, account.and_then(super::account::title).as_deref());
    let Some(account) = account else { return page };
    let first = format!("<h2>At the failure</h2>\n<pre>{}</pre>\n", escape(&super::account(account)));
    page.replacen(START, &format!("{START}\n{first}"), 1)
}

/// Returns the page without the account. `title` is the failure with its place.
fn body(answer: &Answer, title: Option<&str>) -> String {
    match answer {
        Answer::Events(words, reduced) => events(words, reduced),
        Answer::State(at, runs, found) => state(at, runs, found),
        Answer::Causes(runs, found) => {
            let title = title.unwrap_or(&found.failure);
            filled("causes", title, &both(runs), &chain_cards(found), &chain(found))
        }
        Answer::Explained(found) => explained(found, title),
    }
}

fn filled(command: &str, title: &str, runs: &str, cards: &str, body: &str) -> String {
    let parts = [
        ("style", STYLE.to_owned()),
        ("command", command.to_owned()),
        ("title", escape(title)),
        ("runs", runs.to_owned()),
        ("cards", cards.to_owned()),
        ("body", body.to_owned()),
    ];
    fill(PAGE, &parts)
}

fn run(name: &str, words: &[OsString]) -> String {
    format!("<p class=\"run\"><b>{name}</b> <code>{}</code></p>\n", escape(&text::words(words)))
}

fn both(runs: &[Vec<OsString>; 2]) -> String {
    run("passing", &runs[0]) + &run("failing", &runs[1])
}

fn card(name: &str, value: &str) -> String {
    format!("<div><dt>{name}</dt><dd>{}</dd></div>", escape(value))
}

fn events(words: &[OsString], reduced: &Reduced) -> String {
    let left = reduced.kept.iter().filter(|&&kept| kept).count();
    let cards = card("executed statements", &text::count(reduced.kept.len()))
        + &card("needed", &text::count(left))
        + &card("runs", &text::count(reduced.runs));
    let mut body = String::new();
    let mut sources = Sources::default();
    for (file, lines) in by_line(reduced) {
        let _ = writeln!(body, "<h2>{}</h2>\n<pre class=\"code\">", escape(&file.to_string_lossy()));
        let (first, last) = (lines.keys().next().copied(), lines.keys().next_back().copied());
        let source = sources.lines(&file);
        let mut shown = 0;
        for line in first.unwrap_or(1)..=last.unwrap_or(0) {
            let near = |other: u32| lines.contains_key(&other);
            if !(line.saturating_sub(GAP)..=line + GAP).any(near) {
                if shown + 1 == line || shown == 0 {
                    body += "<span><i>…</i></span>";
                }
                continue;
            }
            shown = line;
            let code = source.get(line as usize - 1).map_or("", String::as_str);
            let (class, marks) = match lines.get(&line) {
                Some(executions) if executions.contains(&true) => (" class=\"kept\"", marks(executions)),
                Some(executions) => ("", marks(executions)),
                None => ("", String::new()),
            };
            let _ = write!(body, "<span{class}><i>{line}</i>{}<em>{marks}</em></span>", escape(code));
        }
        body += "</pre>\n";
    }
    body += "<p class=\"legend\">●: an execution that the failure needs. ·: an execution that can be left out.</p>\n";
    filled("statements", &reduced.failure.words(), &run("run", words), &cards, &body)
}

fn state(at: &At, runs: &[Vec<OsString>; 2], found: &StateFound) -> String {
    let mut cards = card("runs", &text::count(found.runs));
    let mut sources = Sources::default();
    let body = match &found.found {
        Found::Nothing(reason) => format!("<p class=\"cause\">Unknown: {}</p>\n", escape(reason)),
        Found::Relevant(isolated) => {
            cards += &card("differences", &text::count(isolated.differences));
            cards += &card("relevant", &text::count(isolated.words.len()));
            let mut body = causes(&isolated.words);
            body += &excerpt(&at.file, at.line, &[at.line], &mut sources);
            let commands: Vec<&String> = found.way.iter().chain(&found.typed).collect();
            body += "<h2>Commands to reproduce it</h2>\n<pre class=\"code\">";
            for command in commands {
                let _ = write!(body, "<span>{}</span>", escape(command));
            }
            body += "</pre>\n";
            if let Some(picture) = &isolated.picture {
                let _ =
                    writeln!(body, "<h2>The failing state</h2>\n<div class=\"graph\">{}</div>", picture.svg);
                body += "<p class=\"legend\"><b style=\"background:#ffd7d5\">the cause</b> <b style=\"background:#fff3c4\">another difference</b> <b style=\"background:#eef1f5\">as in the passing state</b></p>\n";
            }
            body
        }
    };
    let title = format!("{}:{}", at.file.display(), at.line);
    filled("state", &title, &both(runs), &cards, &body)
}

fn explained(found: &Explained, title: Option<&str>) -> String {
    let [passing, failing] = found.texts.each_ref().map(|text| String::from_utf8_lossy(text));
    let lines = difference(&passing, &failing);
    let mut body = "<h2>The reduced file</h2>\n<pre class=\"code\">".to_owned();
    for line in lines.lines() {
        let class = if line.trim_start().starts_with("fails") { " class=\"here\"" } else { "" };
        let _ = write!(body, "<span{class}>{}</span>", escape(line));
    }
    body += "</pre>\n<h2>Chain of causes</h2>\n";
    body += &chain(&found.found);
    let cards =
        card("tokens", &format!("{} → {}", text::count(found.tokens[0]), text::count(found.tokens[1])))
            + &chain_cards(&found.found);
    filled("explain", title.unwrap_or(&found.found.failure), &both(&found.words), &cards, &body)
}

fn chain_cards(found: &ChainFound) -> String {
    let chain = &found.chain;
    card("causes", &text::count(steps(chain).len()))
        + &card("transitions", &text::count(chain.transitions.len()))
        + &card("runs", &text::count(chain.runs))
        + &card(
            "moments compared",
            &format!("{} of {}", text::count(chain.examined), text::count(chain.moments)),
        )
}

fn chain(found: &ChainFound) -> String {
    let chain = &found.chain;
    let mut sources = Sources::default();
    if let Some(reason) = &chain.reason {
        return format!("<p class=\"cause\">No cause found: {}</p>\n", escape(reason));
    }
    let mut body = "<ol class=\"chain\">\n".to_owned();
    for (link, transition) in steps(chain) {
        body += &step(link, &mut sources);
        match transition {
            Some(transition) => body += &handover(transition, &mut sources),
            None => body += "<li class=\"over\">leads to</li>\n",
        }
    }
    let _ = writeln!(body, "<li class=\"end\">{}</li>\n</ol>", escape(&found.failure));
    if chain.is_cut {
        let most = text::count(chain.events.into_iter().max().unwrap_or_default());
        let _ = writeln!(body, "<p>Only the last {most} executed statements of each run were compared.</p>");
    }
    body
}

fn causes(words: &[String]) -> String {
    words.iter().fold(String::new(), |mut all, words| {
        let _ = writeln!(all, "<p class=\"cause\"><code>{}</code></p>", escape(words));
        all
    })
}

/// A link of the chain.
fn step(link: &Link, sources: &mut Sources) -> String {
    let place = &link.place;
    let frames = link.cause.frames.join(" ← ");
    let mut out = format!("<li>{}", causes(&link.cause.words));
    let _ =
        writeln!(out, "<p class=\"where\">before {} in {}</p>", escape(&place.to_string()), escape(&frames));
    out += &excerpt(&place.file, place.line, &[place.line], sources);
    out += "<details><summary>Commands to reproduce it</summary><pre class=\"code\">";
    let [passing, _] = link.arrivals;
    let place = escape(&place.to_string());
    let _ = write!(out, "<span>in the passing run, at {place}, execution {passing} of this line:</span>");
    for command in &link.cause.commands {
        let _ = write!(out, "<span>{}</span>", escape(command));
    }
    out + "</pre></details></li>\n"
}

/// A transition, with the statements that the failing run executes there.
fn handover(transition: &Transition, sources: &mut Sources) -> String {
    let what = match transition.sort {
        Sort::Made => "a new value is computed here:",
        Sort::Moved => "the value moves to another variable here:",
        Sort::Handed => "the value is passed to another function here:",
    };
    let doubt = match transition.effect {
        Some(Effect::Nothing) => "not confirmed that the cause above leads to the cause below; ",
        _ => "",
    };
    let mut out = format!("<li class=\"over\">{doubt}{what}");
    let files: Vec<&Place> = transition.places.iter().collect();
    for chunk in files.chunk_by(|one, next| one.file == next.file) {
        let mut lines: Vec<u32> = chunk.iter().map(|place| place.line).collect();
        lines.sort_unstable();
        for part in lines.chunk_by(|one, next| next - one <= GAP) {
            out += &excerpt(&chunk[0].file, part[0], part, sources);
        }
    }
    out + "</li>\n"
}

/// Lines of a source, some of which are highlighted.
fn excerpt(file: &std::path::Path, first: u32, marked: &[u32], sources: &mut Sources) -> String {
    let last = marked.iter().copied().max().unwrap_or(first);
    let lines = sources.lines(file);
    let mut out = "<pre class=\"code\">".to_owned();
    for line in first.saturating_sub(AROUND).max(1)..=last + AROUND {
        let Some(code) = lines.get(line as usize - 1) else { break };
        let class = if marked.contains(&line) { " class=\"here\"" } else { "" };
        let _ = write!(out, "<span{class}><i>{line}</i>{}</span>", escape(code));
    }
    out + "</pre>\n"
}
