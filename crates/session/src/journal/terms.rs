//! The terms of a run: the settings on which its verdicts and its steps depend, and those of them that have changed
//! since.

use super::ANEW;
use crate::command;
use crate::failure::Failure;
use crate::failure::Fault;
use crate::input::journal::{Header, Latin1};
use crate::language::LanguageChoice;
use crate::message::Message;
use crate::settings::{Settings, TestCommand};
use crate::text;
use nubbin_language::Language;
use nubbin_oracle::{Confinement, Sandbox, Status};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

/// The settings of a run, as far as a run that goes on with it has to know them.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    /// The words behind the program's name, and where they were typed.
    words: Vec<Latin1>,
    pub(super) directory: Latin1,
    /// The terms of the verdicts: if one of these has changed, the verdicts no longer hold.
    pub(super) verdicts: BTreeMap<String, String>,
    /// The terms of the steps alone: if one of these has changed, the verdicts still hold.
    pub(super) steps: BTreeMap<String, String>,
    /// The time limit in seconds, where it was given.
    timeout: Option<f64>,
}

impl Terms {
    /// Returns the terms of these settings.
    #[must_use]
    pub fn new(settings: &Settings, language: Option<&Language>) -> Self {
        let here = std::env::current_dir().unwrap_or_default();
        Self {
            words: settings.words.iter().map(|word| word.as_bytes().into()).collect(),
            directory: here.as_os_str().as_bytes().into(),
            verdicts: verdict_terms(settings),
            steps: step_terms(settings, language),
            timeout: settings.timeout.map(|timeout| timeout.as_secs_f64()),
        }
    }

    /// Returns the terms of an earlier run.
    pub(super) fn of(header: &Header) -> Result<Self, Failure> {
        serde_json::from_value(header.settings.clone()).map_err(|error| {
            let message = format!("the settings in the journal make no sense: {error}");
            Failure::message(Fault::Journal, message).hint(ANEW)
        })
    }

    /// Returns the terms of the verdicts.
    pub(crate) fn verdicts(self) -> BTreeMap<String, String> {
        self.verdicts
    }

    pub(super) fn words(&self) -> Vec<OsString> {
        self.words.iter().map(|word| OsString::from_vec(word.0.to_vec())).collect()
    }

    /// Tells whether a run that did not end in time before might do so now.
    pub(super) fn gives_more_time_than(&self, earlier: &Self) -> bool {
        self.timeout.is_some_and(|now| earlier.timeout.is_none_or(|before| now > before))
    }
}

/// Returns the command that is run.
fn command(test: &TestCommand) -> (String, String) {
    if test.is_server() {
        // Its words may hold a program of this one's.
        return ("the server".to_owned(), test.label.clone());
    }
    ("the oracle".to_owned(), text::words(&test.words))
}

