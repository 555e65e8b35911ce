//! Finds candidates that an oracle accepts and should not, and checks that it rejects the others each time.
//!
//! The candidates are made in `sample`.

use super::examiner::Examiner;
use super::finding::{Finding, Report, Severity};
use super::look::inconstant;
use super::sample::{self, Sample, SampleKind};
use super::script::Script;
use crate::text;
use nubbin_language::Language;
use nubbin_oracle::signature::{Reader, Signature};
use nubbin_oracle::{CommandRun, Error};
use nubbin_search::Verdict;

/// The numbers that were tuned.
struct Tuning {
    /// A candidate that is not interesting gets this many extra runs.
    runs_of_rejected: usize,
    /// At most this many lines of output are shown.
    lines: usize,
}

const TUNING: Tuning = Tuning { runs_of_rejected: 2, lines: 1 };

/// A sample, and the run on it.
pub type Tried = (Sample, CommandRun);

/// Returns all samples of the input.
pub fn all(examiner: &Examiner<'_>, language: Option<&Language>) -> Vec<Sample> {
    sample::of(examiner.input, examiner.is_archive(), language)
}

/// Runs all samples, and returns each with its run.
pub fn samples(examiner: &Examiner<'_>, language: Option<&Language>) -> Result<Vec<Tried>, Error> {
    all(examiner, language)
        .into_iter()
        .map(|sample| Ok((examiner.run(&sample.bytes)?, sample)))
        .map(|tried| tried.map(|(run, sample)| (sample, run)))
        .collect()
}

/// Tells whether the oracle accepts what has nothing of the input, so that it seems to accept anything.
pub fn accepts_anything(tried: &[Tried]) -> bool {
    tried.iter().any(|(sample, run)| sample.kind == SampleKind::Garbage && run.verdict.is_interesting())
}

/// Finds out why an oracle accepts anything.
pub fn reasons(examiner: &Examiner<'_>, script: Option<&Script>) -> Result<Vec<Finding>, Error> {
    let garbage = all(examiner, None).into_iter().filter(|sample| sample.kind == SampleKind::Garbage);
    let tried: Vec<Tried> = garbage
        .map(|sample| Ok((examiner.run(&sample.bytes)?, sample)))
        .map(|tried| tried.map(|(run, sample)| (sample, run)))
        .collect::<Result<_, Error>>()?;
    let bad: Vec<&Tried> = tried.iter().filter(|(_, run)| run.verdict.is_interesting()).collect();
    Ok(unlooked(examiner, &bad, script).into_iter().collect())
}

/// Reports the candidates that the oracle accepts and should not; `cause` is why its answers tell nothing.
pub fn accepted(
    examiner: &Examiner<'_>,
    tried: &[Tried],
    (script, cause): (Option<&Script>, Option<&str>),
    report: &mut Report,
) -> Result<(), Error> {
    let same = sameness(examiner, tried)?;
    let is_accepted = |kind: SampleKind| {
        tried.iter().any(|(sample, run)| sample.kind == kind && run.verdict.is_interesting())
    };
    let is_meant = |kind: SampleKind| kind == SampleKind::Empty && examiner.settings.allow_empty;
    let bad: Vec<&Tried> = tried
        .iter()
        .filter(|(sample, run)| {
            run.verdict.is_interesting() && sample.kind.is_nothing() && !is_meant(sample.kind)
        })
        .chain(
            tried
                .iter()
                .filter(|(sample, _)| sample.kind == SampleKind::SyntaxError && same == Some(Same::Other)),
        )
        .collect();
    if let Some(finding) = unlooked(examiner, &bad, script) {
        report.add([finding]);
    } else if !bad.is_empty() {
        report.add([accepts(examiner, &bad)]);
    } else if let Some(cause) = cause {
        report.unknown(format!("whether it rejects what does not fail: {cause}"));
    } else {
        let rejected: Vec<&str> = tried
            .iter()
            .filter(|(_, run)| !run.verdict.is_interesting())
            .map(|(sample, _)| sample.what.as_str())
            .collect();
        report.fine(format!("it rejects {}", rejected.join(", ")));
        if same == Some(Same::Unknown) {
            report.add([syntax_error(examiner, tried)]);
        }
        if is_accepted(SampleKind::FirstHalf) && is_accepted(SampleKind::SecondHalf) {
            report.add([either_half(examiner, tried)]);
        }
        if is_accepted(SampleKind::Words) {
            report.add([words_alone(examiner, tried)]);
        }
    }
    Ok(())
}

