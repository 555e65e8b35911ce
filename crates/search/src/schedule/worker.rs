//! Workers that run the oracle: threads, or a simulation of them.

use super::Name;
use super::rates::Pace;
use super::simulation::{Clock, Simulation};
use crate::Verdict;
use crate::oracle::{NoVerdict, Oracle};
use std::collections::HashMap;
use std::iter;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, Scope};
use std::time::{Duration, Instant};

/// Tuned constants.
struct Tuning {
    /// If probes are shorter than this, one more probe is queued for each thread, which would otherwise be
    /// idle while the engine computes the next one. For longer probes the most recent guess is more valuable.
    short: Duration,
    /// If probes are shorter than this, a run of a hundred of them ends before the user notices a delay.
    quick: Duration,
}

const TUNING: Tuning = Tuning { short: Duration::from_millis(3), quick: Duration::from_millis(80) };

pub(super) struct Job {
    pub name: Name,
    pub candidate: Arc<[u8]>,
    pub cancelled: Arc<AtomicBool>,
}

struct Running {
    cancelled: Arc<AtomicBool>,
    since: Duration,
}

/// A candidate, and its verdict or the reason why there is none.
pub(super) type Told = (Name, Result<Verdict, NoVerdict>);

/// A pool of workers, with its running and queued probes.
pub(super) struct Workers<'o> {
    hands: Hands<'o>,
    running: HashMap<Name, Running>,
    pace: Pace,
    number: usize,
    since: Instant,
    /// Is true if the last probe was short.
    are_brisk: bool,
    started: Arc<AtomicUsize>,
}

/// The implementation that runs the probes.
enum Hands<'o> {
    Threads { jobs: Sender<Job>, told: Receiver<(Told, Duration)>, oracle: &'o dyn Oracle },
    Simulated(Simulation<'o>),
}

impl<'o> Workers<'o> {
    /// Starts threads, which end when the pool is dropped; their probes are then cancelled. If the system
    /// cannot start all threads there are fewer, and `None` is returned if there are none.
    pub fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        oracle: &'o (dyn Oracle + Sync),
        threads: usize,
    ) -> Option<Self>
    where
        'o: 'scope,
    {
        let (jobs, waiting) = channel::<Job>();
        let (tell, told) = channel();
        let waiting = Arc::new(Mutex::new(waiting));
        let started = Arc::<AtomicUsize>::default();
        let mut number = 0;
        for _ in 0..threads {
            let (waiting, tell, started) = (Arc::clone(&waiting), tell.clone(), Arc::clone(&started));
            let thread = Builder::new().spawn_scoped(scope, move || {
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
            number += usize::from(thread.is_ok());
        }
        (number > 0).then(|| Self::new(Hands::Threads { jobs, told, oracle }, number, started))
    }

    /// Creates workers on a simulated clock.
    pub fn simulated(oracle: &'o dyn Oracle, clock: Clock) -> Self {
        let started = Arc::<AtomicUsize>::default();
        let simulation = Simulation::new(oracle, clock, Arc::clone(&started));
        Self::new(Hands::Simulated(simulation), clock.jobs, started)
    }

    fn new(hands: Hands<'o>, number: usize, started: Arc<AtomicUsize>) -> Self {
        let pace = Pace::default();
        Self {
            hands,
            running: HashMap::new(),
            pace,
            number,
            since: Instant::now(),
            are_brisk: false,
            started,
        }
    }

    /// Returns the time of the workers' clock. Only differences are meaningful.
    pub fn now(&self) -> Duration {
        match &self.hands {
            Hands::Threads { .. } => self.since.elapsed(),
            Hands::Simulated(simulation) => simulation.now(),
        }
    }

    /// Records that the caller ran a probe itself, so that the simulated clock advances.
    pub fn probed(&mut self) {
        if let Hands::Simulated(simulation) = &mut self.hands {
            simulation.probed();
        }
    }

    /// Returns how many further probes can be started.
    fn free(&self) -> usize {
        self.room().saturating_sub(self.running.len())
    }

    /// Returns the number of workers that are currently useful.
    pub fn number(&self) -> usize {
        let room = match &self.hands {
            Hands::Threads { oracle, .. } => oracle.room(),
            Hands::Simulated(_) => None,
        };
        room.map_or(self.number, |room| room.clamp(1, self.number))
    }

    /// Returns how many probes can be running or queued.
    pub fn room(&self) -> usize {
        if self.are_brisk { 2 * self.number() } else { self.number() }
    }

    /// Returns whether the last probes were quick.
    pub fn are_quick(&self) -> bool {
        self.pace.mean() < TUNING.quick
    }

    /// Returns the number of started probes, without those that were cancelled while queued.
    pub fn started(&self) -> usize {
        self.started.load(Ordering::Relaxed)
    }

    /// Returns whether a probe of this candidate is running or queued, even if it was cancelled.
    pub fn knows(&self, name: &Name) -> bool {
        self.running.contains_key(name)
    }

    /// Returns the probability that a candidate is interesting, where `guess` was the probability before its
    /// probe started. Short probes may have been queued, so their elapsed time is ignored.
    pub fn revise(&self, name: &Name, guess: f64) -> f64 {
        match self.running.get(name) {
            Some(running) if !self.are_brisk => {
                self.pace.revise(guess, self.now().saturating_sub(running.since))
            }
            _ => guess,
        }
    }

    fn begin(&mut self, name: Name, candidate: Arc<[u8]>) {
        let cancelled = Arc::new(AtomicBool::new(false));
        self.running.insert(name, Running { cancelled: Arc::clone(&cancelled), since: self.now() });
        let job = Job { name, candidate, cancelled };
        match &mut self.hands {
            Hands::Threads { jobs, .. } => jobs.send(job).expect("the threads wait for jobs"),
            Hands::Simulated(simulation) => simulation.begin(job),
        }
    }

    /// Starts probes of new candidates while more than `spare` slots are free.
    pub fn begin_all(&mut self, likely: Vec<(Name, Arc<[u8]>)>, spare: usize) {
        for (name, candidate) in likely {
            if self.free() > spare && !self.knows(&name) {
                self.begin(name, candidate);
            }
        }
    }

    pub fn cancel_unless(&self, wanted: impl Fn(&Name) -> bool) {
        for (name, running) in &self.running {
            if !wanted(name) {
                running.cancelled.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Waits for the next verdict, and returns it with all others that have arrived. Cancelled probes have no
    /// verdict.
    pub fn wait(&mut self) -> Vec<Told> {
        let told: Vec<_> = match &mut self.hands {
            Hands::Threads { told, .. } => {
                let first = told.recv().expect("the threads live as long as this");
                iter::once(first).chain(told.try_iter()).collect()
            }
            Hands::Simulated(simulation) => simulation.wait(),
        };
        told.into_iter().filter_map(|(told, took)| self.ended(told, took)).collect()
    }

    /// Removes a probe from the running ones.
    fn ended(&mut self, (name, verdict): Told, took: Duration) -> Option<Told> {
        let cancelled = self.running.remove(&name).is_some_and(|one| one.cancelled.load(Ordering::Relaxed));
        if let Ok(verdict) = verdict {
            self.are_brisk = took < TUNING.short;
            self.pace.learn(verdict, took);
        }
        // A verdict counts even if the probe was cancelled.
        if cancelled && verdict.is_err() { None } else { Some((name, verdict)) }
    }
}

impl Drop for Workers<'_> {
    fn drop(&mut self) {
        self.cancel_unless(|_| false);
    }
}
