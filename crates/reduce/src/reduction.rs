//! Offers the reduction of an input: its settings, its run, and its errors.
//!
//! Its parts are in the modules below: the driver, the engine and its state, bounds, trust in the oracle, archives.

mod configuration;
mod control;
mod detour;
mod driver;
mod engine;
mod error;
mod folder;
mod joined;
mod keeper;
mod outcome;
mod question;
mod scope;
mod seen;
mod state;
mod switches;
mod trust;

use crate::event::{Counts, Event, Sink, Size};
use crate::inline::Join;
use crate::offer::Proposer;
use crate::pass::{Pass, Plan, Unit};
use control::{Control, KeptSpans};
pub use control::{Objective, Order, StopReason};
use driver::Driver;
use engine::Engine;
pub use error::Error;
pub use folder::{Coverage, Languages, MARKS, Reached};
pub use keeper::{Keeper, Step};
use nubbin_language::Language;
use nubbin_search::oracle::{Confidence, LeastRate, Oracle, Record, Recorded, Repeated, Trials};
use nubbin_search::schedule::{Clock, Jobs, Prober, Runner};
use nubbin_syntax::edit::{count_lines, count_tokens};
use nubbin_syntax::stop;
use outcome::proven;
pub use outcome::{Flakiness, Outcome, PassReport, Proof};
use scope::Scope;
use seen::Reader;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
pub use switches::Switches;
use trust::{History, Trust};

/// A function that formats a text; it returns `None` if it cannot.
pub type Format<'a> = &'a dyn Fn(&[u8]) -> Option<Vec<u8>>;

/// A function that makes other texts from the input; the reduction begins with one of them.
pub type Preprocess<'a> = &'a dyn Fn(&[u8]) -> Vec<Vec<u8>>;

/// One reduction, ready to run.
///
/// ```
/// use nubbin_reduce::{Reduction, Registry, Verdict};
///
/// // Fails whenever `boom(` is called with a 7 somewhere.
/// let fails = |candidate: &[u8]| {
///     let text = String::from_utf8_lossy(candidate);
///     match text.find("boom(") {
///         Some(at) if text[at..].contains('7') => Verdict::Interesting,
///         _ => Verdict::Uninteresting,
///     }
/// };
/// let input = "int main(void) {\n  int unused = 1;\n  if (unused) boom(1 + 2, 7 * 3);\n}\n";
/// let c = Registry::built_in().get("c");
/// let outcome = Reduction::new(input).language(c).run(&fails).unwrap();
/// assert!(outcome.after.tokens <= 5);
/// ```
pub struct Reduction<'a> {
    input: Arc<[u8]>,
    language: Option<&'a Language>,
    /// The languages of the files, if the input is an archive.
    archive: Option<&'a dyn Languages>,
    scope: Scope,
    /// The languages of the files and the plan, if the files of an archive are reduced together.
    together: Option<(&'a dyn Languages, Plan)>,
    units: Vec<Unit>,
    own_passes: Vec<&'static Pass>,
    allow_empty: bool,
    compact: bool,
    effort: u32,
    /// The number of probes of the unchanged input at first; 0 if it is known that this input is interesting and the
    /// empty one is not.
    confirm: usize,
    flaky: Option<Confidence>,
    flaky_rate: LeastRate,
    keeper: Option<&'a mut dyn Keeper>,
    record: Option<&'a dyn Record>,
    stop: Option<Arc<AtomicBool>>,
    sink: Option<&'a mut dyn Sink>,
    control: Control,
    switches: Switches,
    format: Option<Format<'a>>,
    preprocess: Option<Preprocess<'a>>,
    join: Option<&'a dyn Join>,
    proposer: Option<&'a dyn Proposer>,
    coverage: Option<&'a dyn Coverage>,
}

impl<'a> Reduction<'a> {
    /// Returns a reduction of `input` with the default settings.
    #[must_use]
    pub fn new(input: impl Into<Vec<u8>>) -> Self {
        Self::of(Arc::from(input.into()))
    }

