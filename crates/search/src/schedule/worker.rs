//! Threads that run the oracle on what they are given.

use super::Name;
use super::rates::Pace;
use crate::Verdict;
use crate::oracle::{NoVerdict, Oracle};
use std::collections::HashMap;
use std::iter;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Scope;
use std::time::{Duration, Instant};

/// The numbers that were tuned.
struct Tuning {
    /// If probes are shorter than this, each thread has one more waiting: it would have to wait itself, for the engine
    /// to find out what comes next, and that takes a good part of such a probe. Longer ones are worth the latest guess.
    short: Duration,
    /// If probes are shorter than this, a run of a hundred of them is over before anybody waits for it.
    quick: Duration,
}

const TUNING: Tuning = Tuning { short: Duration::from_millis(3), quick: Duration::from_millis(80) };

struct Job {
    name: Name,
    candidate: Arc<[u8]>,
    cancelled: Arc<AtomicBool>,
}

/// A probe under way.
struct Running {
    cancelled: Arc<AtomicBool>,
    since: Instant,
}

/// A verdict, or why there is none.
pub(super) type Told = (Name, Result<Verdict, NoVerdict>);

/// A number of threads, and the probes that are under way on them or wait for one.
pub(super) struct Workers {
    jobs: Sender<Job>,
    told: Receiver<(Told, Duration)>,
    running: HashMap<Name, Running>,
    pace: Pace,
    threads: usize,
    /// Is true if the last probes were short.
    are_brisk: bool,
    started: Arc<AtomicUsize>,
}

impl Workers {
    /// Starts the threads; they end when this is dropped, and what they do is cancelled.
    pub fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        oracle: &'scope (dyn Oracle + Sync),
        threads: usize,
    ) -> Self {
        let (jobs, waiting) = channel::<Job>();
        let (tell, told) = channel();
        let waiting = Arc::new(Mutex::new(waiting));
        let started = Arc::<AtomicUsize>::default();
        for _ in 0..threads {
            let (waiting, tell, started) = (Arc::clone(&waiting), tell.clone(), Arc::clone(&started));
            scope.spawn(move || {
                loop {
                    let job = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(job) = job else { break };
                    let start = Instant::now();
                    let verdict = if job.cancelled.load(Ordering::Relaxed) {
                        Err(NoVerdict::Interrupted)
                    } else {
                        started.fetch_add(1, Ordering::Relaxed);
                        oracle.probe_unless(&job.candidate, &job.cancelled)
                    };
                    if tell.send(((job.name, verdict), start.elapsed())).is_err() {
                        break;
                    }
                }
            });
        }
        Self {
            jobs,
            told,
            running: HashMap::new(),
            pace: Pace::default(),
            threads,
            are_brisk: false,
            started,
        }
    }

    /// Returns the number of further probes that there is room for.
    fn free(&self) -> usize {
        self.room().saturating_sub(self.running.len())
    }

    /// Returns the number of threads.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Returns the number of probes that there is room for, those that wait for a thread included.
    pub fn room(&self) -> usize {
        if self.are_brisk { 2 * self.threads } else { self.threads }
    }

    /// Tells whether the last probes were quick.
    pub fn are_quick(&self) -> bool {
        self.pace.mean() < TUNING.quick
    }

    /// Returns the number of probes that were started; one that was cancelled before its turn was not.
    pub fn started(&self) -> usize {
        self.started.load(Ordering::Relaxed)
    }

    /// Tells whether a candidate is being probed or is going to be, or its probe was cancelled and is about to end.
    pub fn knows(&self, name: &Name) -> bool {
        self.running.contains_key(name)
    }

    /// The probability that a candidate is interesting, where it was `guess` before its probe began. Short probes may
    /// have waited for a thread, so nothing is known of them.
    pub fn revise(&self, name: &Name, guess: f64) -> f64 {
        match self.running.get(name) {
            Some(running) if !self.are_brisk => self.pace.revise(guess, running.since.elapsed()),
            _ => guess,
        }
    }

    /// Begins a probe.
    fn begin(&mut self, name: Name, candidate: Arc<[u8]>) {
        let cancelled = Arc::new(AtomicBool::new(false));
        let running = Running { cancelled: Arc::clone(&cancelled), since: Instant::now() };
        self.running.insert(name, running);
        self.jobs.send(Job { name, candidate, cancelled }).expect("the threads wait for jobs");
    }

    /// Begins probes that it does not know, while there is room for more than `spare`.
    pub fn begin_all(&mut self, likely: Vec<(Name, Arc<[u8]>)>, spare: usize) {
        for (name, candidate) in likely {
            if self.free() > spare && !self.knows(&name) {
                self.begin(name, candidate);
            }
        }
    }

    /// Cancels the probes that are not wanted.
    pub fn cancel_unless(&self, wanted: impl Fn(&Name) -> bool) {
        for (name, running) in &self.running {
            if !wanted(name) {
                running.cancelled.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Waits for the next verdict, and takes those with it that are there by then; a probe that was cancelled has none.
    pub fn wait(&mut self) -> Vec<Told> {
        let first = self.told.recv().expect("the threads live as long as this");
        let others: Vec<_> = self.told.try_iter().collect();
        iter::once(first).chain(others).filter_map(|(told, took)| self.ended(told, took)).collect()
    }

    /// Takes a probe from those under way.
    fn ended(&mut self, (name, verdict): Told, took: Duration) -> Option<Told> {
        let cancelled = self.running.remove(&name).is_some_and(|one| one.cancelled.load(Ordering::Relaxed));
        if let Ok(verdict) = verdict {
            self.are_brisk = took < TUNING.short;
            self.pace.learn(verdict, took);
        }
        // A verdict is a verdict, even one that nobody waits for any more; a cancelled probe has none.
        if cancelled && verdict.is_err() { None } else { Some((name, verdict)) }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.cancel_unless(|_| false);
    }
}
