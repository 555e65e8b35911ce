//! The oracle as the searches have it that are run here: what it has said, how often it was asked, and what has kept it from
//! saying more.

use crate::failure::Failure;
use crate::input::{self, BestFile};
use crate::journal::Logbook;
use nubbin_oracle::{NoVerdict, Oracle, Recorded, Served};
use nubbin_search::Cause;
use nubbin_search::Verdict;
use nubbin_search::dd;
use nubbin_search::search::Search;
use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The oracle, and the record of its verdicts.
pub struct Inquiry<'l> {
    oracle: &'l (dyn Oracle + Sync),
    jobs: usize,
    said: Mutex<HashMap<blake3::Hash, Verdict>>,
    /// The candidates that were asked about, without those that were run ahead in vain.
    asked: Mutex<HashSet<blake3::Hash>>,
    error: Mutex<Option<NoVerdict>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns an oracle whose verdicts are noted in the journal, if there is one, and known from there.
pub fn recorded<'l, O: Oracle>(oracle: &'l O, logbook: Option<&'l Logbook>) -> Option<Recorded<'l, O>> {
    logbook.map(|logbook| Recorded::new(oracle, logbook))
}

/// Saves the bests of a search, but not again those that an earlier run has saved: the file never goes back to a larger
/// one.
pub struct Saving<'l> {
    logbook: Option<&'l Logbook>,
    /// The servers that gave the verdicts.
    served: Option<&'l Served>,
    failure: Option<input::Error>,
}

impl<'l> Saving<'l> {
    pub fn new(logbook: Option<&'l Logbook>, served: Option<&'l Served>) -> Self {
        Self { logbook, served, failure: None }
    }

    /// Saves what a candidate is as a best, once it has been found interesting; after a failure nothing is saved.
    pub fn found(&mut self, file: &mut BestFile, candidate: &[u8], best: impl FnOnce() -> Vec<u8>) {
        if let Some(served) = self.served {
            served.accepted(candidate);
            if served.wants_confirmation() && matches!(served.confirm(candidate), Ok(false)) {
                // The next question finds out that nothing holds any more.
                return;
            }
        }
        let is_saved = self.logbook.is_some_and(|logbook| logbook.has_saved(candidate));
        if self.failure.is_none() && !is_saved {
            self.failure = file.save(&best()).err();
        }
    }

    /// Returns the failure, if there was one.
    pub fn end(&mut self) -> Result<(), Failure> {
        self.failure.take().map_or(Ok(()), |error| Err(error.into()))
    }
}

impl<'l> Inquiry<'l> {
    pub fn new(oracle: &'l (dyn Oracle + Sync), jobs: usize) -> Self {
        Self { oracle, jobs, said: Mutex::default(), asked: Mutex::default(), error: Mutex::default() }
    }

    /// Takes a verdict that is known already.
    pub fn knows(&self, candidate: &[u8], verdict: Verdict) {
        let name = blake3::hash(candidate);
        lock(&self.asked).insert(name);
        lock(&self.said).insert(name, verdict);
    }

    /// Returns the verdict on a candidate that counts.
    pub fn ask(&self, candidate: &[u8]) -> Verdict {
        lock(&self.asked).insert(blake3::hash(candidate));
        self.test(candidate)
    }

    /// Returns the verdict on a candidate; after an error all that is left is unresolved, so a search soon ends.
    fn test(&self, candidate: &[u8]) -> Verdict {
        let unresolved = Verdict::Unresolved(Cause::Test);
        if self.has_failed() {
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

    /// Runs a search through `n` circumstances, where `text` is the candidate of some of them; `found` is told each candidate
    /// that counts, with its verdict.
    pub fn search<S: Search>(
        &self,
        search: S,
        n: usize,
        text: impl Fn(&[u32]) -> Vec<u8> + Sync,
        mut found: impl FnMut(&[u8], Verdict),
    ) -> (S, Vec<u32>) {
        self.search_sets(search, n, &text, |config, verdict| {
            let candidate = text(config);
            lock(&self.asked).insert(blake3::hash(&candidate));
            found(&candidate, verdict);
        })
    }

    /// Searches in the same way, but `found` gets the circumstances, and nobody asks for the number of candidates.
    pub fn search_sets<S: Search>(
        &self,
        search: S,
        n: usize,
        text: impl Fn(&[u32]) -> Vec<u8> + Sync,
        mut found: impl FnMut(&[u32], Verdict),
    ) -> (S, Vec<u32>) {
        let committed = |config: &[u32], verdict| {
            if !self.has_failed() {
                found(config, verdict);
            }
        };
        let asked = |config: &[u32]| self.test(&text(config));
        match self.jobs {
            // The test runs in this thread.
            0 | 1 => dd::run_telling(search, n as u32, asked, committed),
            jobs => dd::run_telling(search, n as u32, dd::parallel(jobs, asked), committed),
        }
    }

    /// Returns the number of candidates that were asked about.
    pub fn probes(&self) -> usize {
        lock(&self.asked).len()
    }

    /// Tells whether no further verdict can be had.
    pub fn has_failed(&self) -> bool {
        lock(&self.error).is_some()
    }

    /// Takes what has kept the oracle from saying more.
    pub fn error(&self) -> Option<NoVerdict> {
        lock(&self.error).take()
    }

    /// Tells whether the user or a bound has ended it; any other end is an error.
    pub fn is_interrupted(&self) -> Result<bool, Failure> {
        match self.error() {
            None => Ok(false),
            Some(NoVerdict::Interrupted) => Ok(true),
            Some(error) => Err(error.into()),
        }
    }
}
