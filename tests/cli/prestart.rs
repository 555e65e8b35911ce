//! Processes that are started before their candidates exist, and wait for them.

use crate::alive::wait_until_gone;
use crate::sandbox::{Finished, Sandbox};
use rustix::process::Signal;

const INPUT: &str = "one\ntwo\nneedle\nthree\nfour\nfive\nsix\nseven\n";

/// Creates a sandbox with an input and an oracle with this text, which can write to `log`.
fn sandbox(body: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", INPUT);
    sandbox.file("log", "");
    sandbox.oracle("oracle.sh", &body.replace("LOG", &format!("'{}'", sandbox.path("log").display())));
    sandbox
}

fn run(sandbox: &Sandbox, more: &[&str]) -> Finished {
    let words = ["--unit", "line", "--json", "./oracle.sh", "bug.txt"];
    sandbox.nubbin(&[more, &words].concat())
}

#[track_caller]
fn assert_reduced(sandbox: &Sandbox, run: &Finished) {
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.txt"), "needle\n", "{run:?}");
}

/// Returns the number of probes in the summary of a run.
#[track_caller]
fn probes(run: &Finished) -> usize {
    let summary: serde_json::Value = serde_json::from_str(&run.stdout).expect("a summary");
    summary["probes"]["all"].as_u64().expect("a number") as usize
}

#[apply(test)]
fn a_script_starts_before_its_candidate_with_the_same_results() {
    let sandbox = sandbox(
        "d=$(mktemp -d)\necho needle >\"$d/pattern\"\n[ -e \"$1\" ] || echo early >>LOG\nset -e\nnubbin-wait\n\
         nubbin-wait\ngrep -q -f \"$d/pattern\" \"$1\" && grep -q -f \"$d/pattern\" bug.txt && test \"$PWD/bug.txt\" = \"$1\"",
    );
    let mut all = Vec::new();
    for jobs in ["-j1", "-j2"] {
        for number in ["0", "1", "3"] {
            sandbox.file("log", "");
            let run = run(&sandbox, &[jobs, "--prestart", number]);
            assert_reduced(&sandbox, &run);
            assert!(!run.stderr.contains("cannot be started in advance"), "{run:?}");
            let early = sandbox.read("log").lines().count();
            assert_eq!(early > 0, number != "0", "{run:?}");
            all.push(probes(&run));
        }
    }
    assert!(all.iter().all(|probes| *probes == all[0]), "{all:?}");
}

#[apply(test)]
fn every_sandbox_lets_a_process_wait() {
    let sandbox = sandbox("[ -e \"$1\" ] || echo early >>LOG\nnubbin-wait\ngrep -q needle \"$1\"");
    for more in [
        &["--sandbox", "off"][..],
        &["--sandbox", "auto"],
        &["--sandbox", "no-network"],
        &["--limit", "processes=20"],
        &["--sandbox", "private"],
    ] {
        sandbox.file("log", "");
        let run = run(&sandbox, &[more, &["--prestart", "2"]].concat());
        assert_reduced(&sandbox, &run);
        assert!(!sandbox.read("log").is_empty(), "{more:?}: {run:?}");
    }
}

#[apply(test)]
fn a_script_that_cannot_wait_is_named_and_each_run_has_a_process() {
    for (body, why) in [
        ("grep -q needle \"$1\"", "exited with status 2 before it reached `nubbin-wait`"),
        (
            "test -e \"$1\" || kill -9 $$\nnubbin-wait\ngrep -q needle \"$1\"",
            "was killed by SIGKILL before it reached",
        ),
        (
            "test -e \"$1\" || touch none\nnubbin-wait\ntest ! -e none && grep -q needle \"$1\"",
            "its result on the unchanged input differs",
        ),
    ] {
        let sandbox = sandbox(body);
        let alone = run(&sandbox, &[]);
        let ahead = run(&sandbox, &["--prestart", "2"]);
        assert_reduced(&sandbox, &ahead);
        assert!(ahead.stderr.contains(why), "{ahead:?}");
        assert_eq!(probes(&alone), probes(&ahead));
    }
}

#[apply(test)]
fn a_script_that_never_calls_nubbin_wait_is_not_waited_for_forever() {
    let sandbox = sandbox("test -e \"$1\" || sleep 1000\ngrep -q needle \"$1\"");
    let run = run(&sandbox, &["--prestart", "1", "--timeout", "1"]);
    assert_reduced(&sandbox, &run);
    assert!(run.stderr.contains("did not reach `nubbin-wait` within the time limit"), "{run:?}");
}

