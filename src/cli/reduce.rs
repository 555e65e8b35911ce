//! One reduction from the command line: read, prove, reduce, report.
//!
//! The reduction itself is the library's.

use super::baseline::{self, Baseline};
use super::check::beforehand;
use super::differ;
use super::exit::Exit;
use super::failure::Failure;
use super::failure_options::Message;
use super::formatter::Formatter;
use super::hand::Hand;
use super::journal::{self, Logbook, Terms};
use super::keep;
use super::language::{self, Chosen};
use super::live::{Live, Stall};
use super::preprocessor::Preprocessor;
use super::progress::{Progress, Waiting};
use super::record::{Ended, Noted, Records, Runs, Shown};
use super::settings::{Input, Settings, Test};
use super::signal::{Farewell, Interrupt};
use super::sinks::Sinks;
use super::squeeze;
use super::summary::summary;
use super::text;
use super::voice::Voice;
use super::watch::Watch;
use nubbin::edit::Span;
use nubbin::event::{Sink, Size};
use nubbin::input::BestFile;
use nubbin::input::journal::End;
use nubbin::offer::Proposer;
use nubbin::oracle::Observer;
use nubbin::oracle::{Rate, Record};
use nubbin::signature::Signature;
use nubbin::{Format, Keeper, Outcome, Preprocess, Reduction, Step, Switches, Verdict};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Reduces what the settings say, and reports it.
pub fn run(settings: &Settings) -> Result<Exit, Failure> {
    let mut records = Records::begin(settings)?;
    attempt(settings, &mut records).inspect_err(|failure| say(settings.voice, records.fail(failure)))
}

fn say(voice: Voice, lines: Vec<String>) {
    for line in lines {
        voice.say(&line);
    }
}

fn attempt(settings: &Settings, records: &mut Records) -> Result<Exit, Failure> {
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
    let mut best = settings.output.open(&settings.input, &content)?;
    best.check()?;
    let (logbook, last) = match earlier {
        None => (None, None),
        Some(earlier) => match earlier.resume(settings, &terms, &mut best)? {
            None => {
                say(settings.voice, records.nothing_left());
                return Ok(Exit::Success);
            }
            Some((logbook, last)) => (Some(logbook), last),
        },
    };
    let interrupt = Interrupt::watch_within(settings.control.time_left())?;

    let live = Live::of(settings, &language, &input, &best, &interrupt);
    let watch = Arc::new(Watch::new(settings));
    let mut watching: Vec<Arc<dyn Observer>> = vec![watch.clone()];
    watching.extend(live.as_ref().map(Live::ear));
    watching.extend(records.observer());
    let learned = logbook.as_ref().and_then(Logbook::learned);
    let is_new = learned.is_none();
    let baseline = prove(settings, &input, &interrupt, &watching, learned)
        .inspect_err(|_| nothing_done(settings.voice, &interrupt, records))
        .map_err(|failure| interrupt.or_late(failure))?;
    if is_new {
        beforehand::look(settings, &input, &interrupt, &baseline, language.get())
            .inspect_err(|_| nothing_done(settings.voice, &interrupt, records))
            .map_err(|failure| interrupt.or_late(failure))?;
    }
    let logbook = logbook.or_else(|| journal::begin(settings, &terms, &input));
    if let Some(logbook) = logbook.as_ref().filter(|_| is_new) {
        logbook.learn(&baseline.learned);
    }
    begin_watch(&watch, settings, &baseline, logbook.as_ref());
    let runs = records.runs(logbook.as_ref().map(Logbook::place));
    let run = Run {
        settings,
        input: &input,
        kept: &kept,
        language: &language,
        logbook: logbook.as_ref(),
        runs: runs.as_deref(),
        watch: &watch,
        switches: live.as_ref().map(|live| live.switches().clone()).unwrap_or_default(),
    };
    run.reduce(baseline, &mut best, last, &interrupt, live, records)
}

