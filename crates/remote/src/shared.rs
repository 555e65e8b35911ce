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
    /// The address as the user has it.
    pub endpoint: String,
    pub instance: String,
    /// The name of this invocation, in uploads and headers.
    pub invocation: String,
    pub facts: Facts,
    pub patience: Patience,
    pub lines: Arc<Lines>,
    pub credentials: Credentials,
    pub known: Known,
    pub tally: Counts,
    /// The time at which an action had a result last.
    pub answered: Mutex<Option<Instant>>,
    /// Each cancellation that is under way holds one of these; the receiver is the cluster's.
    pub farewell: mpsc::WeakSender<()>,
}

/// The facts that a cluster tells of itself.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Facts {
    pub(crate) function: Function,
    /// The bytes that go into one message.
    pub(crate) batch: u64,
    /// The newest version of the protocol that the cluster speaks, such as `2.3`; empty if it does not say.
    pub version: String,
}

impl Facts {
    /// The function that makes digests: `SHA256` or `BLAKE3`.
    #[must_use]
    pub fn digest_function(&self) -> &'static str {
        self.function.name()
    }
}

/// The counts of a cluster so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tally {
    /// Executions that were asked for, also those after trouble.
    pub executions: u64,
    /// Operations that were asked about again after their stream had ended.
    pub waits: u64,
    /// Troubles: attempts that came to no result and were repeated, or given up.
    pub troubles: u64,
    /// Operations that were cancelled.
    pub cancels: u64,
    /// Questions about which blobs are missing.
    pub questions: u64,
    /// Blobs that were sent.
    pub blobs: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The last trouble, in the words of the cluster or of the connection.
    pub last_trouble: Option<String>,
}

/// Counts that are being made.
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
    /// The beginning of the names of resources.
    pub fn prefix(&self) -> String {
        if self.instance.is_empty() { String::new() } else { format!("{}/", self.instance) }
    }

    /// Notes that an action has a result.
    pub fn has_answered(&self) {
        *self.answered.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    /// Returns when an action had a result last.
    pub fn last_answer(&self) -> Option<Instant> {
        *self.answered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The troubles of one action, or of one upload, since it last went well.
#[derive(Default)]
pub(crate) struct Troubles {
    first: Option<Instant>,
    pub number: u32,
}

/// The bound on troubles.
#[derive(Clone, Copy)]
pub(crate) struct Limit {
    /// They may go on for so long.
    pub longest: Duration,
    /// There may be so many in any case.
    pub fewest: u32,
}

impl Troubles {
    /// Notes a trouble, and returns the pause before the next try, or the time since the first trouble if the limit is reached.
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
