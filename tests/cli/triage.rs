//! Directories of failing files: one small file for each bug.

use crate::sandbox::{Finished, Sandbox};
use rustix::process::Signal;
use serde_json::Value;
use std::fs;

/// A compiler that crashes in several ways: on lines with a Greek letter, and on `beta` elsewhere if there is
/// no guard.
const COMPILER: &str = r#"
ice() { echo "$1:1:2: internal compiler error: in $2, at $3" >&2; exit 4; }
if grep -q '^error' "$1"; then echo "$1:1:1: error: expected a letter" >&2; exit 1; fi
if grep -q '^segv' "$1"; then kill -SEGV $$; fi
if grep -q '^alpha' "$1"; then ice "$1" fold_alpha fold.cc:10; fi
if grep -q '^delta' "$1"; then ice "$1" fold_alpha fold.cc:90; fi
if grep -q '^beta' "$1"; then
  if grep -q '^guard' "$1"; then ice "$1" expand_beta expr.cc:20; fi
  if grep -q '^beta other' "$1"; then ice "$1" emit_gamma emit.cc:30; fi
fi
exit 0"#;

fn sandbox(files: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.oracle("cc", COMPILER);
    fs::create_dir(sandbox.path("crashes")).unwrap();
    for (name, text) in files {
        sandbox.file(format!("crashes/{name}"), text);
    }
    sandbox
}

/// Returns this number of lines that no failure needs.
fn lines(count: usize) -> String {
    (0..count).fold(String::new(), |text, n| text + &format!("line {n}\n"))
}

/// Runs a triage of the directory with one job.
fn triage(sandbox: &Sandbox, more: &[&str]) -> Finished {
    sandbox.nubbin(&[&["triage", "-j1"], more, &["crashes", "--", "./cc", "{}"]].concat())
}

fn state(sandbox: &Sandbox) -> Value {
    serde_json::from_str(&sandbox.read("crashes.bugs/triage.json")).unwrap()
}

/// Returns the distinct bugs: titles, states, and small files.
fn bugs(sandbox: &Sandbox) -> Vec<(String, String, String)> {
    let state = state(sandbox);
    let own = state["bugs"].as_array().unwrap().iter().filter(|bug| bug["state"].get("merged").is_none());
    own.map(|bug| {
        let folder = sandbox.path("crashes.bugs").join(bug["folder"].as_str().unwrap());
        let small = fs::read_to_string(folder.join(bug["name"].as_str().unwrap_or("-"))).unwrap_or_default();
        let state = &bug["state"];
        let state = state.as_str().unwrap_or_else(|| state.as_object().unwrap().keys().next().unwrap());
        (bug["title"].as_str().unwrap().to_owned(), state.to_owned(), small)
    })
    .collect()
}

fn bug(title: &str, state: &str, small: &str) -> (String, String, String) {
    (title.to_owned(), state.to_owned(), small.to_owned())
}

const ALPHA: &str = "gcc ICE: in fold_alpha, at fold.cc:10";

