//! The library from outside, in this process: reductions with closures as oracles, searches, changes,
//! proposals.
//!
//! Tests with processes are in `tests/process`, those of the program in `tests/cli`.

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
mod lists;
mod names;
mod odd_input;
mod proof;
mod propose;
mod reduction;
mod switches;
mod token;
mod units;
mod uses;
mod well_formed;

use nubbin::event::Event;
use nubbin::{Outcome, Reduction, Registry, Verdict};
use std::collections::BTreeMap;

fn main() {
    harness::main(Vec::new())
}

/// Returns whether a text contains a word.
fn has(text: &[u8], word: impl AsRef<[u8]>) -> bool {
    memchr::memmem::find(text, word.as_ref()).is_some()
}

/// Reduces with an oracle in this process. Returns the result and the probes of each pass.
fn reduce(
    language: Option<&str>,
    input: &str,
    wants: impl Fn(&str) -> bool,
) -> (String, Outcome, BTreeMap<String, usize>) {
    let mut pass = String::new();
    let mut probes = BTreeMap::new();
    let mut sink = |event: Event<'_>| match event {
        Event::Pass { name, .. } => name.clone_into(&mut pass),
        Event::Probed { .. } => *probes.entry(pass.clone()).or_default() += 1,
        _ => {}
    };
    let test = |candidate: &[u8]| {
        if std::str::from_utf8(candidate).is_ok_and(&wants) {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting
        }
    };
    let language = language.map(|name| Registry::built_in().get(name).expect("a built-in language"));
    let outcome =
        Reduction::new(input).language(language).sink(&mut sink).run(&test).expect("the input fails");
    (String::from_utf8(outcome.best.clone()).expect("the oracle wants UTF-8"), outcome, probes)
}
