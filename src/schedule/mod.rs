//! Runs a search against an oracle: serially, with every verdict remembered.
//!
//! It knows neither syntax nor passes: a [`Workbench`] makes candidates of a search's questions.

mod cache;

pub use cache::Cache;

use crate::oracle::{self, Oracle};
use crate::search::Search;
use crate::verdict::Verdict;
use std::time::{Duration, Instant};

/// Makes candidates of questions, and keeps what was found.
pub trait Workbench {
    /// Why a find could not be kept.
    type Error: From<oracle::Error>;

    /// Whether the user asked to stop: asked before each question, since many need no probe.
    fn is_stopped(&self) -> bool;

    /// The candidate without these circumstances; `None` when it is known not to be worth a probe.
    fn candidate(&mut self, without: &[u32]) -> Option<Vec<u8>>;

    /// Whether the candidate made last may be probed, after the cache did not know it.
    fn passes_filter(&mut self, without: &[u32], candidate: &[u8]) -> bool;

    /// Hears of a verdict from the oracle.
    fn probed(&mut self, without: &[u32], verdict: Verdict);

    /// Hears that the cache knew the candidate made last.
    fn cached(&mut self, without: &[u32]);

    /// Keeps the candidate made last, which is interesting.
    ///
    /// # Errors
    /// When it cannot be kept; that ends the run.
    fn accept(&mut self, without: &[u32], candidate: Vec<u8>) -> Result<(), Self::Error>;
}

/// An oracle with a memory.
pub struct Prober<'a> {
    oracle: &'a dyn Oracle,
    cache: Cache,
    spent: Duration,
}

impl<'a> Prober<'a> {
    /// A prober with nothing remembered.
    #[must_use]
    pub fn new(oracle: &'a dyn Oracle) -> Self {
        Self { oracle, cache: Cache::default(), spent: Duration::ZERO }
    }

    /// The time that the oracle has taken.
    #[must_use]
    pub fn spent(&self) -> Duration {
        self.spent
    }

    /// Runs the oracle and remembers the verdict.
    ///
    /// # Errors
    /// When the oracle cannot be run.
    pub fn probe(&mut self, candidate: &[u8]) -> Result<Verdict, oracle::Error> {
        let start = Instant::now();
        let verdict = self.oracle.probe(candidate);
        self.spent += start.elapsed();
        let verdict = verdict?;
        self.cache.insert(candidate, verdict);
        Ok(verdict)
    }

    /// Runs a search to its end, one probe after the other.
    ///
    /// # Errors
    /// When the oracle cannot be run, or a find cannot be kept.
    pub fn run<S: Search, W: Workbench>(&mut self, mut search: S, bench: &mut W) -> Result<(), W::Error> {
        while let Some(without) = search.next() {
            if bench.is_stopped() {
                return Err(oracle::Error::Interrupted.into());
            }
            let verdict = self.answer(&without, bench)?;
            search.advance(verdict);
        }
        Ok(())
    }

    fn answer<W: Workbench>(&mut self, without: &[u32], bench: &mut W) -> Result<Verdict, W::Error> {
        let Some(candidate) = bench.candidate(without) else { return Ok(Verdict::Uninteresting) };
        if let Some(known) = self.cache.get(&candidate) {
            bench.cached(without);
            return Ok(known);
        }
        if !bench.passes_filter(without, &candidate) {
            return Ok(Verdict::Unresolved);
        }
        let verdict = self.probe(&candidate)?;
        bench.probed(without, verdict);
        if verdict.is_interesting() {
            bench.accept(without, candidate)?;
        }
        Ok(verdict)
    }
}
