//! Determines the time limit of a probe, and remembers the candidates that exceeded it.
//!
//! The module does not read the clock; the callers report the elapsed times.

use super::Error;
use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Tuned constants.
struct Tuning {
    /// The limit of a probe before the first run has finished.
    before_any_run: Duration,
    /// The minimum limit after that, and the factor by which the limit exceeds the longest probe. Each entry
    /// applies after one more candidate in a row that reached the limit while it ran alone, so that inputs
    /// with many endless loops cost less time.
    later: [(Duration, u32); 5],
    /// A shorter probe lowers the time of the longest probe by their difference divided by this value. After
    /// a few hundred probes of a reduced candidate, the limit fits the reduced size.
    decay: u32,
    /// The time between two checks whether a waiting caller still needs its turn.
    tick: Duration,
}

const TUNING: Tuning = Tuning {
    before_any_run: Duration::from_secs(60),
    later: [
        (Duration::from_secs(5), 10),
        (Duration::from_secs(3), 8),
        (Duration::from_secs(2), 6),
        (Duration::from_secs(1), 5),
        (Duration::from_millis(500), 5),
    ],
    decay: 64,
    tick: Duration::from_millis(5),
};

/// Computes the limit of the next probe.
#[derive(Debug, Default)]
pub(super) struct Patience {
    longest: Mutex<Option<Duration>>,
    /// The number of times in a row that the limit was correct.
    right: Mutex<usize>,
    late: Mutex<HashMap<[u8; 32], Late>>,
    /// A limit that overrides the computed one.
    given: Mutex<Option<Duration>>,
}

/// A candidate that exceeded the limit.
#[derive(Clone, Copy, Debug)]
struct Late {
    limit: Duration,
    /// Whether it has exceeded the limit more than once.
    is_sure: bool,
}

impl Patience {
    /// Returns the limit that follows from the durations so far.
    pub fn limit(&self) -> Duration {
        let longest = *lock(&self.longest);
        let (least, times) = TUNING.later[*lock(&self.right)];
        longest.map_or(TUNING.before_any_run, |longest| least.max(longest.saturating_mul(times)))
    }

    /// Returns the limit that overrides the computed one, if there is one.
    pub fn given(&self) -> Option<Duration> {
        *lock(&self.given)
    }

    /// Sets a limit that overrides the computed one.
    pub fn give(&self, limit: Duration) {
        *lock(&self.given) = Some(limit);
    }

    /// Records the duration of a probe that ended within its limit. If `again` is true, later probes can take
    /// the same time again, like the first build in a directory, and the limit is not lowered.
    pub fn took(&self, time: Duration, again: bool) {
        let mut longest = lock(&self.longest);
        let last = longest.unwrap_or_default();
        if again {
            *longest = Some(time.max(last));
            return;
        }
        *longest = Some(time.max(last.saturating_sub(last.saturating_sub(time) / TUNING.decay)));
    }

    /// Records that a candidate exceeded the limit, but ended when it was run again alone: the limit was too
    /// short.
    pub fn was_hasty(&self) {
        *lock(&self.right) = 0;
    }

    /// Records that a candidate reached this limit while it ran alone, for the first time (`is_first`) or
    /// after it had exceeded the limit while other probes were running.
    pub fn is_late(&self, candidate: &[u8], limit: Duration, is_first: bool) {
        let mut right = lock(&self.right);
        *right = (*right + 1).min(TUNING.later.len() - 1);
        drop(right);
        let mut late = lock(&self.late);
        let name = *blake3::hash(candidate).as_bytes();
        let is_sure = !is_first || late.contains_key(&name);
        late.insert(name, Late { limit, is_sure });
    }

    /// Returns whether a candidate has reached this limit, or a longer one, twice. Once can be caused by a
    /// busy machine.
    pub fn was_late(&self, candidate: &[u8], limit: Duration) -> bool {
        let late = lock(&self.late);
        let is_known = |had: &Late| had.is_sure && had.limit >= limit;
        !late.is_empty() && late.get(blake3::hash(candidate).as_bytes()).is_some_and(is_known)
    }
}

/// Allows many shared turns at a time, or one exclusive turn.
#[derive(Debug, Default)]
pub(super) struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    running: usize,
    /// The number of callers that wait for an exclusive turn; no other turn begins until then.
    waiting: usize,
    /// The number of turns that have begun.
    begun: usize,
}

/// A shared turn, which ends when it is dropped.
pub(super) struct Turn<'g> {
    gate: &'g Gate,
    /// The number of turns that had begun with this one; `None` if another one was already active.
    began: Option<usize>,
}

impl Turn<'_> {
    /// Returns whether no other turn has overlapped with this one so far.
    pub fn is_alone(&self) -> bool {
        self.began == Some(lock(&self.gate.state).begun)
    }
}

