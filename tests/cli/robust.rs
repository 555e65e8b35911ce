//! Behaviour on a machine with scarce resources: processes, disk space, time, or speed.

use crate::alive::wait_until;
use crate::harness::ignore;
use crate::sandbox::{Finished, INPUT, Sandbox, with_needle};
use crate::tools;
use rustix::process::{Pid, Signal};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

/// The number of processes in a crowd.
const CROWD: u32 = 20;

/// Runs as another user, with a limit of this many processes more than a crowd that exists from the start.
/// The crowd ends once the run has reported that it lacks a process.
fn run_in_a_crowd(sandbox: &Sandbox, jobs: &str, more: u32) -> Finished {
    tools::succeeds(&["prlimit", "--version"], "prlimit");
    // A user for this test only, whose processes are not counted by others.
    let user = (100_000 + 100 * (std::process::id() % 10_000) + more).to_string();
    let program = sandbox.path("nubbin");
    if !program.exists() {
        fs::copy(env!("CARGO_BIN_EXE_nubbin"), &program).expect("copied");
    }
    fs::set_permissions(sandbox.path(""), Permissions::from_mode(0o777)).expect("set");
    sandbox.file(
        "crowd.sh",
        format!(
            "echo $$ >pids.new; for _ in $(seq {CROWD}); do sleep 1000 & echo $! >>pids.new; done; mv pids.new pids; wait"
        ),
    );
    let limit = CROWD + more;
    let script = format!(
        "rm -f pids bug.reduced.txt; sh crowd.sh & while ! test -e pids; do :; done\n\
         HOME=/ exec prlimit --nproc={limit}:{limit} ./nubbin --no-config --no-journal {jobs} ./oracle.sh bug.txt"
    );
    let group = format!("--regid={user}");
    let as_user: Vec<&str> = if rustix::process::geteuid().is_root() {
        vec!["setpriv", "--reuid", &user, &group, "--clear-groups", "sh", "-c", &script]
    } else {
        // In the namespace, the processes of this user are counted from zero.
        vec!["unshare", "-U", "sh", "-c", &script]
    };
    let mut run = sandbox.start(as_user[0], &as_user[1..], std::process::Stdio::null());
    run.comes_to(|sandbox| sandbox.read_so_far("the-stderr").contains("starting a process failed"));
    let pids = sandbox.read_so_far("pids");
    for pid in pids.lines().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)) {
        let _ = rustix::process::kill_process(pid, Signal::KILL);
    }
    let finished = run.wait();
    let is_counted = |text: &str| text.contains("setpriv: ") || text.contains("unshare: ");
    if is_counted(&finished.stderr) || pids.is_empty() {
        ignore(format!("needs a user of its own: {}", finished.stderr.trim()));
    }
    wait_until("the end of the crowd", || {
        pids.lines().all(|pid| !fs::exists(format!("/proc/{pid}")).unwrap_or_default())
    });
    finished
}

/// Creates an input, and an oracle that starts no processes.
fn with_a_lonely_oracle() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", INPUT);
    let script =
        "#!/bin/sh\nwhile read -r line; do case $line in *needle*) exit 0;; esac; done <\"$1\"; exit 1\n";
    let oracle = sandbox.file("oracle.sh", script);
    fs::set_permissions(oracle, Permissions::from_mode(0o755)).expect("set");
    sandbox
}

#[apply(test)]
fn a_temporary_shortage_of_processes_does_not_end_a_run() {
    let sandbox = with_a_lonely_oracle();
    // The program, its threads, its helpers and the test need about ten processes, so each step fails for one
    // of the numbers.
    let mut waited = 0;
    for more in [3, 5, 7, 9] {
        let run = run_in_a_crowd(&sandbox, "-j1", more);
        assert_eq!(run.code(), 0, "{more} processes more: {run:?}");
        assert_eq!(sandbox.read("bug.reduced.txt"), "needle\n", "{run:?}");
        waited += usize::from(run.stderr.contains("note: starting a process failed"));
    }
    assert!(waited > 1, "it was met {waited} times");
}

#[apply(test)]
fn a_run_of_several_jobs_waits_out_a_shortage_as_well() {
    let sandbox = with_a_lonely_oracle();
    for more in [7, 13] {
        let run = run_in_a_crowd(&sandbox, "-j4", more);
        assert_eq!(run.code(), 0, "{more} processes more: {run:?}");
        assert_eq!(sandbox.read("bug.reduced.txt"), "needle\n", "{run:?}");
    }
}

