//! Every case of the corpus, with the real program and the real tools, within its budget.
//!
//! A case whose tool is not on this machine is reported as skipped, by name.

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
    /// A shell command that succeeds where the case can run.
    requires: String,
    origin: String,
    /// At most so many tokens may be left.
    tokens: usize,
    /// After at most so many probes.
    probes: usize,
}

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

/// The number after `word` in the summary.
fn number(output: &Output, word: &str) -> usize {
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = text.lines().find_map(|line| line.strip_prefix(word));
    let line = line.unwrap_or_else(|| panic!("no `{word}` in\n{text}"));
    let digits =
        line.trim_start().chars().take_while(|c| c.is_ascii_digit() || *c == ',').filter(|&c| c != ',');
    digits.collect::<String>().parse().expect("a number")
}

fn check(name: &str) {
    let (case, oracle, input) = load(name);
    let can_run = Command::new("sh").args(["-c", &case.requires]).output().is_ok_and(|o| o.status.success());
    if !can_run || !passes(&oracle, &input) {
        eprintln!("skipped: {name}: {} is not here, or does not fail in this version", case.tool);
        return;
    }
    let work = tempfile::tempdir().expect("a temporary directory");
    let result = work.path().join("result").with_extension(input.extension().expect("inputs have endings"));
    let output = Command::new(env!("CARGO_BIN_EXE_nubbin"))
        .arg("--output")
        .args([&result, &oracle, &input])
        .args(["--no-config", "--no-formatter", "--no-preprocessor"])
        .stdin(Stdio::null())
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(passes(&oracle, &result), "{name}: the result is not interesting");
    let tokens = nubbin::edit::count_tokens(&std::fs::read(&result).expect("a result"));
    let probes = number(&output, "probes");
    let shown = format!("{name}: {tokens} tokens after {probes} probes ({}; {})", case.title, case.origin);
    println!("{shown}");
    assert!(tokens <= case.tokens, "{shown}; at most {} tokens", case.tokens);
    assert!(probes <= case.probes, "{shown}; at most {} probes", case.probes);
    let known = nubbin::Registry::built_in().get(&case.language).is_some();
    assert_eq!(known, case.language != "text", "{name}: no such language: {}", case.language);
}

#[test]
fn a_case_ends_in_the_same_bytes_at_every_number_of_jobs() {
    for name in ["json-infinity", "log-lost-worker", "python-unparse-with"] {
        let (_, oracle, input) = load(name);
        if !passes(&oracle, &input) {
            eprintln!("skipped: {name}: its tool is not here, or does not fail in this version");
            continue;
        }
        let run = |jobs: &str| {
            let output = Command::new(env!("CARGO_BIN_EXE_nubbin"))
                .args(["--jobs", jobs, "--output", "-", "--no-config", "--no-formatter", "--no-preprocessor"])
                .args([&oracle, &input])
                .stdin(Stdio::null())
                .output()
                .expect("the program runs");
            (output.stdout.clone(), number(&output, "probes"))
        };
        let alone = run("1");
        assert!(!alone.0.is_empty());
        for jobs in ["2", "3", "8", "16"] {
            assert_eq!(alone, run(jobs), "{name} at {jobs} jobs");
        }
    }
}

macro_rules! cases {
    ($($test:ident: $name:literal;)*) => {
        $(
            #[test]
            fn $test() {
                check($name);
            }
        )*

        #[test]
        fn every_case_of_the_corpus_is_run() {
            let mut names: Vec<String> = std::fs::read_dir(folder())
                .expect("a readable folder")
                .map(|entry| entry.expect("an entry").path())
                .filter(|path| path.is_dir())
                .map(|path| path.file_name().expect("a name").to_string_lossy().into_owned())
                .collect();
            names.sort();
            assert_eq!(names, [$($name),*]);
        }
    };
}

cases! {
    gcc_crashes_on_structs_of_variable_size: "c-conditional-vla";
    gcc_crashes_behind_macros_that_hide_braces: "c-macro-blocks";
    gcc_crashes_on_a_nested_function: "c-nested-function";
    gcc_crashes_on_a_vector_division: "c-vector-division";
    gxx_crashes_on_an_alias_for_a_lambda: "cpp-lambda-alias";
    a_property_is_declared_twice: "css-declared-twice";
    html_parser_gives_up_on_a_marked_section: "html-marked-section";
    a_script_of_a_page_throws: "html-script-throws";
    html_parser_misses_the_end_of_a_script: "html-unclosed-script";
    node_cannot_clone_a_function: "js-structured-clone";
    json_writes_infinity: "json-infinity";
    a_worker_is_lost_in_a_log: "log-lost-worker";
    lib2to3_rejects_a_decorator: "python-lib2to3-decorator";
    unparse_loses_parentheses: "python-unparse-with";
}
