//! Checks processes by their numbers, and waits for events.

use std::fmt::Debug;
use std::thread;
use std::time::{Duration, Instant};

/// How long a test waits for an event; no event takes longer, even on a busy machine.
pub const SOON: Duration = Duration::from_secs(60);

/// The time limits for probes that must reach their limit. If the machine is too busy to reach a certain
/// point within one limit, the next one is tried.
const LIMITS: [Duration; 4] =
    [Duration::from_millis(300), Duration::from_secs(2), Duration::from_secs(8), Duration::from_secs(30)];

/// Asserts that a run has this result with one of the limits.
#[track_caller]
pub fn comes_to<T: PartialEq + Debug>(expected: &T, run: impl Fn(Duration) -> T) {
    let (last, others) = LIMITS.split_last().expect("there are some");
    if !others.iter().any(|&limit| run(limit) == *expected) {
        assert_eq!(run(*last), *expected);
    }
}

/// Returns the state of a process as the letter that the system uses; `None` if the process does not exist.
/// The number can be that in the sandbox, where processes have separate numbers.
pub fn state(pid: &str) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", outside(pid)?)).ok()?;
    stat.rsplit(") ").next()?.chars().next()
}

/// Returns the number of a process in this namespace from its number in the sandbox.
pub fn outside(pid: &str) -> Option<i32> {
    let numbers = std::fs::read_dir("/proc").ok()?.flatten().filter_map(|entry| {
        let here = entry.file_name().to_str()?.parse::<i32>().ok()?;
        let status = std::fs::read_to_string(entry.path().join("status")).ok()?;
        let all = status.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
        Some((here, all.split_whitespace().next_back()?.to_owned()))
    });
    numbers.into_iter().find(|(_, inside)| inside == pid.trim()).map(|(here, _)| here)
}

/// Returns whether the process exists and is not a zombie.
pub fn is_alive(pid: &str) -> bool {
    !matches!(state(pid), None | Some('Z' | 'X'))
}

/// Waits until `is_so` returns true; `what` names the event in the message if it never occurs.
#[track_caller]
pub fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < SOON, "it never came: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until none of these processes exists any more.
#[track_caller]
pub fn wait_until_gone(pids: &str) {
    wait_until(&format!("the end of {pids}"), || !pids.split_whitespace().any(is_alive));
}
