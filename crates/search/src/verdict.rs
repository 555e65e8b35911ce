//! The verdict of a test. It lives in its own module so that every other module can use it.

/// The verdict of a test on a candidate, with three values as in Zeller and Hildebrandt, "Simplifying and
/// Isolating Failure-Inducing Input" (TSE 2002), section 2.
///
/// If the oracle itself could not be run, the result is an error and not a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The candidate shows the failure (✘ in the papers).
    Interesting,
    /// The candidate does not show the failure (✔ in the papers).
    Uninteresting,
    /// The test could not decide (? in the papers), for this reason.
    Unresolved(Cause),
}

/// The reason why a test could not decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The test reported it: another failure occurred, or the candidate could not be built. A repeated run
    /// would give the same verdict.
    Test,
    /// The test did not end in time. A repeated run with more time, or on a less busy machine, might decide,
    /// so this verdict is never treated as a proven rejection.
    Timeout,
}

impl From<bool> for Verdict {
    /// Returns the verdict of a test that always decides: interesting if the failure is present.
    fn from(is_there: bool) -> Self {
        if is_there { Self::Interesting } else { Self::Uninteresting }
    }
}

impl Verdict {
    /// Returns whether the candidate shows the failure.
    #[must_use]
    pub fn is_interesting(self) -> bool {
        self == Self::Interesting
    }

    /// Swaps interesting and uninteresting, for a search for a passing configuration.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Self::Interesting => Self::Uninteresting,
            Self::Uninteresting => Self::Interesting,
            unresolved @ Self::Unresolved(_) => unresolved,
        }
    }

    /// Returns whether a deterministic test would give the same verdict again. This holds for every verdict
    /// except a timeout.
    #[must_use]
    pub fn is_lasting(self) -> bool {
        self != Self::Unresolved(Cause::Timeout)
    }
}
