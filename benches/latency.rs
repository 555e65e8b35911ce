//! Measures the effect of speculation: wall time by number of jobs, with an oracle that takes 100 ms.
//!
//! `cargo bench --bench latency` reduces inputs in C, Python, HTML and JSON with 1, 4 and 16 jobs. The inputs are those
//! of corpus cases. The test requires words from a dozen places in order, and no more syntax errors than the input has.
//! This takes several hundred probes, as for a compiler crash. The test itself takes no time and each probe sleeps, so
//! two cores can run sixteen workers.
//!
//! `--json FILE` also writes the rows to a file. `--sleep MS`, `--jobs 1,4,16` and `--case NAME` (repeatable) replace
//! the defaults. Any other corpus case is reduced with its own oracle: each candidate is run once in rounds that are not
//! timed, and the timed round takes the answers from memory. `--simulated` counts the time instead of sleeping.

use nubbin::oracle::{CommandOracle, NoVerdict, Oracle};
use nubbin::schedule::Clock;
use nubbin::syntax::Parser;
use nubbin::{Language, Outcome, Reduction, Registry, Verdict};
use std::collections::HashMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// The names of the cases, each with the corpus case of its input.
const CASES: [(&str, &str); 4] = [
    ("c-words", "c-nested-function"),
    ("python-words", "python-lib2to3-decorator"),
    ("html-words", "html-script-throws"),
    ("json-words", "json-infinity"),
];

/// The number of places from which words are required.
const PLACES: usize = 12;
/// The number of words from each place.
const TOGETHER: usize = 3;

/// The maximum number of rounds that gather answers.
const ROUNDS: usize = 2;

/// An oracle that requires words in this order, and no more syntax errors than the input has.
struct Words {
    wanted: Vec<Vec<u8>>,
    errors: u32,
    language: &'static Language,
}

impl Words {
    /// Takes words from evenly spaced places.
    fn of(input: &[u8], language: &'static Language) -> Self {
        let words: Vec<&[u8]> = words(input).collect();
        let places = (0..PLACES).map(|place| (2 * place + 1) * words.len() / (2 * PLACES));
        let wanted = places.flat_map(|at| &words[at..at + TOGETHER]).map(|word| word.to_vec()).collect();
        let errors = Parser::new(language.grammar()).parse(input).errors();
        Self { wanted, errors, language }
    }
}

impl Oracle for Words {
    fn probe(&self, candidate: &[u8]) -> Result<Verdict, NoVerdict> {
        let mut words = words(candidate);
        let has_words = self.wanted.iter().all(|wanted| words.any(|word| word == wanted));
        let fits = || Parser::new(self.language.grammar()).parse(candidate).errors() <= self.errors;
        Ok(if has_words && fits() { Verdict::Interesting } else { Verdict::Uninteresting })
    }
}

/// Returns the words of a text: runs of at least three letters and digits.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| !byte.is_ascii_alphanumeric()).filter(|word| word.len() > 2)
}

/// An oracle that sleeps for each answer, and answers repeated candidates from memory.
struct Slow {
    real: Box<dyn Oracle + Sync>,
    known: Mutex<HashMap<Vec<u8>, Verdict>>,
    asleep: AtomicBool,
    sleep: Duration,
}

impl Oracle for Slow {
    fn probe(&self, candidate: &[u8]) -> Result<Verdict, NoVerdict> {
        self.probe_unless(candidate, &AtomicBool::new(false))
    }

