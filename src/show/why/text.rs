//! The answers as text.

use super::Answer;
use super::source::Sources;
use nubbin_session::text;
use nubbin_session::why::explain::Explained;
use nubbin_session::why::{At, ChainFound, StateFound};
use nubbin_state::causes::{Chain, Link, Sort, Transition};
use nubbin_state::effect::Effect;
use nubbin_state::events::Reduced;
use nubbin_state::protocol::Place;
use nubbin_state::state::Found;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write;

/// The most executions of a statement that are marked individually.
const MARKED: usize = 40;
/// The most items of a list that are shown.
const TOLD: usize = 6;

/// Returns the answer as text.
pub fn text(answer: &Answer) -> String {
    match answer {
        Answer::Events(words, reduced) => events(words, reduced),
        Answer::State(at, runs, found) => state(at, runs, found),
        Answer::Causes(runs, found) => format!("{}{}", head(runs, &found.failure), chain(found)),
        Answer::Explained(found) => explained(found),
    }
}

fn head(runs: &[Vec<OsString>; 2], failure: &str) -> String {
    let [passing, failing] = runs.each_ref().map(|run| text::words(run));
    format!("passing   {passing}\nfailing   {failing}\nfailure   {failure}\n\n")
}

/// The source with the executions of each statement.
fn events(words: &[OsString], reduced: &Reduced) -> String {
    let left = reduced.kept.iter().filter(|&&kept| kept).count();
    let mut out = format!("run       {}\nfailure   {}\n", text::words(words), reduced.failure.words());
    let _ = writeln!(out, "needed    {left} of {}", text::counted(reduced.kept.len(), "executed statement"));
    let mut sources = Sources::default();
    for (file, lines) in by_line(reduced) {
        let _ = writeln!(out, "\n{}", file.display());
        for (line, executions) in lines {
            let marks = marks(&executions);
            let _ = writeln!(out, "{line:>5}  {:<60} {marks}", sources.line(&file, line));
        }
    }
    let _ = writeln!(
        out,
        "\nruns      {}\nproven    1-minimal over {}",
        text::count(reduced.runs),
        text::counted(reduced.proven, "executed statement")
    );
    out
}

/// For each line of each file, whether each execution is needed.
pub fn by_line(reduced: &Reduced) -> BTreeMap<std::path::PathBuf, BTreeMap<u32, Vec<bool>>> {
    let mut files: BTreeMap<_, BTreeMap<u32, Vec<bool>>> = BTreeMap::new();
    for (at, &kept) in reduced.kept.iter().enumerate() {
        let place = reduced.trace.place(at);
        files.entry(place.file.clone()).or_default().entry(place.line).or_default().push(kept);
    }
    files
}

/// A mark for each execution: `●` if it is needed, `·` otherwise.
pub fn marks(executions: &[bool]) -> String {
    let needed = executions.iter().filter(|&&kept| kept).count();
    if executions.len() > MARKED {
        return format!("{needed} of {}", executions.len());
    }
    executions.iter().map(|&kept| if kept { '●' } else { '·' }).collect()
}

fn state(at: &At, runs: &[Vec<OsString>; 2], found: &StateFound) -> String {
    let mut out = head(runs, &found.failure);
    let _ = writeln!(out, "at        {}:{}", at.file.display(), at.line);
    match &found.found {
        Found::Nothing(reason) => {
            let _ = writeln!(out, "cause     unknown: {reason}");
        }
        Found::Relevant(isolated) => {
            for (number, words) in isolated.words.iter().enumerate() {
                let _ = writeln!(out, "{}{words}", if number == 0 { "cause     " } else { "          " });
            }
            let _ = writeln!(
                out,
                "states    {} of {} between them, {} in the failing one",
                isolated.words.len(),
                text::counted(isolated.differences, "difference"),
                text::counted(isolated.vertices, "value")
            );
            if isolated.left_out > 0 {
                let _ = writeln!(out, "          {} more cannot be applied", isolated.left_out);
            }
            if !isolated.is_whole {
                out += "          the memory was only compared in part\n";
            }
            out += "reproduce\n";
            for line in found.way.iter().chain(&found.typed) {
                let _ = writeln!(out, "  {line}");
            }
        }
    }
    let _ = writeln!(out, "runs      {}", text::count(found.runs));
    out
}

fn explained(found: &Explained) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "failing   {} ({} of {} tokens)",
        found.failing.display(),
        found.tokens[1],
        found.tokens[0]
    );
    let _ = writeln!(out, "passing   {}", found.passing.display());
    let _ = writeln!(out, "failure   {}\n", found.found.failure);
    let [passing, failing] = found.texts.each_ref().map(|text| String::from_utf8_lossy(text));
    out += &difference(&passing, &failing);
    out.push('\n');
    out + &chain(&found.found)
}

/// The lines that only one of two texts has.
pub fn difference(passing: &str, failing: &str) -> String {
    let mut out = String::new();
    for change in similar::TextDiff::from_lines(passing, failing).iter_all_changes() {
        let sign = match change.tag() {
            similar::ChangeTag::Delete => "passes",
            similar::ChangeTag::Insert => "fails ",
            similar::ChangeTag::Equal => "both  ",
        };
        let _ = writeln!(out, "  {sign}  {}", change.value().trim_end_matches('\n'));
    }
    out
}

