//! Makes a self-contained HTML page about a run: texts, curve, steps, passes, settings.

mod curve;
mod source;

use super::Ended;
use super::chronicle::{Chronicle, Hunk, Moment, Piece, Point};
use super::runs::Rejected;
use super::{fact, reason};
use curve::{Over, curve};
use nubbin_reduce::Outcome;
use nubbin_session::source::Input;
use nubbin_session::summary;
use nubbin_session::text;
use serde_json::{Value, json};
use source::Source;
pub use source::fence_name;
use std::fmt::Write;

/// The template of the page.
const PAGE: &str = include_str!("page.html");
/// The style sheet of the page.
const STYLE: &str = include_str!("page.css");
/// The script of the page.
const SCRIPT: &str = include_str!("page.js");
/// The most displayed characters of the value of a setting.
const WIDEST: usize = 2000;

/// The content of a page.
pub struct Material<'m> {
    pub ended: &'m Ended<'m>,
    pub chronicle: &'m Chronicle,
    pub rejected: &'m [Rejected],
    /// The facts about the run, with their names.
    pub facts: &'m [(String, String)],
    /// The command that repeats the run.
    pub command: &'m str,
}

/// Returns the page.
pub fn page(material: &Material<'_>) -> String {
    let Material { ended, chronicle, .. } = material;
    let outcome = ended.outcome;
    let name = ended.settings.input.path(&ended.settings.language).display().to_string();
    let mut points = chronicle.points.clone();
    points.extend(points.last().map(|last| Point { size: last.size, ..chronicle.now() }));
    let test = format!("accepted by `{}`", ended.settings.test.label);
    let kept = fact::kept(ended).unwrap_or(&test);
    let filled = [
        ("title", escape(&name)),
        ("style", STYLE.to_owned()),
        ("name", escape(&name)),
        ("kept", marked(kept)),
        ("cards", cards(material)),
        ("by-candidates", curve(&points, Over::Candidates)),
        ("by-time", curve(&points, Over::Time)),
        ("texts", texts(material)),
        ("steps", steps(chronicle)),
        ("list", list(chronicle)),
        ("count", chronicle.steps.len().to_string()),
        ("left-out", left_out(chronicle)),
        ("passes", passes(ended)),
        ("facts", facts(material.facts)),
        ("command", escape(material.command)),
        ("script", SCRIPT.to_owned()),
        ("counts", counts(outcome)),
        ("proven", escape(&summary::proven(outcome, ended.remark))),
    ];
    fill(PAGE, &filled)
}

/// Replaces the placeholders of a template by values. Placeholders within values are not replaced.
pub fn fill(template: &str, values: &[(&str, String)]) -> String {
    let mut filled = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, next)) = after.split_once("}}") else { break };
        filled += before;
        filled += values.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value);
        rest = next;
    }
    filled + rest
}

/// Escapes a text for HTML.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            '\n' | '\t' => escaped.push(c),
            // A browser would join a carriage return and a newline.
            '\r' => escaped.push('␍'),
            c if c.is_control() => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Returns a sentence as HTML; text between backticks becomes code.
fn marked(text: &str) -> String {
    let part = |(number, part): (usize, &str)| match number % 2 {
        0 => escape(part),
        _ => format!("<code>{}</code>", escape(part)),
    };
    text.split('`').enumerate().map(part).collect()
}

fn cards(material: &Material<'_>) -> String {
    let Ended { outcome, time, .. } = material.ended;
    let (before, after) = (outcome.before, outcome.after);
    let size = |before: usize, after: usize| {
        (format!("{} → {}", text::count(before), text::count(after)), text::less(before, after))
    };
    let (tokens, tokens_less) = size(before.tokens, after.tokens);
    let (bytes, bytes_less) = size(before.bytes, after.bytes);
    let (lines, lines_less) = size(before.lines, after.lines);
    let probes = outcome.counts.probes;
    let runs = outcome.flaky.as_ref().map(|_| {
        let each = outcome.runs.div_ceil(probes.max(1));
        ("runs", text::count(outcome.runs), format!("{each} for each candidate"))
    });
    let cards = [
        ("tokens", tokens, tokens_less),
        ("bytes", bytes, bytes_less),
        ("lines", lines, lines_less),
        ("candidates", text::count(probes), text::rate(probes, *time)),
        ("time", text::time(*time), text::counted(material.chronicle.steps.len(), "step")),
    ];
    let card = |(name, value, more): &(&str, String, String)| {
        format!("<div><dt>{name}</dt><dd>{value}<small>{more}</small></dd></div>")
    };
    cards.iter().chain(&runs).map(card).collect()
}

/// Returns the numbers of candidates by outcome as one line, without zeros.
fn counts(outcome: &Outcome) -> String {
    let counts = &outcome.counts;
    let unused = (outcome.started + outcome.recalled).saturating_sub(counts.probes);
    let shown = |numbers: &[(usize, &str)]| {
        let numbers = numbers.iter().filter(|(number, _)| *number > 0);
        let parts: Vec<String> =
            numbers.map(|(number, what)| format!("{} {what}", text::count(*number))).collect();
        parts.join(", ")
    };
    let run = shown(&[
        (counts.interesting, "interesting"),
        (counts.unresolved, "unresolved"),
        (outcome.recalled, "from the journal"),
    ]);
    let not_run = shown(&[
        (counts.cached, "cached"),
        (counts.alike, "same up to whitespace"),
        (counts.rejected, "unparsable"),
    ]);
    let unused = shown(&[(unused, "speculative and unused")]);
    let all = text::counted(counts.probes, "candidate");
    let with = |text: &str| if text.is_empty() { String::new() } else { format!(" ({text})") };
    let more = if not_run.is_empty() { String::new() } else { format!("; not run: {not_run}") };
    let unused = if unused.is_empty() { String::new() } else { format!("; {unused}") };
    format!("{all}{}{more}{unused}", with(&run))
}

