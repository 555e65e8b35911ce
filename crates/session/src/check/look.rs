//! Examines an oracle by running it.
//!
//! The module `examiner` makes the runs; `script` examines the text of a script.

use super::accepted;
use super::examiner::Examiner;
use super::finding::{Finding, Report, Severity};
use super::script::Script;
use super::wrapper::{Circumstance, LEFT};
use crate::{baseline, command, text};
use nubbin_language::Language;
use nubbin_oracle::command::{TAIL, holds_placeholder};
use nubbin_oracle::{CommandOracle, CommandRun, Error, Status};
use nubbin_search::schedule;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Tuned parameters.
struct Tuning {
    /// The least number of runs that test whether the verdict varies.
    least_runs: usize,
    /// The largest number of runs that test whether the verdict varies.
    most_runs: usize,
    /// The time after which no more than `least_runs` are made.
    repeat_time: Duration,
    /// Run times are uneven if the longest is more than this many times as long as the shortest, and exceeds it by
    /// more than `uneven_time`.
    uneven_factor: f64,
    uneven_time: Duration,
    /// The least useful speed-up by parallel runs.
    worthwhile_gain: f64,
    /// Smaller differences in time are ignored.
    noise: Duration,
}

const TUNING: Tuning = Tuning {
    least_runs: 3,
    most_runs: 10,
    repeat_time: Duration::from_secs(20),
    uneven_factor: 3.0,
    uneven_time: Duration::from_millis(200),
    worthwhile_gain: 1.2,
    noise: Duration::from_millis(20),
};

/// The reason if verdicts are unreliable because they vary.
const INCONSTANT: &str = "its verdict varies";

/// Makes all checks. Once verdicts are known to be unreliable, checks that depend on them are omitted.
pub fn at_everything(
    examiner: &Examiner<'_>,
    language: Option<&Language>,
    script: Option<&Script>,
    report: &mut Report,
) -> Result<(), Error> {
    let times = repeats(examiner, report)?;
    let mut cause = report.is_wrong().then_some(INCONSTANT);
    let tried = accepted::samples(examiner, language)?;
    accepted::accepted(examiner, &tried, (script, cause), report)?;
    if accepted::accepts_anything(&tried) {
        cause = cause.or(Some("it accepts arbitrary input"));
    } else if cause.is_none() && accepted::rejected(examiner, &tried, report)? {
        cause = Some(INCONSTANT);
    }
    if let Some(cause) = cause {
        report.add(left(examiner)?);
        let what =
            "whether it depends on the directory, the file's name or standard input, or writes elsewhere";
        report.unknown(format!("{what}: {cause}"));
    } else {
        circumstances(examiner, script, report)?;
        confinement(examiner, report)?;
    }
    at_once(examiner, &times, cause, report)?;
    report.add(script.iter().flat_map(|script| script.findings(&examiner.whole_path())));
    report.add(time_limit(examiner, script, &times));
    report.add(output(examiner)?);
    Ok(())
}

/// Checks that the verdict on the input does not vary, and returns the sorted run times.
fn repeats(examiner: &Examiner<'_>, report: &mut Report) -> Result<Vec<Duration>, Error> {
    let start = Instant::now();
    let mut runs: Vec<CommandRun> = Vec::new();
    while runs.len() < TUNING.least_runs
        || runs.len() < TUNING.most_runs && start.elapsed() < TUNING.repeat_time
    {
        runs.push(examiner.run(examiner.input)?);
    }
    let interesting = runs.iter().filter(|run| run.verdict.is_interesting()).count();
    let mut times: Vec<Duration> = runs.iter().map(|run| run.elapsed).collect();
    times.sort();
    let (shortest, median, longest) = (times[0], times[times.len() / 2], times[times.len() - 1]);
    let spread =
        format!("{} per run ({} to {})", text::time(median), text::time(shortest), text::time(longest));
    if interesting < runs.len() {
        report.add([inconstant(examiner, "the input", interesting, runs.len())
            .by_hand(Some(examiner.input_by_hand()))]);
    } else {
        report.fine(format!("same verdict on the input in {} of {} runs; {spread}", runs.len(), runs.len()));
    }
    if longest > shortest.mul_f64(TUNING.uneven_factor) && longest > shortest + TUNING.uneven_time {
        report.add([Finding::new(
            Severity::Tip,
            format!("run times vary widely: {spread}"),
            "the time limit is derived from the longest run, so a hanging candidate costs ten times as much",
            "find out what it waits for; `--timeout SECONDS` sets a fixed limit",
        )]);
    }
    Ok(times)
}

