//! The one way in which a session starts a program that reads an input, a candidate or a directory of the user: under
//! the sandbox and the limits of the oracle, in an empty directory.
//!
//! The oracle itself, proposers and debuggers are started by `command`; a [`Tool`] makes one text of another, as
//! formatters and preprocessors do. `docs/guide/safety.md` lists all of them, and `tests/walls.rs` checks the list.

use crate::helper::Helpers;
use crate::limits::Bounds;
use nubbin_oracle::{CommandOracle, Limits, Status};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;

/// The characters that stand for the path of the text in a word.
const PLACEHOLDER: &str = "{}";
/// Runs the words after it with the file that is its first argument as standard input.
const WITH_STDIN: [&str; 4] = ["sh", "-c", "exec \"$@\" <\"$0\"", PLACEHOLDER];

/// Returns an oracle that runs `words` on candidates that are called `name`, under these bounds.
///
/// Without helpers there is no sandbox, and of the limits only the one of time.
pub(crate) fn command(
    bounds: &Bounds,
    helpers: Option<&Helpers>,
    words: &[OsString],
    name: &Path,
) -> CommandOracle {
    let mut oracle = CommandOracle::new(&words[0], &words[1..], name)
        .limits(bounds.all())
        .confinement(bounds.confinement.clone());
    if let Some(helpers) = helpers {
        oracle = oracle.helper(helpers.warden());
    }
    if let Some(directory) = &bounds.work_dir {
        oracle = oracle.work_root(directory);
    }
    oracle
}

/// Starts programs that read a text and print another one.
#[derive(Clone, Copy, Debug)]
pub struct Tool<'t> {
    bounds: &'t Bounds,
    helpers: Option<&'t Helpers>,
    limit: Duration,
    most: usize,
}

/// The reason why a program printed no text.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// It could not be run.
    #[error("it cannot be run: {0}")]
    Start(#[from] nubbin_oracle::Error),
    /// It took too long.
    #[error("it took more than {} s", .0.as_secs())]
    TimedOut(Duration),
    /// It did not end with exit status 0.
    #[error("it {status}")]
    Failed {
        /// The way in which it ended.
        status: Status,
        /// What it wrote to standard error.
        stderr: Vec<u8>,
    },
    /// It printed more than was allowed.
    #[error("it printed more than {0} bytes")]
    TooLong(usize),
}

impl<'t> Tool<'t> {
    /// Makes a starter of programs that may run for `limit` and print `most` bytes.
    #[must_use]
    pub fn new(bounds: &'t Bounds, helpers: Option<&'t Helpers>, limit: Duration, most: usize) -> Self {
        Self { bounds, helpers, limit, most }
    }

    /// Returns what the program prints for this text. `{}` in the words is the path of a file of this name that holds the
    /// text; without a `{}` the text is standard input.
    ///
    /// # Errors
    /// Returns an error if it cannot be run, takes too long, fails or prints too much.
    pub fn run(&self, words: &[OsString], name: &OsStr, text: &[u8]) -> Result<Vec<u8>, ToolError> {
        let takes_path = words.iter().any(|word| word.to_string_lossy().contains(PLACEHOLDER));
        let mut all: Vec<OsString> = Vec::new();
        if !takes_path {
            all.extend(WITH_STDIN.map(OsString::from));
        }
        all.extend_from_slice(words);
        let limits = Limits { output: None, ..self.bounds.all() };
        let oracle = command(self.bounds, self.helpers, &all, Path::new(name));
        let run = oracle.limits(limits).limit(self.limit).answer(text, self.most as u64 + 1)?;
        match run.status {
            Status::Exit(0) if run.stdout.len() > self.most => Err(ToolError::TooLong(self.most)),
            Status::Exit(0) => Ok(run.stdout),
            Status::TimedOut => Err(ToolError::TimedOut(self.limit)),
            status => Err(ToolError::Failed { status, stderr: run.stderr }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Unlimited;
    use nubbin_oracle::Confinement;

    fn run(words: &[&str], limit: u64, most: usize) -> Result<Vec<u8>, ToolError> {
        let bounds = Bounds::new(Limits::default(), Unlimited::default(), 1, Confinement::default());
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        Tool::new(&bounds, None, Duration::from_millis(limit), most).run(
            &words,
            OsStr::new("x.txt"),
            b"b\na\n",
        )
    }

    #[test]
    fn a_text_is_standard_input_or_a_file() {
        assert_eq!(run(&["sort"], 10_000, 4).expect("it runs"), b"a\nb\n");
        let words = ["sh", "-c", "sort \"$0\"; basename \"$0\"", "{}"];
        assert_eq!(run(&words, 10_000, 10).expect("it runs"), b"a\nb\nx.txt\n");
    }

    #[test]
    fn a_program_runs_in_a_directory_that_holds_nothing_but_the_text() {
        assert_eq!(run(&["ls", "-A"], 10_000, 100).expect("it runs"), b"x.txt\n");
    }

    #[test]
    fn failures_late_ends_and_long_outputs_are_errors() {
        assert!(matches!(
            run(&["sh", "-c", "echo no >&2; exit 3"], 10_000, 10),
            Err(ToolError::Failed { status: Status::Exit(3), stderr }) if stderr == b"no\n"
        ));
        assert!(matches!(run(&["no-such-program", "{}"], 10_000, 10), Err(ToolError::Start(_))));
        assert!(matches!(run(&["sh", "-c", "sleep 60 & wait"], 50, 10), Err(ToolError::TimedOut(_))));
        assert!(matches!(run(&["sort"], 10_000, 3), Err(ToolError::TooLong(3))));
    }
}
