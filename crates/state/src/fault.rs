//! The reasons why a question about a program has no answer.

use crate::protocol::Problem;

/// The reason why a question about a program has no answer.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The debugger reported a problem with the program.
    #[error("{}", .0.text)]
    Program(Problem),
    /// The debugger gave no usable answer.
    #[error("no answer from {debugger}: {text}")]
    Lost {
        /// The name of the debugger.
        debugger: &'static str,
        /// The end of its output.
        text: String,
    },
    /// The run could not be started, or was interrupted.
    #[error(transparent)]
    Oracle(#[from] nubbin_oracle::Error),
    /// The two runs, or the whole run, do not behave as required.
    #[error("{0}")]
    Runs(String),
    /// An argument of the program is not UTF-8.
    #[error("the argument `{0}` is not UTF-8: debuggers need the command as text")]
    Word(String),
    /// The request could not be written.
    #[error("cannot write the request to the debugger: {0}")]
    Request(#[from] serde_json::Error),
}

impl Fault {
    /// Returns whether the user interrupted the run.
    #[must_use]
    pub fn is_interrupt(&self) -> bool {
        matches!(self, Self::Oracle(nubbin_oracle::Error::Interrupted))
    }

    /// Returns a hint for the user, if there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        let Self::Program(problem) = self else { return None };
        Some(match problem.kind.as_str() {
            "no-debug-information" | "optimised" => "build it with `-g -O0`",
            "no-program" => "give the program and its arguments after `--`",
            "no-source" => "select the sources with `--source DIR`",
            "not-reached" | "no-such-place" => "give a line that both runs execute with `--at FILE:LINE`",
            _ => return None,
        })
    }
}
