//! The driver: the plan picks a pass, the pass proposes, a search asks, the oracle answers, the best shrinks.

mod stage;

use crate::edit::{Edit, Span, count_lines, count_tokens};
use crate::event::{Counts, Event, Sink, Size};
use crate::language::Language;
use crate::oracle::{self, Oracle, Record, Recorded};
use crate::pass::{self, Pass, Plan, Proposal};
use crate::schedule::{Cache, Prober, Runner, cores, name};
use crate::search::Hierarchy;
use crate::verdict::Verdict;
use stage::{Memory, Stage, State};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// What a reduction came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The smallest interesting input found.
    pub best: Vec<u8>,
    /// Size of the input.
    pub before: Size,
    /// Size of the best.
    pub after: Size,
    /// Probes and what became of all other candidates.
    pub counts: Counts,
    /// What was proven about the best, or why nothing could be.
    pub proof: Proof,
    /// What each pass brought and cost, in the order of their first run.
    pub passes: Vec<PassReport>,
    /// Wall time of it all.
    pub elapsed: Duration,
    /// The part of it that was spent waiting for the oracle.
    pub oracle_time: Duration,
    /// Runs of the oracle, those included that were ahead of the search and turned out not to be needed.
    pub started: usize,
    /// How many of the probes were no runs: the [record](Reduction::record) knew their verdicts.
    pub recalled: usize,
}

/// What is known about the best in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Each of these parts was taken away alone from the final best, and the failure went with it.
    OneMinimal {
        /// Syntax nodes.
        nodes: usize,
        /// Tokens.
        tokens: usize,
        /// Lines, of an input in no known language.
        lines: usize,
        /// Bytes, of an input in no known language.
        bytes: usize,
    },
    /// The run was interrupted before the sweep was through.
    Interrupted,
}

/// What one pass brought and cost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassReport {
    /// Its name.
    pub name: String,
    /// How many times it ran.
    pub runs: usize,
    /// Probes that it cost.
    pub probes: usize,
    /// Probes that succeeded.
    pub accepted: usize,
    /// Tokens that it removed.
    pub tokens: usize,
    /// Bytes that it removed.
    pub bytes: usize,
}

/// Why a reduction could not be done, or not to its end.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The unchanged input does not fail.
    #[error("the unreduced input is not interesting")]
    NotInteresting(Verdict),
    /// The oracle accepts the empty input.
    #[error("the empty input is interesting")]
    EmptyIsInteresting,
    /// The input is too large to be numbered.
    #[error("the input has {0} bytes; at most 4 GiB can be reduced")]
    TooLarge(usize),
    /// The oracle could not be run.
    #[error(transparent)]
    Oracle(#[from] oracle::Error),
    /// The best could not be written.
    #[error("cannot write the best: {0}")]
    Write(#[from] std::io::Error),
}

/// A new best, and how it came from the one before it.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The pass that found it.
    pub pass: &'a str,
    /// What makes it of the best before it: sorted and disjoint, in terms of that one's bytes.
    pub edits: &'a [Edit],
    /// Its bytes.
    pub best: &'a [u8],
    /// Its size.
    pub size: Size,
}

/// Keeps the bests somewhere safe.
pub trait Keeper {
    /// Takes a new best, before the next probe.
    ///
    /// # Errors
    /// When it cannot be kept; that ends the reduction.
    fn accepted(&mut self, step: &Step<'_>) -> std::io::Result<()>;
}

impl<F: FnMut(&Step<'_>) -> std::io::Result<()>> Keeper for F {
    fn accepted(&mut self, step: &Step<'_>) -> std::io::Result<()> {
        self(step)
    }
}

/// One reduction, ready to run.
///
/// ```
/// use nubbin::{Reduction, Registry, Verdict};
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
    input: Vec<u8>,
    language: Option<&'a Language>,
    allow_empty: bool,
    compact: bool,
    keeper: Option<&'a mut dyn Keeper>,
    record: Option<&'a dyn Record>,
    stop: Option<Arc<AtomicBool>>,
    sink: Option<&'a mut dyn Sink>,
}

impl<'a> Reduction<'a> {
    /// A reduction of `input`.
    #[must_use]
    pub fn new(input: impl Into<Vec<u8>>) -> Self {
        Self {
            input: input.into(),
            language: None,
            allow_empty: false,
            compact: false,
            keeper: None,
            record: None,
            stop: None,
            sink: None,
        }
    }

    /// The language that the input is in. Without one it is reduced by lines, then by bytes.
    #[must_use]
    pub fn language(mut self, language: impl Into<Option<&'a Language>>) -> Self {
        self.language = language.into();
        self
    }

    /// Goes on even when the empty input is interesting, which then is the result.
    #[must_use]
    pub fn allow_empty(mut self, allow: bool) -> Self {
        self.allow_empty = allow;
        self
    }

