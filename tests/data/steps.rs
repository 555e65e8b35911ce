//! A single step leads to the result that a person would choose: from a small text of each construct to each
//! text listed below it.
//!
//! It does not matter which pass takes the step; `cargo test --test data steps -- --nocapture` prints it.
//! Whitespace is ignored unless the language depends on layout.

use crate::harness::trial;
use crate::tell;
use libtest_mimic::Trial;
use nubbin::edit::{Patch, count_tokens};
use nubbin::pass::{self, CandidateFilter, Snapshot};
use nubbin::syntax::{Layout, Parsed, Parser};
use nubbin::{Language, Registry};
use std::fmt::Write;
use std::path::Path;

/// The passes that use the grammar; results that only other passes reach are found late and are expensive.
const PASSES: [&str; 6] =
    ["delete-comments", "delete-nodes", "rewrite", "rewrite/late", "hoist", "substitute"];

/// A text, and the texts that are one step away from it.
struct Case {
    sentence: String,
    before: String,
    after: Vec<String>,
}

fn read(path: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(path).expect("a readable file");
    let mut cases = Vec::new();
    for case in text.split("================\n").skip(1).collect::<Vec<_>>().chunks(2) {
        let [sentence, body] = case else { panic!("{}: a title without a text", path.display()) };
        let mut blocks = body.split("---\n").map(|block| format!("{}\n", block.trim_end()));
        cases.push(Case {
            sentence: sentence.trim().to_owned(),
            before: blocks.next().expect("a split has a first part"),
            after: blocks.collect(),
        });
    }
    cases
}

fn parse(language: &Language, text: &[u8]) -> Parsed {
    Parser::new(language.grammar()).parse(text)
}

/// Returns all texts that are one step away, each with the pass that takes the step.
fn steps(language: &Language, before: &str) -> Vec<(&'static str, String)> {
    let source = before.as_bytes();
    let errors = parse(language, source).errors();
    let size = |text: &[u8]| (count_tokens(text), text.len());
    let mut found = Vec::new();
    for name in PASSES {
        let snapshot = Snapshot::new(source.into(), language, parse(language, source));
        let proposal = pass::by_name(name).expect("a pass").propose(&snapshot);
        let groups = proposal.groups();
        let whole = groups.groups().iter().filter(|g| g.kind == nubbin::search::GroupKind::Set);
        let sets = whole.map(|group| group.members.clone().collect::<Vec<_>>());
        for set in (0..proposal.len() as u32).map(|delta| vec![delta]).chain(sets) {
            let text = Patch::new(proposal.edits(&|_| false, &set)).apply(source, proposal.seam);
            let fits =
                proposal.filter == CandidateFilter::Nothing || parse(language, &text).errors() <= errors;
            if fits && size(&text) < size(source) {
                found.push((name, String::from_utf8(text).expect("text stays text")));
            }
        }
    }
    found
}

fn same(language: &Language, one: &str, other: &str) -> bool {
    match language.layout() {
        Layout::Free | Layout::Markup => {
            one.split_whitespace().eq(other.split_whitespace()) || squeezed(one) == squeezed(other)
        }
        Layout::Indentation => {
            let line = |line: &str| (line.len() - line.trim_start().len(), squeezed(line));
            one.trim_end().lines().map(line).eq(other.trim_end().lines().map(line))
        }
    }
}

/// Removes the whitespace that does not separate words.
fn squeezed(text: &str) -> String {
    let mut out = String::new();
    for word in text.split_whitespace() {
        let ends_in_word = out.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if ends_in_word && word.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Returns the tests: each text with at least one step, in the files of the languages that have some.
pub fn tests() -> Vec<Trial> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/steps");
    let files =
        std::fs::read_dir(folder).expect("there are steps").map(|entry| entry.expect("an entry").path());
    files.flat_map(|path| tests_of(&path)).collect()
}

fn tests_of(path: &Path) -> Vec<Trial> {
    let language = path.file_stem().expect("a language").to_str().expect("a name in ASCII").to_owned();
    let test = |case: Case| {
        let language = language.clone();
        let name = format!("steps::{language}::{}", crate::slug(&case.sentence));
        trial(name, move || check(&language, &case))
    };
    read(path).into_iter().map(test).collect()
}

fn check(name: &str, case: &Case) {
    let language = Registry::built_in().get(name).expect("a built-in language");
    let mut missing = String::new();
    let steps = steps(language, &case.before);
    for wanted in &case.after {
        let passes: Vec<_> = steps.iter().filter(|s| same(language, &s.1, wanted)).map(|s| s.0).collect();
        tell(&format!("{name}: {}: {passes:?}: {}", case.sentence, wanted.trim_end()));
        if passes.is_empty() {
            let _ = write!(missing, "no step to\n{wanted}");
        }
    }
    assert!(!case.after.is_empty(), "it leads nowhere");
    assert!(missing.is_empty(), "{missing}");
}
