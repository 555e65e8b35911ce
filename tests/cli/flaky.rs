//! Flaky oracles, with real processes.

use crate::sandbox::Sandbox;

const INPUT: &str = "one\nneedle\nthree\nfour\n";

/// If the needle is present, fails three times in four, by a random byte.
const CHANCE: &str = "grep -q needle \"$1\" && [ $(od -An -N1 -tu1 /dev/urandom) -ge 64 ]";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", INPUT);
    sandbox
}

/// Repeats the run while its exit code is unwanted: the first run may be uninteresting by chance, or the
/// first three may agree.
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
fn a_flaky_oracle_ends_the_run_with_its_own_exit_code() {
    let sandbox = sandbox();
    sandbox.oracle("oracle.sh", CHANCE);
    let run = run(&sandbox, &[], &[0, 3]);
    assert_eq!(run.code(), 9, "{run:?}");
    let parts = ["`./oracle.sh` is flaky: ", " of 20 runs (", "hint: ", "--flaky 0.95", "fix seeds"];
    for part in parts {
        assert!(run.stderr.contains(part), "no `{part}` in {run:?}");
    }
    if run.stderr.contains("the unreduced input was interesting in") {
        assert!(run.stderr.contains("nothing was changed"), "{run:?}");
    } else {
        assert!(run.stderr.contains("the best result so far is in `bug.reduced.txt`"), "{run:?}");
        assert!(sandbox.read("bug.reduced.txt").contains("needle"));
    }
    assert_eq!(sandbox.read("bug.txt"), INPUT);
}