/// Makes sure that the failure is there, and says which it is.
fn prove<'i>(
    settings: &Settings,
    input: &'i [u8],
    interrupt: &Interrupt,
    watching: &[Arc<dyn Observer>],
    learned: Option<baseline::Learned>,
) -> Result<Baseline<'i>, Failure> {
    let what = format!("running the oracle on the unchanged input, {}", text::counted(input.len(), "byte"));
    let waiting = Waiting::begin(settings.voice, settings.show, what);
    let baseline = match learned {
        Some(learned) => baseline::recall(settings, input, interrupt, watching, learned),
        None => baseline::run(settings, input, interrupt, watching)?,
    };
    drop(waiting);
    if let Some(kept) = &baseline.kept {
        settings.voice.say(&format!("note: {kept}"));
    }
    if let Some(hint) = differ::hint(settings, input) {
        settings.voice.say(hint);
    }
    Ok(baseline)
}

/// From now on all runs of the oracle are looked at.
fn begin_watch(watch: &Watch, settings: &Settings, baseline: &Baseline<'_>, logbook: Option<&Logbook>) {
    let (folder, is_resumed) =
        logbook.map_or((None, false), |logbook| (Some(logbook.folder.as_path()), logbook.is_resumed()));
    // A message that is part of the failure cannot drift.
    let shown = baseline.learned.message.clone().filter(|_| settings.test.message == Message::None);
    watch.begin(shown, folder, is_resumed);
}

/// The input's language, which gets ready while the oracle runs on the unchanged input.
fn language(settings: &Settings, path: &Path, input: &[u8]) -> Result<Chosen, Failure> {
    let is_archive = settings.input.is_archive();
    let language =
        if is_archive { settings.language.of_many()? } else { settings.language.resolve(path, input)? };
    has_passes(settings, language.get().is_some())?;
    let wants_one = !is_archive && settings.units.is_empty() && language.get().is_none();
    if let Some(note) = language::elsewhere(path).filter(|_| wants_one) {
        settings.voice.say(&format!("note: {note}"));
    }
    if let Chosen::BuiltIn(language) = language {
        language.prepare();
    }
    Ok(language)
}

/// Makes sure that a pass is left that runs on such an input.
fn has_passes(settings: &Settings, language_is_known: bool) -> Result<(), Failure> {
    if !settings.propose.is_empty() && settings.control.runs("propose") {
        return Ok(());
    }
    settings.control.check(language_is_known, settings.input.is_archive(), &settings.units, settings.compact)
}

/// Ends the program where a signal came before there was anything to reduce.
fn nothing_done(voice: Voice, interrupt: &Interrupt, records: &mut Records) {
    if interrupt.has_come() && !interrupt.is_late() {
        say(voice, interrupt.code().map(|code| records.interrupted(code)).unwrap_or_default());
        voice.say("interrupted; nothing was changed");
        interrupt.raise();
    }
}

/// A reduction that has proven its input.
struct Run<'a> {
    settings: &'a Settings,
    input: &'a [u8],
    /// What has to stay of it.
    kept: &'a [Span],
    language: &'a Chosen,
    logbook: Option<&'a Logbook>,
    /// What the runs said, where there is to be a report.
    runs: Option<&'a Runs>,
    watch: &'a Watch,
    /// What the user switches meanwhile.
    switches: Switches,
}

/// What the oracle has taught, when it is gone.
struct Known {
    /// The failure to keep, as a sentence, and what the input says.
    kept: Option<String>,
    signature: Option<String>,
    /// A run on the result, if one is wanted.
    run: Option<Shown>,
}

impl Known {
    fn of(baseline: &Baseline<'_>, outcome: Option<&Outcome>, records: &mut Records) -> Self {
        let signature = baseline.learned.message.as_ref().map(Signature::title);
        let run = outcome.and_then(|outcome| records.run_on(&outcome.best, |best| baseline.run(best)));
        Self { kept: baseline.kept.clone(), signature, run }
    }
}

/// The bests that there are apart from the file.
struct Bests {
    /// The last one that is in the file.
    saved: Option<Arc<[u8]>>,
    /// The one that could not be saved.
    unsaved: Option<Vec<u8>>,
    /// Who looks at them.
    stall: Option<Stall>,
    /// Where it is said that there is one; nowhere where nothing is said.
    farewell: Option<Farewell>,
}

