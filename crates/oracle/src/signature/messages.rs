//! Compares pairs of messages of real tools (`tests/messages/*.toml`) as a reduction compares an input and a
//! candidate, and checks whether both count as the same failure.

use super::{Reader, Seen, Signature, Wanted};
use serde::Deserialize;
use std::fmt::Write;
use std::path::Path;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Messages {
    group: Vec<Group>,
}

/// Different failures of a tool.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    tool: String,
    /// The names of the candidate's files.
    #[serde(default)]
    own: Vec<String>,
    /// The input that shows the first message of each failure.
    #[serde(default)]
    input: String,
    failure: Vec<Failure>,
}

/// Messages of the same failure.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Failure {
    messages: Vec<String>,
}

fn groups() -> Vec<Group> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messages");
    let mut groups = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("UTF-8");
        let messages: Messages =
            toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        groups.extend(messages.group);
    }
    groups
}

/// Returns whether a reduction that keeps the failure of the first message accepts the second one.
fn is_same(group: &Group, one: &str, other: &str) -> bool {
    let reader = Reader::new(group.own.clone());
    let errors = reader.diagnostics(b"", one.as_bytes());
    let mut learned = reader.all(b"", one.as_bytes());
    if learned.is_empty() {
        learned.clone_from(&errors);
    }
    // For unknown messages only the exit status is compared, which is equal.
    let Some(signature) = learned.into_iter().next() else { return true };
    let signature = signature.opened(group.input.as_bytes());
    let wanted = Wanted { beside: Some(errors), ..Wanted::new(signature, reader) };
    wanted.look(b"", other.as_bytes()) == Seen::Same
}

fn shown(group: &Group, message: &str) -> String {
    let found = Reader::new(group.own.clone()).all(b"", message.as_bytes());
    found.first().map_or("nothing".to_owned(), Signature::key)
}

#[test]
fn messages_of_the_same_failure_are_told_from_those_of_others() {
    let (mut pairs, mut right, mut count) = (0, 0, 0);
    let (mut tools, mut wrong, mut confused) = (std::collections::BTreeSet::new(), String::new(), Vec::new());
    for group in groups() {
        tools.insert(group.tool.clone());
        let mut judge = |one: &str, other: &str, is_expected: bool| {
            pairs += 1;
            let is_same = is_same(&group, one, other);
            if is_same == is_expected {
                right += 1;
                return;
            }
            let what = if is_same { "taken for the same" } else { "taken for two" };
            let [first, second] = [one, other].map(|text| shown(&group, text));
            let _ = writeln!(wrong, "{}: {what}\n  {first}\n  {second}", group.tool);
            let is_assertion = |text: &str| text.to_lowercase().contains("assert");
            if is_same && (is_assertion(one) || is_assertion(other)) {
                confused.push(group.tool.clone());
            }
        };
        for (number, failure) in group.failure.iter().enumerate() {
            count += failure.messages.len();
            for (at, one) in failure.messages.iter().enumerate() {
                for other in failure.messages.iter().enumerate().filter(|(other, _)| *other != at) {
                    judge(one, other.1, true);
                }
            }
            for other in group.failure.iter().skip(number + 1) {
                for (one, other) in [(failure, other), (other, failure)] {
                    for message in &other.messages {
                        judge(&one.messages[0], message, false);
                    }
                }
            }
        }
    }
    let share = f64::from(right) * 100.0 / f64::from(pairs);
    println!("{share:.2} % of {pairs} pairs, {count} messages of {} tools\n{wrong}", tools.len());
    assert!(count >= 300 && tools.len() >= 80);
    assert!(confused.is_empty(), "different assertions are taken for the same: {confused:?}\n{wrong}");
    assert!(share >= 97.0, "{share:.2} %\n{wrong}");
}

#[test]
fn each_known_form_reads_its_own_sample() {
    let mut wrong = String::new();
    for form in super::form::known() {
        let found = Reader::default().all(b"", form.sample.as_bytes());
        let titles: Vec<String> = found.iter().map(Signature::title).collect();
        if titles.first() != Some(&form.shown) {
            let _ = writeln!(wrong, "{}:\n  {titles:?}\n  {:?}", form.name, form.shown);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
