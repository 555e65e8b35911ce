//! Where the result is written, and what is reported about it.

use crate::sandbox::{INPUT, Sandbox, with_needle as sandbox};
use std::ffi::{OsStr, OsString};
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;

#[apply(test)]
fn the_result_is_written_next_to_the_input_with_its_permissions() {
    let sandbox = sandbox();
    fs::set_permissions(sandbox.path("bug.txt"), Permissions::from_mode(0o750)).expect("set");
    let run = sandbox.nubbin(&["./oracle.sh", "bug.txt"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.txt").trim(), "needle");
    assert_eq!(sandbox.read("bug.txt"), INPUT);
    assert!(run.stderr.ends_with("result     bug.reduced.txt\n\nneedle\n"), "{run:?}");
    let mode = fs::metadata(sandbox.path("bug.reduced.txt")).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o750);
}

#[apply(test)]
fn the_summary_reports_the_reduction_the_proof_and_the_result() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["-v", "./oracle.sh", "bug.txt"]);
    for text in ["reduced ", "tokens (-", "candidates ", "1-minimal over", "bug.reduced.txt", "accepted"] {
        assert!(run.stderr.contains(text), "`{text}` in {}", run.stderr);
    }
    assert!(run.stderr.contains("note: "), "the language is not known: {}", run.stderr);
    assert!(run.stdout.is_empty());
}

#[apply(test)]
fn quiet_prints_nothing() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["-q", "./oracle.sh", "bug.txt"]);
    assert_eq!((run.code(), run.stdout.as_str(), run.stderr.as_str()), (0, "", ""));
    assert_eq!(sandbox.read("bug.reduced.txt").trim(), "needle");
}

#[apply(test)]
fn an_output_can_be_named() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["-o", "small.txt", "./oracle.sh", "bug.txt"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("small.txt").trim(), "needle");
    assert!(!sandbox.has("bug.reduced.txt"));
}

#[apply(test)]
fn standard_input_is_reduced_to_standard_output() {
    let sandbox = sandbox();
    let run = sandbox.nubbin_with(INPUT, &["./oracle.sh", "-"]);
    assert_eq!((run.code(), run.stdout.trim()), (0, "needle"), "{run:?}");
    assert!(sandbox.read("calls").lines().all(|call| call.ends_with("/stdin")));
}

#[apply(test)]
fn standard_input_has_a_name_that_fits_its_language() {
    let sandbox = sandbox();
    let run = sandbox
        .nubbin_with("[\"needle\", 1, 2]\n", &["--language", "json", "./oracle.sh", "-", "-o", "out.json"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(sandbox.read("out.json").contains("needle"));
    assert!(sandbox.read("calls").lines().all(|call| call.ends_with("/stdin.json")));
}

#[apply(test)]
fn a_file_is_reduced_to_standard_output() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["-o", "-", "./oracle.sh", "bug.txt"]);
    assert_eq!((run.code(), run.stdout.trim()), (0, "needle"), "{run:?}");
    assert!(!sandbox.has("bug.reduced.txt") && !sandbox.has("-"));
}

#[apply(test)]
fn in_place_leaves_a_backup_that_is_never_overwritten() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["--in-place", "./oracle.sh", "bug.txt"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!((sandbox.read("bug.txt").trim(), sandbox.read("bug.txt.orig").as_str()), ("needle", INPUT));
    assert!(run.stderr.contains("bug.txt.orig"), "{run:?}");

    sandbox.file("bug.txt", "x\nneedle\n");
    let run = sandbox.nubbin(&["--in-place", "./oracle.sh", "bug.txt"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("bug.txt.orig"), INPUT);
    assert_eq!(sandbox.read("bug.txt.orig.1"), "x\nneedle\n");
}

#[apply(test)]
fn in_place_without_a_failure_makes_no_backup() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["--in-place", "false", "bug.txt"]);
    assert_eq!((run.code(), sandbox.read("bug.txt").as_str()), (3, INPUT));
    assert!(!sandbox.has("bug.txt.orig"));
}

#[apply(test)]
fn an_empty_result_must_be_allowed() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["--allow-empty", "true", "bug.txt"]);
    assert_eq!((run.code(), sandbox.read("bug.reduced.txt").as_str()), (0, ""), "{run:?}");
}

