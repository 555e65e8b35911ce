//! Limits the number of concurrent actions on a cluster, and lowers it if the cluster is overloaded.
//!
//! Excess actions would only wait in the cluster's queue, and delay the important ones.

use std::time::Duration;

/// Tuned parameters.
struct Tuning {
    /// The response time, relative to that of an idle cluster, above which the limit is lowered.
    tolerance: f64,
    /// The least limit.
    fewest: f64,
    /// The share by which one response moves the limit to its new value.
    weight: f64,
}

const TUNING: Tuning = Tuning { tolerance: 1.5, fewest: 2.0, weight: 0.1 };

/// A limit that follows response times.
///
/// The new limit is the limit times the ratio of the idle to the current response time, plus one, as in Netflix's
/// concurrency limits.
#[derive(Debug)]
pub(super) struct Limit {
    now: f64,
    most: f64,
    /// The shortest overhead of a request so far.
    shortest: Option<Duration>,
}

impl Limit {
    pub fn new(most: usize) -> Self {
        Self { now: most as f64, most: most as f64, shortest: None }
    }

    pub fn get(&self) -> usize {
        self.now as usize
    }

    /// Records a response: its overhead `way`, and the time of the run itself.
    pub fn learn(&mut self, way: Duration, run: Duration) {
        let shortest = self.shortest.map_or(way, |shortest| shortest.min(way));
        self.shortest = Some(shortest);
        let ratio = (shortest + run).as_secs_f64() / (way + run).as_secs_f64().max(f64::MIN_POSITIVE);
        let next = self.now * (ratio * TUNING.tolerance).clamp(0.5, 1.0) + 1.0;
        self.now += (next - self.now) * TUNING.weight;
        self.now = self.now.clamp(TUNING.fewest.min(self.most), self.most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(limit: &mut Limit, answers: usize, way: u64) -> usize {
        for _ in 0..answers {
            limit.learn(Duration::from_millis(way), Duration::from_millis(300));
        }
        limit.get()
    }

    #[test]
    fn a_cluster_that_does_not_keep_up_gets_fewer_actions_until_it_does() {
        let mut limit = Limit::new(64);
        assert_eq!(after(&mut limit, 100, 20), 64, "it keeps up");
        assert_eq!(after(&mut limit, 20, 150), 64, "a little longer is nothing");
        assert_eq!(after(&mut limit, 40, 900), 9, "it does not");
        assert_eq!(after(&mut limit, 100, 20), 19, "it does again");
        assert_eq!(after(&mut limit, 1000, 20), 64);
    }

    #[test]
    fn a_limit_stays_between_two_and_what_was_asked_for() {
        let mut limit = Limit::new(8);
        after(&mut limit, 1, 20);
        assert_eq!(after(&mut limit, 1000, 60_000), 2);
        let mut one = Limit::new(1);
        after(&mut one, 1, 20);
        assert_eq!(after(&mut one, 100, 60_000), 1);
    }
}
