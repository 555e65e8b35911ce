//! Runs on other machines: a cluster in one process, and launcher commands.

use crate::buildbox::Buildbox;
use crate::sandbox::{Finished, Sandbox};

const INPUT: &str = "one\ntwo\nneedle\nthree\nfour\nfive\nsix\nseven\n";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", INPUT);
    sandbox
}

/// Reduces `bug.txt` on a cluster only.
fn run(sandbox: &Sandbox, address: &str, more: &[&str]) -> Finished {
    let all = ["-j0", "--unit", "line", "--remote", address, "--remote-jobs", "3"];
    sandbox.nubbin_confined(&[&all[..], more].concat())
}

#[track_caller]
fn assert_reduced(sandbox: &Sandbox, run: &Finished) {
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("bug.reduced.txt"), "needle\n", "{run:?}");
}

#[apply(test)]
fn a_cluster_runs_a_local_script_with_its_files_and_the_same_result() {
    let buildbox = Buildbox::start();
    let sandbox = sandbox();
    sandbox.file("words.txt", "needle\n");
    let oracle = sandbox.file("oracle.sh", "#!/bin/sh\ngrep -qf words.txt \"$1\"\n");
    std::fs::set_permissions(oracle, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let run = run(&sandbox, &buildbox.address(), &["--needs", "words.txt", "./oracle.sh", "bug.txt"]);
    assert_reduced(&sandbox, &run);
    assert!(run.stderr.contains("up to 3 actions on `grpc://"), "{run:?}");
}

#[apply(test)]
fn a_directory_with_a_link_is_sent_to_a_cluster() {
    let buildbox = Buildbox::start();
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.path("project/sub")).unwrap();
    sandbox.file("project/main.txt", "one\ntwo\n");
    sandbox.file("project/sub/other.txt", "three\nneedle\nfour\n");
    std::os::unix::fs::symlink("sub/other.txt", sandbox.path("project/link.txt")).unwrap();
    let address = buildbox.address();
    let words = [
        "-j0",
        "--remote",
        &address,
        "project",
        "--",
        "sh",
        "-c",
        "grep -q needle {}/link.txt && exit 3; exit 0",
    ];
    let run = sandbox.nubbin_confined(&words);
    assert_eq!(run.code(), 0, "{run:?}");
    assert_eq!(sandbox.read("project.reduced/link.txt").trim(), "needle", "{run:?}");
    assert!(!sandbox.has("project.reduced/main.txt"), "{run:?}");
}

#[apply(test)]
fn a_command_keeps_its_failure_and_its_signal_on_a_cluster() {
    let buildbox = Buildbox::start();
    let sandbox = sandbox();
    let script = "grep -q needle \"$1\" && kill -SEGV $$; exit 0";
    let run = run(&sandbox, &buildbox.address(), &["bug.txt", "--", "sh", "-c", script, "sh", "{}"]);
    assert_reduced(&sandbox, &run);
    assert!(run.stderr.contains("SIGSEGV"), "{run:?}");
}

