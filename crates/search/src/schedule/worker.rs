//! Workers that run the oracle on what they are given: threads, or a simulation of them.

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

/// The numbers that were tuned.
struct Tuning {
    /// If probes are shorter than this, each thread has one more waiting: it would have to wait itself, for the engine
    /// to find out what comes next, and that takes a good part of such a probe. Longer ones are worth the latest guess.
    short: Duration,
    /// If probes are shorter than this, a run of a hundred of them is over before anybody waits for it.
    quick: Duration,
}

const TUNING: Tuning = Tuning { short: Duration::from_millis(3), quick: Duration::from_millis(80) };

/// A probe that is to be run.
pub(super) struct Job {
    pub name: Name,
    pub candidate: Arc<[u8]>,
    pub cancelled: Arc<AtomicBool>,
}

/// A probe under way.
struct Running {
    cancelled: Arc<AtomicBool>,
    since: Duration,
}

/// A verdict, or why there is none.
pub(super) type Told = (Name, Result<Verdict, NoVerdict>);

/// A number of workers, and the probes that are under way on them or wait for one.
pub(super) struct Workers<'o> {
    hands: Hands<'o>,
    running: HashMap<Name, Running>,
    pace: Pace,
    number: usize,
    /// The time at which they began.
    since: Instant,
    /// Is true if the last probes were short.
    are_brisk: bool,
    started: Arc<AtomicUsize>,
}

/// Whoever runs the probes.
enum Hands<'o> {
    Threads { jobs: Sender<Job>, told: Receiver<(Told, Duration)>, oracle: &'o dyn Oracle },
    Simulated(Simulation<'o>),
}

impl<'o> Workers<'o> {
    /// Starts threads; they end when this is dropped, and what they do is cancelled. There are fewer of them where the
    /// system has no more, and `None` is returned where it has none.
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

    /// Workers whose probes take time by a simulated clock only.
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

    /// The time by the clock that these workers go by: only differences mean anything.
    pub fn now(&self) -> Duration {
        match &self.hands {
            Hands::Threads { .. } => self.since.elapsed(),
            Hands::Simulated(simulation) => simulation.now(),
        }
    }

    /// Takes note that somebody else has run a probe, and that the time for it has passed.
    pub fn probed(&mut self) {
        if let Hands::Simulated(simulation) = &mut self.hands {
            simulation.probed();
        }
    }

    /// Returns the number of further probes that there is room for.
    fn free(&self) -> usize {
        self.room().saturating_sub(self.running.len())
    }

    /// Returns the number of workers that are of use at once.
    pub fn number(&self) -> usize {
        let room = match &self.hands {
            Hands::Threads { oracle, .. } => oracle.room(),
            Hands::Simulated(_) => None,
        };
        room.map_or(self.number, |room| room.clamp(1, self.number))
    }

    /// Returns the number of probes that there is room for, those that wait for a worker included.
    pub fn room(&self) -> usize {
        if self.are_brisk { 2 * self.number() } else { self.number() }
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
            Some(running) if !self.are_brisk => {
                self.pace.revise(guess, self.now().saturating_sub(running.since))
            }
            _ => guess,
        }
    }

    /// Begins a probe.
    fn begin(&mut self, name: Name, candidate: Arc<[u8]>) {
        let cancelled = Arc::new(AtomicBool::new(false));
        self.running.insert(name, Running { cancelled: Arc::clone(&cancelled), since: self.now() });
        let job = Job { name, candidate, cancelled };
        match &mut self.hands {
            Hands::Threads { jobs, .. } => jobs.send(job).expect("the threads wait for jobs"),
            Hands::Simulated(simulation) => simulation.begin(job),
        }
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
        let told: Vec<_> = match &mut self.hands {
            Hands::Threads { told, .. } => {
                let first = told.recv().expect("the threads live as long as this");
                iter::once(first).chain(told.try_iter()).collect()
            }
            Hands::Simulated(simulation) => simulation.wait(),
        };
        told.into_iter().filter_map(|(told, took)| self.ended(told, took)).collect()
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

impl Drop for Workers<'_> {
    fn drop(&mut self) {
        self.cancel_unless(|_| false);
    }
}
