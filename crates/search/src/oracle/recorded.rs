//! An oracle that records its verdicts and does not repeat recorded probes.
//!
//! The record decides where verdicts are stored, and its owner when a candidate is tested again.

use super::{NoVerdict, Oracle};
use crate::Verdict;
use crate::schedule::{Name, name};
use std::sync::atomic::AtomicBool;

/// Stores verdicts by the [name](crate::schedule::name()) of the candidate.
///
/// A record whose storage fails continues silently; its owner must report that.
pub trait Record: Sync {
    /// Returns the verdict on this candidate, if it is known.
    fn find(&self, name: &Name) -> Option<Verdict>;

    /// Reports that a recorded verdict was used for this candidate and nothing was run.
    fn recalled(&self, candidate: &[u8], verdict: Verdict) {
        let _ = (candidate, verdict);
    }

    /// Adds a verdict that the oracle has just returned.
    fn add(&self, name: &Name, verdict: Verdict);

    /// Announces that this candidate will be tested again. The next verdict replaces the known one.
    fn ask_again(&self, name: &Name);
}

/// An oracle that looks up each verdict in a record and adds new ones to it.
pub struct Recorded<'o, O: ?Sized> {
    oracle: &'o O,
    record: &'o dyn Record,
}

impl<'o, O: Oracle + ?Sized> Recorded<'o, O> {
    /// Wraps `oracle`, with its verdicts in `record`.
    #[must_use]
    pub fn new(oracle: &'o O, record: &'o dyn Record) -> Self {
        Self { oracle, record }
    }

    /// Returns the recorded verdict, or runs `probe` and records its verdict.
    fn verdict(
        &self,
        candidate: &[u8],
        probe: impl FnOnce() -> Result<Verdict, NoVerdict>,
    ) -> Result<Verdict, NoVerdict> {
        let name = name(candidate);
        if let Some(verdict) = self.record.find(&name) {
            self.record.recalled(candidate, verdict);
            return Ok(verdict);
        }
        let verdict = probe()?;
        self.record.add(&name, verdict);
        Ok(verdict)
    }
}

impl<O: Oracle + ?Sized> Oracle for Recorded<'_, O> {
    fn probe(&self, candidate: &[u8]) -> Result<Verdict, NoVerdict> {
        self.verdict(candidate, || self.oracle.probe(candidate))
    }

    fn probe_unless(&self, candidate: &[u8], cancelled: &AtomicBool) -> Result<Verdict, NoVerdict> {
        self.verdict(candidate, || self.oracle.probe_unless(candidate, cancelled))
    }

    fn room(&self) -> Option<usize> {
        self.oracle.room()
    }

    fn counted(&self, candidate: &[u8], verdict: Verdict) -> Result<Verdict, NoVerdict> {
        self.oracle.counted(candidate, verdict)
    }

    fn recall(&self, name: &Name) -> Option<Verdict> {
        self.record.find(name)
    }

    fn recalled(&self, candidate: &[u8], verdict: Verdict) {
        self.record.recalled(candidate, verdict);
    }

    fn ask_again(&self, name: &Name) {
        self.record.ask_again(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cause;
    use std::collections::HashMap;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[derive(Default)]
    struct Memory(Mutex<HashMap<Name, Verdict>>);

    impl Record for Memory {
        fn find(&self, name: &Name) -> Option<Verdict> {
            self.0.lock().expect("no panic").get(name).copied()
        }

        fn add(&self, name: &Name, verdict: Verdict) {
            self.0.lock().expect("no panic").insert(*name, verdict);
        }

        fn ask_again(&self, name: &Name) {
            self.0.lock().expect("no panic").remove(name);
        }
    }

    #[test]
    fn a_candidate_is_tested_once_unless_a_new_verdict_is_requested() {
        let (runs, memory) = (AtomicUsize::new(0), Memory::default());
        let oracle = |_: &[u8]| match runs.fetch_add(1, Ordering::Relaxed) {
            0 => Verdict::Unresolved(Cause::Timeout),
            _ => Verdict::Interesting,
        };
        let recorded = Recorded::new(&oracle, &memory);
        let name = name(b"x");
        assert_eq!(recorded.recall(&name), None);
        for _ in 0..2 {
            assert_eq!(recorded.probe(b"x").expect("a verdict"), Verdict::Unresolved(Cause::Timeout));
        }
        recorded.ask_again(&name);
        assert_eq!(recorded.probe(b"x").expect("a verdict"), Verdict::Interesting);
        assert_eq!((recorded.recall(&name), runs.into_inner()), (Some(Verdict::Interesting), 2));
    }

    #[test]
    fn a_probe_that_was_cancelled_leaves_no_verdict() {
        struct Cancelled;
        impl Oracle for Cancelled {
            fn probe(&self, _: &[u8]) -> Result<Verdict, NoVerdict> {
                Err(NoVerdict::Interrupted)
            }
        }
        let memory = Memory::default();
        assert!(Recorded::new(&Cancelled, &memory).probe(b"x").is_err());
        assert_eq!(memory.find(&name(b"x")), None);
    }
}