fn chain(found: &ChainFound) -> String {
    let chain = &found.chain;
    let mut out = String::new();
    let mut sources = Sources::default();
    let mut is_known = false;
    for (link, transition) in steps(chain) {
        // A value that is only passed on is shown once.
        if !is_known {
            out += &step(link, &mut sources);
        }
        if let Some(transition) = transition {
            let _ = writeln!(out, "          ↓ {}", handover(transition, &mut sources));
            if transition.effect == Some(Effect::Nothing) {
                out += "          ? not confirmed that the cause above leads to the cause below\n";
            }
            is_known = transition.sort == Sort::Handed;
        }
    }
    if let Some(reason) = &chain.reason {
        // Only a complete comparison shows that no variable is a cause.
        let is_whole = !found.is_late && !chain.is_cut && found.not_looked_at.is_none();
        let head = if is_whole { "no variable of the program is a cause" } else { "no cause was found" };
        let _ = writeln!(out, "{head}: {reason}");
    } else {
        let _ = writeln!(out, "          ↓\n          {}\n", found.failure);
        out += &suspects(chain, &mut sources);
    }
    let _ = writeln!(
        out,
        "runs      {}; {} of {} compared",
        text::count(chain.runs),
        text::count(chain.examined),
        text::counted(chain.moments, "moment")
    );
    out += &checked(chain);
    if chain.is_cut {
        let most = text::count(chain.events.into_iter().max().unwrap_or_default());
        let _ = writeln!(out, "not seen  everything before the last {most} executed statements of a run");
    }
    if let Some(file) = &found.not_looked_at {
        let file = file.display();
        let _ = writeln!(out, "not seen  `{file}`, where the run fails; `--source {file}` includes it");
    }
    for gap in chain.unseen.iter().take(TOLD) {
        let from = gap.from.as_ref().map_or_else(|| "the beginning".to_owned(), Place::to_string);
        let moments = text::counted(gap.moments, "moment");
        let _ = writeln!(out, "not seen  {moments} between {from} and {}", gap.to);
    }
    if found.is_late {
        out += "stopped   the time was used up; there may be more causes\n";
    }
    out
}

/// Returns a line about the number of causes that were confirmed to lead to the next cause.
fn checked(chain: &Chain) -> String {
    let all = chain.transitions.len();
    let seen = chain.transitions.iter().filter(|one| one.effect > Some(Effect::Nothing)).count();
    match seen {
        _ if all == 0 => String::new(),
        _ if seen == all => "checked   each cause leads to the next\n".to_owned(),
        _ => format!("checked   {seen} of {all} causes were confirmed to lead to the next\n"),
    }
}

/// The causes of a chain, each at its first moment, with the transition to the next cause.
pub fn steps(chain: &Chain) -> Vec<(&Link, Option<&Transition>)> {
    let begins = chain.transitions.iter().map(|one| one.links[1]);
    let first = (!chain.links.is_empty()).then_some(0);
    let starts: Vec<usize> = first.into_iter().chain(begins).collect();
    starts.iter().enumerate().map(|(at, &link)| (&chain.links[link], chain.transitions.get(at))).collect()
}

/// A link of the chain.
fn step(link: &Link, sources: &mut Sources) -> String {
    let place = &link.place;
    let mut out = String::new();
    let code = sources.line(&place.file, place.line);
    let _ = writeln!(out, "{place}  in {}, before: {code}", place.function);
    for words in link.cause.words.iter().take(TOLD) {
        let _ = writeln!(out, "          {words}");
    }
    if link.cause.words.len() > TOLD {
        let _ = writeln!(out, "          and {} more", link.cause.words.len() - TOLD);
    }
    out
}

/// The lines of a transition.
fn handover(transition: &Transition, sources: &mut Sources) -> String {
    match &transition.places[..] {
        [one] => sources.line(&one.file, one.line),
        places => {
            let lines: Vec<String> = places.iter().map(|place| place.line.to_string()).collect();
            format!("lines {}", lines.join(", "))
        }
    }
}

/// The places of transitions, where the bug may be.
fn suspects(chain: &Chain, sources: &mut Sources) -> String {
    let mut out = String::new();
    let mut seen = Vec::new();
    let is_only_handed = chain.transitions.iter().all(|one| one.sort == Sort::Handed);
    let mut handed = 0;
    for &number in &chain.ranking {
        let transition = &chain.transitions[number];
        if transition.sort == Sort::Handed && !is_only_handed {
            handed += 1;
            continue;
        }
        let shown: Vec<String> = transition.places.iter().take(TOLD).map(Place::to_string).collect();
        if seen.contains(&shown) {
            continue;
        }
        let more = if transition.places.len() > TOLD { ", …" } else { "" };
        let last = transition.places.last().map(|place| sources.line(&place.file, place.line));
        let head = if seen.is_empty() { "look at   " } else { "          " };
        let _ = writeln!(out, "{head}{}{more}  {}", shown.join(", "), last.unwrap_or_default());
        seen.push(shown);
    }
    if handed > 0 {
        let _ = writeln!(out, "          and {} that only pass it on", text::counted(handed, "place"));
    }
    out
}
