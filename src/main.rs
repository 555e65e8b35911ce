//! The program: parses arguments, resolves settings, runs a command, returns an exit code.
//!
//! The crate `nubbin-session` implements the commands; this crate implements the terminal. A session starts this
//! program as its helper process as well, with hidden arguments.

mod args;
mod command;
mod exit;
mod settings;
mod show;
mod signal;
mod stdout;
mod terminal;

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
    args::complete::answer();
    let typed = match Typed::read() {
        Ok(typed) => typed,
        Err(exit) => return exit.into(),
    };
    match command::run(typed, helpers) {
        Ok(exit) => exit.into(),
        Err(failure) => exit::report(&failure).into(),
    }
}
