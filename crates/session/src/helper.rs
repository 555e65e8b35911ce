//! Helper processes that a session starts from its own program: wardens (supervisors, which run the oracle in a
//! sandbox), small commands that wrap the user's command, and servers that keep a browser open.
//!
//! The `main` function of a program that uses sessions must start with [`Helpers::serve`]. A library loaded by
//! another program names a separate helper program.

use crate::check::wrapper;
use crate::{differ, options, slow};
use nubbin_oracle::{Helper, warden};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// The program that acts as the helpers of a session, usually the current one.
///
/// Without it a session runs the oracle as a plain child process with a time limit, but without the sandbox and other
/// limits. Runs that always need a helper are refused: comparisons of two commands, and options of a command.
#[derive(Clone, Debug)]
pub struct Helpers(Helper);

impl Helpers {
    /// Returns whether this process was started as a helper.
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

    /// Acts as a helper if this process was started as one. Must be called first in `main`.
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
    /// Returns the exit code of a helper, with which the process must exit.
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
    /// Uses another program of the same version whose `main` starts with [`serve`](Self::serve), for a library that
    /// is loaded by an interpreter.
    pub fn of_program(program: impl Into<PathBuf>) -> Self {
        Self(Helper::new(program))
    }

    pub(crate) fn warden(&self) -> Helper {
        self.0.clone()
    }
}

/// Prints a line as a shell would, to the oracle's output.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}
