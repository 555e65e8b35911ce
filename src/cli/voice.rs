//! How much is said, on standard error.
//!
//! What is said is made elsewhere.

use std::io::Write;

/// How much the user wants to hear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Voice {
    /// Errors only.
    Quiet,
    /// Progress, notes and the summary.
    Plain,
    /// Each pass too.
    Verbose,
}

impl Voice {
    /// The voice that these two options ask for.
    pub fn new(quiet: bool, verbose: bool) -> Self {
        match (quiet, verbose) {
            (true, _) => Self::Quiet,
            (false, true) => Self::Verbose,
            (false, false) => Self::Plain,
        }
    }

    /// Says whole lines, if there are any.
    pub fn say_some(self, lines: &str) {
        if !lines.is_empty() {
            self.say(lines.trim_end());
        }
    }

    /// Shows a small result below what was said, if there is one.
    pub fn show(self, result: Option<String>) {
        if let Some(result) = result {
            self.say(&format!("\n{}", result.trim_end()));
        }
    }

    /// Says a line, or several; that nobody listens is no failure.
    pub fn say(self, text: &str) {
        if self != Self::Quiet {
            let _ = writeln!(std::io::stderr().lock(), "{text}");
        }
    }
}
