//! A plan for each page, the checks that it has to pass, and the facts that were seen: plain values, which go between
//! processes as JSON.

use crate::browser::Kind;
use crate::events::Event;
use crate::region::Region;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::time::Duration;

/// The numbers that were tuned.
struct Tuning {
    /// Two pictures differ if at least this share of their pixels does.
    least_pixels: f64,
    /// Those of two kinds of browsers differ if at least this share of their cells does: five cells of the window.
    least_cells: f64,
    /// They have to differ in this part of the share in which those of the unchanged page differ.
    kept: f64,
}

const TUNING: Tuning = Tuning { least_pixels: 0.0005, least_cells: 0.004, kept: 0.25 };

/// The work of a [server](crate::serve) on each page.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Plan {
    /// The browser: a program and its first arguments.
    pub browser: Vec<String>,
    /// Is true if the browser's own sandbox cannot be had, or is not needed.
    pub no_sandbox: bool,
    /// The paths of the page and of the files beside it, as they stand in an address, in the order in which a question
    /// names them. The page comes first.
    pub paths: Vec<String>,
    /// The events of the page before it is looked at.
    pub events: Vec<Event>,
    /// The checks of a page.
    pub checks: Checks,
    /// The facts that the unchanged page has shown. Without them, the answer to a question is what the page shows ([`Seen`]).
    pub expected: Option<Expected>,
}

impl Plan {
    /// Tells whether one of the browsers speaks over the network, if with nobody but the server: where it cannot reach itself, it
    /// cannot be used.
    #[must_use]
    pub fn needs_loopback(&self) -> bool {
        let other = self.checks.other.as_deref().unwrap_or_default();
        [self.browser.as_slice(), other].into_iter().any(|words| Kind::of(words) == Kind::Firefox)
    }

    /// Tells whether the other browser is one of another kind, which draws letters and fields in its own way.
    pub(crate) fn is_mixed(&self) -> bool {
        self.checks.other.as_ref().is_some_and(|other| Kind::of(other) != Kind::of(&self.browser))
    }

    /// Tells whether another browser shows a page in such a different way that it is a difference. Between two kinds of browsers, it
    /// is one only if it is not far smaller than that of the unchanged page: what is left would be one of their letters.
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

/// The failure that is looked for; all of it has to be there.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Checks {
    /// The page's process ends.
    pub crash: bool,
    /// A message of the console, or an uncaught error, that this regular expression matches.
    pub console: Option<String>,
    /// The value of this expression stays.
    pub script: Option<String>,
    /// The page's main thread does not answer for so long.
    pub hang: Option<Duration>,
    /// The picture of this region stays.
    pub region: Option<Region>,
    /// Another browser shows another picture.
    pub other: Option<Vec<String>>,
}

impl Checks {
    /// Tells whether nothing is looked for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.waits() && !self.is_looked_at()
    }

    /// Tells whether something is looked for that happens at some time.
    pub(crate) fn waits(&self) -> bool {
        self.crash || self.console.is_some() || self.hang.is_some()
    }

    /// Tells whether something is looked for that the page is asked about in the end.
    pub(crate) fn is_looked_at(&self) -> bool {
        self.script.is_some() || self.region.is_some() || self.other.is_some()
    }
}

/// The facts that the unchanged page has shown, as far as a candidate has to show the same.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Expected {
    /// The end of its process.
    pub crash: Option<Crash>,
    /// The value of the expression.
    pub value: Option<Outcome>,
    /// The picture of the region.
    pub picture: Option<Fingerprint>,
    /// The share of the picture that another browser shows in another way.
    pub difference: Option<f64>,
    /// The time after the page was loaded in which what is looked for comes.
    pub wait: Duration,
}

/// The end of a page's process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Crash {
    /// The page's process ended: the browser's word for it (`crashed`, `oom`), and the status or the signal.
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

/// The result of an expression: a value, or an error.
pub type Outcome = Result<Value, String>;

/// A picture in short: its width, its height, and a hash of its pixels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// Its width and its height, in pixels.
    pub size: [u32; 2],
    /// A hash of its pixels.
    pub pixels: u64,
}

/// A message of the console, or an uncaught error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// The text, as the console shows it.
    pub text: String,
    /// It is an error that nothing has caught.
    pub is_uncaught: bool,
}

/// The facts that a page has shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// The end of its process.
    pub crash: Option<Crash>,
    /// The messages of its console.
    pub console: Vec<Said>,
    /// Its main thread did not answer for as long as was asked.
    pub has_hung: bool,
    /// The expression's result.
    pub value: Option<Outcome>,
    /// The picture of the region; none if there is no such region.
    pub picture: Option<Fingerprint>,
    /// The share of the picture that another browser shows in another way, from 0 to 1.
    pub difference: Option<f64>,
    /// The events that could not be done: there is nothing that their selector finds.
    pub undone: Vec<String>,
    /// The paths of files that it asked for, and that it has not beside it.
    pub missing: Vec<String>,
    /// The time after the page was loaded at which the last of what was waited for came.
    pub after: Duration,
    /// The browser needs to be started without its own sandbox.
    pub no_sandbox: bool,
}
