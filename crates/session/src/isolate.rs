//! `nubbin isolate` and `nubbin maximize`: the smallest difference between a passing and a failing file, and the
//! largest part of a failing file that passes.
//!
//! The algorithms dd and ddmax are in the crate `search`. They are applied to the differences of two syntax trees, or
//! to units from coarse to fine.

mod written;

use crate::baseline;
use crate::classic::Classic;
use crate::failure::Failure;
use crate::failure::Fault;
use crate::input::journal::End;
use crate::input::{self, BestFile};
use crate::inquiry::{self, Inquiry};
use crate::journal::{self, Logbook, Terms};
use crate::language::Chosen;
use crate::places;
use crate::settings::Settings;
use crate::stop::Stop;
use crate::text;
use nubbin_oracle::{NoVerdict, Oracle};
use nubbin_reduce::Unit;
use nubbin_reduce::difference::TextDifference;
use nubbin_search::Verdict;
use nubbin_search::search::{Dd, Ddmax};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The goal of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The smallest difference to this file, or to an empty file (dd).
    Isolate(Option<PathBuf>),
    /// The largest part that passes (ddmax).
    Maximize,
}

/// The default units.
const UNITS: [Unit; 2] = [Unit::Line, Unit::Token];

/// The result: a passing and a failing text, and the finest unit of the proof with its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Isolated {
    /// The passing text.
    pub passing: Vec<u8>,
    /// The failing text.
    pub failing: Vec<u8>,
    /// The finest unit of the proof, and the number of these units.
    pub proven: (Unit, usize),
}

/// The input of a search.
#[derive(Debug)]
pub struct Given {
    /// The passing text.
    pub passing: Vec<u8>,
    /// The failing text.
    pub failing: Vec<u8>,
    /// The language of both texts, if known and relevant.
    pub language: Chosen,
}

/// Searches two texts with any oracle, which must find the failure in `failing` and not in `passing`. Returns the
/// result and the number of probes. The units are tried from coarse to fine; the default is lines and tokens.
///
/// # Errors
/// Returns an error when the oracle reports an error.
pub fn find(
    oracle: &(dyn Oracle + Sync),
    jobs: usize,
    goal: &Goal,
    given: &Given,
    units: &[Unit],
) -> Result<(Isolated, usize), NoVerdict> {
    let inquiry = Inquiry::new(oracle, jobs);
    inquiry.knows(&given.failing, Verdict::Interesting);
    inquiry.knows(&given.passing, Verdict::Uninteresting);
    let units = if units.is_empty() { &UNITS[..] } else { units };
    let found = match goal {
        Goal::Isolate(_) => isolate(&inquiry, given, units, Classic::Dd),
        Goal::Maximize => maximize(&inquiry, &given.failing, units),
    };
    inquiry.error().map_or_else(|| Ok((found, inquiry.probes())), Err)
}

impl Given {
    fn read(settings: &Settings, goal: &Goal) -> Result<Self, Failure> {
        if settings.input.is_archive() {
            let message = "`nubbin isolate` and `nubbin maximize` support only a single file";
            return Err(Failure::usage(message).hint("name a single file"));
        }
        let failing = settings.input.read()?;
        let passing = match goal {
            Goal::Isolate(Some(path)) => input::read_file(path)?,
            Goal::Isolate(None) | Goal::Maximize => Vec::new(),
        };
        if passing == failing {
            let message = "the passing and the failing input are equal, so there is no difference";
            return Err(Failure::message(Fault::Input, message));
        }
        let mut language = settings.language.resolve(&settings.input.path(&settings.language), &failing)?;
        if let Goal::Isolate(Some(path)) = goal {
            let other = settings.language.resolve(path, &passing)?;
            let name = |chosen: &Chosen| chosen.get().map(|language| language.name().to_owned());
            if name(&other) != name(&language) {
                language = Chosen::Unknown;
            }
        }
        if *goal == Goal::Maximize || !settings.units.is_empty() {
            language = Chosen::Unknown;
        }
        Ok(Self { passing, failing, language })
    }

    /// Returns a name for the pair, so that its journal is not confused with that of a reduction.
    fn name(&self) -> Vec<u8> {
        let [passing, failing] = [&self.passing, &self.failing].map(|text| blake3::hash(text));
        format!("{passing}\n{failing}\n").into_bytes()
    }
}

