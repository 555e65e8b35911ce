//! What runs of an oracle show of it.
//!
//! How it is run is `bench`'s; what its text shows, `script`'s.

use super::super::text;
use super::bench::Bench;
use super::finding::{Finding, Level, Report};
use super::sample::{self, Kind, Sample};
use super::script::Script;
use super::wrapper::{Circumstance, LEFT};
use nubbin::oracle::command::TAIL;
use nubbin::oracle::{Error, Run, Status};
use nubbin::signature::Signature;
use nubbin::{Language, Verdict, parallel};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How many runs tell whether it repeats itself, at least and at most, and how long they may take together.
const REPEATS: (usize, usize, Duration) = (3, 10, Duration::from_secs(20));
/// How many more times a candidate that is not interesting is run.
const REJECTED: usize = 2;
/// What a run takes, so many times as long as the shortest, where it is uneven.
const UNEVEN: f64 = 3.0;
/// What several runs at once have to bring beside one after the other.
const WORTH: f64 = 1.2;
/// Below this a difference in time is noise.
const NOISE: Duration = Duration::from_millis(20);
/// What programs say when they may not write somewhere.
const REFUSED: [&str; 3] = ["Permission denied", "Read-only file system", "Operation not permitted"];
/// How many lines of output are shown.
const LINES: usize = 1;

/// Looks at everything.
pub fn at_everything(
    bench: &Bench<'_>,
    language: Option<&Language>,
    script: Option<&Script>,
    report: &mut Report,
) -> Result<(), Error> {
    let times = repeats(bench, report)?;
    let tried = samples(bench, language)?;
    accepted(bench, &tried, script, report)?;
    rejected(bench, &tried, report)?;
    circumstances(bench, script, report)?;
    confinement(bench, report)?;
    at_once(bench, &times, report)?;
    report.add(script.iter().flat_map(|script| script.findings(&bench.whole_path())));
    report.add(time_limit(bench, script, &times));
    report.add(output(bench)?);
    Ok(())
}

/// Whether it says the same of the input each time; how long each run takes.
fn repeats(bench: &Bench<'_>, report: &mut Report) -> Result<Vec<Duration>, Error> {
    let (start, (least, most, budget)) = (Instant::now(), REPEATS);
    let mut runs: Vec<Run> = Vec::new();
    while runs.len() < least || runs.len() < most && start.elapsed() < budget {
        runs.push(bench.run(bench.input)?);
    }
    let interesting = runs.iter().filter(|run| run.verdict.is_interesting()).count();
    let mut times: Vec<Duration> = runs.iter().map(|run| run.elapsed).collect();
    times.sort();
    let (shortest, median, longest) = (times[0], times[times.len() / 2], times[times.len() - 1]);
    let spread =
        format!("{} a run ({} to {})", text::time(median), text::time(shortest), text::time(longest));
    if interesting < runs.len() {
        report.add([
            inconstant(bench, "the input", interesting, runs.len()).by_hand(Some(bench.input_by_hand()))
        ]);
    } else {
        report.fine(format!(
            "it says the same of the input in {} of {} runs; {spread}",
            runs.len(),
            runs.len()
        ));
    }
    if longest > shortest.mul_f64(UNEVEN) && longest > shortest + NOISE {
        report.add([Finding::new(
            Level::Tip,
            format!("its runs take very different times: {spread}"),
            "the time limit follows the longest, so a candidate that hangs costs ten times as much",
            "find out what it waits for; `--timeout SECONDS` sets a limit of your own",
        )]);
    }
    Ok(times)
}

fn inconstant(bench: &Bench<'_>, what: &str, interesting: usize, runs: usize) -> Finding {
    let share = text::share(interesting, runs);
    let fix = match bench.settings.test.failure {
        None => {
            "make it deterministic: fix seeds, use one thread, wait for what it starts; or reduce with `--flaky 0.95`, which runs each candidate several times"
        }
        Some(_) => {
            "make it deterministic: fix seeds, use one thread; where only the message varies, `--no-keep-message`; or reduce with `--flaky 0.95`"
        }
    };
    Finding::new(
        Level::Wrong,
        format!("it does not repeat itself: {what} is interesting in {share}"),
        "a reduction goes astray on the first wrong answer",
        fix,
    )
}

