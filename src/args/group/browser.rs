//! The options about a browser: what is looked for on a page, and what is done with it before.

use super::run::seconds;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// The failures that a page can show, and the browser.
#[derive(Debug, Args)]
#[group(skip)]
pub struct BrowserOptions {
    /// The failure: the page's process crashes.
    #[arg(long, help_heading = "Failure")]
    pub crash: bool,

    /// The failure: the console shows a message or an uncaught error that matches.
    #[arg(long, value_name = "REGEX", help_heading = "Failure")]
    pub console: Option<String>,

    /// The failure: this expression of JavaScript has the value that it has on PAGE as it is.
    #[arg(long, value_name = "EXPRESSION", help_heading = "Failure")]
    pub js: Option<String>,

    /// The failure: the page does not answer for so long, as in an endless loop.
    #[arg(id = "page_hang", long = "hang", value_name = "SECONDS", value_parser = seconds, help_heading = "Failure")]
    pub hang: Option<Duration>,

    /// The failure: another browser shows a different picture.
    #[arg(long, value_name = "BROWSER2", help_heading = "Failure")]
    pub looks_different_from: Option<String>,

    /// The failure: this part of the page looks as it does on PAGE as it is. It is X,Y,WIDTHxHEIGHT in pixels, or the place
    /// of the element of a CSS selector.
    #[arg(long, value_name = "REGION", help_heading = "Failure")]
    pub looks_like_now: Option<String>,

    /// A file of events that happen to each page before it is looked at, one a line: `click SELECTOR`, `hover SELECTOR`, `key
    /// NAME`, `type TEXT`, `scroll PIXELS`, `wait MILLISECONDS`.
    #[arg(id = "script", long = "events", value_name = "SCRIPT", help_heading = "Run")]
    pub events: Option<PathBuf>,

    /// The browser: a program of the Chromium family, or Firefox, with options of its own if need be [default: the first that is
    /// found of `chromium`, `chromium-browser`, `google-chrome`, `firefox` and `firefox-esr`].
    #[arg(long, value_name = "COMMAND", help_heading = "Run")]
    pub browser: Option<String>,
}
