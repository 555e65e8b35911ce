//! Tests that are data: each case of the corpus, each text of a rule or a step, and each page of the guide is
//! a test.
//!
//! `cargo test --test data corpus::NAME` runs one case, `… rules::LANGUAGE::RULE` the tests of one rule.

#[macro_use]
extern crate macro_rules_attribute;

#[macro_use]
#[path = "../support/harness.rs"]
mod harness;
#[path = "../support/tools.rs"]
mod tools;

mod corpus;
mod guide;
mod links;
mod rules;
mod sentences;
mod steps;

fn main() {
    let tests =
        [corpus::tests(), guide::tests(), links::tests(), rules::tests(), sentences::tests(), steps::tests()];
    harness::main(tests.into_iter().flatten().collect())
}

/// Converts a sentence to the last part of a test's name.
fn slug(sentence: &str) -> String {
    let word = |c: char| if c.is_alphanumeric() || "-.<>{}".contains(c) { c } else { '_' };
    sentence.trim().chars().map(word).collect()
}

/// Prints information about a passing test if `--nocapture` is given.
fn tell(text: &str) {
    if std::env::args().any(|word| word == "--nocapture" || word == "--show-output") {
        println!("{text}");
    }
}