/// A sample, and what came of it.
type Tried = (Sample, Run);

fn samples(bench: &Bench<'_>, language: Option<&Language>) -> Result<Vec<Tried>, Error> {
    let samples = sample::samples(bench.input, language).into_iter();
    samples
        .map(|sample| Ok((bench.run(&sample.bytes)?, sample)))
        .map(|tried| tried.map(|(run, sample)| (sample, run)))
        .collect()
}

/// What it accepts that it should not.
fn accepted(
    bench: &Bench<'_>,
    tried: &[Tried],
    script: Option<&Script>,
    report: &mut Report,
) -> Result<(), Error> {
    let same = sameness(bench, tried)?;
    let is_accepted =
        |kind: Kind| tried.iter().any(|(sample, run)| sample.kind == kind && run.verdict.is_interesting());
    let is_meant = |kind: Kind| kind == Kind::Empty && bench.settings.allow_empty;
    let nothing = [Kind::Empty, Kind::Blank, Kind::Garbage, Kind::Comments];
    let bad: Vec<&Tried> = tried
        .iter()
        .filter(|(sample, run)| {
            run.verdict.is_interesting() && nothing.contains(&sample.kind) && !is_meant(sample.kind)
        })
        .chain(
            tried.iter().filter(|(sample, _)| sample.kind == Kind::SyntaxError && same == Some(Same::Other)),
        )
        .collect();
    if let Some(finding) = unlooked(bench, &bad, script) {
        report.add([finding]);
    } else if !bad.is_empty() {
        report.add([accepts(bench, &bad)]);
    } else {
        let rejected: Vec<&str> = tried
            .iter()
            .filter(|(_, run)| !run.verdict.is_interesting())
            .map(|(sample, _)| sample.what.as_str())
            .collect();
        report.fine(format!("it rejects {}", rejected.join(", ")));
        if same == Some(Same::Unknown) {
            report.add([syntax_error(bench, tried)]);
        }
        if is_accepted(Kind::FirstHalf) && is_accepted(Kind::SecondHalf) {
            report.add([either_half(bench, tried)]);
        }
        if is_accepted(Kind::Words) {
            report.add([words_alone(bench, tried)]);
        }
    }
    Ok(())
}

/// Whether a syntax error that is accepted shows the input's failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Same {
    /// It says the same.
    Failure,
    /// It says nothing, or what both say is in no known form.
    Unknown,
    /// It says something else; or everything is accepted.
    Other,
}

/// What the syntax error is accepted for, if it is.
fn sameness(bench: &Bench<'_>, tried: &[Tried]) -> Result<Option<Same>, Error> {
    let accepted =
        |kind: Kind| tried.iter().find(|(sample, run)| sample.kind == kind && run.verdict.is_interesting());
    let Some((_, run)) = accepted(Kind::SyntaxError) else { return Ok(None) };
    if accepted(Kind::Garbage).is_some() {
        return Ok(Some(Same::Other));
    }
    let own = [bench.name()];
    let says = |said: &Signature| {
        Signature::all(&run.stdout, &run.stderr, &own).iter().any(|other| said.covers(other))
    };
    if bench.said.as_ref().is_some_and(says) {
        return Ok(Some(Same::Failure));
    }
    let input = lines(&bench.run(bench.input)?);
    let here = lines(run);
    let is_other = !input.is_empty() && !here.is_empty() && !here.iter().any(|line| input.contains(line));
    Ok(Some(if is_other { Same::Other } else { Same::Unknown }))
}

/// The lines that a run writes, by their words alone: numbers and paths change.
fn lines(run: &Run) -> Vec<String> {
    let output = [run.stdout.as_slice(), b"\n", run.stderr.as_slice()].concat();
    let is_word = |word: &&str| word.chars().all(|c| !c.is_ascii_digit() && c != '/');
    let words = |line: &str| line.split_whitespace().filter(is_word).collect::<Vec<_>>().join(" ");
    String::from_utf8_lossy(&output).lines().map(words).filter(|line| line.contains(' ')).collect()
}

