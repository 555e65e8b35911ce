//! `nubbin browser`: its options, and its help.

use super::group::{BrowserOptions, ReductionOptions, ResultOptions};
use clap::Args;
use std::ffi::OsString;

const USAGE: &str = "nubbin browser [OPTIONS] <PAGE> [FILE]…";
const EXAMPLES: &str = "\
Examples:
  nubbin browser page.html
      keep what the page shows: a crash, a hang, or its only uncaught error
  nubbin browser --crash page.html
      keep the crash of the page's process
  nubbin browser --console 'TypeError: .* of undefined' page.html
      keep this message of the console
  nubbin browser --js 'document.querySelector(\"#menu\").offsetWidth' page.html
      keep the value that this has now
  nubbin browser --looks-like-now '#menu' --events open.txt page.html
      a bug of layout or painting: the menu looks as it does now, after the clicks of open.txt
  nubbin browser --looks-different-from google-chrome-beta page.html
      two browsers show different pictures
  nubbin browser --hang 2 page.html
      the page does not answer for two seconds
  nubbin browser saved.html saved_files/*
      reduce the files of a saved page with it; the result is a directory

One browser is open for each job, and each candidate is loaded in it as http://localhost/PAGE, with the
given files beside it. No other request is answered, and nothing that a page keeps is there for the next.
If several failures are asked for, all of them have to stay.";

/// Reduces a page on which a browser fails, in a browser that stays open.
#[derive(Debug, Args)]
#[command(verbatim_doc_comment, override_usage = USAGE, after_long_help = EXAMPLES)]
#[group(skip)]
pub struct Browser {
    /// The page to reduce, and the files beside it that are to be reduced with it.
    #[arg(value_name = "PAGE", num_args = 1..)]
    pub files: Vec<OsString>,

    #[command(flatten)]
    pub result: ResultOptions,
    #[command(flatten)]
    pub failure: BrowserOptions,
    #[command(flatten)]
    pub whole: ReductionOptions,
}
