//! Pauses all probes while the program is suspended from its terminal.
//!
//! The module stops no processes itself; each caller that waits for a probe checks the pause.

use super::patience::lock;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Whether the probes are paused, and how long they have been paused in total.
///
/// During a pause, the processes of all probes are stopped, no probe begins, and no time limit advances.
#[derive(Debug, Default)]
pub struct Pause {
    on: AtomicBool,
    running: AtomicUsize,
    held: AtomicUsize,
    since: Mutex<Option<Instant>>,
    before: Mutex<Duration>,
}

impl Pause {
    /// Pauses all probes. They stop some milliseconds later, see [`is_complete`](Self::is_complete).
    pub fn begin(&self) {
        lock(&self.since).get_or_insert_with(Instant::now);
        self.on.store(true, Ordering::SeqCst);
    }

    /// Returns whether every running probe has stopped.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.held.load(Ordering::SeqCst) >= self.running.load(Ordering::SeqCst)
    }

    /// Resumes all probes.
    pub fn end(&self) {
        if let Some(since) = lock(&self.since).take() {
            *lock(&self.before) += since.elapsed();
        }
        self.on.store(false, Ordering::SeqCst);
    }

    /// Returns the total duration of all pauses.
    #[must_use]
    pub fn total(&self) -> Duration {
        *lock(&self.before) + lock(&self.since).map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Returns whether the pause is active.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.on.load(Ordering::SeqCst)
    }

    /// Returns the number of running probes.
    #[must_use]
    pub fn under_way(&self) -> usize {
        self.running.load(Ordering::SeqCst)
    }

    /// Counts a running probe until the returned value is dropped.
    pub(super) fn run(&self) -> Running<'_> {
        self.running.fetch_add(1, Ordering::SeqCst);
        Running { pause: self, held: false }
    }
}

/// A running probe.
pub(super) struct Running<'p> {
    pause: &'p Pause,
    held: bool,
}

impl Running<'_> {
    /// Returns whether the probe must be stopped (`true`) or resumed (`false`); `None` if nothing has changed
    /// since the last call.
    pub(super) fn changes(&mut self) -> Option<bool> {
        let on = self.pause.is_on();
        if on == self.held {
            return None;
        }
        self.held = on;
        if on {
            self.pause.held.fetch_add(1, Ordering::SeqCst);
        } else {
            self.pause.held.fetch_sub(1, Ordering::SeqCst);
        }
        Some(on)
    }

    /// Returns whether the probe is stopped.
    pub(super) fn is_held(&self) -> bool {
        self.held
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.pause.running.fetch_sub(1, Ordering::SeqCst);
        if self.held {
            self.pause.held.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_complete_when_each_probe_has_seen_it() {
        let pause = Pause::default();
        let (mut one, mut other) = (pause.run(), pause.run());
        assert_eq!(one.changes(), None);
        pause.begin();
        assert_eq!((one.changes(), pause.is_complete()), (Some(true), false));
        assert_eq!((other.changes(), pause.is_complete()), (Some(true), true));
        assert_eq!(one.changes(), None);
        pause.end();
        drop(one);
        assert_eq!(other.changes(), Some(false));
        assert!(pause.total() > Duration::ZERO);
    }
}
