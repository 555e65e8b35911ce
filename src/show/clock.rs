//! Measures the time that a reduction has taken so far.
//!
//! Time in which the program was stopped from its terminal does not count.

use nubbin_oracle::Pause;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Runs from when it is made.
#[derive(Clone, Debug)]
pub struct Clock {
    start: Instant,
    pause: Option<Arc<Pause>>,
    /// The length of the pause before the start.
    before: Duration,
}

impl Clock {
    /// Makes a clock that knows no pause yet.
    pub fn new() -> Self {
        Self { start: Instant::now(), pause: None, before: Duration::ZERO }
    }

    /// Starts anew, and leaves out this pause.
    pub fn restart(&mut self, pause: Arc<Pause>) {
        *self = Self { start: Instant::now(), before: pause.total(), pause: Some(pause) };
    }

    /// Returns the time since the start.
    pub fn elapsed(&self) -> Duration {
        let paused = self.pause.as_ref().map_or(Duration::ZERO, |pause| pause.total());
        self.start.elapsed().saturating_sub(paused.saturating_sub(self.before))
    }
}
