//! Finds candidates that the oracle accepts but should not, and checks that it rejects a candidate every time.
//!
//! The module `sample` creates the candidates.

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

/// Tuned parameters.
struct Tuning {
    /// The number of extra runs of a rejected candidate.
    runs_of_rejected: usize,
    /// The number of lines of output that are shown.
    lines: usize,
}

const TUNING: Tuning = Tuning { runs_of_rejected: 2, lines: 1 };

pub type Tried = (Sample, CommandRun);

pub fn all(examiner: &Examiner<'_>, language: Option<&Language>) -> Vec<Sample> {
    sample::of(examiner.input, examiner.is_archive(), language)
}

pub fn samples(examiner: &Examiner<'_>, language: Option<&Language>) -> Result<Vec<Tried>, Error> {
    all(examiner, language)
        .into_iter()
        .map(|sample| Ok((examiner.run(&sample.bytes)?, sample)))
        .map(|tried| tried.map(|(run, sample)| (sample, run)))
        .collect()
}

/// Returns whether the oracle accepts random bytes, and so seems to accept anything.
pub fn accepts_anything(tried: &[Tried]) -> bool {
    tried.iter().any(|(sample, run)| sample.kind == SampleKind::Garbage && run.verdict.is_interesting())
}

/// Determines why an oracle accepts anything.
pub fn reasons(examiner: &Examiner<'_>, script: Option<&Script>) -> Result<Vec<Finding>, Error> {
    let garbage = all(examiner, None).into_iter().filter(|sample| sample.kind == SampleKind::Garbage);
    let tried: Vec<Tried> = garbage
        .map(|sample| Ok((examiner.run(&sample.bytes)?, sample)))
        .map(|tried| tried.map(|(run, sample)| (sample, run)))
        .collect::<Result<_, Error>>()?;
    let bad: Vec<&Tried> = tried.iter().filter(|(_, run)| run.verdict.is_interesting()).collect();
    Ok(unlooked(examiner, &bad, script).into_iter().collect())
}

/// Reports candidates that the oracle accepts but should not. `cause` says why its verdicts are unreliable.
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
        report.unknown(format!("whether it rejects inputs without the failure: {cause}"));
    } else {
        let rejected: Vec<&str> = tried
            .iter()
            .filter(|(_, run)| !run.verdict.is_interesting())
            .map(|(sample, _)| sample.what.as_str())
            .collect();
        report.fine(format!("rejects {}", rejected.join(", ")));
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

/// Whether an accepted syntax error shows the failure of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Same {
    /// It has the same message as the input.
    Failure,
    /// It has no message, or both messages are in an unknown form.
    Unknown,
    /// It has another message, or everything is accepted.
    Other,
}

/// Compares the failure of the syntax error, if that is accepted, with the failure of the input.
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

/// Returns the lines of output without words that contain digits or slashes, because numbers and paths vary.
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
        format!("accepts {}", sample.what),
        "if the failure needs valid syntax, the result may be a syntax error",
        "look at the output for it; if it is not your failure, test for the message, or for the absence of other messages",
    )
    .by_hand(examiner.by_hand(sample))
}

/// Returns the finding that everything is accepted because the candidate is ignored.
fn unlooked(examiner: &Examiner<'_>, bad: &[&Tried], script: Option<&Script>) -> Option<Finding> {
    let (script, (sample, _)) = (script?, bad.iter().find(|(sample, _)| sample.kind == SampleKind::Garbage)?);
    let paths = [
        Some(examiner.path.clone()).filter(|path| path.components().count() > 1),
        std::path::absolute(&examiner.path).ok(),
    ];
    let named = paths.into_iter().flatten().find(|path| script.names(path));
    let seen = match named {
        Some(path) => format!(
            "looks at `{}` itself and never at the candidate: accepts {}",
            path.display(),
            sample.what
        ),
        None if script.ignores_its_argument(&examiner.name()) => {
            format!("never looks at its argument: accepts {}", sample.what)
        }
        None => return None,
    };
    let why = "every candidate would be accepted, and the result would be empty";
    let fix =
        format!("use `\"$1\"`, the path of the candidate, or `{}` in the current directory", examiner.name());
    Some(Finding::new(Severity::Wrong, seen, why, fix).by_hand(examiner.by_hand(sample)))
}

fn accepts(examiner: &Examiner<'_>, bad: &[&Tried]) -> Finding {
    let whats: Vec<&str> = bad.iter().map(|(sample, _)| sample.what.as_str()).collect();
    let is_syntax_only = bad.iter().all(|(sample, _)| sample.kind == SampleKind::SyntaxError);
    let why = if is_syntax_only {
        "a reduction prefers syntax errors because they are short; the result then fails because of its syntax, not because of the bug"
    } else {
        "a reduction finds the smallest accepted file, which would be a file without the failure"
    };
    let fix = match examiner.settings.test.failure {
        None => {
            "test for the failure itself: its message (`grep -F 'part of it'`) and the exact status; `nubbin init FILE -- COMMAND {}` writes such a script"
        }
        Some(_) => {
            "describe the failure more precisely: `--stderr REGEX` or `--stdout REGEX` with a part of its message, or `--match message`"
        }
    };
    let mut fix = fix.to_owned();
    if bad.iter().any(|(sample, _)| sample.kind == SampleKind::Empty) {
        fix += "; if the empty file is an acceptable result, add `--allow-empty`";
    }
    let (sample, run) =
        bad.iter().max_by_key(|(sample, _)| sample.kind == SampleKind::SyntaxError).expect("there is one");
    let said = text::last_lines(&[run.stdout.as_slice(), run.stderr.as_slice()].concat(), TUNING.lines);
    let said = said.trim().trim_start_matches("| ");
    let said = if said.is_empty() { String::new() } else { format!("; on the last it prints `{said}`") };
    Finding::new(Severity::Wrong, format!("accepts {}{said}", whats.join(", ")), why, fix)
        .by_hand(examiner.by_hand(sample))
}

fn either_half(examiner: &Examiner<'_>, tried: &[Tried]) -> Finding {
    let half = tried.iter().find(|(sample, _)| sample.kind == SampleKind::SecondHalf);
    Finding::new(
        Severity::Doubt,
        "accepts the first half of the input and also the second half",
        "the failure may occur twice, or the test accepts more than the failure",
        "check that both halves show the intended failure",
    )
    .by_hand(half.and_then(|(sample, _)| examiner.by_hand(sample)))
}

fn words_alone(examiner: &Examiner<'_>, tried: &[Tried]) -> Finding {
    let words = tried.iter().find(|(sample, _)| sample.kind == SampleKind::Words);
    Finding::new(
        Severity::Doubt,
        "accepts the words of the input without the punctuation between them",
        "it seems to look for words only, so the result may be a list of words",
        "if the failure needs more than these words, test for the failure itself",
    )
    .by_hand(words.and_then(|(sample, _)| examiner.by_hand(sample)))
}

/// Checks that the oracle rejects a candidate every time. Returns whether it accepted the candidate at least once.
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
