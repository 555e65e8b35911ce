//! Examines an oracle by its runs.
//!
//! The module `examiner` runs it; `script` reads its text.

use super::accepted;
use super::examiner::Examiner;
use super::finding::{Finding, Report, Severity};
use super::script::Script;
use super::wrapper::{Circumstance, LEFT};
use crate::{baseline, text};
use nubbin_language::Language;
use nubbin_oracle::command::TAIL;
use nubbin_oracle::{CommandOracle, CommandRun, Error, Status};
use nubbin_search::schedule;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The numbers that were tuned.
struct Tuning {
    /// At least this many runs tell whether the oracle repeats itself.
    least_runs: usize,
    /// At most this many runs tell whether the oracle repeats itself.
    most_runs: usize,
    /// After this time, no more than `least_runs` are made.
    repeat_time: Duration,
    /// Runs are uneven if the longest one takes more than this many times as long as the shortest one, and
    /// `uneven_time` longer.
    uneven_factor: f64,
    /// Runs are uneven if the longest one takes longer than the shortest one by more than this time.
    uneven_time: Duration,
    /// Several runs at once have to be faster than one after the other by this factor.
    worthwhile_gain: f64,
    /// A smaller difference in time than this is noise.
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

/// The cause of answers that tell nothing: they differ from run to run.
const INCONSTANT: &str = "it does not repeat itself";

/// Looks at everything. Once a cause is found why its answers tell nothing, checks that rest on them are left out.
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
        cause = cause.or(Some("it accepts anything"));
    } else if cause.is_none() && accepted::rejected(examiner, &tried, report)? {
        cause = Some(INCONSTANT);
    }
    if let Some(cause) = cause {
        report.add(left(examiner)?);
        let what = "whether it depends on the directory, the file's name or standard input, or needs to write elsewhere";
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

/// Checks that the oracle says the same of the input each time, and returns the sorted times of the runs.
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
        format!("{} a run ({} to {})", text::time(median), text::time(shortest), text::time(longest));
    if interesting < runs.len() {
        report.add([inconstant(examiner, "the input", interesting, runs.len())
            .by_hand(Some(examiner.input_by_hand()))]);
    } else {
        report.fine(format!(
            "it says the same of the input in {} of {} runs; {spread}",
            runs.len(),
            runs.len()
        ));
    }
    if longest > shortest.mul_f64(TUNING.uneven_factor) && longest > shortest + TUNING.uneven_time {
        report.add([Finding::new(
            Severity::Tip,
            format!("its runs take very different times: {spread}"),
            "the time limit follows the longest, so a candidate that hangs costs ten times as much",
            "find out what it waits for; `--timeout SECONDS` sets a limit of your own",
        )]);
    }
    Ok(times)
}

/// Makes the finding that a candidate is interesting in only so many of these runs.
pub fn inconstant(examiner: &Examiner<'_>, what: &str, interesting: usize, runs: usize) -> Finding {
    let share = text::share(interesting, runs);
    let fix = match examiner.settings.test.failure {
        None => {
            "make it deterministic: fix seeds, use one thread, wait for what it starts; or reduce with `--flaky 0.95`, which runs each candidate several times"
        }
        Some(_) => {
            "make it deterministic: fix seeds, use one thread; where only the message varies, `--no-keep-message`; or reduce with `--flaky 0.95`"
        }
    };
    Finding::new(
        Severity::Wrong,
        format!("it does not repeat itself: {what} is interesting in {share}"),
        "a reduction goes astray on the first wrong answer",
        fix,
    )
}

/// Finds the circumstances on which the oracle depends beside the candidate's bytes.
fn circumstances(examiner: &Examiner<'_>, script: Option<&Script>, report: &mut Report) -> Result<(), Error> {
    let before = report.count_all();
    report.add(names(examiner)?);
    report.add(directory(examiner)?);
    report.add(standard_input(examiner)?);
    report.add(left(examiner)?);
    if report.count_all() == before {
        let name = if examiner.is_archive() { "" } else { "nor the file's name, " };
        report.fine(format!(
            "it depends on neither the directory, {name}nor standard input, and leaves no process"
        ));
    }
    let absolute =
        std::path::absolute(&examiner.path).ok().filter(|_| examiner.settings.input.file().is_some());
    if !report.is_wrong()
        && let Some(path) = absolute.filter(|path| script.is_some_and(|script| script.names(path)))
    {
        report.add([Finding::new(
            Severity::Doubt,
            format!("its text names `{}`, the input itself", path.display()),
            "what it does there does not depend on the candidate",
            "use `\"$1\"`, the path of the candidate",
        )]);
    }
    Ok(())
}

