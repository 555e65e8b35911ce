//! The program: arguments, settings, reduce, report, exit code.
//!
//! All of it is in `cli`, and what a reduction is, in the library. Under a hidden word the program is the helper that
//! runs the oracle.

mod cli;

use nubbin::oracle::warden;
use std::process::ExitCode;

fn main() -> ExitCode {
    if warden::is_asked_for(std::env::args_os()) {
        return warden::serve();
    }
    let args = match cli::Args::typed() {
        Ok(args) => args,
        Err(exit) => return exit.into(),
    };
    match cli::Task::new(args).and_then(cli::Task::run) {
        Ok(exit) => exit.into(),
        Err(failure) => failure.report().into(),
    }
}
