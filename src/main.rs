//! The program: arguments, settings, reduce, report, exit code.
//!
//! All of it is in `cli`, and what a reduction is, in the library. Under hidden words the program is the helper that
//! runs the oracle, becomes a command with some of its options, compares two commands, or runs
//! one in other circumstances.

mod cli;

use nubbin::oracle::warden;
use std::process::ExitCode;

fn main() -> ExitCode {
    if warden::is_asked_for(std::env::args_os()) {
        cli::signal::end_at_limits();
        return warden::serve();
    }
    if cli::options::is_asked_for(std::env::args_os()) {
        return cli::options::become_command(std::env::args_os());
    }
    if cli::differ::is_asked_for(std::env::args_os()) {
        return cli::differ::compare(std::env::args_os());
    }
    if cli::check::wrapper::is_asked_for(std::env::args_os()) {
        return cli::check::wrapper::run(std::env::args_os());
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
