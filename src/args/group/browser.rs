//! The options about a browser: the failure of a page, and the actions before it.

use super::run::seconds;
use super::values::Offered;
use clap::{Args, ValueHint};
use std::path::PathBuf;
use std::time::Duration;

/// The failures that a page can show, and the browser.
#[derive(Debug, Args)]
#[group(skip)]
pub struct BrowserOptions {
    /// The failure is that the page's process crashes
    #[arg(long, help_heading = "Failure")]
    pub crash: bool,

    /// The failure is a console message or uncaught error that matches REGEX
    #[arg(long, value_name = "REGEX", help_heading = "Failure")]
    pub console: Option<String>,

    /// The failure is that this JavaScript expression has the same value as on PAGE
    #[arg(long, value_name = "EXPRESSION", help_heading = "Failure")]
    pub js: Option<String>,

    /// The failure is that the page does not respond for SECONDS, as in an endless loop
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Failure")]
    pub unresponsive: Option<Duration>,

    /// The failure is that BROWSER2 renders the page differently
    #[arg(long, value_name = "BROWSER2", value_hint = ValueHint::CommandString, help_heading = "Failure")]
    pub looks_different_from: Option<String>,

    /// The failure is that this region looks the same as on PAGE
    ///
    /// The region is X,Y,WIDTHxHEIGHT in pixels, or a CSS selector.
    #[arg(long, value_name = "REGION", help_heading = "Failure")]
    pub looks_like_now: Option<String>,

    /// A file with actions to perform on each page first, one in a line
    ///
    /// `click SELECTOR`, `hover SELECTOR`, `key NAME`, `type TEXT`, `scroll PIXELS`, `wait MILLISECONDS`.
    #[arg(long, value_name = "SCRIPT", value_hint = ValueHint::FilePath, help_heading = "Run")]
    pub actions: Option<PathBuf>,

    /// The browser: a program of the Chromium family, or Firefox
    ///
    /// It can be followed by options. The default is the first program that exists of `chromium`, `chromium-browser`,
    /// `google-chrome`, `firefox` and `firefox-esr`.
    #[arg(long, value_name = "COMMAND", value_parser = browsers(), hide_possible_values = true, help_heading = "Run")]
    pub browser: Option<String>,
}

/// Offers the programs that are looked for; any other command is accepted.
fn browsers() -> Offered {
    Offered::new(nubbin_browser::BROWSERS)
}