/// The result of a search, and its journal.
struct Searched {
    found: Isolated,
    probes: usize,
    is_interrupted: bool,
    logbook: Option<Logbook>,
}

impl Searched {
    fn end(&self) {
        let end = if self.is_interrupted { End::Interrupted } else { End::Finished };
        self.logbook.iter().for_each(|logbook| logbook.end(end));
    }
}

/// Runs a search with the test of the settings, and returns the result and the number of probes. Writes nothing.
///
/// # Errors
/// Returns an error when the test does not distinguish the two files, cannot be run, or the time limit is reached.
pub fn look(settings: &Settings, stop: &Stop, goal: &Goal) -> Result<(Isolated, usize), Failure> {
    let searched = search(settings, stop, goal, &Given::read(settings, goal)?)?;
    searched.end();
    if searched.is_interrupted && stop.is_late() {
        let message = "the time limit was reached before the search finished";
        return Err(Failure::message(Fault::Unexpected, message).hint("use a longer time limit"));
    }
    if searched.is_interrupted {
        return Err(Failure::interrupted());
    }
    Ok((searched.found, searched.probes))
}

/// Runs a search, writes the result, and reports it.
///
/// # Errors
/// Returns an error when the test does not distinguish the two files, cannot be run, or a result cannot be written.
pub fn run(settings: &Settings, stop: &Stop, goal: &Goal) -> Result<(), Failure> {
    let start = Instant::now();
    let given = Given::read(settings, goal)?;
    let mut places = [written::place(settings, goal, "passing")?, written::place(settings, goal, "failing")?];
    let patch = written::patch_place(settings, goal)?;
    places::check(settings)?;
    let searched = search(settings, stop, goal, &given)?;
    let (found, time) = (&searched.found, start.elapsed());
    let lines = written::write(settings, goal, found, &mut places)?;
    searched.end();
    let proof = match searched.is_interrupted {
        true if stop.is_late() => "nothing; stopped: --max-time".to_owned(),
        true => "nothing: interrupted".to_owned(),
        false => proof(goal, settings.search, found),
    };
    let (rate, probes) = (text::rate(searched.probes, time), text::count(searched.probes));
    settings
        .voice
        .say(&format!("candidates {probes} in {}, {rate}\nproven     {proof}\n{lines}", text::time(time)));
    if let Some(place) = patch {
        written::write_patch(settings, goal, &given, found, place)?;
    }
    Ok(())
}

/// Searches two texts with the test of the settings.
fn search(settings: &Settings, stop: &Stop, goal: &Goal, given: &Given) -> Result<Searched, Failure> {
    let (name, terms) = (given.name(), Terms::new(settings, given.language.get()));
    let logbook = match journal::earlier(settings, &name)? {
        None => None,
        Some(earlier) => {
            earlier.resume(settings, &terms, &mut BestFile::stdout())?.map(|resumed| resumed.logbook)
        }
    };
    stop.begin(settings.control.time_left())?;
    let learned = logbook.as_ref().and_then(Logbook::learned);
    let mut baseline = match learned {
        Some(learned) => baseline::recall(settings, &given.failing, stop, &[], learned),
        None => baseline::run(settings, &given.failing, stop, &[])
            .map_err(|failure| swapped(settings, goal, given, stop, stop.or_late(failure)))?,
    };
    if settings.test.failure.is_some() {
        // A script decides by itself whether a text passes.
        baseline.learn_passing(&given.passing)?;
    }
    if let Some(kept) = &baseline.kept {
        settings.voice.say(&format!("note: {kept}"));
    }
    settings.voice.say_some(&settings.control.first_runs_note(baseline.longest).unwrap_or_default());
    let logbook = journal::taught(logbook, settings, &terms, &name, &baseline.learned);
    let recorded = inquiry::recorded(&baseline, logbook.as_ref());
    let oracle: &(dyn Oracle + Sync) = match &recorded {
        Some(recorded) => recorded,
        None => &baseline,
    };
    let inquiry = Inquiry::new(oracle, settings.jobs);
    inquiry.knows(&given.failing, Verdict::Interesting);
    passes(settings, goal, inquiry.ask(&given.passing))?;
    let units = if settings.units.is_empty() { &UNITS[..] } else { &settings.units };
    let found = match goal {
        Goal::Isolate(_) => isolate(&inquiry, given, units, settings.search.unwrap_or(Classic::Dd)),
        Goal::Maximize => maximize(&inquiry, &given.failing, units),
    };
    let failed = |_: &Failure| logbook.iter().for_each(|logbook| logbook.end(End::Failed));
    let is_interrupted = inquiry.is_interrupted().inspect_err(failed)?;
    let probes = inquiry.probes();
    Ok(Searched { found, probes, is_interrupted, logbook })
}

