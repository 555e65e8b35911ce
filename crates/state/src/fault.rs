//! The reasons why nothing was found out.

use crate::protocol::Problem;

/// The reason why a question about a program has no answer.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The debugger says what is wrong with the program.
    #[error("{}", .0.text)]
    Program(Problem),
    /// The debugger gave no answer that makes sense.
    #[error("{debugger} gave no answer: {text}")]
    Lost {
        /// The debugger's name.
        debugger: &'static str,
        /// The end of what it said.
        text: String,
    },
    /// The run cannot be made, or was interrupted.
    #[error(transparent)]
    Oracle(#[from] nubbin_oracle::Error),
    /// The two runs, or the whole run, do not show what they have to.
    #[error("{0}")]
    Runs(String),
    /// A word of the program's command line is no text.
    #[error("`{0}` is not UTF-8: the debugger takes a program's words as text")]
    Word(String),
    /// The request cannot be written.
    #[error("the question to the debugger cannot be written: {0}")]
    Request(#[from] serde_json::Error),
}

impl Fault {
    /// Tells whether somebody stopped the run.
    #[must_use]
    pub fn is_interrupt(&self) -> bool {
        matches!(self, Self::Oracle(nubbin_oracle::Error::Interrupted))
    }

    /// Returns what the user may do, where that is known.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        let Self::Program(problem) = self else { return None };
        Some(match problem.kind.as_str() {
            "no-debug-information" | "optimised" => "build it with `-g -O0`",
            "no-program" => "the words after `--` are the program and its arguments",
            "no-source" => "`--source DIR` names the sources that count",
            "not-reached" | "no-such-place" => "`--at FILE:LINE` is a line that both runs execute",
            _ => return None,
        })
    }
}
