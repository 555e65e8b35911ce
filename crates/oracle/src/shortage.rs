//! Handles a temporary shortage of processes: if the system cannot start a process, the start is repeated
//! after a pause.
//!
//! Only starts are repeated. If the test itself cannot start a process, its result is a verdict like any
//! other.

use super::Error;
use super::patience::lock;
use rustix::io::Errno;
use std::fmt;
use std::io;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Tuned constants.
struct Tuning {
    /// The pause before the second attempt. Each pause is twice as long as the previous one.
    first_pause: Duration,
    /// The longest pause.
    longest_pause: Duration,
    /// The total duration of the pauses before the shortage is reported as an error.
    patience: Duration,
    /// The time between two checks whether the caller still needs the result.
    tick: Duration,
}

const TUNING: Tuning = Tuning {
    first_pause: Duration::from_millis(10),
    longest_pause: Duration::from_secs(1),
    patience: Duration::from_secs(60),
    tick: Duration::from_millis(20),
};

/// How long a start is repeated while the system has no free process.
pub const PATIENCE: Duration = TUNING.patience;

type Told = dyn Fn(&io::Error) + Send + Sync;

/// A listener that is called with the system's error before each repeated start.
#[derive(Clone, Default)]
pub(super) struct OnShortage(Option<Arc<Told>>);

impl OnShortage {
    pub(super) fn new(listener: impl Fn(&io::Error) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(listener)))
    }

    fn tell(&self, error: &io::Error) {
        if let Some(listener) = &self.0 {
            listener(error);
        }
    }
}

impl fmt::Debug for OnShortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "OnShortage" } else { "None" })
    }
}

/// Returns whether a start failed because of the limit on processes or threads, which can be temporary.
pub(super) fn is_shortage(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::AGAIN.raw_os_error())
}

/// Starts a thread. If the system has no free thread, the start is repeated for [`PATIENCE`].
///
/// # Errors
/// Returns the system's error.
pub fn start_thread(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    // A failed start drops its closure, so the work is kept outside of it.
    let work = Arc::new(Mutex::new(Some(work)));
    let (mut pause, mut left) = (TUNING.first_pause, TUNING.patience);
    loop {
        let own = Arc::clone(&work);
        let run = move || {
            let work = lock(&own).take();
            if let Some(work) = work {
                work();
            }
        };
        match thread::Builder::new().name(name.to_owned()).spawn(run) {
            Err(error) if is_shortage(&error) && !left.is_zero() => {
                pause = pause.min(left);
                thread::sleep(pause);
                left -= pause;
                pause = (pause * 2).min(TUNING.longest_pause);
            }
            started => return started.map(drop),
        }
    }
}

/// Repeats `attempt` until it fails for no shortage of processes, the patience is exhausted, or the result is
/// no longer needed.
pub(super) fn wait_out<T>(
    listener: &OnShortage,
    is_unwanted: &dyn Fn() -> bool,
    attempt: impl FnMut() -> Result<T, Error>,
) -> Result<T, Error> {
    wait_out_with(listener, is_unwanted, attempt, |pause| {
        let mut left = pause;
        while !left.is_zero() && !is_unwanted() {
            let slice = left.min(TUNING.tick);
            thread::sleep(slice);
            left -= slice;
        }
    })
}

fn wait_out_with<T>(
    listener: &OnShortage,
    is_unwanted: &dyn Fn() -> bool,
    mut attempt: impl FnMut() -> Result<T, Error>,
    mut sleep: impl FnMut(Duration),
) -> Result<T, Error> {
    let (mut pause, mut left) = (TUNING.first_pause, TUNING.patience);
    loop {
        let error = match attempt() {
            Err(error) if error.is_shortage() => error,
            other => return other,
        };
        let (Error::Start { source, .. } | Error::Warden(source)) = &error else { return Err(error) };
        if left.is_zero() {
            return Err(error);
        }
        listener.tell(source);
        pause = pause.min(left);
        sleep(pause);
        if is_unwanted() {
            return Err(Error::Interrupted);
        }
        left -= pause;
        pause = (pause * 2).min(TUNING.longest_pause);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn short() -> Error {
        Error::Warden(Errno::AGAIN.into())
    }

    #[test]
    fn a_start_is_repeated_until_the_system_has_a_process_again() {
        for failures in [0, 1, 7] {
            let (told, attempts) = (Arc::new(AtomicUsize::new(0)), Cell::new(0));
            let count = Arc::clone(&told);
            let listener = OnShortage::new(move |_| {
                count.fetch_add(1, Ordering::Relaxed);
            });
            let attempt = || {
                attempts.set(attempts.get() + 1);
                if attempts.get() > failures { Ok(attempts.get()) } else { Err(short()) }
            };
            let done = wait_out_with(&listener, &|| false, attempt, |_| ());
            assert_eq!(done.expect("it is started in the end"), failures + 1);
            assert_eq!(told.load(Ordering::Relaxed), failures);
        }
    }

    #[test]
    fn a_shortage_that_does_not_pass_is_an_error_after_a_bounded_time() {
        let waited = Cell::new(Duration::ZERO);
        let sleep = |pause: Duration| {
            assert!(pause <= TUNING.longest_pause);
            waited.set(waited.get() + pause);
        };
        let failed: Result<(), _> = wait_out_with(&OnShortage::default(), &|| false, || Err(short()), sleep);
        assert!(failed.expect_err("it is never started").is_shortage());
        assert_eq!(waited.get(), TUNING.patience);
    }

    #[test]
    fn other_errors_are_not_waited_out_and_a_stop_ends_the_wait() {
        let attempts = Cell::new(0);
        let attempt = |error: fn() -> Error| {
            attempts.set(attempts.get() + 1);
            Err::<(), _>(error())
        };
        let missing = || Error::NotFound { program: "x".into() };
        let failed = wait_out_with(&OnShortage::default(), &|| false, || attempt(missing), |_| ());
        assert!(matches!(failed, Err(Error::NotFound { .. })));
        let failed = wait_out_with(&OnShortage::default(), &|| true, || attempt(short), |_| ());
        assert!(matches!(failed, Err(Error::Interrupted)));
        assert_eq!(attempts.get(), 2);
    }
}
