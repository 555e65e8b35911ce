//! Stores which passes the user has switched off during a reduction.
//!
//! The schedule asks the engine between two questions, and the plan follows the switches.

use super::Reduction;
use crate::pass;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Switches off or skips passes of a running reduction. The value is shared between the reduction and the caller.
///
/// A switch before the start takes effect from the first question, and the outcome is the same for every number of
/// jobs. A later switch takes effect at the next question, so the outcome depends on its time.
///
/// ```
/// use nubbin_reduce::{Proof, Reduction, Switches, Verdict};
///
/// let fails = |text: &[u8]| match text.contains(&b'!') {
///     true => Verdict::Interesting,
///     false => Verdict::Uninteresting,
/// };
/// let switches = Switches::default();
/// switches.switch("delete-bytes", false);
/// let outcome = Reduction::new("one\ntwo three!\nfour\n").switches(&switches).run(&fails).unwrap();
/// assert_eq!(outcome.skipped, ["delete-bytes", "delete-bytes/inside"]);
/// assert!(outcome.passes.iter().all(|pass| !pass.name.starts_with("delete-bytes")));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Switches(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// The number of changes.
    changes: AtomicU64,
    state: Mutex<Wanted>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Wanted {
    /// The passes that are off.
    pub off: Vec<&'static str>,
    /// The passes to skip once.
    pub skip: Vec<&'static str>,
}

impl Switches {
    /// Switches a pass or a group of passes off, or on again. Returns whether the name is known.
    ///
    /// A pass that is off proposes nothing, and the proof excludes it.
    #[expect(clippy::must_use_candidate, reason = "called for its effect on the shared value")]
    pub fn switch(&self, name: &str, on: bool) -> bool {
        self.change(name, |wanted, name| {
            wanted.off.retain(|off| *off != name);
            if !on {
                wanted.off.push(name);
            }
        })
    }

    /// Skips a pass or a group of passes until the current best changes. Returns whether the name is known. The proof
    /// still includes the pass.
    #[expect(clippy::must_use_candidate, reason = "called for its effect on the shared value")]
    pub fn skip(&self, name: &str) -> bool {
        self.change(name, |wanted, name| wanted.skip.push(name))
    }

    /// Returns whether a pass is off.
    #[must_use]
    pub fn is_off(&self, name: &str) -> bool {
        self.state().off.contains(&name)
    }

    /// Returns the number of changes.
    pub(super) fn changes(&self) -> u64 {
        self.0.changes.load(Ordering::Acquire)
    }

    /// Returns the number of changes, and the passes to switch off or skip. Each skip is returned only once.
    pub(super) fn take(&self) -> (u64, Wanted) {
        let mut state = self.state();
        let skip = std::mem::take(&mut state.skip);
        (self.changes(), Wanted { off: state.off.clone(), skip })
    }

    /// Makes the change for each selected pass. Returns whether there is any.
    fn change(&self, name: &str, change: impl Fn(&mut Wanted, &'static str)) -> bool {
        let mut passes = pass::select(name).peekable();
        if passes.peek().is_none() {
            return false;
        }
        let mut state = self.state();
        passes.for_each(|pass| change(&mut state, pass.name));
        self.0.changes.fetch_add(1, Ordering::Release);
        true
    }

    fn state(&self) -> MutexGuard<'_, Wanted> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reduction<'_> {
    /// Follows these switches.
    #[must_use]
    pub fn switches(mut self, switches: &Switches) -> Self {
        self.switches = switches.clone();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_switched_is_told_again_and_what_is_skipped_once() {
        let switches = Switches::default();
        assert!(switches.switch("delete-nodes", false) && switches.skip("hoist"));
        assert!(!switches.switch("nonsense", false) && !switches.skip("sweep"));
        let (changes, wanted) = switches.take();
        assert_eq!(
            (changes, wanted.off, wanted.skip),
            (2, vec!["delete-nodes", "delete-nodes/kind"], vec!["hoist"])
        );
        let (_, wanted) = switches.take();
        assert_eq!((wanted.off.len(), wanted.skip), (2, vec![]));
        switches.switch("delete-nodes", true);
        assert!(!switches.is_off("delete-nodes"));
    }
}
