//! The processes that a session starts of its own program: wardens, which run the oracle in a sandbox, small commands
//! that stand between the oracle and the user's command, and servers that keep a browser open.
//!
//! A program that uses the session has to answer as them, so its `main` begins with [`Helpers::serve`]. What is loaded by
//! a program of somebody else names another program that answers.

use crate::check::wrapper;
use crate::{differ, options, slow};
use nubbin_oracle::{Helper, warden};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// The program that answers as the helpers of a session: as a rule, the one that runs.
///
/// Without it a session runs the oracle as a plain child process: with a time limit, and without the sandbox and other
/// limits. What needs a helper in any case (two commands that are compared, the options of a command) is refused.
#[derive(Clone, Debug)]
pub struct Helpers(Helper);

impl Helpers {
    /// Tells whether this process was started to be a helper.
    #[must_use]
    pub fn are_asked_for() -> bool {
        let words = std::env::args_os;
        warden::is_asked_for(words())
            || options::is_asked_for(words())
            || differ::is_asked_for(words())
            || slow::is_asked_for(words())
            || wrapper::is_asked_for(words())
            || nubbin_browser::is_asked_for(words())
    }

    /// Answers as a helper if this process was started to be one; `main` calls it before anything else.
    ///
    /// ```no_run
    /// use nubbin_session::Helpers;
    /// use std::process::ExitCode;
    ///
    /// fn main() -> ExitCode {
    ///     let helpers = match Helpers::serve() {
    ///         Ok(helpers) => helpers,
    ///         Err(code) => return code,
    ///     };
    ///     // What the program does.
    /// #   let _ = helpers;
    ///     ExitCode::SUCCESS
    /// }
    /// ```
    ///
    /// # Errors
    /// The exit code of a helper, with which the process is to end.
    pub fn serve() -> Result<Self, ExitCode> {
        let words = std::env::args_os;
        if warden::is_asked_for(words()) {
            return Err(warden::serve());
        }
        if options::is_asked_for(words()) {
            return Err(options::become_command(words()));
        }
        if differ::is_asked_for(words()) {
            return Err(differ::compare(words()));
        }
        if slow::is_asked_for(words()) {
            return Err(slow::measure(words()));
        }
        if wrapper::is_asked_for(words()) {
            return Err(wrapper::run(words()));
        }
        if nubbin_browser::is_asked_for(words()) {
            return Err(nubbin_browser::serve(words()));
        }
        Ok(Self(Helper::this_program()))
    }
}

impl Helpers {
    /// Takes another program, of the same version, whose `main` begins with [`serve`](Self::serve): for a library that is
    /// loaded by an interpreter.
    pub fn of_program(program: impl Into<PathBuf>) -> Self {
        Self(Helper::new(program))
    }

    /// Returns a warden that is this program.
    pub(crate) fn warden(&self) -> Helper {
        self.0.clone()
    }
}

/// Says a line where a shell would say it. A helper's output is the oracle's, and nobody else's.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}
