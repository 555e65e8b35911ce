//! Oracles that do not repeat themselves, with real processes.

use crate::sandbox::Sandbox;

const INPUT: &str = "one\nneedle\nthree\nfour\n";

/// Fails three times in four, by a byte of chance, where the needle is there.
const CHANCE: &str = "grep -q needle \"$1\" && [ $(od -An -N1 -tu1 /dev/urandom) -ge 64 ]";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", INPUT);
    sandbox
}

/// Runs it until chance has not made the first run an uninteresting one, or the first three agree.
fn run(sandbox: &Sandbox, options: &[&str], unwanted: &[i32]) -> crate::sandbox::Finished {
    let words: Vec<&str> = options.iter().copied().chain(["./oracle.sh", "bug.txt"]).collect();
    for _ in 0..50 {
        let run = sandbox.nubbin(&words);
        if !unwanted.contains(&run.code()) {
            return run;
        }
    }
    panic!("fifty times in a row");
}

#[apply(test)]
fn an_oracle_that_does_not_repeat_itself_ends_the_run_with_a_code_of_its_own() {
    let sandbox = sandbox();
    sandbox.oracle("oracle.sh", CHANCE);
    let run = run(&sandbox, &[], &[0, 3]);
    assert_eq!(run.code(), 9, "{run:?}");
    let parts =
        ["`./oracle.sh` does not repeat itself: ", " of 20 runs (", "hint: ", "--flaky 0.95", "fix seeds"];
    for part in parts {
        assert!(run.stderr.contains(part), "no `{part}` in {run:?}");
    }
    if run.stderr.contains("the unreduced input was interesting in") {
        assert!(run.stderr.contains("nothing was changed"), "{run:?}");
    } else {
        assert!(run.stderr.contains("the best so far is in `bug.reduced.txt`"), "{run:?}");
        assert!(sandbox.read("bug.reduced.txt").contains("needle"));
    }
    assert_eq!(sandbox.read("bug.txt"), INPUT);
}

#[apply(test)]
fn with_a_confidence_an_oracle_that_does_not_repeat_itself_reduces_all_the_same() {
    let sandbox = sandbox();
    sandbox.oracle("oracle.sh", CHANCE);
    let run = run(&sandbox, &["--flaky", "90%"], &[3]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(sandbox.read("bug.reduced.txt").contains("needle"), "{run:?}");
    assert!(sandbox.read("bug.reduced.txt").len() < INPUT.len());
    let parts = [
        "note: the unreduced input was interesting in ",
        "each candidate is run several times",
        "flaky    the input failed in ",
        ", the result in ",
        " runs",
        ", with confidence 0.9 each",
    ];
    for part in parts {
        assert!(run.stderr.contains(part), "no `{part}` in {run:?}");
    }
}

#[apply(test)]
fn a_confidence_must_be_one() {
    let sandbox = sandbox();
    for confidence in ["2", "0.5", "50%", "much"] {
        let run = sandbox.nubbin(&["--flaky", confidence, "true", "bug.txt"]);
        assert_eq!(run.code(), 2, "{run:?}");
    }
}
