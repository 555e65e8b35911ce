//! `nubbin changes --good G --bad B -- COMMAND`: finds the changes between two versions that cause the failure.
//!
//! The module `change` defines and applies changes.

mod git;
mod plan;
mod sides;

pub use sides::Sides;

use crate::baseline::{self, Baseline};
use crate::command;
use crate::failure::Failure;
use crate::failure::Fault;
use crate::input::BestFile;
use crate::input::journal::End;
use crate::inquiry::{self, Inquiry, Saving};
use crate::journal::{self, Logbook, Terms};
use crate::places;
use crate::rescue;
use crate::settings::Settings;
use crate::source::Input;
use crate::stop::Stop;
use crate::text;
use git::Git;
use nubbin_oracle::{Oracle, Status};
use nubbin_search::Verdict;
use plan::ChangePlan;
use sides::Versions;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The largest number of changes that the summary lists.
const NAMED: usize = 20;

/// Reads both versions. Returns the changes between them, and the command line for any directory.
fn plan(settings: &Settings, sides: &Sides) -> Result<(ChangePlan, Vec<OsString>), Failure> {
    let git = Git::new(settings, Path::new("."))?;
    let versions = sides.read(&git, &settings.voice)?;
    let words = words(&settings.test.words, &versions);
    let plan = ChangePlan::new(&git, &versions.good, &versions.bad, versions.history)?;
    Ok((plan, words))
}

/// Searches for the changes, and reports them.
///
/// # Errors
/// Returns an error when the versions cannot be read, the command does not distinguish them, or the result cannot be
/// written.
pub fn run(mut settings: Settings, stop: &Stop) -> Result<(), Failure> {
    let start = Instant::now();
    let Input::Changes(sides) = &settings.input else {
        return Err(Failure::usage("no versions to compare"));
    };
    let sides = sides.clone();
    let (plan, words) = plan(&settings, &sides)?;
    settings.test.words = words;
    if plan.changes.is_empty() {
        let message =
            format!("`{}` and `{}` are equal: there are no changes", sides.good_name(), sides.bad_name());
        return Err(Failure::message(Fault::Input, message)
            .hint("name the working version with `--good` and the failing version with `--bad`"));
    }
    settings.voice.say(&format!(
        "changes    {} in {}",
        text::count(plan.changes.len()),
        text::counted(plan.changes.files().len(), "file")
    ));
    let list = plan.text();
    let terms = Terms::new(&settings, None);
    let mut best = places::open(&settings, &list)?;
    best.check()?;
    let logbook = match journal::earlier(&settings, &list)? {
        None => None,
        Some(earlier) => earlier.resume(&settings, &terms, &mut best)?.map(|resumed| resumed.logbook),
    };
    stop.begin(None)?;
    let failing = plan.changes.make(&plan.all()).archive();
    let learned = logbook.as_ref().and_then(Logbook::learned);
    let is_new = learned.is_none();
    let baseline = match learned {
        Some(learned) => Ok(baseline::recall(&settings, &failing, stop, &[], learned)),
        None => baseline::run(&settings, &failing, stop, &[]),
    };
    let passing = plan.changes.make(&[]).archive();
    let mut baseline = baseline.map_err(|failure| {
        let is_other = failure.fault() == Fault::NotInteresting && !stop.has_come();
        if is_other && baseline::fails_on(&settings, &passing, &failing, stop) {
            return swapped(&settings, &sides);
        }
        interrupted(stop, failure)
    })?;
    let status = baseline.learn_passing(&passing).map_err(|failure| interrupted(stop, failure))?;
    works(&settings, &sides, &baseline, status)?;
    if let Some(kept) = &baseline.kept {
        settings.voice.say(&format!("note: {kept}"));
    }
    let logbook = logbook.or_else(|| journal::begin(&settings, &terms, &list));
    if let Some(logbook) = logbook.as_ref().filter(|_| is_new) {
        logbook.learn(&baseline.learned);
    }
    let search = ChangesSearch {
        settings: &settings,
        plan: &plan,
        baseline: &baseline,
        logbook: logbook.as_ref(),
        start,
    };
    search.run(&mut best)
}

