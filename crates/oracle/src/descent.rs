//! Finds, counts, signals and ends the descendants of this process.
//!
//! The module requires a process that adopts orphaned descendants (`PR_SET_CHILD_SUBREAPER`) and has no
//! children except those of a probe, so every descendant belongs to the probe.

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions};
use std::collections::HashMap;
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

/// How long killed processes can take to disappear; some wait for a disk.
const PATIENCE: Duration = Duration::from_secs(5);

/// Returns the number of descendants. The search stops after `enough` of them.
pub(super) fn count(enough: usize) -> usize {
    descendants(enough).len()
}

pub(super) fn signal_all(signal: Signal) {
    if rustix::process::getpid() == Pid::INIT {
        // `kill(-1)` reaches every process of this PID namespace except this one in a single call, no matter
        // how fast they multiply.
        // SAFETY: the call takes only numbers.
        unsafe { libc::kill(-1, signal.as_raw()) };
        return;
    }
    for process in descendants(usize::MAX) {
        let _ = rustix::process::kill_process(process, signal);
    }
}

/// Kills and reaps every descendant. Without descendants, this takes one system call.
pub(super) fn end_all() {
    let mut deadline = None;
    loop {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Err(Errno::CHILD) => return,
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) | Err(_) => {
                let deadline = *deadline.get_or_insert_with(|| Instant::now() + PATIENCE);
                if Instant::now() > deadline {
                    return;
                }
                signal_all(Signal::KILL);
                thread::sleep(Duration::from_micros(200));
            }
        }
    }
}

/// Kills and reaps all children except `kept`, including orphans that its descendants left behind.
pub(super) fn end_all_but(kept: Pid) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let others: Vec<Pid> =
            children("self").unwrap_or_default().into_iter().filter(|child| *child != kept).collect();
        if others.is_empty() || Instant::now() > deadline {
            return;
        }
        for child in others {
            let _ = rustix::process::kill_process(child, Signal::KILL);
            let _ = rustix::process::waitpid(Some(child), WaitOptions::empty());
        }
    }
}

/// Returns the descendants, parents before their children, until `enough` are found.
fn descendants(enough: usize) -> Vec<Pid> {
    let Some(mut found) = children("self") else { return by_parents() };
    let mut next = 0;
    while next < found.len() && found.len() <= enough {
        let process = found[next].as_raw_nonzero().to_string();
        found.extend(children(&process).unwrap_or_default());
        next += 1;
    }
    found
}

/// Returns the children of all threads of a process; `None` if the kernel does not report them.
fn children(process: &str) -> Option<Vec<Pid>> {
    let mut found = Vec::new();
    for thread in fs::read_dir(format!("/proc/{process}/task")).ok()?.flatten() {
        let text = fs::read_to_string(thread.path().join("children")).ok()?;
        found.extend(text.split_whitespace().filter_map(pid));
    }
    Some(found)
}

/// Finds the descendants from the parent that each process in `/proc` reports.
fn by_parents() -> Vec<Pid> {
    let mut families: HashMap<Pid, Vec<Pid>> = HashMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        // The process name is in parentheses and can contain any character; the state and the parent follow
        // it.
        let parent = stat.rsplit(") ").next().and_then(|rest| rest.split_whitespace().nth(1)).and_then(pid);
        let process = entry.file_name().to_str().and_then(pid);
        if let (Some(parent), Some(process)) = (parent, process) {
            families.entry(parent).or_default().push(process);
        }
    }
    let mut found = families.remove(&rustix::process::getpid()).unwrap_or_default();
    let mut next = 0;
    while next < found.len() {
        found.extend(families.remove(&found[next]).unwrap_or_default());
        next += 1;
    }
    found
}

fn pid(text: &str) -> Option<Pid> {
    text.parse().ok().and_then(Pid::from_raw)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn both_ways_find_children_and_grandchildren() {
        let mut child = Command::new("sh").args(["-c", "sleep 1000 & wait"]).spawn().expect("a shell");
        let id = Pid::from_child(&child);
        let start = Instant::now();
        let grandchild = loop {
            match children(&child.id().to_string()).as_deref() {
                Some([grandchild]) => break Some(*grandchild),
                None => break None,
                Some(_) => assert!(start.elapsed() < PATIENCE, "the shell starts nothing"),
            }
        };
        for found in [descendants(usize::MAX), by_parents()] {
            assert!(found.contains(&id), "{found:?}");
            assert!(grandchild.is_none_or(|grandchild| found.contains(&grandchild)), "{found:?}");
        }
        if let Some(grandchild) = grandchild {
            rustix::process::kill_process(grandchild, Signal::KILL).expect("it is there");
        }
        child.wait().expect("a child");
    }
}
