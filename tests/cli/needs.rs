//! What a command needs in addition to its input: files next to it, packages, configuration in parent
//! directories, a home directory; and a failure that is only a status.

use crate::harness::ignore;
use crate::sandbox::{Finished, Sandbox};

/// A tool that crashes on `needle` if it finds its `settings.conf`, and reports an error if it does not. It
/// creates a file, and changes an existing one.
const TOOL: &str = "
test -f settings.conf || { echo 'error: settings.conf: No such file or directory' >&2; exit 1; }
grep -q deep lib/deep/part.conf || { echo 'error: no part' >&2; exit 1; }
echo made >made.out; echo changed >>kept.out
grep -q needle \"$1\" && { echo \"tool: t.c:3: check: Assertion \\`fine' failed.\" >&2; exit 1; }
exit 0";
const INPUT: &str = "one\nneedle\ntwo\nthree\n";
const ONCE: &str = "once in this directory; its changes will be undone";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.path("lib/deep")).expect("directories");
    sandbox.file("settings.conf", "x\n");
    sandbox.file("lib/deep/part.conf", "deep\n");
    sandbox.file("kept.out", "kept\n");
    sandbox.file("bug.txt", INPUT);
    sandbox.oracle("tool.sh", TOOL);
    sandbox
}

#[track_caller]
fn assert_reduced(sandbox: &Sandbox, run: &Finished, file: &str, result: &str) {
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read(file).trim(), result, "{run:?}");
}

/// Requires that this machine reports the files that a run opens, as it did in this run.
fn needs_traces(run: &Finished) {
    if run.stderr.contains("was not run in this directory") {
        ignore("needs a kernel with seccomp notifications");
    }
}

#[apply(test)]
fn files_opened_in_the_original_directory_are_detected_and_unchanged() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["-v", "--unit", "line", "bug.txt", "--", "./tool.sh", "{}"]);
    needs_traces(&run);
    assert_reduced(&sandbox, &run, "bug.reduced.txt", "needle");
    assert!(run.stderr.contains(ONCE), "{run:?}");
    assert!(
        run.stderr.contains("`lib/` and `settings.conf` are seen by the command but not reduced"),
        "{run:?}"
    );
    assert!(!sandbox.has("made.out"), "what it made is gone");
    assert_eq!(sandbox.read("kept.out"), "kept\n");
    assert_eq!(sandbox.read("bug.txt"), INPUT);
}

#[apply(test)]
fn a_resumed_run_sees_the_same_files() {
    let sandbox = sandbox();
    let words = ["--unit", "line", "--max-candidates", "2", "bug.txt", "--", "./tool.sh", "{}"];
    let run = sandbox.nubbin(&words);
    needs_traces(&run);
    let run = sandbox.nubbin(&["-v", "--resume", "--unit", "line", "bug.txt", "--", "./tool.sh", "{}"]);
    assert_reduced(&sandbox, &run, "bug.reduced.txt", "needle");
    assert!(!run.stderr.contains(ONCE), "it need not be found out again: {run:?}");
}

#[apply(test)]
fn a_script_that_passes_in_a_fresh_directory_runs_in_the_original_one() {
    let sandbox = sandbox();
    sandbox.oracle("oracle.sh", "./tool.sh \"$1\" 2>&1 | grep -q Assertion");
    let run = sandbox.nubbin(&["--unit", "line", "./oracle.sh", "bug.txt"]);
    needs_traces(&run);
    assert_reduced(&sandbox, &run, "bug.reduced.txt", "needle");
    for name in ["`lib/`", "`settings.conf`", "`tool.sh`"] {
        assert!(run.stderr.contains(name), "{name}: {run:?}");
    }
    sandbox.oracle("good.sh", "grep -q needle \"$1\"");
    let run = sandbox.nubbin(&["-v", "--unit", "line", "./good.sh", "bug.txt"]);
    assert!(
        !run.stderr.contains(ONCE),
        "a script that needs nothing runs in fresh directories only: {run:?}"
    );
}

