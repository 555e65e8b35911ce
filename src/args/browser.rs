//! `nubbin browser`: options and help.

use super::group::{BrowserOptions, ReductionOptions, ResultOptions};
use clap::{Args, ValueHint};
use std::ffi::OsString;

const USAGE: &str = "nubbin browser [OPTIONS] <PAGE> [FILE]…";
const EXAMPLES: &str = "\
Examples:
  nubbin browser page.html
      keep the failure that the page shows: a crash, a hang, or its only uncaught error
  nubbin browser --crash page.html
      keep the crash of the page's process
  nubbin browser --console 'TypeError: .* of undefined' page.html
      keep this console message
  nubbin browser --js 'document.querySelector(\"#menu\").offsetWidth' page.html
      keep the current value of this expression
  nubbin browser --looks-like-now '#menu' --actions open.txt page.html
      keep a layout or painting bug: after the actions of open.txt, the menu looks the same
  nubbin browser --looks-different-from google-chrome-beta page.html
      keep a difference between two browsers
  nubbin browser --unresponsive 2 page.html
      keep a page that does not respond for two seconds
  nubbin browser saved.html saved_files/*
      reduce a saved page together with its files; the result is a directory

Each job keeps one browser open, and loads each candidate as http://localhost/PAGE, together with the
given files. Other requests are not answered. Cookies and storage are cleared between candidates.
If several failures are requested, candidates must show all of them.";

/// Reduce a page that fails in a browser
#[derive(Debug, Args)]
#[command(override_usage = USAGE, after_long_help = EXAMPLES)]
#[group(skip)]
pub struct Browser {
    /// The page to reduce, and further files to reduce together with it
    #[arg(value_name = "PAGE", num_args = 1.., value_hint = ValueHint::FilePath)]
    pub files: Vec<OsString>,

    #[command(flatten)]
    pub result: ResultOptions,
    #[command(flatten)]
    pub failure: BrowserOptions,
    #[command(flatten)]
    pub whole: ReductionOptions,
}