/// Returns the settings on which the verdicts depend, in words that are shown if one of them has changed.
fn verdict_terms(settings: &Settings) -> BTreeMap<String, String> {
    let test = &settings.test;
    let mut terms = BTreeMap::from([command(test)]);
    for word in test.words.iter().filter(|word| Path::new(word).is_file()) {
        let hash = std::fs::read(word).map(|content| blake3::hash(&content).to_hex().to_string());
        let path = Path::new(word).display();
        terms.insert(format!("`{path}`"), hash.unwrap_or_else(|error| error.to_string()));
    }
    let program =
        test.words.first().map(Path::new).filter(|word| word.components().count() == 1 && !word.is_file());
    if let Some(program) = program.and_then(command::in_path) {
        let hash = std::fs::read(&program).map(|content| blake3::hash(&content).to_hex().to_string());
        terms.insert(format!("`{}`", program.display()), hash.unwrap_or_else(|error| error.to_string()));
    }
    let bounds = &settings.bounds;
    let confinement = &bounds.confinement;
    let given = [
        ("`--memory`", size(bounds.asked.memory, bounds.default.memory)),
        ("`--output-size`", size(bounds.asked.output, bounds.default.output)),
        ("`--cpu-time`", bounds.asked.cpu.map(|most| most.to_string())),
        ("`--processes`", bounds.asked.processes.map(|most| most.to_string())),
        ("`--no-network`", confinement.no_network.then(|| "given".to_owned())),
        ("`--private`", (!confinement.hidden.is_empty()).then(|| "given".to_owned())),
        // `auto` and `strict` confine alike, where `strict` runs anything.
        ("`--sandbox`", (confinement.sandbox == Sandbox::Off).then(|| "off".to_owned())),
        ("`--writable` (or `NUBBIN_WRITABLE`)", writable(confinement)),
        ("`--here`", settings.around.is_here.then(|| "given".to_owned())),
        ("`--needs`", settings.around.term()),
        ("`--slower-than`", test.slower.map(|limit| limit.as_secs_f64().to_string())),
        ("`--signature`", (!test.forms.is_empty()).then(|| test.forms.text().to_owned())),
        ("`--flaky`", settings.flaky.map(|confidence| confidence.share().to_string())),
    ];
    terms.extend(given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    terms.extend(settings.beside.terms().into_iter().map(|(name, value)| (name.to_owned(), value)));
    let Some(failure) = &test.failure else { return terms };
    let status = failure.status.map(|status| match status {
        Status::Exit(code) => ("`--exit-code`", code.to_string()),
        Status::Signal(signal) => ("`--signal`", crate::text::signal(signal)),
        Status::TimedOut => ("the time limit", "the failure".to_owned()),
        Status::OverLimit(_) | Status::Told(_) => ("the failure", status.to_string()),
    });
    // What is so by itself follows from the others.
    let is_open = failure.status.is_none() && failure.stdout.is_none() && failure.stderr.is_none();
    let option = match test.message {
        Message::Any => Some("`--keep-message`"),
        Message::None if is_open && test.other.is_none() => Some("`--no-keep-message`"),
        Message::Known | Message::None => None,
    };
    let message = option.map(|option| (option, "given".to_owned()));
    // Where a hang is the failure, how long that is makes the verdict.
    let hang = settings.timeout.filter(|_| failure.status == Some(Status::TimedOut));
    let hang = hang.map(|limit| ("`--timeout`", limit.as_secs_f64().to_string()));
    let stdout = failure.stdout.as_ref().map(|regex| ("`--stdout`", regex.to_string()));
    let stderr = failure.stderr.as_ref().map(|regex| ("`--stderr`", regex.to_string()));
    let not_stdout = failure.not_stdout.as_ref().map(|regex| ("`--not-stdout`", regex.to_string()));
    let not_stderr = failure.not_stderr.as_ref().map(|regex| ("`--not-stderr`", regex.to_string()));
    let any_errors = test.any_errors.then(|| ("`--any-errors`", "given".to_owned()));
    let given =
        [status, message, hang, stdout, stderr, not_stdout, not_stderr, any_errors].into_iter().flatten();
    terms.extend(given.map(|(name, value)| (name.to_owned(), value)));
    terms
}

/// Returns a size that was asked for; what was not has a default, unless there is to be no limit.
fn size(asked: Option<u64>, default: Option<u64>) -> Option<String> {
    match (asked, default) {
        (Some(most), _) => Some(most.to_string()),
        (None, None) => Some("none".to_owned()),
        (None, Some(_)) => None,
    }
}

/// Returns the paths that may be written besides, in an order that does not depend on how they were given.
fn writable(confinement: &Confinement) -> Option<String> {
    let paths: BTreeSet<_> = confinement.writable.iter().map(|path| text::quote(path.as_os_str())).collect();
    (!paths.is_empty()).then(|| Vec::from_iter(paths).join(" "))
}

fn step_terms(settings: &Settings, language: Option<&Language>) -> BTreeMap<String, String> {
    let language = match &settings.language {
        LanguageChoice::Folder(folder) => folder.display().to_string(),
        _ => language.map_or("none", Language::name).to_owned(),
    };
    let mut terms = BTreeMap::from([("the language".to_owned(), language)]);
    let options = [
        ("`--compact`", settings.compact),
        ("`--allow-empty`", settings.allow_empty),
        ("`--options`", settings.input.paired().is_some()),
    ];
    let given = options.into_iter().filter(|(_, is_given)| *is_given);
    terms.extend(given.map(|(name, _)| (name.to_owned(), "given".to_owned())));
    if settings.effort > 0 {
        terms.insert("`--effort`".to_owned(), settings.effort.to_string());
    }
    if !settings.units.is_empty() {
        let units: Vec<&str> = settings.units.iter().map(|unit| unit.name()).collect();
        terms.insert("`--unit`".to_owned(), units.join(","));
    }
    if let Some(search) = settings.search {
        terms.insert("`--search`".to_owned(), search.name().to_owned());
    }
    terms.extend(settings.control.terms());
    terms.extend(settings.propose.terms());
    terms.extend(settings.formatter.term().map(|formatter| ("`--formatter`".to_owned(), formatter)));
    terms.extend(settings.inline.term());
    let preprocessor = settings.preprocessor.term();
    terms.extend(preprocessor.map(|preprocessor| ("`--preprocessor`".to_owned(), preprocessor)));
    terms
}

/// Returns the first difference between two lists of terms, as a sentence.
pub(crate) fn difference(
    before: &BTreeMap<String, String>,
    now: &BTreeMap<String, String>,
) -> Option<String> {
    let names = before.keys().chain(now.keys());
    let changed = |name: &&String| before.get(*name) != now.get(*name);
    let is_file = |name: &&String| name.starts_with("`/");
    let mut changed: Vec<&String> = names.filter(changed).collect();
    // Another oracle is another file, too: that it is another oracle says more.
    changed.sort_by_key(is_file);
    let name = *changed.first()?;
    Some(match (before.get(name), now.get(name)) {
        (Some(_), Some(_)) if is_file(&name) => format!("{name} has changed"),
        (Some(before), Some(now)) => format!("{name} was `{before}`, and is now `{now}`"),
        (Some(before), None) => format!("{name} was given as `{before}`, and is not now"),
        (None, now) => format!("{name} was not given, and is now `{}`", now.map_or("", String::as_str)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(list: &[(&str, &str)]) -> BTreeMap<String, String> {
        list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn what_has_changed_is_said_in_a_sentence() {
        let before = terms(&[("the oracle", "/a/o.sh"), ("`/a/o.sh`", "00"), ("`--stdout`", "x")]);
        let change = |now: &[(&str, &str)]| difference(&before, &terms(now));
        assert_eq!(change(&[("the oracle", "/a/o.sh"), ("`/a/o.sh`", "00"), ("`--stdout`", "x")]), None);
        let now = change(&[("the oracle", "/a/o.sh"), ("`/a/o.sh`", "11"), ("`--stdout`", "x")]);
        assert_eq!(now.as_deref(), Some("`/a/o.sh` has changed"));
        let now = change(&[("the oracle", "/a/p.sh"), ("`/a/p.sh`", "11"), ("`--stdout`", "x")]);
        assert_eq!(now.as_deref(), Some("the oracle was `/a/o.sh`, and is now `/a/p.sh`"));
        let now = change(&[("the oracle", "/a/o.sh"), ("`/a/o.sh`", "00")]);
        assert_eq!(now.as_deref(), Some("`--stdout` was given as `x`, and is not now"));
        let now =
            change(&[("the oracle", "/a/o.sh"), ("`/a/o.sh`", "00"), ("`--stdout`", "x"), ("`-x`", "y")]);
        assert_eq!(now.as_deref(), Some("`-x` was not given, and is now `y`"));
    }
}
