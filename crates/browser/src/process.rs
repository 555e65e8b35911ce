//! The process of a browser: start, memory usage and end.

use rustix::process::{Pid, Signal, WaitOptions};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command};
use tempfile::TempDir;

/// The number of bytes of the browser's output that are read.
pub(crate) const MOST_SAID: usize = 4096;

/// A running browser; dropping it ends all its processes.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    /// The directory of the profile, which is removed with the process.
    _profile: TempDir,
}

/// Creates a directory for a profile in `directory`.
///
/// # Errors
/// Returns the system's error.
pub(crate) fn profile(directory: &Path) -> io::Result<TempDir> {
    TempDir::with_prefix_in("profile", directory)
}

/// Returns the end of the browser's output.
pub(crate) fn tail(mut said: &File) -> String {
    let mut text = Vec::new();
    let end = said.seek(SeekFrom::End(0)).unwrap_or_default();
    let most = i64::try_from(end).unwrap_or_default().min(MOST_SAID as i64);
    let _ = said.seek(SeekFrom::End(-most)).and_then(|_| said.read_to_end(&mut text));
    String::from_utf8_lossy(&text).into_owned()
}

impl Process {
    /// Starts a browser with this profile.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn start(mut program: Command, profile: TempDir) -> io::Result<Self> {
        Ok(Self { child: program.process_group(0).spawn()?, _profile: profile })
    }

    /// Returns the approximate amount of private memory of all its processes, in bytes.
    pub fn memory(&self) -> u64 {
        let mut processes = vec![self.child.id().to_string()];
        let mut pages = 0;
        while let Some(process) = processes.pop() {
            let text = std::fs::read_to_string(format!("/proc/{process}/statm")).unwrap_or_default();
            let mut numbers =
                text.split_whitespace().skip(1).map(|number| number.parse::<u64>().unwrap_or(0));
            let (resident, shared) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
            pages += resident.saturating_sub(shared);
            for thread in std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten() {
                let children = std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
                processes.extend(children.split_whitespace().map(str::to_owned));
            }
        }
        pages * rustix::param::page_size() as u64
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(group) = Pid::from_raw(self.child.id() as i32) {
            let _ = rustix::process::kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
        // Its helper processes can have become children of this process.
        while let Ok(Some(_)) = rustix::process::wait(WaitOptions::NOHANG) {}
    }
}