fn syntax_error(bench: &Bench<'_>, tried: &[Tried]) -> Finding {
    let (sample, _) =
        tried.iter().find(|(sample, _)| sample.kind == Kind::SyntaxError).expect("it was accepted");
    Finding::new(
        Level::Doubt,
        format!("it accepts {}", sample.what),
        "where the failure needs the syntax to be right, the result may be a syntax error",
        "look what it says there; if it is not your failure, check for the message, or that nothing else is said",
    )
    .by_hand(bench.by_hand(sample))
}

/// That everything is accepted since the candidate is not looked at.
fn unlooked(bench: &Bench<'_>, bad: &[&Tried], script: Option<&Script>) -> Option<Finding> {
    let (script, (sample, _)) = (script?, bad.iter().find(|(sample, _)| sample.kind == Kind::Garbage)?);
    let paths = [
        Some(bench.path.clone()).filter(|path| path.components().count() > 1),
        std::path::absolute(&bench.path).ok(),
    ];
    let named = paths.into_iter().flatten().find(|path| script.names(path));
    let seen = match named {
        Some(path) => format!(
            "it looks at `{}` itself, and never at the candidate: it accepts {}",
            path.display(),
            sample.what
        ),
        None if script.ignores_its_argument(&bench.name()) => {
            format!("it never looks at its argument: it accepts {}", sample.what)
        }
        None => return None,
    };
    let why = "every candidate would be as good as the input, and the result is nothing";
    let fix =
        format!("use `\"$1\"`, the path of the candidate, or `{}` in the current directory", bench.name());
    Some(Finding::new(Level::Wrong, seen, why, fix).by_hand(bench.by_hand(sample)))
}

fn accepts(bench: &Bench<'_>, bad: &[&Tried]) -> Finding {
    let whats: Vec<&str> = bad.iter().map(|(sample, _)| sample.what.as_str()).collect();
    let is_syntax_only = bad.iter().all(|(sample, _)| sample.kind == Kind::SyntaxError);
    let why = if is_syntax_only {
        "a reduction likes syntax errors, since they are short; then the result fails by its syntax, and not by the bug"
    } else {
        "a reduction goes to the smallest file that is accepted, and that would be one without the failure"
    };
    let fix = match bench.settings.test.failure {
        None => {
            "check for the failure itself: its message (`grep -F 'part of it'`), and the exact status; `nubbin init FILE -- COMMAND {}` writes such an oracle"
        }
        Some(_) => {
            "say more about the failure: `--stderr REGEX` or `--stdout REGEX` with a part of its message, or `--keep-message`"
        }
    };
    let mut fix = fix.to_owned();
    if bad.iter().any(|(sample, _)| sample.kind == Kind::Empty) {
        fix += "; if the empty file may be the result, `--allow-empty`";
    }
    let (sample, run) =
        bad.iter().max_by_key(|(sample, _)| sample.kind == Kind::SyntaxError).expect("there is one");
    let said = text::last_lines(&[run.stdout.as_slice(), run.stderr.as_slice()].concat(), LINES);
    let said = said.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    let said = if said.is_empty() { String::new() } else { format!("; on the last it says {said}") };
    Finding::new(Level::Wrong, format!("it accepts {}{said}", whats.join(", ")), why, fix)
        .by_hand(bench.by_hand(sample))
}

fn either_half(bench: &Bench<'_>, tried: &[Tried]) -> Finding {
    let half = tried.iter().find(|(sample, _)| sample.kind == Kind::SecondHalf);
    Finding::new(
        Level::Doubt,
        "it accepts the first half of the input, and the second half, too",
        "the failure may be there twice; or the oracle accepts more than the failure",
        "look whether both halves fail in the way that you mean",
    )
    .by_hand(half.and_then(|(sample, _)| bench.by_hand(sample)))
}

