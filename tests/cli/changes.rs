//! `nubbin changes`: which changes between two versions cause a failure.

use super::sandbox::{Sandbox, seconds};
use crate::alive::comes_to;
use crate::tools;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

fn write(path: &Path, content: &str) {
    fs::create_dir_all(path.parent().expect("one")).expect("writable");
    fs::write(path, content).expect("writable");
}

/// Creates a program of ten files built with make, in two versions with 200 changes between them. Two lines
/// of each function differ; `wrong` contains those of the third function of `m4.c`.
fn project(sandbox: &Sandbox, wrong: [&str; 2]) {
    for (side, is_new) in [("good", false), ("bad", true)] {
        let mut objects = String::from("OBJECTS = main.o");
        for file in 0..10 {
            let mut text = String::new();
            for function in 0..10 {
                let is_wrong = is_new && (file, function) == (4, 3);
                let [first, last] = match (is_wrong, is_new) {
                    (true, _) => wrong,
                    (false, true) => ["/* new */ int y = x;", "return y + 0;"],
                    (false, false) => ["int y = x;", "return y;"],
                };
                let name = format!("f{file}_{function}");
                let _ =
                    writeln!(text, "int {name}(int x)\n{{\n    {first}\n    y = y + 1;\n    {last}\n}}\n");
            }
            write(&sandbox.path(side).join(format!("part/m{file}.c")), &text);
            let _ = write!(objects, " part/m{file}.o");
        }
        let main = "int f4_3(int);\nint main(void) { return f4_3(1) == 2 ? 0 : 1; }\n";
        write(&sandbox.path(side).join("main.c"), main);
        let rules = "\tgcc -o $@ $(OBJECTS)\n%.o: %.c\n\tgcc -c -o $@ $<\n\techo $< >>compiled\n";
        write(&sandbox.path(side).join("Makefile"), &format!("{objects}\nprogram: $(OBJECTS)\n{rules}"));
    }
}

const BUILD: &str = "make -s || exit 125; ./program";

#[apply(test)]
fn one_of_200_changes_of_a_program_is_found_by_building_only_what_changes() {
    tools::program("make");
    tools::program("gcc");
    let sandbox = Sandbox::new();
    project(&sandbox, ["/* new */ int y = x;", "return y + 3;"]);
    let log = sandbox.path("log");
    let command = format!("rm -f compiled; {BUILD}; s=$?; cat compiled >>'{}'; exit $s", log.display());
    let typed = ["changes", "-j1", "--good", "good", "--bad", "bad", "--", "sh", "-c", &command];
    let run = sandbox.nubbin(&typed);
    assert_eq!(run.code(), 0, "{run:?}");
    let changed: Vec<&str> = run.stdout.lines().filter(|line| line.starts_with(['-', '+'])).collect();
    assert_eq!(
        changed,
        ["--- a/part/m4.c", "+++ b/part/m4.c", "-    return y;", "+    return y + 3;"],
        "{run:?}"
    );
    assert!(run.stderr.contains("changes    200 in 10 files"), "{run:?}");
    assert!(run.stderr.contains("reduced    200 changes → 1\n  part/m4.c:26\n"), "{run:?}");
    assert!(run.stderr.contains("proven     1-minimal over 1 change\n"), "{run:?}");
    // A full build compiles eleven files. There are three full builds and a final one, and some twenty
    // probes.
    let compiled = sandbox.read("log").lines().count();
    assert!(compiled < 110, "{compiled} files were compiled");
    assert!(!sandbox.has("good/program") && !sandbox.has("bad/main.o"));
}

#[apply(test)]
fn two_changes_that_only_fail_together_are_found() {
    tools::program("make");
    tools::program("gcc");
    let sandbox = Sandbox::new();
    project(&sandbox, ["int y = x + 1;", "return y - (y > 2);"]);
    // Either change alone gives the right answer for one argument; the second one only after the first.
    let main = "int f4_3(int);\nint main(void) { int a = f4_3(1); return a == 2 || a == 3 ? a == 2 && f4_3(2) == 3 : 0; }\n";
    for side in ["good", "bad"] {
        write(
            &sandbox.path(side).join("main.c"),
            main.replace("? a == 2 && f4_3(2) == 3", "? f4_3(0) == 2 && f4_3(2) == 3").as_str(),
        );
    }
    let run = sandbox.nubbin(&[
        "changes",
        "--good",
        "good",
        "--bad",
        "bad",
        "-o",
        "out.patch",
        "--",
        "sh",
        "-c",
        BUILD,
    ]);
    assert_eq!((run.code(), run.stdout.as_str()), (0, ""), "{run:?}");
    assert!(run.stderr.contains("1-minimal over 2 changes, which are all needed"), "{run:?}");
    let patch = sandbox.read("out.patch");
    assert!(patch.contains("+    int y = x + 1;") && patch.contains("+    return y - (y > 2);"), "{patch}");
}

