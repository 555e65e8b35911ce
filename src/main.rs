//! The program: arguments, settings, reduce, report, exit code.
//!
//! All of it is in `cli`, and what a reduction is, in the library.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    let args = match cli::Args::typed() {
        Ok(args) => args,
        Err(exit) => return exit.into(),
    };
    match cli::Task::new(args).and_then(cli::Task::run) {
        Ok(exit) => exit.into(),
        Err(failure) => failure.report().into(),
    }
}
