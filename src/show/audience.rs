//! Passes the events of a reduction to the terminal and to the records.

use super::Shown;
use super::live::{Live, Stall};
use super::progress::{Progress, Waiting};
use super::record::{self, Ended, Records, Runs};
use super::ui::Show;
use crate::signal::Interrupt;
use nubbin_oracle::{CommandRun, Observer};
use nubbin_reduce::event::{Event, Sink};
use nubbin_reduce::{Outcome, Proof, Switches};
use nubbin_search::Verdict;
use nubbin_session::failure::{Failure, Fault};
use nubbin_session::reduce::{Audience, Reduced, Scene};
use nubbin_session::settings::{JournalChoice, Settings};
use nubbin_session::source::Input;
use nubbin_session::summary::summary;
use nubbin_session::words;
use nubbin_session::{emptied, squeeze, text};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The audience of one reduction.
pub struct House<'h> {
    settings: &'h Settings,
    interrupt: &'h Interrupt,
    show: Show,
    records: Records,
    waiting: Option<Waiting>,
    /// The view, until the progress takes it.
    live: Option<Live>,
    stall: Option<Arc<Stall>>,
    switches: Switches,
    progress: Option<Progress>,
    /// The outputs of the runs, if a record needs them.
    runs: Option<Arc<Runs>>,
    /// The time of the reduction.
    time: Duration,
    /// A run of the test on the result, if a record needs one.
    run: Option<record::RunOutput>,
}

impl<'h> House<'h> {
    /// Returns the audience of a run with these settings.
    ///
    /// # Errors
    /// Returns an error if a record cannot be written.
    pub fn new(settings: &'h Settings, shown: &Shown, interrupt: &'h Interrupt) -> Result<Self, Failure> {
        Ok(Self {
            settings,
            interrupt,
            show: shown.show,
            records: Records::begin(settings, &shown.records)?,
            waiting: None,
            live: None,
            stall: None,
            switches: Switches::default(),
            progress: None,
            runs: None,
            time: Duration::ZERO,
            run: None,
        })
    }

    fn say(&self, lines: impl IntoIterator<Item = String>) {
        for line in lines {
            self.settings.voice.say(&line);
        }
    }

    /// Reports that the earlier run was already finished.
    ///
    /// # Errors
    /// Returns an error if a record cannot be written.
    pub fn nothing_left(&mut self) -> Result<(), Failure> {
        let note = self.records.nothing_left()?;
        self.settings.voice.say_some(note.unwrap_or_default());
        Ok(())
    }

    /// Reports that the run has failed.
    pub fn failed(&mut self, failure: &Failure) {
        self.waiting = None;
        self.progress = None;
        let written = match (failure.fault(), self.interrupt.code()) {
            (Fault::Interrupted, Some(code)) => self.records.interrupted(code),
            _ => self.records.fail(failure),
        };
        if let Err(other) = written {
            self.settings.voice.say(&format!("note: {other}"));
        }
    }

    /// Prints the summary and writes the records.
    ///
    /// # Errors
    /// Returns an error if a record cannot be written.
    pub fn tell(&mut self, reduced: &Reduced) -> Result<(), Failure> {
        let Reduced { outcome, remark, best, measured, watch, .. } = reduced;
        let voice = &self.settings.voice;
        let is_list = matches!(self.settings.input, Input::Options(_));
        let control = &self.settings.control;
        let left = control.anonymize.then(|| words::left(&reduced.input, &outcome.best, &reduced.language));
        let options = self.settings.input.paired().map(|paired| paired.left(&outcome.best));
        if self.records.has_text() {
            voice.say(&summary(
                outcome,
                remark,
                best,
                self.time,
                (measured.as_ref(), left.as_deref(), options.as_ref()),
                voice.is_verbose(),
                is_list,
            ));
            let file = reduced.journal.as_ref().map(|_| self.settings.input.path(&self.settings.language));
            if let (Some(left), Some(kept)) = (&left, &reduced.kept) {
                self.say(words::in_message(left, kept));
            }
            self.say(watch.summary(file.as_deref()));
            self.say(reduced.journal.as_ref().and_then(|_| resuming(&outcome.proof)));
            if let Some(note) = emptied::note(&self.settings.input, &reduced.input, outcome) {
                voice.say(&format!("note: {note}"));
            }
            if best.path().is_some() && best.is_saved() {
                let input = &self.settings.input;
                let shown = input.shown(input.text(&outcome.best));
                voice.show(squeeze::small(&shown, input.is_several()));
            }
        }
        let ended = Ended {
            settings: self.settings,
            outcome,
            remark,
            best,
            time: self.time,
            watch,
            kept: reduced.kept.as_deref(),
            measured: measured.as_ref(),
            left: left.as_deref(),
            options: options.as_ref(),
            signature: reduced.signature.clone(),
            input: &reduced.input,
            language: &reduced.language,
            run: self.run.take(),
            code: self.interrupt.code().unwrap_or(0),
        };
        self.records.end(&ended)
    }
}

