//! Signals: the current best is kept, no process is left, and the parent process sees the signal.

use crate::alive::{comes_to, outside, state, wait_until, wait_until_gone};
use crate::sandbox::{Sandbox, seconds};
use rustix::fs::FlockOperation;
use rustix::process::{Pid, Signal};
use std::thread;
use std::time::Duration;

const INPUT: &str = "one\ntwo\nneedle\nthree\n";

/// Asserts that none of the processes that the oracle wrote into `pids` is left.
#[track_caller]
fn assert_gone(sandbox: &Sandbox) {
    wait_until_gone(&sandbox.read("pids"));
}

/// Returns the parent of a process.
fn parent(pid: i32) -> Option<i32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat.rsplit(") ").next()?.split_whitespace().nth(1)?.parse().ok()
}

/// Returns the warden's processes, the inner one first, for an oracle process.
fn wardens(oracle: &str) -> Vec<Pid> {
    let inner = outside(oracle).and_then(parent).expect("the oracle runs");
    let outer = parent(inner).expect("it runs");
    [inner, outer].into_iter().filter_map(Pid::from_raw).collect()
}

/// Creates a sandbox whose oracle writes its process number into `pids` and then sleeps, unless `until`
/// succeeds first.
fn sandbox(until: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", INPUT);
    let pids = sandbox.path("pids");
    let body = format!("{until}\nsleep 1000 & echo $! $$ | tr ' ' '\\n' >>'{}'; wait", pids.display());
    sandbox.oracle("oracle.sh", &body);
    sandbox
}

fn is_asleep(sandbox: &Sandbox) -> bool {
    sandbox.has("pids") && sandbox.read("pids").lines().count() >= 2
}

#[apply(test)]
fn an_interrupt_during_the_first_run_changes_nothing() {
    let sandbox = sandbox("");
    for (signal, number) in [(Signal::INT, 2), (Signal::TERM, 15), (Signal::HUP, 1)] {
        let _ = std::fs::remove_file(sandbox.path("pids"));
        let mut running = sandbox.start_nubbin(&["./oracle.sh", "bug.txt"]);
        running.wait_until(is_asleep);
        running.signal(signal);
        let run = running.wait();
        assert_eq!(run.signal(), Some(number), "{run:?}");
        assert!(run.stderr.contains("interrupted; nothing was changed"), "{run:?}");
        assert!(!sandbox.has("bug.reduced.txt"));
        assert_gone(&sandbox);
    }
}

#[apply(test)]
fn signals_are_also_tested_if_they_are_ignored() {
    let tests = std::env::current_exe().expect("it is known");
    let test = "interrupt::an_interrupt_during_the_first_run_changes_nothing";
    let line = format!("trap '' HUP INT; exec '{}' --exact {test}", tests.display());
    let run = Sandbox::new().run("sh", &["-c", &line]);
    assert!(run.code() == 0 && run.stdout.contains("1 passed"), "{run:?}");
}

#[apply(test)]
fn a_second_interrupt_leaves_no_process_either() {
    let sandbox = sandbox("trap '' TERM");
    let mut running = sandbox.start_nubbin(&["./oracle.sh", "bug.txt"]);
    running.wait_until(is_asleep);
    running.signal(Signal::TERM);
    thread::sleep(Duration::from_millis(10));
    running.signal(Signal::TERM);
    let run = running.wait();
    assert_eq!(run.signal(), Some(15), "{run:?}");
    assert_gone(&sandbox);
}

#[apply(test)]
fn an_interrupt_later_keeps_the_best() {
    let until = "grep -q needle \"$1\" || exit 1; test $(wc -l <\"$1\") -ge 4 && exit 0\n\
                 test -e \"${0%/*}/second\" || { : >\"${0%/*}/second\"; exit 0; }";
    let sandbox = sandbox(until);
    let mut running = sandbox.start_nubbin(&["-j", "1", "--timeout", "600", "./oracle.sh", "bug.txt"]);
    running.wait_until(is_asleep);
    running.signal(Signal::INT);
    let run = running.wait();
    assert_eq!(run.signal(), Some(2), "{run:?}");
    assert!(run.stderr.contains("interrupted") && run.stderr.contains("bug.reduced.txt"), "{run:?}");
    let best = sandbox.read("bug.reduced.txt");
    assert!(best.contains("needle") && best.len() < INPUT.len(), "{best}");
    assert_gone(&sandbox);
}

/// Creates the directory of the probes' directories, none of which must be left.
fn work_dir(sandbox: &Sandbox) -> String {
    std::fs::create_dir(sandbox.path("work")).expect("made");
    sandbox.path("work").to_string_lossy().into_owned()
}

#[track_caller]
fn assert_empty(directory: &str) {
    let entries = || std::fs::read_dir(directory).expect("it is there").count();
    wait_until(&format!("the end of all in {directory}"), || entries() == 0);
}

#[apply(test)]
fn a_nubbin_that_is_killed_leaves_no_process_and_no_directory() {
    for daemon in [":", "(setsid sh -c 'echo $$ >>pids; trap \"\" TERM; sleep 1000; sleep 1000' &)"] {
        let pids = format!("cd \"${{0%/*}}\"; {daemon}; trap '' TERM");
        let sandbox = sandbox(&pids);
        let work = work_dir(&sandbox);
        let mut running = sandbox.start_nubbin(&["--work-dir", &work, "-j", "2", "./oracle.sh", "bug.txt"]);
        running.wait_until(is_asleep);
        running.signal(Signal::KILL);
        assert_eq!(running.wait().signal(), Some(9));
        assert_gone(&sandbox);
        assert_empty(&work);
    }
}

