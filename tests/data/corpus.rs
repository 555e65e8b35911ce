//! Every case of the corpus, with the real program and the real tools, within its budget.
//!
//! A case whose tool is not installed is ignored, with the name of the tool.

use crate::harness::{ignore, trial};
use crate::tell;
use libtest_mimic::Trial;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// `case.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    title: String,
    language: String,
    tool: String,
    /// A shell command that succeeds if the case can run.
    requires: String,
    origin: String,
    /// The maximum number of remaining tokens.
    tokens: usize,
    /// The maximum number of probes.
    probes: usize,
}

/// The time limit of a probe in seconds: no candidate of the corpus runs forever, and a busy machine must not
/// interrupt any.
const LIMIT: &str = "120";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

fn load(name: &str) -> (Case, PathBuf, PathBuf) {
    let folder = folder().join(name);
    let text = std::fs::read_to_string(folder.join("case.toml")).expect("every case has a `case.toml`");
    let case: Case = toml::from_str(&text).expect("a valid `case.toml`");
    let inputs =
        std::fs::read_dir(&folder).expect("a readable folder").map(|entry| entry.expect("an entry").path());
    let input = inputs.into_iter().find(|path| path.file_stem().is_some_and(|stem| stem == "input"));
    (case, folder.join("oracle"), input.expect("every case has an input"))
}

fn passes(oracle: &Path, candidate: &Path) -> bool {
    let status =
        Command::new(oracle).arg(candidate).stdin(Stdio::null()).output().expect("the oracle runs").status;
    status.success()
}

/// Returns the number after `word` in the summary.
fn number(output: &Output, word: &str) -> usize {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = text.lines().find_map(|line| line.strip_prefix(word));
    let line = line.unwrap_or_else(|| panic!("no `{word}` in\n{text}"));
    let digits =
        line.trim_start().chars().take_while(|c| c.is_ascii_digit() || *c == ',').filter(|&c| c != ',');
    digits.collect::<String>().parse().expect("a number")
}

/// Returns the tests: each case within its budget, and some with several numbers of jobs.
pub fn tests() -> Vec<Trial> {
    let entries =
        std::fs::read_dir(folder()).expect("a readable folder").map(|entry| entry.expect("an entry"));
    let cases = entries.filter(|entry| entry.path().is_dir());
    let names: Vec<String> =
        cases.map(|case| case.file_name().into_string().expect("a name in ASCII")).collect();
    assert!(SAME_AT_ALL_JOBS.iter().all(|name| names.iter().any(|known| known == name)), "{names:?}");
    let jobs = SAME_AT_ALL_JOBS.map(|name| {
        trial(format!("corpus::{name}::same_bytes_at_every_number_of_jobs"), || is_same_at_all_jobs(name))
    });
    names.into_iter().map(|name| trial(format!("corpus::{name}"), move || check(&name))).chain(jobs).collect()
}

const SAME_AT_ALL_JOBS: [&str; 3] = ["json-infinity", "log-lost-worker", "python-unparse-with"];

/// Ignores the test if the case cannot run.
fn needs(case: &Case, oracle: &Path, input: &Path) {
    let can_run = Command::new("sh").args(["-c", &case.requires]).output().is_ok_and(|o| o.status.success());
    if !can_run || !passes(oracle, input) {
        ignore(format!("needs {}, in a version that fails", case.tool));
    }
}

fn check(name: &str) {
    let (case, oracle, input) = load(name);
    needs(&case, &oracle, &input);
    let work = tempfile::tempdir().expect("a temporary directory");
    let result = work.path().join("result").with_extension(input.extension().expect("inputs have endings"));
    let output = Command::new(env!("CARGO_BIN_EXE_nubbin"))
        .arg("--output")
        .args([&result, &oracle, &input])
        // The tests themselves run in parallel.
        .args([
            "--jobs",
            "1",
            "--no-config",
            "--formatter",
            "none",
            "--preprocessor",
            "none",
            "--timeout",
            LIMIT,
        ])
        .stdin(Stdio::null())
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(passes(&oracle, &result), "{name}: the result is not interesting");
    let tokens = nubbin::edit::count_tokens(&std::fs::read(&result).expect("a result"));
    let probes = number(&output, "candidates");
    let shown = format!("{name}: {tokens} tokens after {probes} probes ({}; {})", case.title, case.origin);
    tell(&shown);
    assert!(tokens <= case.tokens, "{shown}; at most {} tokens", case.tokens);
    assert!(probes <= case.probes, "{shown}; at most {} probes", case.probes);
    let known = nubbin::Registry::built_in().get(&case.language).is_some();
    assert_eq!(known, case.language != "text", "{name}: no such language: {}", case.language);
}

fn is_same_at_all_jobs(name: &str) {
    let (case, oracle, input) = load(name);
    needs(&case, &oracle, &input);
    let run = |jobs: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_nubbin"))
            .args([
                "--jobs",
                jobs,
                "--output",
                "-",
                "--no-config",
                "--formatter",
                "none",
                "--preprocessor",
                "none",
            ])
            .args(["--timeout", LIMIT])
            .args([&oracle, &input])
            .stdin(Stdio::null())
            .output()
            .expect("the program runs");
        (output.stdout.clone(), number(&output, "candidates"))
    };
    let alone = run("1");
    assert!(!alone.0.is_empty());
    for jobs in ["2", "16"] {
        assert_eq!(alone, run(jobs), "{name} at {jobs} jobs");
    }
}
