//! A cheap part of the examination, done before a reduction: checks whether the command also fails on garbage.
//!
//! The module `sample` creates the candidates, and `accepted` judges them.

use super::accepted::{self, Tried};
use super::examiner::Examiner;
use super::finding::Report;
use super::sample::{Sample, SampleKind};
use crate::baseline::{Baseline, LINES};
use crate::failure::Failure;
use crate::failure::Fault;
use crate::init::message::{self, MessageChoice};
use crate::message::Message;
use crate::settings::Settings;
use crate::source::Input;
use crate::stop::Stop;
use crate::text;
use nubbin_language::Language;
use nubbin_oracle::{CommandRun, Error, Status};
use std::ffi::OsStr;
use std::time::{Duration, Instant};

/// The kinds of candidates that are tried, the most informative first.
const TRIED: [SampleKind; 6] = [
    SampleKind::SyntaxError,
    SampleKind::Garbage,
    SampleKind::Blank,
    SampleKind::FirstHalf,
    SampleKind::SecondHalf,
    SampleKind::Words,
];
/// The kinds of candidates that should not show the failure.
const GARBAGE: [SampleKind; 3] = [SampleKind::SyntaxError, SampleKind::Garbage, SampleKind::Blank];
/// The time limit of all runs together. Garbage is always tried if only a status is known about the failure.
const BUDGET: Duration = Duration::from_secs(5);

/// Tries a few candidates that should not show the failure, and reports the findings.
///
/// # Errors
/// Returns an error if only a status is known about the failure and garbage causes the same status.
pub fn look(
    settings: &Settings,
    input: &[u8],
    interrupt: &Stop,
    first: &Baseline<'_>,
    language: Option<&Language>,
) -> Result<(), Failure> {
    let Some(failure) = &first.failure else { return Ok(()) };
    let is_open = failure.stdout.is_none() && failure.stderr.is_none() && failure.message.is_none();
    let is_meant = is_open && settings.test.message == Message::None;
    if is_meant
        || settings.test.other.is_some()
        || matches!(settings.input, Input::Options(_) | Input::Changes(_))
        || settings.flaky.is_some()
    {
        return Ok(());
    }
    let examiner = Examiner::new(settings, input, interrupt, Some(first));
    let tried = tried(&examiner, language, is_open, first.longest)?;
    let garbage =
        tried.iter().find(|(sample, run)| GARBAGE.contains(&sample.kind) && run.verdict.is_interesting());
    let is_exit = matches!(failure.status, Some(Status::Exit(_)));
    if let (true, Some((sample, _))) = (is_open && is_exit, garbage) {
        // The reduction itself reports an interesting empty input.
        if !settings.allow_empty && examiner.run(&examiner.nothing())?.verdict.is_interesting() {
            return Ok(());
        }
        return Err(only_a_status(&examiner, first, &tried, sample)?);
    }
    let mut report = Report::default();
    accepted::accepted(&examiner, &tried, (None, None), &mut report)?;
    settings.voice.say_some(&report.findings());
    Ok(())
}

fn tried(
    examiner: &Examiner<'_>,
    language: Option<&Language>,
    is_open: bool,
    longest: Duration,
) -> Result<Vec<Tried>, Error> {
    let start = Instant::now();
    let mut samples = accepted::all(examiner, language);
    samples.retain(|sample| TRIED.contains(&sample.kind));
    samples.sort_by_key(|sample| TRIED.iter().position(|kind| *kind == sample.kind));
    let mut tried = Vec::new();
    for sample in samples {
        let is_affordable = examiner.settings.control.affords(longest);
        if is_affordable && (start.elapsed() < BUDGET || is_open && GARBAGE.contains(&sample.kind)) {
            let run = examiner.run(&sample.bytes)?;
            tried.push((sample, run));
        }
    }
    Ok(tried)
}

fn only_a_status(
    examiner: &Examiner<'_>,
    first: &Baseline<'_>,
    tried: &[Tried],
    sample: &Sample,
) -> Result<Failure, Error> {
    let settings = examiner.settings;
    let runs = [examiner.run(examiner.input)?, examiner.run(examiner.input)?];
    let message = format!(
        "`{}` also {} on {}, and no more is known about the failure; nothing was changed",
        settings.test.label,
        text::ending(runs[0].status),
        sample.what
    );
    let output = [runs[0].stdout.as_slice(), &runs[0].stderr].concat();
    let see = examiner.by_hand(sample).map(|by_hand| format!("see: {by_hand}\n")).unwrap_or_default();
    let more = "to continue anyway, add `--match status`";
    let choices = message::choices(settings, first, &runs);
    let hint = match option(&choices, &runs[0], tried) {
        Some((option, text)) => {
            let mut words = vec![option.to_owned(), text::quote(OsStr::new(&regex::escape(text)))];
            words.extend(settings.words.iter().map(|word| text::quote(word)));
            format!(
                "match the message of the failure, for example with\n  nubbin {}\n{more}",
                words.join(" ")
            )
        }
        None => {
            format!("describe the failure with `--stdout REGEX`, `--stderr REGEX` or a script; {more}")
        }
    };
    Ok(Failure::message(Fault::Wrong, message)
        .details(format!("{}{see}", text::last_lines(&output, LINES)))
        .hint(hint))
}

/// Returns the option that matches the most informative text not shown for garbage, and that text.
fn option<'c>(
    choices: &'c [MessageChoice],
    run: &CommandRun,
    tried: &[Tried],
) -> Option<(&'static str, &'c str)> {
    let shows = |output: &[u8], text: &str| String::from_utf8_lossy(output).contains(text);
    let garbage = || tried.iter().filter(|(sample, _)| GARBAGE.contains(&sample.kind));
    let texts = choices
        .iter()
        .flat_map(|choice| &choice.texts)
        .filter(|text| !garbage().any(|(_, run)| shows(&run.stdout, text) || shows(&run.stderr, text)));
    let mut told = texts.filter_map(|text| {
        let streams = [("--stderr", &run.stderr), ("--stdout", &run.stdout)];
        streams.into_iter().find(|(_, output)| shows(output, text)).map(|(option, _)| (option, text.as_str()))
    });
    told.next()
}
