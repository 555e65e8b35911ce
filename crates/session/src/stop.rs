//! The stop of a run from outside: by whoever asks for it, or since its time is over.
//!
//! It knows no signal: a program that gets one asks here. It ends nothing itself; whoever works looks at the flag.

use crate::failure::{Failure, Fault};
use nubbin_oracle::{Pause, start_thread};
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Whether the whole run is to end is looked at so often during a part of it.
const LOOK: Duration = Duration::from_millis(50);

/// Called once, when the run begins to matter.
type Begin = Box<dyn FnOnce() -> io::Result<()> + Send>;

/// The bound in time that ended a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// Its time was over.
    Time = 1,
    /// It no longer paid.
    Pace = 2,
}

/// A handle by which a run is stopped or paused; its clones are the same handle.
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
    /// Returns a handle that nobody has used yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns a handle for a part of the run: it has a flag and a time of its own, and pauses with the whole.
    pub(crate) fn of_part(&self) -> Self {
        Self { pause: Arc::clone(&self.pause), ..Self::default() }
    }

    /// Runs a part of the run with a handle of its own, so that a bound in time of the part does not end what comes after it. The
    /// part ends as well when the whole is to end.
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

    /// Ends what has this handle. The best so far is kept.
    pub(crate) fn end(&self) {
        self.flag.store(true, Ordering::Release);
    }

    /// Has this called once all that is to be read has been read, before the oracle runs for the first time. Up to then
    /// nothing looks at the flag, so a program watches for signals from then on.
    pub fn when_it_begins(&self, begin: impl FnOnce() -> io::Result<()> + Send + 'static) {
        *self.begin.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(begin));
    }

    /// Begins the run, which is to end after this time, if there is one.
    pub(crate) fn begin(&self, limit: Option<Duration>) -> Result<(), Failure> {
        let unexpected = |error| Failure::new(Fault::Unexpected, error);
        let begin = self.begin.lock().unwrap_or_else(PoisonError::into_inner).take();
        begin.map_or(Ok(()), |begin| begin()).map_err(unexpected)?;
        limit.map_or(Ok(()), |limit| self.end_after(Over::Time, move || limit)).map_err(unexpected)
    }

    /// Returns the failure of what came before the reduction, where the time was over by then.
    pub(crate) fn or_late(&self, failure: Failure) -> Failure {
        if !self.is_late() {
            return failure;
        }
        let message =
            "the time of `--max-time` was over before the input was known to fail; nothing was changed";
        Failure::message(Fault::Oracle, message).hint("it counts from the start, so give it more")
    }

    /// Returns the flag that ends the run once it is set. The best so far is kept.
    #[must_use]
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.flag)
    }

    /// Returns the pause in which no probe makes progress.
    #[must_use]
    pub fn pause(&self) -> Arc<Pause> {
        Arc::clone(&self.pause)
    }

    /// Tells whether the run is to end.
    #[must_use]
    pub fn has_come(&self) -> bool {
        self.flag.load(Ordering::Acquire)
    }

    /// Tells whether it is to end since a bound in time was reached.
    #[must_use]
    pub fn is_late(&self) -> bool {
        self.over().is_some()
    }

    /// Returns the bound in time that was reached.
    #[must_use]
    pub fn over(&self) -> Option<Over> {
        [Over::Time, Over::Pace].into_iter().find(|over| *over as u8 == self.over.load(Ordering::Acquire))
    }

    /// Sets the flag after this time, which may grow meanwhile; pauses do not count.
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
