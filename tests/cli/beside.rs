//! Commands in addition to the test: conditions that must hold, the order in which they run, and a metric
//! that must not grow.

use crate::sandbox::{Finished, Sandbox};
use crate::tools;

/// An input with a word that the oracle needs, and another one that the condition needs.
const INPUT: &str = "one\nneedle\ntwo\nthread\nthree\nfour\n";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", INPUT);
    sandbox.oracle("oracle.sh", "grep -q needle \"$1\"");
    sandbox
}

#[track_caller]
fn ends(run: &Finished, code: i32, texts: &[&str]) {
    assert_eq!(run.code(), code, "{run:?}");
    for text in texts {
        assert!(run.stderr.contains(text), "{text}: {run:?}");
    }
}

#[apply(test)]
fn a_candidate_is_accepted_only_if_the_conditions_also_hold() {
    let sandbox = sandbox();
    let also = ["--also", "grep -q thread {}", "--also", "grep -q t.*r.*e.*e"];
    for jobs in ["-j1", "-j3"] {
        let run = sandbox.nubbin(&[&also[..], &[jobs, "./oracle.sh", "bug.txt"]].concat());
        ends(&run, 0, &["1-minimal"]);
        assert_eq!(sandbox.read("bug.reduced.txt"), "needlethreade", "{run:?}");
    }
}

#[apply(test)]
fn a_condition_that_fails_on_the_input_is_reported() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["--also", "sh -c 'echo not so; exit 3' {}", "./oracle.sh", "bug.txt"]);
    ends(&run, 3, &["must succeed, but exited with status 3", "| not so", "hint: "]);
    assert!(!sandbox.has("bug.reduced.txt"));
    let run = sandbox.nubbin(&["--also", "", "./oracle.sh", "bug.txt"]);
    ends(&run, 2, &["the command of `--also` is empty"]);
    let run = sandbox.nubbin(&["--also", "no-such-program {}", "./oracle.sh", "bug.txt"]);
    ends(&run, 5, &["no-such-program"]);
}

#[apply(test)]
fn the_command_that_rejects_most_often_runs_first() {
    let sandbox = Sandbox::new();
    let lines: Vec<String> = (0..40).map(|number| format!("line {number}\n")).collect();
    sandbox.file("bug.txt", lines.concat());
    // The oracle is slow and accepts nearly everything; the condition needs every second line.
    let log = sandbox.path("log");
    sandbox.oracle("oracle.sh", &format!("echo test >>'{}'; sleep 0.05; test -s \"$1\"", log.display()));
    let wanted = format!(
        "echo condition >>'{}'\nawk '$2 % 2 == 0 {{ n++ }} END {{ exit n != 20 }}' \"$1\"\n",
        log.display()
    );
    sandbox.file("condition.sh", wanted);
    let run =
        sandbox.nubbin(&["-j1", "--unit", "line", "--also", "sh condition.sh {}", "./oracle.sh", "bug.txt"]);
    ends(&run, 0, &["1-minimal over 20 lines"]);
    let log = sandbox.read("log");
    // The last run confirms the result.
    let last: Vec<&str> = log.lines().rev().skip(1).take(20).collect();
    assert_eq!(last, ["condition"; 20], "{log}");
}

#[apply(test)]
fn a_result_stays_valid_for_the_checker_of_its_language() {
    let sandbox = Sandbox::new();
    sandbox.file("bad.json", "{\"a\": [1, \"needle\"}\n");
    sandbox.file("bug.json", "{\"a\": [1, \"needle\"]}\n");
    let run = sandbox.nubbin(&["--valid", "grep -q needle", "bug.json"]);
    ends(&run, 0, &[]);
    assert_eq!(sandbox.read("bug.reduced.json").trim_end(), "\"needle\"", "{run:?}");
    let run = sandbox.nubbin(&["--valid", "grep -q needle", "bad.json"]);
    ends(&run, 3, &["json.tool", "must succeed, but"]);
    sandbox.file("bug.log", "needle\n");
    let run = sandbox.nubbin(&["--valid", "grep -q needle", "bug.log"]);
    ends(&run, 2, &["`--valid` needs one input in a supported language", "--also 'COMMAND {}'"]);
    sandbox.file("bug.css", "needle {}\n");
    let run = sandbox.nubbin(&["--valid", "grep -q needle", "bug.css"]);
    ends(&run, 2, &["no command is known that checks the validity of CSS"]);
}