    /// Returns a reduction of bytes that are shared with the caller: there is no second copy of a large input.
    #[must_use]
    pub fn of(input: Arc<[u8]>) -> Self {
        Self {
            input,
            language: None,
            archive: None,
            scope: Scope::Text,
            together: None,
            units: Vec::new(),
            own_passes: Vec::new(),
            allow_empty: false,
            compact: false,
            effort: 0,
            confirm: trust::CONFIRM,
            flaky: None,
            flaky_rate: LeastRate::default(),
            keeper: None,
            record: None,
            stop: None,
            sink: None,
            control: Control::default(),
            switches: Switches::default(),
            format: None,
            preprocess: None,
            join: None,
            proposer: None,
            coverage: None,
        }
    }

    /// Sets the language of the input. Without one, the input is reduced by blocks of lines, then by words and bytes.
    #[must_use]
    pub fn language(mut self, language: impl Into<Option<&'a Language>>) -> Self {
        self.language = language.into();
        self
    }

    /// Treats the input as an [archive](nubbin_archive): whole files go first, then the files take turns, each in its
    /// own language.
    #[must_use]
    pub fn archive(mut self, languages: &'a dyn Languages) -> Self {
        self.archive = Some(languages);
        self
    }

    /// Treats the input as the options of a command, a line each: a number, a blank, and the words that go together,
    /// with tabs between them, [escaped](crate::pass::escape). Lines go, then parts of the lists in them, such as
    /// those of `-passes=function(a,b),c`. A line that does not begin with a number goes only as a whole.
    ///
    /// ```
    /// use nubbin_reduce::{Reduction, Verdict};
    ///
    /// let fails = |options: &[u8]| Verdict::from(options.windows(3).any(|part| part == b"gvn"));
    /// let options = "1 -O2\n2 -passes=function(sroa,gvn),globaldce\n";
    /// let outcome = Reduction::new(options).option_list().run(&fails).unwrap();
    /// assert_eq!(outcome.best, b"2 -passes=gvn\n");
    /// ```
    #[must_use]
    pub fn option_list(mut self) -> Self {
        self.scope = Scope::Options;
        self
    }

    /// Adds a [pass](Pass) of your own. It runs after the passes that remove most, and again whenever something was
    /// found. If it says which parts it [proves](Pass::proves), the final sweep tries its deltas, too. In an
    /// [archive](Self::archive) it runs on each file by itself.
    #[must_use]
    pub fn pass(mut self, pass: &'static Pass) -> Self {
        self.own_passes.push(pass);
        self
    }

    /// Removes these units and nothing else, whatever the input is. Nothing is replaced, except by a
    /// [proposer](Self::proposer).
    ///
    /// They are reduced one after the other, the coarsest first, each until it is dry. If a finer one finds something,
    /// the coarser ones have their turn again. The result is proven 1-minimal over the finest unit. The settings for
    /// the [language](Self::language), for [blanks](Self::compact) and for [restarts](Self::effort) have no effect
    /// then. Without any unit, which is the default, the input is reduced with the knowledge about its language.
    ///
    /// ```
    /// use nubbin_reduce::{Reduction, Unit, Verdict};
    ///
    /// // Fails once a file is open when the network goes.
    /// let fails = |log: &[u8]| {
    ///     let text = String::from_utf8_lossy(log);
    ///     match (text.find("open"), text.find("unplug")) {
    ///         (Some(open), Some(unplug)) if open < unplug => Verdict::Interesting,
    ///         _ => Verdict::Uninteresting,
    ///     }
    /// };
    /// let log = "start\nopen a.txt\nscroll 3\nunplug\nsave\n";
    /// let outcome = Reduction::new(log).units([Unit::Line]).run(&fails).unwrap();
    /// assert_eq!(outcome.best, b"open a.txt\nunplug\n");
    /// ```
    #[must_use]
    pub fn units(mut self, units: impl IntoIterator<Item = Unit>) -> Self {
        self.units = units.into_iter().collect();
        self.units.sort_unstable();
        self.units.dedup();
        self
    }