#[apply(test)]
fn with_a_confidence_a_flaky_oracle_can_be_used() {
    let sandbox = sandbox();
    sandbox.oracle("oracle.sh", CHANCE);
    let run = run(&sandbox, &["--flaky", "90%"], &[3]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(sandbox.read("bug.reduced.txt").contains("needle"), "{run:?}");
    assert!(sandbox.read("bug.reduced.txt").len() < INPUT.len());
    let parts = [
        "note: the unreduced input was interesting in ",
        "each candidate is run several times",
        "flaky      the input failed in ",
        ", the result in ",
        " runs, ",
        " for each",
        ", with confidence 0.9 each",
    ];
    for part in parts {
        assert!(run.stderr.contains(part), "no `{part}` in {run:?}");
    }
}

#[apply(test)]
fn a_confidence_must_be_valid() {
    let sandbox = sandbox();
    for confidence in ["2", "0.5", "50%", "much"] {
        let run = sandbox.nubbin(&["--flaky", confidence, "true", "bug.txt"]);
        assert_eq!(run.code(), 2, "{run:?}");
    }
}

/// Creates an oracle that fails in this percentage of runs if the needle is present. Chance depends on the
/// number of the run and the seed only, so each test sees the same runs every time.
fn of_chance(sandbox: &Sandbox, name: &str, percent: u32, seed: u32, (fails, passes): (&str, &str)) {
    sandbox.file("bug.txt", INPUT);
    let count = sandbox.file("count", "0\n");
    let body = format!(
        "read n <'{0}'; n=$((n + 1)); echo $n >'{0}'\n\
         x=$(((n * 2654435761 + {seed} * 977 * 65537) & 4294967295))\n\
         x=$((((x ^ x >> 16) * 73244475) & 4294967295)); x=$((((x ^ x >> 16) * 73244475) & 4294967295))\n\
         if grep -q needle \"$1\" && [ $(((x ^ x >> 16) % 100)) -lt {percent} ]; then {fails}; fi; {passes}",
        count.display()
    );
    sandbox.oracle(name, &body);
}

const SCRIPT: (&str, &str) = ("exit 0", "exit 1");
const COMMAND: (&str, &str) = ("echo 'bug.c:1: internal compiler error: in needle' >&2; exit 4", "exit 0");

/// Runs the search for a failing run and makes no other probe, so that the number of calls is that of the
/// search.
fn begins(options: &[&str], (percent, seed): (u32, u32), kind: (&str, &str)) -> crate::sandbox::Finished {
    let sandbox = Sandbox::new();
    of_chance(&sandbox, "chance.sh", percent, seed, kind);
    sandbox.nubbin(&[&["-j", "1", "--max-candidates", "1"], options].concat())
}

#[apply(test)]
fn the_first_run_does_not_decide_alone_for_a_flaky_failure() {
    for percent in [10, 20, 30] {
        for seed in 0..10 {
            let script = begins(&["--flaky", "0.95", "./chance.sh", "bug.txt"], (percent, seed), SCRIPT);
            assert_eq!(script.code(), 0, "{percent} %, seed {seed}: {script:?}");
        }
    }
}

#[apply(test)]
fn a_command_that_passes_at_first_is_run_until_it_fails() {
    let line = ["--flaky", "0.95", "bug.txt", "--", "./chance.sh", "{}"];
    for percent in [10, 50, 90] {
        for seed in 0..5 {
            let command = begins(&line, (percent, seed), COMMAND);
            assert_eq!(command.code(), 0, "{percent} %, seed {seed}: {command:?}");
            let kept = "exits with status 4 and reports `gcc ICE: in needle`";
            assert!(command.stderr.contains(kept), "{percent} %, seed {seed}: {command:?}");
        }
    }
}

#[apply(test)]
fn a_failure_that_never_occurs_is_reported_with_the_excluded_rate() {
    let sandbox = Sandbox::new();
    for (kind, words) in
        [(SCRIPT, &["./chance.sh", "bug.txt"][..]), (COMMAND, &["bug.txt", "--", "./chance.sh", "{}"])]
    {
        for (rate, runs, parts) in [
            ("5%", 59, ["in any of 59 runs", "5 % of the runs", "confidence 0.95", "--flaky 0.95,1%"]),
            ("0.2", 14, ["in any of 14 runs", "20 % of the runs", "confidence 0.95", "--flaky 0.95,4%"]),
        ] {
            of_chance(&sandbox, "chance.sh", 0, 1, kind);
            let before = sandbox.calls();
            let run = sandbox.nubbin(&[&["--flaky", &format!("0.95,{rate}")], words].concat());
            assert_eq!(run.code(), 3, "{run:?}");
            for part in parts {
                assert!(run.stderr.contains(part), "no `{part}` in {run:?}");
            }
            // The same number again in the original directory, to see whether it fails there, one without the
            // limits, and one that is not traced.
            let calls = sandbox.calls() - before;
            assert!((runs..=2 * runs + 2).contains(&calls), "{calls} calls");
        }
    }
}

#[apply(test)]
fn a_run_that_observes_a_flaky_failure_suggests_the_option() {
    for kind in [SCRIPT, COMMAND] {
        let words: &[&str] = if kind == SCRIPT {
            &["./chance.sh", "bug.txt"]
        } else {
            &["bug.txt", "--", "./chance.sh", "{}"]
        };
        for (percent, seed) in [(10, 1), (30, 2), (50, 3), (50, 4), (90, 5), (90, 6)] {
            let sandbox = Sandbox::new();
            of_chance(&sandbox, "chance.sh", percent, seed, kind);
            let run = sandbox.nubbin(words);
            let hint = run.stderr.rsplit("hint: ").next().unwrap_or_default();
            assert!(run.code() == 0 || hint.contains("--flaky 0.95"), "{percent} %: {run:?}");
        }
    }
}

#[apply(test)]
fn a_flaky_command_that_needs_a_file_next_to_the_input_gets_it() {
    let sandbox = Sandbox::new();
    of_chance(&sandbox, "chance.sh", 30, 3, COMMAND);
    sandbox.file("run.sh", "exec ./chance.sh \"$1\"\n");
    let run = sandbox.nubbin(&[
        "-j",
        "1",
        "--max-candidates",
        "1",
        "--flaky",
        "0.95",
        "bug.txt",
        "--",
        "sh",
        "run.sh",
        "{}",
    ]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(run.stderr.contains("exits with status 4"), "{run:?}");
}

#[apply(test)]
fn a_flaky_rate_must_be_valid() {
    let sandbox = sandbox();
    for rate in ["0", "1", "100%", "-5%", "NaN", "much"] {
        let run = sandbox.nubbin(&["--flaky", &format!("0.95,{rate}"), "true", "bug.txt"]);
        assert_eq!(run.code(), 2, "{run:?}");
    }
}