/// Returns the finding that a candidate is interesting in `interesting` of `runs` runs only.
pub fn inconstant(examiner: &Examiner<'_>, what: &str, interesting: usize, runs: usize) -> Finding {
    let share = text::share(interesting, runs);
    let fix = match examiner.settings.test.failure {
        None => {
            "make it deterministic: fix seeds, use one thread, wait for background processes; or reduce with `--flaky 0.95`, which runs each candidate several times"
        }
        Some(_) => {
            "make it deterministic: fix seeds, use one thread; if only the message varies, add `--match status`; or reduce with `--flaky 0.95`"
        }
    };
    Finding::new(
        Severity::Wrong,
        format!("its verdict varies: {what} is interesting in {share}"),
        "a single wrong verdict misleads the rest of the reduction",
        fix,
    )
}

/// Finds circumstances other than the candidate's bytes on which the oracle depends.
fn circumstances(examiner: &Examiner<'_>, script: Option<&Script>, report: &mut Report) -> Result<(), Error> {
    let before = report.count_all();
    report.add(names(examiner)?);
    report.add(directory(examiner)?);
    report.add(standard_input(examiner)?);
    report.add(left(examiner)?);
    if report.count_all() == before {
        let name = if examiner.is_archive() { "" } else { "the file's name, " };
        report.fine(format!(
            "does not depend on the directory, {name}or standard input, and leaves no process running"
        ));
    }
    let absolute =
        std::path::absolute(&examiner.path).ok().filter(|_| examiner.settings.input.file().is_some());
    if !report.is_wrong()
        && let Some(path) = absolute.filter(|path| script.is_some_and(|script| script.names(path)))
    {
        report.add([Finding::new(
            Severity::Doubt,
            format!("the script contains the path `{}`, the input itself", path.display()),
            "the result for that file does not depend on the candidate",
            "use `\"$1\"`, the path of the candidate",
        )]);
    }
    Ok(())
}

/// Checks whether the oracle depends on the file name. In a directory, file names are part of the candidate.
fn names(examiner: &Examiner<'_>) -> Result<Vec<Finding>, Error> {
    if examiner.is_archive() {
        return Ok(Vec::new());
    }
    let own = PathBuf::from(examiner.name());
    let other = Path::new("another-name").with_extension(own.extension().unwrap_or_default());
    let mut found = Vec::new();
    if other != own && !shows_input(examiner, &examiner.named(&other))? {
        found.push(Finding::new(
            Severity::Doubt,
            format!(
                "needs the file to be called `{}`: as `{}` the input is not interesting",
                own.display(),
                other.display()
            ),
            "candidates have that name, but the result is written to a file with another name, where it does not fail",
            "use `\"$1\"` instead of the name, or rename the result before you test it",
        ));
    }
    Ok(found)
}

