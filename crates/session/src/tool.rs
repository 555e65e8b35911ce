//! Starts programs on an input, a candidate or a directory of the user, under the sandbox and the limits of the
//! oracle, in an empty directory.
//!
//! All such programs are started here. The oracle itself, proposers and debuggers use `command`; a [`Tool`]
//! transforms a text, as formatters and preprocessors do. `docs/guide/safety.md` lists all programs, and
//! `tests/walls.rs` checks the list.

use crate::helper::Helpers;
use crate::limits::Bounds;
use nubbin_oracle::{CommandOracle, Limits, Status};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::time::Duration;

/// Stands for the path of the text in an argument.
const PLACEHOLDER: &str = "{}";
/// Runs the following arguments with the file named by the first as standard input.
const WITH_STDIN: [&str; 4] = ["sh", "-c", "exec \"$@\" <\"$0\"", PLACEHOLDER];

/// Returns an oracle that runs `words` on candidates called `name`, under these bounds.
///
/// Without helpers there is no sandbox, and only the time is limited.
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
    /// The program could not be run.
    #[error("it cannot be run: {0}")]
    Start(#[from] nubbin_oracle::Error),
    /// The program exceeded the time limit.
    #[error("it took more than {} s", .0.as_secs())]
    TimedOut(Duration),
    /// The program did not exit with status 0.
    #[error("it {status}")]
    Failed {
        /// How the program ended.
        status: Status,
        /// The standard error of the program.
        stderr: Vec<u8>,
    },
    /// The program printed too much.
    #[error("it printed more than {0} bytes")]
    TooLong(usize),
}

impl<'t> Tool<'t> {
    /// Creates a starter of programs that can run for `limit` and print `most` bytes.
    #[must_use]
    pub fn new(bounds: &'t Bounds, helpers: Option<&'t Helpers>, limit: Duration, most: usize) -> Self {
        Self { bounds, helpers, limit, most }
    }

    /// Runs a program on a text, and returns its output. An argument `{}` is the path of a file called `name` with
    /// the text; without one, the text is standard input.
    ///
    /// # Errors
    /// Returns an error if the program cannot be run, times out, fails or prints too much.
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
