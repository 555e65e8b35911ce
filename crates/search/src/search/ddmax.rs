//! ddmax: the largest part that passes, which is ddmin seen in a mirror.

use super::{Ddmin, Search};
use crate::{Cause, Verdict};

/// ddmax (Kirschner, Soremekun and Zeller, "Debugging Inputs", ICSE 2020): the largest part of a failing input that
/// passes.
///
/// Its circumstances are *omissions*: it holds what is left out, at first all, and asks what to put back. An
/// uninteresting answer, which says that the input passes, puts it back for good. So it is another search,
/// [`Ddmin`] as a rule, with all verdicts mirrored: a smallest set of omissions that lets the input pass.
///
/// The result is 1-maximal: with any one circumstance more that was left out the input does not pass. The bounds on
/// probes are those of the other search.
#[derive(Clone, Debug)]
pub struct Ddmax<S = Ddmin>(S);

impl Ddmax {
    /// ddmax over `n` circumstances.
    #[must_use]
    pub fn new(n: u32) -> Self {
        Self::mirrored(Ddmin::new(n))
    }
}

impl<S: Search> Ddmax<S> {
    /// The mirror image of a search for a small configuration.
    #[must_use]
    pub fn mirrored(search: S) -> Self {
        Self(search)
    }
}

impl<S: Search> Search for Ddmax<S> {
    fn next(&self) -> Option<Vec<u32>> {
        self.0.next()
    }

    fn advance(&mut self, verdict: Verdict) {
        self.0.advance(verdict.mirrored());
    }

    fn skip(&mut self) {
        self.advance(Verdict::Unresolved(Cause::Test));
    }

    fn is_three_valued(&self) -> bool {
        true
    }

    fn is_find(verdict: Verdict) -> bool {
        S::is_find(verdict.mirrored())
    }
}