    fn probe_unless(&self, candidate: &[u8], cancelled: &AtomicBool) -> Result<Verdict, NoVerdict> {
        let start = Instant::now();
        let known = self.known.lock().expect("no thread has failed").get(candidate).copied();
        let verdict = match known {
            Some(verdict) => verdict,
            None => self.real.probe(candidate)?,
        };
        self.known.lock().expect("no thread has failed").insert(candidate.to_vec(), verdict);
        while self.asleep.load(Ordering::Relaxed) {
            if cancelled.load(Ordering::Relaxed) {
                return Err(NoVerdict::Interrupted);
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

/// A case: its input, and its oracle with the time of a probe.
struct Case {
    name: String,
    input: Vec<u8>,
    language: Option<&'static Language>,
    oracle: Slow,
    /// Whether the answers must be gathered before a round is timed.
    gathers: bool,
    /// Whether the time is counted instead of waited for.
    is_simulated: bool,
}

impl Case {
    fn new(name: &str, sleep: Duration, is_simulated: bool) -> Self {
        let words = CASES.iter().find(|(case, _)| *case == name);
        let folder = corpus(words.map_or(name, |(_, of)| of));
        let path = input(&folder);
        let input = std::fs::read(&path).expect("it can be read");
        let language = Registry::built_in().detect(&path, &input);
        let real: Box<dyn Oracle + Sync> = if words.is_some() {
            Box::new(Words::of(&input, language.expect("a built-in language")))
        } else {
            Box::new(CommandOracle::new(folder.join("oracle"), [""; 0], &path).append_path(true))
        };
        let oracle = Slow { real, known: Mutex::default(), asleep: AtomicBool::new(!is_simulated), sleep };
        let gathers = words.is_none() && !is_simulated;
        Self { name: name.to_owned(), input, language, oracle, gathers, is_simulated }
    }

    fn run(&self, jobs: usize) -> Outcome {
        let reduction = Reduction::new(self.input.as_slice()).language(self.language);
        let ran = if self.is_simulated {
            reduction.run_simulated(&self.oracle, Clock { jobs, took: self.oracle.sleep })
        } else {
            reduction.run_parallel(&self.oracle, jobs)
        };
        ran.expect("the oracle is sound")
    }

    /// Returns the seconds of a run.
    fn seconds(&self, outcome: &Outcome) -> f64 {
        if self.is_simulated { outcome.oracle_time } else { outcome.elapsed }.as_secs_f64()
    }

    /// Gathers answers. Speculative candidates depend on timing, so each number of jobs has its own rounds.
    fn gather(&self, jobs: usize) {
        self.oracle.asleep.store(false, Ordering::Relaxed);
        self.run(jobs);
        self.oracle.asleep.store(true, Ordering::Relaxed);
        let known = || self.oracle.known.lock().expect("no thread has failed").len();
        for _ in 0..if jobs > 1 { ROUNDS } else { 0 } {
            let before = known();
            self.run(jobs);
            if known() == before {
                break;
            }
        }
    }

    /// Prints a row for each number of jobs, and returns the rows as JSON.
    fn measure(&self, jobs: &[usize]) -> Vec<String> {
        let mut alone: Option<f64> = None;
        let mut rows = Vec::new();
        for &jobs in jobs {
            if self.gathers {
                self.gather(jobs);
            }
            let outcome = self.run(jobs);
            let (seconds, probes, started) = (self.seconds(&outcome), outcome.counts.probes, outcome.started);
            let ratio = *alone.get_or_insert(seconds) / seconds;
            let (unused, name) = (started - probes, &self.name);
            let wanted = match jobs {
                16 => "8.00",
                4 => "3.00",
                _ => "",
            };
            println!(
                "{name:24} {jobs:4} {probes:7} {started:8} {unused:6} {seconds:8.2} {ratio:7.2} {wanted:>9}"
            );
            let mut row = String::new();
            let _ = write!(
                row,
                "{{\"case\": \"{name}\", \"jobs\": {jobs}, \"sleep_ms\": {}, \"probes\": {probes}, \"started\": {started}, \
                 \"unused\": {unused}, \"seconds\": {seconds:.3}, \"ratio\": {ratio:.2}, \"tokens\": {}}}",
                self.oracle.sleep.as_millis(),
                outcome.after.tokens
            );
            rows.push(row);
        }
        rows
    }
}

fn corpus(case: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(case)
}

fn input(folder: &Path) -> PathBuf {
    let files = std::fs::read_dir(folder).expect("the corpus has this case").flatten();
    let input =
        files.map(|file| file.path()).find(|path| path.file_stem().is_some_and(|stem| stem == "input"));
    input.expect("a case has an input")
}

fn main() {
    let mut cases: Vec<String> = Vec::new();
    let (mut sleep, mut jobs, mut json, mut is_simulated) = (100, vec![1, 4, 16], None, false);
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = arguments.next() {
        if argument == "--simulated" {
            is_simulated = true;
            continue;
        }
        let mut value = || arguments.next().expect("the option has a value");
        match argument.as_str() {
            "--sleep" => sleep = value().parse().expect("milliseconds"),
            "--jobs" => jobs = value().split(',').map(|n| n.parse().expect("a number of jobs")).collect(),
            "--json" => json = Some(value()),
            "--case" => cases.push(value()),
            _ => panic!("no such option: {argument}"),
        }
    }
    if cases.is_empty() {
        cases = CASES.map(|(name, _)| name.to_owned()).to_vec();
    }
    println!(
        "{:24} {:>4} {:>7} {:>8} {:>6} {:>8} {:>7} {:>9}",
        "case", "jobs", "probes", "started", "unused", "seconds", "ratio", "limit"
    );
    let sleep = Duration::from_millis(sleep);
    let rows: Vec<String> =
        cases.iter().flat_map(|case| Case::new(case, sleep, is_simulated).measure(&jobs)).collect();
    if let Some(file) = json {
        std::fs::write(file, format!("[\n{}\n]\n", rows.join(",\n"))).expect("it is written");
    }
}
