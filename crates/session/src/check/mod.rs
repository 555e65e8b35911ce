//! `nubbin check`: examines an oracle before a long reduction.
//!
//! The oracle is run as in a reduction: on the input, on candidates that show what it depends on (`sample`), and in
//! other circumstances (`wrapper`). The text of a script is examined as well (`script`). Nothing is changed.

mod accepted;
pub(crate) mod beforehand;
mod examiner;
mod finding;
mod look;
pub(crate) mod sample;
pub mod script;
pub(crate) mod wrapper;

use crate::baseline;
use crate::failure::Failure;
use crate::failure::Fault;
use crate::settings::Settings;
use crate::stop::Stop;
use crate::text;
use examiner::Examiner;
use finding::Report;
use script::Script;
use std::ffi::OsString;

/// The result of an examination, as text.
#[derive(Debug)]
pub struct Examination {
    /// A title with the command.
    pub title: String,
    /// The findings, each with its reason and remedy.
    pub findings: String,
    /// A one-line summary.
    pub verdict: String,
    /// A reduction would have a wrong result.
    pub is_wrong: bool,
    /// The reason why there is nothing to reduce, if so; `findings` can explain it.
    pub failure: Option<Failure>,
}

/// Examines the oracle of these settings.
///
/// # Errors
/// Returns an error when the oracle cannot be run, or the input cannot be read.
pub fn run(settings: &Settings, stop: &Stop) -> Result<Examination, Failure> {
    let input = settings.input.read()?;
    stop.begin(None)?;
    examine(settings, &input, stop)
}

/// Returns whether the oracle is a script that hides the messages of its commands.
pub(crate) fn hides_messages(words: &[OsString]) -> bool {
    Script::of(words).is_some_and(|script| script.hides_messages())
}

/// Looks for reasons why a run cannot start: the input is not interesting, or the oracle accepts anything.
fn reasons(
    examiner: &Examiner<'_>,
    fault: Fault,
    script: Option<&Script>,
) -> Result<Vec<finding::Finding>, nubbin_oracle::Error> {
    match fault {
        Fault::NotInteresting => look::reasons(examiner),
        Fault::EmptyIsInteresting => accepted::reasons(examiner, script),
        _ => Ok(Vec::new()),
    }
}

/// Adds the findings of an examination to the error of a run that cannot start.
#[must_use]
pub(crate) fn explain(settings: &Settings, input: &[u8], stop: &Stop, failure: Failure) -> Failure {
    // A single run proves nothing about a flaky test. A triage knows the needed files already, and shows no reasons.
    let is_worth_it = settings.flaky.is_none() && settings.known.is_none() && settings.can_be_checked();
    if !is_worth_it || stop.has_come() {
        return failure;
    }
    let examiner = Examiner::new(settings, input, stop, None);
    let script = Script::of(&settings.test.words);
    let mut report = Report::default();
    report.add(reasons(&examiner, failure.fault(), script.as_ref()).unwrap_or_default());
    if report.count_all() == 0 {
        return failure;
    }
    let lines = [failure.lines(), &report.text()].concat();
    let hint = failure.advice().map(|advice| advice.replace(baseline::CHECK, ""));
    let failure = failure.details(lines);
    match hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

fn examine(settings: &Settings, input: &[u8], stop: &Stop) -> Result<Examination, Failure> {
    let path = settings.input.path(&settings.language);
    let is_archive = settings.input.is_archive();
    let language =
        if is_archive { settings.language.of_many()? } else { settings.language.resolve(&path, input)? };
    let script = Script::of(&settings.test.words);
    let first = match baseline::run(settings, input, stop, &[]) {
        Ok(first) => first,
        Err(failure) if failure.fault() == Fault::NotInteresting && !stop.has_come() => {
            let examiner = Examiner::new(settings, input, stop, None);
            let mut report = Report::default();
            report.add(reasons(&examiner, failure.fault(), script.as_ref())?);
            report.add(script.iter().flat_map(|script| script.findings(&examiner.whole_path())));
            let findings = if report.count_all() > 0 { report.text() } else { String::new() };
            let verdict = "verdict: the unreduced input is not interesting, so there is nothing to reduce\n";
            return Ok(Examination {
                title: String::new(),
                findings,
                verdict: verdict.to_owned(),
                is_wrong: true,
                failure: Some(failure),
            });
        }
        Err(failure) => return Err(failure),
    };
    let examiner = Examiner::new(settings, input, stop, Some(&first));
    let mut report = Report::default();
    if let Some(kept) = &first.kept {
        report.fine(kept.clone());
    }
    look::at_everything(&examiner, language.get(), script.as_ref(), &mut report)?;
    let title = language.get().map_or_else(String::new, |language| format!(", {}", language.title()));
    let (label, size) = (&settings.test.label, text::counted(input.len(), "byte"));
    let runs = text::counted(examiner.runs(), "run");
    let name = match settings.input.paths() {
        several @ [_, _, ..] => text::counted(several.len(), "file"),
        _ => format!("`{}`", path.display()),
    };
    Ok(Examination {
        title: format!("`{label}` on {name} ({size}{title}): {runs}\n"),
        findings: report.text(),
        verdict: report.verdict(),
        is_wrong: report.is_wrong(),
        failure: None,
    })
}