fn words_alone(bench: &Bench<'_>, tried: &[Tried]) -> Finding {
    let words = tried.iter().find(|(sample, _)| sample.kind == Kind::Words);
    Finding::new(
        Level::Doubt,
        "it accepts the words of the input without anything between them",
        "it seems to look at words only, and the result may be a list of words",
        "if the failure takes more than words, check for the failure itself",
    )
    .by_hand(words.and_then(|(sample, _)| bench.by_hand(sample)))
}

/// Whether it rejects the same thing each time.
fn rejected(bench: &Bench<'_>, tried: &[Tried], report: &mut Report) -> Result<(), Error> {
    let is_half = |(sample, _): &&Tried| sample.kind == Kind::FirstHalf || sample.kind == Kind::SecondHalf;
    let mut all = tried.iter().filter(|(_, run)| run.verdict == Verdict::Uninteresting);
    let one = all.clone().find(is_half).or_else(|| all.next());
    let Some((sample, _)) = one else { return Ok(()) };
    let mut interesting = 0;
    for _ in 0..REJECTED {
        interesting += usize::from(bench.run(&sample.bytes)?.verdict.is_interesting());
    }
    if interesting > 0 {
        report
            .add([inconstant(bench, &sample.what, interesting, REJECTED + 1).by_hand(bench.by_hand(sample))]);
    }
    Ok(())
}

/// What it depends on beside the candidate's bytes.
fn circumstances(bench: &Bench<'_>, script: Option<&Script>, report: &mut Report) -> Result<(), Error> {
    let before = report.count_all();
    report.add(names(bench)?);
    report.add(directory(bench)?);
    report.add(standard_input(bench)?);
    report.add(left(bench)?);
    if report.count_all() == before {
        report.fine("it depends on neither the directory, nor the file's name, nor standard input, and leaves no process");
    }
    let absolute = std::path::absolute(&bench.path).ok().filter(|_| bench.settings.input.file().is_some());
    if !report.is_wrong()
        && let Some(path) = absolute.filter(|path| script.is_some_and(|script| script.names(path)))
    {
        report.add([Finding::new(
            Level::Doubt,
            format!("its text names `{}`, the input itself", path.display()),
            "what it does there does not depend on the candidate",
            "use `\"$1\"`, the path of the candidate",
        )]);
    }
    Ok(())
}