impl Run<'_> {
    /// Reduces, and reports it.
    fn reduce(
        &self,
        baseline: Baseline<'_>,
        best: &mut BestFile,
        saved: Option<Vec<u8>>,
        interrupt: &Interrupt,
        live: Option<Live>,
        records: &mut Records,
    ) -> Result<Exit, Failure> {
        let voice = self.settings.voice;
        let stall = live.as_ref().map(Live::stall);
        let farewell = (voice != Voice::Quiet).then(|| interrupt.farewell());
        let mut bests = Bests { saved: saved.map(Arc::from), unsaved: None, stall, farewell };
        let mut progress = Progress::new(voice, self.settings.show, live, interrupt.pause());
        let formatter = Formatter::new(self.settings, self.language, self.input, !self.kept.is_empty());
        let own = |formatter: &Formatter, text: &[u8]| formatter.format(text).filter(|_| text != self.input);
        let format = formatter.as_ref().map(|formatter| |text: &[u8]| own(formatter, text));
        let format = format.as_ref().map(|format| format as Format<'_>);
        records.start(self.input, interrupt.pause());
        let mut sinks = Sinks::new(vec![&mut progress, records]);
        let folder = self.logbook.map(Logbook::place);
        let programs = self.settings.propose.start(self.settings, interrupt, folder);
        let proposer = programs.as_ref().map(|programs| programs as &dyn Proposer);
        let mut hand = Hand::new(folder);
        let preprocessor = Preprocessor::new(self.settings, self.language, !self.kept.is_empty());
        let preprocess = preprocessor.as_ref().map(|preprocessor| |text: &[u8]| preprocessor.texts(text));
        let preprocess = preprocess.as_ref().map(|preprocess| preprocess as Preprocess<'_>);
        let asked = (preprocess, format, proposer);
        let outcome = self.search(&baseline, best, (&mut bests, &mut hand), interrupt, &mut sinks, asked);
        drop(programs);
        let outcome = outcome.map(|outcome| self.squeezed(outcome, &baseline));
        let time = progress.finish();
        let known = Known::of(&baseline, outcome.as_ref().ok(), records);
        // The wardens have cleaned up when this is gone.
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
        let outcome = match self.logbook {
            Some(logbook) => logbook.settle(outcome, self.input),
            None => outcome,
        };
        let is_cut_short = outcome.proof.is_cut_short();
        let is_unchanged = is_cut_short && !best.is_saved();
        let is_to_be_saved = !is_unchanged || best.path().is_none();
        let shown = self.settings.input.shown(&outcome.best);
        if let Some(note) = Hand::late(best) {
            voice.say(&note);
        }
        if is_to_be_saved && let Err(error) = best.finish(&shown) {
            let unsaved = Some(outcome.best);
            return Err(kept(error.into(), best, Bests { unsaved, ..bests }));
        }
        // What was skipped by hand is left to a run that goes on.
        let is_whole = !is_cut_short && outcome.skipped.is_empty();
        self.end(if is_whole { End::Finished } else { End::Interrupted });
        if voice == Voice::Verbose {
            self.say_of_programs(preprocessor.as_ref(), formatter.as_ref(), &outcome);
        }
        self.tell(&outcome, best, time, known, interrupt, records);
        interrupt.raise();
        Ok(Exit::Success)
    }

    /// The outcome of a run that was stopped without the blank lines of its best, where the failure stays without them: one
    /// more run tells.
    fn squeezed(&self, outcome: Outcome, baseline: &Baseline<'_>) -> Outcome {
        let is_free = self.kept.is_empty() && self.settings.units.is_empty() && outcome.flaky.is_none();
        let is_text = !matches!(self.settings.input, Input::Options(_));
        if !(outcome.proof.is_cut_short() && is_free && is_text) || outcome.best == self.input {
            return outcome;
        }
        let is_archive = self.settings.input.is_archive();
        let Some(best) = squeeze::squeezed(&outcome.best, is_archive) else { return outcome };
        if !baseline.is_interesting_in(squeeze::LIMIT, &best) {
            return outcome;
        }
        if let Some(logbook) = self.logbook {
            logbook.add(&blake3::hash(&best).into(), Verdict::Interesting);
        }
        let after = Size { bytes: best.len(), ..outcome.after };
        Outcome { best, after, ..outcome }
    }

    /// Says why what other programs made was not used.
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

    /// Says how it went, to people and to programs.
    fn tell(
        &self,
        outcome: &Outcome,
        best: &BestFile,
        time: Duration,
        known: Known,
        interrupt: &Interrupt,
        records: &mut Records,
    ) {
        let (voice, is_list) = (self.settings.voice, matches!(self.settings.input, Input::Options(_)));
        let is_verbose = voice == Voice::Verbose;
        let remark = self.settings.control.remark(outcome, interrupt.is_late());
        if records.has_text() {
            voice.say(&summary(outcome, &remark, best, time, is_verbose, is_list));
            let file = self.logbook.map(|_| self.settings.input.path(&self.settings.language));
            say(voice, self.watch.summary(file.as_deref()));
            if best.path().is_some() && best.is_saved() {
                let shown = self.settings.input.shown(&outcome.best);
                voice.show(squeeze::small(&shown, self.settings.input.is_archive()));
            }
        }
        let ended = Ended {
            settings: self.settings,
            outcome,
            remark: &remark,
            best,
            time,
            watch: self.watch,
            kept: known.kept.as_deref(),
            signature: known.signature,
            input: self.input,
            language: self.language,
            run: known.run,
            code: interrupt.code().unwrap_or(0),
        };
        say(voice, records.end(&ended));
    }

    /// Reduces the input, and saves each best: to the file first, then in the journal.
    fn search(
        &self,
        baseline: &Baseline<'_>,
        best: &mut BestFile,
        (bests, hand): (&mut Bests, &mut Hand),
        interrupt: &Interrupt,
        sink: &mut dyn Sink,
        (preprocess, format, proposer): (Option<Preprocess<'_>>, Option<Format<'_>>, Option<&dyn Proposer>),
    ) -> Result<Outcome, nubbin::Error> {
        let noted = self.logbook.map(|record| Noted { record, runs: self.runs });
        let mut keeper = Saver { best, bests, hand, logbook: self.logbook, watch: self.watch };
        let reduction = Reduction::new(self.input);
        let reduction = if self.settings.input.is_archive() {
            reduction.archive(self.language)
        } else {
            reduction.language(self.language.get())
        };
        let mut reduction = reduction
            .units(self.settings.units.iter().copied())
            .allow_empty(self.settings.allow_empty)
            .compact(self.settings.compact)
            .effort(self.settings.effort)
            .flaky(self.settings.flaky)
            .well_formed(baseline.is_about_syntax())
            .keep(self.kept.iter().copied())
            .preprocess(preprocess)
            .format(format)
            .proposer(proposer)
            .coverage(self.settings.input.is_archive().then_some(baseline as &dyn nubbin::Coverage))
            .stop(interrupt.flag())
            .switches(&self.switches)
            .keeper(&mut keeper)
            .sink(sink);
        reduction = self.settings.control.apply(reduction);
        if let Some(noted) = &noted {
            reduction = reduction.record(noted);
        }
        reduction.run_parallel(baseline, self.settings.jobs)
    }

    /// The failure of a reduction that ended halfway; the best so far is not lost.
    fn failure(&self, error: nubbin::Error, best: &mut BestFile, bests: Bests) -> Failure {
        match error {
            nubbin::Error::EmptyIsInteresting => accepts_all(self.settings),
            nubbin::Error::Flaky { rate, reduced } => {
                kept(flaky(&self.settings.test, rate, reduced), best, bests)
            }
            error => kept(error.into(), best, bests),
        }
    }

    fn end(&self, end: End) {
        if let Some(logbook) = self.logbook {
            logbook.end(end);
        }
    }
}

/// Says where the best is after a failure, and makes sure that it is there.
fn kept(failure: Failure, best: &mut BestFile, bests: Bests) -> Failure {
    let place = match bests {
        Bests { unsaved: Some(unsaved), .. } if failure.is_about_the_input() => {
            journal::rescue(best, &unsaved)
        }
        Bests { saved: Some(saved), .. } => best.finish(&saved).map_err(io::Error::other).map(|()| {
            best.path().map_or("on standard output".to_owned(), |path| format!("in `{}`", path.display()))
        }),
        Bests { saved: None, .. } => return failure,
    };
    match place {
        Ok(place) => failure.details(format!("  the best so far is {place}\n")),
        Err(error) => failure.details(format!("  the best so far could not be saved either: {error}\n")),
    }
}

/// Saves each best: to the file first, then in the journal.
struct Saver<'b> {
    best: &'b mut BestFile,
    bests: &'b mut Bests,
    hand: &'b mut Hand,
    logbook: Option<&'b Logbook>,
    watch: &'b Watch,
}

