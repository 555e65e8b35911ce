//! Tests of processes: what oracles write, what they leave behind and how they are ended, with and without
//! wardens; and runs that are killed.
//!
//! All tests share one process. None changes its environment, directory or signals, and each identifies its
//! processes by a unique directory, environment or process number.

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
