//! ddmax: a 1-maximal passing part, found by ddmin with mirrored verdicts.

use super::{Ddmin, Search};
use crate::{Cause, Verdict};

/// ddmax (Kirschner, Soremekun and Zeller, "Debugging Inputs", ICSE 2020): a maximal passing part of a
/// failing input.
///
/// Its circumstances are *omissions*. The search starts with every item omitted and asks which omissions to
/// undo. An uninteresting verdict, which means that the input passes, undoes them permanently. This is
/// another search, by default [`Ddmin`], with mirrored verdicts: it looks for a minimal set of omissions that
/// makes the input pass.
///
/// The result is 1-maximal: the input does not pass with any one omitted circumstance added. The bounds on
/// probes are those of the inner search.
#[derive(Clone, Debug)]
pub struct Ddmax<S = Ddmin>(S);

impl Ddmax {
    /// Starts ddmax over `n` circumstances.
    #[must_use]
    pub fn new(n: u32) -> Self {
        Self::mirrored(Ddmin::new(n))
    }
}

impl<S: Search> Ddmax<S> {
    /// Turns a search for a minimal failing configuration into one for a maximal passing configuration.
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
