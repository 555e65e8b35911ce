//! Ends a run when it makes too little progress, judged by the sizes of its results and their times.

use crate::control::Stalled;
use crate::failure::{Failure, Fault};
use crate::stop::{Over, Stop};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The progress of a run with `--stop-at`.
#[derive(Debug)]
pub(crate) struct Pace {
    stalled: Stalled,
    start: Instant,
    /// The times and sizes of the relevant results.
    bests: Mutex<Vec<(Duration, usize)>>,
}

impl Pace {
    /// Starts with an input of this size, and stops the run when it makes too little progress.
    ///
    /// # Errors
    /// Returns an error if no thread can be started.
    pub fn begin(stalled: &Stalled, size: usize, stop: &Stop) -> Result<Arc<Self>, Failure> {
        let bests = Mutex::new(vec![(Duration::ZERO, size)]);
        let pace = Arc::new(Self { stalled: stalled.clone(), start: Instant::now(), bests });
        let own = Arc::clone(&pace);
        stop.end_after(Over::Pace, move || own.limit())
            .map_err(|error| Failure::new(Fault::Unexpected, error))?;
        Ok(pace)
    }

    /// Records a result of this size.
    pub fn found(&self, size: usize) {
        self.add(self.start.elapsed(), size);
    }

    fn add(&self, at: Duration, size: usize) {
        let mut bests = self.bests.lock().unwrap_or_else(PoisonError::into_inner);
        bests.push((at, size));
        // Much larger results are no longer relevant.
        let kept = bests.iter().position(|(_, before)| !self.is_much_smaller(size, *before)).unwrap_or(0);
        bests.drain(..kept);
    }

    /// Returns whether a size is smaller than an earlier one by the required share.
    fn is_much_smaller(&self, size: usize, before: usize) -> bool {
        size as f64 <= before as f64 * (1.0 - self.stalled.share)
    }

    /// Returns the time at which the run ends if nothing is found until then: when the first result that is not much
    /// larger than the last one has the age of the period.
    fn limit(&self) -> Duration {
        let bests = self.bests.lock().unwrap_or_else(PoisonError::into_inner);
        bests.first().map_or(Duration::ZERO, |(at, _)| *at) + self.stalled.time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_pays_as_long_as_the_share_goes_in_time() {
        let stalled = Stalled { text: String::new(), share: 0.1, time: Duration::from_secs(60) };
        let bests = Mutex::new(vec![(Duration::ZERO, 1000)]);
        let pace = Pace { stalled, start: Instant::now(), bests };
        let after = |seconds, size| {
            pace.add(Duration::from_secs(seconds), size);
            pace.limit().as_secs()
        };
        assert_eq!(after(10, 950), 60);
        assert_eq!(after(20, 900), 70, "since 950 at 10 s less than a tenth has gone");
        assert_eq!(after(30, 100), 90);
        assert_eq!(after(50, 95), 90);
        assert_eq!(after(80, 90), 110);
    }
}
