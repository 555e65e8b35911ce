//! Every rule of every built-in language does what its before/after files say, and leaves well-formed text.
//!
//! A test may also name a pass (`names.txt`: the passes over names); then the results of all its deltas are listed.
//!
//! A language that builds on another also has that one's tests, but for those of rules that it is without; a test of its
//! own with the same title takes the place of such a test.
//!
//! With `UPDATE_RULE_TESTS=1` the files are written anew from what the rules do: read the difference.

use nubbin::edit::{Patch, Seam};
use nubbin::pass::{Filter, Pass, Snapshot, by_name, rewritings};
use nubbin::syntax::{Parsed, Parser};
use nubbin::{Language, Registry};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// One test: a rule, what it shows, the text before, and every result.
#[derive(Clone, PartialEq, Eq)]
struct Case {
    rule: String,
    sentence: String,
    before: String,
    after: Vec<String>,
}

fn folder(language: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("grammars").join(language).join("tests")
}

fn files(language: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder(language))
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

/// What each delta of a pass over names makes of the text, those left out that are not probed.
fn results_of_pass(language: &Language, pass: &Pass, snapshot: &Snapshot<'_>) -> Vec<String> {
    let proposal = pass.propose(snapshot);
    let errors = snapshot.layers[0].parsed.errors();
    let apply = |delta| {
        let patch = Patch::new(proposal.edits(&|_| false, &[delta]));
        let text = String::from_utf8(patch.apply(&snapshot.source, Seam::Apart)).expect("text stays text");
        format!("{}\n", text.trim_end_matches('\n'))
    };
    let all = (0..proposal.len() as u32).map(apply);
    let is_probed =
        |text: &String| proposal.filter == Filter::Nothing || parse(language, text).errors() <= errors;
    all.filter(is_probed).collect()
}

impl Case {
    fn title(&self) -> String {
        format!("{}: {}", self.rule, self.sentence)
    }

    fn text(&self) -> String {
        let line = "================";
        let blocks = [std::slice::from_ref(&self.before), &self.after].concat().join("---\n");
        format!("{line}\n{}\n{line}\n{blocks}\n", self.title())
    }
}

/// The tests of the languages that one builds on, each with its file and its language, the nearest first.
fn inherited(name: &str) -> Vec<(PathBuf, &'static Language, Case)> {
    let mut cases: Vec<(PathBuf, &'static Language, Case)> = Vec::new();
    let mut name = name.to_owned();
    let base = |name: &str| {
        let mut manifests = Registry::built_in().manifests();
        manifests.find(|manifest| manifest.name == name).and_then(|manifest| manifest.inherits.clone())
    };
    while let Some(next) = base(&name) {
        let language = Registry::built_in().get(&next).expect("a built-in language");
        for path in files(&next) {
            for case in read(&path) {
                if !cases.iter().any(|(.., known)| known.title() == case.title()) {
                    cases.push((path.clone(), language, case));
                }
            }
        }
        name = next;
    }
    cases
}

/// What is wrong with the tests of a language, and which rules have one.
struct Check {
    language: &'static Language,
    update: bool,
    wrong: String,
    tested: BTreeSet<String>,
}

impl Check {
    /// Runs one test; gives its results.
    fn run(&mut self, path: &Path, case: &Case) -> Vec<String> {
        let results = results(self.language, &case.rule, &case.before);
        let errors = parse(self.language, &case.before).errors();
        // Of a pass, those that are not probed are left out already.
        for result in results.iter().filter(|_| by_name(&case.rule).is_none()) {
            if parse(self.language, result).errors() > errors {
                self.report(path, case, &format!("more syntax errors in\n{result}"));
            }
        }
        self.tested.insert(case.rule.clone());
        results
    }

    fn report(&mut self, path: &Path, case: &Case, message: &str) {
        let _ = writeln!(self.wrong, "{}: {}: {message}", path.display(), case.title());
    }

    fn differs(&mut self, path: &Path, case: &Case, results: &[String], remedy: &str) {
        let (expected, got) = (case.after.join("---\n"), results.join("---\n"));
        self.report(path, case, &format!("{remedy}\nexpected\n{expected}\nbut got\n{got}"));
    }

    /// Runs a test of a language that this one builds on; gives the test that this one needs, where it differs.
    fn inherited(&mut self, path: &Path, base: &Language, case: &Case) -> Option<Case> {
        let expected =
            if self.update { self::results(base, &case.rule, &case.before) } else { case.after.clone() };
        let results = self.run(path, case);
        if results == expected {
            return None;
        }
        if !self.update {
            let name = self.language.name();
            let remedy =
                format!("in `{name}` it differs; a test of `{name}` with the same title may say how");
            self.differs(path, case, &results, &remedy);
        }
        Some(Case { after: results, ..case.clone() })
    }
}

fn check(name: &str) {
    let language = Registry::built_in().get(name).expect("a built-in language");
    let update = std::env::var_os("UPDATE_RULE_TESTS").is_some();
    let mut check = Check { language, update, wrong: String::new(), tested: BTreeSet::new() };
    let mut own: BTreeMap<PathBuf, Vec<Case>> =
        files(name).into_iter().map(|path| (path.clone(), read(&path))).collect();
    let mut inherited = inherited(name);
    for (path, cases) in &mut own {
        for case in cases {
            let results = check.run(path, case);
            if results != case.after && !update {
                check.differs(path, case, &results, "");
            }
            case.after = results;
            let of_base = inherited.iter().position(|(.., other)| other.title() == case.title());
            let of_base = of_base.map(|at| inherited.remove(at).2);
            if of_base.as_ref() == Some(case) {
                check.report(path, case, "is the test that it is to take the place of: leave it out");
            }
            if case.after.is_empty() && of_base.is_none() {
                check.report(path, case, "shows no result");
            }
        }
    }
    let rules: BTreeSet<String> =
        language.rules().iter().flat_map(|file| file.names()).map(str::to_owned).collect();
    for (path, base, case) in inherited {
        if !rules.contains(&case.rule) && by_name(&case.rule).is_none() {
            continue;
        }
        if let Some(case) = check.inherited(&path, base, &case) {
            let file = folder(name).join(path.file_name().expect("a file"));
            own.entry(file).or_default().push(case);
        }
    }
    if update {
        for (path, cases) in own {
            let text: String = cases.iter().map(Case::text).collect();
            std::fs::write(&path, format!("{}\n", text.trim_end())).expect("a writable file");
        }
    }
    let untested: Vec<_> = rules.difference(&check.tested).collect();
    let unknown: Vec<_> = check.tested.difference(&rules).filter(|name| by_name(name).is_none()).collect();
    assert!(
        untested.is_empty() && unknown.is_empty(),
        "without a test: {untested:?}; no such rule: {unknown:?}"
    );
    assert!(check.wrong.is_empty(), "{}", check.wrong);
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
