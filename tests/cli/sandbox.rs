//! A directory with inputs and oracles, and runs of the binary in it.
//!
//! It asserts nothing about the binary's behaviour.

use crate::harness::ignore;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A run that takes longer is killed, and the test fails.
const OUTER_LIMIT: Duration = Duration::from_secs(600);

/// Subcommands other than a reduction that accept its options.
const MODES: [&str; 8] = ["triage", "browser", "options", "isolate", "maximize", "changes", "check", "init"];

/// An input whose failure is one line.
pub const INPUT: &str = "one\ntwo\nneedle\nthree\n";

/// Creates a sandbox with `bug.txt`, and an `oracle.sh` that searches for the needle in it.
pub fn with_needle() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("bug.txt", INPUT);
    sandbox.oracle("oracle.sh", "grep -q needle \"$1\"");
    sandbox
}

/// Returns a limit in the form of an argument.
pub fn seconds(limit: Duration) -> String {
    limit.as_secs_f64().to_string()
}

/// A separate directory for a test.
pub struct Sandbox {
    directory: tempfile::TempDir,
}

/// A completed run.
#[derive(Debug)]
pub struct Finished {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
}

impl Finished {
    /// Returns the exit code.
    #[track_caller]
    pub fn code(&self) -> i32 {
        self.status.code().unwrap_or_else(|| panic!("it was killed: {self:?}"))
    }

    /// Returns the signal that killed it.
    pub fn signal(&self) -> Option<i32> {
        self.status.signal()
    }
}

impl Sandbox {
    pub fn new() -> Self {
        Self { directory: tempfile::tempdir().expect("a directory") }
    }

    pub fn path(&self, name: impl AsRef<OsStr>) -> PathBuf {
        self.directory.path().join(name.as_ref())
    }

    pub fn file(&self, name: impl AsRef<OsStr>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).expect("written");
        path
    }

    pub fn read(&self, name: impl AsRef<OsStr>) -> String {
        let path = self.path(name);
        let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Returns the text of a file that may not exist yet.
    pub fn read_so_far(&self, name: &str) -> String {
        String::from_utf8_lossy(&fs::read(self.path(name)).unwrap_or_default()).into_owned()
    }

    pub fn has(&self, name: impl AsRef<OsStr>) -> bool {
        self.path(name).exists()
    }

    /// Creates an executable shell script that first logs each call to `calls`.
    pub fn oracle(&self, name: &str, body: &str) -> PathBuf {
        let calls = self.path("calls");
        let path = self.file(name, format!("#!/bin/sh\necho \"$@\" >>'{}'\n{body}\n", calls.display()));
        fs::set_permissions(&path, Permissions::from_mode(0o755)).expect("set");
        path
    }

    /// Returns the number of runs of the oracles.
    pub fn calls(&self) -> usize {
        fs::read_to_string(self.path("calls")).unwrap_or_default().lines().count()
    }

    /// Runs the binary in this directory, in which its oracles can write.
    pub fn nubbin(&self, arguments: &[impl AsRef<OsStr>]) -> Finished {
        self.run(env!("CARGO_BIN_EXE_nubbin"), &self.writable(arguments))
    }

    /// Runs the binary in this directory, in which its oracles cannot write.
    pub fn nubbin_confined(&self, arguments: &[impl AsRef<OsStr>]) -> Finished {
        self.run(env!("CARGO_BIN_EXE_nubbin"), arguments)
    }

    /// Returns the arguments, with permission to write here if they start a reduction.
    fn writable(&self, arguments: &[impl AsRef<OsStr>]) -> Vec<OsString> {
        let typed: Vec<OsString> = arguments.iter().map(|argument| argument.as_ref().to_owned()).collect();
        let is_option = |word: &OsString| word.as_encoded_bytes().starts_with(b"-");
        let is_one = |word: &OsString, of: &[&str]| of.iter().any(|one| word == one);
        let reduces_nothing = typed.first().is_some_and(|word| {
            is_one(word, &["history", "trust", "completions", "manual", "languages", "passes", "debug"])
        });
        if typed.len() < 2 || typed.iter().all(is_option) || reduces_nothing {
            return typed;
        }
        let leave = [OsString::from("--writable"), self.directory.path().into()];
        let first = usize::from(typed.first().is_some_and(|word| is_one(word, &MODES)));
        typed[..first].iter().cloned().chain(leave).chain(typed[first..].iter().cloned()).collect()
    }

    /// Requires that oracles can be prevented from writing here.
    pub fn needs_confinement(&self) {
        self.file("probe.txt", "x\n");
        let run = self.nubbin_confined(&["--sandbox", "strict", "grep -q x", "probe.txt"]);
        if run.code() == 5 {
            ignore(format!("needs a kernel with Landlock: {}", run.stderr.trim()));
        }
    }

    /// Runs the binary in this directory with this standard input.
    pub fn nubbin_with(&self, stdin: &str, arguments: &[&str]) -> Finished {
        let stdin = File::open(self.file("the-stdin", stdin)).expect("it is there");
        self.start(env!("CARGO_BIN_EXE_nubbin"), &self.writable(arguments), stdin.into()).wait()
    }

    /// Runs the binary in a subdirectory with the arguments of a shell command; it can write in this
    /// directory.
    pub fn nubbin_in(&self, folder: &str, words: &str) -> Finished {
        let (program, own) = (env!("CARGO_BIN_EXE_nubbin"), self.directory.path().display());
        self.run("sh", &["-c", &format!("cd '{folder}' && '{program}' --writable '{own}' {words}")])
    }

    pub fn run(&self, program: &str, arguments: &[impl AsRef<OsStr>]) -> Finished {
        self.start(program, arguments, Stdio::null()).wait()
    }

    /// Starts the binary without waiting for it.
    pub fn start_nubbin(&self, arguments: &[&str]) -> Running<'_> {
        self.start(env!("CARGO_BIN_EXE_nubbin"), &self.writable(arguments), Stdio::null())
    }

    pub fn start(&self, program: &str, arguments: &[impl AsRef<OsStr>], stdin: Stdio) -> Running<'_> {
        let output = |name: &str| File::create(self.path(name)).expect("a file");
        let child = ended_by_signals(program)
            .args(arguments)
            .current_dir(self.directory.path())
            // Tests do not depend on what is installed or configured on this machine.
            .env("NUBBIN_FORMATTER", "none")
            .env("NUBBIN_PREPROCESSOR", "none")
            .env("XDG_CONFIG_HOME", self.path("config"))
            .env("XDG_STATE_HOME", self.path("state"))
            .stdin(stdin)
            .stdout(output("the-stdout"))
            .stderr(output("the-stderr"))
            .spawn()
            .expect("it can be started");
        Running { sandbox: self, child }
    }
}

