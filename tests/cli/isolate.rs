//! The difference between a passing and a failing input, and the largest passing part.

use crate::alive::comes_to;
use crate::sandbox::{Sandbox, seconds};
use std::time::Duration;

/// The debugging book's `mystery`: fails on a `(` before a `)`, and is unresolved on a `?`.
fn mystery(sandbox: &Sandbox) {
    sandbox.oracle("mystery", "case $(cat \"$1\") in *\\?*) exit 125;; *'('*')'*) exit 0;; esac; exit 1");
}

#[apply(test)]
fn the_smallest_difference_is_found_and_both_sides_are_written() {
    let sandbox = Sandbox::new();
    mystery(&sandbox);
    sandbox.file("good.txt", "one\ntwo\nthree ) x\nfour\n");
    sandbox.file("bad.txt", "one\n2\nthree ( ) y\nfour\nfive\n");
    let run = sandbox.nubbin(&["isolate", "-j1", "./mystery", "good.txt", "bad.txt"]);
    assert_eq!(run.code(), 0, "{run:?}");
    let (passing, failing) = (sandbox.read("bad.passing.txt"), sandbox.read("bad.failing.txt"));
    assert_eq!(failing.replacen("( ", "", 1), passing, "{run:?}");
    assert!(run.stderr.contains("1-minimal over 1 token"), "{run:?}");
    let changed: Vec<&str> = run.stdout.lines().filter(|line| line.starts_with(['-', '+'])).collect();
    assert_eq!((changed.len(), changed[0], changed[1]), (4, "--- passing", "+++ failing"), "{run:?}");
    assert_eq!(changed[3][1..].replacen("( ", "", 1), changed[2][1..]);
    assert_eq!(sandbox.read("good.txt"), "one\ntwo\nthree ) x\nfour\n");
}

