//! Kills Nubbin with SIGKILL at random moments, and resumes it: no result is lost, and no work is repeated.
//!
//! `NUBBIN_CHAOS` sets the number of kills. `NUBBIN_CHAOS_SEED` repeats the moments of an earlier run.

use crate::tools;
use std::collections::HashMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The default number of kills.
const KILLS: usize = 200;
/// The time limit of a run.
const OUTER_LIMIT: Duration = Duration::from_secs(300);
/// How long the processes of a killed run can take to clean up.
const CLEANED: Duration = Duration::from_secs(60);
/// The maximum number of runs of the input before the first record in the journal.
const FIRST_RUNS: usize = 5;

/// An oracle that appends the length and the bytes of its candidate to a log in one write, and then checks
/// whether all given words occur in the candidate. Arguments: the directory of the log, the words, the
/// candidate.
const ORACLE: &str = r#"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    FILE *file = fopen(argv[argc - 1], "rb");
    char *all = malloc(1 << 16);
    size_t size = fread(all + 16, 1, (1 << 16) - 17, file);
    char head[17];
    snprintf(head, sizeof head, "%15zu\n", size);
    memcpy(all, head, 16);
    char path[4096];
    snprintf(path, sizeof path, "%s/log", argv[1]);
    int log = open(path, O_WRONLY | O_APPEND | O_CREAT, 0666);
    if (write(log, all, size + 16) < 0) return 2;
    all[size + 16] = 0;
    for (int i = 2; i < argc - 1; i++)
        if (!strstr(all + 16, argv[i])) return 1;
    return 0;
}
"#;

/// A reduction that is killed and resumed.
struct Case {
    name: &'static str,
    input: String,
    words: &'static [&'static str],
    options: &'static [&'static str],
}

fn cases() -> Vec<Case> {
    let functions =
        |n: usize| format!("int f{n}(int a, int b) {{\n  if (a > {n}) return b;\n  return a + {n};\n}}\n");
    let c: String = (0..8).map(functions).collect();
    let lines = (0..60).map(|n| format!("line {n} of them\n")).collect::<Vec<_>>().concat();
    let member = |n| format!("  {{\"key{n}\": [{n}, true, \"text {n}\"]}},\n");
    let json = (0..12).map(member).collect::<Vec<_>>().concat();
    vec![
        Case { name: "bug.c", input: c, words: &["a > 3", "a + 5"], options: &["-j2"] },
        Case { name: "bug.txt", input: lines, words: &["line 7", "line 44"], options: &["-j1"] },
        Case {
            name: "bug.json",
            input: format!("[\n{json}  0\n]\n"),
            words: &["text 4", "key9"],
            options: &["-j2", "--in-place"],
        },
    ]
}

/// A pseudorandom number generator: splitmix64.
struct Random(u64);

impl Random {
    /// Returns a number from 0 (inclusive) to 1 (exclusive).
    fn part(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// The number of occurrences of each candidate.
type Counts = HashMap<blake3::Hash, usize>;

fn count(names: impl IntoIterator<Item = blake3::Hash>) -> Counts {
    let mut counts = Counts::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    counts
}

fn of(counts: &Counts, name: &blake3::Hash) -> usize {
    counts.get(name).copied().unwrap_or_default()
}

/// The contents of a journal; every line except the last must be valid.
#[derive(Default)]
struct Noted {
    /// Whether it contains the results of the first runs.
    has_baseline: bool,
    /// The number of verdicts on each candidate.
    verdicts: Counts,
}

/// The results of a run that is not killed.
struct Undisturbed {
    /// The input and all following versions of the current best.
    bests: Vec<Vec<u8>>,
    verdicts: Counts,
    time: Duration,
}

/// A directory with an input and the files of all runs on it.
struct Place<'a> {
    directory: tempfile::TempDir,
    case: &'a Case,
    oracle: &'a Path,
}

impl<'a> Place<'a> {
    fn new(case: &'a Case, oracle: &'a Path) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let place = Self { directory, case, oracle };
        for name in ["tmp", "work"] {
            fs::create_dir(place.path(name)).expect("made");
        }
        place.begin_anew();
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Removes the files of earlier runs.
    fn begin_anew(&self) {
        for entry in fs::read_dir(self.directory.path()).expect("there").flatten() {
            let path = entry.path();
            if path.is_file() {
                fs::remove_file(path).expect("removed");
            }
        }
        let _ = fs::remove_dir_all(self.path(".nubbin"));
        fs::write(self.path(self.case.name), &self.case.input).expect("written");
    }