#[apply(test)]
fn leftovers_of_a_killed_nubbin_and_its_wardens_are_removed_by_the_next_run() {
    let sandbox = sandbox("");
    let work = work_dir(&sandbox);
    let entries = || std::fs::read_dir(&work).expect("it is there").count();
    let mut running = sandbox.start_nubbin(&["--work-dir", &work, "-j", "1", "./oracle.sh", "bug.txt"]);
    running.wait_until(is_asleep);
    let wardens = wardens(sandbox.read("pids").lines().nth(1).expect("the oracle's own"));
    let send = |signal| {
        for warden in &wardens {
            rustix::process::kill_process(*warden, signal).expect("it is there");
        }
    };
    // If it is stopped first, it cannot clean up between the two kills.
    send(Signal::STOP);
    running.signal(Signal::KILL);
    assert_eq!(running.wait().signal(), Some(9));
    // The outer one first: it would clean up after the other.
    for warden in wardens.iter().rev() {
        rustix::process::kill_process(*warden, Signal::KILL).expect("it is there");
    }
    let others = [sandbox.path("work/else"), sandbox.path("work/nubbin-lab-1-0123456789abcdef")];
    for other in &others {
        std::fs::create_dir(other).expect("made");
    }
    let held = std::fs::File::open(&others[1]).expect("it is there");
    rustix::fs::flock(&held, FlockOperation::LockExclusive).expect("the system has locks");
    assert_eq!(entries(), 3);
    let next = ["--work-dir", &work, "--no-journal", "grep -q needle", "bug.txt"];
    assert_eq!(sandbox.nubbin(&next).code(), 0);
    assert!(entries() == 2 && others.iter().all(|other| other.is_dir()));
    assert_gone(&sandbox);
}

#[apply(test)]
fn an_interrupt_leaves_no_directory() {
    let sandbox = sandbox("");
    let work = work_dir(&sandbox);
    let mut running = sandbox.start_nubbin(&["--work-dir", &work, "./oracle.sh", "bug.txt"]);
    running.wait_until(is_asleep);
    running.signal(Signal::INT);
    assert_eq!(running.wait().signal(), Some(2));
    assert_eq!(std::fs::read_dir(&work).expect("it is there").count(), 0);
    assert_gone(&sandbox);
}

/// Creates a sandbox with an oracle that writes its process number into `pids` and then takes half a second.
fn slow_oracle() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", "needle\n");
    let pids = sandbox.path("pids");
    let body = format!(
        "echo $$ >>'{}'; i=0; while [ $i -lt 10 ]; do sleep 0.05; i=$((i + 1)); done; grep -q needle \"$1\"",
        pids.display()
    );
    sandbox.oracle("oracle.sh", &body);
    sandbox
}

/// Stops a run for longer than the time limit of its oracle. Returns how often the oracle ran before the
/// interrupt, and whether it was reported as too slow. With `is_all`, the oracle and its warden also receive
/// the signal.
fn stopped(stop: Signal, is_all: bool, limit: Duration) -> (usize, bool) {
    let sandbox = slow_oracle();
    let limited = ["-j", "1", "--timeout", &seconds(limit), "./oracle.sh", "bug.txt"];
    let mut running = sandbox.start_nubbin(&limited);
    running.wait_until(|sandbox| sandbox.has("pids") && sandbox.read("pids").ends_with('\n'));
    let (own, pids) = (running.child.id().to_string(), sandbox.read("pids"));
    let oracle = pids.split_whitespace().next().expect("its number");
    let mut others = Vec::new();
    if is_all {
        others = wardens(oracle);
        others.extend(outside(oracle).and_then(Pid::from_raw));
    }
    let send = |signal| {
        running.signal(signal);
        for pid in &others {
            // The oracle may have ended before.
            let _ = rustix::process::kill_process(*pid, signal);
        }
    };
    send(stop);
    wait_until("the stop", || state(&own) == Some('T'));
    if stop == Signal::TSTP {
        wait_until("the oracle's stop", || matches!(state(oracle), Some('T' | 'D') | None));
    }
    thread::sleep(limit + Duration::from_secs(1));
    assert_eq!(state(&own), Some('T'));
    send(Signal::CONT);
    let runs = |sandbox: &Sandbox| sandbox.read("pids").lines().count();
    running.comes_to(|sandbox| runs(sandbox) > 1);
    let _ = rustix::process::kill_process(Pid::from_child(&running.child), Signal::INT);
    let run = running.wait();
    (runs(&sandbox), run.stderr.contains("did not finish within"))
}

#[apply(test)]
fn a_stop_from_the_terminal_stops_the_oracle_and_its_clock() {
    comes_to(&(2, false), |limit| stopped(Signal::TSTP, false, limit));
}

#[apply(test)]
fn an_unannounced_stop_is_not_a_timeout() {
    for is_all in [false, true] {
        // No run is repeated.
        comes_to(&(2, false), |limit| stopped(Signal::STOP, is_all, limit));
    }
}