impl Gate {
    /// Waits for a shared turn.
    ///
    /// # Errors
    /// Returns [`Error::Interrupted`] once `is_unwanted` returns true.
    pub fn enter(&self, is_unwanted: impl Fn() -> bool) -> Result<Turn<'_>, Error> {
        let mut state = lock(&self.state);
        while state.waiting > 0 {
            state = self.wait(state);
            if is_unwanted() {
                return Err(Error::Interrupted);
            }
        }
        state.running += 1;
        state.begun += 1;
        Ok(Turn { gate: self, began: (state.running == 1).then_some(state.begun) })
    }

    /// Waits for an exclusive turn.
    ///
    /// # Errors
    /// Returns [`Error::Interrupted`] once `is_unwanted` returns true.
    pub fn enter_alone(&self, is_unwanted: impl Fn() -> bool) -> Result<Alone<'_>, Error> {
        let mut state = lock(&self.state);
        state.waiting += 1;
        while state.running > 0 {
            state = self.wait(state);
            if is_unwanted() {
                state.waiting -= 1;
                self.changed.notify_all();
                return Err(Error::Interrupted);
            }
        }
        state.running += 1;
        Ok(Alone(self))
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        self.changed.wait_timeout(state, TUNING.tick).unwrap_or_else(PoisonError::into_inner).0
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.gate.state);
        state.running -= 1;
        if state.waiting > 0 {
            self.gate.changed.notify_all();
        }
    }
}

/// An exclusive turn, which ends when it is dropped.
pub(super) struct Alone<'g>(&'g Gate);

impl Drop for Alone<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.running -= 1;
        state.waiting -= 1;
        self.0.changed.notify_all();
    }
}

/// Locks a mutex, even if a thread panicked while it held the lock: no state here is left half updated.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_limit_follows_what_probes_take() {
        let patience = Patience::default();
        assert_eq!(patience.limit(), 60 * SECOND);
        patience.took(SECOND / 10, false);
        assert_eq!(patience.limit(), 5 * SECOND);
        patience.took(3 * SECOND, false);
        assert_eq!(patience.limit(), 30 * SECOND);
        patience.took(SECOND, false);
        assert!(patience.limit() < 30 * SECOND && patience.limit() > 29 * SECOND);
        (0..1000).for_each(|_| patience.took(SECOND, false));
        assert!(patience.limit() < 11 * SECOND && patience.limit() >= 10 * SECOND);
    }

    #[test]
    fn the_limit_comes_down_while_it_proves_right() {
        let patience = Patience::default();
        patience.took(SECOND / 10, false);
        let limits = [1, 2, 3, 4, 5].map(|_| {
            patience.is_late(b"a", SECOND, false);
            patience.limit()
        });
        assert_eq!(limits, [3 * SECOND, 2 * SECOND, SECOND, SECOND / 2, SECOND / 2]);
        patience.took(SECOND, false);
        assert_eq!(patience.limit(), 5 * SECOND);
        patience.was_hasty();
        assert_eq!(patience.limit(), 10 * SECOND);
    }

    #[test]
    fn who_was_late_twice_is_late_again_until_there_is_more_time() {
        let patience = Patience::default();
        assert!(!patience.was_late(b"a", SECOND));
        patience.is_late(b"a", 2 * SECOND, true);
        assert!(!patience.was_late(b"a", SECOND));
        patience.is_late(b"a", 2 * SECOND, true);
        assert!(patience.was_late(b"a", SECOND) && patience.was_late(b"a", 2 * SECOND));
        assert!(!patience.was_late(b"a", 3 * SECOND) && !patience.was_late(b"b", SECOND));
    }

    #[test]
    fn who_is_alone_is_alone() {
        let (gate, inside) = (Gate::default(), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for i in 0..8 {
                let (gate, inside) = (&gate, &inside);
                scope.spawn(move || {
                    for _ in 0..50 {
                        if i % 4 == 0 {
                            let _alone = gate.enter_alone(|| false).expect("it is wanted");
                            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                            inside.fetch_sub(1, Ordering::SeqCst);
                        } else {
                            let _turn = gate.enter(|| false).expect("it is wanted");
                            inside.fetch_add(1, Ordering::SeqCst);
                            inside.fetch_sub(1, Ordering::SeqCst);
                        }
                    }
                });
            }
        });
    }

    #[test]
    fn a_turn_knows_whether_another_was_beside_it() {
        let gate = Gate::default();
        let enter = || gate.enter(|| false).expect("it is wanted");
        let first = enter();
        assert!(first.is_alone());
        let second = enter();
        assert!(!first.is_alone() && !second.is_alone());
        drop(first);
        assert!(!second.is_alone());
        drop(second);
        assert!(enter().is_alone());
    }

    #[test]
    fn who_is_no_longer_wanted_does_not_wait() {
        let gate = Gate::default();
        let turn = gate.enter(|| false).expect("it is wanted");
        assert!(matches!(gate.enter_alone(|| true), Err(Error::Interrupted)));
        drop(turn);
        let alone = gate.enter_alone(|| false).expect("it is wanted");
        assert!(matches!(gate.enter(|| true), Err(Error::Interrupted)));
        drop(alone);
        assert!(gate.enter(|| false).is_ok());
    }
}
