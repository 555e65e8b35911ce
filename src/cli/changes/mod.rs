//! `nubbin changes --good G --bad B -- COMMAND`: which changes between two versions make the failure.
//!
//! What a change is, and what a set of them makes, is the library's; so is the search.

mod git;
mod sides;

pub use sides::{IDS, Sides, Typed};

use super::baseline::{self, Baseline};
use super::command;
use super::exit::Exit;
use super::failure::Failure;
use super::journal::{self, Logbook, Terms};
use super::settings::{Input, Settings};
use super::signal::Interrupt;
use super::text;
use git::History;
use nubbin::change::{self, Changes, Grouping, Label, Tree, What};
use nubbin::input::BestFile;
use nubbin::input::journal::End;
use nubbin::language::Registry;
use nubbin::oracle::{Error, Oracle, Recorded};
use nubbin::parallel::{self, Knowledge, Outline, Partition};
use nubbin::{Cause, Verdict};
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// How many changes of a result are named, one by one.
const NAMED: usize = 20;

/// The changes in the order of their groups.
struct Plan {
    changes: Changes,
    /// The number of the change at each place.
    order: Vec<u32>,
    outline: Outline,
    labels: Vec<Vec<Label>>,
    history: Option<History>,
}

impl Plan {
    fn new(good: &Tree, bad: &Tree, history: Option<History>) -> Result<Self, Failure> {
        let changes = Changes::between(good, bad);
        let mut labels = changes.labels(Grouping::Function, Registry::built_in());
        if let Some(history) = &history {
            let commits = history.labels(Path::new("."), &changes)?;
            labels.iter_mut().zip(commits).for_each(|(label, commit)| label.insert(0, commit));
        }
        let (order, outline) = changes.outline(&labels);
        Ok(Self { changes, order, outline, labels, history })
    }

    fn search(&self) -> Partition {
        let needs = self.changes.needs(&self.order);
        let stages = change::stages(&self.labels);
        Partition::new(&self.outline, Knowledge { needs, wants: Vec::new(), stages })
    }

    /// The numbers of the changes at these places.
    fn chosen(&self, places: &[u32]) -> Vec<u32> {
        let mut chosen: Vec<u32> = places.iter().map(|&place| self.order[place as usize]).collect();
        chosen.sort_unstable();
        self.changes.consistent(&chosen)
    }

    fn all(&self) -> Vec<u32> {
        (0..self.changes.len() as u32).collect()
    }

    /// A line for each change, in the order of the groups.
    fn text(&self) -> Vec<u8> {
        let patch = blake3::hash(&self.changes.patch(&self.all()));
        let base = blake3::hash(&self.changes.make(&[]).archive());
        let lines = self.order.iter().map(|&number| self.named(number) + "\n");
        format!("{base} {patch}\n{}", lines.collect::<String>()).into_bytes()
    }

    /// A change as people find it again.
    fn named(&self, number: u32) -> String {
        let (change, file) = (&self.changes.all()[number as usize], self.changes.file(number));
        let path = file.path().display();
        let what = match &change.what {
            What::Hunk { new, .. } => {
                let content = file.new.as_ref().map_or(&[][..], |(_, node)| &node.content);
                let line = content[..new.start].iter().filter(|&&byte| byte == b'\n').count() + 1;
                format!("{path}:{line}")
            }
            What::Rename => {
                let old = file.old.as_ref().map_or(Path::new(""), |(path, _)| path);
                format!("{path} (renamed from {})", old.display())
            }
            What::Mode => format!("{path} (permissions)"),
            What::Replace => format!("{path} (all of it)"),
            What::Create => format!("{path} (new)"),
            What::Delete => format!("{path} (deleted)"),
        };
        let commit = match (&self.history, self.labels[number as usize].first()) {
            (Some(history), Some(Label::Commit(at))) => Some(history.commit(*at)),
            _ => None,
        };
        commit.map_or(what.clone(), |commit| format!("{what}  {} {}", &commit.name[..10], commit.subject))
    }
}

