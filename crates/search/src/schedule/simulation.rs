//! A clock that is only counted: what a schedule does with any number of workers, without waiting for them.
//!
//! A probe takes the same time each, the rest of the work none. So it shows the schedule alone, and a thousand workers need no
//! machine.

use super::worker::{Job, Told};
use crate::oracle::{NoVerdict, Oracle};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The workers of a simulation, and the time that each probe takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// The number of workers; at least one.
    pub jobs: usize,
    /// The time that a probe takes.
    pub took: Duration,
}

/// Workers that take time by the clock only. The oracle is asked when a probe has ended, so what is cancelled costs
/// nothing.
pub(super) struct Simulation<'o> {
    oracle: &'o dyn Oracle,
    clock: Clock,
    now: Duration,
    /// The probes under way, with the times of their ends, which are in order since each takes as long.
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

    /// Goes on to the time at which something ends, and tells what. A cancelled probe ends at once.
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