/// The answer to the question if an accepted syntax error shows the input's failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Same {
    /// The syntax error gives the same message as the input.
    Failure,
    /// The syntax error gives no message, or the messages of both are in no known form.
    Unknown,
    /// The syntax error gives another message, or everything is accepted.
    Other,
}

/// Compares the failure of the syntax error with that of the input, if the syntax error is accepted.
fn sameness(examiner: &Examiner<'_>, tried: &[Tried]) -> Result<Option<Same>, Error> {
    let accepted = |kind: SampleKind| {
        tried.iter().find(|(sample, run)| sample.kind == kind && run.verdict.is_interesting())
    };
    let Some((_, run)) = accepted(SampleKind::SyntaxError) else { return Ok(None) };
    if accepted(SampleKind::Garbage).is_some() {
        return Ok(Some(Same::Other));
    }
    let reader = Reader::new(vec![examiner.name()]).with(&examiner.settings.test.forms);
    let says = |said: &Signature| reader.all(&run.stdout, &run.stderr).iter().any(|other| said.covers(other));
    if examiner.said.as_ref().is_some_and(says) {
        return Ok(Some(Same::Failure));
    }
    let input = lines(&examiner.run(examiner.input)?);
    let here = lines(run);
    let is_other = !input.is_empty() && !here.is_empty() && !here.iter().any(|line| input.contains(line));
    Ok(Some(if is_other { Same::Other } else { Same::Unknown }))
}

/// Returns the lines that a run writes, by their words alone: numbers and paths change.
fn lines(run: &CommandRun) -> Vec<String> {
    let output = [run.stdout.as_slice(), b"\n", run.stderr.as_slice()].concat();
    let is_word = |word: &&str| word.chars().all(|c| !c.is_ascii_digit() && c != '/');
    let words = |line: &str| line.split_whitespace().filter(is_word).collect::<Vec<_>>().join(" ");
    String::from_utf8_lossy(&output).lines().map(words).filter(|line| line.contains(' ')).collect()
}

fn syntax_error(examiner: &Examiner<'_>, tried: &[Tried]) -> Finding {
    let (sample, _) =
        tried.iter().find(|(sample, _)| sample.kind == SampleKind::SyntaxError).expect("it was accepted");
    Finding::new(
        Severity::Doubt,
        format!("it accepts {}", sample.what),
        "where the failure needs the syntax to be right, the result may be a syntax error",
        "look what it says there; if it is not your failure, check for the message, or that nothing else is said",
    )
    .by_hand(examiner.by_hand(sample))
}

/// Makes the finding that everything is accepted since the candidate is not looked at.
fn unlooked(examiner: &Examiner<'_>, bad: &[&Tried], script: Option<&Script>) -> Option<Finding> {
    let (script, (sample, _)) = (script?, bad.iter().find(|(sample, _)| sample.kind == SampleKind::Garbage)?);
    let paths = [
        Some(examiner.path.clone()).filter(|path| path.components().count() > 1),
        std::path::absolute(&examiner.path).ok(),
    ];
    let named = paths.into_iter().flatten().find(|path| script.names(path));
    let seen = match named {
        Some(path) => format!(
            "it looks at `{}` itself, and never at the candidate: it accepts {}",
            path.display(),
            sample.what
        ),
        None if script.ignores_its_argument(&examiner.name()) => {
            format!("it never looks at its argument: it accepts {}", sample.what)
        }
        None => return None,
    };
    let why = "every candidate would be as good as the input, and the result is nothing";
    let fix =
        format!("use `\"$1\"`, the path of the candidate, or `{}` in the current directory", examiner.name());
    Some(Finding::new(Severity::Wrong, seen, why, fix).by_hand(examiner.by_hand(sample)))
}

