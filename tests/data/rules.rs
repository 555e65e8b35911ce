//! Every rule of every built-in language produces the results in its before/after files, and these are
//! well-formed.
//!
//! A test can also name a pass (`names.txt`: the passes over names); the results of all its deltas are then
//! listed.
//!
//! A language that builds on another also has the tests of that language, except those of rules that it does
//! not have. Its own test with the same title replaces such a test.
//!
//! With `UPDATE_RULE_TESTS=1` the files are rewritten from the results of the rules; review the diff.

use crate::harness::trial;
use libtest_mimic::Trial;
use nubbin::edit::{Patch, Seam};
use nubbin::pass::{CandidateFilter, Pass, Snapshot, by_name, rewritings};
use nubbin::syntax::{Parsed, Parser};
use nubbin::{Language, Registry};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A test: a rule, what it shows, the text before, and every result.
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
    let entries = std::fs::read_dir(folder(language)).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
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

/// Returns all results of a rule, ordered by the position of the first edit.
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

/// Returns the results of the deltas of a pass over names, except those that are not probed.
fn results_of_pass(language: &Language, pass: &Pass, snapshot: &Snapshot<'_>) -> Vec<String> {
    let proposal = pass.propose(snapshot);
    let errors = snapshot.layers[0].parsed.errors();
    let apply = |delta| {
        let patch = Patch::new(proposal.edits(&|_| false, &[delta]));
        let text = String::from_utf8(patch.apply(&snapshot.source, Seam::Apart)).expect("text stays text");
        format!("{}\n", text.trim_end_matches('\n'))
    };
    let all = (0..proposal.len() as u32).map(apply);
    let is_probed = |text: &String| {
        proposal.filter == CandidateFilter::Nothing || parse(language, text).errors() <= errors
    };
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

/// Returns the tests of the languages on which this one builds, each with its file and language, the nearest
/// first.
fn inherited(name: &str) -> Vec<Inherited> {
    let mut cases: Vec<Inherited> = Vec::new();
    let mut name = name.to_owned();
    let base = |name: &str| {
        let mut manifests = Registry::built_in().manifests();
        manifests.find(|manifest| manifest.name == name).and_then(|manifest| manifest.inherits.clone())
    };
    while let Some(next) = base(&name) {
        let language = Registry::built_in().get(&next).expect("a built-in language");
        for path in files(&next) {
            for case in read(&path) {
                if !cases.iter().any(|known| known.case.title() == case.title()) {
                    cases.push(Inherited { path: path.clone(), language, case });
                }
            }
        }
        name = next;
    }
    cases
}

/// Returns the tests: each text of each language and of the languages on which it builds, and a check that
/// each rule has one.
pub fn tests() -> Vec<Trial> {
    let names: Vec<String> = Registry::built_in().manifests().map(|manifest| manifest.name.clone()).collect();
    if std::env::var_os("UPDATE_RULE_TESTS").is_some() {
        return names
            .into_iter()
            .map(|name| trial(format!("rules::{name}"), move || update(&name)))
            .collect();
    }
    names.into_iter().flat_map(|name| tests_of(&name)).collect()
}

fn tests_of(name: &str) -> Vec<Trial> {
    let suite = Suite::read(name);
    let mut tests = Vec::new();
    let titled = |case: &Case| format!("rules::{name}::{}::{}", case.rule, crate::slug(&case.sentence));
    let tested: BTreeSet<String> = suite.rules();
    for own in suite.own {
        let language = suite.language;
        tests.push(trial(titled(&own.case), move || {
            let (results, wrong) = own.run(language);
            assert!(wrong.is_empty(), "{wrong}");
            assert!(results == own.case.after, "{}", differs(&own.path, &own.case, &results));
        }));
    }
    for Inherited { path, case, .. } in suite.inherited {
        let language = suite.language;
        tests.push(trial(titled(&case), move || {
            let (results, wrong) = run(language, &path, &case);
            assert!(wrong.is_empty(), "{wrong}");
            let remedy = "a test of this language with the same title may say how it differs here";
            assert!(results == case.after, "{}\n{remedy}", differs(&path, &case, &results));
        }));
    }
    let language = suite.language;
    tests.push(trial(format!("rules::{name}::every_rule_has_a_test"), move || has_all(language, &tested)));
    tests
}

/// A test in the files of a language, and the test of a base language that it replaces.
struct Own {
    path: PathBuf,
    case: Case,
    of_base: Option<Case>,
}

/// A test of a language on which this one builds.
struct Inherited {
    path: PathBuf,
    language: &'static Language,
    case: Case,
}

/// The tests of a language.
struct Suite {
    language: &'static Language,
    own: Vec<Own>,
    inherited: Vec<Inherited>,
}

impl Suite {
    fn read(name: &str) -> Self {
        let language = Registry::built_in().get(name).expect("a built-in language");
        let mut inherited = inherited(name);
        let mut own = Vec::new();
        for path in files(name) {
            for case in read(&path) {
                let of_base = inherited.iter().position(|other| other.case.title() == case.title());
                let of_base = of_base.map(|at| inherited.remove(at).case);
                own.push(Own { path: path.clone(), case, of_base });
            }
        }
        if !inherited.is_empty() {
            let rules = names_of_rules(language);
            inherited.retain(|one| rules.contains(&one.case.rule) || by_name(&one.case.rule).is_some());
        }
        Self { language, own, inherited }
    }

    /// Returns the rules that have a test.
    fn rules(&self) -> BTreeSet<String> {
        let own = self.own.iter().map(|own| &own.case);
        own.chain(self.inherited.iter().map(|one| &one.case)).map(|case| case.rule.clone()).collect()
    }
}

fn names_of_rules(language: &Language) -> BTreeSet<String> {
    language.rules().iter().flat_map(|file| file.names()).map(str::to_owned).collect()
}

/// Runs a test. Returns its results, and those that fit the grammar worse than the text before.
fn run(language: &Language, path: &Path, case: &Case) -> (Vec<String>, String) {
    let results = results(language, &case.rule, &case.before);
    let errors = parse(language, &case.before).errors();
    let mut wrong = String::new();
    // For a pass, deltas that are not probed are already excluded.
    for result in results.iter().filter(|_| by_name(&case.rule).is_none()) {
        if parse(language, result).errors() > errors {
            let _ = writeln!(wrong, "{}: {}: more syntax errors in\n{result}", path.display(), case.title());
        }
    }
    (results, wrong)
}

impl Own {
    /// Runs the test as `run` does; a test without results, or with the same results as one of a base
    /// language, is also wrong.
    fn run(&self, language: &Language) -> (Vec<String>, String) {
        let (results, mut wrong) = run(language, &self.path, &self.case);
        let mut report = |message: &str| {
            let _ = writeln!(wrong, "{}: {}: {message}", self.path.display(), self.case.title());
        };
        let now = Case { after: results.clone(), ..self.case.clone() };
        if self.of_base.as_ref() == Some(&now) {
            report("is the test that it is to take the place of: leave it out");
        }
        if results.is_empty() && self.of_base.is_none() {
            report("shows no result");
        }
        (results, wrong)
    }
}

fn differs(path: &Path, case: &Case, results: &[String]) -> String {
    let (expected, got) = (case.after.join("---\n"), results.join("---\n"));
    format!("{}: {}\nexpected\n{expected}\nbut got\n{got}", path.display(), case.title())
}

fn has_all(language: &Language, tested: &BTreeSet<String>) {
    let rules = names_of_rules(language);
    let untested: Vec<_> = rules.difference(tested).collect();
    let unknown: Vec<_> = tested.difference(&rules).filter(|name| by_name(name).is_none()).collect();
    assert!(
        untested.is_empty() && unknown.is_empty(),
        "without a test: {untested:?}; no such rule: {unknown:?}"
    );
}

/// Rewrites the files of a language, and adds the tests of the languages on which it builds if its results
/// differ.
fn update(name: &str) {
    let suite = Suite::read(name);
    let (language, tested) = (suite.language, suite.rules());
    let mut files: BTreeMap<PathBuf, Vec<Case>> = BTreeMap::new();
    let mut all_wrong = String::new();
    for own in suite.own {
        let (after, wrong) = own.run(language);
        all_wrong += &wrong;
        files.entry(own.path).or_default().push(Case { after, ..own.case });
    }
    for Inherited { path, language: base, case } in suite.inherited {
        let (after, wrong) = run(language, &path, &case);
        all_wrong += &wrong;
        if after != results(base, &case.rule, &case.before) {
            let file = folder(name).join(path.file_name().expect("a file"));
            files.entry(file).or_default().push(Case { after, ..case });
        }
    }
    for (path, cases) in files {
        let text: String = cases.iter().map(Case::text).collect();
        std::fs::create_dir_all(folder(name)).expect("a writable folder");
        std::fs::write(&path, format!("{}\n", text.trim_end())).expect("a writable file");
    }
    has_all(language, &tested);
    assert!(all_wrong.is_empty(), "{all_wrong}");
}
