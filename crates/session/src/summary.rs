//! The summary of a reduction: sizes, candidates, the proof, and the output.

use crate::beside::Measured;
use crate::control::Remark;
use crate::input::BestFile;
use crate::options::LeftOptions;
use crate::text;
use crate::words;
use nubbin_oracle::Rate;
use nubbin_reduce::Flakiness;
use nubbin_reduce::Outcome;
use nubbin_reduce::PassReport;
use nubbin_reduce::Proof;
use nubbin_reduce::event::Size;
use std::path::Path;
use std::time::Duration;

/// Returns the summary; with all counters and a table of passes if `verbose`. The lines of a list are options or
/// variables.
#[must_use]
pub fn summary(
    outcome: &Outcome,
    remark: &Remark,
    best: &BestFile,
    time: Duration,
    (measured, left, options): (Option<&Measured>, Option<&[String]>, Option<&LeftOptions>),
    verbose: bool,
    is_list: bool,
) -> String {
    let (sizes, proof) = if is_list {
        let (before, after) = (outcome.before.lines, text::counted(outcome.after.lines, "option"));
        let proof = match outcome.proof {
            Proof::OneMinimal { .. } => "1-minimal: each option is needed".to_owned(),
            _ => proof(outcome),
        };
        (format!("{} → {after}", text::count(before)), proof)
    } else {
        (sizes(outcome.before, outcome.after), proof(outcome))
    };
    let proof = match remark {
        Remark::Nothing(why) => format!("nothing; {why}"),
        Remark::Beside(more) => format!("{proof}{more}"),
    };
    let mut lines = vec![
        format!("reduced    {sizes}"),
        format!("candidates {}", candidates(outcome, time, verbose)),
        format!("proven     {proof}{}", confidence(outcome)),
        format!("result     {}", place(outcome, best)),
    ];
    if let Some(flaky) = &outcome.flaky {
        let best = if outcome.proof.is_cut_short() { "the last confirmed result" } else { "the result" };
        lines.insert(3, format!("flaky      {}", rates(flaky, best)));
    }
    if let Some(left) = left {
        lines.insert(1, format!("words      {}", words::shown(left)));
    }
    if let Some(Measured { label, before, after }) = measured {
        lines.insert(1, format!("metric     {before} → {after} by `{label}`"));
    }
    if let Some(options) = options {
        let is_proven = matches!(outcome.proof, Proof::OneMinimal { .. });
        lines.insert(1, format!("options    {}", options.told(is_proven)));
        lines.push(format!("command    {}", options.command(best.path())));
    }
    if verbose && !outcome.passes.is_empty() {
        lines.insert(0, table(&outcome.passes));
    }
    lines.join("\n")
}

/// Returns a description of the proof.
#[must_use]
pub fn proven(outcome: &Outcome, remark: &Remark) -> String {
    match remark {
        Remark::Nothing(why) => format!("nothing; {why}"),
        Remark::Beside(more) => format!("{}{more}{}", proof(outcome), confidence(outcome)),
    }
}

/// Returns both sizes, and the difference in percent.
#[must_use]
pub fn sizes(before: Size, after: Size) -> String {
    let units = [
        ("tokens", before.tokens, after.tokens),
        ("bytes", before.bytes, after.bytes),
        ("lines", before.lines, after.lines),
    ];
    let part = |(unit, before, after): (&str, usize, usize)| {
        format!("{} → {} {unit} ({})", text::count(before), text::count(after), text::less(before, after))
    };
    units.map(part).join(", ")
}

fn candidates(outcome: &Outcome, time: Duration, verbose: bool) -> String {
    let counts = &outcome.counts;
    let unused = (outcome.started + outcome.recalled).saturating_sub(counts.probes);
    let others = [
        (outcome.recalled, "from the journal", true),
        (counts.cached, "cached", true),
        (counts.alike, "same up to whitespace", verbose),
        (counts.rejected, "unparsable", verbose),
        (counts.unresolved, "unresolved", true),
        (unused, "speculative and unused", verbose),
    ];
    let others: Vec<String> = others
        .into_iter()
        .filter(|(number, _, is_shown)| *number > 0 && *is_shown)
        .map(|(number, what, _)| format!("{} {what}", text::count(number)))
        .collect();
    let others = if others.is_empty() { String::new() } else { format!(" ({})", others.join(", ")) };
    let runs = match outcome.flaky {
        // Runs for measurements and confirmations are included.
        Some(_) => {
            let each = outcome.runs.div_ceil(counts.probes.max(1));
            format!(", {}, {each} for each", text::counted(outcome.runs, "run"))
        }
        None => String::new(),
    };
    let rate = if verbose { format!(", {}", text::rate(counts.probes, time)) } else { String::new() };
    format!("{}{runs}{others} in {}{rate}", text::count(counts.probes), text::time(time))
}

fn proof(outcome: &Outcome) -> String {
    units(&outcome.proof, outcome.after)
}

