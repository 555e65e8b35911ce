//! The account of a failure as text for one screen.

use super::source::Sources;
use nubbin_state::account::{Account, Condition, Kind, Shown, Step, Value};
use nubbin_state::input::Position;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The maximum number of lines: a screen of 24 lines without the prompt.
const LINES: usize = 23;
/// The maximum number of columns.
const COLUMNS: usize = 100;
/// The maximum number of lines about the values of the failing statement.
const VALUES: usize = 11;
/// The maximum number of steps shown for a value.
const STEPS: usize = 3;
/// The maximum width of a value.
const VALUE: usize = 40;
/// Directories of packages. A file inside is shown by its path below the directory.
const PACKAGES: [&str; 2] = ["site-packages", "dist-packages"];

/// The failure with its place, such as `KeyError: 'a', in load, tool.py:8`; `None` if the failure is unknown.
pub fn title(account: &Account) -> Option<String> {
    let failure = if account.message.is_empty() { &account.what } else { &account.message };
    let failure = failure.trim().trim_end_matches('.');
    let place = account.failing().map(|at| &account.frames[at]);
    let place = place.map(|shown| format!(", in {}, {}", shown.function, place_of(shown)));
    (!failure.is_empty()).then(|| format!("{failure}{}", place.unwrap_or_default()))
}

/// The text of an account.
pub fn text(account: &Account) -> String {
    let mut screen = Screen::default();
    if !account.message.is_empty() {
        screen.line("failure", &account.message);
    }
    let Some(at) = account.failing() else { return screen.out + "\n" };
    let shown = &account.frames[at];
    for raised in &account.frames[..at] {
        screen.line("raised", &format!("{} in {}: {}", place_of(raised), raised.function, raised.source));
        screen.condition(raised.condition.as_ref(), "          ");
    }
    screen.line(head(account.kind), &format!("{} in {}", place_of(shown), shown.function));
    screen.line("", &format!("    {}", source(shown)));
    screen.condition(shown.condition.as_ref(), "");
    screen.values(&shown.values, shown);
    for written in &account.written {
        screen.line("written", &format!("{} in {}: {}", place_of(written), written.function, written.source));
    }
    screen.calls(&account.frames[at + 1..]);
    for left in &account.left {
        screen.line("not seen", left);
    }
    screen.out.push('\n');
    screen.out
}

/// The word before the place of a failing statement.
fn head(kind: Kind) -> &'static str {
    match kind {
        Kind::Exception | Kind::Signal => "fails at",
        Kind::Exit => "exits at",
        Kind::Output => "made at",
    }
}

/// The lines so far.
#[derive(Default)]
struct Screen {
    out: String,
    lines: usize,
    /// The steps shown so far.
    known: BTreeSet<(PathBuf, u32, String)>,
}

impl Screen {
    /// Adds a line with a label, if it fits on the screen.
    fn line(&mut self, word: &str, text: &str) {
        if self.lines >= LINES {
            return;
        }
        let line = format!("{word:<10}{text}");
        let _ = writeln!(self.out, "{}", limited(line.trim_end(), COLUMNS));
        self.lines += 1;
    }

    /// Adds the condition that led to a statement, with its values.
    fn condition(&mut self, condition: Option<&Condition>, indent: &str) {
        let Some(condition) = condition else { return };
        self.line("because", &format!("{indent}line {}: {}", condition.line, condition.source));
        let values: Vec<String> = condition
            .values
            .iter()
            .map(|value| format!("{} = {}{}", value.name, limited(&value.value, VALUE), from(value)))
            .collect();
        if !values.is_empty() {
            self.line("", &format!("    {}", values.join(", ")));
        }
    }

    /// Adds the values of the failing statement, each with the steps that computed it.
    fn values(&mut self, values: &[Value], shown: &Shown) {
        let end = self.lines + VALUES;
        for value in values {
            if self.lines >= end {
                return;
            }
            self.line("", &format!("{} = {}{}", value.name, limited(&value.value, VALUE * 2), from(value)));
            for step in value.steps.iter().take(STEPS) {
                let key = (step.file.clone(), step.line, step.name.clone());
                if self.lines < end && self.known.insert(key) {
                    let text = step_text(step, shown);
                    self.line("", &text);
                }
            }
        }
    }

    /// Adds the calls that led to a failing statement, innermost first. Calls in the standard library are only counted.
    fn calls(&mut self, frames: &[Shown]) {
        let mut skipped = 0;
        let mut word = "called";
        for shown in frames {
            if shown.is_library {
                skipped += 1;
                continue;
            }
            let values: Vec<String> = shown
                .values
                .iter()
                .filter(|value| value.value.len() <= VALUE)
                .take(2)
                .map(|value| format!("{} = {}", value.name, value.value))
                .collect();
            let values = if values.is_empty() { String::new() } else { format!("   {}", values.join(", ")) };
            let text = format!("{} in {}: {}{values}", place_of(shown), shown.function, source(shown));
            self.line(word, &text);
            word = "";
        }
        if skipped > 0 {
            self.line("", &format!("and {} in the standard library", calls(skipped)));
        }
    }
}

