//! Simulated time: shows how a schedule behaves with any number of workers, without waiting for them.
//!
//! Every probe takes the same time and everything else takes none. The simulation therefore measures the
//! schedule alone, and a thousand workers need no machine.

use super::worker::{Job, Told};
use crate::oracle::{NoVerdict, Oracle};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The workers of a simulation, and the duration of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// The number of workers; at least one.
    pub jobs: usize,
    /// The duration of a probe.
    pub took: Duration,
}

/// Workers on a simulated clock. The oracle runs when a probe ends, so cancelled probes cost nothing.
pub(super) struct Simulation<'o> {
    oracle: &'o dyn Oracle,
    clock: Clock,
    now: Duration,
    /// The running probes with their end times. Since all take equally long, these are in order.
    running: VecDeque<(Duration, Job)>,
    waiting: VecDeque<Job>,
    started: Arc<AtomicUsize>,
}

impl<'o> Simulation<'o> {
    pub fn new(oracle: &'o dyn Oracle, clock: Clock, started: Arc<AtomicUsize>) -> Self {
        let (running, waiting) = (VecDeque::new(), VecDeque::new());
        Self { oracle, clock, now: Duration::ZERO, running, waiting, started }
    }

    pub fn now(&self) -> Duration {
        self.now
    }

    pub fn probed(&mut self) {
        self.now += self.clock.took;
    }

    pub fn begin(&mut self, job: Job) {
        self.waiting.push_back(job);
    }

    /// Advances the clock until a probe ends, and returns the finished probes. A cancelled probe ends
    /// immediately.
    pub fn wait(&mut self) -> Vec<(Told, Duration)> {
        let mut told = Vec::new();
        let mut kept = VecDeque::new();
        for (end, job) in self.running.drain(..) {
            if is_cancelled(&job) {
                told.push(((job.name, Err(NoVerdict::Interrupted)), Duration::ZERO));
            } else {
                kept.push_back((end, job));
            }
        }
        self.running = kept;
        while self.running.len() < self.clock.jobs.max(1)
            && let Some(job) = self.waiting.pop_front()
        {
            if is_cancelled(&job) {
                told.push(((job.name, Err(NoVerdict::Interrupted)), Duration::ZERO));
                continue;
            }
            self.started.fetch_add(1, Ordering::Relaxed);
            self.running.push_back((self.now + self.clock.took, job));
        }
        if !told.is_empty() {
            return told;
        }
        let Some((end, _)) = self.running.front() else { return told };
        self.now = self.now.max(*end);
        while self.running.front().is_some_and(|(end, _)| *end <= self.now)
            && let Some((_, job)) = self.running.pop_front()
        {
            told.push(((job.name, self.oracle.probe(&job.candidate)), self.clock.took));
        }
        told
    }
}

fn is_cancelled(job: &Job) -> bool {
    job.cancelled.load(Ordering::Relaxed)
}
