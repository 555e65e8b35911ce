//! A pause of all probes, for a program that is stopped from its terminal.
//!
//! It stops nothing itself: whoever waits for a probe looks at it.

use super::patience::lock;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The state of the pause: whether the probes stand still, and for how long they have.
///
/// While it is on, the processes of all probes are stopped, no probe begins, and the time counts for no limit.
#[derive(Debug, Default)]
pub struct Pause {
    on: AtomicBool,
    running: AtomicUsize,
    held: AtomicUsize,
    since: Mutex<Option<Instant>>,
    before: Mutex<Duration>,
}

impl Pause {
    /// Has all probes stand still. They do so some milliseconds later, see [`is_complete`](Self::is_complete).
    pub fn begin(&self) {
        lock(&self.since).get_or_insert_with(Instant::now);
        self.on.store(true, Ordering::SeqCst);
    }

    /// Tells whether every probe that runs stands still now.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.held.load(Ordering::SeqCst) >= self.running.load(Ordering::SeqCst)
    }

    /// Has all probes go on.
    pub fn end(&self) {
        if let Some(since) = lock(&self.since).take() {
            *lock(&self.before) += since.elapsed();
        }
        self.on.store(false, Ordering::SeqCst);
    }

    /// Returns the time that all pauses have lasted together.
    #[must_use]
    pub fn total(&self) -> Duration {
        *lock(&self.before) + lock(&self.since).map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Tells whether probes are to stand still.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.on.load(Ordering::SeqCst)
    }

    /// Returns the number of probes that are under way.
    #[must_use]
    pub fn under_way(&self) -> usize {
        self.running.load(Ordering::SeqCst)
    }

    /// Counts a probe that runs, until what is returned is dropped.
    pub(super) fn run(&self) -> Running<'_> {
        self.running.fetch_add(1, Ordering::SeqCst);
        Running { pause: self, held: false }
    }
}

/// A probe that runs.
pub(super) struct Running<'p> {
    pause: &'p Pause,
    held: bool,
}

impl Running<'_> {
    /// Tells whether the probe is to stand still (`true`) or to go on (`false`); `None` if that has not changed since
    /// the last call.
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

    /// Tells whether the probe stands still.
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
