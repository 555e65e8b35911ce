//! The command oracle with real processes: what they write, what they leave behind, and how they are ended.

use crate::alive::{SOON, comes_to, wait_until_gone};
use nubbin::oracle::{CommandOracle, CommandRun, Error, Matcher, NoVerdict, Oracle, Protocol, Status};
use nubbin::{Cause, Verdict};
use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Returns an oracle that runs a shell command; the path of the candidate is its `$1`.
fn shell(line: &str) -> CommandOracle {
    CommandOracle::new("sh", ["-c", line, "sh", "{}"], "input.c")
}

fn run(oracle: &CommandOracle, candidate: &[u8]) -> CommandRun {
    oracle.run(candidate).expect("the oracle can be run")
}

fn script(directory: &Path, text: &str, mode: u32) -> std::path::PathBuf {
    let path = directory.join("oracle.sh");
    fs::write(&path, text).expect("written");
    fs::set_permissions(&path, Permissions::from_mode(mode)).expect("set");
    path
}

#[apply(test)]
fn the_candidate_is_alone_in_the_current_directory_under_its_own_name() {
    let ran = run(&shell(r#"ls -A; cat input.c; test "$1" -ef input.c && echo " $TMPDIR $PWD""#), b"int x;");
    let output = String::from_utf8(ran.stdout).expect("text");
    let words: Vec<&str> = output.split_whitespace().collect();
    assert_eq!(words[..3], ["input.c", "int", "x;"], "{output}");
    assert_ne!(words[3], words[4]);
    assert!(!Path::new(words[4]).exists(), "the directory is removed");
}

#[apply(test)]
fn the_path_is_appended_only_where_no_argument_holds_it() {
    let words = |oracle: CommandOracle| {
        String::from_utf8(run(&oracle, b"").stdout).expect("text").split_whitespace().count()
    };
    assert_eq!(words(CommandOracle::new("echo", ["a"], "f")), 1);
    assert_eq!(words(CommandOracle::new("echo", ["a"], "f").append_path(true)), 2);
    assert_eq!(words(CommandOracle::new("echo", ["x={}y{}"], "f").append_path(true)), 1);
}

#[apply(test)]
fn more_output_than_a_pipe_holds_does_not_block_and_its_two_ends_are_kept() {
    let ran =
        run(&shell("yes | head -c 3000000; echo end >&2; head -c 3000000 /dev/zero >&2; echo end"), b"");
    assert_eq!(ran.verdict, Verdict::Interesting);
    let is_short = |output: &[u8]| (128 << 10..129 << 10).contains(&output.len());
    assert!(is_short(&ran.stdout) && is_short(&ran.stderr), "{}, {}", ran.stdout.len(), ran.stderr.len());
    assert!(ran.stdout.starts_with(b"y\ny\n") && ran.stdout.ends_with(b"end\n"));
    assert!(ran.stderr.starts_with(b"end\n"));
}

#[apply(test)]
fn a_matcher_sees_more_of_the_output_than_is_kept() {
    let stderr = regex::bytes::Regex::new("needle").ok();
    let matcher = Matcher { status: Some(Status::Exit(3)), stderr, ..Matcher::default() };
    let zeros = "head -c 1000000 /dev/zero";
    let oracle = shell(&format!("({zeros}; echo needle; {zeros}) >&2; exit 3"));
    let ran = run(&oracle.protocol(Protocol::Match(matcher)), b"");
    assert_eq!(ran.verdict, Verdict::Interesting);
    assert!(!ran.stderr.windows(6).any(|part| part == b"needle"));
}

#[apply(test)]
fn what_the_test_leaves_running_is_killed() {
    let ran = run(&shell("sleep 1000 & echo $!"), b"");
    assert_eq!(ran.verdict, Verdict::Interesting);
    wait_until_gone(std::str::from_utf8(&ran.stdout).expect("a number").trim());
}

#[apply(test)]
fn a_test_that_ignores_sigterm_is_killed_at_the_time_limit_with_its_children() {
    let line = "trap '' TERM; sleep 1000 & echo $! $$; while :; do sleep 1000; done";
    comes_to(&2, |limit| {
        let start = Instant::now();
        let ran = run(&shell(line).limit(limit), b"");
        assert!(start.elapsed() < limit + SOON);
        assert_eq!((ran.status, ran.verdict), (Status::TimedOut, Verdict::Unresolved(Cause::Timeout)));
        let pids = String::from_utf8(ran.stdout).expect("numbers");
        wait_until_gone(&pids);
        pids.split_whitespace().count()
    });
}

#[apply(test)]
fn a_test_may_clean_up_at_the_time_limit() {
    let line = "trap 'echo cleaned; exit 0' TERM; sleep 1000 & wait";
    comes_to(&(Status::TimedOut, b"cleaned\n".to_vec()), |limit| {
        let ran = run(&shell(line).limit(limit), b"");
        (ran.status, ran.stdout)
    });
}

#[apply(test)]
fn the_stop_flag_ends_a_sleeping_probe() {
    let stop = Arc::new(AtomicBool::new(false));
    let oracle = shell("sleep 1000").stop(Arc::clone(&stop)).limit(Duration::from_secs(900));
    let start = Instant::now();
    let setter = thread::spawn(move || {
        thread::sleep(Duration::from_millis(100));
        stop.store(true, Ordering::Relaxed);
    });
    assert!(matches!(oracle.probe(b""), Err(NoVerdict::Interrupted)));
    assert!(start.elapsed() < SOON);
    setter.join().expect("the flag was set");
}

#[apply(test)]
fn directories_that_the_test_made_read_only_are_removed() {
    let root = tempfile::tempdir().expect("a directory");
    let line = r#"mkdir -p a/b "$TMPDIR/c"; touch a/b/f; chmod 500 a/b a . "$TMPDIR/c""#;
    assert_eq!(run(&shell(line).work_root(root.path()), b"").status, Status::Exit(0));
    assert_eq!(fs::read_dir(root.path()).expect("it is there").count(), 0);
}

#[apply(test)]
fn names_and_content_are_bytes() {
    let name = OsStr::from_bytes(b"caf\xe9 '\n.c");
    let oracle = CommandOracle::new("cat", [OsStr::from_bytes(b"{}")], name);
    assert_eq!(run(&oracle, b"\xff\0\r\n").stdout, b"\xff\0\r\n");
}

#[apply(test)]
fn a_signal_is_a_status_of_its_own() {
    let ran = run(&shell("kill -SEGV $$"), b"");
    assert_eq!((ran.status, ran.verdict), (Status::Signal(11), Verdict::Uninteresting));
}

#[apply(test)]
fn the_candidate_can_be_the_program() {
    let oracle = CommandOracle::new("{}", ["x"], "run.sh").permissions(Permissions::from_mode(0o755));
    assert_eq!(run(&oracle, b"#!/bin/sh\nexit 7\n").status, Status::Exit(7));
}

#[apply(test)]
fn each_reason_why_a_program_cannot_be_started_is_told_apart() {
    let directory = tempfile::tempdir().expect("a directory");
    let error = |text: &str, mode| {
        let path = script(directory.path(), text, mode);
        CommandOracle::new(path, [""; 0], "input").run(b"").expect_err("it cannot be run")
    };
    assert!(matches!(error("exit 0\n", 0o755), Error::NoShebang { .. }));
    assert!(matches!(error("#!/bin/sh\n", 0o644), Error::NotExecutable { .. }));
    assert!(matches!(error("#!/no/such/program\n", 0o755), Error::NoInterpreter { .. }));
    let missing = CommandOracle::new("no-such-program-anywhere", [""; 0], "input").run(b"");
    assert!(matches!(missing, Err(Error::NotFound { .. })));
    let no_root = shell("true").work_root("/no/such/directory").run(b"");
    assert!(matches!(no_root, Err(Error::Directory { .. })));
}