/// Returns the error for a failing file that passes: another one if the file that should pass fails.
fn swapped(settings: &Settings, goal: &Goal, given: &Given, stop: &Stop, failure: Failure) -> Failure {
    let (Goal::Isolate(Some(first)), Some(second)) = (goal, settings.input.file()) else { return failure };
    if failure.fault() != Fault::NotInteresting
        || !baseline::fails_on(settings, &given.passing, &given.failing, stop)
    {
        return failure;
    }
    let message =
        format!("the sides are swapped: `{}` fails and `{}` passes", first.display(), second.display());
    let exchange = |word: &OsString| match Path::new(word) {
        path if path == first => second.as_os_str().to_owned(),
        path if path == second => first.as_os_str().to_owned(),
        _ => word.clone(),
    };
    let words: Vec<OsString> = settings.words.iter().map(exchange).collect();
    Failure::message(Fault::NotInteresting, message)
        .hint(format!("name the passing file first:\n  nubbin {}", text::words(&words)))
}

/// Returns an error unless the text that must pass does.
fn passes(settings: &Settings, goal: &Goal, verdict: Verdict) -> Result<(), Failure> {
    let what = match goal {
        Goal::Isolate(Some(path)) => format!("`{}`", path.display()),
        Goal::Isolate(None) | Goal::Maximize => "the empty file".to_owned(),
    };
    let label = &settings.test.label;
    match verdict {
        Verdict::Uninteresting => Ok(()),
        Verdict::Interesting => {
            let message = format!("`{label}` also finds the failure in {what}, which should pass");
            let hint = match goal {
                Goal::Isolate(Some(_)) => {
                    "both files fail; name a file that passes first, or describe the failure more precisely"
                }
                Goal::Isolate(None) => "name a passing file: `nubbin isolate SCRIPT PASSING FAILING`",
                Goal::Maximize => "parts are added to the empty file, which must therefore pass",
            };
            Err(Failure::message(Fault::EmptyIsInteresting, message).hint(hint))
        }
        Verdict::Unresolved(_) => {
            let message = format!("`{label}` is unresolved on {what}, which should pass");
            Err(Failure::message(Fault::NotPassing, message)
                .hint("a test reports a passing input by an exit status other than 0 and 125"))
        }
    }
}

/// Searches the changes from the passing to the failing text: those of the syntax trees level by level, then units.
fn isolate(inquiry: &Inquiry<'_>, given: &Given, units: &[Unit], search: Classic) -> Isolated {
    let (mut passing, mut failing, mut units) = (given.passing.clone(), given.failing.clone(), units);
    let tree = given
        .language
        .get()
        .and_then(|language| TextDifference::by_tree(language, &given.passing, &given.failing));
    if let Some(mut difference) = tree {
        let mut is_new = true;
        while is_new && !inquiry.has_failed() {
            narrow(inquiry, &mut difference, search);
            is_new = difference.refine();
            if is_new {
                halve(inquiry, &mut difference);
            }
        }
        (passing, failing) = ends(&difference);
        units = &UNITS[1..];
    }
    let mut proven = (units[0], 0);
    for &unit in units {
        let mut difference = TextDifference::by_units(unit, &passing, &failing);
        narrow(inquiry, &mut difference, search);
        proven = (unit, difference.len());
        (passing, failing) = ends(&difference);
    }
    Isolated { passing, failing, proven }
}

/// Returns the passing and the failing text of a difference.
fn ends(difference: &TextDifference<'_>) -> (Vec<u8>, Vec<u8>) {
    let all: Vec<u32> = (0..difference.len() as u32).collect();
    (difference.text(&[]), difference.text(&all))
}