/// Creates a repository with a history in which a file is renamed and then extended, among many other
/// changes.
fn history(sandbox: &Sandbox) {
    let git = |words: &[&str]| {
        let identity = ["-c", "user.name=n", "-c", "user.email=e", "-c", "init.defaultBranch=main"];
        let run = Command::new("git").args(identity).args(words).current_dir(sandbox.path("")).output();
        let run = run.expect("git runs");
        assert!(run.status.success(), "{words:?}: {run:?}");
    };
    let lines = |name: &str| (1..40).map(|i| format!("{name} {i}\n")).collect::<Vec<_>>().concat();
    let commit = |subject: &str| {
        git(&["add", "-A"]);
        git(&["commit", "-q", "-m", subject]);
    };
    git(&["init", "-q"]);
    for name in ["a", "b", "c"] {
        write(&sandbox.path("src").join(name), &lines(name));
    }
    write(&sandbox.path("test.sh"), "! grep -rq needle src lib 2>/dev/null\n");
    commit("first");
    git(&["tag", "v1"]);
    write(&sandbox.path("src/a"), &lines("a").replace("a 7\n", "a seven\n"));
    commit("seven");
    fs::create_dir(sandbox.path("lib")).expect("free");
    git(&["mv", "src/b", "lib/bee"]);
    commit("another place");
    write(&sandbox.path("lib/bee"), &lines("b").replace("b 30\n", "b 30\nneedle\n").replace("b 2\n", ""));
    commit("the culprit");
    write(&sandbox.path("src/c"), &lines("c").replace("c 9\n", "c nine\n"));
    commit("nine");
    git(&["tag", "v2"]);
}

#[apply(test)]
fn the_change_and_its_commit_are_reported_in_a_history_with_renames() {
    tools::program("git");
    let sandbox = Sandbox::new();
    history(&sandbox);
    let typed = ["changes", "--good", "v1", "--bad", "v2", "--no-journal", "--", "sh", "test.sh"];
    let run = sandbox.nubbin(&typed);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(run.stderr.contains("changes    5 in 3 files"), "{run:?}");
    assert!(run.stderr.contains(" → 1\n  lib/bee:30  ") && run.stderr.contains(" the culprit\n"), "{run:?}");
    assert!(
        run.stdout.starts_with("diff --git a/src/b b/src/b\n") && run.stdout.contains("\n+needle\n"),
        "{run:?}"
    );
    // The work tree, the index and the branch are unchanged.
    let status =
        Command::new("git").args(["status", "--porcelain", "-uno"]).current_dir(sandbox.path("")).output();
    assert_eq!(status.expect("git runs").stdout, b"");
}

#[apply(test)]
fn uncommitted_changes_are_compared_only_on_request() {
    tools::program("git");
    let sandbox = Sandbox::new();
    history(&sandbox);
    write(&sandbox.path("src/c"), "no more\nneedle 2\n");
    write(&sandbox.path("test.sh"), "! grep -q 'needle 2' src/c\n");
    let run = sandbox.nubbin(&["changes", "--good", "v1", "--bad", "HEAD", "--", "sh", "test.sh"]);
    assert_eq!(run.code(), 7, "{run:?}");
    assert!(run.stderr.contains("uncommitted changes, which `HEAD` does not contain"), "{run:?}");
    let run = sandbox.nubbin(&[
        "changes",
        "--good",
        "HEAD",
        "--bad",
        ".",
        "--no-journal",
        "--",
        "sh",
        "-c",
        "grep -q 'needle 2' src/c && exit 9; true",
    ]);
    assert!(run.code() == 0 && run.stdout.contains("+needle 2"), "{run:?}");
}