#[apply(test)]
fn a_test_that_behaves_differently_on_the_cluster_is_detected_first() {
    let buildbox = Buildbox::start();
    let sandbox = sandbox();
    let script = "test \"$ONLY_HERE\" = 1 && grep -q needle \"$1\"";
    let all = ["-j0", "--unit", "line", "--remote", &buildbox.address()];
    let nubbin = env!("CARGO_BIN_EXE_nubbin");
    let oracle = sandbox.file("oracle.sh", script);
    std::fs::set_permissions(oracle, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let with = |more: &[&str]| {
        let words = [&["ONLY_HERE=1", nubbin], &all[..], more, &["./oracle.sh", "bug.txt"]].concat();
        sandbox.run("env", &words)
    };
    let refused = with(&[]);
    assert_eq!(refused.code(), 5, "{refused:?}");
    assert!(refused.stderr.contains("exited with status 1 on the cluster"), "{refused:?}");
    assert!(refused.stderr.contains("--remote-option env=NAME=VALUE"), "{refused:?}");
    assert!(!sandbox.has("bug.reduced.txt"));
    assert_reduced(&sandbox, &with(&["--remote-option", "env=ONLY_HERE"]));
}

#[apply(test)]
fn a_lost_cluster_is_reported_once_and_the_run_continues_locally() {
    let mut buildbox = Buildbox::start();
    let sandbox = sandbox();
    // The cluster disappears at the first candidate that is smaller than the input.
    let waits = format!(
        "[ \"$(wc -l <\"$1\")\" -gt 0 ] && [ \"$(wc -l <\"$1\")\" -lt 8 ] && [ ! -e '{0}/here' ] && sleep 60; grep -q needle \"$1\"",
        sandbox.path("").display()
    );
    sandbox.oracle("oracle.sh", &waits);
    let address = buildbox.address();
    let words = [
        "-j0",
        "--unit",
        "line",
        "--timeout",
        "90",
        "--remote",
        &address,
        "--remote-option",
        "patience=1",
        "./oracle.sh",
        "bug.txt",
    ];
    let running = sandbox.start_nubbin(&words);
    crate::alive::wait_until("the cluster is asked", || {
        sandbox.read_so_far("the-stderr").contains("actions on")
    });
    buildbox.kill();
    sandbox.file("here", "");
    let run = running.wait();
    assert_reduced(&sandbox, &run);
    assert_eq!(run.stderr.matches("continuing locally").count(), 1, "{run:?}");
}

#[apply(test)]
fn a_cluster_that_is_killed_and_comes_back_is_waited_for() {
    let mut buildbox = Buildbox::start();
    let sandbox = sandbox();
    sandbox.oracle("oracle.sh", "sleep 0.1; grep -q needle \"$1\"");
    let address = buildbox.address();
    let words = [
        "-j0",
        "--unit",
        "line",
        "--remote",
        &address,
        "--remote-option",
        "lost=wait",
        "./oracle.sh",
        "bug.txt",
    ];
    let running = sandbox.start_nubbin(&words);
    crate::alive::wait_until("the cluster is asked", || {
        sandbox.read_so_far("the-stderr").contains("actions on")
    });
    buildbox.restart();
    let run = running.wait();
    assert_reduced(&sandbox, &run);
    // All runs except the first ones and the confirmations are on the cluster, which cannot write here.
    assert!(sandbox.calls() < 12, "{run:?}");
}

#[apply(test)]
fn an_address_without_a_cluster_or_an_invalid_one_is_reported_with_a_hint() {
    let sandbox = sandbox();
    sandbox.oracle("oracle.sh", "grep -q needle \"$1\"");
    for (address, part) in [("http//nowhere", "grpc://HOST:PORT"), ("grpc://127.0.0.1:1", "cannot be used")] {
        let run = sandbox.nubbin(&["--remote", address, "./oracle.sh", "bug.txt"]);
        assert_eq!(run.code(), 5, "{run:?}");
        assert!(run.stderr.contains(part), "{run:?}");
    }
}

#[apply(test)]
fn options_that_conflict_with_a_cluster_are_refused() {
    let sandbox = sandbox();
    sandbox.oracle("oracle.sh", "grep -q needle \"$1\"");
    let remote = ["--remote", "grpc://127.0.0.1:1"];
    for (words, part) in [
        (vec!["-j0"], "`--jobs 0` is only possible with a cluster"),
        (vec!["--remote-jobs", "3"], "--remote"),
        ([&remote[..], &["--flaky", "0.95"]].concat(), "cannot be combined with `--flaky`"),
        ([&remote[..], &["--here"]].concat(), "local directory"),
    ] {
        let run = sandbox.nubbin(&[&words[..], &["./oracle.sh", "bug.txt"]].concat());
        assert_eq!(run.code(), 2, "{run:?}");
        assert!(run.stderr.contains(part), "{run:?}");
    }
}

#[apply(test)]
fn each_run_starts_with_the_launcher_command() {
    let sandbox = sandbox();
    sandbox.oracle("elsewhere", "shift 2; exec \"$@\"");
    let plain = sandbox.file("oracle.sh", "#!/bin/sh\ngrep -q needle \"$1\"\n");
    std::fs::set_permissions(plain, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let words = ["-j2", "--unit", "line", "--remote", "./elsewhere machine 7", "./oracle.sh", "bug.txt"];
    let run = sandbox.nubbin(&words);
    assert_reduced(&sandbox, &run);
    assert!(sandbox.read("calls").lines().all(|call| call.starts_with("machine 7 ")), "{run:?}");
    assert!(sandbox.calls() > 0, "{run:?}");
}
