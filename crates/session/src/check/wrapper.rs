//! Runs an oracle under other circumstances: in another directory, with other standard input, or with a check for
//! processes left running.
//!
//! This program is started again with a hidden first argument, runs the oracle, and ends as the oracle ends.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

/// The hidden first argument.
const WORD: &str = "__run-in-other-circumstances";
/// The exit status if a command cannot be started, as in a shell.
const NO_START: u8 = 127;
/// The text on standard input.
const FED: &[u8] = b"a line of standard input\nand another one\n";
/// The start of the line that lists processes left running.
pub const LEFT: &str = "nubbin: left running: ";
/// The time within which processes must end by themselves.
const GRACE: Duration = Duration::from_millis(100);

/// A changed circumstance.
#[derive(Clone, Debug)]
pub enum Circumstance {
    /// The working directory.
    In(PathBuf),
    /// Text on standard input.
    Fed,
    /// The candidate on standard input.
    OnInput,
    /// A check for processes left running.
    Left,
}

impl Circumstance {
    /// Returns the arguments that run an oracle under this circumstance. The candidate's path is appended unless
    /// `is_found`.
    pub fn words(&self, oracle: &[OsString], is_found: bool) -> Vec<OsString> {
        let (kind, what) = match self {
            Self::In(directory) => ("in", directory.clone().into_os_string()),
            Self::Fed => ("fed", OsString::new()),
            Self::OnInput => ("on-input", "{}".into()),
            Self::Left => ("left", OsString::new()),
        };
        let has_path = oracle.iter().any(|word| nubbin_oracle::command::holds_placeholder(word, false));
        let path = (!has_path && !is_found).then(|| OsString::from("{}"));
        let first = ["/proc/self/exe".into(), WORD.into(), kind.into(), what];
        first.into_iter().chain(oracle.iter().cloned()).chain(path).collect()
    }
}

/// Returns whether the arguments of this process request a changed circumstance.
pub fn is_asked_for(mut arguments: impl Iterator<Item = OsString>) -> bool {
    arguments.nth(1).is_some_and(|word| word == WORD)
}

/// Runs the oracle, and ends as it does.
pub fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let words: Vec<OsString> = arguments.skip(2).collect();
    let [kind, what, program, arguments @ ..] = &words[..] else { return ExitCode::from(NO_START) };
    let mut command = Command::new(program);
    command.args(arguments);
    let is_ready = match kind.to_str() {
        Some("in") => {
            command.current_dir(what).env("PWD", what);
            Ok(())
        }
        Some("fed") => fed().map(|file| _ = command.stdin(file)),
        Some("on-input") => File::open(what).map(|file| _ = command.stdin(file)),
        _ => return watched(&mut command),
    };
    let error = is_ready.err().unwrap_or_else(|| command.exec());
    crate::helper::say(&format!("nubbin: `{}` could not be started: {error}", program.display()));
    ExitCode::from(NO_START)
}

/// Returns an unnamed file with a few lines.
fn fed() -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(FED)?;
    file.rewind()?;
    Ok(file)
}

fn watched(command: &mut Command) -> ExitCode {
    let Ok(status) = command.status() else { return ExitCode::from(NO_START) };
    std::thread::sleep(GRACE);
    let left = left();
    if !left.is_empty() {
        crate::helper::say(&format!("{LEFT}{}", left.join(", ")));
    }
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default());
    ExitCode::from(code as u8)
}

/// Returns the names of processes whose `TMPDIR` is that of this run.
fn left() -> Vec<String> {
    let own = std::env::var_os("TMPDIR").unwrap_or_default();
    let mark = [b"TMPDIR=", own.as_bytes()].concat();
    let above = ancestors();
    let Ok(all) = fs::read_dir("/proc") else { return Vec::new() };
    let is_left = |process: &PathBuf| {
        let variables = fs::read(process.join("environ")).unwrap_or_default();
        variables.split(|&byte| byte == 0).any(|variable| variable == mark) && !above.contains(process)
    };
    let processes = all.flatten().map(|entry| entry.path()).filter(|path| is_process(path)).filter(is_left);
    processes.map(|process| name(&process)).collect()
}

/// Returns this process and its ancestors.
fn ancestors() -> Vec<PathBuf> {
    let mut found = vec![Path::new("/proc").join(std::process::id().to_string())];
    loop {
        let status = fs::read_to_string(found[found.len() - 1].join("status")).unwrap_or_default();
        let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")).map(str::trim);
        match parent.filter(|parent| *parent != "0") {
            Some(parent) => found.push(Path::new("/proc").join(parent)),
            None => return found,
        }
    }
}

fn is_process(path: &Path) -> bool {
    path.file_name().map(OsStr::as_bytes).is_some_and(|name| name.iter().all(u8::is_ascii_digit))
}

fn name(process: &Path) -> String {
    fs::read_to_string(process.join("comm")).unwrap_or_default().trim().to_owned()
}
