//! One reduction: reads the input, verifies the failure, reduces the input, and writes the result.
//!
//! Nothing is printed; an [`Audience`] shows the progress.

mod agreement;
mod audience;
mod refusal;
mod saver;

pub(crate) use agreement::doubt_note;
pub use audience::{Audience, Nobody, Recalled, Saved, Scene};
pub(crate) use refusal::accepts_all;

use crate::baseline::{self, Baseline};
use crate::beside::Measured;
use crate::check::{self, beforehand};
use crate::control::Remark;
use crate::differ;
use crate::failure::Failure;
use crate::formatter::Formatter;
use crate::hand::Hand;
use crate::inline;
use crate::input::BestFile;
use crate::input::journal::End;
use crate::journal::{self, Logbook, Resumed, Terms};
use crate::keep;
use crate::language::{self, Chosen, OneLanguage};
use crate::memory;
use crate::message::Message;
use crate::pace::Pace;
use crate::places;
use crate::preprocessor::Preprocessor;
use crate::settings::Settings;
use crate::source::Input;
use crate::squeeze;
use crate::stop::Stop;
use crate::watch::Watch;
use nubbin_oracle::signature::Signature;
use nubbin_oracle::{Name, Observer, Rate, Record};
use nubbin_reduce::event::Size;
use nubbin_reduce::offer::Proposer;
use nubbin_reduce::{Coverage, Format, Join, Outcome, Preprocess, Proof, Reduction};
use nubbin_search::{Cause, Verdict};
use nubbin_syntax::edit::Span;
use refusal::flaky;
use saver::{Agreed, Ahead, Bests, Saver, kept};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// After a longer initial run, the reason of an error is not searched for by further runs.
const LONGEST_EXPLAINED: Duration = Duration::from_secs(20);

/// The number of runs that measure how often an input fails that did not fail again.
const AGAIN: usize = 20;

/// A reduction that finished, or was stopped with a result.
#[derive(Debug)]
pub struct Reduced {
    /// The result and its proof.
    pub outcome: Outcome,
    /// A remark about the proof.
    pub remark: Remark,
    /// The output file.
    pub best: BestFile,
    /// The failure to keep, as a sentence; `None` for a script, which decides by itself.
    pub kept: Option<String>,
    /// The metric of the input and of the result, if one is measured.
    pub measured: Option<Measured>,
    /// The message of the unchanged input, if its form is known.
    pub signature: Option<String>,
    /// The unreduced input.
    pub input: Arc<[u8]>,
    /// The language of the input.
    pub language: Chosen,
    /// Other failures seen during the reduction.
    pub watch: Arc<Watch>,
    /// The folder of the journal, if any.
    pub journal: Option<PathBuf>,
}

/// Runs a reduction. Returns `None` if a resumed run had already finished.
///
/// # Errors
/// Returns an error when the failure does not occur, the oracle cannot be run, or a file cannot be read or written.
/// The current best is kept in any case, and the error says where.
pub fn run(
    settings: &Settings,
    stop: &Stop,
    audience: &mut dyn Audience,
) -> Result<Option<Reduced>, Failure> {
    let Some(opened) = Opened::new(settings)? else { return Ok(None) };
    let Opened { input, language, kept, terms, mut best, logbook, bests: known_bests } = opened;
    let input: Arc<[u8]> = input.into();
    stop.begin(settings.control.time_left())?;
    audience.begin(&Scene { settings, input: &input, language: &language, best: &best, stop })?;
    let watch = Arc::new(Watch::new(settings));
    let mut watching: Vec<Arc<dyn Observer>> = vec![watch.clone()];
    watching.extend(audience.observers());
    let learned = logbook.as_ref().and_then(Logbook::learned);
    let is_new = learned.is_none();
    let mut baseline = prove(settings, &input, stop, &watching, learned)?;
    audience.proven();
    tell(settings, &input, &baseline);
    if let Some(note) = inline::note(settings, &language, settings.input.text(&input), !kept.is_empty()) {
        settings.voice.say(&note);
    }
    if is_new {
        beforehand::look(settings, &input, stop, &baseline, language.get())
            .map_err(|failure| early(stop, failure))?;
    }
    baseline.accompany(settings, language.get(), stop).map_err(|failure| early(stop, failure))?;
    #[cfg(feature = "remote")]
    baseline.spread(settings, stop).map_err(|failure| early(stop, failure))?;
    let note = baseline.serve(settings);
    if let Some(note) = note.filter(|_| settings.voice.is_verbose()) {
        settings.voice.say(note);
    }
    settings.voice.say_some(&settings.control.first_runs_note(baseline.longest).unwrap_or_default());
    let logbook = logbook.or_else(|| journal::begin(settings, &terms, &input));
    if let Some(logbook) = logbook.as_ref().filter(|_| is_new) {
        logbook.learn(&baseline.learned);
    }
    begin_watch(&watch, settings, &baseline, logbook.as_ref());
    let pace = pace(settings, &input, stop)?;
    let run = Run {
        settings,
        input: &input,
        kept: &kept,
        language: &language,
        logbook: logbook.as_ref(),
        watch: &watch,
        pace,
        stop,
    };
    let known = (baseline.kept.clone(), baseline.learned.message.as_ref().map(Signature::title));
    let (outcome, remark, measured) = run.reduce(baseline, &mut best, known_bests, audience)?;
    let journal = logbook.map(|logbook| logbook.folder);
    Ok(Some(Reduced {
        outcome,
        remark,
        best,
        kept: known.0,
        measured,
        signature: known.1,
        input,
        language,
        watch,
        journal,
    }))
}