/// Creates a command for this program with default signal handling, even if this process was started to
/// ignore signals, as with `nohup` and the shell's `&`.
fn ended_by_signals(program: &str) -> Command {
    const WATCHED: [(&str, u32); 4] = [("HUP", 1), ("INT", 2), ("TERM", 15), ("TSTP", 20)];
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    let ignored = WATCHED.iter().filter(|(_, number)| mask & 1 << (number - 1) != 0);
    let ignored: Vec<&str> = ignored.map(|(name, _)| *name).collect();
    if ignored.is_empty() {
        return Command::new(program);
    }
    let mut command = Command::new("env");
    command.arg(format!("--default-signal={}", ignored.join(","))).arg(program);
    command
}

/// A running program.
pub struct Running<'a> {
    sandbox: &'a Sandbox,
    pub child: Child,
}

impl Running<'_> {
    /// Waits until `is_so` holds.
    #[track_caller]
    pub fn wait_until(&mut self, is_so: impl Fn(&Sandbox) -> bool) {
        let start = Instant::now();
        while !is_so(self.sandbox) {
            assert!(start.elapsed() < OUTER_LIMIT, "it never came: {}", self.sandbox.read("the-stderr"));
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until `is_so` holds or the run has ended. Returns whether it holds.
    pub fn comes_to(&mut self, is_so: impl Fn(&Sandbox) -> bool) -> bool {
        while self.child.try_wait().expect("a child").is_none() && !is_so(self.sandbox) {
            thread::sleep(Duration::from_millis(5));
        }
        is_so(self.sandbox)
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, signal).expect("it is there");
    }

    #[track_caller]
    pub fn wait(mut self) -> Finished {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                break status;
            }
            if start.elapsed() > OUTER_LIMIT {
                let _ = self.child.kill();
                panic!("it took too long: {}", self.sandbox.read("the-stderr"));
            }
            thread::sleep(Duration::from_millis(5));
        };
        let read = |name| self.sandbox.read(name);
        Finished { status, stdout: read("the-stdout"), stderr: read("the-stderr") }
    }
}
