//! Checks for the tools that a test needs: a test that calls one of these functions is ignored, with the reason, if the
//! tool is missing.

use crate::harness::ignore;
use std::process::Command;

/// Requires a program that prints its version.
pub fn program(name: &str) {
    succeeds(&[name, "--version"], name);
}

/// Requires that this command succeeds; `what` is the name of the tool that is missing otherwise.
pub fn succeeds(command: &[&str], what: &str) {
    let run = Command::new(command[0]).args(&command[1..]).output();
    if !run.is_ok_and(|run| run.status.success()) {
        ignore(format!("needs {what}"));
    }
}
