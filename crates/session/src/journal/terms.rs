//! The terms of a run: the settings on which its verdicts and steps depend. They are compared when a run is resumed.

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

/// The settings that a resumed run must know.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Terms {
    /// The command line, and the directory where it was typed.
    words: Vec<Latin1>,
    pub(super) directory: Latin1,
    /// The settings on which verdicts depend. If one differs, the verdicts are invalid.
    pub(super) verdicts: BTreeMap<String, String>,
    /// The settings on which only steps depend. If one differs, the verdicts remain valid.
    pub(super) steps: BTreeMap<String, String>,
    /// The time limit in seconds, if given.
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
            let message = format!("malformed settings in the journal: {error}");
            Failure::message(Fault::Journal, message).hint(ANEW)
        })
    }

    pub(crate) fn verdicts(self) -> BTreeMap<String, String> {
        self.verdicts
    }

    pub(super) fn words(&self) -> Vec<OsString> {
        self.words.iter().map(|word| OsString::from_vec(word.0.to_vec())).collect()
    }

    /// Returns whether a run that timed out earlier can finish with the current time limit.
    pub(super) fn gives_more_time_than(&self, earlier: &Self) -> bool {
        self.timeout.is_some_and(|now| earlier.timeout.is_none_or(|before| now > before))
    }
}

/// Returns the command of the test as a term.
fn command(test: &TestCommand) -> (String, String) {
    if test.is_server() {
        // The arguments can contain a generated program.
        return ("the server".to_owned(), test.label.clone());
    }
    ("the test".to_owned(), text::words(&test.words))
}

/// Returns the settings on which verdicts depend. Names and values are shown if they differ.
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
        ("`--limit memory`", size(bounds.asked.memory, bounds.default.memory)),
        ("`--limit output`", size(bounds.asked.output, bounds.default.output)),
        ("`--limit cpu`", bounds.asked.cpu.map(|most| most.to_string())),
        ("`--limit processes`", bounds.asked.processes.map(|most| most.to_string())),
        ("`--sandbox no-network`", confinement.no_network.then(|| "given".to_owned())),
        ("`--sandbox private`", (!confinement.hidden.is_empty()).then(|| "given".to_owned())),
        // If `strict` runs anything, it confines like `auto`.
        ("`--sandbox`", (confinement.sandbox == Sandbox::Off).then(|| "off".to_owned())),
        ("`--writable` (or `NUBBIN_WRITABLE`)", writable(confinement)),
        ("`--here`", settings.around.is_here.then(|| "given".to_owned())),
        ("`--needs`", settings.around.term()),
        ("`--slower-than`", test.slower.map(|limit| limit.as_secs_f64().to_string())),
        ("`[[signature]]` in `nubbin.toml`", (!test.forms.is_empty()).then(|| test.forms.text().to_owned())),
        ("`--flaky`", settings.flaky.map(|confidence| confidence.share().to_string())),
    ];
    terms.extend(given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    terms.extend(settings.beside.terms().into_iter().map(|(name, value)| (name.to_owned(), value)));
    let Some(failure) = &test.failure else { return terms };
    let status = failure.status.map(|status| match status {
        Status::Exit(code) => ("`--exit-code`", code.to_string()),
        Status::Signal(signal) => ("`--signal`", crate::text::signal(signal)),
        Status::TimedOut => (HANG.0, HANG.1.to_owned()),
        Status::OverLimit(_) | Status::Told(_) => ("the failure", status.to_string()),
    });
    // Defaults follow from the other terms.
    let is_open = failure.status.is_none() && failure.stdout.is_none() && failure.stderr.is_none();
    let option = match test.message {
        Message::Any => Some("`--match message`"),
        Message::None if is_open && test.other.is_none() => Some("`--match status`"),
        Message::Known | Message::None => None,
    };
    let message = option.map(|option| (option, "given".to_owned()));
    // If a hang is the failure, the verdict depends on the time limit.
    let hang = settings.timeout.filter(|_| failure.status == Some(Status::TimedOut));
    let hang = hang.map(|limit| ("`--timeout`", limit.as_secs_f64().to_string()));
    let stdout = failure.stdout.as_ref().map(|regex| ("`--stdout`", regex.to_string()));
    let stderr = failure.stderr.as_ref().map(|regex| ("`--stderr`", regex.to_string()));
    let not_stdout = failure.not_stdout.as_ref().map(|regex| ("`--reject`", regex.to_string()));
    let not_stderr =
        failure.not_stderr.as_ref().map(|regex| ("`--reject` (standard error)", regex.to_string()));
    let any_errors = test.any_errors.then(|| ("`--match any-errors`", "given".to_owned()));
    let given =
        [status, message, hang, stdout, stderr, not_stdout, not_stderr, any_errors].into_iter().flatten();
    terms.extend(given.map(|(name, value)| (name.to_owned(), value)));
    terms
}