/// Checks whether the oracle needs the file's name; in a directory the names of files are a part of the candidate.
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
                "it needs the file to be called `{}`: as `{}` it is not interesting",
                own.display(),
                other.display()
            ),
            "candidates have that name, but the result is another file, and does not fail under its own name",
            "use `\"$1\"` instead of the name; or rename the result before you try it",
        ));
    }
    Ok(found)
}

/// Tells whether the input is interesting in this way, too; it runs a second time if the first says no.
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
            "it depends on the directory that it runs in: in one like `{}/…` the input is not interesting",
            deep.display()
        ),
        "each run has a directory of its own, and the result is tried somewhere else again",
        "use no relative paths like `../..`, and quote paths: `\"$1\"`; they may hold blanks",
    )))
}

fn standard_input(examiner: &Examiner<'_>) -> Result<Option<Finding>, Error> {
    if shows_input(examiner, &examiner.under(&Circumstance::Fed))? {
        return Ok(None);
    }
    Ok(Some(Finding::new(
        Severity::Doubt,
        "it reads standard input, which is empty in a reduction: with a few lines there the input is not interesting",
        "by hand, on a terminal, it does something else than in a reduction, or waits",
        "give the command that reads it `</dev/null`, or what it is to read",
    )))
}

fn left(examiner: &Examiner<'_>) -> Result<Option<Finding>, Error> {
    let run = examiner.run_as(&examiner.under(&Circumstance::Left), examiner.input)?;
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    Ok(said.lines().find_map(|line| line.strip_prefix(LEFT)).map(|names| {
        Finding::new(
            Severity::Doubt,
            format!("it leaves processes behind: {names}"),
            "they are killed when the oracle ends, so what they would have done does not count",
            "`wait` for them, or end them (`kill $!`) before the script ends",
        )
    }))
}

/// Checks whether the oracle wants to write elsewhere.
fn confinement(examiner: &Examiner<'_>, report: &mut Report) -> Result<(), Error> {
    let run = examiner.run(examiner.input)?;
    let said = [run.stdout.as_slice(), run.stderr.as_slice()].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    let refused = said.lines().find(|line| baseline::is_complaint(line.as_bytes()));
    let Some(free) = examiner.free() else { return Ok(()) };
    let outside = examiner.run_as(&free, examiner.input)?;
    let fix = "write to the current directory or to `$TMPDIR`; or allow it a directory with `--writable DIR`, or everything with `--sandbox off`";
    if !outside.verdict.is_interesting() && !shows_input(examiner, &free)? {
        report.add([Finding::new(
            Severity::Wrong,
            format!(
                "the input is interesting in the sandbox only: without it, it {}",
                text::ending(outside.status)
            ),
            "the failure seems to be that it may not write outside of its directory",
            fix,
        )]);
    } else if let Some(line) = refused {
        report.add([Finding::new(
            Severity::Doubt,
            format!("it was refused something, perhaps to write outside of its directory: `{}`", line.trim()),
            "what it cannot write it may miss later; and what it writes outside, runs at the same time share",
            fix,
        )]);
    }
    Ok(())
}

/// Measures the gain of several runs at once, and checks whether they disturb each other; `cause` is why answers tell nothing.
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
        format!("about {minute} probes a minute; 1,000 probes take {}", text::time(each.mul_f64(1000.0)))
    };
    if jobs < 2 {
        report.fine(format!("one after the other: {}", estimate(alone)));
        return Ok(());
    }
    // The first round starts helper processes.
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
        report.unknown(format!("whether runs at the same time disturb each other: {cause}"));
    } else if wrong > 0 && shows_input(examiner, &examiner.oracle)? {
        report.add([Finding::new(
            Severity::Wrong,
            format!("runs at the same time disturb each other: of {}, {wrong} did not find the input interesting", text::counted(verdicts.len(), "run")),
            "a reduction runs several candidates at once, and would believe wrong answers",
            "share no files, ports or locks: write to the current directory or to `$TMPDIR`; or reduce with `-j1`",
        )]);
        return Ok(());
    }
    let gain = alone.as_secs_f64() / each.as_secs_f64().max(1e-9);
    report.fine(format!("{jobs} at once: {}", estimate(each)));
    if gain < TUNING.worthwhile_gain && alone > TUNING.noise {
        report.add([Finding::new(
            Severity::Tip,
            format!("{jobs} runs at once are hardly faster than one after the other ({gain:.1} times)"),
            "it uses several cores by itself, or waits for something that there is once; or the machine is busy",
            "keep it to one thread; or reduce with `-j1`",
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
            format!(
                "it has no time limit of its own: a candidate that never ends costs {}, twice",
                text::time(limit)
            ),
            "parts of programs often loop",
            format!("`timeout {enough} command …` in the script, or `--timeout {enough}`"),
        )
    })
}

