//! The time that a probe may take, and the candidates that took longer.
//!
//! It reads no clock: whoever runs a probe tells how long it took.

use super::Error;
use std::collections::HashMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The numbers that were tuned.
struct Tuning {
    /// The limit of a probe before anything has been run.
    before_any_run: Duration,
    /// The least limit afterwards, and the factor of the limit on the time of the longest probe: at first, and after
    /// each time that a candidate was late which ran alone. An input full of loops costs less
    /// then.
    later: [(Duration, u32); 5],
    /// A probe shorter than the longest one lowers the time of the longest by their difference divided by this. After
    /// some hundred probes of a candidate that has become small, the limit is that of small candidates.
    decay: u32,
    /// The time between two checks whether a caller that waits for a turn still wants it.
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

/// The limit of the next probe.
#[derive(Debug, Default)]
pub(super) struct Patience {
    longest: Mutex<Option<Duration>>,
    /// The number of times in a row that the limit was right.
    right: Mutex<usize>,
    late: Mutex<HashMap<[u8; 32], Late>>,
    /// A limit that holds in place of any other.
    given: Mutex<Option<Duration>>,
}

/// A candidate that was late.
#[derive(Clone, Copy, Debug)]
struct Late {
    limit: Duration,
    /// Is false if it has been late once only.
    is_sure: bool,
}

impl Patience {
    /// The limit that fits what probes have taken so far.
    pub fn limit(&self) -> Duration {
        let longest = *lock(&self.longest);
        let (least, times) = TUNING.later[*lock(&self.right)];
        longest.map_or(TUNING.before_any_run, |longest| least.max(longest.saturating_mul(times)))
    }

    /// Returns the limit that holds in place of any other, if one was given.
    pub fn given(&self) -> Option<Duration> {
        *lock(&self.given)
    }

    /// Gives probes this limit from now on.
    pub fn give(&self, limit: Duration) {
        *lock(&self.given) = Some(limit);
    }

    /// A probe ended by itself after this time. Where any later one may take as long again, as the first build in a
    /// directory does, the limit comes down no more.
    pub fn took(&self, time: Duration, again: bool) {
        let mut longest = lock(&self.longest);
        let last = longest.unwrap_or_default();
        if again {
            *longest = Some(time.max(last));
            return;
        }
        *longest = Some(time.max(last.saturating_sub(last.saturating_sub(time) / TUNING.decay)));
    }

    /// A candidate that had run into the limit was run again, alone, and ended by itself: the limit was too short.
    pub fn was_hasty(&self) {
        *lock(&self.right) = 0;
    }

    /// A candidate has run into this limit alone, for the first time (`is_first`) or after it had been late beside others.
    pub fn is_late(&self, candidate: &[u8], limit: Duration, is_first: bool) {
        let mut right = lock(&self.right);
        *right = (*right + 1).min(TUNING.later.len() - 1);
        drop(right);
        let mut late = lock(&self.late);
        let name = *blake3::hash(candidate).as_bytes();
        let is_sure = !is_first || late.contains_key(&name);
        late.insert(name, Late { limit, is_sure });
    }

    /// Tells whether a candidate has run into this limit, or a longer one, twice before: the machine may have been busy
    /// once.
    pub fn was_late(&self, candidate: &[u8], limit: Duration) -> bool {
        let late = lock(&self.late);
        let is_known = |had: &Late| had.is_sure && had.limit >= limit;
        !late.is_empty() && late.get(blake3::hash(candidate).as_bytes()).is_some_and(is_known)
    }
}

/// Lets many run at a time, or one alone.
#[derive(Debug, Default)]
pub(super) struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    running: usize,
    /// The number of callers that wait to be alone; nobody else begins while someone does.
    waiting: usize,
    /// Counts the turns that have begun.
    begun: usize,
}

/// A turn that ends when this is dropped.
pub(super) struct Turn<'g> {
    gate: &'g Gate,
    /// The number of turns that had begun with it; `None` if it began beside another one.
    began: Option<usize>,
}

impl Turn<'_> {
    /// Tells whether no other turn has been beside it so far.
    pub fn is_alone(&self) -> bool {
        self.began == Some(lock(&self.gate.state).begun)
    }
}

impl Gate {
    /// Waits for a turn beside others.
    ///
    /// # Errors
    /// Returns an error if it is no longer wanted.
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

    /// Waits for a turn alone.
    ///
    /// # Errors
    /// Returns an error if it is no longer wanted.
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

/// A turn alone, which ends when this is dropped.
pub(super) struct Alone<'g>(&'g Gate);

impl Drop for Alone<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.running -= 1;
        state.waiting -= 1;
        self.0.changed.notify_all();
    }
}

/// Nothing here can be left half done by a thread that panicked.
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