/// Returns the term for a size. A default has no term; no limit is `none`.
fn size(asked: Option<u64>, default: Option<u64>) -> Option<String> {
    match (asked, default) {
        (Some(most), _) => Some(most.to_string()),
        (None, None) => Some("none".to_owned()),
        (None, Some(_)) => None,
    }
}

/// Returns the writable paths in a canonical order.
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

/// The value of an option without a value.
const GIVEN: &str = "given";
/// The term of `--hang`.
const HANG: (&str, &str) = ("the time limit", "the failure");
/// Returns the first difference between two lists of terms, as a sentence.
pub(crate) fn difference(
    before: &BTreeMap<String, String>,
    now: &BTreeMap<String, String>,
) -> Option<String> {
    let names = before.keys().chain(now.keys());
    let changed = |name: &&String| before.get(*name) != now.get(*name);
    let is_file = |name: &&String| name.starts_with("`/");
    let mut changed: Vec<&String> = names.filter(changed).collect();
    // Another test is also another file; naming the test is more helpful.
    changed.sort_by_key(is_file);
    let name = *changed.first()?;
    let is_given = |value: &str| value == GIVEN || name == HANG.0 && value == HANG.1;
    let value = |value: &String| if is_given(value) { GIVEN.to_owned() } else { format!("`{value}`") };
    let name_shown = if name == HANG.0 { "`--hang`" } else { name.as_str() };
    Some(match (before.get(name), now.get(name)) {
        (Some(_), Some(_)) if is_file(&name) => format!("{name} has changed"),
        (Some(before), Some(now)) => format!("{name_shown} was {} and is now {}", value(before), value(now)),
        (Some(before), None) => format!("{name_shown} was {} and is not given now", value(before)),
        (None, now) => {
            format!("{name_shown} was not given and is now {}", now.map(value).unwrap_or_default())
        }
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
        let before = terms(&[("the test", "/a/o.sh"), ("`/a/o.sh`", "00"), ("`--stdout`", "x")]);
        let change = |now: &[(&str, &str)]| difference(&before, &terms(now));
        assert_eq!(change(&[("the test", "/a/o.sh"), ("`/a/o.sh`", "00"), ("`--stdout`", "x")]), None);
        let now = change(&[("the test", "/a/o.sh"), ("`/a/o.sh`", "11"), ("`--stdout`", "x")]);
        assert_eq!(now.as_deref(), Some("`/a/o.sh` has changed"));
        let now = change(&[("the test", "/a/p.sh"), ("`/a/p.sh`", "11"), ("`--stdout`", "x")]);
        assert_eq!(now.as_deref(), Some("the test was `/a/o.sh` and is now `/a/p.sh`"));
        let now = change(&[("the test", "/a/o.sh"), ("`/a/o.sh`", "00")]);
        assert_eq!(now.as_deref(), Some("`--stdout` was `x` and is not given now"));
        let now = change(&[("the test", "/a/o.sh"), ("`/a/o.sh`", "00"), ("`--stdout`", "x"), ("`-x`", "y")]);
        assert_eq!(now.as_deref(), Some("`-x` was not given and is now `y`"));
    }
}
