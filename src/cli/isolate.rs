//! `nubbin isolate` and `nubbin maximize`: what of a failing file makes the difference to one that passes, and what of it
//! passes.
//!
//! The algorithms are the library's: dd and ddmax over the units of the file, from coarse to fine.

use super::baseline::{self, Baseline};
use super::exit::Exit;
use super::failure::Failure;
use super::settings::Settings;
use super::signal::Interrupt;
use super::text;
use nubbin::input::{self, BestFile};
use nubbin::oracle::{Error, Oracle};
use nubbin::{Unit, Verdict, parallel};
use similar::{Algorithm, DiffOp, TextDiff, capture_diff_slices};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// What is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The smallest difference to this file, or to an empty one (dd).
    Isolate(Option<PathBuf>),
    /// The largest part that does not fail (ddmax).
    Maximize,
}

/// The units where none are asked for.
const UNITS: [Unit; 2] = [Unit::Line, Unit::Token];
/// How many unchanged lines stand around a change.
const CONTEXT: usize = 3;

/// A text of parts, some of which may be there or not.
#[derive(Debug)]
enum Part<'t> {
    /// It is always there.
    Shared(&'t [u8]),
    /// It is there until the change of this number is made, which takes it away.
    Old(u32, &'t [u8]),
    /// It is there once the change of this number is made.
    New(u32, &'t [u8]),
}

/// The text with these changes made, which are in ascending order.
fn build(parts: &[Part<'_>], made: &[u32]) -> Vec<u8> {
    let is_made = |number: &u32| made.binary_search(number).is_ok();
    let there = parts.iter().filter_map(|part| match part {
        Part::Shared(text) => Some(*text),
        Part::Old(number, text) => (!is_made(number)).then_some(*text),
        Part::New(number, text) => is_made(number).then_some(*text),
    });
    there.collect::<Vec<_>>().concat()
}

/// What makes `new` of `old`, by units.
fn changes<'t>(unit: Unit, old: &'t [u8], new: &'t [u8]) -> (Vec<Part<'t>>, u32) {
    let cut = |text: &'t [u8]| -> Vec<&'t [u8]> {
        unit.split(text).into_iter().map(|span| &text[span.start as usize..span.end as usize]).collect()
    };
    let (olds, news) = (cut(old), cut(new));
    let (mut parts, mut count) = (Vec::new(), 0);
    for op in capture_diff_slices(Algorithm::Myers, &olds, &news) {
        if let DiffOp::Equal { old_index, len, .. } = op {
            parts.extend(olds[old_index..old_index + len].iter().map(|text| Part::Shared(text)));
            continue;
        }
        for text in &olds[op.old_range()] {
            parts.push(Part::Old(count, text));
            count += 1;
        }
        for text in &news[op.new_range()] {
            parts.push(Part::New(count, text));
            count += 1;
        }
    }
    (parts, count)
}

/// What of `whole` is not in the part `kept` of it yet, by units.
fn left_out<'t>(unit: Unit, whole: &'t [u8], kept: &[bool]) -> (Vec<Part<'t>>, u32) {
    let (mut parts, mut count) = (Vec::new(), 0);
    for span in unit.split(whole) {
        let span = span.start as usize..span.end as usize;
        if kept[span.clone()].iter().all(|kept| *kept) {
            parts.push(Part::Shared(&whole[span]));
        } else {
            parts.push(Part::New(count, &whole[span]));
            count += 1;
        }
    }
    (parts, count)
}

/// The oracle, what it has said, and what has kept it from saying more.
struct Lab<'l> {
    oracle: &'l Baseline<'l>,
    said: Mutex<HashMap<blake3::Hash, Verdict>>,
    error: Mutex<Option<Error>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Lab<'_> {
    /// The verdict on a candidate; after an error all that is left is unresolved, so a search soon ends.
    fn test(&self, candidate: &[u8]) -> Verdict {
        let unresolved = Verdict::Unresolved(nubbin::Cause::Test);
        if lock(&self.error).is_some() {
            return unresolved;
        }
        let name = blake3::hash(candidate);
        if let Some(verdict) = lock(&self.said).get(&name) {
            return *verdict;
        }
        match self.oracle.probe(candidate) {
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

    /// Whether the user has ended it; any other error is one.
    fn is_interrupted(&self) -> Result<bool, Failure> {
        match lock(&self.error).take() {
            None => Ok(false),
            Some(Error::Interrupted) => Ok(true),
            Some(error) => Err(error.into()),
        }
    }
}

/// What was found: what passes, what fails, and over how many parts of the finest unit that is proven.
struct Found {
    passing: Vec<u8>,
    failing: Vec<u8>,
    proven: Option<(Unit, usize)>,
}

/// Looks for the goal, writes what was found, and reports it.
pub fn run(settings: &Settings, goal: &Goal) -> Result<Exit, Failure> {
    let start = Instant::now();
    if settings.input.is_archive() {
        let message = "several files and directories have no difference or largest part yet";
        return Err(Failure::usage(message).hint("name a single file"));
    }
    let failing = settings.input.read()?;
    let passing = match goal {
        Goal::Isolate(Some(path)) => input::read_file(path)?,
        Goal::Isolate(None) | Goal::Maximize => Vec::new(),
    };
    if passing == failing {
        let message = "what passes and what fails are the same: there is no difference to look for";
        return Err(Failure::message(Exit::Input, message));
    }
    let path = settings.input.path(&settings.language);
    let mut places = [place(settings, goal, &path, "passing")?, place(settings, goal, &path, "failing")?];
    let interrupt = Interrupt::watch().map_err(|error| Failure::new(Exit::Unexpected, error))?;
    let mut baseline = baseline::run(settings, &failing, &interrupt, &[])?;
    baseline.learn_passing(&passing)?;
    if let Some(kept) = &baseline.kept {
        settings.voice.say(&format!("note: {kept}"));
    }
    let lab = Lab { oracle: &baseline, said: Mutex::default(), error: Mutex::default() };
    lock(&lab.said).insert(blake3::hash(&failing), Verdict::Interesting);
    passes(settings, goal, lab.test(&passing))?;
    let jobs = settings.jobs.unwrap_or_else(parallel::cores);
    let units = if settings.units.is_empty() { &UNITS[..] } else { &settings.units };
    let found = match goal {
        Goal::Isolate(_) => isolate(&lab, passing, failing.clone(), units, jobs)?,
        Goal::Maximize => maximize(&lab, &failing, units, jobs)?,
    };
    let is_interrupted = lab.is_interrupted()?;
    let [passing, smallest] = &mut places;
    passing.finish(&found.passing)?;
    let mut lines = vec![format!("passing  {}", shown(passing, &found.passing))];
    let mut diff = (&found.passing, &found.failing, "passing", "failing");
    if let Goal::Isolate(_) = goal {
        smallest.finish(&found.failing)?;
        lines.push(format!("failing  {}", shown(smallest, &found.failing)));
    } else {
        diff = (&failing, &found.passing, "whole", "passing");
    }
    let (probes, time) = (lock(&lab.said).len(), start.elapsed());
    let rate = text::rate(probes, time);
    lines.insert(0, format!("probes   {} in {}, {rate}", text::count(probes), text::time(time)));
    lines.insert(1, format!("proven   {}", proof(goal, found.proven, is_interrupted)));
    settings.voice.say(&lines.join("\n"));
    drop(baseline);
    BestFile::stdout().finish(&unified(diff.0, diff.1, diff.2, diff.3))?;
    interrupt.raise();
    Ok(Exit::Success)
}

/// Where a result goes: beside the failing file, under its name with `what` in it, and never over a file that was given.
fn place(settings: &Settings, goal: &Goal, path: &Path, what: &str) -> Result<BestFile, Failure> {
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!(".{what}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    let name = path.with_file_name(name);
    let real = name.canonicalize().ok();
    if let Goal::Isolate(Some(given)) = goal
        && real.is_some()
        && given.canonicalize().ok() == real
    {
        let message = format!("`{}` is given, and a result would take its place", given.display());
        return Err(Failure::message(Exit::Output, message)
            .hint("rename it: results have `.passing` and `.failing` in their names"));
    }
    let place = BestFile::file(&name, settings.input.file())?;
    place.check()?;
    Ok(place)
}

fn shown(place: &BestFile, content: &[u8]) -> String {
    let path = place.path().map_or_else(String::new, |path| path.display().to_string());
    format!("{path}, {}", text::counted(content.len(), "byte"))
}

/// Makes sure that what is to pass does.
fn passes(settings: &Settings, goal: &Goal, verdict: Verdict) -> Result<(), Failure> {
    let what = match goal {
        Goal::Isolate(Some(path)) => format!("`{}`", path.display()),
        Goal::Isolate(None) | Goal::Maximize => "the empty file".to_owned(),
    };
    let label = &settings.test.label;
    match verdict {
        Verdict::Uninteresting => Ok(()),
        Verdict::Interesting => {
            let message = format!("`{label}` finds the failure in {what}, too, which should pass");
            let hint = match goal {
                Goal::Isolate(Some(_)) => "the first file is the one that passes, the second one fails",
                Goal::Isolate(None) => "name one that passes: `nubbin isolate ORACLE PASSING FAILING`",
                Goal::Maximize => "parts are added to the empty file, so that has to pass",
            };
            Err(Failure::message(Exit::EmptyIsInteresting, message).hint(hint))
        }
        Verdict::Unresolved(_) => {
            let message = format!("`{label}` cannot tell on {what}, which should pass");
            Err(Failure::message(Exit::NotInteresting, message)
                .hint("an oracle says that something passes by an exit status other than 0 and 125"))
        }
    }
}

/// dd over the changes from what passes to what fails, unit by unit.
fn isolate(
    lab: &Lab<'_>,
    mut passing: Vec<u8>,
    mut failing: Vec<u8>,
    units: &[Unit],
    jobs: usize,
) -> Result<Found, Failure> {
    let mut proven = None;
    for &unit in units {
        let (parts, count) = changes(unit, &passing, &failing);
        let all: Vec<u32> = (0..count).collect();
        let found = parallel::dd(&all, jobs, |made| lab.test(&build(&parts, made)));
        if lock(&lab.error).is_some() {
            break;
        }
        let found = found.map_err(|_| inconstant())?;
        proven = Some((unit, found.difference.len()));
        let both = (build(&parts, &found.passing), build(&parts, &found.failing));
        (passing, failing) = both;
    }
    Ok(Found { passing, failing, proven })
}

/// ddmax over the units of what fails, from coarse to fine: what was left out by one is tried by the next.
fn maximize(lab: &Lab<'_>, whole: &[u8], units: &[Unit], jobs: usize) -> Result<Found, Failure> {
    let mut kept = vec![false; whole.len()];
    let mut proven = None;
    for &unit in units {
        let (parts, count) = left_out(unit, whole, &kept);
        let all: Vec<u32> = (0..count).collect();
        let found = parallel::ddmax(&all, jobs, |made| lab.test(&build(&parts, made)));
        if lock(&lab.error).is_some() {
            break;
        }
        let found = found.map_err(|_| inconstant())?;
        proven = Some((unit, all.len() - found.len()));
        let mut at = 0;
        for part in &parts {
            let (Part::Shared(text) | Part::Old(_, text) | Part::New(_, text)) = part;
            if let Part::New(number, _) = part {
                kept[at..at + text.len()].fill(found.binary_search(number).is_ok());
            }
            at += text.len();
        }
    }
    let passing = whole.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(byte, _)| *byte).collect();
    Ok(Found { passing, failing: whole.to_vec(), proven })
}

fn inconstant() -> Failure {
    Failure::message(
        Exit::Flaky,
        "the oracle does not repeat itself: what passed or failed does not any more",
    )
    .hint("make it deterministic: fix seeds, use one thread")
}

fn proof(goal: &Goal, proven: Option<(Unit, usize)>, is_interrupted: bool) -> String {
    let Some((unit, count)) = proven.filter(|_| !is_interrupted) else {
        return "nothing: interrupted".to_owned();
    };
    let parts = text::counted(count, unit.name());
    match goal {
        Goal::Isolate(_) => format!("1-minimal over {parts}"),
        Goal::Maximize => format!("1-maximal: with any of {parts} left out it does not pass"),
    }
}

/// The difference as a patch.
fn unified(old: &[u8], new: &[u8], old_name: &str, new_name: &str) -> Vec<u8> {
    let diff = TextDiff::configure().diff_lines(old, new);
    let mut unified = diff.unified_diff();
    let mut patch = Vec::new();
    unified
        .context_radius(CONTEXT)
        .header(old_name, new_name)
        .to_writer(&mut patch)
        .expect("memory can be written");
    patch
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_lead_from_the_old_text_to_the_new_one() {
        for unit in Unit::ALL {
            let (old, new) = (&b"a b\nc\nd e\n"[..], &b"a x\nd e f\ng\n"[..]);
            let (parts, count) = changes(unit, old, new);
            assert_eq!(build(&parts, &[]), old);
            assert_eq!(build(&parts, &(0..count).collect::<Vec<_>>()), new);
        }
    }

    #[test]
    fn what_is_kept_is_no_choice_of_a_finer_unit() {
        let whole = b"a b\nc\n";
        let kept: Vec<bool> = whole.iter().enumerate().map(|(at, _)| at >= 4).collect();
        let (parts, count) = left_out(Unit::Token, whole, &kept);
        assert_eq!((build(&parts, &[]), count), (b"c\n".to_vec(), 2));
        assert_eq!(build(&parts, &[0, 1]), whole);
    }
}