impl Saver<'_> {
    fn save(&mut self, best: &[u8]) -> io::Result<()> {
        if let Err(error) = self.best.save(best) {
            self.bests.unsaved = Some(best.to_owned());
            return Err(io::Error::other(error));
        }
        let best: Arc<[u8]> = best.into();
        if let Some(stall) = &self.bests.stall {
            stall.offer(&best);
        }
        self.bests.saved = Some(best);
        if let (Some(farewell), Some(path)) = (&self.bests.farewell, self.best.path()) {
            let say = || format!("ended at once; the best so far is in `{}`", path.display());
            farewell.get_or_init(say);
        }
        Ok(())
    }
}

impl Keeper for Saver<'_> {
    fn accepted(&mut self, step: &Step<'_>) -> io::Result<()> {
        self.watch.stepped(step.best);
        if self.logbook.is_some_and(|logbook| logbook.retakes(step)) {
            return Ok(());
        }
        self.save(step.best)?;
        if let Some(logbook) = self.logbook {
            logbook.step(step);
        }
        Ok(())
    }

    fn undone(&mut self, steps: usize, best: &[u8]) -> io::Result<()> {
        self.save(best)?;
        self.watch.undone(steps);
        if let Some(logbook) = self.logbook {
            logbook.undone(steps);
        }
        Ok(())
    }

    fn offered(&mut self, probes: usize) -> Option<Vec<u8>> {
        let is_behind = self.logbook.is_some_and(Logbook::is_behind);
        self.hand.offered(probes, self.best, is_behind)
    }

    fn refused(&mut self, text: &[u8], why: &str) -> io::Result<Option<String>> {
        let note = self.hand.refused(text, why, self.best)?;
        if let Some(saved) = self.bests.saved.clone().filter(|_| note.is_some()) {
            self.save(&saved)?;
        }
        Ok(note)
    }
}