#[apply(test)]
fn an_input_keeps_its_directory_and_parent_configuration_is_found() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.path("project/pkg/tests")).expect("directories");
    sandbox.file("project/top.conf", "x\n");
    sandbox.file("project/pkg/beside.conf", "x\n");
    sandbox.file("project/pkg/tests/bug.txt", INPUT);
    sandbox.oracle(
        "tool.sh",
        "test -f ../top.conf || { echo 'error: no top' >&2; exit 1; }; cat ../top.conf beside.conf >/dev/null || exit 1
case $1 in */tests/*|tests/*) ;; *) echo 'error: moved' >&2; exit 1 ;; esac
grep -q needle \"$1\" && { echo 'fatal error: it is here' >&2; exit 1; }; exit 0",
    );
    let run = sandbox.nubbin_in("project/pkg", "--unit line tests/bug.txt -- ../../tool.sh {}");
    needs_traces(&run);
    assert_reduced(&sandbox, &run, "project/pkg/tests/bug.reduced.txt", "needle");
    assert!(run.stderr.contains("`beside.conf` and `../top.conf` are seen"), "{run:?}");
}

#[apply(test)]
fn a_command_that_finds_the_input_itself_does_not_receive_its_path() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.path("src")).expect("a directory");
    sandbox.file("src/bug.txt", INPUT);
    sandbox.oracle(
        "build.sh",
        "test $# = 0 || { echo 'error: unexpected argument' >&2; exit 1; }
grep -q needle src/bug.txt && { echo 'fatal error: it is here' >&2; exit 1; }; exit 0",
    );
    let run = sandbox.nubbin(&["--unit", "line", "src/bug.txt", "--", "./build.sh"]);
    needs_traces(&run);
    assert_reduced(&sandbox, &run, "src/bug.reduced.txt", "needle");
    assert!(!run.stderr.contains("is appended"), "{run:?}");
    sandbox.oracle("build.sh", "grep needle \"$1\" >&2 && exit 1; exit 0");
    let run = sandbox.nubbin(&["--unit", "line", "src/bug.txt", "--", "./build.sh"]);
    assert_reduced(&sandbox, &run, "src/bug.reduced.txt", "needle");
    let note = "note: `./build.sh` does not open the input by itself, so the path of the input is appended: `./build.sh {}`";
    assert!(run.stderr.contains(note), "{run:?}");
}

#[apply(test)]
fn a_file_named_by_the_command_of_a_directory_is_that_of_the_candidate() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.path("project/part")).expect("a directory");
    sandbox.file("project/main.sed", "/start/{\nr part/a.txt\n}\n");
    sandbox.file("project/part/a.txt", INPUT);
    sandbox.oracle(
        "tool.sh",
        "cmp -s \"$1\" \"$PWD/main.sed\" && test \"$1\" = main.sed || exit 0
grep -q needle part/a.txt && grep -q start main.sed && { echo 'fatal error: it is here' >&2; exit 1; }; exit 0",
    );
    let run = sandbox.nubbin_in("project", "-o ../small --unit line . -- ../tool.sh main.sed");
    assert_reduced(&sandbox, &run, "small/part/a.txt", "needle");
    assert_eq!(sandbox.read("small/main.sed").trim(), "/start/{");
}

#[apply(test)]
fn two_failures_are_both_shown_and_nothing_is_reduced() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", INPUT);
    let here = sandbox.path("").display().to_string();
    let here = here.trim_end_matches('/');
    sandbox.oracle(
        "tool.sh",
        &format!(
            "case $PWD in {here}) echo 'fatal error: in the project' >&2; exit 1 ;; esac
echo 'fatal error: elsewhere' >&2; exit 1"
        ),
    );
    let run = sandbox.nubbin(&["bug.txt", "--", "./tool.sh", "{}"]);
    needs_traces(&run);
    assert_eq!(run.code(), 5, "{run:?}");
    for text in ["in the project", "elsewhere", "`--needs PATH`", "`--here`", "nothing was changed"] {
        assert!(run.stderr.contains(text), "{text}: {run:?}");
    }
    assert!(!sandbox.has("bug.reduced.txt"));
}

#[apply(test)]
fn here_runs_in_the_users_directory_with_the_candidate_as_the_input() {
    let sandbox = sandbox();
    sandbox.oracle(
        "tool.sh",
        "test -f settings.conf || exit 9
grep -q needle bug.txt && { echo 'tool: Assertion `fine` failed.' >&2; exit 1; }; exit 0",
    );
    let run = sandbox.nubbin(&["--here", "--unit", "line", "bug.txt", "--", "./tool.sh"]);
    if run.stderr.contains("which this system does not allow") {
        ignore("needs mount namespaces");
    }
    assert_reduced(&sandbox, &run, "bug.reduced.txt", "needle");
    assert_eq!(sandbox.read("bug.txt"), INPUT);
}

#[apply(test)]
fn named_files_are_visible_and_missing_ones_are_an_error() {
    let sandbox = sandbox();
    sandbox.oracle("oracle.sh", "test -f lib/deep/part.conf && grep -q needle \"$1\"");
    let run = sandbox.nubbin(&["--unit", "line", "--needs", "lib", "./oracle.sh", "bug.txt"]);
    assert_reduced(&sandbox, &run, "bug.reduced.txt", "needle");
    assert!(run.stderr.contains("`lib/` is seen by the command but not reduced"), "{run:?}");
    let run = sandbox.nubbin(&["--needs", "nowhere", "./oracle.sh", "bug.txt"]);
    assert_eq!(run.code(), 2, "{run:?}");
    assert!(run.stderr.contains("`--needs nowhere` cannot be used"), "{run:?}");
}

#[apply(test)]
fn the_current_directory_is_used_without_build_outputs() {
    let sandbox = Sandbox::new();
    for (name, text) in [
        ("a.txt", "one\nneedle\n"),
        ("b.txt", "two\n"),
        (".gitignore", "*.log\n"),
        ("run.log", "x\n"),
        ("build/CACHEDIR.TAG", "x\n"),
    ] {
        let place = sandbox.path("project").join(name);
        std::fs::create_dir_all(place.parent().expect("a parent")).expect("a directory");
        std::fs::write(place, text).expect("a file");
    }
    let tool = "grep -qs needle a.txt && { echo 'tool: Assertion `x` failed.' >&2; exit 1; }; exit 0";
    let line = format!(
        "cd project && '{}' -o ../out . -- sh -c '{}'",
        env!("CARGO_BIN_EXE_nubbin"),
        tool.replace('\'', "'\\''")
    );
    let run = sandbox.run("sh", &["-c", &line]);
    needs_traces(&run);
    assert_reduced(&sandbox, &run, "out/a.txt", "needle");
    assert!(run.stderr.contains("`build` and `run.log` are not reduced"), "{run:?}");
    for gone in ["out/b.txt", "out/run.log", "out/build", "out/.gitignore"] {
        assert!(!sandbox.has(gone), "{gone}");
    }
}

#[apply(test)]
fn a_command_that_writes_to_its_home_gets_a_private_one() {
    let sandbox = Sandbox::new();
    sandbox.needs_confinement();
    std::fs::create_dir_all(sandbox.path("home/.config/tool")).expect("directories");
    sandbox.file("home/.config/tool/state", "mine\n");
    sandbox.file("home/.profile", "x\n");
    sandbox.file("bug.txt", INPUT);
    sandbox.oracle(
        "tool.sh",
        "mkdir -p \"$HOME/.cache/tool\" && echo x >>\"$HOME/.cache/tool/index\" || exit 3
echo x >>\"$HOME/.config/tool/state\" && grep -q x \"$HOME/.profile\" || exit 3
grep -q needle \"$1\" && { echo 'fatal error: it broke' >&2; exit 4; }; exit 0",
    );
    sandbox.file("calls", "");
    let home = sandbox.path("home").display().to_string();
    let line = format!(
        "HOME='{home}' '{}' --writable calls --unit line bug.txt -- ./tool.sh {{}}",
        env!("CARGO_BIN_EXE_nubbin")
    );
    let run = sandbox.run("sh", &["-c", &line]);
    assert_reduced(&sandbox, &run, "bug.reduced.txt", "needle");
    assert!(!run.stderr.contains("the sandbox prevented"), "{run:?}");
    assert_eq!(sandbox.read("home/.config/tool/state"), "mine\n");
    assert!(!sandbox.has("home/.cache"));
}

#[apply(test)]
fn a_status_that_garbage_also_causes_is_not_reduced() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.json", "{\"one\": [1, 2, 3],\n \"two\": {\"three\": 4}}\n");
    sandbox.oracle(
        "tool.sh",
        "test -s \"$1\" || exit 0; grep -q '^{' \"$1\" || { echo \"$1: cannot be read\"; exit 1; }
grep -q three \"$1\" && { echo 'it went wrong'; exit 1; }; exit 0",
    );
    let words = ["bug.json", "--", "./tool.sh", "{}"];
    let run = sandbox.nubbin(&words);
    assert_eq!(run.code(), 11, "{run:?}");
    assert!(!sandbox.has("bug.reduced.json"));
    for text in ["exited with status 1 on", "and no more is known about the failure", "`--match status`"] {
        assert!(run.stderr.contains(text), "{text}: {run:?}");
    }
    let run = sandbox.nubbin(&[&["--match", "status"][..], &words].concat());
    assert_eq!(run.code(), 0, "{run:?}");
}

#[apply(test)]
fn the_suggested_command_can_be_copied() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.json", "{\"one\": [1, 2, 3],\n \"two\": {\"three\": 4}}\n");
    sandbox.oracle(
        "tool.sh",
        "test -s \"$1\" || exit 0; grep -q three \"$1\" && head -n1 \"$1\" | grep -q '^{' && echo \"trouble with the key 'three'\" >&2
echo '1 error' >&2; exit 1",
    );
    let run = sandbox.nubbin(&["bug.json", "--", "./tool.sh", "{}"]);
    assert_eq!(run.code(), 11, "{run:?}");
    assert!(run.stderr.contains("nubbin --stderr 'trouble with the key"), "{run:?}");
    assert!(!run.stderr.contains("--stderr '1 error'"), "{run:?}");
}
