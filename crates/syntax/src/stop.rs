//! The stop of parsers and queries: a flag that they look at while they work, since a text with deep nesting can keep one of
//! them busy for minutes.
//!
//! The flag is the thread's, for as long as a piece of work takes: parsers are made in many places, and none of them has to
//! hand it on.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that ends what is under way once it is set.
pub type StopFlag = Arc<AtomicBool>;

thread_local! {
    static FLAG: RefCell<Option<StopFlag>> = const { RefCell::new(None) };
}

/// Does some work whose parsers and queries on this thread end early once the flag is set. A parser then returns the tree of
/// an empty text, and a query the matches that it has found: whoever has set the flag looks at no result that is made after
/// that.
pub fn until<T>(flag: Option<StopFlag>, work: impl FnOnce() -> T) -> T {
    let before = Restore(FLAG.replace(flag));
    let result = work();
    drop(before);
    result
}

/// The flag before, which is there again when the work has ended, or panics.
struct Restore(Option<StopFlag>);

impl Drop for Restore {
    fn drop(&mut self) {
        FLAG.set(self.0.take());
    }
}

/// Tells whether this thread's work is to end.
#[must_use]
pub fn has_come() -> bool {
    FLAG.with_borrow(|flag| flag.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)))
}

/// Goes through these until this thread's work is to end.
pub fn all<T>(items: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    items.into_iter().take_while(|_| !has_come())
}

/// Frees something that may take seconds. Where this thread's work is to end, it does not wait for that.
pub(crate) fn free<T: Send + 'static>(value: T) {
    if has_come() {
        // Without a thread it is freed here.
        let _ = std::thread::Builder::new().spawn(move || drop(value));
    }
}

/// Says whether to go on.
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