/// Creates two versions of some files. A test fails on the second one.
fn small(sandbox: &Sandbox) {
    for (side, text) in [("good", "1\n2\n3\n4\n5\n"), ("bad", "0\n2\nwrong\n4\n0\n")] {
        for file in ["x", "y", "d/z"] {
            write(&sandbox.path(side).join(file), text);
        }
    }
}

#[apply(test)]
fn a_patch_replaces_the_second_version_and_must_apply() {
    let sandbox = Sandbox::new();
    small(&sandbox);
    sandbox.file("it.diff", "--- good/x\n+++ bad/x\n@@ -1,5 +1,5 @@\n-1\n+0\n 2\n-3\n+wrong\n 4\n-5\n+0\n");
    let test = ["--", "sh", "-c", "! grep -rq wrong ."];
    let run = sandbox.nubbin(&[&["changes", "--good", "good", "--diff", "it.diff"][..], &test].concat());
    assert!(run.code() == 0 && run.stderr.contains("reduced    3 changes → 1\n  x:3\n"), "{run:?}");
    sandbox.file("off.diff", "--- good/x\n+++ bad/x\n@@ -4,2 +4,2 @@\n 4\n-6\n+0\n");
    let run = sandbox.nubbin(&[&["changes", "--good", "good", "--diff", "off.diff"][..], &test].concat());
    assert_eq!(run.code(), 7, "{run:?}");
    let told = "the patch `off.diff` cannot be used: line 3: the hunk does not apply to `x` at line 4";
    assert!(run.stderr.contains(told), "{run:?}");
    assert_eq!(sandbox.read("good/x"), "1\n2\n3\n4\n5\n");
}

#[apply(test)]
fn an_interrupted_run_is_resumed_without_repeating_a_probe() {
    let sandbox = Sandbox::new();
    small(&sandbox);
    let calls = sandbox.path("calls");
    let test = format!("echo call >>'{}'; ! grep -q wrong y || ! grep -q 0 d/z", calls.display());
    let typed =
        |more: &'static str| ["changes", "-j1", more, "--good", "good", "--bad", "bad", "--", "sh", "-c"];
    let run = sandbox.nubbin(&[&typed("--quiet")[..], &[&test]].concat());
    assert!(run.code() == 0 && run.stdout.contains("+wrong"), "{run:?}");
    let before = sandbox.calls();
    let again = sandbox.nubbin(&[&typed("--resume")[..], &[&test]].concat());
    assert_eq!((again.code(), &again.stdout), (0, &run.stdout), "{again:?}");
    // The passing version, and the result in a fresh directory.
    assert_eq!(sandbox.calls() - before, 2);
    let other = sandbox.nubbin(&[&typed("--resume")[..], &["true; false"]].concat());
    assert!(other.code() == 10 && other.stderr.contains("cannot be resumed"), "{other:?}");
}

