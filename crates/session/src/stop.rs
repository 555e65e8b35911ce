//! Stops a run from outside, by request or because its time is over.
//!
//! Signals are handled by the program, which calls this module. Stopping only sets a flag, which the running code
//! checks.

use crate::failure::{Failure, Fault};
use nubbin_oracle::{Pause, start_thread};
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often a part of the run checks whether the whole run was stopped.
const LOOK: Duration = Duration::from_millis(50);

/// A callback for the start of the run.
type Begin = Box<dyn FnOnce() -> io::Result<()> + Send>;

/// The time limit that ended a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// The time was over.
    Time = 1,
    /// The progress was too slow.
    Pace = 2,
}

/// A handle that stops or pauses a run. Clones share their state.
#[derive(Clone, Default)]
pub struct Stop {
    flag: Arc<AtomicBool>,
    over: Arc<AtomicU8>,
    pause: Arc<Pause>,
    begin: Arc<Mutex<Option<Begin>>>,
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stop").field("flag", &self.flag).field("over", &self.over()).finish_non_exhaustive()
    }
}

impl Stop {
    /// Creates a handle.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a handle for a part of the run, with a separate flag and time limit. Pauses are shared.
    pub(crate) fn of_part(&self) -> Self {
        Self { pause: Arc::clone(&self.pause), ..Self::default() }
    }

    /// Runs a part of the run with a separate handle, so that its time limit does not end what follows. The part also
    /// ends when the whole run is stopped.
    pub(crate) fn with_part<T>(&self, run: impl FnOnce(&Self) -> T) -> T {
        let part = self.of_part();
        let is_done = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !is_done.load(Ordering::Acquire) {
                    if self.has_come() {
                        part.end();
                        return;
                    }
                    thread::park_timeout(LOOK);
                }
            });
            let result = run(&part);
            is_done.store(true, Ordering::Release);
            result
        })
    }

    /// Stops the run. The current best is kept.
    pub(crate) fn end(&self) {
        self.flag.store(true, Ordering::Release);
    }

    /// Registers a callback that is called after all inputs were read, before the first run of the oracle. The flag
    /// is not checked before, so a program should start to handle signals then.
    pub fn when_it_begins(&self, begin: impl FnOnce() -> io::Result<()> + Send + 'static) {
        *self.begin.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(begin));
    }

    /// Starts the run, with a time limit if given.
    pub(crate) fn begin(&self, limit: Option<Duration>) -> Result<(), Failure> {
        let unexpected = |error| Failure::new(Fault::Unexpected, error);
        let begin = self.begin.lock().unwrap_or_else(PoisonError::into_inner).take();
        begin.map_or(Ok(()), |begin| begin()).map_err(unexpected)?;
        limit.map_or(Ok(()), |limit| self.end_after(Over::Time, move || limit)).map_err(unexpected)
    }

    /// Converts an error of the initial runs if the time was over.
    pub(crate) fn or_late(&self, failure: Failure) -> Failure {
        if !self.is_late() {
            return failure;
        }
        let message = "`--max-time` ended before the initial runs were finished; nothing was changed";
        Failure::message(Fault::Oracle, message)
            .hint("the time includes the initial runs; use a longer `--max-time`")
    }

    /// Returns the flag that stops the run. The current best is kept.
    #[must_use]
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    /// Returns the pause, during which no probe makes progress.
    #[must_use]
    pub fn pause(&self) -> Arc<Pause> {
        Arc::clone(&self.pause)
    }

    /// Returns whether the run was stopped.
    #[must_use]
    pub fn has_come(&self) -> bool {
        self.flag.load(Ordering::Acquire)
    }

    /// Returns whether a time limit stopped the run.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.over().is_some()
    }

    /// Returns the time limit that was reached.
    #[must_use]
    pub fn over(&self) -> Option<Over> {
        [Over::Time, Over::Pace].into_iter().find(|over| *over as u8 == self.over.load(Ordering::Acquire))
    }

    /// Sets the flag after this time, which can be extended; pauses do not count.
    pub(crate) fn end_after(
        &self,
        bound: Over,
        limit: impl Fn() -> Duration + Send + 'static,
    ) -> io::Result<()> {
        let (stop, over, pause) = (self.flag(), Arc::clone(&self.over), self.pause());
        let (start, paused) = (Instant::now(), pause.total());
        start_thread("time", move || {
            loop {
                let own = start.elapsed().saturating_sub(pause.total().saturating_sub(paused));
                match limit().checked_sub(own) {
                    Some(rest) if !rest.is_zero() => thread::sleep(rest),
                    _ => break,
                }
            }
            if !stop.load(Ordering::Acquire) {
                over.store(bound as u8, Ordering::Relaxed);
                stop.store(true, Ordering::Release);
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_in_time_of_a_part_does_not_end_the_whole() {
        let stop = Stop::new();
        stop.with_part(|part| {
            part.begin(Some(Duration::ZERO)).expect("a thread");
            while !part.has_come() {
                thread::yield_now();
            }
        });
        assert!(!stop.has_come() && !stop.is_late());
    }

    #[test]
    fn a_part_ends_when_the_whole_is_to_end() {
        let stop = Stop::new();
        stop.with_part(|part| {
            stop.end();
            while !part.has_come() {
                thread::yield_now();
            }
        });
    }
}