/// Describes the units of a proof for a result of this size. More units than tokens means that pairs of brackets were
/// also tried.
fn units(proof: &Proof, all: Size) -> String {
    let Proof::OneMinimal { files, nodes, tokens, lines, characters, bytes, pairs, options, option_parts } =
        *proof
    else {
        let why = match *proof {
            Proof::Interrupted => "interrupted",
            Proof::Dry => "not every part was tried alone",
            _ => "stopped",
        };
        return format!("nothing: {why}");
    };
    let units = [
        (files, "file"),
        (nodes, "node"),
        (tokens, "token"),
        (lines, "line"),
        (characters, "character"),
        (bytes, "byte"),
        (options, "option"),
        (option_parts, "part"),
    ];
    let part = |(n, unit): (usize, &str)| {
        let pairs = if unit == "token" && n > all.tokens { " and pairs" } else { "" };
        let of = if unit == "part" { " of options" } else { "" };
        format!("{}{pairs}{of}", text::counted(n, unit))
    };
    let parts: Vec<String> = units.into_iter().filter(|(n, _)| *n > 0).map(part).collect();
    if parts.is_empty() && all.bytes > 0 {
        "1-minimal over whitespace".to_owned()
    } else if parts.is_empty() {
        "nothing remains to be removed".to_owned()
    } else {
        match pairs {
            0 => format!("1-minimal over {}", parts.join(", ")),
            _ => {
                format!("2-minimal over {}, {} of them tried", parts.join(", "), text::counted(pairs, "pair"))
            }
        }
    }
}

/// Describes the confidence of a proof, for a flaky oracle.
fn confidence(outcome: &Outcome) -> String {
    match (&outcome.flaky, outcome.proof) {
        (Some(flaky), Proof::OneMinimal { .. }) => {
            format!(", with confidence {} each", flaky.confidence.share())
        }
        _ => String::new(),
    }
}

/// Describes how often a flaky oracle fails.
fn rates(flaky: &Flakiness, best: &str) -> String {
    let share = |rate: Rate| text::share(rate.interesting, rate.runs);
    format!("the input failed in {}, {best} in {}", share(flaky.input), share(flaky.best))
}

fn place(outcome: &Outcome, best: &BestFile) -> String {
    let name = |path: &Path| path.display().to_string();
    match (best.path(), best.backup()) {
        (Some(_), _) if outcome.proof.is_cut_short() && !best.is_saved() => {
            "none: nothing was reduced, and nothing was changed".to_owned()
        }
        (Some(path), Some(backup)) => format!("{}, the original is {}", name(path), name(backup)),
        (Some(path), None) => name(path),
        (None, _) => "standard output".to_owned(),
    }
}

/// Returns a table with the effect and the cost of each pass.
fn table(passes: &[PassReport]) -> String {
    let width = passes.iter().map(|pass| pass.name.chars().count()).max().unwrap_or(0).max(4);
    let mut lines = vec![format!(
        "{:width$} {:>6} {:>10} {:>9} {:>9} {:>10}",
        "pass", "runs", "candidates", "accepted", "tokens", "bytes"
    )];
    lines.extend(passes.iter().map(|pass| {
        let [runs, probes, accepted, tokens, bytes] =
            [pass.runs, pass.probes, pass.accepted, pass.tokens, pass.bytes].map(text::count);
        format!("{:width$} {runs:>6} {probes:>10} {accepted:>9} {tokens:>9} {bytes:>10}", pass.name)
    }));
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_proven_names_only_what_was_tried() {
        let nothing = Proof::OneMinimal {
            files: 0,
            nodes: 0,
            tokens: 0,
            lines: 0,
            characters: 0,
            bytes: 0,
            pairs: 0,
            options: 0,
            option_parts: 0,
        };
        let proven = |pairs, options, option_parts| Proof::OneMinimal {
            files: 0,
            nodes: 43,
            tokens: 61,
            lines: 0,
            characters: 0,
            bytes: 0,
            pairs,
            options,
            option_parts,
        };
        let of = |tokens| Size { tokens, bytes: 2 * tokens, lines: 1 };
        assert_eq!(units(&proven(0, 3, 0), of(61)), "1-minimal over 43 nodes, 61 tokens, 3 options");
        assert_eq!(
            units(&proven(0, 1, 2), of(61)),
            "1-minimal over 43 nodes, 61 tokens, 1 option, 2 parts of options"
        );
        let proven = |pairs| proven(pairs, 0, 0);
        assert_eq!(units(&proven(0), of(61)), "1-minimal over 43 nodes, 61 tokens");
        assert_eq!(units(&proven(0), of(58)), "1-minimal over 43 nodes, 61 tokens and pairs");
        assert_eq!(
            units(&proven(812), of(61)),
            "2-minimal over 43 nodes, 61 tokens, 812 pairs of them tried"
        );
        assert_eq!(units(&nothing, of(0)), "nothing remains to be removed");
        let blank = Size { tokens: 0, bytes: 1, lines: 1 };
        assert_eq!(units(&nothing, blank), "1-minimal over whitespace");
    }

    #[test]
    fn sizes_are_given_in_three_units() {
        let before = Size { tokens: 1234, bytes: 8120, lines: 320 };
        let after = Size { tokens: 61, bytes: 402, lines: 14 };
        let text = sizes(before, after);
        assert_eq!(text, "1,234 → 61 tokens (-95.1%), 8,120 → 402 bytes (-95.0%), 320 → 14 lines (-95.6%)");
    }
}