#[apply(test)]
fn invalid_usage_is_reported_with_a_hint() {
    let sandbox = Sandbox::new();
    small(&sandbox);
    let both = ["changes", "--good", "good", "--bad", "bad"];
    let of = |words: &[&'static str]| -> Vec<&'static str> { both.iter().chain(words).copied().collect() };
    for (typed, code, told) in [
        (vec!["changes", "--good", "good", "--", "false"], 2, "the failing version is missing"),
        (vec!["changes", "--bad", "good", "--", "false"], 2, "the working version is missing"),
        (of(&[]), 2, "the command is missing"),
        (of(&["x", "--", "false"]), 2, "unexpected `x` before `--`"),
        (of(&["--unit", "line", "--", "false"]), 2, "`nubbin changes` has no option `--unit`"),
        (vec!["--good", "x", "./test", "file"], 2, "`--good` is an option of `nubbin changes"),
        (
            vec!["changes", "--good", "good", "--bad", "good", "--", "false"],
            7,
            "are equal: there are no changes",
        ),
        (vec!["changes", "--good", "good", "--bad", "good/x", "--", "false"], 7, "`good/x` is a file"),
        (vec!["changes", "--good", "good", "--diff", "none", "--", "false"], 7, "cannot read `none`"),
        (of(&["--", "true"]), 3, "`true` succeeds on `bad`, which should fail"),
        (of(&["--", "sh", "-c", "exit 125"]), 3, "is unresolved (status 125) on `bad`"),
        (of(&["--", "sh", "-c", "grep -q 1 x && exit 125; exit 1"]), 3, "exited with status 125 on `good`"),
        (of(&["--", "sh", "-c", "exit 3"]), 4, "fails in the same way on `good`, which should pass"),
    ] {
        let run = sandbox.nubbin(&typed);
        assert!(run.code() == code && run.stderr.contains(told), "{typed:?}: {run:?}");
        assert_eq!(run.stdout, "", "{typed:?}");
    }
}

#[apply(test)]
fn a_revision_that_does_not_exist_is_an_error() {
    tools::program("git");
    let sandbox = Sandbox::new();
    small(&sandbox);
    let run = sandbox.nubbin(&["changes", "--good", "v1", "--bad", "bad", "--", "false"]);
    assert!(run.code() == 7 && run.stderr.contains("`v1` is not a directory"), "{run:?}");
    let init = Command::new("git").args(["init", "-q"]).current_dir(sandbox.path("")).status();
    assert!(init.expect("git runs").success());
    let run = sandbox.nubbin(&["changes", "--good", "v1", "--bad", "bad", "--", "false"]);
    let told = "`v1` is neither a directory nor a revision of this git repository";
    assert!(run.code() == 7 && run.stderr.contains(told), "{run:?}");
}

#[apply(test)]
fn leftovers_of_earlier_runs_do_not_mislead() {
    let sandbox = Sandbox::new();
    small(&sandbox);
    // It fails if an earlier run in the same directory was on a wrong version.
    let test = "grep -q wrong x && touch stain; test ! -e stain";
    let typed = ["changes", "-j1", "--no-journal", "--good", "good", "--bad", "bad"];
    let run = sandbox.nubbin(&[&typed[..], &["--", "sh", "-c", test]].concat());
    // Whether the good version runs in the directory of the bad one depends on which directory is free.
    assert!([4, 9].contains(&run.code()) && run.stderr.contains("`--fresh`"), "{run:?}");
    let run = sandbox.nubbin(&[&typed[..], &["--fresh", "--", "sh", "-c", test]].concat());
    assert!(run.code() == 0 && run.stderr.contains("  x:3\n"), "{run:?}");
    // Here `x` and `y` are needed, but after a run with a wrong `x`, `y` seems to be enough.
    let test = "grep -q wrong x && touch stain; grep -q wrong y && test -e stain && exit 1; exit 0";
    let run = sandbox.nubbin(&[&typed[..], &["--", "sh", "-c", test]].concat());
    assert!(
        run.code() == 9 && run.stderr.contains("the result does not fail in a fresh directory"),
        "{run:?}"
    );
    let run = sandbox.nubbin(&[&typed[..], &["--fresh", "--", "sh", "-c", test]].concat());
    assert!(run.code() == 0 && run.stderr.contains("  x:3\n  y:3\n"), "{run:?}");
}

#[apply(test)]
fn after_an_aborted_run_the_next_one_starts_again() {
    let test = "test -e half && exit 5
        if grep -q wrong y && ! grep -q wrong x; then touch half; sleep 60; fi
        ! grep -q wrong x";
    comes_to(&(0, true, false), |limit| {
        let sandbox = Sandbox::new();
        small(&sandbox);
        let limit = seconds(limit);
        let typed = ["changes", "-j1", "--timeout", &limit, "--no-journal", "--good", "good", "--bad", "bad"];
        let run = sandbox.nubbin(&[&typed[..], &["--", "sh", "-c", test]].concat());
        let said = |text| run.stderr.contains(text);
        (run.code(), said("→ 1\n  x:3\n"), said(" 0 unresolved"))
    });
}

#[apply(test)]
fn swapped_versions_are_recognized() {
    let sandbox = Sandbox::new();
    small(&sandbox);
    let test = ["--", "sh", "-c", "! grep -rq wrong ."];
    let run = sandbox.nubbin_confined(&[&["changes", "--good", "bad", "--bad=good"][..], &test].concat());
    assert_eq!(run.code(), 3, "{run:?}");
    let told = "error: the sides are swapped: `bad` fails and `good` passes\nhint: exchange `--good` and `--bad`:\n  \
                nubbin changes --bad bad --good=good -- sh -c '! grep -rq wrong .'\n";
    assert!(run.stderr.contains(told), "{run:?}");
}