#[apply(test)]
fn output_before_the_wait_belongs_to_the_next_candidate() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", INPUT);
    sandbox.file(
        "tool.sh",
        "echo first $$; echo second >&2\nnubbin-wait\ngrep -q needle \"$1\" && echo \"found $$\"\nexit 0\n",
    );
    let words = [
        "--prestart",
        "2",
        "--unit",
        "line",
        "--stdout",
        "^first (\\d+)\\nfound \\d+\\n$",
        "--stderr",
        "^second\\n$",
    ];
    let run = sandbox.nubbin(&[&words[..], &["bug.txt", "--", "sh", "tool.sh", "{}"]].concat());
    assert_reduced(&sandbox, &run);
    assert!(!run.stderr.contains("cannot be started in advance"), "{run:?}");
}

#[apply(test)]
fn a_process_has_one_candidate_and_sees_no_other() {
    let sandbox = sandbox(
        "for mark in mark \"$TMPDIR/mark\"; do [ -e $mark ] && exit 1; touch $mark; done\nnubbin-wait\n\
         [ \"$(ls \"$TMPDIR\")\" = mark ] && [ \"$(ls | tr '\\n' ' ')\" = 'bug.txt mark ' ] || exit 1\ngrep -q needle \"$1\"",
    );
    let run = run(&sandbox, &["-j2", "--prestart", "2"]);
    assert_reduced(&sandbox, &run);
    assert!(!run.stderr.contains("note"), "{run:?}");
}

#[apply(test)]
fn a_blocked_candidate_costs_only_the_process() {
    let sandbox =
        sandbox("mkdir -p \"$1\" 2>/dev/null && echo x >\"$1/x\"\nnubbin-wait\ngrep -q needle \"$1\"");
    let run = run(&sandbox, &["--prestart", "1"]);
    assert_reduced(&sandbox, &run);
}

#[apply(test)]
fn processes_that_die_while_they_wait_are_replaced() {
    let sandbox = sandbox(
        "echo x >>LOG\nif [ $(($(wc -l <LOG) % 3)) = 0 ]; then (sleep 0.01; kill -9 $$) & fi\nnubbin-wait\ngrep -q needle \"$1\"",
    );
    let run = run(&sandbox, &["-j1", "--prestart", "3"]);
    assert_reduced(&sandbox, &run);
}

#[apply(test)]
fn files_and_directories_reach_a_waiting_process() {
    let sandbox = Sandbox::new();
    std::fs::create_dir(sandbox.path("project")).expect("made");
    sandbox.file("project/a.txt", INPUT);
    sandbox.file("project/b.txt", "other\nthing\n");
    sandbox.file("words", "needle\n");
    sandbox.file("log", "");
    let log = sandbox.path("log");
    sandbox.oracle(
        "oracle.sh",
        &format!("[ -e \"$1\" ] || echo early >>'{}'\nnubbin-wait\ngrep -rq needle \"$1\"", log.display()),
    );
    let folder = sandbox.nubbin(&["--prestart", "1", "--unit", "line", "./oracle.sh", "project"]);
    assert_eq!(folder.code(), 0, "{folder:?}");
    assert_eq!(sandbox.read("project.reduced/a.txt"), "needle\n");
    assert!(!sandbox.read("log").is_empty(), "{folder:?}");
    let files = sandbox.nubbin(&[
        "--prestart",
        "1",
        "--unit",
        "line",
        "-o",
        "out",
        "./oracle.sh",
        "project/a.txt",
        "project/b.txt",
    ]);
    assert_eq!(files.code(), 0, "{files:?}");
    assert_eq!(sandbox.read("out/a.txt"), "needle\n");
    // The files that the command needs in addition to its input exist before the candidate.
    sandbox.file("log", "");
    sandbox.file("bug.txt", INPUT);
    sandbox.file(
        "tool.sh",
        format!("cat words >\"$TMPDIR/words\"\n[ -e bug.txt ] || echo early >>'{}'\nnubbin-wait\ngrep -q -f \"$TMPDIR/words\" bug.txt && exit 3\nexit 0\n", log.display()),
    );
    let linked = sandbox.nubbin(&["--prestart", "2", "--unit", "line", "bug.txt", "--", "sh", "tool.sh"]);
    assert_reduced(&sandbox, &linked);
    assert!(!sandbox.read("log").is_empty(), "{linked:?}");
}