    fn start(&self) -> Child {
        // The oracle is one argument, which is unique in the list of processes.
        let oracle = [self.oracle, self.directory.path()].map(|path| path.display().to_string()).join(" ");
        let words = format!("'{}'", self.case.words.join("' '"));
        Command::new(env!("CARGO_BIN_EXE_nubbin"))
            .args(self.case.options)
            .arg("--writable")
            .arg(self.directory.path())
            .args(["--work-dir", "work", "--resume", &format!("{oracle} {words}"), self.case.name])
            .current_dir(self.directory.path())
            .env("TMPDIR", self.path("tmp"))
            .env("NUBBIN_FORMATTER", "none")
            .env("NUBBIN_PREPROCESSOR", "none")
            .env("XDG_CONFIG_HOME", self.path("config"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(self.path("said")).expect("a file"))
            .spawn()
            .expect("it can be started")
    }

    /// Returns the file with the current best.
    fn output(&self) -> PathBuf {
        if self.case.options.contains(&"--in-place") {
            return self.path(self.case.name);
        }
        self.path(&self.case.name.replace("bug", "bug.reduced"))
    }

    /// Returns the candidates that the oracle was asked about, in order; the last one can be unfinished.
    fn asked(&self) -> Vec<blake3::Hash> {
        let log = fs::read(self.path("log")).unwrap_or_default();
        let (mut rest, mut names) = (log.as_slice(), Vec::new());
        while let Some((head, more)) = rest.split_at_checked(16) {
            let size = std::str::from_utf8(head).expect("digits").trim().parse().expect("a number");
            let Some((candidate, more)) = more.split_at_checked(size) else { break };
            names.push(blake3::hash(candidate));
            rest = more;
        }
        names
    }

    fn journal(&self) -> Option<String> {
        let folder =
            fs::read_dir(self.path(".nubbin")).ok()?.flatten().find(|entry| entry.path().is_dir())?;
        fs::read_to_string(folder.path().join("journal.jsonl")).ok()
    }

    fn noted(&self) -> Noted {
        let journal = self.journal().unwrap_or_default();
        let mut noted = Noted::default();
        for line in journal.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
            let line: serde_json::Value = serde_json::from_str(line).expect("a line that makes sense");
            noted.has_baseline |= line.get("baseline").is_some();
            if let Some(verdict) = line.get("verdict") {
                let name = blake3::Hash::from_hex(verdict[0].as_str().expect("a name")).expect("a name");
                *noted.verdicts.entry(name).or_default() += 1;
            }
        }
        noted
    }

    /// Returns whether only one probe runs at a time, and none is cancelled.
    fn is_serial(&self) -> bool {
        self.case.options.contains(&"-j1")
    }