#[apply(test)]
fn each_bug_gets_a_small_file_and_a_report() {
    let sandbox = sandbox(&[
        ("a.txt", "one\ntwo\nalpha x\nthree\n"),
        ("b.txt", "four\nalpha y\nfive\nsix\nseven\neight\n"),
        ("c.txt", "nine\ndelta\nten\n"),
        ("d.txt", "error\n"),
        ("e.txt", "fine\n"),
        ("same.txt", "one\ntwo\nalpha x\nthree\n"),
    ]);
    let run = triage(&sandbox, &[]);
    assert_eq!(run.code(), 0, "{run:?}");
    let delta = "gcc ICE: in fold_alpha, at fold.cc:90";
    // Both crash in one function, at two places.
    assert_eq!(bugs(&sandbox), [bug(ALPHA, "small", "alpha"), bug(delta, "small", "delta")]);
    let head = "6 files: 4 show 2 bugs, 1 get an ordinary error, 1 pass\n";
    assert!(run.stderr.contains(head), "{run:?}");
    let found = state(&sandbox);
    // The bug reports need a few more.
    assert_eq!((&found["runs"], &found["shared_runs"]), (&Value::from(42), &Value::from(5)));
    assert_eq!(found["files"][5]["same_as"], "a.txt");
    let folder = found["bugs"][0]["folder"].as_str().unwrap();
    assert_eq!(folder, "001-gcc-ice-in-fold-alpha-at-fold-cc-10");
    let read = |name: &str| sandbox.read(format!("crashes.bugs/{folder}/{name}"));
    assert_eq!(read("members.txt"), "crashes/a.txt\ncrashes/b.txt\n");
    assert_eq!(read("original/bug.txt"), "one\ntwo\nalpha x\nthree\n");
    assert!(read("report.md").contains("internal compiler error: in fold_alpha"));
    assert!(read("run.html").contains("<svg"));
    let again = sandbox.run("sh", &[format!("crashes.bugs/{folder}/repeat.sh")]);
    assert!(again.stdout.contains("status 4") && again.stderr.contains("fold.cc:10"), "{again:?}");
    let page = sandbox.read("crashes.bugs/index.html");
    assert!(page.contains(delta) && page.contains("crashes") && page.contains("<svg"), "{page}");
}

#[apply(test)]
fn a_failure_found_during_a_reduction_is_also_a_bug() {
    let files = [("a.txt", "one\nguard\nbeta other\n")];
    let sandbox = sandbox(&files);
    let run = triage(&sandbox, &[]);
    let (beta, gamma) = ("gcc ICE: in expand_beta, at expr.cc:20", "gcc ICE: in emit_gamma, at emit.cc:30");
    let found = bugs(&sandbox);
    assert_eq!(found[0], bug(beta, "small", "guard\nbeta"), "{run:?}");
    assert_eq!(found[1], bug(gamma, "small", "beta other"), "{run:?}");
    assert_eq!((found.len(), &state(&sandbox)["bugs"][1]["found"]), (2, &Value::from(1)));
    let without = self::sandbox(&files);
    triage(&without, &["--no-others"]);
    assert_eq!(bugs(&without), [bug(beta, "small", "guard\nbeta")]);
}

#[apply(test)]
fn a_second_triage_runs_new_files_only() {
    let sandbox = sandbox(&[("a.txt", "one\nalpha\n")]);
    triage(&sandbox, &[]);
    let calls = sandbox.calls();
    assert_eq!(triage(&sandbox, &[]).code(), 0);
    assert_eq!(sandbox.calls(), calls, "nothing is left to do");
    sandbox.file("crashes/b.txt", "two\nalpha\n");
    triage(&sandbox, &[]);
    assert_eq!(sandbox.calls(), calls + 1, "the new file shows a bug that is known");
    assert_eq!(state(&sandbox)["bugs"][0]["members"].as_array().unwrap().len(), 2);
    sandbox.file("crashes/c.txt", "two\ndelta\n");
    triage(&sandbox, &[]);
    assert_eq!(bugs(&sandbox).len(), 2);
}