    /// Continues even if the empty input is interesting; then the empty input is the result.
    #[must_use]
    pub fn allow_empty(mut self, allow: bool) -> Self {
        self.allow_empty = allow;
        self
    }

    /// Removes as many blanks as possible from the result, too.
    #[must_use]
    pub fn compact(mut self, compact: bool) -> Self {
        self.compact = compact;
        self
    }

    /// Sets the number of probes for restarts once everything is dry, in percent of those up to then: 100 for as many again.
    /// A restart may find a smaller result.
    ///
    /// A restart reduces an earlier best again, with the passes in another order.
    #[must_use]
    pub fn effort(mut self, effort: u32) -> Self {
        self.effort = effort;
        self
    }

    /// Sets the number of times that the unchanged input is probed at first; the default is 3.
    ///
    /// If the verdicts disagree, the oracle does not repeat itself: that is an error, unless [`flaky`](Self::flaky) is
    /// set. For the same reason the best is probed again at the end, and now and then before. With 1, no verdict is
    /// asked for twice, and the oracle is trusted.
    #[must_use]
    pub fn confirm(mut self, times: usize) -> Self {
        self.confirm = times.max(1);
        self
    }

    /// Accepts an oracle that does not repeat itself.
    ///
    /// The reduction measures how often the unchanged input fails. Every candidate is run until it is clear with this
    /// confidence whether it fails about as often: see [`Sequential`](nubbin_search::oracle::Sequential). Bests are confirmed again.
    /// If one is not confirmed, an older one is the best again ([`Keeper::undone`]).
    #[must_use]
    pub fn flaky(mut self, confidence: impl Into<Option<Confidence>>) -> Self {
        self.flaky = confidence.into();
        self
    }

    /// Sets the rate down to which a failure that comes and goes is waited for; the default is 5 %.
    ///
    /// The unchanged input counts as not interesting if it did not fail in so many runs that a failure of this rate
    /// would have shown, with the confidence of [`flaky`](Self::flaky).
    #[must_use]
    pub fn flaky_rate(mut self, rate: LeastRate) -> Self {
        self.flaky_rate = rate;
        self
    }

    /// Gives every new best to `keeper` before the next probe; an error from it ends the reduction.
    #[must_use]
    pub fn keeper(mut self, keeper: &'a mut dyn Keeper) -> Self {
        self.keeper = Some(keeper);
        self
    }

    /// Keeps every verdict in `record`, and asks it before the oracle.
    ///
    /// The same input, settings and verdicts give the same steps. Therefore a reduction that was cut short continues at
    /// the same place if it is run again with the record of its verdicts.
    #[must_use]
    pub fn record(mut self, record: &'a dyn Record) -> Self {
        self.record = Some(record);
        self
    }

    /// Ends the reduction with the best so far once `stop` is set.
    #[must_use]
    pub fn stop(mut self, stop: Arc<AtomicBool>) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Formats the result once it is proven. The text that `format` makes is tried in one more probe, and it is the
    /// result if it is interesting. It may have more bytes, but it must not have more tokens. `format` has to keep the
    /// meaning of the text. For an [archive](Self::archive) `format` makes another archive of the same files; the files
    /// that differ are tried together, then one by one.
    #[must_use]
    pub fn format(mut self, format: impl Into<Option<Format<'a>>>) -> Self {
        self.format = format.into();
        self
    }

