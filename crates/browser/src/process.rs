//! The process of a browser: how it is started, how much memory it takes, and how it is ended.

use crate::pipe::Pipe;
use rustix::process::{Pid, Signal};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// Options against all that a page does not need and that takes time: a window has an address bar with pages of its own,
/// and a renderer is started ahead for a page of another site.
const FEATURES: &str = "--disable-features=Translate,OptimizationHints,MediaRouter,WebUIOmniboxPopup,\
                        WebUIOmniboxAimPopup,WebUIOmniboxFullPopup,PreloadTopChromeWebUI,SpareRendererForSitePerProcess,\
                        BackForwardCache";

/// The other words behind the name of a browser.
const FLAGS: [&str; 21] = [
    "--headless",
    "--remote-debugging-pipe",
    "--no-startup-window",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-default-apps",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-client-side-phishing-detection",
    "--disable-hang-monitor",
    "--disable-popup-blocking",
    "--disable-renderer-backgrounding",
    "--force-color-profile=srgb",
    "--hide-scrollbars",
    "--mute-audio",
    "--password-store=basic",
];

/// Only so many bytes of what a browser says are read.
const MOST_SAID: i64 = 4096;

/// A browser that runs; dropping it ends it with all of its processes.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    said: File,
    /// It holds the browser's profile.
    _profile: TempDir,
}

impl Process {
    /// Starts a browser with a new profile in `directory`.
    ///
    /// # Errors
    /// Returns the system's error.
    pub fn start(browser: &[String], no_sandbox: bool, directory: &Path) -> io::Result<(Self, Pipe)> {
        let profile = TempDir::with_prefix_in("profile", directory)?;
        let said = tempfile::tempfile_in(directory)?;
        let (its_commands, commands) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
        let (events, its_events) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
        // A shell moves them to the numbers by which the browser knows them.
        let child = Command::new("/bin/sh")
            .args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null", "sh"])
            .args(browser)
            .args(FLAGS)
            .arg(FEATURES)
            .args(no_sandbox.then_some("--no-sandbox"))
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::from(its_commands))
            .stdout(Stdio::from(its_events))
            .stderr(said.try_clone()?)
            .process_group(0)
            .spawn()?;
        Ok((Self { child, said, _profile: profile }, Pipe::new(commands, events)))
    }

    /// Returns the end of what it has said.
    pub fn said(&mut self) -> String {
        let mut text = Vec::new();
        let end = self.said.seek(SeekFrom::End(0)).unwrap_or_default();
        let most = i64::try_from(end).unwrap_or_default().min(MOST_SAID);
        let _ = self.said.seek(SeekFrom::End(-most)).and_then(|_| self.said.read_to_end(&mut text));
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Returns how much memory all of its processes have for themselves, about, in bytes.
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
    }
}