fn names(bench: &Bench<'_>) -> Result<Vec<Finding>, Error> {
    let own = PathBuf::from(bench.name());
    let other = Path::new("another-name").with_extension(own.extension().unwrap_or_default());
    let mut found = Vec::new();
    if other != own && !shows_input(bench, &bench.named(&other))? {
        found.push(Finding::new(
            Level::Doubt,
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

/// Whether the input is interesting in this way, too; twice no is no.
fn shows_input(bench: &Bench<'_>, oracle: &nubbin::oracle::CommandOracle) -> Result<bool, Error> {
    for _ in 0..2 {
        if bench.run_as(oracle, bench.input)?.verdict.is_interesting() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn directory(bench: &Bench<'_>) -> Result<Option<Finding>, Error> {
    let Ok(place) = tempfile::Builder::new().prefix("nubbin check").tempdir() else { return Ok(None) };
    let deep = place.path().join("a").join("deeper one");
    if std::fs::create_dir_all(&deep).is_err() || shows_input(bench, &bench.at(&deep))? {
        return Ok(None);
    }
    Ok(Some(Finding::new(
        Level::Doubt,
        format!(
            "it depends on the directory that it runs in: in one like `{}/…` the input is not interesting",
            deep.display()
        ),
        "each run has a directory of its own, and the result is tried somewhere else again",
        "use no relative paths like `../..`, and quote paths: `\"$1\"`; they may hold blanks",
    )))
}

fn standard_input(bench: &Bench<'_>) -> Result<Option<Finding>, Error> {
    if shows_input(bench, &bench.under(&Circumstance::Fed))? {
        return Ok(None);
    }
    Ok(Some(Finding::new(
        Level::Doubt,
        "it reads standard input, which is empty in a reduction: with a few lines there the input is not interesting",
        "by hand, on a terminal, it does something else than in a reduction, or waits",
        "give the command that reads it `</dev/null`, or what it is to read",
    )))
}

fn left(bench: &Bench<'_>) -> Result<Option<Finding>, Error> {
    let run = bench.run_as(&bench.under(&Circumstance::Left), bench.input)?;
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    Ok(said.lines().find_map(|line| line.strip_prefix(LEFT)).map(|names| {
        Finding::new(
            Level::Doubt,
            format!("it leaves processes behind: {names}"),
            "they are killed when the oracle ends, so what they would have done does not count",
            "`wait` for them, or end them (`kill $!`) before the script ends",
        )
    }))
}

/// Whether it wants to write elsewhere.
fn confinement(bench: &Bench<'_>, report: &mut Report) -> Result<(), Error> {
    let run = bench.run(bench.input)?;
    let said = [run.stdout.as_slice(), run.stderr.as_slice()].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    let refused = said.lines().find(|line| REFUSED.iter().any(|text| line.contains(text)));
    let Some(free) = bench.free() else { return Ok(()) };
    let outside = bench.run_as(&free, bench.input)?;
    let fix = "write to the current directory or to `$TMPDIR`; or allow it a directory with `--writable DIR`, or everything with `--sandbox off`";
    if !outside.verdict.is_interesting() && !shows_input(bench, &free)? {
        report.add([Finding::new(
            Level::Wrong,
            format!(
                "the input is interesting in the sandbox only: without it, it {}",
                text::ending(outside.status)
            ),
            "the failure seems to be that it may not write outside of its directory",
            fix,
        )]);
    } else if let Some(line) = refused {
        report.add([Finding::new(
            Level::Doubt,
            format!("it was refused something, perhaps to write outside of its directory: `{}`", line.trim()),
            "what it cannot write it may miss later; and what it writes outside, runs at the same time share",
            fix,
        )]);
    }
    Ok(())
}

/// What several runs at once bring, and whether they disturb each other.
fn at_once(bench: &Bench<'_>, times: &[Duration], report: &mut Report) -> Result<(), Error> {
    let jobs = bench.settings.jobs.unwrap_or_else(parallel::cores);
    let alone = times[times.len() / 2];
    let per_minute = |each: Duration| 60.0 / each.as_secs_f64().max(1e-4);
    let estimate = |each: Duration| {
        let minute = text::count(per_minute(each) as usize);
        format!("about {minute} probes a minute; 1,000 probes take {}", text::time(each.mul_f64(1000.0)))
    };
    if jobs < 2 {
        report.fine(format!("one after the other: {}", estimate(alone)));
        return Ok(());
    }
    // The first round starts helper processes.
    let (mut verdicts, mut each) = (Vec::new(), alone);
    let (oracle, input) = (&bench.oracle, bench.input);
    for _ in 0..2 {
        let start = Instant::now();
        let runs = parallel::at_once(jobs, |_| oracle.run(input));
        each = start.elapsed().div_f64(jobs as f64);
        for run in runs {
            verdicts.push(run?.verdict.is_interesting());
        }
    }
    let wrong = verdicts.iter().filter(|is_interesting| !**is_interesting).count();
    if wrong > 0 && shows_input(bench, &bench.oracle)? {
        report.add([Finding::new(
            Level::Wrong,
            format!("runs at the same time disturb each other: of {}, {wrong} did not find the input interesting", text::counted(verdicts.len(), "run")),
            "a reduction runs several candidates at once, and would believe wrong answers",
            "share no files, ports or locks: write to the current directory or to `$TMPDIR`; or reduce with `-j1`",
        )]);
        return Ok(());
    }
    let gain = alone.as_secs_f64() / each.as_secs_f64().max(1e-9);
    report.fine(format!("{jobs} at once: {}", estimate(each)));
    if gain < WORTH && alone > NOISE {
        report.add([Finding::new(
            Level::Tip,
            format!("{jobs} runs at once are hardly faster than one after the other ({gain:.1} times)"),
            "it uses several cores by itself, or waits for something that there is once; or the machine is busy",
            "keep it to one thread; or reduce with `-j1`",
        )]);
    }
    Ok(())
}

fn time_limit(bench: &Bench<'_>, script: Option<&Script>, times: &[Duration]) -> Option<Finding> {
    let is_without = bench.settings.timeout.is_none() && script.and_then(Script::limits_time) == Some(false);
    let longest = times.last().copied().unwrap_or_default();
    let (limit, enough) = ((longest * 10).max(Duration::from_secs(5)), longest.as_secs() * 3 + 1);
    is_without.then(|| {
        Finding::new(
            Level::Tip,
            format!(
                "it has no time limit of its own: a candidate that never ends costs {}, twice",
                text::time(limit)
            ),
            "parts of programs often loop",
            format!("`timeout {enough} command …` in the script, or `--timeout {enough}`"),
        )
    })
}

/// Whether what it writes is of use.
fn output(bench: &Bench<'_>) -> Result<Option<Finding>, Error> {
    if bench.settings.test.failure.is_some() {
        return Ok(None);
    }
    let run = bench.run(bench.input)?;
    let written = run.stdout.len().max(run.stderr.len());
    Ok(match written {
        0 => Some(Finding::new(
            Level::Tip,
            "it writes nothing",
            "Nubbin looks at messages, and tells where a reduction drifts to another failure; here it sees none",
            "let the command's messages through: instead of `>/dev/null 2>&1` write them to a file and `cat` it",
        )),
        _ if written as u64 >= TAIL => Some(Finding::new(
            Level::Tip,
            format!("it writes {} or more in each run", text::counted(TAIL as usize, "byte")),
            "that takes time in each of thousands of runs",
            "write less: `grep -q`, or redirect what nobody reads",
        )),
        _ => None,
    })
}

/// Why the input may be not interesting.
pub fn reasons(bench: &Bench<'_>) -> Result<Vec<Finding>, Error> {
    let mut found = Vec::new();
    let here = std::env::current_dir().unwrap_or_default();
    let why =
        "the oracle runs in a fresh directory that holds only the candidate, given as its last argument";
    let is_so = |words: &[OsString]| {
        let oracle = bench.with_words(words);
        Ok::<_, Error>(bench.run_as(&oracle, bench.input)?.verdict.is_interesting())
    };
    if bench.run_as(&bench.under(&Circumstance::OnInput), bench.input)?.verdict.is_interesting() {
        let fix = "read `\"$1\"`, such as `command <\"$1\"`";
        found.push(Finding::new(
            Level::Wrong,
            "it reads the input from standard input: there it is interesting",
            why,
            fix,
        ));
    } else if bench.run_as(&bench.under(&Circumstance::In(here)), bench.input)?.verdict.is_interesting() {
        let seen = "it is interesting when it runs in this directory: it needs files that are here";
        let fix = "name those files by absolute paths, or `cp` them from there in the script";
        found.push(Finding::new(Level::Wrong, seen, why, fix));
    } else if let Some(words) = on_the_file_itself(bench)
        && is_so(&words)?
    {
        let seen = format!(
            "it is interesting when it is given `{}` itself: it needs that path, or files beside it",
            bench.path.display()
        );
        let fix = "name those files by absolute paths, such as `-I /path/of/headers`, or reduce the directory as a whole";
        found.push(Finding::new(Level::Wrong, seen, why, fix));
    }
    let (empty, input) = (bench.run(b"")?, bench.run(bench.input)?);
    if empty.verdict.is_interesting()
        && matches!(input.status, Status::Exit(status) if status != 0)
        && bench.settings.test.failure.is_none()
    {
        found.push(Finding::new(
            Level::Wrong,
            format!("it may be the wrong way round: it exits with status 0 on the empty file, and {} on the input", text::ending(input.status)),
            "status 0 says that the failure is there",
            "turn it round: `! command`, or `if command; then exit 1; else exit 0; fi`",
        ));
    }
    Ok(found)
}

/// The words with the input's own path.
fn on_the_file_itself(bench: &Bench<'_>) -> Option<Vec<OsString>> {
    let path = std::path::absolute(bench.settings.input.file()?).ok()?;
    let words = &bench.settings.test.words;
    let has_path = words.iter().any(|word| nubbin::oracle::command::holds_placeholder(word, false));
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