/// Returns the command line. Paths in the tree stay relative; other existing paths become absolute.
fn words(typed: &[OsString], versions: &Versions) -> Vec<OsString> {
    let is_in_tree = |word: &OsString| {
        let path: PathBuf = Path::new(word).components().filter(|part| part.as_os_str() != ".").collect();
        let trees = [&versions.good, &versions.bad];
        trees.iter().any(|tree| {
            tree.files.contains_key(&path) || tree.files.keys().any(|file| file.starts_with(&path))
        })
    };
    let resolved = command::resolve(typed, &[]);
    let is_path = |(at, word): (usize, &OsString)| at > 0 || word.as_encoded_bytes().contains(&b'/');
    let each = typed.iter().zip(resolved).enumerate();
    each.map(
        |(at, (word, resolved))| {
            if is_path((at, word)) && is_in_tree(word) { word.clone() } else { resolved }
        },
    )
    .collect()
}

/// Returns the error of an initial run, or the interruption if a stop was requested.
fn interrupted(stop: &Stop, failure: impl Into<Failure>) -> Failure {
    if stop.has_come() { Failure::interrupted() } else { failure.into() }
}

/// Returns the error for a good version that fails while the bad version passes.
fn swapped(settings: &Settings, sides: &Sides) -> Failure {
    let (good, bad) = (sides.good_name(), sides.bad_name());
    let failure = |message| Failure::message(Fault::NotInteresting, message);
    if sides.has_patch() {
        return failure(format!("the sides are swapped: `{good}` fails, and passes with `{bad}`"))
            .hint("name the passing version with `--good`, and a patch that makes it fail with `--diff`");
    }
    let exchange = |word: &OsString| {
        let text = word.to_str()?;
        let (option, value) =
            text.split_once('=').map_or((text, None), |(option, value)| (option, Some(value)));
        let other = match option {
            "--good" => "--bad",
            "--bad" => "--good",
            _ => return None,
        };
        Some(value.map_or(other.to_owned(), |value| format!("{other}={value}")))
    };
    let end = settings.words.iter().position(|word| word == "--").unwrap_or(settings.words.len());
    let (options, command) = settings.words.split_at(end);
    let options = options.iter().map(|word| exchange(word).map_or(word.clone(), OsString::from));
    let words: Vec<OsString> = options.chain(command.iter().cloned()).collect();
    failure(format!("the sides are swapped: `{good}` fails and `{bad}` passes"))
        .hint(format!("exchange `--good` and `--bad`:\n  nubbin {}", text::words(&words)))
}

/// Checks that the good version passes, and that neither version is unresolved.
fn works(
    settings: &Settings,
    sides: &Sides,
    baseline: &Baseline<'_>,
    good: (Status, Verdict),
) -> Result<(), Failure> {
    let label = &settings.test.label;
    let unresolved = Status::Exit(125);
    if baseline.keeps(unresolved) {
        let message =
            format!("`{label}` is unresolved (status 125) on `{}`, which should fail", sides.bad_name());
        return Err(Failure::message(Fault::NotInteresting, message)
            .hint("run the command there by hand, and check that the version builds"));
    }
    if good.1.is_interesting() {
        let message =
            format!("`{label}` fails in the same way on `{}`, which should pass", sides.good_name());
        return Err(Failure::message(Fault::EmptyIsInteresting, message).hint(
            "name an older version that works, or describe the failure more precisely with `--stderr REGEX` or `--stdout REGEX`; \
             with `--fresh`, no build products are kept between runs",
        ));
    }
    if good.0 == unresolved || good.0 == Status::TimedOut {
        let ending = text::ending(good.0);
        let message = format!(
            "`{label}` {ending} on `{}`, so it is unknown whether that version passes",
            sides.good_name()
        );
        return Err(Failure::message(Fault::NotInteresting, message)
            .hint("run the command there by hand, and check that the version builds"));
    }
    Ok(())
}

