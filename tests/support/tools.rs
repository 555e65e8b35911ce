//! Owns what a test may need of the machine: a test that calls one of these is ignored, with the reason, where that is not there.

use crate::harness::ignore;
use std::process::Command;

/// Needs a program that tells its version.
pub fn program(name: &str) {
    succeeds(&[name, "--version"], name);
}

/// Needs that this command succeeds; `what` is the name of the tool that is missing otherwise.
pub fn succeeds(command: &[&str], what: &str) {
    let run = Command::new(command[0]).args(&command[1..]).output();
    if !run.is_ok_and(|run| run.status.success()) {
        ignore(format!("needs {what}"));
    }
}