    /// Begins with the first text from `preprocess` that is interesting and smaller than the input, for example the
    /// input after its directives were resolved. Each text costs a probe. The setting has no effect for an
    /// [archive](Self::archive), for a reduction by [units](Self::units), and if parts have to [stay](Self::keep).
    ///
    /// ```
    /// use nubbin_reduce::{Reduction, Verdict};
    ///
    /// let fails = |text: &[u8]| match text {
    ///     b"#define A 12\nf(A)" | b"f(12)" => Verdict::Interesting,
    ///     _ => Verdict::Uninteresting,
    /// };
    /// let resolved = |_: &[u8]| vec![b"f(12)".to_vec()];
    /// let outcome = Reduction::new("#define A 12\nf(A)").preprocess(&resolved as nubbin_reduce::Preprocess<'_>).run(&fails).unwrap();
    /// assert_eq!(outcome.best, b"f(12)");
    /// ```
    #[must_use]
    pub fn preprocess(mut self, preprocess: impl Into<Option<Preprocess<'a>>>) -> Self {
        self.preprocess = preprocess.into();
        self
    }

    /// Tries the proposals of `proposer`, too, after the passes that remove large parts. Edits are bisected; of
    /// alternatives the first interesting one is taken. The proposer is asked about each best on which the passes
    /// before are dry. These bests are the same at every number of jobs. With [units](Self::units) it is asked after
    /// the first unit. For an [archive](Self::archive) it is asked about the whole archive once its files are dry, and
    /// proposals that would destroy the archive are not tried.
    ///
    /// ```
    /// use nubbin_reduce::offer::Offer;
    /// use nubbin_reduce::{Reduction, Verdict};
    ///
    /// let fails = |text: &[u8]| match text {
    ///     b"12 + 30" | b"42" => Verdict::Interesting,
    ///     _ => Verdict::Uninteresting,
    /// };
    /// let sum = |_: &[u8]| vec![Offer::Text((*b"42").into())];
    /// let outcome = Reduction::new("12 + 30").proposer(&sum as &dyn nubbin_reduce::offer::Proposer).run(&fails).unwrap();
    /// assert_eq!(outcome.best, b"42");
    /// ```
    #[must_use]
    pub fn proposer(mut self, proposer: impl Into<Option<&'a dyn Proposer>>) -> Self {
        self.proposer = proposer.into();
        self
    }

    /// Removes blocks of an [archive](Self::archive)'s files together if `coverage` sees that a failing run does not
    /// reach them. One more probe finds all of them. It is asked again each time that the archive has halved.
    #[must_use]
    pub fn coverage(mut self, coverage: impl Into<Option<&'a dyn Coverage>>) -> Self {
        self.coverage = coverage.into();
        self
    }

    /// Sends the events to `sink`.
    #[must_use]
    pub fn sink(mut self, sink: &'a mut dyn Sink) -> Self {
        self.sink = Some(sink);
        self
    }

    /// Runs the reduction: it probes the unchanged input first, [several times](Self::confirm), then the empty one;
    /// then it reduces.
    ///
    /// # Errors
    /// See [`Error`]. Every best up to then has been handed to the [`keeper`](Self::keeper).
    pub fn run(self, oracle: &dyn Oracle) -> Result<Outcome, Error> {
        self.run_with(Runner::Serial(oracle))
    }

    /// Runs the reduction with up to `jobs` probes at the same time. The outcome is the same as that of
    /// [`run`](Self::run), if the oracle gives the same verdict on the same candidate each time.
    ///
    /// # Errors
    /// Returns the same errors as [`run`](Self::run).
    pub fn run_parallel(self, oracle: &(dyn Oracle + Sync), jobs: usize) -> Result<Outcome, Error> {
        self.run_with(Runner::Parallel(oracle, Jobs::Threads(jobs)))
    }

    /// Runs the reduction by a clock that is only counted, with any number of workers, whose probes are asked one after the
    /// other in truth. The outcome's [time of the oracle](Outcome::oracle_time) tells how long a run would wait for
    /// probes; those that confirm bests come on top.
    ///
    /// # Errors
    /// Returns the same errors as [`run`](Self::run).
    pub fn run_simulated(self, oracle: &(dyn Oracle + Sync), clock: Clock) -> Result<Outcome, Error> {
        self.run_with(Runner::Parallel(oracle, Jobs::Simulated(clock)))
    }