struct ChangesSearch<'s> {
    settings: &'s Settings,
    plan: &'s ChangePlan,
    baseline: &'s Baseline<'s>,
    logbook: Option<&'s Logbook>,
    start: Instant,
}

struct ChangesOutcome {
    chosen: Vec<u32>,
    probes: usize,
    unresolved: usize,
    is_interrupted: bool,
}

impl ChangesSearch<'_> {
    /// Searches for the changes, and reports them.
    fn run(&self, best: &mut BestFile) -> Result<(), Failure> {
        let found = self.find(best).inspect_err(|_| self.end(End::Failed))?;
        let changes = &self.plan.changes;
        let result = changes.make(&found.chosen).archive();
        let holds = found.is_interrupted || self.baseline.is_interesting_afresh(&result)?;
        rescue::finish(self.settings, best, &changes.patch(&found.chosen))?;
        self.end(if found.is_interrupted { End::Interrupted } else { End::Finished });
        self.settings.voice.say(&self.summary(&found, best));
        if holds {
            return Ok(());
        }
        let message = "the result does not fail in a fresh directory: it depends on files that earlier runs left behind";
        Err(Failure::message(Fault::Flaky, message).hint("add `--fresh`, which keeps no files between runs"))
    }

    fn find(&self, best: &mut BestFile) -> Result<ChangesOutcome, Failure> {
        let plan = self.plan;
        let recorded = inquiry::recorded(self.baseline, self.logbook);
        let oracle: &(dyn Oracle + Sync) = match &recorded {
            Some(recorded) => recorded,
            None => self.baseline,
        };
        let inquiry = Inquiry::new(oracle, self.settings.jobs);
        let (mut probes, mut unresolved, mut saving) = (0, 0, Saving::new(self.logbook, None));
        let tree = |places: &[u32]| plan.changes.make(&plan.chosen(places)).archive();
        let (_, places) = inquiry.search_sets(plan.search(), plan.changes.len(), tree, |places, verdict| {
            probes += 1;
            unresolved += usize::from(matches!(verdict, Verdict::Unresolved(_)));
            if verdict.is_interesting() {
                saving.found(best, &tree(places), || plan.changes.patch(&plan.chosen(places)));
            }
        });
        saving.end()?;
        let is_interrupted = inquiry.is_interrupted()?;
        Ok(ChangesOutcome { chosen: plan.chosen(&places), probes, unresolved, is_interrupted })
    }

    fn summary(&self, found: &ChangesOutcome, best: &BestFile) -> String {
        let (time, count) = (self.start.elapsed(), found.chosen.len());
        let (probes, rate) = (text::count(found.probes), text::rate(found.probes, time));
        let proof = match (found.is_interrupted, count) {
            (true, _) => "nothing: interrupted".to_owned(),
            (false, 0 | 1) => format!("1-minimal over {}", text::counted(count, "change")),
            (false, _) => format!("1-minimal over {count} changes, which are all needed"),
        };
        let all = text::counted(self.plan.changes.len(), "change");
        let mut lines = vec![
            format!(
                "candidates {probes} in {}, {rate}; {} unresolved",
                text::time(time),
                text::count(found.unresolved)
            ),
            format!("proven     {proof}"),
            format!("reduced    {all} → {}", text::count(count)),
        ];
        lines.extend(found.chosen.iter().take(NAMED).map(|&number| format!("  {}", self.plan.named(number))));
        if count > NAMED {
            lines.push(format!("  and {} more", text::count(count - NAMED)));
        }
        if let Some(path) = best.path() {
            lines.push(format!("result     {}", path.display()));
        }
        lines.join("\n")
    }

    fn end(&self, end: End) {
        if let Some(logbook) = self.logbook {
            logbook.end(end);
        }
    }
}