#[apply(test)]
fn names_and_content_that_are_not_utf_8_are_kept() {
    let sandbox = sandbox();
    sandbox.file(OsStr::from_bytes(b"caf\xe9.txt"), b"\xff\xfe\n\xfe\0needle\xff\n\xff\n");
    let oracle = "test \"$1\" -ef \"$(printf 'caf\\351.txt')\" && LC_ALL=C grep -aq \"$(printf 'needle\\377')\" \"$1\"";
    sandbox.oracle("bytes.sh", oracle);
    let run = sandbox.nubbin(&[OsString::from("./bytes.sh"), OsStr::from_bytes(b"caf\xe9.txt").into()]);
    assert_eq!(run.code(), 0, "{run:?}");
    let result = fs::read(sandbox.path(OsStr::from_bytes(b"caf\xe9.reduced.txt"))).expect("it is there");
    assert!(result.windows(7).any(|window| window == b"needle\xff"), "{result:?}");
}

#[apply(test)]
fn an_oracle_that_is_lost_halfway_loses_no_result() {
    let sandbox = sandbox();
    let body = "grep -q needle \"$1\" || exit 1; test $(wc -l <\"$1\") -ge 4 || rm -f \"$0\"";
    sandbox.oracle("lost.sh", body);
    let run = sandbox.nubbin(&["--jobs", "1", "./lost.sh", "bug.txt"]);
    assert_eq!(run.code(), 5, "{run:?}");
    assert!(run.stderr.contains("the best result so far is in `"), "{run:?}");
    let best = sandbox.read("bug.reduced.txt");
    assert!(best.contains("needle") && best.len() < INPUT.len(), "{best}");
}

#[apply(test)]
fn a_small_result_is_printed_unless_quiet_or_on_standard_output() {
    let sandbox = sandbox();
    let needles = "needle\n".repeat(21);
    sandbox.file("long.txt", &needles);
    sandbox.oracle(
        "all.sh",
        "test $(grep -c needle \"$1\") -ge 20 || exit 1; test $(wc -l <\"$1\") -ge \"${2:-20}\"",
    );
    for (typed, is_shown) in [
        (&["./oracle.sh", "bug.txt"][..], true),
        (&["--unit", "line", "--search", "ddmin", "./oracle.sh", "bug.txt"], true),
        (&["-o", "-", "./oracle.sh", "bug.txt"], false),
        (&["-q", "./oracle.sh", "bug.txt"], false),
        (&["--unit", "line", "./all.sh", "long.txt"], true),
        (&["--unit", "line", "./all.sh {} 21", "long.txt"], false),
    ] {
        let run = sandbox.nubbin(typed);
        assert_eq!(run.code(), 0, "{run:?}");
        assert_eq!(
            run.stderr.ends_with("\n\nneedle\n") || run.stderr.ends_with("\nneedle\nneedle\n"),
            is_shown,
            "{run:?}"
        );
    }
}

#[apply(test)]
fn a_stopped_run_removes_unneeded_blank_lines() {
    let sandbox = Sandbox::new();
    let functions = (0..30).map(|n| format!("int f{n}(void)\n{{\n    return {n};\n}}\n\n\n"));
    sandbox.file("bug.c", functions.collect::<Vec<_>>().concat());
    sandbox.oracle("oracle.sh", "grep -q f7 \"$1\" && grep -q f8 \"$1\"");
    let blank = || sandbox.read("bug.reduced.c").lines().filter(|line| line.trim().is_empty()).count();
    let run = sandbox.nubbin(&["--max-candidates", "9", "./oracle.sh", "bug.c"]);
    assert_eq!((run.code(), blank()), (0, 0), "{run:?}");
    assert!(
        run.stderr.contains("candidates 9 ") && run.stderr.contains("stopped: --max-candidates 9"),
        "{run:?}"
    );
    let run = sandbox.nubbin(&["--resume", "./oracle.sh", "bug.c"]);
    assert!(run.code() == 0 && !run.stderr.contains("note: "), "{run:?}");

    sandbox.file("py.py", "x = 1\n\ny = 2\nz = 3\nw = 4\n\n\nv = 5\n");
    sandbox.oracle("blank.sh", "grep -q '^$' \"$1\" && grep -q y \"$1\"");
    let run = sandbox.nubbin(&["--max-candidates", "7", "./blank.sh", "py.py"]);
    assert!(run.code() == 0 && sandbox.read("py.reduced.py").contains("\n\n"), "{run:?}");
}
