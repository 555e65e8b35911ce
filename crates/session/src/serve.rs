//! Replaces the process of each run by servers, or by processes started in advance.

use crate::settings::{Serving, Settings};
use crate::source::Input;
use crate::text;
use nubbin_oracle::{CommandOracle, Error, Shape, Status, command, question};
use std::ffi::OsString;
use std::path::PathBuf;

pub use nubbin_serve::own;

/// The command by which a test waits for its candidate.
const WAIT: &str = "nubbin-wait";

/// Returns an oracle that uses servers derived from the command, if possible.
pub(crate) fn servers(settings: &Settings, oracle: &CommandOracle) -> Option<CommandOracle> {
    let words = words(settings, oracle)?;
    let words = nubbin_serve::of_command(&words, |word| is_candidate(settings, word))?;
    Some(of_words(oracle, &words)?.server(true))
}

/// Returns whether an argument contains a placeholder for the candidate.
pub(crate) fn is_candidate(settings: &Settings, word: &OsString) -> bool {
    let several = matches!(&settings.shape, Shape::Files(names) if names.len() > 1);
    command::holds_placeholder(word, several)
}

/// Returns the arguments of the command including the candidate, if the process can be replaced.
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

/// Returns the oracle with another command line.
pub(crate) fn of_words(oracle: &CommandOracle, words: &[OsString]) -> Option<CommandOracle> {
    let (program, arguments) = words.split_first()?;
    Some(oracle.clone().words(program, arguments.to_vec()))
}

/// Starts processes of the test that wait for their candidates, and returns an oracle that uses them.
///
/// # Errors
/// Returns the reason why that is not possible, or `None` if the run is stopped.
pub(crate) fn ahead(
    settings: &Settings,
    number: usize,
    oracle: &CommandOracle,
) -> Result<CommandOracle, Option<String>> {
    if settings.helpers.is_none() {
        return Err(Some("this program registered no `Helpers`".to_owned()));
    }
    if settings.shape == (Shape::Tree { is_kept: true }) {
        return Err(Some("it uses files that earlier runs left in its directory".to_owned()));
    }
    let oracle = oracle.clone().prestarted(true);
    // One process for each job is in use.
    let all = settings.jobs * (number + 1);
    for ready in nubbin_search::schedule::at_once(all, |_| oracle.get_ready()) {
        match ready {
            Ok(None) => {}
            Ok(Some(Status::TimedOut)) => {
                return Err(Some(format!("it did not reach `{WAIT}` within the time limit of a run")));
            }
            Ok(Some(status)) => {
                let ending = text::ending(status);
                return Err(Some(format!("without a candidate it {ending} before it reached `{WAIT}`")));
            }
            Err(Error::Interrupted) => return Err(None),
            Err(error) => return Err(Some(error.to_string())),
        }
    }
    Ok(oracle)
}

/// Returns a shell command that queries the server about the input.
pub(crate) fn by_hand(settings: &Settings) -> String {
    let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
    let mut paths: Vec<PathBuf> = settings.input.paths().iter().map(absolute).collect();
    if paths.is_empty() {
        paths.push("INPUT".into());
    }
    let question = question(&paths, &std::env::temp_dir());
    format!("echo {} | {}", text::quote(question.as_ref()), settings.test.label)
}