/// The oracle, what it has said of trees, and what has kept it from saying more.
struct Lab<'l> {
    plan: &'l Plan,
    oracle: &'l (dyn Oracle + Sync),
    said: Mutex<HashMap<blake3::Hash, Verdict>>,
    error: Mutex<Option<Error>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Lab<'_> {
    /// The verdict on the changes at these places; after an error all that is left is unresolved, so a search soon ends.
    fn test(&self, places: &[u32]) -> Verdict {
        let unresolved = Verdict::Unresolved(Cause::Test);
        if lock(&self.error).is_some() {
            return unresolved;
        }
        let candidate = self.plan.changes.make(&self.plan.chosen(places)).archive();
        let name = blake3::hash(&candidate);
        if let Some(verdict) = lock(&self.said).get(&name) {
            return *verdict;
        }
        match self.oracle.probe(&candidate) {
            Ok(verdict) => {
                lock(&self.said).insert(name, verdict);
                verdict
            }
            Err(error) => {
                lock(&self.error).get_or_insert(error);
                unresolved
            }
        }
    }
}

/// Looks for the changes, and reports them.
pub fn run(mut settings: Settings) -> Result<Exit, Failure> {
    let start = Instant::now();
    let Input::Changes(sides) = &settings.input else {
        return Err(Failure::usage("there are no versions to compare"));
    };
    let sides = sides.clone();
    let versions = sides.read(settings.voice)?;
    settings.test.words = words(&settings.test.words, &versions);
    let plan = Plan::new(&versions.good, &versions.bad, versions.history)?;
    if plan.changes.is_empty() {
        let message = format!("`{}` and `{}` are the same: there are no changes", sides.good_name(), sides.bad_name());
        return Err(Failure::message(Exit::Input, message).hint("`--good` works, `--bad` fails"));
    }
    settings.voice.say(&format!(
        "changes  {} in {}",
        text::count(plan.changes.len()),
        text::counted(plan.changes.files().len(), "file")
    ));
    let list = plan.text();
    let terms = Terms::new(&settings, None);
    let mut best = settings.output.open(&settings.input, &list)?;
    best.check()?;
    let logbook = match journal::earlier(&settings, &list)? {
        None => None,
        Some(earlier) => earlier.resume(&settings, &terms, &mut best)?.map(|(logbook, _)| logbook),
    };
    let interrupt = Interrupt::watch().map_err(|error| Failure::new(Exit::Unexpected, error))?;
    let failing = plan.changes.make(&plan.all()).archive();
    let learned = logbook.as_ref().and_then(Logbook::learned);
    let is_new = learned.is_none();
    let baseline = match learned {
        Some(learned) => Ok(baseline::recall(&settings, &failing, &interrupt, learned)),
        None => baseline::run(&settings, &failing, &interrupt),
    };
    let mut baseline = baseline.inspect_err(|_| interrupted(&settings, &interrupt))?;
    let passing = plan.changes.make(&[]).archive();
    let status = baseline.learn_passing(&passing).inspect_err(|_| interrupted(&settings, &interrupt))?;
    works(&settings, &sides, &baseline, status)?;
    if let Some(kept) = &baseline.kept {
        settings.voice.say(&format!("note: {kept}"));
    }
    let logbook = logbook.or_else(|| journal::begin(&settings, &terms, &list));
    if let Some(logbook) = logbook.as_ref().filter(|_| is_new) {
        logbook.learn(&baseline.learned);
    }
    search(&settings, &plan, &baseline, logbook.as_ref(), &mut best, &interrupt, start)
}

/// The words of the command: what is in the tree is found there, what is only here by its absolute path.
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
    each.map(|(at, (word, resolved))| {
        if is_path((at, word)) && is_in_tree(word) { word.clone() } else { resolved }
    })
    .collect()
}

use sides::Versions;

/// Ends the program where a signal came before there was anything to look for.
fn interrupted(settings: &Settings, interrupt: &Interrupt) {
    if interrupt.has_come() {
        settings.voice.say("interrupted; nothing was changed");
        interrupt.raise();
    }
}

