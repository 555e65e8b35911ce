//! Measures the price of a probe: the number of probes a second, beside a bare loop that starts the same command in a
//! fresh directory.
//!
//! `cargo bench --bench spawn` measures the oracle by itself (with `true`) and the whole program (with `cmp`). The
//! inputs of the program cannot be reduced: plain lines, and C, where each candidate is parsed before it is run. Each
//! measurement is made with one job and with two, and both rates and their ratio are printed. Each number is the best
//! of several runs that take turns. `--json FILE` writes the rows, too.

use nubbin::oracle::{CommandOracle, Confinement, Helper, Limits, Oracle, Sandbox};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

/// The number of probes that the oracle is asked for in a run.
const PROBES: usize = 3000;
/// The number of statements in the program's input; each needs several probes.
const STATEMENTS: usize = 200;
/// The number of runs of which the best counts.
const ROUNDS: usize = 3;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    println!("{:8} {:>4} {:>12} {:>12} {:>6}", "what", "jobs", "bare loop/s", "nubbin/s", "ratio");
    let mut rows = Vec::new();
    for jobs in [1, 2] {
        rows.push(row("oracle", jobs, || bare(&["true"], jobs, b"int x;\n", PROBES), || oracle(jobs)));
    }
    for (what, name) in [("lines", "input.txt"), ("C", "input.c")] {
        let scene = Scene::new(name);
        for jobs in [1, 2] {
            let original = scene.input.to_string_lossy();
            let words = ["cmp", "-s", "input.c", &*original];
            rows.push(row(what, jobs, || bare(&words, jobs, &scene.text, PROBES), || scene.program(jobs)));
        }
    }
    if let [flag, file] = &arguments[..] {
        assert_eq!(flag, "--json", "the only option");
        fs::write(file, format!("[\n{}\n]\n", rows.join(",\n"))).expect("it is written");
    }
}

/// Measures both in turn, prints the best of each, and returns the row for programs.
fn row(what: &str, jobs: usize, bare: impl Fn() -> f64, nubbin: impl Fn() -> f64) -> String {
    let (mut bares, mut nubbins) = (0.0f64, 0.0f64);
    for _ in 0..ROUNDS {
        bares = bares.max(bare());
        nubbins = nubbins.max(nubbin());
    }
    let ratio = nubbins / bares;
    println!("{what:8} {jobs:>4} {bares:>12.0} {nubbins:>12.0} {ratio:>6.2}");
    format!(
        "{{\"what\": \"{what}\", \"jobs\": {jobs}, \"bare_rate\": {bares:.0}, \"rate\": {nubbins:.0}, \"ratio\": {ratio:.3}}}"
    )
}

/// Returns the rate of threads that only make a directory, write the file, run the command there, and remove the
/// directory.
fn bare(words: &[&str], jobs: usize, text: &[u8], probes: usize) -> f64 {
    let root = tempfile::tempdir_in(work_root()).expect("a directory");
    let left = AtomicUsize::new(probes);
    let start = Instant::now();
    thread::scope(|scope| {
        for job in 0..jobs {
            let (left, directory) = (&left, root.path().join(job.to_string()));
            scope.spawn(move || {
                while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)).is_ok() {
                    fs::create_dir(&directory).expect("made");
                    fs::write(directory.join("input.c"), text).expect("written");
                    let mut command = Command::new(words[0]);
                    command.args(&words[1..]).current_dir(&directory);
                    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
                    let status = command.spawn().expect("started").wait().expect("reaped");
                    assert!(status.code().is_some());
                    fs::remove_dir_all(&directory).expect("removed");
                }
            });
        }
    });
    probes as f64 / start.elapsed().as_secs_f64()
}

/// Returns the rate of the oracle, with the sandbox and with limits.
fn oracle(jobs: usize) -> f64 {
    let limits = Limits { memory: Some(4 << 30), output: Some(256 << 20), ..Limits::default() };
    let oracle = CommandOracle::new("true", [""; 0], "input.c")
        .helper(Helper::new(env!("CARGO_BIN_EXE_nubbin")))
        .limits(limits)
        .confinement(Confinement { sandbox: Sandbox::Auto, ..Confinement::default() });
    let left = AtomicUsize::new(PROBES);
    let start = Instant::now();
    thread::scope(|scope| {
        for _ in 0..jobs {
            let (left, oracle) = (&left, &oracle);
            scope.spawn(move || {
                while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)).is_ok() {
                    oracle.probe(b"int x;\n").expect("the oracle can be run");
                }
            });
        }
    });
    PROBES as f64 / start.elapsed().as_secs_f64()
}

/// An input that cannot be reduced, and the program on it.
struct Scene {
    directory: tempfile::TempDir,
    name: &'static str,
    input: PathBuf,
    text: Vec<u8>,
}

impl Scene {
    fn new(name: &'static str) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let input = directory.path().join(name);
        let lines: Vec<String> = (0..STATEMENTS).map(|i| format!("int a{i} = b{i} + {i};\n")).collect();
        let text = lines.concat().into_bytes();
        fs::write(&input, &text).expect("written");
        Self { directory, name, input, text }
    }

    /// Returns the rate at which the program runs the oracle, by its own count.
    fn program(&self, jobs: usize) -> f64 {
        let jobs = jobs.to_string();
        let oracle = format!("cmp -s {} '{}'", self.name, self.input.display());
        let start = Instant::now();
        let output = Command::new(env!("CARGO_BIN_EXE_nubbin"))
            .args(["-j", &jobs, "-o", "out", &oracle, self.name])
            .current_dir(self.directory.path())
            .output()
            .expect("it runs");
        let seconds = start.elapsed().as_secs_f64();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        started(&said) as f64 / seconds
    }
}

/// Returns the number of probes that were run, including those that were not needed.
fn started(said: &str) -> usize {
    let line = said.lines().find_map(|line| line.strip_prefix("candidates ")).expect("a summary");
    let number = |text: &str| text.replace(',', "").parse::<usize>().ok();
    let needed = line.split_whitespace().next().and_then(number).expect("a number");
    let words: Vec<&str> = line.split([' ', '(', ')']).collect();
    let vain = words.windows(3).find(|words| words[1] == "run" && words[2] == "ahead");
    needed + vain.and_then(|words| number(words[0])).unwrap_or(0)
}

fn work_root() -> PathBuf {
    let ram_disk = Path::new("/dev/shm");
    if ram_disk.is_dir() { ram_disk.to_owned() } else { std::env::temp_dir() }
}
