//! Checks for the tools that a test needs: if a tool is missing, the calling test is ignored with the reason.

use crate::harness::ignore;
use std::process::Command;

/// Requires a program that prints its version.
pub fn program(name: &str) {
    succeeds(&[name, "--version"], name);
}

/// Requires that this command succeeds; otherwise `what` names the missing tool.
pub fn succeeds(command: &[&str], what: &str) {
    let run = Command::new(command[0]).args(&command[1..]).output();
    if !run.is_ok_and(|run| run.status.success()) {
        ignore(format!("needs {what}"));
    }
}
