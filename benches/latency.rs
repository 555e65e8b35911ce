//! What looking ahead is worth: wall time by number of jobs, with an oracle that takes 100 ms.
//!
//! `cargo bench --bench latency` reduces four inputs of the corpus (C, Python, HTML, JSON) at 1, 4 and 16 jobs.
//! The verdicts are those of the corpus's own oracles: each candidate is run for real once, in a round that is not
//! timed, and answered from memory after a sleep in the rounds that are; so two cores can show sixteen workers.
//! `--json FILE` writes the rows, too; `--sleep MS`, `--jobs 1,4,16` and names of corpus cases choose others.

use nubbin::oracle::{CommandOracle, Error, Oracle};
use nubbin::{Outcome, Reduction, Registry, Verdict};
use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const CASES: [&str; 4] =
    ["c-conditional-vla", "python-unparse-with", "html-unclosed-script", "json-infinity"];

/// How many rounds gather answers at most.
const ROUNDS: usize = 2;

/// Answers from memory after a sleep, and asks the real oracle where it has no answer.
struct Slow {
    real: CommandOracle,
    known: Mutex<HashMap<Vec<u8>, Verdict>>,
    asleep: AtomicBool,
    sleep: Duration,
}

impl Oracle for Slow {
    fn probe(&self, candidate: &[u8]) -> Result<Verdict, Error> {
        self.probe_unless(candidate, &AtomicBool::new(false))
    }

    fn probe_unless(&self, candidate: &[u8], cancelled: &AtomicBool) -> Result<Verdict, Error> {
        let start = Instant::now();
        let known = self.known.lock().expect("no thread has failed").get(candidate).copied();
        let verdict = match known {
            Some(verdict) => verdict,
            None => self.real.probe(candidate)?,
        };
        self.known.lock().expect("no thread has failed").insert(candidate.to_vec(), verdict);
        while self.asleep.load(Ordering::Relaxed) {
            if cancelled.load(Ordering::Relaxed) {
                return Err(Error::Interrupted);
            }
            let left = self.sleep.saturating_sub(start.elapsed());
            if left.is_zero() {
                break;
            }
            thread::sleep(left.min(Duration::from_millis(2)));
        }
        Ok(verdict)
    }
}

fn main() {
    let mut cases: Vec<String> = Vec::new();
    let (mut sleep, mut jobs, mut json) = (100, vec![1, 4, 16], None);
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().expect("the option has a value");
        match argument.as_str() {
            "--sleep" => sleep = value().parse().expect("milliseconds"),
            "--jobs" => jobs = value().split(',').map(|n| n.parse().expect("a number of jobs")).collect(),
            "--json" => json = Some(value()),
            _ => cases.push(argument),
        }
    }
    if cases.is_empty() {
        cases = CASES.map(str::to_owned).to_vec();
    }
    println!(
        "{:22} {:>4} {:>7} {:>8} {:>6} {:>8} {:>7} {:>9}",
        "case", "jobs", "probes", "started", "vain", "seconds", "ratio", "limit"
    );
    let mut rows = Vec::new();
    for case in &cases {
        measure(case, Duration::from_millis(sleep), &jobs, &mut rows);
    }
    if let Some(file) = json {
        std::fs::write(file, format!("[\n{}\n]\n", rows.join(",\n"))).expect("it is written");
    }
}

fn measure(case: &str, sleep: Duration, jobs: &[usize], rows: &mut Vec<String>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(case);
    let files = std::fs::read_dir(&folder).expect("the corpus has this case").flatten();
    let path = files
        .map(|file| file.path())
        .find(|path| path.file_stem().is_some_and(|stem| stem == "input"))
        .expect("a case has an input");
    let input = std::fs::read(&path).expect("it can be read");
    let oracle = Slow {
        real: CommandOracle::new(folder.join("oracle"), [""; 0], &path).append_path(true),
        known: Mutex::default(),
        asleep: AtomicBool::new(false),
        sleep,
    };
    let language = Registry::built_in().detect(&path, &input);
    let run = |jobs: usize| -> Outcome {
        let reduction = Reduction::new(input.as_slice()).language(language);
        reduction.run_parallel(&oracle, Some(jobs)).expect("the oracle is sound")
    };
    let mut alone: Option<f64> = None;
    for &jobs in jobs {
        // What is asked for ahead depends on timing: the answers are gathered in a round of their own.
        oracle.asleep.store(false, Ordering::Relaxed);
        run(jobs);
        oracle.asleep.store(true, Ordering::Relaxed);
        for _ in 0..ROUNDS {
            let known = oracle.known.lock().expect("no thread has failed").len();
            if jobs > 1 {
                run(jobs);
            }
            if oracle.known.lock().expect("no thread has failed").len() == known {
                break;
            }
        }
        let outcome = run(jobs);
        let (seconds, probes, started) =
            (outcome.elapsed.as_secs_f64(), outcome.counts.probes, outcome.started);
        let alone = *alone.get_or_insert(seconds);
        let (ratio, vain) = (alone / seconds, started - probes);
        let wanted = match jobs {
            16 => "8.00",
            4 => "3.00",
            _ => "",
        };
        println!("{case:22} {jobs:4} {probes:7} {started:8} {vain:6} {seconds:8.2} {ratio:7.2} {wanted:>9}");
        let mut row = String::new();
        let _ = write!(
            row,
            "{{\"case\": \"{case}\", \"jobs\": {jobs}, \"sleep_ms\": {}, \"probes\": {probes}, \"started\": {started}, \
             \"in_vain\": {vain}, \"seconds\": {seconds:.3}, \"ratio\": {ratio:.2}, \"tokens\": {}}}",
            sleep.as_millis(),
            outcome.after.tokens
        );
        rows.push(row);
    }
}
