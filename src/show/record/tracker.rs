//! Makes a bug report in Markdown that can be pasted into an issue tracker.
//!
//! The report describes the failure; the user must add the expected behaviour.

use super::report::fence_name;
use super::runs::{RunOutput, without_directories};
use super::{Ended, fact};
use nubbin_archive as archive;
use nubbin_session::settings::Settings;
use nubbin_session::source::Input;
use nubbin_session::summary;
use nubbin_session::text;
use std::fmt::Write;
use std::path::Path;

/// The numbers that were tuned.
struct Tuning {
    /// The limit for the input in bytes. The whole report must stay below 64 KiB, the limit of common trackers.
    input: usize,
    /// The limit for an output in bytes.
    output: usize,
    /// The limit for a script in bytes.
    script: usize,
}

const TUNING: Tuning = Tuning { input: 40 << 10, output: 8 << 10, script: 4 << 10 };

/// Returns the text of the bug report.
pub fn text(ended: &Ended<'_>, run: Option<&RunOutput>) -> String {
    let settings = ended.settings;
    let command = match &settings.input {
        Input::Options(choices) => {
            String::from_utf8_lossy(&choices.shown(&ended.outcome.best)).trim().to_owned()
        }
        Input::WithOptions(paired) => {
            let path = settings.input.path(&settings.language);
            paired.left(&ended.outcome.best).command(path.file_name().map(Path::new))
        }
        _ => fact::failing(settings),
    };
    let ending = run.map(|run| text::ending(run.status));
    let title = ended.signature.clone().unwrap_or_else(|| match &ending {
        Some(ending) if settings.test.failure.is_some() => format!("`{}` {ending}", program(settings)),
        _ => format!("`{}` on a reduced input", program(settings)),
    });
    let mut report = format!("# {}\n\n", one_line(&title));
    if !matches!(settings.input, Input::Options(_)) {
        report += &input(ended);
    }
    let _ = write!(report, "## Command\n\n{}", fence("sh", &command));
    if let Some(script) = script(settings) {
        let name = &settings.test.label;
        let _ = write!(
            report,
            "\n`{name}` is the interestingness test. It exits with status 0 if the bug is present:\n\n{}",
            fence("sh", &script)
        );
    }
    report += "\n## Output\n\n";
    match run {
        Some(run) => report += &output(settings, run, &ending.unwrap_or_default()),
        None => report += "The test was not run again on this input.\n",
    }
    report += "\n## Versions\n\n";
    for (name, version) in fact::versions(settings) {
        let _ = writeln!(report, "- {name}: {}", one_line(&version));
    }
    report + &reduction(ended)
}

/// Returns the minimal input.
fn input(ended: &Ended<'_>) -> String {
    let settings = ended.settings;
    let (best, path) = (&ended.outcome.best, settings.input.path(&settings.language));
    let what = if ended.outcome.proof.is_cut_short() { "Input, reduced so far" } else { "Minimal input" };
    let mut shown = format!("## {what}\n\n");
    if !settings.input.is_archive() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        return shown
            + &format!("`{name}`:\n\n")
            + &content(best, &fence_name(&path, ended.language), TUNING.input)
            + "\n";
    }
    let mut room = TUNING.input;
    for entry in archive::entries(best) {
        if entry.kind == archive::Type::File {
            let bytes = entry.content_in(best);
            let ending = entry.path.extension().map(|ending| ending.to_string_lossy().into_owned());
            let _ = write!(shown, "`{}`:\n\n", entry.path.display());
            shown += &(content(bytes, &ending.unwrap_or_default(), room) + "\n");
            room = room.saturating_sub(bytes.len());
        }
    }
    shown
}

/// Returns the content of a file in a fence, with a note if the content cannot be shown exactly.
fn content(bytes: &[u8], language: &str, most: usize) -> String {
    if bytes.is_empty() {
        return "(empty)\n".to_owned();
    }
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(most)]);
    let mut text = fence(language, &shown);
    if bytes.len() > most {
        let _ = writeln!(
            text,
            "\nOnly the first {} of {} are shown; attach the whole file.",
            text::count(most),
            text::counted(bytes.len(), "byte")
        );
    } else if std::str::from_utf8(bytes).is_err() {
        text += "\nThe file is not valid UTF-8; attach it.\n";
    } else if bytes.contains(&b'\r') || !bytes.ends_with(b"\n") {
        let end = if bytes.ends_with(b"\n") { "" } else { " no final newline" };
        let returns = if bytes.contains(&b'\r') { " carriage returns" } else { "" };
        let and = if end.is_empty() || returns.is_empty() { "" } else { " and" };
        let _ = writeln!(text, "\nThe file has{returns}{and}{end}.");
    }
    text
}

