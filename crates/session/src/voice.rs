//! The notes of a session, as lines for people, and whoever listens to them.
//!
//! Events that programs read are in [`nubbin_reduce::event`].

use crate::text;
use std::fmt;
use std::sync::Arc;

/// The amount of text that is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loudness {
    /// Errors only, which are returned.
    Quiet,
    /// Notes and the summary.
    Plain,
    /// Notes, the summary, and a line for each pass.
    Verbose,
}

/// Says lines to a listener.
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
    /// Returns a voice that says lines to `listener`, without a line break at their end.
    #[must_use]
    pub fn new(loudness: Loudness, listener: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { loudness, listener: Arc::new(listener) }
    }

    /// Returns a voice that nobody hears.
    #[must_use]
    pub fn silent() -> Self {
        Self::new(Loudness::Quiet, |_| ())
    }

    /// Tells whether nothing is printed.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        self.loudness == Loudness::Quiet
    }

    /// Tells whether more is printed than a run needs.
    #[must_use]
    pub fn is_verbose(&self) -> bool {
        self.loudness == Loudness::Verbose
    }

    /// Says whole lines, if there are any.
    pub fn say_some(&self, lines: &str) {
        if !lines.is_empty() {
            self.say(lines.trim_end());
        }
    }

    /// Shows a small result below what was said, if there is one.
    pub fn show(&self, result: Option<String>) {
        if let Some(result) = result {
            self.say(&format!("\n{}", result.trim_end()));
        }
    }

    /// Says a line, or several, with control characters escaped.
    pub fn say(&self, text: &str) {
        if !self.is_quiet() {
            (self.listener)(&text::printable(text));
        }
    }
}
