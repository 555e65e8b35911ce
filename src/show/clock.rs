//! Measures the time of a reduction, without the time for which the program was suspended from its terminal.

use nubbin_oracle::Pause;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A clock that starts when it is created.
#[derive(Clone, Debug)]
pub struct Clock {
    start: Instant,
    pause: Option<Arc<Pause>>,
    /// The length of all pauses before the start.
    before: Duration,
}

impl Clock {
    /// Creates a clock without pauses.
    pub fn new() -> Self {
        Self { start: Instant::now(), pause: None, before: Duration::ZERO }
    }

    /// Restarts the clock; the time of this pause does not count.
    pub fn restart(&mut self, pause: Arc<Pause>) {
        *self = Self { start: Instant::now(), before: pause.total(), pause: Some(pause) };
    }

    /// Returns the time since the start.
    pub fn elapsed(&self) -> Duration {
        let paused = self.pause.as_ref().map_or(Duration::ZERO, |pause| pause.total());
        self.start.elapsed().saturating_sub(paused.saturating_sub(self.before))
    }
}
