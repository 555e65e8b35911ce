//! The plan for each page, the checks, and the observations. They are plain values, which are passed between
//! processes as JSON.

use crate::browser::Kind;
use crate::events::Event;
use crate::region::Region;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::time::Duration;

/// Tuned constants.
struct Tuning {
    /// Two screenshots differ if at least this share of their pixels differs.
    least_pixels: f64,
    /// Screenshots of two kinds of browsers differ if at least this share of their cells differs: five cells
    /// of the window.
    least_cells: f64,
    /// In addition, the share must be at least this fraction of the share for the unchanged page.
    kept: f64,
}

const TUNING: Tuning = Tuning { least_pixels: 0.0005, least_cells: 0.004, kept: 0.25 };

/// The work of a [server](crate::serve) on each page.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Plan {
    /// The browser: a program and its first arguments.
    pub browser: Vec<String>,
    /// Whether the browser's own sandbox is unavailable or not needed.
    pub no_sandbox: bool,
    /// The paths of the page and its files in addresses, in the order of the paths in a question. The page
    /// comes first.
    pub paths: Vec<String>,
    /// The user actions before the page is checked.
    pub events: Vec<Event>,
    /// The failure to look for.
    pub checks: Checks,
    /// The observations on the unchanged page. Without them, the answer to a question contains the
    /// observations ([`Seen`]).
    pub expected: Option<Expected>,
}

impl Plan {
    /// Returns whether one of the browsers requires a loopback network.
    #[must_use]
    pub fn needs_loopback(&self) -> bool {
        let other = self.checks.other.as_deref().unwrap_or_default();
        [self.browser.as_slice(), other].into_iter().any(|words| Kind::of(words) == Kind::Firefox)
    }

    /// Returns whether the other browser is of another kind, which renders letters and fields differently.
    pub(crate) fn is_mixed(&self) -> bool {
        self.checks.other.as_ref().is_some_and(|other| Kind::of(other) != Kind::of(&self.browser))
    }

    /// Returns whether the screenshots of two browsers differ. For different kinds of browsers, the
    /// difference must not be much smaller than for the unchanged page; otherwise it can be a difference
    /// between their fonts.
    #[must_use]
    pub fn is_different(&self, seen: &Seen) -> bool {
        let Some(share) = seen.difference else { return false };
        if !self.is_mixed() {
            return share >= TUNING.least_pixels;
        }
        let unchanged = self.expected.as_ref().and_then(|expected| expected.difference).unwrap_or_default();
        share >= TUNING.least_cells.max(unchanged * TUNING.kept)
    }
}

/// The failure to look for; all given checks must match.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Checks {
    /// The process of the page ends.
    pub crash: bool,
    /// A console message or an uncaught error matches this regular expression.
    pub console: Option<String>,
    /// The value of this expression is unchanged.
    pub script: Option<String>,
    /// The main thread of the page does not respond for this time.
    pub hang: Option<Duration>,
    /// The screenshot of this region is unchanged.
    pub region: Option<Region>,
    /// Another browser renders the page differently.
    pub other: Option<Vec<String>>,
}

impl Checks {
    /// Returns whether there are no checks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.waits() && !self.is_looked_at()
    }

    /// Returns whether a check depends on an event at an unknown time.
    pub(crate) fn waits(&self) -> bool {
        self.crash || self.console.is_some() || self.hang.is_some()
    }

    /// Returns whether a check is made at the end.
    pub(crate) fn is_looked_at(&self) -> bool {
        self.script.is_some() || self.region.is_some() || self.other.is_some()
    }
}

/// The observations on the unchanged page that a candidate must reproduce.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Expected {
    /// How its process ended.
    pub crash: Option<Crash>,
    /// The value of the expression.
    pub value: Option<Outcome>,
    /// The screenshot of the region.
    pub picture: Option<Fingerprint>,
    /// The share of the screenshot that differs in another browser.
    pub difference: Option<f64>,
    /// The time between loading and the expected events.
    pub wait: Duration,
}

/// How the process of a page ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Crash {
    /// The process of the page ended: the browser's term for it (`crashed`, `oom`), and the status or the
    /// signal.
    Page(String, i64),
    /// The browser itself ended.
    Browser,
}

impl fmt::Display for Crash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Page(how, code) if how == "crashed" => {
                write!(f, "the page's process crashes (signal {code})")
            }
            Self::Page(how, code) => write!(f, "the page's process ends ({how}, {code})"),
            Self::Browser => f.write_str("the whole browser ends"),
        }
    }
}

/// The result of an expression: a value or an error.
pub type Outcome = Result<Value, String>;

/// A short form of a screenshot: its width, its height, and a hash of its pixels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// The width and the height, in pixels.
    pub size: [u32; 2],
    /// A hash of the pixels.
    pub pixels: u64,
}

/// A console message or an uncaught error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// The text as shown in the console.
    pub text: String,
    /// Whether it is an uncaught error.
    pub is_uncaught: bool,
}

/// The observations on a page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// How its process ended.
    pub crash: Option<Crash>,
    /// The messages of the console, in order.
    pub console: Vec<Said>,
    /// Whether its main thread did not respond for the specified time.
    pub has_hung: bool,
    /// The result of the expression.
    pub value: Option<Outcome>,
    /// The screenshot of the region; `None` if the region does not exist.
    pub picture: Option<Fingerprint>,
    /// The share of the screenshot that differs in another browser, from 0 to 1.
    pub difference: Option<f64>,
    /// The user actions that failed because no element matched their selector.
    pub undone: Vec<String>,
    /// The paths of requested files that do not exist.
    pub missing: Vec<String>,
    /// The time between loading and the last expected event.
    pub after: Duration,
    /// Whether the browser must be started without its own sandbox.
    pub no_sandbox: bool,
}
