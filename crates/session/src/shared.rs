//! Runs of one command that are shared by several reductions.
//!
//! Outputs and statuses are stored, not verdicts, because each reduction keeps another failure. Nothing is written to
//! disk; a resumed reduction has its own verdicts in its journal.

use crate::settings::Settings;
use blake3::Hash;
use nubbin_oracle::{CommandOracle, CommandRun, Observer, Status, Verdict};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Tuned parameters.
struct Tuning {
    /// The largest output of a stored run, in bytes.
    bytes: usize,
    /// The largest sum of stored outputs, in bytes.
    all_bytes: usize,
    /// The largest number of stored runs.
    runs: usize,
}

const TUNING: Tuning = Tuning { bytes: 4 << 10, all_bytes: 256 << 20, runs: 400_000 };

/// The stored runs of a command by candidate.
#[derive(Debug, Default)]
pub struct Shared {
    runs: Mutex<Kept>,
    hits: AtomicUsize,
}

#[derive(Debug, Default)]
struct Kept {
    runs: HashMap<Hash, CommandRun>,
    bytes: usize,
}

impl Shared {
    /// Returns the number of runs avoided because another reduction had made them.
    #[must_use]
    pub fn hits(&self) -> usize {
        self.hits.load(Ordering::Relaxed)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The access of one reduction to the shared runs.
#[derive(Debug)]
pub(crate) struct Sharing {
    shared: Arc<Shared>,
    /// Distinguishes runs of the same command under other circumstances: other arguments, names, needed files or
    /// limits.
    circumstances: Hash,
    is_closed: AtomicBool,
    /// Other observers of the runs.
    others: Option<Arc<dyn Observer>>,
}

impl Sharing {
    /// Returns the access of a reduction with these settings. Returns `None` if the needed files are not known, or
    /// the test is flaky.
    pub(crate) fn of(settings: &Settings, others: Option<Arc<dyn Observer>>) -> Option<Self> {
        let (shared, known) = (settings.shared.clone()?, settings.known.as_ref()?);
        if settings.flaky.is_some() || settings.test.is_server() {
            return None;
        }
        let bounds = (&settings.bounds.asked, &settings.bounds.default, settings.timeout);
        let name = settings.own_names();
        let circumstances = format!("{:?} {name:?} {known:?} {bounds:?}", settings.test.words);
        let circumstances = blake3::hash(circumstances.as_bytes());
        Some(Self { shared, circumstances, is_closed: AtomicBool::new(false), others })
    }

    /// Stops reading and storing runs.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    fn name(&self, candidate: &[u8]) -> Hash {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.circumstances.as_bytes()).update(candidate);
        hasher.finalize()
    }

    /// Returns this oracle's verdict on a run by another reduction.
    pub(crate) fn verdict(&self, candidate: &[u8], oracle: &CommandOracle) -> Option<Verdict> {
        if self.is_closed.load(Ordering::Relaxed) {
            return None;
        }
        let run = self.shared.kept().runs.get(&self.name(candidate)).cloned()?;
        let run = CommandRun { verdict: oracle.judge(&run), ..run };
        self.shared.hits.fetch_add(1, Ordering::Relaxed);
        if let Some(others) = &self.others {
            others.ran(candidate, &run);
        }
        Some(run.verdict)
    }
}

impl Observer for Sharing {
    fn ran(&self, candidate: &[u8], run: &CommandRun) {
        if let Some(others) = &self.others {
            others.ran(candidate, run);
        }
        let bytes = run.stdout.len() + run.stderr.len();
        let is_end = matches!(run.status, Status::Exit(_) | Status::Signal(_)) && !run.is_lost;
        if self.is_closed.load(Ordering::Relaxed) || !is_end || bytes > TUNING.bytes {
            return;
        }
        let name = self.name(candidate);
        let mut kept = self.shared.kept();
        if kept.runs.len() < TUNING.runs && kept.bytes + bytes <= TUNING.all_bytes {
            kept.bytes += bytes;
            kept.runs.insert(name, run.clone());
        }
    }
}