/// Data that is read and opened before the oracle runs.
struct Opened {
    input: Vec<u8>,
    language: Chosen,
    /// The parts of the input that must not change.
    kept: Vec<Span>,
    terms: Terms,
    best: BestFile,
    /// The journal of a resumed run, and its results.
    logbook: Option<Logbook>,
    bests: EarlierBests,
}

/// The results of an earlier run: the last recorded one, and one that was saved but not recorded.
#[derive(Default)]
struct EarlierBests {
    last: Option<Vec<u8>>,
    ahead: Option<Vec<u8>>,
}

impl Opened {
    /// Reads and opens the data. Returns `None` if an earlier run had already finished.
    fn new(settings: &Settings) -> Result<Option<Self>, Failure> {
        for note in &settings.notes {
            settings.voice.say(&format!("note: {note}"));
        }
        let content = journal::read(settings)?;
        let earlier = journal::earlier(settings, &content)?;
        let input = earlier.as_ref().map_or_else(|| content.clone(), |earlier| earlier.input.clone());
        let path = settings.input.path(&settings.language);
        let language = language(settings, &path, &input)?;
        let kept = match settings.input {
            Input::Options(_) => Vec::new(),
            _ => keep::spans(&settings.control, &path, &input, &language, settings.input.is_archive())?,
        };
        let terms = Terms::new(settings, language.get());
        journal::may_replace(settings)?;
        let mut best = places::open(settings, &content)?;
        best.check()?;
        let (logbook, bests) = match earlier {
            None => (None, EarlierBests::default()),
            Some(earlier) => match earlier.resume(settings, &terms, &mut best)? {
                None => return Ok(None),
                Some(Resumed { logbook, best: last, ahead }) => (Some(logbook), EarlierBests { last, ahead }),
            },
        };
        Ok(Some(Self { input, language, kept, terms, best, logbook, bests }))
    }
}

/// Returns an error of an initial run, or the interruption if a stop was requested.
fn early(stop: &Stop, failure: Failure) -> Failure {
    if stop.has_come() && !stop.is_late() { Failure::interrupted() } else { stop.or_late(failure) }
}

/// Verifies that the failure occurs, and determines what it is. Otherwise, looks for the reason.
fn prove<'i>(
    settings: &Settings,
    input: &'i [u8],
    stop: &Stop,
    watching: &[Arc<dyn Observer>],
    learned: Option<baseline::Learned>,
) -> Result<Baseline<'i>, Failure> {
    let begin = Instant::now();
    match learned {
        Some(learned) => Ok(baseline::recall(settings, input, stop, watching, learned)),
        None => {
            baseline::run(settings, input, stop, watching).map_err(|failure| match early(stop, failure) {
                failure if begin.elapsed() > LONGEST_EXPLAINED => failure,
                failure => check::explain(settings, input, stop, failure),
            })
        }
    }
}

/// Returns the pace of a run with `--stop-at`.
fn pace(settings: &Settings, input: &[u8], stop: &Stop) -> Result<Option<Arc<Pace>>, Failure> {
    let Some(stalled) = &settings.control.until_stalled else { return Ok(None) };
    let size = saver::size(input, settings.input.is_archive());
    Pace::begin(stalled, settings.control.objective.of(size), stop).map(Some)
}

