//! Wraps the oracle for the searches of this crate: records verdicts, counts candidates, and keeps the first error.

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

pub struct Inquiry<'l> {
    oracle: &'l (dyn Oracle + Sync),
    jobs: usize,
    said: Mutex<HashMap<blake3::Hash, Verdict>>,
    /// The candidates that were needed, without speculative ones.
    asked: Mutex<HashSet<blake3::Hash>>,
    error: Mutex<Option<NoVerdict>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns an oracle that reads verdicts from the journal and records them there, if there is a journal.
pub fn recorded<'l, O: Oracle>(oracle: &'l O, logbook: Option<&'l Logbook>) -> Option<Recorded<'l, O>> {
    logbook.map(|logbook| Recorded::new(oracle, logbook))
}

/// Saves each current best of a search, except those that an earlier run saved, so that the file never gets larger.
pub struct Saving<'l> {
    logbook: Option<&'l Logbook>,
    /// The servers that reported the verdicts.
    served: Option<&'l Served>,
    failure: Option<input::Error>,
}

impl<'l> Saving<'l> {
    pub fn new(logbook: Option<&'l Logbook>, served: Option<&'l Served>) -> Self {
        Self { logbook, served, failure: None }
    }

    /// Saves an interesting candidate. Does nothing after an error.
    pub fn found(&mut self, file: &mut BestFile, candidate: &[u8], best: impl FnOnce() -> Vec<u8>) {
        if let Some(served) = self.served {
            served.accepted(candidate);
            if served.wants_confirmation() && matches!(served.confirm(candidate), Ok(false)) {
                // The next probe will discard the verdicts.
                return;
            }
        }
        let is_saved = self.logbook.is_some_and(|logbook| logbook.has_saved(candidate));
        if self.failure.is_none() && !is_saved {
            self.failure = file.save(&best()).err();
        }
    }

    /// Returns the error, if any.
    pub fn end(&mut self) -> Result<(), Failure> {
        self.failure.take().map_or(Ok(()), |error| Err(error.into()))
    }
}

impl<'l> Inquiry<'l> {
    pub fn new(oracle: &'l (dyn Oracle + Sync), jobs: usize) -> Self {
        Self { oracle, jobs, said: Mutex::default(), asked: Mutex::default(), error: Mutex::default() }
    }

    /// Adds a known verdict.
    pub fn knows(&self, candidate: &[u8], verdict: Verdict) {
        let name = blake3::hash(candidate);
        lock(&self.asked).insert(name);
        lock(&self.said).insert(name, verdict);
    }

    /// Returns the verdict on a candidate, and counts it.
    pub fn ask(&self, candidate: &[u8]) -> Verdict {
        lock(&self.asked).insert(blake3::hash(candidate));
        self.test(candidate)
    }

    /// Returns the verdict on a candidate. After an error all verdicts are unresolved, which ends the search soon.
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

    /// Searches `n` elements. `text` creates the candidate for a subset; `found` receives each needed candidate and
    /// its verdict.
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

    /// As [`search`](Self::search), but `found` receives the subset, and candidates are not counted.
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

    /// Returns the number of needed candidates.
    pub fn probes(&self) -> usize {
        lock(&self.asked).len()
    }

    /// Returns whether an error prevents further verdicts.
    pub fn has_failed(&self) -> bool {
        lock(&self.error).is_some()
    }

    /// Takes the error.
    pub fn error(&self) -> Option<NoVerdict> {
        lock(&self.error).take()
    }

    /// Returns whether the user or a limit ended the search. Any other end is an error.
    pub fn is_interrupted(&self) -> Result<bool, Failure> {
        match self.error() {
            None => Ok(false),
            Some(NoVerdict::Interrupted) => Ok(true),
            Some(error) => Err(error.into()),
        }
    }
}