/// Removes all changes that the failure does not need.
fn narrow(inquiry: &Inquiry<'_>, difference: &mut TextDifference<'_>, search: Classic) {
    let n = difference.len();
    let text = |made: &[u32]| difference.text(made);
    let (passing, failing) = match search {
        Classic::Dd | Classic::Ddmax => {
            let (search, failing) = inquiry.search(Dd::new(n as u32), n, text, |_, _| ());
            (search.passing().to_vec(), failing)
        }
        smaller => {
            let alone = |made: u32| text(&[made]).len().abs_diff(text(&[]).len());
            let weights = || (0..n as u32).map(|made| alone(made).max(1) as u32).collect();
            (Vec::new(), smaller.minimize(inquiry, n, weights, text, |_, _| ()))
        }
    };
    difference.settle(&passing, &failing);
}

/// Tests the text with the smallest common nodes of both. Depending on the verdict, the search continues on one side
/// of it.
fn halve(inquiry: &Inquiry<'_>, difference: &mut TextDifference<'_>) {
    let (middle, all) = (difference.middle(), (0..difference.len() as u32).collect::<Vec<_>>());
    if middle.is_empty() || middle.len() == all.len() {
        return;
    }
    match inquiry.ask(&difference.text(&middle)) {
        Verdict::Uninteresting => difference.settle(&middle, &all),
        Verdict::Interesting => difference.settle(&[], &middle),
        Verdict::Unresolved(_) => {}
    }
}

/// A text with the units that remain to be decided.
struct Rest<'t> {
    /// The parts of the text, with the number of the unit if that is not kept yet.
    parts: Vec<(&'t [u8], Option<u32>)>,
    count: u32,
}

impl<'t> Rest<'t> {
    /// Collects the units of `whole` that are not marked in `kept`.
    fn new(unit: Unit, whole: &'t [u8], kept: &[bool]) -> Self {
        let (mut parts, mut count) = (Vec::new(), 0);
        for span in unit.split(whole) {
            let span = span.start as usize..span.end as usize;
            let is_kept = kept[span.clone()].iter().all(|kept| *kept);
            parts.push((&whole[span], (!is_kept).then_some(count)));
            count += u32::from(!is_kept);
        }
        Self { parts, count }
    }

    /// Returns the text without these units, which must be sorted.
    fn without(&self, omitted: &[u32]) -> Vec<u8> {
        let is_there = |unit: &Option<u32>| unit.is_none_or(|unit| omitted.binary_search(&unit).is_err());
        let there = self.parts.iter().filter(|(_, unit)| is_there(unit)).map(|(text, _)| *text);
        there.collect::<Vec<_>>().concat()
    }
}

/// Runs ddmax over the units of the failing text, from coarse to fine. Parts removed by one unit are tried by the
/// next.
fn maximize(inquiry: &Inquiry<'_>, whole: &[u8], units: &[Unit]) -> Isolated {
    let mut kept = vec![false; whole.len()];
    let mut proven = (units[0], 0);
    for &unit in units {
        let rest = Rest::new(unit, whole, &kept);
        let (n, text) = (rest.count, |omitted: &[u32]| rest.without(omitted));
        let (_, omitted) = inquiry.search(Ddmax::new(n), n as usize, text, |_, _| ());
        proven = (unit, omitted.len());
        let mut at = 0;
        for (text, unit) in &rest.parts {
            let is_kept = unit.is_none_or(|unit| omitted.binary_search(&unit).is_err());
            kept[at..at + text.len()].fill(is_kept);
            at += text.len();
        }
    }
    let passing = whole.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(byte, _)| *byte).collect();
    Isolated { passing, failing: whole.to_vec(), proven }
}

fn proof(goal: &Goal, search: Option<Classic>, found: &Isolated) -> String {
    let (unit, count) = found.proven;
    let parts = text::counted(count, unit.name());
    match (goal, search) {
        (Goal::Isolate(_), Some(Classic::Cdd)) => {
            format!("nothing: cdd tries {parts} alone, but does not verify the final result")
        }
        (Goal::Isolate(_), _) => format!("1-minimal over {parts}"),
        (Goal::Maximize, _) => format!("1-maximal: it fails with any one of {parts} that were removed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_no_choice_of_a_finer_unit() {
        let whole = b"a b\nc\n";
        let kept: Vec<bool> = whole.iter().enumerate().map(|(at, _)| at >= 4).collect();
        let rest = Rest::new(Unit::Token, whole, &kept);
        assert_eq!((rest.without(&[0, 1]), rest.count), (b"c\n".to_vec(), 2));
        assert_eq!(rest.without(&[]), whole);
    }
}