/// Prints which failure is kept.
fn tell(settings: &Settings, input: &[u8], baseline: &Baseline<'_>) {
    if let Some(kept) = &baseline.kept {
        settings.voice.say(&format!("note: {kept}"));
    }
    if let Some(hint) = differ::hint(settings, input) {
        settings.voice.say(hint);
    }
}

/// Starts to watch all runs of the oracle.
fn begin_watch(watch: &Watch, settings: &Settings, baseline: &Baseline<'_>, logbook: Option<&Logbook>) {
    let (folder, is_resumed) =
        logbook.map_or((None, false), |logbook| (Some(logbook.folder.as_path()), logbook.is_resumed()));
    // A message that is part of the failure cannot change.
    let shown = baseline.learned.message.clone().filter(|_| settings.test.message == Message::None);
    let status = baseline.failure.as_ref().and_then(|failure| failure.status);
    watch.begin(shown, status, folder, is_resumed);
}

/// Returns the input's language, whose preparation continues while the oracle runs on the unchanged input.
fn language(settings: &Settings, path: &Path, input: &[u8]) -> Result<Chosen, Failure> {
    let (is_several, input) = (settings.input.is_several(), settings.input.text(input));
    let language =
        if is_several { settings.language.of_many()? } else { settings.language.resolve(path, input)? };
    has_passes(settings, language.get().is_some())?;
    let wants_one = !is_several && settings.units.is_empty() && language.get().is_none();
    if let Some(note) = language::elsewhere(path, input).filter(|_| wants_one) {
        settings.voice.say(&format!("note: {note}"));
    }
    if let Some(note) =
        memory::note(input.len()).filter(|_| language.get().is_some() && settings.units.is_empty())
    {
        settings.voice.say(&format!("note: {note}"));
    }
    if let Chosen::BuiltIn(language) = language {
        language.prepare();
    }
    Ok(language)
}

/// Returns an error if no pass remains for such an input.
fn has_passes(settings: &Settings, language_is_known: bool) -> Result<(), Failure> {
    if !settings.propose.is_empty() && settings.control.runs("propose") {
        return Ok(());
    }
    settings.control.check(language_is_known, settings.input.is_archive(), &settings.units, settings.compact)
}

/// A reduction whose input was verified.
struct Run<'a> {
    settings: &'a Settings,
    input: &'a Arc<[u8]>,
    /// The parts of the input that must not change.
    kept: &'a [Span],
    language: &'a Chosen,
    logbook: Option<&'a Logbook>,
    watch: &'a Watch,
    /// The pace of a run with `--stop-at`.
    pace: Option<Arc<Pace>>,
    stop: &'a Stop,
}

/// Other programs: a preprocessor, a formatter, and programs that propose edits.
type Asked<'a> = (Option<Preprocess<'a>>, Option<Format<'a>>, Option<&'a dyn Proposer>);

/// A record that reports to the audience what is recalled from it.
struct Told<'r> {
    record: &'r Logbook,
    recalled: Recalled,
}

impl Record for Told<'_> {
    fn find(&self, name: &Name) -> Option<Verdict> {
        self.record.find(name)
    }

    fn recalled(&self, candidate: &[u8], verdict: Verdict) {
        (self.recalled)(candidate, verdict);
    }

    fn add(&self, name: &Name, verdict: Verdict) {
        self.record.add(name, verdict);
    }

    fn ask_again(&self, name: &Name) {
        self.record.ask_again(name);
    }
}