/// The oracle says different things of the same input: the unreduced one, or the best so far.
fn flaky(test: &Test, rate: Rate, reduced: bool) -> Failure {
    let rate = text::share(rate.interesting, rate.runs);
    let what = if reduced {
        format!("the best so far had been found interesting, and then was so in {rate}")
    } else {
        format!("the unreduced input was interesting in {rate}; nothing was changed")
    };
    let message = match test.message {
        Message::None => "",
        Message::Known | Message::Any => "; if only its message varies, keep none with `--no-keep-message`",
    };
    Failure::message(Exit::Flaky, format!("`{}` does not repeat itself: {what}", test.label)).hint(format!(
        "make it deterministic (fix seeds, use one thread), or go on with `--flaky 0.95`, which runs each \
         candidate several times{message}"
    ))
}

/// The failure of an oracle that accepts the empty input.
pub fn accepts_all(settings: &Settings) -> Failure {
    let test = &settings.test;
    if let Input::Options(choices) = &settings.input {
        let (how, hint) = if choices.is_inverted() {
            ("as it is, so nothing prevents it", "without `--invert` it is found which options it depends on")
        } else {
            ("without any options, too", "say more about the failure, such as `--stderr REGEX`")
        };
        return Failure::message(
            Exit::EmptyIsInteresting,
            format!("`{}` fails in this way {how}", test.label),
        )
        .hint(hint);
    }
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