/// The text of a frame's line.
fn source(shown: &Shown) -> String {
    if shown.source.is_empty() {
        return Sources::default().line(&shown.file, shown.line);
    }
    shown.source.clone()
}

fn calls(count: usize) -> String {
    if count == 1 { "1 call".to_owned() } else { format!("{count} calls") }
}

/// The position of a value in the input.
fn from(value: &Value) -> String {
    value.input.as_ref().map_or_else(String::new, at)
}

fn at(position: &Position) -> String {
    format!("   ({position})")
}

/// The text of a step: its statement and the resulting value.
fn step_text(step: &Step, shown: &Shown) -> String {
    let is_here = step.file == shown.file && step.function == shown.function;
    let place = if is_here {
        format!("line {}", step.line)
    } else if step.file == shown.file {
        format!("line {} in {}", step.line, step.function)
    } else {
        format!("{}:{} in {}", short(&step.file), step.line, step.function)
    };
    let input = step.input.as_ref().map_or_else(String::new, at);
    let value = limited(&step.value, VALUE);
    format!("  ← {place}: {}   {} = {value}{input}", limited(&step.source, VALUE + 8), step.name)
}

/// The place of a frame.
fn place_of(shown: &Shown) -> String {
    format!("{}:{}", short(&shown.file), shown.line)
}

/// The path of a file relative to the current directory or to the directory of its package.
fn short(file: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let parts: Vec<_> = file.components().collect();
    let package = parts.iter().rposition(|part| PACKAGES.iter().any(|name| part.as_os_str() == *name));
    if let Some(at) = package {
        return parts[at + 1..].iter().collect::<PathBuf>().display().to_string();
    }
    if let Ok(inside) = file.strip_prefix(here) {
        return inside.display().to_string();
    }
    // Other files are named by their last two components.
    let from = parts.len().saturating_sub(2);
    parts[from..].iter().collect::<PathBuf>().display().to_string()
}

/// A text, cut to a number of columns.
fn limited(text: &str, columns: usize) -> String {
    if text.chars().count() <= columns {
        return text.to_owned();
    }
    text.chars().take(columns - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: u32) -> Shown {
        let step = |line| Step {
            file: PathBuf::from("/work/tool.py"),
            line,
            function: "f".to_owned(),
            source: "value = another_name_that_is_long(and_has, many, arguments)".to_owned(),
            name: "value".to_owned(),
            value: "x".repeat(90),
            ..Step::default()
        };
        let value = |at: u32| Value {
            name: format!("value_{at}"),
            value: "x".repeat(90),
            steps: (0..5).map(|more| step(100 * at + more)).collect(),
            ..Value::default()
        };
        Shown {
            file: PathBuf::from("/work/tool.py"),
            line,
            function: "f".to_owned(),
            source: "y".repeat(200),
            values: (0..6).map(value).collect(),
            ..Shown::default()
        }
    }

    #[test]
    fn a_long_account_fits_on_a_screen() {
        let frames = (1..40).map(shown).collect();
        let account = Account { frames, message: "z".repeat(300), ..Account::default() };
        let text = text(&account);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.len() <= 24, "{text}");
        assert!(lines.iter().all(|line| line.chars().count() <= COLUMNS), "{text}");
        // Both values and calls are shown.
        assert!(text.contains("value_0") && text.contains("called"), "{text}");
    }

    #[test]
    fn the_statement_of_the_program_is_shown_before_those_of_the_library() {
        let raised = Shown { is_library: true, function: "parse".to_owned(), ..shown(9) };
        let account = Account { frames: vec![raised, shown(3), shown(4)], ..Account::default() };
        let text = text(&account);
        let at = |part: &str| text.lines().position(|line| line.contains(part)).expect("it is there");
        assert!(at("raised    work/tool.py:9 in parse") < at("fails at  work/tool.py:3 in f"), "{text}");
    }

    #[test]
    fn the_title_is_the_failure_with_its_place() {
        let message = "ZeroDivisionError: division by zero".to_owned();
        let raised = Shown { is_library: true, function: "parse".to_owned(), ..shown(9) };
        let account = Account { frames: vec![raised, shown(3)], message, ..Account::default() };
        let expected = "ZeroDivisionError: division by zero, in f, work/tool.py:3";
        assert_eq!(title(&account).as_deref(), Some(expected));
        let account = Account { what: "SIGSEGV".to_owned(), ..Account::default() };
        assert_eq!(title(&account).as_deref(), Some("SIGSEGV"));
        assert_eq!(title(&Account::default()), None);
    }

    #[test]
    fn an_account_without_frames_is_its_message() {
        let account = Account { message: "SIGSEGV".to_owned(), ..Account::default() };
        assert_eq!(text(&account), "failure   SIGSEGV\n\n");
    }
}
