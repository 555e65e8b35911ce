//! The data that all operations of a cluster share.

use crate::Patience;
use crate::credential::Credentials;
use crate::digest::Function;
use crate::line::Lines;
use crate::store::Known;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// The data that all operations of a cluster share.
pub(crate) struct Shared {
    /// The address as the user specified it.
    pub endpoint: String,
    pub instance: String,
    /// The name of this invocation in uploads and headers.
    pub invocation: String,
    pub facts: Facts,
    pub patience: Patience,
    pub lines: Arc<Lines>,
    pub credentials: Credentials,
    pub known: Known,
    pub tally: Counts,
    /// When the last action had a result.
    pub answered: Mutex<Option<Instant>>,
    /// Each running cancellation holds a sender; the cluster owns the receiver.
    pub farewell: mpsc::WeakSender<()>,
}

/// The capabilities that a cluster reported.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Facts {
    pub(crate) function: Function,
    /// The maximum number of bytes of one message.
    pub(crate) batch: u64,
    /// The newest protocol version of the cluster, such as `2.3`; empty if it is unknown.
    pub version: String,
}

impl Facts {
    /// Returns the digest function: `SHA256` or `BLAKE3`.
    #[must_use]
    pub fn digest_function(&self) -> &'static str {
        self.function.name()
    }
}

/// Counters of requests and failures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tally {
    /// The number of requested executions, including repetitions.
    pub executions: u64,
    /// The number of queries about operations whose stream had ended.
    pub waits: u64,
    /// The number of failed attempts.
    pub troubles: u64,
    /// The number of cancelled operations.
    pub cancels: u64,
    /// The number of queries for missing blobs.
    pub questions: u64,
    /// The number of sent blobs.
    pub blobs: u64,
    /// The total size of sent blobs, in bytes.
    pub bytes: u64,
    /// The last failure, as reported by the cluster or the connection.
    pub last_trouble: Option<String>,
}

/// The counters while they are updated.
#[derive(Default)]
pub(crate) struct Counts {
    executions: AtomicU64,
    waits: AtomicU64,
    troubles: AtomicU64,
    cancels: AtomicU64,
    questions: AtomicU64,
    streams: AtomicU64,
    blobs: AtomicU64,
    bytes: AtomicU64,
    last_trouble: Mutex<Option<String>>,
}

impl Counts {
    pub fn executions(&self) {
        self.executions.fetch_add(1, Ordering::Relaxed);
    }

    pub fn waits(&self) {
        self.waits.fetch_add(1, Ordering::Relaxed);
    }

    pub fn cancels(&self) {
        self.cancels.fetch_add(1, Ordering::Relaxed);
    }

    pub fn questions(&self) {
        self.questions.fetch_add(1, Ordering::Relaxed);
    }

    pub fn sent(&self, bytes: u64) {
        self.blobs.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Returns the number of the next stream.
    pub fn streams(&self) -> u64 {
        self.streams.fetch_add(1, Ordering::Relaxed)
    }

    pub fn trouble(&self, words: &str) {
        self.troubles.fetch_add(1, Ordering::Relaxed);
        *self.last_trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(words.to_owned());
    }

    pub fn read(&self) -> Tally {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Tally {
            executions: of(&self.executions),
            waits: of(&self.waits),
            troubles: of(&self.troubles),
            cancels: of(&self.cancels),
            questions: of(&self.questions),
            blobs: of(&self.blobs),
            bytes: of(&self.bytes),
            last_trouble: self.last_trouble.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }
}

impl Shared {
    /// Returns the prefix of resource names.
    pub fn prefix(&self) -> String {
        if self.instance.is_empty() { String::new() } else { format!("{}/", self.instance) }
    }

    /// Records that an action has a result.
    pub fn has_answered(&self) {
        *self.answered.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Returns when the last action had a result.
    pub fn last_answer(&self) -> Option<Instant> {
        *self.answered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The failures of one action or upload since its last success.
#[derive(Default)]
pub(crate) struct Troubles {
    first: Option<Instant>,
    pub number: u32,
}

/// The limit on failures.
#[derive(Clone, Copy)]
pub(crate) struct Limit {
    /// The maximum time since the first failure.
    pub longest: Duration,
    /// The number of failures that are always allowed.
    pub fewest: u32,
}

impl Troubles {
    /// Records a failure. Returns the pause before the next attempt, or the time since the first failure if
    /// the limit has been reached.
    pub fn pause(&mut self, patience: &Patience, limit: Limit, seed: u64) -> Result<Duration, Duration> {
        self.number += 1;
        let since = self.first.get_or_insert_with(Instant::now).elapsed();
        if since >= limit.longest && self.number >= limit.fewest {
            return Err(since);
        }
        let pause = patience.pause(self.number, seed);
        Ok(limit.longest.checked_sub(since).map_or(pause, |left| pause.min(left)))
    }

    pub fn first(&self) -> Option<Instant> {
        self.first
    }
}