/// Returns the text of the oracle, if it is a short script.
fn script(settings: &Settings) -> Option<String> {
    if settings.test.failure.is_some() {
        return None;
    }
    let path = settings
        .test
        .words
        .iter()
        .map(Path::new)
        .find(|word| word.is_file() && word.components().count() > 1)?;
    let bytes = std::fs::read(path).ok().filter(|bytes| bytes.len() <= TUNING.script)?;
    String::from_utf8(bytes).ok().filter(|text| text.starts_with("#!"))
}

fn output(settings: &Settings, run: &RunOutput, ending: &str) -> String {
    let subject = if settings.test.failure.is_some() { "command" } else { "test" };
    let mut shown = format!("The {subject} {ending}.\n");
    let own = settings.own_names();
    for (name, bytes) in [("Standard error", &run.stderr), ("Standard output", &run.stdout)] {
        let text: String = String::from_utf8_lossy(bytes)
            .chars()
            .filter(|&c| !c.is_control() || "\n\t".contains(c))
            .collect();
        if text.trim().is_empty() {
            continue;
        }
        let text = without_directories(&middle_cut(&text), &own);
        let _ = write!(shown, "\n{name}:\n\n{}", fence("", &text));
    }
    shown
}

/// Cuts the middle of a long text.
fn middle_cut(text: &str) -> String {
    if text.len() <= TUNING.output {
        return text.to_owned();
    }
    let boundary = |at: usize| (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    let head = text[..boundary(TUNING.output / 2)].rsplit_once('\n').map_or("", |(head, _)| head);
    let tail = text[boundary(text.len() - TUNING.output / 2)..].split_once('\n').map_or("", |(_, tail)| tail);
    format!("{head}\n[… {} …]\n{tail}", text::counted(text.len() - head.len() - tail.len(), "byte"))
}

fn reduction(ended: &Ended<'_>) -> String {
    let outcome = ended.outcome;
    let (before, after) = (outcome.before, outcome.after);
    let proven = summary::proven(outcome, ended.remark);
    let kept = fact::kept(ended).map(|kept| format!("Failure: {kept}.\n")).unwrap_or_default();
    format!(
        "\n## Reduction\n\n{kept}Reduced from {} to {} ({} to {}) with {} in {}; proven: {proven}.\n\n{}",
        text::counted(before.tokens, "token"),
        text::count(after.tokens),
        text::counted(before.bytes, "byte"),
        text::count(after.bytes),
        text::counted(outcome.counts.probes, "candidate"),
        text::time(ended.time),
        fence("sh", &fact::command(ended.settings))
    )
}

fn program(settings: &Settings) -> &str {
    settings.test.label.split_whitespace().next().unwrap_or_default()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns a text in a fence that is longer than any fence in the text.
fn fence(language: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_longer_than_any_in_the_text() {
        assert_eq!(fence("c", "int x;"), "```c\nint x;\n```\n");
        assert_eq!(fence("", "````\n"), "`````\n````\n`````\n");
    }

    #[test]
    fn a_long_output_keeps_the_lines_at_both_ends() {
        let lines: Vec<String> = (0..5000).map(|line| format!("line {line}\n")).collect();
        let text = lines.concat();
        let cut = middle_cut(&text);
        assert!(cut.starts_with("line 0\n") && cut.ends_with("line 4999\n"), "{cut}");
        assert!(cut.len() < TUNING.output + 100 && cut.contains("bytes …]"));
    }

    #[test]
    fn content_that_cannot_be_shown_exactly_has_a_note() {
        assert_eq!(content(b"a\n", "", 9), "```\na\n```\n");
        assert!(content(b"a\r\nb", "", 9).ends_with("The file has carriage returns and no final newline.\n"));
        assert!(content(b"\xff\n", "", 9).contains("not valid UTF-8"));
        assert!(content(b"abcdefghij", "", 9).contains("the first 9 of 10 bytes"));
    }
}
