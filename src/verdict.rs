//! The three verdicts of a test, and nothing else: every other module may use it.

/// What a test says of a candidate: three-valued, as in Zeller and Hildebrandt,
/// "Simplifying and Isolating Failure-Inducing Input" (TSE 2002), section 2.
///
/// That the oracle itself could not be run is not a verdict but an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The failure is there (the papers' ✘).
    Interesting,
    /// The failure is not there (the papers' ✔).
    Uninteresting,
    /// Cannot tell (the papers' ?): another failure, a timeout, it could not be built.
    Unresolved,
}

impl Verdict {
    /// Whether the failure is there.
    #[must_use]
    pub fn is_interesting(self) -> bool {
        self == Self::Interesting
    }
}
