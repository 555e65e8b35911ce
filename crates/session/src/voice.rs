//! Notes of a session for the user, and their receiver.
//!
//! Events for programs are in [`nubbin_reduce::event`].

use crate::text;
use std::fmt;
use std::sync::Arc;

/// The amount of text to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loudness {
    /// Only errors, which are returned.
    Quiet,
    /// Notes and the summary.
    Plain,
    /// Notes, the summary with all counters, and a line for each pass.
    Verbose,
}

/// Passes lines to a receiver.
#[derive(Clone)]
pub struct Voice {
    loudness: Loudness,
    listener: Arc<dyn Fn(&str) + Send + Sync>,
}

impl fmt::Debug for Voice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Voice({:?})", self.loudness)
    }
}

impl Voice {
    /// Creates a voice that passes lines to `listener`, without line breaks at their end.
    #[must_use]
    pub fn new(loudness: Loudness, listener: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { loudness, listener: Arc::new(listener) }
    }

    /// Creates a voice that discards everything.
    #[must_use]
    pub fn silent() -> Self {
        Self::new(Loudness::Quiet, |_| ())
    }

    /// Returns whether nothing is printed.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.loudness == Loudness::Quiet
    }

    /// Returns whether additional information is printed.
    #[must_use]
    pub fn is_verbose(&self) -> bool {
        self.loudness == Loudness::Verbose
    }

    /// Prints complete lines, if there are any.
    pub fn say_some(&self, lines: &str) {
        if !lines.is_empty() {
            self.say(lines.trim_end());
        }
    }

    /// Prints a small result, if there is one.
    pub fn show(&self, result: Option<String>) {
        if let Some(result) = result {
            self.say(&format!("\n{}", result.trim_end()));
        }
    }

    /// Prints one or several lines, with control characters escaped.
    pub fn say(&self, text: &str) {
        if !self.is_quiet() {
            (self.listener)(&text::printable(text));
        }
    }
}
