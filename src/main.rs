//! Runs the program: arguments, settings, a command, an exit code.
//!
//! The session crate does reductions and everything else that a user can ask for; this crate does the terminal. If it
//! is started with certain hidden words, the program works as a helper of a session.

mod args;
mod command;
mod exit;
mod settings;
mod show;
mod signal;
mod stdout;

use args::Typed;
use nubbin_session::Helpers;
use std::process::ExitCode;

fn main() -> ExitCode {
    if Helpers::are_asked_for() {
        signal::end_at_limits();
    }
    let helpers = match Helpers::serve() {
        Ok(helpers) => helpers,
        Err(code) => return code,
    };
    let typed = match Typed::read() {
        Ok(typed) => typed,
        Err(exit) => return exit.into(),
    };
    match command::run(typed, helpers) {
        Ok(exit) => exit.into(),
        Err(failure) => exit::report(&failure).into(),
    }
}
