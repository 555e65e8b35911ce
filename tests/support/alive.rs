//! Owns looking at processes by their numbers, and waiting for what is to happen soon.

use std::fmt::Debug;
use std::thread;
use std::time::{Duration, Instant};

/// Longer than anything takes that a test waits for, also on a machine with much else to do.
pub const SOON: Duration = Duration::from_secs(60);

/// Time limits for probes that run into theirs: where the machine was too busy to get as far as it has to within one, the
/// next one is tried.
const LIMITS: [Duration; 4] =
    [Duration::from_millis(300), Duration::from_secs(2), Duration::from_secs(8), Duration::from_secs(30)];

/// Asserts that a run comes to this at some limit.
#[track_caller]
pub fn comes_to<T: PartialEq + Debug>(expected: &T, run: impl Fn(Duration) -> T) {
    let (last, others) = LIMITS.split_last().expect("there are some");
    if !others.iter().any(|&limit| run(limit) == *expected) {
        assert_eq!(run(*last), *expected);
    }
}

/// The state of a process, as the system names it in one letter; none where there is no such process.
pub fn state(pid: &str) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).ok()?;
    stat.rsplit(") ").next()?.chars().next()
}

/// Whether the process is there and is no zombie.
pub fn is_alive(pid: &str) -> bool {
    !matches!(state(pid), None | Some('Z' | 'X'))
}

/// Waits until it is so.
#[track_caller]
pub fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < SOON, "it never came: {what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until none of these processes is there.
#[track_caller]
pub fn wait_until_gone(pids: &str) {
    wait_until(&format!("the end of {pids}"), || !pids.split_whitespace().any(is_alive));
}