#[apply(test)]
fn a_killed_triage_is_resumed_without_repeating_a_run() {
    let text = lines(40);
    let files = [("a.txt", &*format!("{text}alpha\n")), ("b.txt", &*format!("delta\n{text}{text}"))];
    let whole = sandbox(&files);
    triage(&whole, &["--no-others"]);
    let killed = sandbox(&files);
    let words = ["triage", "-j1", "--no-others", "crashes", "--", "./cc", "{}"];
    for calls in [8, 20, 35] {
        let mut running = killed.start_nubbin(&words);
        running.wait_until(|sandbox| sandbox.calls() >= calls || sandbox.has("done"));
        running.child.kill().unwrap();
        running.child.wait().unwrap();
    }
    let run = triage(&killed, &["--no-others"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(bugs(&killed), bugs(&whole));
    assert_eq!(bugs(&killed)[0].2, "alpha");
}

#[apply(test)]
fn a_stop_keeps_the_results_and_the_same_command_resumes() {
    let text = lines(60);
    let sandbox = sandbox(&[("a.txt", &*format!("{text}alpha\n{text}"))]);
    let mut running = sandbox.start_nubbin(&["triage", "-j1", "crashes", "--", "./cc", "{}"]);
    running.wait_until(|sandbox| sandbox.calls() >= 9);
    running.signal(Signal::INT);
    let stopped = running.wait();
    // It may have completed by then.
    assert!(stopped.signal() == Some(2) || stopped.code() == 0, "{stopped:?}");
    assert!(sandbox.has("crashes.bugs/triage.json"), "{stopped:?}");
    triage(&sandbox, &[]);
    assert_eq!(bugs(&sandbox), [bug(ALPHA, "small", "alpha")]);
}

#[apply(test)]
fn new_files_are_added_while_watching() {
    let sandbox = sandbox(&[("a.txt", "one\nalpha\n")]);
    let mut running = sandbox.start_nubbin(&["triage", "-j1", "--watch", "crashes", "--", "./cc", "{}"]);
    let small = |sandbox: &Sandbox, title: &str| {
        sandbox.has("crashes.bugs/triage.json")
            && bugs(sandbox).iter().any(|(found, state, _)| found == title && state == "small")
    };
    running.wait_until(|sandbox| small(sandbox, ALPHA));
    sandbox.file("crashes/b.txt", "two\ndelta\n");
    running.wait_until(|sandbox| small(sandbox, "gcc ICE: in fold_alpha, at fold.cc:90"));
    running.signal(Signal::INT);
    let run = running.wait();
    assert_eq!(run.signal(), Some(2), "{run:?}");
    assert!(run.stderr.contains("waiting for new files"), "{run:?}");
}

#[apply(test)]
fn files_that_fail_without_a_place_are_reduced_for_comparison() {
    let text = "one\ntwo\n";
    let sandbox = sandbox(&[
        ("a.txt", &*format!("{text}segv\n")),
        ("b.txt", &*format!("segv\nthree\n{text}four\n")),
        ("c.txt", &*format!("{text}segv\nseven\neight\nnine\nten\n")),
        ("d.txt", &*format!("{text}segv\nseven\neight\nnine\neleven\n")),
    ]);
    let run = triage(&sandbox, &[]);
    assert_eq!(bugs(&sandbox), [bug("was killed by SIGSEGV", "small", "segv")], "{run:?}");
    let found = state(&sandbox);
    assert_eq!(found["bugs"].as_array().unwrap().len(), 3, "two more were reduced, and came to the same");
    assert_eq!(found["bugs"][0]["members"].as_array().unwrap().len(), 4);
    // Here one signal covers two bugs.
    let sandbox = self::sandbox(&[
        ("a.txt", "one\nsegv\n"),
        ("b.txt", "two\nthree\nabrt\n"),
        ("c.txt", "segv\ntwo\nsix\n"),
    ]);
    sandbox.oracle("cc", "if grep -q '^segv' \"$1\" || grep -q '^abrt' \"$1\"; then kill -SEGV $$; fi");
    triage(&sandbox, &[]);
    let mut small: Vec<String> = bugs(&sandbox).into_iter().map(|(_, _, small)| small).collect();
    small.sort();
    assert_eq!(small, ["abrt", "segv"]);
}

#[apply(test)]
fn a_file_that_does_not_fail_again_is_replaced_by_the_next_one() {
    let sandbox = Sandbox::new();
    // The smaller file fails in its first run only.
    sandbox.oracle(
        "cc",
        "ice() { echo \"x:1:2: internal compiler error: in fold, at fold.cc:1\" >&2; exit 4; }\n\
         if grep -q '^once' \"$1\" && test ! -e \"${0%/*}/failed\"; then touch \"${0%/*}/failed\"; ice; fi\n\
         if grep -q '^alpha' \"$1\"; then ice; fi\nexit 0",
    );
    fs::create_dir(sandbox.path("crashes")).unwrap();
    sandbox.file("crashes/a.txt", "once\n");
    // The very first run is made in the original directory, and is followed immediately by another one.
    sandbox.file("crashes/0.txt", "-\n");
    sandbox.file("crashes/b.txt", "one\nalpha\ntwo\n");
    let run = triage(&sandbox, &[]);
    assert_eq!(bugs(&sandbox), [bug("gcc ICE: in fold, at fold.cc:1", "small", "alpha")], "{run:?}");
    let found = state(&sandbox);
    let members = found["bugs"][0]["members"].as_array().unwrap();
    let once = members.iter().find(|member| member["path"] == "a.txt").unwrap();
    assert!(once["failed"].is_string(), "{members:?}");
    fs::remove_file(sandbox.path("failed")).unwrap();
    fs::remove_file(sandbox.path("crashes/b.txt")).unwrap();
    let run = triage(&sandbox, &["-o", "alone"]);
    assert!(run.stderr.contains("not reproducible: gcc ICE: in fold, at fold.cc:1"), "{run:?}");
}

#[apply(test)]
fn a_limit_ends_a_bug_and_a_larger_one_continues_it() {
    let text = lines(40);
    let sandbox = sandbox(&[
        ("a.txt", &*format!("{text}alpha\n{text}")),
        ("b.txt", &*format!("{text}{text}{text}delta\n")),
    ]);
    let run = triage(&sandbox, &["--no-others", "--max-candidates", "6"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(run.stderr.matches("stopped by --max-candidates 6").count() >= 2, "{run:?}");
    assert!(state(&sandbox)["bugs"].as_array().unwrap().iter().all(|bug| bug["probes"] == 6));
    triage(&sandbox, &["--no-others"]);
    let small: Vec<String> = bugs(&sandbox).into_iter().map(|(_, _, small)| small).collect();
    assert_eq!(small, ["alpha", "delta"]);
}

#[apply(test)]
fn the_small_files_are_the_same_with_any_number_of_jobs() {
    let text = lines(30);
    let alpha = format!("{text}alpha\n");
    let (beta, delta) = (format!("guard\n{text}beta other\n"), format!("{text}delta\n"));
    let files = [("a.txt", &*alpha), ("b.txt", &*beta), ("c.txt", &*delta), ("sub.txt", "segv\nx\n")];
    let one = sandbox(&files);
    triage(&one, &[]);
    let many = sandbox(&files);
    let run = many.nubbin(&["triage", "-j4", "crashes", "--", "./cc", "{}"]);
    assert_eq!(run.code(), 0, "{run:?}");
    let all = |sandbox: &Sandbox| {
        let mut all = bugs(sandbox);
        all.sort();
        all
    };
    assert_eq!(all(&many), all(&one));
    assert_eq!(all(&one).len(), 5);
}

#[apply(test)]
fn the_user_can_specify_the_bug() {
    let sandbox = sandbox(&[("a.txt", "one\nalpha\n"), ("b.txt", "one\nerror\n"), ("c.txt", "two\ndelta\n")]);
    triage(&sandbox, &["--stderr", "expected a letter"]);
    let found = bugs(&sandbox);
    assert_eq!((found.len(), &*found[0].2), (1, "error"), "{found:?}");
    assert_eq!(state(&sandbox)["files"][0]["sort"], "other");
    let run = triage(&sandbox, &["--errors-too", "-o", "all"]);
    assert!(run.stderr.contains("3 files: 3 show 3 bugs\n"), "{run:?}");
}

#[apply(test)]
fn subdirectories_are_included_but_not_hidden_files_and_bugs() {
    let sandbox = sandbox(&[("a.txt", "one\nalpha\n"), (".hidden", "delta")]);
    fs::create_dir(sandbox.path("crashes/below")).unwrap();
    sandbox.file("crashes/below/a.txt", "two\nalpha\n");
    let run = triage(&sandbox, &["-o", "crashes/bugs"]);
    assert!(run.stderr.contains("note: 1 hidden file skipped\n"), "{run:?}");
    assert!(run.stderr.contains("2 files: 2 show 1 bug\n"), "{run:?}");
    let run = triage(&sandbox, &["-o", "crashes/bugs"]);
    assert!(run.stderr.contains("2 files: 2 show 1 bug\n"), "{run:?}");
    let members = sandbox.read("crashes/bugs/001-gcc-ice-in-fold-alpha-at-fold-cc-10/members.txt");
    assert_eq!(members, "crashes/a.txt\ncrashes/below/a.txt\n");
}

#[apply(test)]
fn invalid_usage_is_reported_with_a_hint() {
    let sandbox = sandbox(&[]);
    let told = |words: &[&str], code: i32, texts: &[&str]| {
        let run = sandbox.nubbin(&[&["triage"], words].concat());
        assert_eq!(run.code(), code, "{run:?}");
        assert!(texts.iter().all(|text| run.stderr.contains(text)), "{texts:?}: {run:?}");
    };
    told(&["crashes", "--", "./cc", "{}"], 7, &["`crashes` contains no files", "--watch"]);
    told(&["nowhere", "--", "./cc", "{}"], 7, &["directory `nowhere` does not exist"]);
    told(&["-j0", "crashes", "--", "./cc", "{}"], 2, &["`--jobs 0` is only possible with a cluster"]);
    told(&["crashes"], 2, &["the command is missing", "nubbin triage DIR -- COMMAND {}"]);
    told(&["-o", "crashes", "crashes", "--", "./cc", "{}"], 2, &["is the input directory"]);
    sandbox.file("crashes/fine.txt", [0xff, b'\n']);
    told(
        &["crashes", "--", "./cc", "{}"],
        3,
        &["no file in `crashes` shows a bug: 1 pass", "--stderr REGEX"],
    );
    sandbox.file("crashes/a.txt", "alpha");
    fs::create_dir(sandbox.path("mine")).unwrap();
    sandbox.file("mine/notes", "x");
    told(
        &["-o", "mine", "crashes", "--", "./cc", "{}"],
        8,
        &["`mine` already exists and is not the folder of a triage"],
    );
    told(&["crashes", "--", "./cc", "{}"], 0, &["1 show 1 bug"]);
    sandbox.oracle("other", COMPILER);
    told(&["crashes", "--", "./other", "{}"], 10, &["cannot be resumed: the test was", "--output DIR"]);
    told(&["crashes/a.txt", "--", "./cc", "{}"], 7, &["is not a directory", "to reduce one file"]);
}

#[apply(test)]
fn the_summary_is_machine_readable_on_request() {
    let sandbox = sandbox(&[("a.txt", "one\nalpha\n")]);
    let run = triage(&sandbox, &["--json", "--quiet"]);
    let found: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&found["bugs"][0]["after"]["tokens"], run.stderr.as_str()), (&Value::from(1), ""));
    assert_eq!(found["form"], 2);
}

#[apply(test)]
fn parts_of_the_files_in_a_message_do_not_create_bugs() {
    // A parser that quotes what it could not read, one that names it without quotes, and one that has two
    // faults.
    for (said, place, count) in [
        ("cannot read '$first' here", "7", 1),
        ("unexpected word $first", "7", 1),
        ("cannot read \\\"$first\\\" here", "$((7 + $(wc -l <\"$1\") / 9))", 2),
    ] {
        let files: Vec<(String, String)> = (0..6)
            .map(|n| {
                let first = ["lamp", "chair's", "it is 12", "[a, b]", "green table", "x"][n];
                (format!("{n}.txt"), format!("{first}\nbad\n{}", lines(if n < 3 { 3 } else { 8 })))
            })
            .collect();
        let files: Vec<(&str, &str)> =
            files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let sandbox = sandbox(&files);
        let tool = format!(
            "grep -q bad \"$1\" || exit 0\nfirst=$(head -n 1 \"$1\")\necho 'Traceback (most recent call last):' >&2\n\
             echo \"  File \\\"/opt/parser.py\\\", line {place}, in read\" >&2\necho \"ValueError: {said}\" >&2\nexit 1"
        );
        sandbox.oracle("cc", &tool);
        let run = triage(&sandbox, &["--no-others"]);
        assert_eq!(run.code(), 0, "{run:?}");
        let head = format!("6 files: 6 show {count} bug");
        assert!(run.stderr.contains(&head), "{said}: {run:?}");
    }
}