/// Checks whether the output of the oracle is of use.
fn output(examiner: &Examiner<'_>) -> Result<Option<Finding>, Error> {
    if examiner.settings.test.failure.is_some() {
        return Ok(None);
    }
    let run = examiner.run(examiner.input)?;
    let written = run.stdout.len().max(run.stderr.len());
    Ok(match written {
        0 => Some(Finding::new(
            Severity::Tip,
            "it writes nothing",
            "Nubbin looks at messages, and tells where a reduction drifts to another failure; here it sees none",
            "let the command's messages through: instead of `>/dev/null 2>&1` write them to a file and `cat` it",
        )),
        _ if written as u64 >= TAIL => Some(Finding::new(
            Severity::Tip,
            format!("it writes {} or more in each run", text::counted(TAIL as usize, "byte")),
            "that takes time in each of thousands of runs",
            "write less: `grep -q`, or redirect what nobody reads",
        )),
        _ => None,
    })
}

/// Finds the reasons why the input may be not interesting.
pub fn reasons(examiner: &Examiner<'_>) -> Result<Vec<Finding>, Error> {
    let mut found = Vec::new();
    let here = std::env::current_dir().unwrap_or_default();
    let why =
        "the oracle runs in a fresh directory that holds only the candidate, given as its last argument";
    let is_so = |words: &[OsString]| {
        let oracle = examiner.with_words(words);
        Ok::<_, Error>(examiner.run_as(&oracle, examiner.input)?.verdict.is_interesting())
    };
    let reads_input =
        || Ok::<_, Error>(examiner.run_as(&examiner.under(&Circumstance::OnInput), examiner.input)?.verdict);
    if !examiner.is_archive() && reads_input()?.is_interesting() {
        let fix = "read `\"$1\"`, such as `command <\"$1\"`";
        found.push(Finding::new(
            Severity::Wrong,
            "it reads the input from standard input: there it is interesting",
            why,
            fix,
        ));
    } else if examiner
        .run_as(&examiner.under(&Circumstance::In(here)), examiner.input)?
        .verdict
        .is_interesting()
    {
        let seen = "it is interesting when it runs in this directory: it needs files that are here";
        let fix = "name those files by absolute paths, or `cp` them from there in the script";
        found.push(Finding::new(Severity::Wrong, seen, why, fix));
    } else if let Some(words) = on_the_file_itself(examiner)
        && is_so(&words)?
    {
        let seen = format!(
            "it is interesting when it is given `{}` itself: it needs that path, or files beside it",
            examiner.path.display()
        );
        let fix = "name those files by absolute paths, such as `-I /path/of/headers`, or reduce the directory as a whole";
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
                "it may be the wrong way round: it exits with status 0 on {empty_one}, and {} on the input",
                text::ending(input.status)
            ),
            "status 0 says that the failure is there",
            "turn it round: `! command`, or `if command; then exit 1; else exit 0; fi`",
        ));
    }
    Ok(found)
}

/// Returns the words with the input's own path.
fn on_the_file_itself(examiner: &Examiner<'_>) -> Option<Vec<OsString>> {
    let path = std::path::absolute(examiner.settings.input.file()?).ok()?;
    let words = &examiner.settings.test.words;
    let has_path = words.iter().any(|word| nubbin_oracle::command::holds_placeholder(word, false));
    let filled = |word: &OsString| match word.to_str() {
        Some(text) => text.replace("{}", &path.to_string_lossy()).into(),
        None => word.clone(),
    };
    let mut filled: Vec<OsString> = words.iter().map(filled).collect();
    if !has_path {
        // The candidate's path comes last all the same; a script takes the first.
        filled.push(path.into());
    }
    Some(filled)
}
