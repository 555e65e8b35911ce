//! Measures the time that a reduction has taken so far.
//!
//! Time in which the program was stopped from its terminal does not count.

use nubbin_oracle::Pause;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A clock that starts when it is made.
#[derive(Clone, Debug)]
pub struct Clock {
    start: Instant,
    pause: Option<Arc<Pause>>,
    /// The length of all pauses before the start.
    before: Duration,
}

impl Clock {
    /// Makes a clock without pauses.
    pub fn new() -> Self {
        Self { start: Instant::now(), pause: None, before: Duration::ZERO }
    }

    /// Starts again; the time of this pause does not count.
    pub fn restart(&mut self, pause: Arc<Pause>) {
        *self = Self { start: Instant::now(), before: pause.total(), pause: Some(pause) };
    }

    /// Returns the time since the start.
    pub fn elapsed(&self) -> Duration {
        let paused = self.pause.as_ref().map_or(Duration::ZERO, |pause| pause.total());
        self.start.elapsed().saturating_sub(paused.saturating_sub(self.before))
    }
}