    /// Squeezes the blanks of the result, too.
    #[must_use]
    pub fn compact(mut self, compact: bool) -> Self {
        self.compact = compact;
        self
    }

    /// Hands every new best to `keeper` before the next probe; an error from it ends the reduction.
    #[must_use]
    pub fn keeper(mut self, keeper: &'a mut dyn Keeper) -> Self {
        self.keeper = Some(keeper);
        self
    }

    /// Keeps every verdict in `record`, and asks it before the oracle.
    ///
    /// The same input, settings and verdicts give the same steps: a reduction that was cut short goes on where it was when it
    /// is run again with the record of its verdicts.
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

    /// Sends the events to `sink`.
    #[must_use]
    pub fn sink(mut self, sink: &'a mut dyn Sink) -> Self {
        self.sink = Some(sink);
        self
    }

    /// Runs it: the unchanged input is probed first, the empty one second; then the reduction begins.
    ///
    /// # Errors
    /// See [`Error`]. Every best up to then has been handed to the [`keeper`](Self::keeper).
    pub fn run(self, oracle: &dyn Oracle) -> Result<Outcome, Error> {
        self.run_with(Runner::Serial(oracle))
    }

    /// Runs it with up to `jobs` probes at the same time, or as many as the machine has cores; the outcome is
    /// that of [`run`](Self::run), for an oracle that says the same of the same candidate each time.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_parallel(self, oracle: &(dyn Oracle + Sync), jobs: Option<usize>) -> Result<Outcome, Error> {
        self.run_with(Runner::Parallel(oracle, jobs.unwrap_or_else(cores)))
    }

    fn run_with(self, runner: Runner<'_>) -> Result<Outcome, Error> {
        let Some(record) = self.record else { return self.run_on(runner) };
        match runner {
            Runner::Serial(oracle) => self.run_on(Runner::Serial(&Recorded::new(oracle, record))),
            Runner::Parallel(oracle, jobs) => {
                self.run_on(Runner::Parallel(&Recorded::new(oracle, record), jobs))
            }
        }
    }

    fn run_on(self, runner: Runner<'_>) -> Result<Outcome, Error> {
        let start = Instant::now();
        if u32::try_from(self.input.len()).is_err() {
            return Err(Error::TooLarge(self.input.len()));
        }
        let mut silent = |_: Event<'_>| {};
        let state = State {
            size: size(&self.input),
            best: self.input.into(),
            revision: 0,
            syntax: None,
            cache: Cache::default(),
            undecided: Vec::new(),
            counts: Counts::default(),
            keeper: self.keeper,
            pass: "",
            stop: self.stop,
            sink: self.sink.unwrap_or(&mut silent),
        };
        let before = state.size;
        let mut driver = Driver {
            prober: Prober::new(runner),
            state,
            language: self.language,
            allow_empty: self.allow_empty,
            compact: self.compact,
            passes: Vec::new(),
            memories: HashMap::new(),
            noted: false,
        };
        let proof = match driver.reduce() {
            Ok(proof) => proof,
            Err(Error::Oracle(oracle::Error::Interrupted)) => Proof::Interrupted,
            Err(error) => return Err(error),
        };
        Ok(Outcome {
            before,
            after: driver.state.size,
            best: driver.state.best.to_vec(),
            counts: driver.state.counts,
            proof,
            passes: driver.passes,
            elapsed: start.elapsed(),
            oracle_time: driver.prober.spent(),
            started: driver.prober.started(),
            recalled: driver.prober.recalled(),
        })
    }
}

/// The size of an input.
fn size(bytes: &[u8]) -> Size {
    Size { tokens: count_tokens(bytes), bytes: bytes.len(), lines: count_lines(bytes) }
}

/// A reduction under way.
struct Driver<'o, 'a, 's> {
    prober: Prober<'o>,
    state: State<'a, 's>,
    language: Option<&'a Language>,
    allow_empty: bool,
    compact: bool,
    passes: Vec<PassReport>,
    memories: HashMap<&'static str, Memory>,
    /// Whether a pass's note has been passed on.
    noted: bool,
}

