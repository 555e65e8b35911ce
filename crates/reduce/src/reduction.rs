//! Defines the reduction of an input: its settings, its run, and its errors.
//!
//! The submodules contain the driver, the engine and its state, the limits, the trust in the oracle, and archives.

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

/// Formats a text, or returns `None` if it cannot be formatted.
pub type Format<'a> = &'a dyn Fn(&[u8]) -> Option<Vec<u8>>;

/// Returns other texts made from the input, one of which the reduction can start with.
pub type Preprocess<'a> = &'a dyn Fn(&[u8]) -> Vec<Vec<u8>>;

/// A reduction, ready to run.
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
    /// The number of initial probes of the unchanged input; 0 if the input is known to be interesting and the empty
    /// input is not.
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

    /// Returns a reduction of bytes that are shared with the caller, which avoids a copy of a large input.
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

    /// Treats the input as an [archive](nubbin_archive). First whole files are deleted, then the files are reduced in
    /// turns, each in its own language.
    #[must_use]
    pub fn archive(mut self, languages: &'a dyn Languages) -> Self {
        self.archive = Some(languages);
        self
    }

    /// Treats the input as the options of a command, one choice per line: a number, a space, and the arguments that
    /// belong together, separated by tabs and [escaped](crate::pass::escape). Lines are deleted, and then elements of
    /// lists in the options, such as `-passes=function(a,b),c`. A line that does not begin with a number is only
    /// deleted as a whole.
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

    /// Adds a custom [pass](Pass). It runs after the passes that delete most of the input, and again whenever something
    /// was found. If it [proves](Pass::proves) a kind of part, the final sweep also tries its deltas. In an
    /// [archive](Self::archive) it runs on each file separately.
    #[must_use]
    pub fn pass(mut self, pass: &'static Pass) -> Self {
        self.own_passes.push(pass);
        self
    }

    /// Deletes only these units, whatever the input is. Nothing is replaced, except by a [proposer](Self::proposer).
    ///
    /// The units are tried one after the other, the coarsest first, each until it is exhausted. If a finer unit finds
    /// something, the coarser ones are tried again. The result is proven 1-minimal over the finest unit. The settings
    /// [`language`](Self::language), [`compact`](Self::compact) and [`effort`](Self::effort) have no effect then. By
    /// default there are no units, and the language of the input is used.
    ///
    /// ```
    /// use nubbin_reduce::{Reduction, Unit, Verdict};
    ///
    /// // Fails if the network is unplugged while a file is open.
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

    /// Accepts an interesting empty input as the result, instead of reporting an error.
    #[must_use]
    pub fn allow_empty(mut self, allow: bool) -> Self {
        self.allow_empty = allow;
        self
    }

    /// Also minifies the whitespace of the result.
    #[must_use]
    pub fn compact(mut self, compact: bool) -> Self {
        self.compact = compact;
        self
    }

    /// Sets the number of probes for restarts after the reduction, in percent of the probes before. A restart may find
    /// a smaller result.
    ///
    /// A restart reduces an earlier best again, with the passes in another order.
    #[must_use]
    pub fn effort(mut self, effort: u32) -> Self {
        self.effort = effort;
        self
    }

    /// Sets the number of initial probes of the unchanged input; the default is 3.
    ///
    /// If their verdicts differ, the oracle is flaky, which is an error unless [`flaky`](Self::flaky) is set. For the
    /// same reason the current best is probed again at the end, and occasionally before that. With 1, the oracle is
    /// trusted and no verdict is checked.
    #[must_use]
    pub fn confirm(mut self, times: usize) -> Self {
        self.confirm = times.max(1);
        self
    }

    /// Accepts a flaky oracle.
    ///
    /// The reduction measures the failure rate of the unchanged input. Every candidate is run until it is clear, with
    /// this confidence, whether it fails about as often, see [`Sequential`](nubbin_search::oracle::Sequential). The
    /// current best is confirmed from time to time. If that fails, an earlier best replaces it, see [`Keeper::undone`].
    #[must_use]
    pub fn flaky(mut self, confidence: impl Into<Option<Confidence>>) -> Self {
        self.flaky = confidence.into();
        self
    }

    /// Sets the lowest failure rate to detect in the unchanged input; the default is 5 %.
    ///
    /// The unchanged input counts as not interesting if it does not fail in the number of runs in which this failure
    /// rate would have shown, with the confidence of [`flaky`](Self::flaky).
    #[must_use]
    pub fn flaky_rate(mut self, rate: LeastRate) -> Self {
        self.flaky_rate = rate;
        self
    }

    /// Passes every new best to `keeper` before the next probe. An error of the keeper ends the reduction.
    #[must_use]
    pub fn keeper(mut self, keeper: &'a mut dyn Keeper) -> Self {
        self.keeper = Some(keeper);
        self
    }

    /// Stores every verdict in `record`, and asks it before the oracle.
    ///
    /// The same input, settings and verdicts give the same steps. An interrupted reduction can therefore be resumed by
    /// running it again with the record of its verdicts.
    #[must_use]
    pub fn record(mut self, record: &'a dyn Record) -> Self {
        self.record = Some(record);
        self
    }

    /// Ends the reduction with the current best when `stop` is set.
    #[must_use]
    pub fn stop(mut self, stop: Arc<AtomicBool>) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Formats the proven result. The formatted text is tried in one more probe, and becomes the result if it is
    /// interesting. It can have more bytes, but must not have more tokens. `format` must preserve the meaning of the
    /// text. For an [archive](Self::archive), `format` returns another archive of the same files; the files that differ
    /// are tried together, then one by one.
    #[must_use]
    pub fn format(mut self, format: impl Into<Option<Format<'a>>>) -> Self {
        self.format = format.into();
        self
    }

    /// Starts with the first text from `preprocess` that is interesting and smaller than the input, for example the
    /// input with its directives resolved. Each text costs a probe. The setting has no effect for an
    /// [archive](Self::archive), for a reduction by [units](Self::units), and with [kept spans](Self::keep).
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

    /// Also tries the proposals of `proposer`, after the passes that delete large parts. Edits are bisected, and the
    /// first interesting alternative is used. The proposer is asked about each current best on which the previous
    /// passes are exhausted, independently of the number of jobs. With [units](Self::units) it is asked after the first
    /// unit. For an [archive](Self::archive) it is asked about the whole archive when its files are exhausted, and
    /// proposals that would destroy the archive are ignored.
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

    /// Deletes code of an [archive](Self::archive) that `coverage` does not see in the failing run. One additional
    /// probe covers all files. It is repeated each time that the archive has halved.
    #[must_use]
    pub fn coverage(mut self, coverage: impl Into<Option<&'a dyn Coverage>>) -> Self {
        self.coverage = coverage.into();
        self
    }

    /// Sends events to `sink`.
    #[must_use]
    pub fn sink(mut self, sink: &'a mut dyn Sink) -> Self {
        self.sink = Some(sink);
        self
    }

    /// Runs the reduction. It first probes the unchanged input [several times](Self::confirm), and then the empty
    /// input.
    ///
    /// # Errors
    /// See [`Error`]. Every new best before the error has been passed to the [`keeper`](Self::keeper).
    pub fn run(self, oracle: &dyn Oracle) -> Result<Outcome, Error> {
        self.run_with(Runner::Serial(oracle))
    }

    /// Runs the reduction with up to `jobs` concurrent probes. If the oracle is deterministic, the outcome is the same
    /// as that of [`run`](Self::run).
    ///
    /// # Errors
    /// Returns the same errors as [`run`](Self::run).
    pub fn run_parallel(self, oracle: &(dyn Oracle + Sync), jobs: usize) -> Result<Outcome, Error> {
        self.run_with(Runner::Parallel(oracle, Jobs::Threads(jobs)))
    }

    /// Runs the reduction with a simulated clock and any number of workers; in fact, probes run one after the other.
    /// [`Outcome::oracle_time`] is the simulated time waiting for probes, without those that confirm bests.
    ///
    /// # Errors
    /// Returns the same errors as [`run`](Self::run).
    pub fn run_simulated(self, oracle: &(dyn Oracle + Sync), clock: Clock) -> Result<Outcome, Error> {
        self.run_with(Runner::Parallel(oracle, Jobs::Simulated(clock)))
    }

    /// Runs the reduction with a runner. Bests are confirmed by the oracle itself, even if a record or a trial is
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
