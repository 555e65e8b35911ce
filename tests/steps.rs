//! One step leads where a person would go: from a small text of each construct to each text listed below it.
//!
//! Which pass takes the step does not matter; `cargo test --test steps -- --nocapture` tells it. Blanks count
//! only where the language lives by its layout.

use nubbin::edit::{Patch, count_tokens};
use nubbin::pass::{self, Filter, Snapshot};
use nubbin::syntax::{Layout, Parsed, Parser};
use nubbin::{Language, Registry};
use std::fmt::Write;
use std::path::Path;

/// The passes that know the grammar; what only the others reach comes late and costs much.
const PASSES: [&str; 6] = ["comment", "delete", "rule", "merge", "hoist", "substitute"];

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

/// All texts that are one step away, each with the pass that takes the step.
fn steps(language: &Language, before: &str) -> Vec<(&'static str, String)> {
    let source = before.as_bytes();
    let errors = parse(language, source).errors();
    let size = |text: &[u8]| (count_tokens(text), text.len());
    let mut found = Vec::new();
    for name in PASSES {
        let snapshot = Snapshot::new(source.into(), language, parse(language, source));
        let proposal = pass::by_name(name).expect("a pass").propose(&snapshot);
        let groups = proposal.groups();
        let whole = groups.groups().iter().filter(|g| g.kind == nubbin::search::Kind::Set);
        let sets = whole.map(|group| group.members.clone().collect::<Vec<_>>());
        for set in (0..proposal.len() as u32).map(|delta| vec![delta]).chain(sets) {
            let text = Patch::new(proposal.edits(&|_| false, &set)).apply(source, proposal.seam);
            let fits = proposal.filter == Filter::Nothing || parse(language, &text).errors() <= errors;
            if fits && size(&text) < size(source) {
                found.push((name, String::from_utf8(text).expect("text stays text")));
            }
        }
    }
    found
}

fn same(language: &Language, one: &str, other: &str) -> bool {
    match language.layout() {
        Layout::Free => {
            one.split_whitespace().eq(other.split_whitespace()) || squeezed(one) == squeezed(other)
        }
        Layout::Indentation => {
            let line = |line: &str| (line.len() - line.trim_start().len(), squeezed(line));
            one.trim_end().lines().map(line).eq(other.trim_end().lines().map(line))
        }
    }
}

/// Without the blanks that do not keep words apart.
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

fn check(name: &str) {
    let language = Registry::built_in().get(name).expect("a built-in language");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/steps").join(format!("{name}.txt"));
    let mut missing = String::new();
    for Case { sentence, before, after } in read(&path) {
        let steps = steps(language, &before);
        println!("{name}: {sentence}");
        for wanted in &after {
            let passes: Vec<_> = steps.iter().filter(|s| same(language, &s.1, wanted)).map(|s| s.0).collect();
            println!("  {passes:?}: {}", wanted.trim_end());
            if passes.is_empty() {
                let _ = write!(missing, "{name}: {sentence}: no step to\n{wanted}");
            }
        }
        assert!(!after.is_empty(), "{name}: {sentence}: leads nowhere");
    }
    assert!(missing.is_empty(), "{missing}");
}

macro_rules! languages {
    ($($test:ident: $name:literal;)*) => {
        $(
            #[test]
            fn $test() {
                check($name);
            }
        )*
    };
}

languages! {
    c_constructs_are_one_step_from_what_a_person_would_leave: "c";
    cpp_constructs_are_one_step_from_what_a_person_would_leave: "cpp";
    python_constructs_are_one_step_from_what_a_person_would_leave: "python";
    html_constructs_are_one_step_from_what_a_person_would_leave: "html";
    javascript_constructs_are_one_step_from_what_a_person_would_leave: "javascript";
}