#[apply(test)]
fn without_a_passing_file_the_empty_file_is_used() {
    let sandbox = Sandbox::new();
    mystery(&sandbox);
    sandbox.file("bad.txt", "a(b)c");
    let run = sandbox.nubbin(&["isolate", "-j1", "--unit", "char", "./mystery", "bad.txt"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(
        (sandbox.read("bad.passing.txt"), sandbox.read("bad.failing.txt")),
        ("b)c".into(), "(b)c".into())
    );
}

#[apply(test)]
fn an_outcome_that_matches_neither_run_is_unresolved() {
    let sandbox = Sandbox::new();
    // It exits with status 7 if a `b` follows an `a`, and with status 2 if the `a` is not first.
    sandbox.oracle("program", "case $(cat \"$1\") in a*b*) exit 7;; a*) exit 0;; esac; exit 2");
    sandbox.file("good.txt", "a\n");
    sandbox.file("bad.txt", "a x\nb\n");
    let run = sandbox.nubbin(&["isolate", "good.txt", "bad.txt", "--", "./program", "{}"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(
        sandbox.read("bad.passing.txt").starts_with('a') && sandbox.read("bad.failing.txt").starts_with('a')
    );
    assert!(run.stderr.contains("1-minimal over 1 token"), "{run:?}");
}

#[apply(test)]
fn the_largest_passing_part_lacks_only_the_failure() {
    let sandbox = Sandbox::new();
    mystery(&sandbox);
    sandbox.file("bad.txt", "one\ntwo ( ) x\nthree\n");
    let run = sandbox.nubbin(&["maximize", "-j1", "./mystery", "bad.txt"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("bad.passing.txt"), "one\ntwo ) x\nthree\n");
    assert!(run.stderr.contains("1-maximal: it fails with any one of 1 token"), "{run:?}");
    assert!(run.stdout.contains("\n-two ( ) x\n+two ) x\n"), "{run:?}");
}

#[apply(test)]
fn invalid_usage_is_reported_and_nothing_is_written() {
    let sandbox = Sandbox::new();
    mystery(&sandbox);
    sandbox.file("good.txt", "a");
    sandbox.file("bad.txt", "()");
    sandbox.file("odd.txt", "?");
    for (typed, code, message) in [
        (&["isolate", "./mystery", "bad.txt", "bad.txt"][..], 7, "are equal"),
        (&["isolate", "./mystery", "bad.txt", "good.txt"], 3, "the sides are swapped"),
        (&["isolate", "./mystery", "odd.txt", "bad.txt"], 3, "is unresolved on `odd.txt`"),
        (&["isolate", "./mystery", "no.txt", "bad.txt"], 7, "cannot read `no.txt`"),
        (&["isolate", "./mystery", "good.txt", "bad.txt", "odd.txt"], 2, "too many files"),
        (&["isolate", "-o", "good.txt", "./mystery", "good.txt", "bad.txt"], 2, "is one of the two files"),
        (&["maximize", "-o", "bad.txt", "./mystery", "bad.txt"], 2, "choose another file with `-o FILE`"),
        (&["maximize", "test -e {}", "bad.txt"], 4, "also finds the failure in the empty file"),
        (&["maximize", "./mystery", "good.txt"], 3, "exited with status 1"),
    ] {
        let run = sandbox.nubbin(typed);
        assert!(run.code() == code && run.stderr.contains(message), "{typed:?}: {run:?}");
    }
    assert!(!sandbox.has("bad.passing.txt") && !sandbox.has("bad.failing.txt"));
    sandbox.file("bad.passing.txt", "mine");
    let run = sandbox.nubbin(&["isolate", "./mystery", "bad.passing.txt", "bad.txt"]);
    assert!(run.code() == 8 && run.stderr.contains("a result would overwrite the input"), "{run:?}");
    assert_eq!(sandbox.read("bad.passing.txt"), "mine");
    std::fs::create_dir(sandbox.path("dir")).expect("a directory");
    let run = sandbox.nubbin(&["maximize", "./mystery", "dir"]);
    assert!(run.code() == 2 && run.stderr.contains("name a single file"), "{run:?}");
}

/// An oracle for C without a compiler: it is unresolved if brackets are unbalanced, and fails if `boom` is
/// called.
const BRACKETS: &str = "t=$(cat \"$1\"); o=$(printf %s \"$t\" | tr -cd '({' | wc -c); c=$(printf %s \"$t\" | tr -cd ')}' | wc -c)
[ $o = $c ] || exit 125
case $t in *'boom(1)'*) exit 0;; esac; exit 1";

fn bracketed() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.oracle("oracle.sh", BRACKETS);
    sandbox.file("good.c", "int a;\nint f(int x)\n{\n    g(x);\n    return x;\n}\nint z;\n");
    let bad = "int a;\nint h(int y)\n{\n    if (y) {\n        a = y;\n    }\n    return g(y);\n}\nint f(int x)\n{\n    \
               if (x) {\n        g(x);\n        boom(1);\n    }\n    return x + 1;\n}\nint b;\n";
    sandbox.file("bad.c", bad);
    sandbox
}

#[apply(test)]
fn in_a_known_language_nodes_are_compared_before_tokens() {
    let sandbox = bracketed();
    let mut outputs = Vec::new();
    for jobs in ["-j1", "-j4"] {
        let run = sandbox.nubbin(&["isolate", "--no-journal", jobs, "./oracle.sh", "good.c", "bad.c"]);
        assert_eq!(run.code(), 0, "{run:?}");
        assert!(run.stderr.contains("proven     1-minimal over 1 token"), "{run:?}");
        let (passing, failing) = (sandbox.read("bad.passing.c"), sandbox.read("bad.failing.c"));
        assert!(failing.contains("boom(1)") && !passing.contains("boom(1)"), "{run:?}");
        outputs.push((passing, failing, run.stdout));
    }
    assert_eq!(outputs[0], outputs[1]);
    let by_units =
        sandbox.nubbin(&["isolate", "-j1", "--unit", "line,token", "./oracle.sh", "good.c", "bad.c"]);
    assert_eq!(by_units.code(), 0, "{by_units:?}");
}

#[apply(test)]
fn unparsable_files_and_different_languages_are_compared_by_lines() {
    let sandbox = bracketed();
    sandbox.file("good.txt", "int a;\n");
    sandbox.file("broken.c", "))) int boom(1) (((");
    for (passing, failing) in [("good.txt", "bad.c"), ("good.c", "broken.c")] {
        let run = sandbox.nubbin(&["isolate", "-j1", "./oracle.sh", passing, failing]);
        assert_eq!(run.code(), 0, "{run:?}");
        assert!(run.stderr.contains("1-minimal over"), "{run:?}");
    }
}

#[apply(test)]
fn a_completed_run_is_resumed_without_a_probe_and_not_as_a_reduction() {
    let sandbox = bracketed();
    for typed in [
        &["isolate", "-j1", "./oracle.sh", "good.c", "bad.c"][..],
        &["maximize", "-j1", "./oracle.sh", "bad.c"],
    ] {
        let run = sandbox.nubbin(typed);
        assert_eq!(run.code(), 0, "{run:?}");
        let (calls, found) = (sandbox.calls(), sandbox.read("bad.passing.c"));
        sandbox.file("bad.passing.c", "lost");
        let again = sandbox.nubbin(&[&typed[..1], &["--resume"], &typed[1..]].concat());
        assert_eq!((again.code(), sandbox.calls()), (0, calls), "{again:?}");
        assert_eq!((sandbox.read("bad.passing.c"), again.stdout), (found, run.stdout));
    }
    let run = sandbox.nubbin_confined(&["--resume", "--report", "r.html"]);
    assert!(run.code() == 2 && run.stderr.contains("`nubbin maximize` has no option `--report`"), "{run:?}");
    let calls = sandbox.calls();
    let run = sandbox.nubbin_confined(&["--resume", "--max-time", "1h"]);
    assert!((run.code(), sandbox.calls()) == (0, calls) && run.stderr.contains("passing    bad"), "{run:?}");
    let run = sandbox.nubbin(&["--resume", "-j1", "./oracle.sh", "bad.c"]);
    assert!(run.code() == 0 && run.stderr.contains("no earlier run to resume"), "{run:?}");
    sandbox.oracle("oracle.sh", &format!("{BRACKETS} "));
    let run = sandbox.nubbin(&["isolate", "--resume", "./oracle.sh", "good.c", "bad.c"]);
    assert!(run.code() != 0 && run.stderr.contains("has changed"), "{run:?}");
}

#[apply(test)]
fn a_run_that_reached_the_time_limit_is_resumed_without_repeating_a_probe() {
    // The first runs, which also count, may take longer than the time limit.
    comes_to(&true, is_gone_on_with_after);
}

/// Returns whether a run with this time limit gets far enough to be resumed.
fn is_gone_on_with_after(time: Duration) -> bool {
    let sandbox = bracketed();
    let log = sandbox.path("log");
    // The seventh run exceeds the time limit.
    let slow = format!("test -e '{0}.go' || test $(wc -l <'{0}') -lt 7 || sleep 60", log.display());
    let body = format!("b3=$(cksum <\"$1\"); echo \"$b3\" >>'{}'; {slow}; {BRACKETS}", log.display());
    sandbox.oracle("oracle.sh", &body);
    let typed = ["-j1", "--timeout", "100", "./oracle.sh", "good.c", "bad.c"];
    let run = sandbox.nubbin(&[&["isolate", "--max-time", &seconds(time)][..], &typed].concat());
    if std::fs::read_to_string(&log).map_or(0, |log| log.lines().count()) < 7 {
        return false;
    }
    sandbox.file("log.go", "");
    assert!(run.code() == 0 && run.stderr.contains("proven     nothing; stopped: --max-time"), "{run:?}");
    let run = sandbox.nubbin(&[&["isolate", "--resume", "--max-time", "1h"][..], &typed].concat());
    assert!(run.code() == 0 && run.stderr.contains("1-minimal over 1 token"), "{run:?}");
    let log = std::fs::read_to_string(log).expect("it was run");
    let (mut asked, bad) = (log.lines().collect::<Vec<_>>(), log.lines().next().expect("it was run"));
    // The first runs are of the unchanged file; one more was interrupted.
    asked.retain(|line| *line != bad);
    let all = asked.len();
    asked.sort_unstable();
    asked.dedup();
    assert!(all - asked.len() <= 1, "{all} runs, {} candidates", asked.len());
    true
}

#[apply(test)]
fn results_are_written_to_the_requested_files() {
    let sandbox = Sandbox::new();
    mystery(&sandbox);
    sandbox.file("good.txt", "a\n");
    sandbox.file("bad.txt", "a\n(\n)\n");
    let patch = sandbox.nubbin(&["isolate", "./mystery", "good.txt", "bad.txt"]).stdout;
    let run = sandbox.nubbin(&["isolate", "-o", "why.patch", "./mystery", "good.txt", "bad.txt"]);
    assert!(
        run.code() == 0 && run.stdout.is_empty() && run.stderr.contains("patch      why.patch"),
        "{run:?}"
    );
    assert!(patch.contains("+++ failing") && sandbox.read("why.patch") == patch, "{patch}");
    let run = sandbox.nubbin(&["maximize", "-o", "fixed.txt", "./mystery", "bad.txt"]);
    assert!(run.code() == 0 && run.stdout.contains("+++ passing"), "{run:?}");
    let fixed = sandbox.read("fixed.txt");
    let run = sandbox.nubbin(&["maximize", "-o", "-", "./mystery", "bad.txt"]);
    assert!(
        run.code() == 0 && run.stdout == fixed && run.stderr.contains("passing    standard output"),
        "{run:?}"
    );
    assert!(sandbox.has("bad.passing.txt") && !sandbox.has("-"));
}

#[apply(test)]
fn swapped_sides_are_recognized() {
    let sandbox = Sandbox::new();
    mystery(&sandbox);
    sandbox.file("good.txt", "one\n) x\n");
    sandbox.file("bad.txt", "one\n( ) y\n");
    let run = sandbox.nubbin(&["isolate", "./mystery", "bad.txt", "good.txt"]);
    assert_eq!(run.code(), 3, "{run:?}");
    let told = "error: the sides are swapped: `bad.txt` fails and `good.txt` passes\nhint: name the passing file first:\n  nubbin isolate ";
    assert!(run.stderr.contains(told) && run.stderr.ends_with(" ./mystery good.txt bad.txt\n"), "{run:?}");
    let command = ["--", "sh", "-c", "! grep '( )' \"$0\"", "{}"];
    let run = sandbox.nubbin_confined(&[&["isolate", "-j1", "bad.txt", "good.txt"][..], &command].concat());
    assert!(run.stderr.contains("\n  nubbin isolate -j1 good.txt bad.txt -- sh -c "), "{run:?}");
    let run = sandbox.nubbin_confined(&["isolate", "./mystery", "good.txt", "good.txt"]);
    assert!(!run.stderr.contains("swapped"), "{run:?}");
    let run = sandbox.nubbin_confined(&["isolate", "bad.txt", "good.txt", "--", "cat", "bad.txt"]);
    assert!(run.stderr.contains("the command names `bad.txt`, the passing file"), "{run:?}");
    assert!(run.stderr.contains("nubbin isolate bad.txt good.txt -- cat {}"), "{run:?}");
}
