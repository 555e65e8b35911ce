//! Servers in place of a process for each run: which commands have one, and what a run does when they were wrong.

use crate::settings::{Serving, Settings};
use crate::source::Input;
use crate::text;
use nubbin_oracle::{CommandOracle, Error, Shape, Status, command, question};
use std::ffi::OsString;
use std::path::PathBuf;

pub use nubbin_serve::own;

/// The word by which a test says that it waits for its candidate.
const WAIT: &str = "nubbin-wait";

/// Returns an oracle that asks servers which are made of the command, if that can be done.
pub(crate) fn servers(settings: &Settings, oracle: &CommandOracle) -> Option<CommandOracle> {
    let words = words(settings, oracle)?;
    let words = nubbin_serve::of_command(&words, |word| is_candidate(settings, word))?;
    Some(of_words(oracle, &words)?.server(true))
}

/// Tells whether a word stands for the candidate.
pub(crate) fn is_candidate(settings: &Settings, word: &OsString) -> bool {
    let several = matches!(&settings.shape, Shape::Files(names) if names.len() > 1);
    command::holds_placeholder(word, several)
}

/// Returns the words of the command with that of the candidate, if something else may answer in its place.
pub(crate) fn words(settings: &Settings, oracle: &CommandOracle) -> Option<Vec<OsString>> {
    let test = &settings.test;
    let is_plain = test.serving == Serving::Known
        && settings.helpers.is_some()
        && settings.flaky.is_none()
        && test.other.is_none()
        && !matches!(settings.input, Input::Options(_) | Input::WithOptions(_) | Input::Changes(_))
        && !matches!(settings.shape, Shape::Tree { .. });
    if !is_plain {
        return None;
    }
    let mut words = test.words.clone();
    if oracle.appends_path() {
        words.push("{}".into());
    }
    Some(words)
}

/// Returns an oracle that runs these words in place of its own.
pub(crate) fn of_words(oracle: &CommandOracle, words: &[OsString]) -> Option<CommandOracle> {
    let (program, arguments) = words.split_first()?;
    Some(oracle.clone().words(program, arguments.to_vec()))
}

/// Starts processes of the test that wait for their candidates, and returns the oracle that uses them.
///
/// # Errors
/// Returns in words why there are none; nothing if the run is stopped.
pub(crate) fn ahead(
    settings: &Settings,
    number: usize,
    oracle: &CommandOracle,
) -> Result<CommandOracle, Option<String>> {
    if settings.helpers.is_none() {
        return Err(Some("this program has no helpers".to_owned()));
    }
    if settings.shape == (Shape::Tree { is_kept: true }) {
        return Err(Some("it finds what the last run has made in its directory".to_owned()));
    }
    let oracle = oracle.clone().prestarted(true);
    // One of them is at work.
    let all = settings.jobs * (number + 1);
    for ready in nubbin_search::schedule::at_once(all, |_| oracle.get_ready()) {
        match ready {
            Ok(None) => {}
            Ok(Some(Status::TimedOut)) => {
                return Err(Some(format!("it has not come to `{WAIT}` within the time limit of a run")));
            }
            Ok(Some(status)) => {
                let ending = text::ending(status);
                return Err(Some(format!("without a candidate it {ending} before it came to `{WAIT}`")));
            }
            Err(Error::Interrupted) => return Err(None),
            Err(error) => return Err(Some(error.to_string())),
        }
    }
    Ok(oracle)
}

/// Returns a line for a shell that asks the server about the input.
pub(crate) fn by_hand(settings: &Settings) -> String {
    let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    let mut paths: Vec<PathBuf> = settings.input.paths().iter().map(absolute).collect();
    if paths.is_empty() {
        paths.push("INPUT".into());
    }
    let question = question(&paths, &std::env::temp_dir());
    format!("echo {} | {}", text::quote(question.as_ref()), settings.test.label)
}