/// Returns whether the input is also interesting for this oracle. A negative verdict is confirmed by a second run.
fn shows_input(examiner: &Examiner<'_>, oracle: &CommandOracle) -> Result<bool, Error> {
    for _ in 0..2 {
        if examiner.run_as(oracle, examiner.input)?.verdict.is_interesting() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn directory(examiner: &Examiner<'_>) -> Result<Option<Finding>, Error> {
    let Ok(place) = tempfile::Builder::new().prefix("nubbin check").tempdir() else { return Ok(None) };
    let deep = place.path().join("a").join("deeper one");
    if std::fs::create_dir_all(&deep).is_err() || shows_input(examiner, &examiner.at(&deep))? {
        return Ok(None);
    }
    Ok(Some(Finding::new(
        Severity::Doubt,
        format!(
            "depends on the directory that it runs in: below `{}` the input is not interesting",
            deep.display()
        ),
        "each run has its own directory, and you will test the result in yet another one",
        "avoid relative paths such as `../..`, and quote paths (`\"$1\"`), because they can contain spaces",
    )))
}

fn standard_input(examiner: &Examiner<'_>) -> Result<Option<Finding>, Error> {
    if shows_input(examiner, &examiner.under(&Circumstance::Fed))? {
        return Ok(None);
    }
    Ok(Some(Finding::new(
        Severity::Doubt,
        "reads standard input, which is empty during a reduction: with a few lines there, the test case is not interesting",
        "started by hand in a terminal, it waits or behaves differently than in a reduction",
        "give the command that reads it `</dev/null`, or the input that it needs",
    )))
}

fn left(examiner: &Examiner<'_>) -> Result<Option<Finding>, Error> {
    let run = examiner.run_as(&examiner.under(&Circumstance::Left), examiner.input)?;
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    Ok(said.lines().find_map(|line| line.strip_prefix(LEFT)).map(|names| {
        Finding::new(
            Severity::Doubt,
            format!("leaves processes running: {names}"),
            "they are killed when the test ends, so their later results are lost",
            "`wait` for them, or end them (`kill $!`) before the script ends",
        )
    }))
}

/// Checks whether the oracle writes outside its directory.
fn confinement(examiner: &Examiner<'_>, report: &mut Report) -> Result<(), Error> {
    let run = examiner.run(examiner.input)?;
    let said = [run.stdout.as_slice(), run.stderr.as_slice()].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    let refused = said.lines().find(|line| baseline::is_complaint(line.as_bytes()));
    let Some(free) = examiner.free() else { return Ok(()) };
    let outside = examiner.run_as(&free, examiner.input)?;
    let fix = "write to the current directory or to `$TMPDIR`, allow a directory with `--writable DIR`, or turn the sandbox off with `--sandbox off`";
    if !outside.verdict.is_interesting() && !shows_input(examiner, &free)? {
        report.add([Finding::new(
            Severity::Wrong,
            format!(
                "the input is interesting only in the sandbox: without it, the test {}",
                text::ending(outside.status)
            ),
            "the failure seems to be caused by a denied write outside its directory",
            fix,
        )]);
    } else if let Some(line) = refused {
        report.add([Finding::new(
            Severity::Doubt,
            format!("was denied something, possibly a write outside its directory: `{}`", line.trim()),
            "a file that could not be written may be missing later, and files outside the directory are shared by parallel runs",
            fix,
        )]);
    }
    Ok(())
}

/// Measures the speed-up by parallel runs, and checks whether they disturb each other. `cause` says why verdicts are
/// unreliable.
fn at_once(
    examiner: &Examiner<'_>,
    times: &[Duration],
    cause: Option<&str>,
    report: &mut Report,
) -> Result<(), Error> {
    let jobs = examiner.settings.jobs;
    let alone = times[times.len() / 2];
    let estimate = |each: Duration| {
        let minute = text::count(rounded(60.0 / each.as_secs_f64().max(1e-4)));
        format!(
            "about {minute} candidates per minute; 1,000 candidates take {}",
            text::time(each.mul_f64(1000.0))
        )
    };
    if jobs < 2 {
        report.fine(format!("one run at a time: {}", estimate(alone)));
        return Ok(());
    }
    // The first round also starts helper processes.
    let (mut verdicts, mut each) = (Vec::new(), alone);
    let (oracle, input) = (&examiner.oracle, examiner.input);
    for _ in 0..2 {
        let start = Instant::now();
        let runs = schedule::at_once(jobs, |_| oracle.run(input));
        each = start.elapsed().div_f64(jobs as f64);
        for run in runs {
            verdicts.push(run?.verdict.is_interesting());
        }
    }
    let wrong = verdicts.iter().filter(|is_interesting| !**is_interesting).count();
    if let Some(cause) = cause {
        report.unknown(format!("whether parallel runs disturb each other: {cause}"));
    } else if wrong > 0 && shows_input(examiner, &examiner.oracle)? {
        report.add([Finding::new(
            Severity::Wrong,
            format!("parallel runs disturb each other: in {wrong} of {} the input was not interesting", text::counted(verdicts.len(), "run")),
            "a reduction runs several candidates in parallel and would get wrong verdicts",
            "do not share files, ports or locks: write to the current directory or to `$TMPDIR`; or reduce with `-j1`",
        )]);
        return Ok(());
    }
    let gain = alone.as_secs_f64() / each.as_secs_f64().max(1e-9);
    report.fine(format!("{jobs} parallel runs: {}", estimate(each)));
    if gain < TUNING.worthwhile_gain && alone > TUNING.noise {
        report.add([Finding::new(
            Severity::Tip,
            format!("{jobs} parallel runs are hardly faster than one at a time ({gain:.1} times)"),
            "it uses several cores or waits for a shared resource, or the machine is busy",
            "limit it to one thread, or reduce with `-j1`",
        )]);
    }
    Ok(())
}

/// Rounds a number to two digits.
fn rounded(number: f64) -> usize {
    let unit = 10_f64.powi((number.log10().floor() as i32 - 1).max(0));
    ((number / unit).round() * unit) as usize
}

fn time_limit(examiner: &Examiner<'_>, script: Option<&Script>, times: &[Duration]) -> Option<Finding> {
    let is_without =
        examiner.settings.timeout.is_none() && script.and_then(Script::limits_time) == Some(false);
    let longest = times.last().copied().unwrap_or_default();
    let (limit, enough) = ((longest * 10).max(Duration::from_secs(5)), longest.as_secs() * 3 + 1);
    is_without.then(|| {
        Finding::new(
            Severity::Tip,
            format!("has no time limit: a candidate that hangs costs {}, twice", text::time(limit)),
            "reduced programs often loop forever",
            format!("use `timeout {enough} command …` in the script, or `--timeout {enough}`"),
        )
    })
}

/// Checks the amount of output.
fn output(examiner: &Examiner<'_>) -> Result<Option<Finding>, Error> {
    if examiner.settings.test.failure.is_some() {
        return Ok(None);
    }
    let run = examiner.run(examiner.input)?;
    let written = run.stdout.len().max(run.stderr.len());
    Ok(match written {
        0 => Some(Finding::new(
            Severity::Tip,
            "prints nothing",
            "Nubbin compares messages to detect that a reduction drifts to another failure; without output it cannot",
            "print the command's messages: instead of `>/dev/null 2>&1`, write them to a file and `cat` it",
        )),
        _ if written as u64 >= TAIL => Some(Finding::new(
            Severity::Tip,
            format!("prints {} or more in each run", text::counted(TAIL as usize, "byte")),
            "this costs time in each of thousands of runs",
            "print less: use `grep -q`, or redirect unused output",
        )),
        _ => None,
    })
}

/// Looks for reasons why the input is not interesting.
pub fn reasons(examiner: &Examiner<'_>) -> Result<Vec<Finding>, Error> {
    let mut found = Vec::new();
    let here = std::env::current_dir().unwrap_or_default();
    let why = "the test runs in a fresh directory that contains only the candidate, whose path is the last argument";
    let is_so = |words: &[OsString]| {
        let oracle = examiner.with_words(words);
        Ok::<_, Error>(examiner.run_as(&oracle, examiner.input)?.verdict.is_interesting())
    };
    let reads_input =
        || Ok::<_, Error>(examiner.run_as(&examiner.under(&Circumstance::OnInput), examiner.input)?.verdict);
    // A command that cannot write here because of the sandbox fails for another reason.
    let in_this_directory = || {
        let run = examiner.run_as(&examiner.under(&Circumstance::In(here)), examiner.input)?;
        Ok::<_, Error>(run.verdict.is_interesting() && !baseline::complains(&run))
    };
    let test = &examiner.settings.test;
    // A command that names its file does not read standard input. In a shell, the file can be an unused argument.
    let names_file = test.failure.is_some()
        && !command::is_shell_line(&test.words)
        && test.words.iter().any(|word| holds_placeholder(word, false));
    if !examiner.is_archive() && !names_file && reads_input()?.is_interesting() {
        let fix = "read `\"$1\"`, such as `command <\"$1\"`";
        found.push(Finding::new(
            Severity::Wrong,
            "reads the input from standard input: there it is interesting",
            why,
            fix,
        ));
    } else if in_this_directory()? {
        let seen = "the input is interesting if the test runs in this directory: it needs files here";
        let fix = "use absolute paths for these files, or `cp` them in the script";
        found.push(Finding::new(Severity::Wrong, seen, why, fix));
    } else if let Some(words) = on_the_file_itself(examiner)
        && is_so(&words)?
    {
        let seen = format!(
            "the input is interesting if the test is given `{}` itself: it needs that path, or files next to it",
            examiner.path.display()
        );
        let fix = "use absolute paths for these files, such as `-I /path/of/headers`, or reduce the whole directory";
        found.push(Finding::new(Severity::Wrong, seen, why, fix));
    }
    let empty_one = if examiner.is_archive() { "empty files" } else { "the empty file" };
    let (empty, input) = (examiner.run(&examiner.nothing())?, examiner.run(examiner.input)?);
    if empty.verdict.is_interesting()
        && matches!(input.status, Status::Exit(status) if status != 0)
        && examiner.settings.test.failure.is_none()
    {
        found.push(Finding::new(
            Severity::Wrong,
            format!(
                "may be inverted: exited with status 0 on {empty_one} and {} on the input",
                text::ending(input.status)
            ),
            "status 0 must mean that the failure is present",
            "invert it: `! command`, or `if command; then exit 1; else exit 0; fi`",
        ));
    }
    Ok(found)
}

/// Returns the command line with the path of the input itself.
fn on_the_file_itself(examiner: &Examiner<'_>) -> Option<Vec<OsString>> {
    let path = std::path::absolute(examiner.settings.input.file()?).ok()?;
    let words = &examiner.settings.test.words;
    let has_path = words.iter().any(|word| holds_placeholder(word, false));
    let filled = |word: &OsString| match word.to_str() {
        Some(text) => text.replace("{}", &path.to_string_lossy()).into(),
        None => word.clone(),
    };
    let mut filled: Vec<OsString> = words.iter().map(filled).collect();
    if !has_path {
        // The path is always appended; a script uses its first argument.
        filled.push(path.into());
    }
    Some(filled)
}