/// Makes sure that the good version passes, and that both can be told.
fn works(
    settings: &Settings,
    sides: &Sides,
    baseline: &Baseline<'_>,
    good: (nubbin::oracle::Status, Verdict),
) -> Result<(), Failure> {
    let label = &settings.test.label;
    let unresolved = nubbin::oracle::Status::Exit(125);
    if baseline.keeps(unresolved) {
        let message = format!("`{label}` cannot tell on `{}` (status 125), which should fail", sides.bad_name());
        return Err(Failure::message(Exit::NotInteresting, message).hint("run it there by hand: does it build?"));
    }
    if good.1.is_interesting() {
        let message = format!("`{label}` fails in the same way on `{}`, which should pass", sides.good_name());
        return Err(Failure::message(Exit::EmptyIsInteresting, message).hint(
            "name an older version that works; or say more about the failure: `--stderr REGEX` or `--stdout REGEX`",
        ));
    }
    if good.0 == unresolved || good.0 == nubbin::oracle::Status::TimedOut {
        let ending = text::ending(good.0);
        let message = format!("`{label}` {ending} on `{}`, so it is not known whether that passes", sides.good_name());
        return Err(Failure::message(Exit::NotInteresting, message).hint("run it there by hand: does it build?"));
    }
    Ok(())
}

fn search(
    settings: &Settings,
    plan: &Plan,
    baseline: &Baseline<'_>,
    logbook: Option<&Logbook>,
    best: &mut BestFile,
    interrupt: &Interrupt,
    start: Instant,
) -> Result<Exit, Failure> {
    let recorded = logbook.map(|logbook| Recorded::new(baseline, logbook));
    let oracle: &(dyn Oracle + Sync) = match &recorded {
        Some(recorded) => recorded,
        None => baseline,
    };
    let lab = Lab { plan, oracle, said: Mutex::default(), error: Mutex::default() };
    let n = plan.changes.len() as u32;
    let jobs = settings.jobs.unwrap_or_else(parallel::cores);
    let (mut probes, mut unresolved, mut unsaved) = (0, 0, None);
    let committed = |places: &[u32], verdict: Verdict| {
        if lock(&lab.error).is_some() {
            return;
        }
        probes += 1;
        unresolved += usize::from(matches!(verdict, Verdict::Unresolved(_)));
        if verdict.is_interesting() && unsaved.is_none() {
            unsaved = best.save(&plan.changes.patch(&plan.chosen(places))).err();
        }
    };
    let (_, places) = parallel::run(plan.search(), n, jobs, |places| lab.test(places), committed);
    if let Some(error) = unsaved {
        return Err(error.into());
    }
    let chosen = plan.chosen(&places);
    let error = lock(&lab.error).take();
    let is_interrupted = matches!(error, Some(Error::Interrupted));
    if let Some(error) = error.filter(|_| !is_interrupted) {
        end(logbook, End::Failed);
        return Err(error.into());
    }
    let holds = is_interrupted || baseline.is_interesting_afresh(&plan.changes.make(&chosen).archive())?;
    best.finish(&plan.changes.patch(&chosen))?;
    end(logbook, if is_interrupted { End::Interrupted } else { End::Finished });
    let time = start.elapsed();
    let of = text::counted(plan.changes.len(), "change");
    let proof = if is_interrupted {
        "nothing: interrupted".to_owned()
    } else {
        let together = if chosen.len() > 1 { ", which are needed together" } else { "" };
        format!("1-minimal over {}{together}", text::counted(chosen.len(), "change"))
    };
    let mut lines = vec![
        format!(
            "probes   {} in {}, {}; {} unresolved",
            text::count(probes),
            text::time(time),
            text::rate(probes, time),
            text::count(unresolved)
        ),
        format!("proven   {proof}"),
        format!("reduced  {of} → {}", text::count(chosen.len())),
    ];
    lines.extend(chosen.iter().take(NAMED).map(|&number| format!("  {}", plan.named(number))));
    if chosen.len() > NAMED {
        lines.push(format!("  and {} more", text::count(chosen.len() - NAMED)));
    }
    if let Some(path) = best.path() {
        lines.push(format!("result   {}", path.display()));
    }
    settings.voice.say(&lines.join("\n"));
    if !holds {
        let message = "the result does not fail in a fresh directory: what earlier builds have left misleads";
        return Err(Failure::message(Exit::Flaky, message).hint("`--fresh` begins each run without it"));
    }
    interrupt.raise();
    Ok(Exit::Success)
}

fn end(logbook: Option<&Logbook>, end: End) {
    if let Some(logbook) = logbook {
        logbook.end(end);
    }
}