impl Driver<'_, '_, '_> {
    fn reduce(&mut self) -> Result<Proof, Error> {
        self.begin()?;
        if self.language.is_none() {
            let text = "no language is known for this input: reducing by lines, then by bytes";
            self.state.sink.event(Event::Note { text });
        }
        if self.state.best.is_empty() {
            return Ok(Proof::OneMinimal { nodes: 0, tokens: 0, lines: 0, bytes: 0 });
        }
        let mut plan = Plan::new(self.language.is_some(), self.compact);
        loop {
            while let Some(pass) = plan.next(self.state.revision) {
                let revision = self.state.revision;
                self.run(pass)?;
                if self.state.revision == revision {
                    plan.dry(pass, revision);
                }
            }
            let revision = self.state.revision;
            let proof = self.sweep()?;
            if self.state.revision == revision {
                return Ok(proof);
            }
        }
    }

    /// The first two probes: the unchanged input, and the empty one.
    fn begin(&mut self) -> Result<(), Error> {
        let input = Arc::clone(&self.state.best);
        let verdict = self.prober.probe(&input)?;
        self.state.probed(verdict);
        if !verdict.is_interesting() {
            return Err(Error::NotInteresting(verdict));
        }
        self.state.sink.event(Event::Started { size: self.state.size });
        if input.is_empty() {
            return if self.allow_empty { Ok(()) } else { Err(Error::EmptyIsInteresting) };
        }
        let verdict = self.prober.probe(b"")?;
        self.state.probed(verdict);
        self.state.cache.insert(name(b""));
        match (verdict.is_interesting(), self.allow_empty) {
            (false, _) => Ok(()),
            (true, false) => Err(Error::EmptyIsInteresting),
            (true, true) => {
                self.state.pass = "empty";
                let all = Edit { span: Span::new(0, input.len() as u32), text: Box::default() };
                self.state.accept(Arc::default(), Size::default(), &[all])
            }
        }
    }

    /// Runs one pass over the best.
    fn run(&mut self, pass: &Pass) -> Result<(), Error> {
        self.state.pass = pass.name;
        let snapshot = self.state.snapshot(self.language);
        let proposal = pass.propose(&snapshot);
        let text = snapshot.into_text();
        self.state.sink.event(Event::Pass { name: pass.name, deltas: proposal.len() });
        if let Some(text) = proposal.note.filter(|_| !self.noted) {
            self.noted = true;
            self.state.sink.event(Event::Note { text });
        }
        let before = (self.state.counts, self.state.size);
        let result = self.search(&text, &proposal, pass.name, true);
        self.report(pass.name, before);
        result.map(|_| ())
    }

    /// Searches a proposal; gives how many candidates had a verdict.
    fn search(
        &mut self,
        text: &pass::Text<'_>,
        proposal: &Proposal,
        name: &'static str,
        skips: bool,
    ) -> Result<usize, Error> {
        if proposal.is_empty() {
            return Ok(0);
        }
        let search = Hierarchy::new(proposal.groups());
        let memory = self.memories.entry(name).or_default();
        memory.skips = skips;
        let mut stage = Stage::new(&mut self.state, text, proposal, memory);
        let view = stage.view();
        self.prober.run(search, &mut stage, view)?;
        Ok(stage.judged())
    }

    /// Probes what can be taken away from the final best, part by part; the cache knows most of it.
    fn sweep(&mut self) -> Result<Proof, Error> {
        let mut judged = [0; 4];
        self.state.pass = "sweep";
        // What did not end in time is no proof: those are asked again.
        for name in std::mem::take(&mut self.state.undecided) {
            self.state.cache.remove(&name);
            self.prober.ask_again(&name);
        }
        for (name, count) in ["delete", "token", "line", "byte"].into_iter().zip(&mut judged) {
            let of_trees = matches!(name, "delete" | "token");
            if of_trees != self.language.is_some() {
                continue;
            }
            let pass = pass::by_name(name).expect("the sweep names passes that exist");
            let snapshot = self.state.snapshot(self.language);
            let proposal = pass.propose(&snapshot).apart();
            let text = snapshot.into_text();
            self.state.sink.event(Event::Pass { name: "sweep", deltas: proposal.len() });
            let before = (self.state.counts, self.state.size);
            let revision = self.state.revision;
            let result = self.search(&text, &proposal, name, false);
            self.report("sweep", before);
            *count = result?;
            if self.state.revision != revision {
                self.memories.get_mut("delete").map(Memory::clear);
                break;
            }
        }
        let [nodes, tokens, lines, bytes] = judged;
        Ok(Proof::OneMinimal { nodes, tokens, lines, bytes })
    }

    /// Adds what has happened since `before` to a pass's report.
    fn report(&mut self, name: &str, before: (Counts, Size)) {
        let known = self.passes.iter().position(|report| report.name == name);
        let at = known.unwrap_or_else(|| {
            self.passes.push(PassReport { name: name.to_owned(), ..PassReport::default() });
            self.passes.len() - 1
        });
        let report = &mut self.passes[at];
        report.runs += 1;
        report.probes += self.state.counts.probes - before.0.probes;
        report.accepted += self.state.counts.interesting - before.0.interesting;
        report.tokens += before.1.tokens.saturating_sub(self.state.size.tokens);
        report.bytes += before.1.bytes.saturating_sub(self.state.size.bytes);
    }
}