fn texts(material: &Material<'_>) -> String {
    let settings = material.ended.settings;
    let is_list = matches!(settings.input, Input::Options(_));
    let is_archive = settings.input.is_archive();
    let best = &material.ended.outcome.best;
    let tokens = reason::tokens(best, is_list);
    let bests: Vec<&[u8]> =
        material.chronicle.alike.iter().map(Vec::as_slice).chain([best.as_slice()]).collect();
    let reasons = reason::reasons(&bests, material.rejected, is_list);
    let Ended { language, input, .. } = *material.ended;
    let before = Source { text: input, language, is_archive, tokens: &[], reasons: &[] };
    let after = Source { text: best, language, is_archive, tokens: &tokens, reasons: &reasons };
    let nothing = r#"<p class="cut">empty</p>"#;
    let result = if best.is_empty() { nothing.to_owned() } else { source::html(&after) };
    format!(
        r#"<div class="side"><h3>Before</h3>{}</div><div class="side" id="result"><h3>After</h3>{result}</div>"#,
        source::html(&before)
    )
}

/// Returns the steps as JSON for the script.
fn steps(chronicle: &Chronicle) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Same(text) => json!(["=", text]),
        Piece::Gone(text) => json!(["-", text]),
        Piece::New(text) => json!(["+", text]),
    };
    let hunk = |hunk: &Hunk| {
        let pieces: Vec<Value> = hunk.pieces.iter().map(piece).collect();
        json!({ "line": hunk.line, "pieces": pieces })
    };
    let step = |step: &Moment| {
        let Point { probes, seconds, size } = step.point;
        let hunks = step.hunks.as_ref().map(|hunks| hunks.iter().map(hunk).collect::<Vec<_>>());
        json!({
            "pass": step.pass, "tokens": size.tokens, "bytes": size.bytes, "probes": probes,
            "seconds": seconds, "hunks": hunks, "more": step.more,
        })
    };
    let steps: Vec<Value> = chronicle.steps.iter().map(step).collect();
    // Without `<`, no text can end the script.
    Value::from(steps).to_string().replace('<', "\\u003c")
}

/// Returns the first steps as a table, for readers without scripts.
fn list(chronicle: &Chronicle) -> String {
    let mut rows = String::new();
    for (number, step) in (1..).zip(chronicle.steps.iter().take(500)) {
        let Point { probes, size, .. } = step.point;
        let [probes, tokens, bytes] = [probes, size.tokens, size.bytes].map(text::count);
        let pass = escape(&step.pass);
        let _ = write!(
            rows,
            "<tr><td>{number}</td><th scope=\"row\">{pass}</th><td>{probes}</td><td>{tokens}</td><td>{bytes}</td></tr>"
        );
    }
    rows
}

fn left_out(chronicle: &Chronicle) -> String {
    let small = chronicle.steps.iter().filter(|step| step.hunks.is_none()).count();
    let mut notes = String::new();
    if small > 0 {
        let small = text::counted(small, "smaller step");
        let _ = write!(
            notes,
            r#"<p class="cut">The differences of {small} are left out to limit the size of this page.</p>"#
        );
    }
    if chronicle.left_out > 0 {
        let more = text::counted(chronicle.left_out, "later step");
        let _ = write!(notes, r#"<p class="cut">{more} left out.</p>"#);
    }
    notes
}

fn passes(ended: &Ended<'_>) -> String {
    let passes: Vec<_> = ended.outcome.passes.iter().filter(|pass| pass.probes > 0).collect();
    let most = |value: fn(&nubbin_reduce::PassReport) -> usize| {
        passes.iter().map(|pass| value(pass)).max().unwrap_or(0).max(1)
    };
    let (probes, tokens) = (most(|pass| pass.probes), most(|pass| pass.tokens));
    let bar = |value: usize, most: usize| {
        let share = 100.0 * value as f64 / most as f64;
        format!(r#"<td class="bar" style="--share:{share:.1}%"><span>{}</span></td>"#, text::count(value))
    };
    let row = |pass: &&nubbin_reduce::PassReport| {
        let [runs, accepted, bytes] = [pass.runs, pass.accepted, pass.bytes].map(text::count);
        let (cost, gain) = (bar(pass.probes, probes), bar(pass.tokens, tokens));
        let name = escape(&pass.name);
        format!(
            "<tr><th scope=\"row\">{name}</th><td>{runs}</td>{cost}<td>{accepted}</td>{gain}<td>{bytes}</td></tr>"
        )
    };
    passes.iter().map(row).collect()
}

fn facts(facts: &[(String, String)]) -> String {
    let fact = |(name, value): &(String, String)| {
        let value: String = value.chars().take(WIDEST).collect();
        format!("<dt>{}</dt><dd>{}</dd>", escape(name), escape(&value))
    };
    facts.iter().map(fact).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_not_filled_again_and_are_escaped() {
        let values = [("a", "{{b}}".to_owned()), ("b", "no".to_owned())];
        assert_eq!(fill("<{{a}}|{{c}}>", &values), "<{{b}}|>");
        assert_eq!(escape("</script>\"'&\r\n\0"), "&lt;/script&gt;&quot;&#39;&amp;␍\n\u{fffd}");
    }
}