impl Run<'_> {
    /// Reduces the input, and writes the result.
    fn reduce(
        &self,
        baseline: Baseline<'_>,
        best: &mut BestFile,
        earlier: EarlierBests,
        audience: &mut dyn Audience,
    ) -> Result<(Outcome, Remark, Option<Measured>), Failure> {
        let voice = &self.settings.voice;
        let objective = self.settings.control.objective;
        let ahead = earlier.ahead.map(|text| Ahead { text: text.into(), objective });
        let saved = ahead.as_ref().map(|ahead| Arc::clone(&ahead.text)).or(earlier.last.map(Arc::from));
        let mut bests = Bests { saved, ahead, unsaved: None, told: audience.bests() };
        let formatter = Formatter::new(self.settings, self.language, self.input, !self.kept.is_empty());
        let own =
            |formatter: &Formatter, text: &[u8]| formatter.format(text).filter(|_| *text != **self.input);
        let format = formatter.as_ref().map(|formatter| |text: &[u8]| own(formatter, text));
        let format = format.as_ref().map(|format| format as Format<'_>);
        let folder = self.logbook.map(Logbook::place);
        audience.start(self.input, folder);
        let programs = self.settings.propose.start(self.settings, self.stop, folder);
        let proposer = programs.as_ref().map(|programs| programs as &dyn Proposer);
        let mut hand = Hand::new(folder);
        let preprocessor = Preprocessor::new(self.settings, self.language, !self.kept.is_empty());
        let preprocess = preprocessor.as_ref().map(|preprocessor| |text: &[u8]| preprocessor.texts(text));
        let preprocess = preprocess.as_ref().map(|preprocess| preprocess as Preprocess<'_>);
        let asked = (preprocess, format, proposer);
        let outcome = self.agreed(&baseline, best, (&mut bests, &mut hand), audience, asked);
        let outcome = outcome.and_then(|outcome| self.still_there(outcome, &baseline));
        drop(programs);
        let outcome =
            outcome.map(|outcome| self.squeezed(self.settled(outcome, bests.ahead.take()), &baseline));
        audience.ended(outcome.as_ref().ok(), &|candidate| baseline.run(candidate));
        let measured = outcome.as_ref().ok().and_then(|outcome| baseline.measured(&outcome.best));
        // Dropping it waits until the supervisors have cleaned up.
        drop(baseline);
        if let Some(note) = self.logbook.and_then(Logbook::failure) {
            voice.say(&note);
        }
        let outcome = match outcome {
            Ok(outcome) => outcome,
            Err(error) => {
                self.end(End::Failed);
                return Err(self.failure(error, best, bests));
            }
        };
        let is_cut_short = outcome.proof.is_cut_short();
        let is_unchanged = is_cut_short && !best.is_saved();
        let is_to_be_saved = !is_unchanged || best.path().is_none();
        let shown = self.settings.input.shown(&outcome.best);
        if let Some(note) = Hand::late(best) {
            voice.say(&note);
        }
        if is_to_be_saved && let Err(error) = best.finish(&shown) {
            let unsaved = Some(shown.into_owned());
            return Err(kept(self.settings, error.into(), best, Bests { unsaved, ..bests }));
        }
        // Passes skipped by hand are left to a resumed run.
        let is_whole = !is_cut_short && outcome.skipped.is_empty();
        self.end(if is_whole { End::Finished } else { End::Interrupted });
        if voice.is_verbose() {
            self.say_of_programs(preprocessor.as_ref(), formatter.as_ref(), &outcome);
        }
        let remark = self.settings.control.remark(&outcome, self.stop.over());
        Ok((outcome, remark, measured))
    }

    /// Runs the test on the input again if no candidate was accepted, because a failure that differs in each run
    /// would prove nothing.
    ///
    /// # Errors
    /// Returns an error if the failure no longer occurs.
    fn still_there(
        &self,
        outcome: Outcome,
        baseline: &Baseline<'_>,
    ) -> Result<Outcome, nubbin_reduce::Error> {
        let is_untouched = matches!(outcome.proof, Proof::OneMinimal { .. })
            && outcome.flaky.is_none()
            && outcome.best[..] == self.input[..];
        let Some(run) = is_untouched.then(|| baseline.run(self.input)).flatten() else { return Ok(outcome) };
        let is_there = run.verdict.is_interesting() || run.verdict == Verdict::Unresolved(Cause::Timeout);
        if is_there || self.stop.has_come() {
            return Ok(outcome);
        }
        let mut rate = Rate::default();
        rate.add(false);
        for _ in 1..AGAIN {
            rate.add(baseline.run(self.input).is_some_and(|run| run.verdict.is_interesting()));
        }
        Err(nubbin_reduce::Error::Flaky { rate, reduced: false })
    }

    /// Returns the outcome to report. A stopped run that did not get as far as an earlier run has the earlier result.
    fn settled(&self, outcome: Outcome, ahead: Option<Ahead>) -> Outcome {
        let Some(logbook) = self.logbook else { return outcome };
        let outcome = logbook.settle(outcome, self.input);
        match ahead {
            Some(ahead) if outcome.proof.is_cut_short() && ahead.is_ahead_of(&outcome.best) => {
                let after = ahead.size(self.settings.input.is_archive());
                Outcome { best: ahead.text.to_vec(), after, ..outcome }
            }
            _ => outcome,
        }
    }

    /// Removes blank lines from the result of a stopped run, if one more run shows that the failure remains.
    fn squeezed(&self, outcome: Outcome, baseline: &Baseline<'_>) -> Outcome {
        let is_free = self.kept.is_empty() && self.settings.units.is_empty() && outcome.flaky.is_none();
        let is_text = !matches!(self.settings.input, Input::Options(_));
        if !(outcome.proof.is_cut_short() && is_free && is_text) || *outcome.best == **self.input {
            return outcome;
        }
        let is_archive = self.settings.input.is_archive();
        let Some(best) = squeeze::squeezed(&outcome.best, is_archive) else { return outcome };
        let name = blake3::hash(&best).into();
        let is_known = self.logbook.and_then(|logbook| logbook.find(&name)) == Some(Verdict::Interesting);
        let limit = if self.stop.is_late() { squeeze::LATE } else { squeeze::LIMIT };
        if !is_known && !baseline.is_interesting_in(limit, &best) {
            return outcome;
        }
        if let Some(logbook) = self.logbook {
            logbook.add(&name, Verdict::Interesting);
        }
        let after = Size { bytes: best.len(), ..outcome.after };
        Outcome { best, after, ..outcome }
    }

    /// Prints why results of other programs were not used.
    fn say_of_programs(
        &self,
        preprocessor: Option<&Preprocessor>,
        formatter: Option<&Formatter<'_>>,
        outcome: &Outcome,
    ) {
        let notes =
            [preprocessor.and_then(|one| one.note(outcome)), formatter.and_then(|one| one.note(outcome))];
        for note in notes.iter().flatten() {
            self.settings.voice.say(note);
        }
    }

    /// Searches, and saves each new current best, first in the journal and then in the file.
    fn search(
        &self,
        baseline: &Baseline<'_>,
        best: &mut BestFile,
        (bests, hand, agreed): (&mut Bests, &mut Hand, &mut Agreed),
        audience: &mut dyn Audience,
        (preprocess, format, proposer): Asked<'_>,
    ) -> Result<Outcome, nubbin_reduce::Error> {
        let told = self.logbook.map(|record| Told { record, recalled: audience.recalled() });
        let switches = audience.switches();
        let served = baseline.served();
        let pace = self.pace.as_deref().map(|pace| (pace, self.settings.control.objective));
        let (logbook, watch) = (self.logbook, self.watch);
        let mut keeper = Saver { best, bests, hand, logbook, watch, served, agreed, pace, steps: 0 };
        let input = &self.settings.input;
        let inliner = inline::inliner(self.settings, self.language, input.text(self.input));
        let reduction =
            Reduction::of(Arc::clone(self.input)).join(inliner.as_ref().map(|files| files as &dyn Join));
        let only = OneLanguage(self.language);
        let reduction = match input {
            Input::WithOptions(_) => reduction.archive(&only),
            Input::Folder(_) | Input::Files(_) => {
                let is_directory = matches!(input, Input::Folder(_));
                reduction.archive(self.language).join_files(self.settings.inline.joins_files(is_directory))
            }
            Input::Options(choices) if !choices.is_inverted() => reduction.option_list(),
            _ => reduction.language(self.language.get()),
        };
        let mut reduction = reduction
            .units(self.settings.units.iter().copied())
            .allow_empty(self.settings.allow_empty)
            .compact(self.settings.compact)
            .anonymize(self.settings.control.anonymize)
            .effort(self.settings.effort)
            .flaky(self.settings.flaky)
            .flaky_rate(self.settings.flaky_rate)
            .well_formed(baseline.is_about_syntax())
            .keep(self.kept.iter().copied())
            .preprocess(preprocess)
            .format(format)
            .proposer(proposer)
            .coverage(self.settings.input.is_several().then_some(baseline as &dyn Coverage))
            .stop(self.stop.flag())
            .switches(&switches)
            .keeper(&mut keeper)
            .sink(audience);
        reduction = self.settings.control.apply(reduction);
        if let Some(told) = &told {
            reduction = reduction.record(told);
        }
        reduction.run_parallel(baseline, baseline.jobs(self.settings))
    }

    /// Returns the error of a reduction that ended early. The current best is kept.
    fn failure(&self, error: nubbin_reduce::Error, best: &mut BestFile, bests: Bests) -> Failure {
        match error {
            nubbin_reduce::Error::EmptyIsInteresting => {
                check::explain(self.settings, self.input, self.stop, accepts_all(self.settings))
            }
            nubbin_reduce::Error::Flaky { rate, reduced } => {
                kept(self.settings, flaky(self.settings, rate, reduced), best, bests)
            }
            error => kept(self.settings, error.into(), best, bests),
        }
    }

    fn end(&self, end: End) {
        if let Some(logbook) = self.logbook {
            logbook.end(end);
        }
    }
}

#[cfg(test)]
mod tests;
