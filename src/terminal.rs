//! Messages on a terminal: colours, and lines that are wrapped at words.

use anstyle::{AnsiColor, Style};
use std::io::IsTerminal;

/// The labels at the start of messages, and their colours.
const LABELS: [(&str, Style); 4] = [
    ("error:", AnsiColor::BrightRed.on_default().bold()),
    ("hint:", AnsiColor::BrightGreen.on_default().bold()),
    ("note:", AnsiColor::BrightCyan.on_default().bold()),
    ("warning:", AnsiColor::BrightYellow.on_default().bold()),
];

/// The starts of the lines of a summary that are wrapped, and the indentation of their second lines.
const SUMMARY: [&str; 3] = ["reduced  ", "candidates ", "proven   "];
const SUMMARY_INDENT: usize = 9;

/// The smallest width at which lines are wrapped.
const LEAST_WIDTH: usize = 40;

/// Returns a message for standard error: on a terminal with colours and with wrapped lines, elsewhere unchanged.
pub fn styled(text: &str) -> String {
    if !std::io::stderr().is_terminal() {
        return text.to_owned();
    }
    let width = rustix::termios::tcgetwinsize(rustix::stdio::stderr()).map_or(0, |size| size.ws_col.into());
    let wrapped = wrap(text, width);
    let has_colours = anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never;
    if has_colours { colour(&wrapped) } else { wrapped }
}

/// Wraps messages at words. Lines that are indented are commands or output, which stay as they are.
fn wrap(text: &str, width: usize) -> String {
    let wrap = |line: &str| {
        let label =
            LABELS.iter().find(|(label, _)| line.starts_with(label)).map(|(label, _)| label.len() + 1);
        let summary = || SUMMARY.iter().any(|start| line.starts_with(start)).then_some(SUMMARY_INDENT);
        let Some(indent) = label.or_else(summary).filter(|_| width >= LEAST_WIDTH) else {
            return line.to_owned();
        };
        let indent = " ".repeat(indent);
        textwrap::fill(
            line,
            textwrap::Options::new(width)
                .subsequent_indent(&indent)
                .break_words(false)
                .word_splitter(textwrap::WordSplitter::NoHyphenation),
        )
    };
    let mut wrapped = text.lines().map(wrap).collect::<Vec<_>>().join("\n");
    if text.ends_with('\n') {
        wrapped.push('\n');
    }
    wrapped
}

fn colour(text: &str) -> String {
    let colour = |line: &str| {
        let found = LABELS.iter().find_map(|(label, style)| Some((label, style, line.strip_prefix(label)?)));
        found.map_or(line.to_owned(), |(label, style, rest)| format!("{style}{label}{style:#}{rest}"))
    };
    let mut coloured = text.lines().map(colour).collect::<Vec<_>>().join("\n");
    if text.ends_with('\n') {
        coloured.push('\n');
    }
    coloured
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_wrapped_at_words_and_commands_are_not() {
        let text = "error: the file `a.c` does not exist in this directory\nhint: try:\n  nubbin somewhere/a.c -- gcc -c {} and more words\n";
        let wrapped = "error: the file `a.c` does not exist in\n       this directory\nhint: try:\n  nubbin somewhere/a.c -- gcc -c {} and more words\n";
        assert_eq!(wrap(text, 40), wrapped);
        assert_eq!(wrap(text, 0), text);
        let summary = "reduced  2,236 → 24 tokens (-98.9%), 7,494 → 56 bytes";
        assert_eq!(wrap(summary, 40), "reduced  2,236 → 24 tokens (-98.9%),\n         7,494 → 56 bytes");
        assert_eq!(colour("note: x"), "\u{1b}[1m\u{1b}[96mnote:\u{1b}[0m x");
    }
}