/// Returns a hint on how to continue a run that ended early.
fn resuming(proof: &Proof) -> Option<String> {
    match proof {
        Proof::Interrupted => Some("hint: `nubbin --resume` continues this run".to_owned()),
        Proof::Stopped(_) => Some("hint: `nubbin --resume` with another limit continues this run".to_owned()),
        Proof::OneMinimal { .. } | Proof::Dry => None,
    }
}

impl Sink for House<'_> {
    fn event(&mut self, event: Event<'_>) {
        if let Some(progress) = &mut self.progress {
            progress.event(event);
        }
        self.records.event(event);
    }
}

impl Audience for House<'_> {
    fn begin(&mut self, scene: &Scene<'_>) -> Result<(), Failure> {
        self.live = Live::of(scene, self.show, self.interrupt);
        self.stall = self.live.as_ref().map(|live| Arc::new(live.stall()));
        self.switches = self.live.as_ref().map(|live| live.switches().clone()).unwrap_or_default();
        let size = text::counted(scene.settings.input.text(scene.input).len(), "byte");
        let test = if scene.settings.test.failure.is_some() { "command" } else { "script" };
        let what = format!("running the {test} on the unchanged input, {size}");
        self.waiting = Some(Waiting::begin(&self.settings.voice, self.show, what));
        Ok(())
    }

    fn observers(&self) -> Vec<Arc<dyn Observer>> {
        self.live.as_ref().map(Live::ear).into_iter().chain(self.records.observer()).collect()
    }

    fn proven(&mut self) {
        self.waiting = None;
    }

    fn start(&mut self, input: &[u8], journal: Option<(&Path, bool)>) {
        self.runs = self.records.runs(journal);
        let (live, pause) = (self.live.take(), self.interrupt.stop().pause());
        self.progress = Some(Progress::new(self.settings.voice.clone(), self.show, live, pause));
        self.records.start(input, self.interrupt.stop().pause());
    }

    fn switches(&self) -> Switches {
        self.switches.clone()
    }

    fn bests(&self) -> Box<dyn FnMut(&Arc<[u8]>, Option<&Path>)> {
        let stall = self.stall.clone();
        let farewell = (!self.settings.voice.is_quiet()).then(|| self.interrupt.farewell());
        let resume = match self.settings.journal {
            JournalChoice::None => "",
            _ => "; `nubbin --resume` continues this run",
        };
        Box::new(move |best, path| {
            if let Some(stall) = &stall {
                stall.offer(best);
            }
            if let (Some(farewell), Some(path)) = (&farewell, path) {
                farewell.get_or_init(|| {
                    let text = format!("ended; the current best is in `{}`{resume}", path.display());
                    text::printable(&text).into_owned()
                });
            }
        })
    }

    fn recalled(&self) -> Box<dyn Fn(&[u8], Verdict) + Sync> {
        let runs = self.runs.clone();
        Box::new(move |candidate, verdict| {
            if let Some(runs) = &runs {
                runs.recalled(candidate, verdict);
            }
        })
    }

    fn ended(&mut self, outcome: Option<&Outcome>, again: &dyn Fn(&[u8]) -> Option<CommandRun>) {
        self.time = self.progress.take().map(Progress::finish).unwrap_or_default();
        self.run = outcome.and_then(|outcome| self.records.run_on(&outcome.best, again));
    }
}
