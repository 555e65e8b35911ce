//! Cancellation of parsers and queries by a flag: a deeply nested text can keep one of them busy for minutes.
//!
//! The flag is stored for the thread while a piece of work runs, because parsers are created in many places,
//! which would all have to pass it on.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that, once set, cancels the current work.
pub type StopFlag = Arc<AtomicBool>;

thread_local! {
    static FLAG: RefCell<Option<StopFlag>> = const { RefCell::new(None) };
}

/// Runs `work`; its parsers and queries on this thread end early once the flag is set. A parser then returns
/// the tree of an empty text, and a query returns the matches found so far. After setting the flag, discard the
/// results.
pub fn until<T>(flag: Option<StopFlag>, work: impl FnOnce() -> T) -> T {
    let before = Restore(FLAG.replace(flag));
    let result = work();
    drop(before);
    result
}

/// The previous flag, which is restored when the work ends or panics.
struct Restore(Option<StopFlag>);

impl Drop for Restore {
    fn drop(&mut self) {
        FLAG.set(self.0.take());
    }
}

/// Returns whether the work of this thread is cancelled.
#[must_use]
pub fn has_come() -> bool {
    FLAG.with_borrow(|flag| flag.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)))
}

/// Iterates until the work of this thread is cancelled.
pub fn all<T>(items: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    items.into_iter().take_while(|_| !has_come())
}

/// Drops a value, which can take seconds; if the work of this thread is cancelled, another thread does it.
pub(crate) fn free<T: Send + 'static>(value: T) {
    if has_come() {
        // Without a thread the value is dropped here.
        let _ = std::thread::Builder::new().spawn(move || drop(value));
    }
}

/// Returns whether to continue.
pub(crate) fn go_on() -> ControlFlow<()> {
    if has_come() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_counts_for_the_work_that_it_was_given_to_and_no_longer() {
        let flag = StopFlag::default();
        until(Some(Arc::clone(&flag)), || {
            assert!(go_on().is_continue());
            flag.store(true, Ordering::Relaxed);
            assert!(go_on().is_break());
            until(None, || assert!(go_on().is_continue()));
            assert!(has_come());
        });
        assert!(!has_come());
    }
}
