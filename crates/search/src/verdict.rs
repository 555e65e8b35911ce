//! The three verdicts of a test, and nothing else: every other module may use it.

/// The verdict of a test on a candidate: three-valued, as in Zeller and Hildebrandt, "Simplifying and Isolating
/// Failure-Inducing Input" (TSE 2002), section 2.
///
/// It is not a verdict but an error if the oracle itself could not be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The failure is there (the papers' ✘).
    Interesting,
    /// The failure is not there (the papers' ✔).
    Uninteresting,
    /// Cannot tell (the papers' ?), and why.
    Unresolved(Cause),
}

/// The reason why a test cannot tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The test itself says so: another failure, it could not be built. Asked again, it would say the same.
    Test,
    /// It did not end in time. Asked again with more time, or on a quieter machine, it might have an answer: so
    /// this is never taken for a no that has been proven.
    Timeout,
}

impl From<bool> for Verdict {
    /// The verdict of a test that always can tell: whether the failure is there.
    fn from(is_there: bool) -> Self {
        if is_there { Self::Interesting } else { Self::Uninteresting }
    }
}

impl Verdict {
    /// Tells whether the failure is there.
    #[must_use]
    pub fn is_interesting(self) -> bool {
        self == Self::Interesting
    }

    /// The verdict for somebody who looks for what passes: interesting for uninteresting, and the other way round.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Self::Interesting => Self::Uninteresting,
            Self::Uninteresting => Self::Interesting,
            unresolved @ Self::Unresolved(_) => unresolved,
        }
    }

    /// Tells whether the test would say the same again: all but timeouts, for a test that repeats itself.
    #[must_use]
    pub fn is_lasting(self) -> bool {
        self != Self::Unresolved(Cause::Timeout)
    }
}