#[apply(test)]
fn c_stays_valid_for_the_compiler() {
    tools::program("gcc");
    let sandbox = Sandbox::new();
    sandbox
        .file("bug.c", "int f(int a) { return a; }\nint main(void) { int needle = f(3); return needle; }\n");
    let run = sandbox.nubbin(&["--valid", "grep -q needle", "bug.c"]);
    ends(&run, 0, &["1-minimal"]);
    assert_eq!(sandbox.read("bug.reduced.c").split_whitespace().collect::<Vec<_>>(), ["needle;"], "{run:?}");
}

/// A metric that grows with each guard that is removed.
const MEASURE: &str = "sh -c 'expr 100 - $(grep -c guard \"$1\")' x {}";

#[apply(test)]
fn no_step_increases_a_metric_with_any_number_of_jobs_or_after_a_stop() {
    let sandbox = Sandbox::new();
    let lines: Vec<String> = (0..30)
        .map(|number| format!("line {number}{}\n", if number % 7 == 3 { " guard" } else { "" }))
        .collect();
    sandbox.file("bug.txt", lines.concat());
    sandbox.oracle("oracle.sh", "grep -q 12 \"$1\"");
    let typed = ["--metric", MEASURE, "./oracle.sh", "bug.txt"];
    let mut results = Vec::new();
    for jobs in ["-j1", "-j4"] {
        let run = sandbox.nubbin(&[&[jobs, "--no-journal"][..], &typed].concat());
        ends(&run, 0, &["metric     96 → 96 by `sh -c"]);
        results.push(sandbox.read("bug.reduced.txt"));
    }
    assert_eq!(results[0].matches("guard").count(), 4, "{}", results[0]);
    let run = sandbox.nubbin(&[&["-j2", "--max-candidates", "9"][..], &typed].concat());
    ends(&run, 0, &["stopped: --max-candidates 9"]);
    let run = sandbox.nubbin(&[&["-j2", "--resume"][..], &typed].concat());
    ends(&run, 0, &["1-minimal", "from the journal"]);
    results.push(sandbox.read("bug.reduced.txt"));
    assert!(results.iter().all(|result| *result == results[0]), "{results:?}");
}

#[apply(test)]
fn a_metric_that_decreases_is_reported() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["--json", "--metric", "sh -c 'grep -c . \"$1\"' x", "./oracle.sh", "bug.txt"]);
    assert_eq!(run.code(), 0, "{run:?}");
    let summary: serde_json::Value = serde_json::from_str(&run.stdout).expect("an object");
    let measure = &summary["measure"];
    assert_eq!((&measure["before"], &measure["after"]), (&6.0.into(), &1.0.into()));
    let run = sandbox.nubbin(&["--metric", "echo nothing", "./oracle.sh", "bug.txt"]);
    ends(&run, 3, &["printed no number", "the last number on its standard output is used"]);
}

#[apply(test)]
fn published_searches_refuse_additional_commands() {
    let sandbox = sandbox();
    for option in [&["--also", "true"][..], &["--valid"], &["--metric", "echo 1"]] {
        let typed = [option, &["--search", "ddmin", "--unit", "line", "./oracle.sh", "bug.txt"]].concat();
        ends(&sandbox.nubbin(&typed), 2, &[&format!("cannot be combined with `{}`", option[0])]);
    }
}
