//! One reduction from the command line: read, prove, reduce, report.
//!
//! The reduction itself is the library's.

use super::baseline::{self, Baseline};
use super::exit::Exit;
use super::failure::Failure;
use super::progress::Progress;
use super::settings::{Settings, Test};
use super::signal::Interrupt;
use super::summary::summary;
use super::voice::Voice;
use nubbin::input::BestFile;
use nubbin::language::Language;
use nubbin::{Outcome, Proof, Reduction, Step};
use std::io;

/// Reduces what the settings say, and reports it.
pub fn run(settings: &Settings) -> Result<Exit, Failure> {
    let input = settings.input.read()?;
    let path = settings.input.path(&settings.language);
    let language = settings.language.resolve(&path, &input)?;
    let mut best = settings.output.open(&settings.input)?;
    best.check()?;
    let interrupt = Interrupt::watch().map_err(|error| Failure::new(Exit::Unexpected, error))?;

    let baseline = baseline::run(settings, &input, &interrupt);
    let baseline = baseline.inspect_err(|_| nothing_done(settings.voice, &interrupt))?;
    if let Some(kept) = &baseline.kept {
        settings.voice.say(&format!("note: {kept}"));
    }
    let mut progress = Progress::new(settings.voice, interrupt.pause());
    let outcome = reduce(settings, &input, language.get(), &baseline, &mut best, &interrupt, &mut progress);
    let time = progress.finish();
    // The wardens have cleaned up when this is gone.
    drop(baseline);
    let outcome = outcome?;

    let is_unchanged = outcome.proof == Proof::Interrupted && !best.is_saved();
    if !(is_unchanged && best.path().is_some()) {
        best.finish(&outcome.best)?;
    }
    settings.voice.say(&summary(&outcome, &best, time, settings.voice == Voice::Verbose));
    interrupt.raise();
    Ok(Exit::Success)
}

/// Ends the program where a signal came before there was anything to reduce.
fn nothing_done(voice: Voice, interrupt: &Interrupt) {
    if interrupt.has_come() {
        voice.say("interrupted; nothing was changed");
        interrupt.raise();
    }
}

/// Reduces the input, and saves each best. When it fails halfway, the last best is not lost.
fn reduce(
    settings: &Settings,
    input: &[u8],
    language: Option<&Language>,
    baseline: &Baseline<'_>,
    best: &mut BestFile,
    interrupt: &Interrupt,
    progress: &mut Progress,
) -> Result<Outcome, Failure> {
    let mut last = None;
    let mut keeper = |step: &Step<'_>| {
        best.save(step.best).map_err(io::Error::other)?;
        last = Some(step.best.to_owned());
        Ok(())
    };
    let reduction = Reduction::new(input)
        .language(language)
        .allow_empty(settings.allow_empty)
        .compact(settings.compact)
        .stop(interrupt.flag())
        .keeper(&mut keeper)
        .sink(progress);
    let error = match reduction.run_parallel(baseline, settings.jobs) {
        Ok(outcome) => return Ok(outcome),
        Err(nubbin::Error::EmptyIsInteresting) => return Err(accepts_all(&settings.test)),
        Err(error) => Failure::from(error),
    };
    let Some(last) = last else { return Err(error) };
    best.finish(&last)?;
    let place =
        best.path().map_or("on standard output".to_owned(), |path| format!("in `{}`", path.display()));
    Err(error.details(format!("  the best so far is {place}\n")))
}

fn accepts_all(test: &Test) -> Failure {
    let (message, advice) = match &test.failure {
        None => (
            format!("`{}` finds the empty input interesting too; nothing was changed", test.label),
            "it would accept anything: let it check for the failure itself, such as its message",
        ),
        Some(_) => (
            format!("`{}` fails in this way on the empty input too; nothing was changed", test.label),
            "say more about the failure: `--stderr REGEX` or `--stdout REGEX` with a part of its message",
        ),
    };
    Failure::message(Exit::EmptyIsInteresting, message)
        .hint(format!("{advice}; `--allow-empty` goes on all the same"))
}
