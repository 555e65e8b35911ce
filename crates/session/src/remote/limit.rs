//! The number of actions that may be under way on a cluster: fewer while it does not keep up.
//!
//! Actions that a cluster does not keep up with only wait there, and those that are wanted most wait as long as all others.

use std::time::Duration;

/// The numbers that were tuned.
struct Tuning {
    /// An answer may take so many times as long as on an idle cluster before the limit goes down.
    tolerance: f64,
    /// The limit is never below this.
    fewest: f64,
    /// The part of the way to the next limit that one answer moves it.
    weight: f64,
}

const TUNING: Tuning = Tuning { tolerance: 1.5, fewest: 2.0, weight: 0.1 };

/// A limit that follows the times of the answers.
///
/// The next limit is the limit times the ratio of the time on an idle cluster to that of the answer, and one more, as in
/// Netflix's concurrency limits.
#[derive(Debug)]
pub(super) struct Limit {
    now: f64,
    most: f64,
    /// The shortest time that it ever took beside the run to ask the cluster.
    shortest: Option<Duration>,
}

impl Limit {
    pub fn new(most: usize) -> Self {
        Self { now: most as f64, most: most as f64, shortest: None }
    }

    pub fn get(&self) -> usize {
        self.now as usize
    }

    /// Takes note of an answer: the time of the run there, and the time beside it.
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
