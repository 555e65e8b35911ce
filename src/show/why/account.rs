//! The account of a failure as text that fits the first screen.

use super::source::Sources;
use nubbin_state::account::{Account, Condition, Kind, Shown, Step, Value};
use nubbin_state::input::Position;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The number of lines; one of 24 stays free for the prompt.
const LINES: usize = 23;
/// The number of columns.
const COLUMNS: usize = 100;
/// The maximum number of lines about the values of the failing statement.
const VALUES: usize = 11;
/// The maximum number of steps shown for a value.
const STEPS: usize = 3;
/// The maximum width of a value.
const VALUE: usize = 40;
/// Directories of packages: the path below one is enough to name a file.
const PACKAGES: [&str; 2] = ["site-packages", "dist-packages"];

/// The text of an account.
pub fn text(account: &Account) -> String {
    let mut screen = Screen::default();
    if !account.message.is_empty() {
        screen.line("failure", &account.message);
    }
    let Some(at) = account.failing() else { return screen.out + "\n" };
    let shown = &account.frames[at];
    for raised in &account.frames[..at] {
        screen.line("raised", &format!("{} in {}: {}", place(raised), raised.function, raised.source));
        screen.condition(raised.condition.as_ref(), "          ");
    }
    screen.line(head(account.kind), &format!("{} in {}", place(shown), shown.function));
    screen.line("", &format!("    {}", source(shown)));
    screen.condition(shown.condition.as_ref(), "");
    screen.values(&shown.values, shown);
    for written in &account.written {
        screen.line("written", &format!("{} in {}: {}", place(written), written.function, written.source));
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
    /// The steps that were shown.
    known: BTreeSet<(PathBuf, u32, String)>,
}

impl Screen {
    /// Adds a line with a label, if there is room.
    fn line(&mut self, word: &str, text: &str) {
        if self.lines >= LINES {
            return;
        }
        let line = format!("{word:<10}{text}");
        let _ = writeln!(self.out, "{}", limited(line.trim_end(), COLUMNS));
        self.lines += 1;
    }

    /// The condition that led to a statement, with its values.
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

    /// The values of the failing statement, each with the steps that it came by.
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

    /// The calls that led to a failing statement, innermost first; those in the standard library are only counted.
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
            let text = format!("{} in {}: {}{values}", place(shown), shown.function, source(shown));
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

/// A step: its statement and the value that it gave.
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
fn place(shown: &Shown) -> String {
    format!("{}:{}", short(&shown.file), shown.line)
}

/// A file relative to this directory, or from its package on.
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
    // The last two components are enough for a file elsewhere.
    let from = parts.len().saturating_sub(2);
    parts[from..].iter().collect::<PathBuf>().display().to_string()
}

/// A text of at most so many columns.
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
            source: "value = another_name_that_is_long(and_has, arguments, of_its_own)".to_owned(),
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
    fn however_much_there_is_to_tell_it_fits_a_screen() {
        let frames = (1..40).map(shown).collect();
        let account = Account { frames, message: "z".repeat(300), ..Account::default() };
        let text = text(&account);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.len() <= 24, "{text}");
        assert!(lines.iter().all(|line| line.chars().count() <= COLUMNS), "{text}");
        // Neither the values nor the calls take all the room.
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
    fn an_account_without_frames_is_its_message() {
        let account = Account { message: "SIGSEGV".to_owned(), ..Account::default() };
        assert_eq!(text(&account), "failure   SIGSEGV\n\n");
    }
}
