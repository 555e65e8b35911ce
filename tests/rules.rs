//! Every rule of every built-in language does what its before/after files say, and leaves well-formed text.
//!
//! A test may also name a pass (`names.txt`: the passes over names); then the results of all its deltas are listed.
//!
//! With `UPDATE_RULE_TESTS=1` the files are written anew from what the rules do: read the difference.

use nubbin::edit::{Patch, Seam};
use nubbin::pass::{Pass, Snapshot, by_name, rewritings};
use nubbin::syntax::{Parsed, Parser};
use nubbin::{Language, Registry};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// One test: a rule, what it shows, the text before, and every result.
struct Case {
    rule: String,
    sentence: String,
    before: String,
    after: Vec<String>,
}

fn files(language: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("grammars").join(language).join("tests");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("every language has tests")
        .map(|entry| entry.expect("a readable folder").path())
        .collect();
    files.sort();
    files
}

fn is_rule_line(line: &str, mark: char) -> bool {
    line.len() >= 3 && line.chars().all(|c| c == mark)
}

fn read(path: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(path).expect("a readable file");
    let mut cases = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if !is_rule_line(line, '=') {
            assert!(line.trim().is_empty(), "{}: text outside of a test: {line}", path.display());
            continue;
        }
        let title = lines.next().expect("a title after `===`");
        let (rule, sentence) = title.split_once(": ").expect("a title `rule: sentence`");
        assert!(lines.next().is_some_and(|line| is_rule_line(line, '=')), "`===` after {title}");
        let mut blocks = vec![String::new()];
        while let Some(line) = lines.next_if(|line| !is_rule_line(line, '=')) {
            if is_rule_line(line, '-') {
                blocks.push(String::new());
            } else {
                let block = blocks.last_mut().expect("there is one from the start");
                block.push_str(line);
                block.push('\n');
            }
        }
        let mut blocks = blocks.into_iter().map(|block| format!("{}\n", block.trim_end_matches('\n')));
        cases.push(Case {
            rule: rule.to_owned(),
            sentence: sentence.to_owned(),
            before: blocks.next().expect("there is one from the start"),
            after: blocks.collect(),
        });
    }
    cases
}

fn parse(language: &Language, text: &str) -> Parsed {
    Parser::new(language.grammar()).parse(text.as_bytes())
}

/// All results of one rule, by the place of their first edit.
fn results(language: &Language, rule: &str, before: &str) -> Vec<String> {
    let snapshot = Snapshot::new(before.as_bytes().into(), language, parse(language, before));
    if let Some(pass) = by_name(rule) {
        return results_of_pass(language, pass, &snapshot);
    }
    let mut found: Vec<_> = rewritings(&snapshot).0.into_iter().filter(|one| one.rule == rule).collect();
    found.sort_by_key(|one| one.edits.iter().map(|edit| edit.span.start).min());
    let apply = |one: nubbin::pass::Rewriting<'_>| {
        let text = Patch::new(one.edits).apply(before.as_bytes(), Seam::Apart);
        format!("{}\n", String::from_utf8(text).expect("text stays text").trim_end_matches('\n'))
    };
    found.into_iter().map(apply).collect()
}

/// What each delta of a pass over names makes of the text, those left out that fit the grammar worse.
fn results_of_pass(language: &Language, pass: &Pass, snapshot: &Snapshot<'_>) -> Vec<String> {
    let proposal = pass.propose(snapshot);
    let errors = snapshot.layers[0].parsed.errors();
    let apply = |delta| {
        let patch = Patch::new(proposal.edits(&|_| false, &[delta]));
        let text = String::from_utf8(patch.apply(&snapshot.source, Seam::Apart)).expect("text stays text");
        format!("{}\n", text.trim_end_matches('\n'))
    };
    let all = (0..proposal.len() as u32).map(apply);
    all.filter(|text| parse(language, text).errors() <= errors).collect()
}

fn check(name: &str) {
    let language = Registry::built_in().get(name).expect("a built-in language");
    let update = std::env::var_os("UPDATE_RULE_TESTS").is_some();
    let mut wrong = String::new();
    let mut tested = BTreeSet::new();
    for path in files(name) {
        let mut text = String::new();
        for mut case in read(&path) {
            let results = results(language, &case.rule, &case.before);
            let errors = parse(language, &case.before).errors();
            for result in &results {
                if parse(language, result).errors() > errors {
                    let _ =
                        writeln!(wrong, "{}: {}: more syntax errors in\n{result}", path.display(), case.rule);
                }
            }
            if results != case.after && !update {
                let _ = writeln!(wrong, "{}: {}: {}", path.display(), case.rule, case.sentence);
                let _ = writeln!(
                    wrong,
                    "expected\n{}\nbut got\n{}",
                    case.after.join("---\n"),
                    results.join("---\n")
                );
            }
            case.after = results;
            if case.after.is_empty() {
                let _ = writeln!(wrong, "{}: {} shows no result", path.display(), case.rule);
            }
            let line = "================";
            let blocks = [&[case.before.clone()], case.after.as_slice()].concat().join("---\n");
            let _ = write!(text, "{line}\n{}: {}\n{line}\n{blocks}\n", case.rule, case.sentence);
            tested.insert(case.rule);
        }
        if update {
            std::fs::write(&path, format!("{}\n", text.trim_end())).expect("a writable file");
        }
    }
    let rules: BTreeSet<String> =
        language.rules().iter().flat_map(|file| file.names()).map(str::to_owned).collect();
    let untested: Vec<_> = rules.difference(&tested).collect();
    let unknown: Vec<_> = tested.difference(&rules).filter(|name| by_name(name).is_none()).collect();
    assert!(
        untested.is_empty() && unknown.is_empty(),
        "without a test: {untested:?}; no such rule: {unknown:?}"
    );
    assert!(wrong.is_empty(), "{wrong}");
}

macro_rules! languages {
    ($($test:ident: $name:literal;)*) => {
        $(
            #[test]
            fn $test() {
                check($name);
            }
        )*

        #[test]
        fn every_built_in_language_has_its_rules_checked() {
            let known: Vec<&str> = Registry::built_in().manifests().map(|m| m.name.as_str()).collect();
            assert_eq!(known, [$($name),*]);
        }
    };
}

languages! {
    c_rules_do_what_their_tests_say: "c";
    cpp_rules_do_what_their_tests_say: "cpp";
    python_rules_do_what_their_tests_say: "python";
    html_rules_do_what_their_tests_say: "html";
    javascript_rules_do_what_their_tests_say: "javascript";
    css_rules_do_what_their_tests_say: "css";
    json_rules_do_what_their_tests_say: "json";
}
