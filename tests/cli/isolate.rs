//! The difference between what passes and what fails, and the largest part that passes.

use crate::sandbox::Sandbox;

/// The debugging book's `mystery`: it fails where a `(` and a `)` are, and cannot tell where there is a `?`.
fn mystery(sandbox: &Sandbox) {
    sandbox.oracle("mystery", "case $(cat \"$1\") in *\\?*) exit 125;; *'('*')'*) exit 0;; esac; exit 1");
}

#[test]
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

#[test]
fn without_a_file_that_passes_it_is_the_empty_one() {
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

#[test]
fn what_ends_neither_like_the_one_nor_like_the_other_is_unresolved() {
    let sandbox = Sandbox::new();
    // It dies with status 7 where there is a `b` after an `a`, and with status 2 where something else is before the `a`.
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

#[test]
fn the_largest_part_that_passes_is_what_only_lacks_the_failure() {
    let sandbox = Sandbox::new();
    mystery(&sandbox);
    sandbox.file("bad.txt", "one\ntwo ( ) x\nthree\n");
    let run = sandbox.nubbin(&["maximize", "-j1", "./mystery", "bad.txt"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("bad.passing.txt"), "one\ntwo ) x\nthree\n");
    assert!(run.stderr.contains("1-maximal: with any of 1 token left out"), "{run:?}");
    assert!(run.stdout.contains("\n-two ( ) x\n+two ) x\n"), "{run:?}");
}

#[test]
fn what_makes_no_sense_is_said_and_nothing_is_written() {
    let sandbox = Sandbox::new();
    mystery(&sandbox);
    sandbox.file("good.txt", "a");
    sandbox.file("bad.txt", "()");
    sandbox.file("odd.txt", "?");
    for (typed, code, message) in [
        (&["isolate", "./mystery", "bad.txt", "bad.txt"][..], 7, "are the same"),
        (&["isolate", "./mystery", "bad.txt", "good.txt"], 3, "exited with status 1"),
        (&["isolate", "./mystery", "odd.txt", "bad.txt"], 3, "cannot tell on `odd.txt`"),
        (&["isolate", "./mystery", "no.txt", "bad.txt"], 7, "cannot read `no.txt`"),
        (&["isolate", "./mystery", "good.txt", "bad.txt", "odd.txt"], 2, "more than two files"),
        (&["isolate", "-o", "x", "./mystery", "bad.txt"], 2, "`--output` makes no sense"),
        (&["maximize", "test -e {}", "bad.txt"], 4, "finds the failure in the empty file, too"),
        (&["maximize", "./mystery", "good.txt"], 3, "exited with status 1"),
    ] {
        let run = sandbox.nubbin(typed);
        assert!(run.code() == code && run.stderr.contains(message), "{typed:?}: {run:?}");
    }
    assert!(!sandbox.has("bad.passing.txt") && !sandbox.has("bad.failing.txt"));
    sandbox.file("bad.passing.txt", "mine");
    let run = sandbox.nubbin(&["isolate", "./mystery", "bad.passing.txt", "bad.txt"]);
    assert!(run.code() == 8 && run.stderr.contains("a result would take its place"), "{run:?}");
    assert_eq!(sandbox.read("bad.passing.txt"), "mine");
    std::fs::create_dir(sandbox.path("dir")).expect("a directory");
    let run = sandbox.nubbin(&["maximize", "./mystery", "dir"]);
    assert!(run.code() == 2 && run.stderr.contains("name a single file"), "{run:?}");
}