fn accepts(examiner: &Examiner<'_>, bad: &[&Tried]) -> Finding {
    let whats: Vec<&str> = bad.iter().map(|(sample, _)| sample.what.as_str()).collect();
    let is_syntax_only = bad.iter().all(|(sample, _)| sample.kind == SampleKind::SyntaxError);
    let why = if is_syntax_only {
        "a reduction likes syntax errors, since they are short; then the result fails by its syntax, and not by the bug"
    } else {
        "a reduction goes to the smallest file that is accepted, and that would be one without the failure"
    };
    let fix = match examiner.settings.test.failure {
        None => {
            "check for the failure itself: its message (`grep -F 'part of it'`), and the exact status; `nubbin init FILE -- COMMAND {}` writes such an oracle"
        }
        Some(_) => {
            "say more about the failure: `--stderr REGEX` or `--stdout REGEX` with a part of its message, or `--keep-message`"
        }
    };
    let mut fix = fix.to_owned();
    if bad.iter().any(|(sample, _)| sample.kind == SampleKind::Empty) {
        fix += "; if the empty file may be the result, `--allow-empty`";
    }
    let (sample, run) =
        bad.iter().max_by_key(|(sample, _)| sample.kind == SampleKind::SyntaxError).expect("there is one");
    let said = text::last_lines(&[run.stdout.as_slice(), run.stderr.as_slice()].concat(), TUNING.lines);
    let said = said.trim().trim_start_matches("| ");
    let said = if said.is_empty() { String::new() } else { format!("; on the last it says `{said}`") };
    Finding::new(Severity::Wrong, format!("it accepts {}{said}", whats.join(", ")), why, fix)
        .by_hand(examiner.by_hand(sample))
}

fn either_half(examiner: &Examiner<'_>, tried: &[Tried]) -> Finding {
    let half = tried.iter().find(|(sample, _)| sample.kind == SampleKind::SecondHalf);
    Finding::new(
        Severity::Doubt,
        "it accepts the first half of the input, and the second half, too",
        "the failure may be there twice; or the oracle accepts more than the failure",
        "look whether both halves fail in the way that you mean",
    )
    .by_hand(half.and_then(|(sample, _)| examiner.by_hand(sample)))
}

fn words_alone(examiner: &Examiner<'_>, tried: &[Tried]) -> Finding {
    let words = tried.iter().find(|(sample, _)| sample.kind == SampleKind::Words);
    Finding::new(
        Severity::Doubt,
        "it accepts the words of the input without anything between them",
        "it seems to look at words only, and the result may be a list of words",
        "if the failure takes more than words, check for the failure itself",
    )
    .by_hand(words.and_then(|(sample, _)| examiner.by_hand(sample)))
}

/// Checks that the oracle rejects the same candidate each time. Returns whether it does not.
pub fn rejected(examiner: &Examiner<'_>, tried: &[Tried], report: &mut Report) -> Result<bool, Error> {
    let is_half =
        |(sample, _): &&Tried| sample.kind == SampleKind::FirstHalf || sample.kind == SampleKind::SecondHalf;
    let mut all = tried.iter().filter(|(_, run)| run.verdict == Verdict::Uninteresting);
    let one = all.clone().find(is_half).or_else(|| all.next());
    let Some((sample, _)) = one else { return Ok(false) };
    let mut interesting = 0;
    for _ in 0..TUNING.runs_of_rejected {
        interesting += usize::from(examiner.run(&sample.bytes)?.verdict.is_interesting());
    }
    if interesting > 0 {
        report.add([inconstant(examiner, &sample.what, interesting, TUNING.runs_of_rejected + 1)
            .by_hand(examiner.by_hand(sample))]);
    }
    Ok(interesting > 0)
}