/// Runs a shell script in a sandbox with a file system of one megabyte on `small`, with this number of free
/// bytes.
fn with_little_room(sandbox: &Sandbox, free: u32, words: &str) -> Finished {
    fs::create_dir_all(sandbox.path("small")).expect("made");
    let script = format!(
        "mount -t tmpfs -o size=1m none small || exit 99\nhead -c $((1048576 - {free})) /dev/zero >small/filler\n\
         exec '{}' --no-journal --work-dir small {words}",
        env!("CARGO_BIN_EXE_nubbin")
    );
    let run = sandbox.run("unshare", &["-rm", "sh", "-c", &script]);
    if run.status.code().is_none_or(|code| code == 99) || run.stderr.contains("unshare: ") {
        ignore(format!("needs a user who may mount a file system: {}", run.stderr.trim()));
    }
    run
}

#[apply(test)]
fn a_full_work_directory_is_reported_at_every_step() {
    let sandbox = with_needle();
    let mut refused = 0;
    for pages in 0..8 {
        let run = with_little_room(&sandbox, 4096 * pages, "'grep -q needle' bug.txt");
        if run.code() == 0 {
            assert!(pages > 0, "nothing can be done without any room");
            assert_eq!(sandbox.read("bug.reduced.txt"), "needle");
            continue;
        }
        refused += 1;
        assert_eq!(run.code(), 5, "{pages} pages: {run:?}");
        for text in ["small` for running the test: No space left on device", "`df -h ", "--work-dir DIR"] {
            assert!(run.stderr.contains(text), "{pages} pages: `{text}` in {}", run.stderr);
        }
    }
    assert!(refused > 2, "it was full {refused} times");
}

#[apply(test)]
fn candidates_without_space_are_not_reported_as_out_of_memory() {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", format!("{}needle\n", "straw\n".repeat(100_000)));
    let run = with_little_room(&sandbox, 500_000, "'grep -q needle' bug.txt");
    assert_eq!(run.code(), 5, "{run:?}");
    assert!(
        run.stderr.contains("No space left on device") && run.stderr.contains("--work-dir DIR"),
        "{run:?}"
    );
}

/// Returns the numbers of system call filters of the test in its runs; the minimum is that of a run without
/// tracing.
fn filters(sandbox: &Sandbox) -> (u32, u32) {
    let body = "grep -h Seccomp_filters: /proc/self/status >>seen || echo none >>seen; grep -q needle \"$1\"";
    sandbox.oracle("count.sh", &body.replace(">>seen", &format!(">>'{}'", sandbox.path("seen").display())));
    let run = sandbox.nubbin(&["--no-journal", "./count.sh", "bug.txt"]);
    assert_eq!(run.code(), 0, "{run:?}");
    let seen = sandbox.read("seen");
    let numbers: Vec<u32> =
        seen.lines().filter_map(|line| line.rsplit('\t').next()?.trim().parse().ok()).collect();
    match (numbers.iter().min(), numbers.iter().max()) {
        (Some(least), Some(most)) if least < most => (*least, *most),
        _ => ignore(format!("needs a kernel that traces a run and counts its filters: {seen}")),
    }
}

/// Creates an oracle that rejects whenever it is traced, like one whose own time limit is too short for
/// tracing, and otherwise runs the body.
fn untraced(sandbox: &Sandbox, name: &str, body: &str) {
    let (least, _) = filters(sandbox);
    let number = "n=$(sed -n 's/^Seccomp_filters:[[:space:]]*//p' /proc/self/status)";
    sandbox.oracle(name, &format!("{number}; test \"$n\" -le {least} || exit 1\n{body}"));
}

#[apply(test)]
fn a_script_that_rejects_only_while_traced_does_not_run_in_the_users_directory() {
    let sandbox = with_needle();
    untraced(&sandbox, "oracle.sh", "grep needle \"$1\"");
    for words in [&["-v", "./oracle.sh", "bug.txt"][..], &["check", "-j1", "./oracle.sh", "bug.txt"]] {
        let run = sandbox.nubbin(words);
        assert_eq!(run.code(), 0, "{run:?}");
        assert!(!run.stderr.contains("once in this directory"), "{run:?}");
        assert!(!run.stdout.contains("prints nothing"), "{run:?}");
    }
    assert_eq!(sandbox.read("bug.reduced.txt"), "needle");
}

