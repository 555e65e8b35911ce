//! The library from outside, in this process: reductions with closures as oracles, searches, changes, proposals.
//!
//! Processes are in `tests/process`, the program in `tests/cli`.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

#[macro_use]
extern crate macro_rules_attribute;

#[macro_use]
#[path = "../support/harness.rs"]
mod harness;
#[path = "../support/tools.rs"]
mod tools;

mod changes;
mod control;
mod cores;
mod faithful;
mod flaky;
mod folder;
mod names;
mod odd_input;
mod propose;
mod reduction;
mod switches;
mod token;
mod units;
mod uses;
mod well_formed;

fn main() {
    harness::main(Vec::new())
}

/// Whether a text has a word.
fn has(text: &[u8], word: impl AsRef<[u8]>) -> bool {
    memchr::memmem::find(text, word.as_ref()).is_some()
}
