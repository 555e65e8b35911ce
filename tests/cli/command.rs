//! How the oracle is specified, what it receives, and what its exit statuses mean.

use crate::alive::comes_to;
use crate::sandbox::{Finished, Sandbox, seconds};

const INPUT: &str = "one\ntwo\nneedle\nthree\n";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", INPUT);
    sandbox
}

/// Asserts that the run has found the needle.
#[track_caller]
fn assert_reduced(sandbox: &Sandbox, run: &Finished) {
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(sandbox.read("bug.reduced.txt").trim_end().ends_with("needle"), "{run:?}");
    assert!(sandbox.read("bug.reduced.txt").len() < INPUT.len(), "{run:?}");
    assert_eq!(sandbox.read("bug.txt"), INPUT);
}

#[apply(test)]
fn a_script_finds_the_candidate_by_its_name_and_as_its_first_argument() {
    let sandbox = sandbox();
    sandbox.oracle(
        "oracle.sh",
        "test \"$1\" -ef bug.txt && test \"$(ls -A)\" = bug.txt && grep -q needle bug.txt",
    );
    for typed in ["./oracle.sh", "oracle.sh", "oracle.sh {}", "sh oracle.sh", "./oracle.sh bug.txt"] {
        let run = sandbox.nubbin(&[typed, "bug.txt"]);
        assert_reduced(&sandbox, &run);
    }
    let calls = sandbox.read("calls");
    assert!(calls.lines().all(|call| call.ends_with("/bug.txt") && !call.contains(' ')), "{calls}");
}

#[apply(test)]
fn braces_are_replaced_everywhere() {
    let sandbox = sandbox();
    sandbox.oracle("oracle.sh", "test $# = 2 && test \"$2\" = end && grep -q needle \"${1#--file=}\"");
    let run = sandbox.nubbin(&["./oracle.sh --file={} end", "bug.txt"]);
    assert_reduced(&sandbox, &run);
}

#[apply(test)]
fn an_oracle_whose_path_contains_spaces_is_one_argument() {
    let sandbox = sandbox();
    sandbox.oracle("my oracle.sh", "grep -q needle \"$1\"");
    let run = sandbox.nubbin(&["./my oracle.sh", "bug.txt"]);
    assert_reduced(&sandbox, &run);
}

#[apply(test)]
fn the_unchanged_input_is_probed_without_limits_and_with_them_and_the_empty_one_after_it() {
    let sandbox = sandbox();
    let sizes = sandbox.path("sizes");
    sandbox.oracle("oracle.sh", &format!("wc -c <\"$1\" >>'{}'; grep -q needle \"$1\"", sizes.display()));
    // With more jobs, the empty candidate runs speculatively at the same time as others.
    let run = sandbox.nubbin(&["-j1", "./oracle.sh", "bug.txt"]);
    assert_reduced(&sandbox, &run);
    let sizes = sandbox.read("sizes");
    let sizes: Vec<usize> = sizes.lines().map(|line| line.trim().parse().expect("a number")).collect();
    let first = sizes.iter().take_while(|&&size| size == INPUT.len()).count();
    assert!(
        (2..=5).contains(&first),
        "once without limits, once with them, more often if the times differ: {sizes:?}"
    );
    assert_eq!(sizes[first], 0);
    assert!(!sizes[first..].contains(&INPUT.len()));
}

#[apply(test)]
fn a_command_keeps_the_status_of_its_first_run() {
    let sandbox = sandbox();
    sandbox.oracle("tool.sh", "grep -q needle \"$1\" && exit 7; exit 0");
    for words in [["./tool.sh", "{}"].as_slice(), &["./tool.sh", "bug.txt"], &["./tool.sh"], &["tool.sh"]] {
        let run = sandbox.nubbin(&[&["bug.txt", "--"], words].concat());
        assert_reduced(&sandbox, &run);
        assert!(run.stderr.contains("exits with status 7"), "{run:?}");
    }
}

#[apply(test)]
fn a_command_keeps_the_signal_of_its_first_run_or_the_specified_one() {
    let sandbox = sandbox();
    sandbox.oracle("tool.sh", "grep -q needle \"$1\" && kill -ABRT $$; exit 1");
    for options in [[].as_slice(), &["--signal", "ABRT"], &["--signal", "6"]] {
        let run = sandbox.nubbin(&[options, &["bug.txt", "--", "./tool.sh"]].concat());
        assert_reduced(&sandbox, &run);
        assert!(run.stderr.contains("is killed by SIGABRT"), "{run:?}");
    }
    let run = sandbox.nubbin(&["--signal", "SEGV", "bug.txt", "--", "./tool.sh"]);
    assert_eq!(run.code(), 3);
    assert!(run.stderr.contains("was killed by SIGABRT") && run.stderr.contains("SIGSEGV"), "{run:?}");
}

#[apply(test)]
fn matchers_must_all_match() {
    let sandbox = sandbox();
    sandbox.oracle("tool.sh", "cat \"$1\" >&2; echo fine; exit 2");
    let options = ["--stderr", "need.e", "--stdout", "^fine", "--exit-code", "2"];
    let run = sandbox.nubbin(&[options.as_slice(), &["bug.txt", "--", "./tool.sh"]].concat());
    assert_reduced(&sandbox, &run);
    assert!(run.stderr.contains("writes `need.e` to standard error"), "{run:?}");
    let run = sandbox.nubbin(&["--stderr", "needle", "--stdout", "needle", "bug.txt", "--", "./tool.sh"]);
    assert_eq!(run.code(), 3);
}

#[apply(test)]
fn a_command_that_succeeds_has_no_failure_to_keep() {
    let sandbox = sandbox();
    let run = sandbox.nubbin(&["bug.txt", "--", "cat"]);
    assert_eq!(run.code(), 3);
    assert!(
        run.stderr.contains("succeeds on the unreduced input") && run.stderr.contains("--stdout"),
        "{run:?}"
    );
    assert!(!sandbox.has("bug.reduced.txt"));
    let run = sandbox.nubbin(&["--stdout", "needle", "bug.txt", "--", "cat"]);
    assert_reduced(&sandbox, &run);
}

#[apply(test)]
fn unresolved_runs_of_a_script_are_counted() {
    let sandbox = sandbox();
    sandbox.oracle("oracle.sh", "grep -q needle \"$1\" && exit 0; exit 125");
    let run = sandbox.nubbin(&["./oracle.sh", "bug.txt"]);
    assert_reduced(&sandbox, &run);
    assert!(run.stderr.contains("unresolved"), "{run:?}");
}

#[apply(test)]
fn a_candidate_that_hangs_is_not_interesting() {
    let sandbox = sandbox();
    sandbox.oracle("oracle.sh", "grep -q needle \"$1\" || exit 1; grep -q two \"$1\" || sleep 1000");
    comes_to(&(0, true), |limit| {
        let run = sandbox.nubbin(&["--timeout", &seconds(limit), "./oracle.sh", "bug.txt"]);
        let result = sandbox.read_so_far("bug.reduced.txt");
        (run.code(), ["two", "needle"].iter().all(|word| result.contains(word)) && result.len() < INPUT.len())
    });
}
