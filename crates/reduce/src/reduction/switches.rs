//! Holds the passes that the user switches off while a reduction runs.
//!
//! It ends no pass by itself: the schedule asks the engine between two questions, and the plan follows the switches.

use super::Reduction;
use crate::pass;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The passes of a running reduction that the user does not want. The value is shared: the reduction has one clone, and
/// the user's code has another.
///
/// A switch before the reduction begins counts from its first question on, and the outcome is the same at every number
/// of jobs. A later switch counts from the next question on, so the outcome depends on the instant.
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
/// assert_eq!(outcome.skipped, ["delete-bytes"]);
/// assert!(outcome.passes.iter().all(|pass| pass.name != "delete-bytes"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Switches(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// Counts the changes.
    changes: AtomicU64,
    state: Mutex<Wanted>,
}

/// The passes that the user wants switched off or skipped.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted {
    /// The passes that are off.
    pub off: Vec<&'static str>,
    /// The passes to skip for now.
    pub skip: Vec<&'static str>,
}

impl Switches {
    /// Switches a pass or a group of passes off, or on again. Returns whether the name is known.
    ///
    /// A pass that is off proposes nothing, and the proof does not include it.
    #[expect(clippy::must_use_candidate, reason = "it changes what is shared")]
    pub fn switch(&self, name: &str, on: bool) -> bool {
        self.change(name, |wanted, name| {
            wanted.off.retain(|off| *off != name);
            if !on {
                wanted.off.push(name);
            }
        })
    }

    /// Skips a pass or a group of passes until the current best changes. Returns whether the name is known. The proof still
    /// includes the pass.
    #[expect(clippy::must_use_candidate, reason = "it changes what is shared")]
    pub fn skip(&self, name: &str) -> bool {
        self.change(name, |wanted, name| wanted.skip.push(name))
    }

    /// Tells whether a pass is off.
    #[must_use]
    pub fn is_off(&self, name: &str) -> bool {
        self.state().off.contains(&name)
    }

    /// Counts the changes so far.
    pub(super) fn changes(&self) -> u64 {
        self.0.changes.load(Ordering::Acquire)
    }

    /// Returns the number of changes so far, and the current wishes. A pass to skip is returned only once.
    pub(super) fn take(&self) -> (u64, Wanted) {
        let mut state = self.state();
        let skip = std::mem::take(&mut state.skip);
        (self.changes(), Wanted { off: state.off.clone(), skip })
    }

    /// Makes the change for each pass that the name selects. Returns whether there is any.
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
    /// Follows these switches from one question to the next.
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