    /// Asserts that no process or directory of the probes remains after a short time.
    fn assert_alone(&self) {
        // The path is in the arguments of oracles, and in the environment of wardens and their children.
        let marker = self.directory.path().as_os_str().as_encoded_bytes();
        let is_marked = |process: &Path| {
            let texts = ["cmdline", "environ"].map(|file| fs::read(process.join(file)).unwrap_or_default());
            texts.iter().any(|text| text.windows(marker.len()).any(|window| window == marker))
        };
        let left = || {
            let processes = fs::read_dir("/proc").expect("there").flatten().map(|entry| entry.path());
            let directories =
                fs::read_dir(self.path("work")).expect("there").flatten().map(|entry| entry.path());
            processes.filter(|path| is_marked(path)).chain(directories).next()
        };
        let start = Instant::now();
        while let Some(path) = left() {
            assert!(start.elapsed() < CLEANED, "{} is left", path.display());
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Starts a run, and kills it if it has not ended after `time`. Returns whether it was killed.
fn kill_after(place: &Place<'_>, time: Duration) -> bool {
    let mut child = place.start();
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            assert!(status.success(), "{status}: {}", fs::read_to_string(place.path("said")).expect("there"));
            return false;
        }
        if start.elapsed() >= time {
            child.kill().expect("it is a child");
            return child.wait().expect("a child").signal() == Some(9);
        }
        thread::sleep(Duration::from_micros(200));
    }
}

/// Runs a case without killing it.
fn undisturbed(place: &Place<'_>) -> Undisturbed {
    let start = Instant::now();
    assert!(!kill_after(place, OUTER_LIMIT), "it ends by itself");
    let time = start.elapsed();
    let mut bests = vec![place.case.input.clone().into_bytes()];
    for line in place.journal().expect("there is one").lines() {
        let line: serde_json::Value = serde_json::from_str(line).expect("a line that makes sense");
        let Some(step) = line.get("step") else { continue };
        let mut best = bests.last().expect("the input").clone();
        for edit in step["edits"].as_array().expect("edits").iter().rev() {
            let place = |at: usize| edit[at].as_u64().expect("a position") as usize;
            let text: Vec<u8> = edit[2].as_str().expect("text").chars().map(|c| c as u8).collect();
            best.splice(place(0)..place(1), text);
        }
        bests.push(best);
    }
    assert_eq!(&fs::read(place.output()).expect("there"), bests.last().expect("the result"));
    assert!(bests.len() > 5, "there is something to do");
    Undisturbed { bests, verdicts: place.noted().verdicts, time }
}

/// Checks the file with the current best after a kill; `at` is the index of the previous current best.
fn assert_whole(place: &Place<'_>, bests: &[Vec<u8>], at: &mut usize) {
    let Ok(found) = fs::read(place.output()) else {
        assert_eq!(*at, 0, "the best is gone");
        return;
    };
    let number = bests.iter().position(|best| *best == found);
    let number = number.unwrap_or_else(|| panic!("not a best: {:?}", String::from_utf8_lossy(&found)));
    assert!(number >= *at, "best {number} after best {at}");
    *at = number;
}

/// Asserts that only expected files remain.
fn assert_clean(place: &Place<'_>) {
    place.assert_alone();
    let mut names: Vec<_> = fs::read_dir(place.directory.path())
        .expect("there")
        .flatten()
        .map(|entry| entry.file_name().into_string().expect("a name"))
        .collect();
    let output = place.output().file_name().expect("a name").to_string_lossy().into_owned();
    let backup = format!("{}.orig", place.case.name);
    let known = [".nubbin", "log", "said", "tmp", "work", place.case.name, &output, &backup];
    names.retain(|name| !known.contains(&name.as_str()));
    assert_eq!(names, Vec::<String>::new());
    assert_eq!(fs::read_dir(place.path("tmp")).expect("there").count(), 0);
}

/// Asserts that a run that started with the records in `noted` has lost none of them, and has repeated no
/// recorded probe. The number of verdicts on a candidate is limited by the number in `usually`: the input and
/// some versions of the current best are tested more than once.
fn assert_nothing_repeated(place: &Place<'_>, noted: &Noted, asked: &[blake3::Hash], usually: &Counts) {
    let (asked, now, known) = (count(asked.iter().copied()), place.noted().verdicts, &noted.verdicts);
    let input = blake3::hash(place.case.input.as_bytes());
    for (name, often) in &now {
        assert!(*often <= of(usually, name).max(1), "a verdict on {name} too many");
    }
    for (name, often) in known {
        assert!(*often <= of(&now, name), "a verdict on {name} was lost");
        let is_settled = *often == of(usually, name).max(1);
        assert!(!is_settled || of(&asked, name) == 0, "a probe of {name} was repeated");
    }
    let mut under_way = 0;
    for (name, often) in asked {
        let first = if name == input && !noted.has_baseline { FIRST_RUNS } else { 0 };
        let new = (of(&now, &name) - of(known, &name)).max(first);
        under_way += often.saturating_sub(new);
    }
    assert!(!place.is_serial() || under_way <= 1, "{under_way} probes have left no verdict");
}

/// Kills and resumes runs until the number of kills is reached.
fn torment(place: &Place<'_>, random: &mut Random, kills: usize) {
    let usual = undisturbed(place);
    let mut done = 0;
    while done < kills {
        place.begin_anew();
        let mut at = 0;
        // A few kills for each result, so that runs are also killed near their end.
        loop {
            let (noted, before) = (place.noted(), place.asked().len());
            // Early moments are more likely, because the start takes a small part of the time.
            let moment = usual.time.mul_f64(random.part() * random.part() * 1.3);
            let was_killed = kill_after(place, moment);
            place.assert_alone();
            assert_nothing_repeated(place, &noted, &place.asked().split_off(before), &usual.verdicts);
            assert_whole(place, &usual.bests, &mut at);
            if !was_killed {
                break;
            }
            done += 1;
        }
        assert_eq!(at, usual.bests.len() - 1, "the same result");
        if place.is_serial() {
            assert!(place.noted().verdicts == usual.verdicts, "the same verdicts");
        }
        assert_clean(place);
    }
}

#[apply(test)]
fn a_run_that_is_killed_again_and_again_loses_nothing_and_repeats_nothing() {
    let tools = tempfile::tempdir().expect("a directory");
    let (source, oracle) = (tools.path().join("oracle.c"), tools.path().join("oracle"));
    fs::write(&source, ORACLE).expect("written");
    tools::program("gcc");
    let built = Command::new("gcc").arg("-O1").arg("-o").arg(&oracle).arg(&source).status();
    assert!(built.expect("gcc runs").success(), "the oracle can be built");
    let seed = setting("NUBBIN_CHAOS_SEED").unwrap_or(1);
    let kills = setting("NUBBIN_CHAOS").map_or(KILLS, |kills| kills as usize);
    let cases = cases();
    for (case, number) in cases.iter().zip(0..) {
        let place = Place::new(case, &oracle);
        torment(&place, &mut Random(seed.wrapping_add(number)), kills.div_ceil(cases.len()));
    }
}