#[apply(test)]
fn a_script_that_reads_its_candidate_too_early_is_detected() {
    // It is correct on the unchanged input, and wrong on small ones.
    let sandbox = sandbox(
        "[ -e \"$1\" ] && early=no || early=yes\nnubbin-wait\n\
         if [ $early = yes ] && [ $(wc -l <\"$1\") -lt 100 ]; then exit 1; fi\ngrep -q needle \"$1\" && grep -q 'line 77$' \"$1\"",
    );
    let lines = (0..200).fold(String::new(), |lines, n| lines + &format!("line {n}\n"));
    sandbox.file("bug.txt", format!("{lines}needle\n"));
    let run = run(&sandbox, &["-j1", "--prestart", "2"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.txt"), "line 77\nneedle\n", "{run:?}");
    assert!(
        run.stderr.contains("a process that was started in advance judged a candidate uninteresting"),
        "{run:?}"
    );
}

#[apply(test)]
fn nubbin_wait_does_nothing_without_prestarted_processes() {
    let sandbox = sandbox("set -e\nnubbin-wait\ngrep -q needle \"$1\"");
    assert_reduced(&sandbox, &run(&sandbox, &[]));
    let check = sandbox.nubbin(&["check", "./oracle.sh", "bug.txt"]);
    assert_eq!(check.code(), 0, "{check:?}");
    let word = std::path::Path::new(env!("CARGO_BIN_EXE_nubbin-wait"));
    let folder = word.parent().expect("it is in one").display();
    let by_hand = sandbox.run("sh", &["-c", &format!("PATH='{folder}':$PATH ./oracle.sh bug.txt")]);
    assert_eq!(by_hand.code(), 0, "{by_hand:?}");
    // Another program of that name that is earlier in `PATH` also waits.
    sandbox.oracle(
        "oracle.sh",
        &format!("PATH='{folder}':$PATH\n[ -e \"$1\" ] && early=no || early=yes\nnubbin-wait || exit 1\n[ $early = yes ] || [ -z \"$NUBBIN_WAIT\" ] || exit 1\ngrep -q needle \"$1\""),
    );
    let run = run(&sandbox, &["-j1", "--prestart", "1"]);
    assert_reduced(&sandbox, &run);
    assert!(!run.stderr.contains("note"), "{run:?}");
}

#[apply(test)]
fn files_written_next_to_nubbin_wait_are_removed_before_the_next_run() {
    let sandbox = sandbox(
        "place=${PATH##*:}\n[ -e \"$place/left\" ] && echo found >>LOG\n\
         echo x >\"$place/left\" || echo refused >>LOG\nnubbin-wait\ngrep -q needle \"$1\"",
    );
    for number in ["0", "1"] {
        let run = run(&sandbox, &["-j1", "--prestart", number]);
        assert_reduced(&sandbox, &run);
        assert_eq!(sandbox.read("log"), "", "{run:?}");
    }
}

#[apply(test)]
fn an_interrupt_leaves_no_waiting_process() {
    let sandbox = sandbox(
        "trap '' TERM\nsleep 1000 & echo $! $$ | tr ' ' '\\n' >>LOG\nnubbin-wait\n[ $(wc -l <LOG) -lt 18 ] || sleep 1000\ngrep -q needle \"$1\"",
    );
    let words = ["--prestart", "2", "-j2", "--unit", "line", "./oracle.sh", "bug.txt"];
    let mut running = sandbox.start_nubbin(&words);
    running.wait_until(|sandbox| sandbox.read("log").lines().count() >= 18);
    running.signal(Signal::TERM);
    let run = running.wait();
    assert_eq!(run.signal(), Some(15), "{run:?}");
    wait_until_gone(&sandbox.read("log"));
}

#[apply(test)]
fn a_server_or_a_flaky_test_is_not_prestarted() {
    let sandbox = sandbox("nubbin-wait");
    for more in [&["--flaky", "0.9"][..], &["--server", "cat"]] {
        let run = run(&sandbox, &[&["--prestart", "1"], more].concat());
        assert_eq!(run.code(), 2, "{run:?}");
        assert!(run.stderr.contains("--prestart"), "{run:?}");
    }
}