#[apply(test)]
fn a_directory_can_be_reduced_by_a_script_that_rejects_while_traced() {
    let sandbox = with_needle();
    fs::create_dir(sandbox.path("project")).expect("made");
    sandbox.file("project/a.txt", "one\n");
    sandbox.file("project/b.txt", INPUT);
    untraced(&sandbox, "oracle.sh", "cat \"$1\"/* | grep needle");
    let run = sandbox.nubbin(&["-v", "-j2", "./oracle.sh", "project"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(!run.stderr.contains("once in this directory"), "{run:?}");
    assert!(!sandbox.has("project.reduced/a.txt"), "{run:?}");
}

#[apply(test)]
fn a_false_hang_is_detected_at_the_end_and_the_last_true_one_is_returned() {
    // Without `loop` it ends, but the first such candidate exceeds the time limit, as on a machine that is
    // busy for a while.
    let reduces = |options: &[&str]| {
        let sandbox = Sandbox::new();
        sandbox.file("bug.txt", "one\nloop\ntwo\n");
        let done = sandbox.path("done");
        let script = format!(
            "#!/bin/sh\ngrep -q loop \"$1\" && sleep 1000\n\
             test -e '{0}' && exit 0\ntest -s \"$1\" || exit 0\nsleep 2; touch '{0}'\n",
            done.display()
        );
        let tool = sandbox.file("tool.sh", script);
        fs::set_permissions(tool, Permissions::from_mode(0o755)).expect("set");
        let words = ["--hang", "--timeout", "0.4", "bug.txt", "--", "./tool.sh", "{}"];
        let run = sandbox.nubbin(&[options, &words].concat());
        assert_eq!(run.code(), 0, "{run:?}");
        assert_eq!(sandbox.read("bug.reduced.txt").trim(), "loop", "{run:?}");
        assert!(run.stderr.contains("note: the result finished when its time limit was "), "{run:?}");
    };
    // Nearly all of the time is spent waiting.
    std::thread::scope(|scope| {
        scope.spawn(|| reduces(&["-j1"]));
        scope.spawn(|| reduces(&["-j2", "--no-journal"]));
    });
}

#[apply(test)]
fn a_true_hang_is_confirmed_silently() {
    let sandbox = with_needle();
    sandbox.oracle("tool.sh", "grep -q needle \"$1\" && sleep 1000; exit 0");
    let run = sandbox.nubbin(&["-j1", "--hang", "--timeout", "0.5", "bug.txt", "--", "./tool.sh", "{}"]);
    assert_eq!((run.code(), sandbox.read("bug.reduced.txt").as_str()), (0, "needle"), "{run:?}");
    assert!(!run.stderr.contains("note: the result finished"), "{run:?}");
}

#[apply(test)]
fn a_command_that_hangs_at_first_runs_once_and_the_option_is_suggested() {
    // Changes by the first run in the original directory are undone, so the runs are counted elsewhere.
    let (sandbox, log) = (with_needle(), Sandbox::new());
    let calls = log.path("calls");
    let place = log.path("").display().to_string();
    sandbox.oracle("hang.sh", &format!("echo x >>'{}'; sleep 1000", calls.display()));
    let limit = ["--writable", &place, "--timeout", "0.5"];
    let run = sandbox.nubbin(&[&limit[..], &["bug.txt", "--", "./hang.sh", "{}"]].concat());
    assert_eq!((run.code(), log.calls()), (5, 1), "{run:?}");
    for text in
        ["`./hang.sh {}` did not finish within 500 ms", "`--hang --timeout SECONDS`", "raise the limit with"]
    {
        assert!(run.stderr.contains(text), "`{text}` in {}", run.stderr);
    }
    let run = sandbox.nubbin(&[&limit[..], &["./hang.sh", "bug.txt"]].concat());
    assert_eq!((run.code(), log.calls()), (5, 2), "{run:?}");
    assert!(!run.stderr.contains("--hang"), "a script says by itself what its failure is: {run:?}");
}

#[apply(test)]
fn another_exit_status_is_rejected_and_other_failures_are_still_reported() {
    let sandbox = with_needle();
    let body = "grep -q two \"$1\" || { echo 'x.c:1:2: internal compiler error: in fold, at fold.cc:3' >&2; exit 4; }\n\
                grep -q one \"$1\" || kill -SEGV $$\ngrep -q needle \"$1\" && exit 7; exit 3";
    sandbox.oracle("tool.sh", body);
    let run = sandbox.nubbin(&["-j1", "--exit-code", "7", "bug.txt", "--", "./tool.sh", "{}"]);
    assert_eq!(run.code(), 0, "{run:?}");
    assert!(run.stderr.contains("internal compiler error") || run.stderr.contains("gcc ICE"), "{run:?}");
    let unresolved = run.stderr.split(" unresolved").next().filter(|_| run.stderr.contains(" unresolved"));
    let number = |text: &str| text.rsplit([' ', '(']).next().and_then(|word| word.parse::<usize>().ok());
    let killed = unresolved.and_then(number).unwrap_or_default();
    let probes = sandbox.calls();
    assert!(killed * 4 < probes, "{killed} of {probes} were killed: {run:?}");
    // Only exit statuses are compared: no run is unresolved.
    let sandbox = with_needle();
    sandbox.oracle("tool.sh", "grep -q two \"$1\" || exit 4; grep -q needle \"$1\" && exit 7; exit 3");
    let run = sandbox.nubbin(&["-j1", "--exit-code", "7", "bug.txt", "--", "./tool.sh", "{}"]);
    assert!(run.code() == 0 && !run.stderr.contains("unresolved"), "{run:?}");
}

#[apply(test)]
fn standard_input_is_tested_with_garbage_like_a_file() {
    let command = ["--", "sh", "-c", "test -s \"$1\" || exit 0; exit 7", "x", "{}"];
    for name in ["-", "/dev/stdin"] {
        let sandbox = with_needle();
        let run = sandbox.nubbin_with(INPUT, &[&[name][..], &command].concat());
        assert_eq!((run.code(), run.stdout.as_str()), (11, ""), "{run:?}");
        assert!(run.stderr.contains("also exited with status 7 on random bytes"), "{run:?}");
    }
    // A more specific failure is reduced as before.
    let sandbox = with_needle();
    let words = ["--stdout", "needle", "-", "--", "cat", "{}"];
    let run = sandbox.nubbin_with(INPUT, &words);
    assert_eq!((run.code(), run.stdout.as_str()), (0, "needle"), "{run:?}");
}

#[apply(test)]
fn a_refused_run_reports_the_same_reason_as_check() {
    let sandbox = with_needle();
    let input = sandbox.path("bug.txt").display().to_string();
    let script = |name: &str, body: &str| {
        let path = sandbox.file(name, format!("#!/bin/sh\n{body}\n"));
        fs::set_permissions(path, Permissions::from_mode(0o755)).expect("set");
    };
    script("absolute.sh", &format!("grep -q needle '{input}'"));
    script("blind.sh", "true");
    script("stdin.sh", "grep -q needle");
    script("here.sh", "test -e bug.txt && grep -q needle \"$(dirname \"$1\")/bug.txt\" && exit 3; exit 4");
    for (name, code, reason) in [
        ("absolute.sh", 4, format!("wrong  looks at `{input}` itself and never at the candidate")),
        ("blind.sh", 4, "wrong  never looks at its argument".to_owned()),
        ("stdin.sh", 3, "wrong  reads the input from standard input".to_owned()),
    ] {
        let oracle = format!("./{name}");
        let run = sandbox.nubbin(&[&oracle, "bug.txt"]);
        assert_eq!(run.code(), code, "{run:?}");
        assert!(run.stderr.contains(&reason) && run.stderr.contains("fix: "), "{run:?}");
        assert!(!run.stderr.contains("to find the reason"), "it is there: {run:?}");
        let checked = sandbox.nubbin(&["check", "-j1", &oracle, "bug.txt"]);
        assert!(checked.stdout.contains(&reason), "{checked:?}");
        assert!(!sandbox.has("bug.reduced.txt"));
    }
    let run = sandbox.nubbin(&["./here.sh", "bug.txt"]);
    assert_eq!(run.code(), 3, "{run:?}");
    assert!(run.stderr.contains("exited with status 3") && !run.stderr.contains("wrong "), "{run:?}");
    assert!(run.stderr.contains("run `nubbin check` instead of `nubbin` to find the reason"), "{run:?}");
}