    /// Runs the reduction with a runner. Bests are confirmed by the oracle itself, even if a record or a trial stands
    /// between the search and the oracle.
    fn run_with(self, runner: Runner<'_>) -> Result<Outcome, Error> {
        stop::until(self.stop.clone(), || self.run_until_stopped(runner))
    }

    fn run_until_stopped(self, runner: Runner<'_>) -> Result<Outcome, Error> {
        if let Some(languages) = self.archive {
            return folder::run(self, languages, runner);
        }
        let trials = Trials::new(self.stop.clone());
        let record = self.record;
        match runner {
            Runner::Serial(oracle) => {
                let (repeated, itself) = (Repeated::new(oracle, &trials), Repeated::new(oracle, &trials));
                match record {
                    None => self.run_on(Runner::Serial(&repeated), itself),
                    Some(record) => {
                        self.run_on(Runner::Serial(&Recorded::new(&repeated as &dyn Oracle, record)), itself)
                    }
                }
            }
            Runner::Parallel(oracle, jobs) => {
                let repeated = Repeated::new(oracle, &trials);
                let itself = Repeated::new(oracle as &dyn Oracle, &trials);
                match record {
                    None => self.run_on(Runner::Parallel(&repeated, jobs), itself),
                    Some(record) => {
                        let recorded = Recorded::new(&repeated as &(dyn Oracle + Sync), record);
                        self.run_on(Runner::Parallel(&recorded, jobs), itself)
                    }
                }
            }
        }
    }

    fn run_on<'o>(self, runner: Runner<'o>, itself: Repeated<'o, dyn Oracle + 'o>) -> Result<Outcome, Error> {
        let start = Instant::now();
        let (wants_language, goes_on) = (self.wants_language(), self.confirm == 0 && self.flaky.is_none());
        if u32::try_from(self.input.len()).is_err() {
            return Err(Error::TooLarge(self.input.len()));
        }
        let mut silent = |_: Event<'_>| {};
        let before = size(&self.input);
        let language = self.language.filter(|_| self.units.is_empty());
        let (plan, effort) = self.plan(language.is_some());
        let best: Arc<[u8]> = self.input;
        let (is_flaky, trusts) = (self.flaky.is_some(), self.flaky.is_none() && self.confirm <= 1);
        let control = Arc::new(self.control);
        let mut kept = KeptSpans::default();
        kept.add(&best, control.kept.as_slice().into());
        let engine = Engine {
            language,
            together: self.together.as_ref().map(|(languages, _)| *languages),
            reader: Reader::default(),
            is_well_formed: None,
            counts: Counts::default(),
            passes: Vec::new(),
            keeper: self.keeper,
            stop: self.stop,
            sink: self.sink.unwrap_or(&mut silent),
            size: before,
            history: History::new(Arc::clone(&best), is_flaky, trusts),
            best,
            number: 0,
            follows: true,
            milestones: Vec::new(),
            running: None,
            noted: false,
            control,
            cut: None,
            kept,
            switches: self.switches,
            heeded: 0,
            skipped: Vec::new(),
            is_thinned: false,
            proposer: self.proposer,
            by_hand: None,
        };
        let trust = Trust::new(
            itself,
            self.record,
            self.flaky.map(|confidence| (confidence, self.flaky_rate)),
            self.confirm.max(1),
        );
        let (allow_empty, format) = (self.allow_empty, self.format);
        let preprocess = self.preprocess.filter(|_| wants_language && engine.kept.is_empty());
        let join = self.join.filter(|join| engine.kept.is_empty() && join.count() > 0);
        Prober::with(runner, |prober| {
            let mut driver =
                Driver { prober, trust, engine, plan, wants_language, allow_empty, goes_on, effort };
            let proof = driver.finish(join, preprocess, format)?;
            Ok(driver.outcome(before, proof, start))
        })
    }
}

/// Returns the size of an input.
fn size(bytes: &[u8]) -> Size {
    Size { tokens: count_tokens(bytes), bytes: bytes.len(), lines: count_lines(bytes) }
}
