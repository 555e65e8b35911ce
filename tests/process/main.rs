//! Processes: what tests write, what they leave behind and how they are ended, with wardens and without; runs that are killed.
//!
//! They share a process: none changes its environment, its directory or its signals, and each looks for what is left by a
//! directory, an environment or process numbers of its own.

#[macro_use]
extern crate macro_rules_attribute;

#[path = "../support/alive.rs"]
mod alive;
#[macro_use]
#[path = "../support/harness.rs"]
mod harness;
#[path = "../support/tools.rs"]
mod tools;

mod chaos;
mod oracle;
mod warden;

fn main() {
    harness::main(Vec::new())
}
