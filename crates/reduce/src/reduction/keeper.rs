//! Keepers of the bests: a reduction tells them each new best, and asks them for texts made by hand.
//!
//! It writes nothing itself.

use crate::event::Size;
use nubbin_syntax::edit::Edit;

/// A new best, and how it came from the one before it.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The pass that found it.
    pub pass: &'a str,
    /// The edits that make it of the best before it: sorted and disjoint, in terms of that one's bytes.
    pub edits: &'a [Edit],
    /// Its bytes.
    pub best: &'a [u8],
    /// Its size.
    pub size: Size,
}

/// Keeps the bests somewhere safe.
pub trait Keeper {
    /// Takes a new best, before the next probe.
    ///
    /// # Errors
    /// Returns an error if it cannot be kept; that ends the reduction.
    fn accepted(&mut self, step: &Step<'_>) -> std::io::Result<()>;

    /// Takes an older best back, before the next probe: the last `steps` that were accepted are void, since the
    /// oracle does not repeat itself. It may be the unchanged input.
    ///
    /// # Errors
    /// Returns an error if it cannot be kept; that ends the reduction.
    fn undone(&mut self, steps: usize, best: &[u8]) -> std::io::Result<()> {
        let _ = (steps, best);
        Ok(())
    }

    /// Returns the text that somebody has made of the best by hand, if anybody has: asked before each question, after
    /// so many probes.
    ///
    /// It is tried in a probe of its own, and is the best if it is interesting and not larger: the step is called `hand`.
    /// A reduction repeats itself if the same is offered after the same number of probes.
    fn offered(&mut self, probes: usize) -> Option<Vec<u8>> {
        let _ = probes;
        None
    }

    /// Takes back what was offered and is not used, and why, in a sentence without a final period. What the user should
    /// know of it is returned.
    ///
    /// # Errors
    /// Returns an error if the best cannot be kept; that ends the reduction.
    fn refused(&mut self, text: &[u8], why: &str) -> std::io::Result<Option<String>> {
        let _ = text;
        Ok(Some(format!("an edit by hand is not used: {why}")))
    }
}

impl<F: FnMut(&Step<'_>) -> std::io::Result<()>> Keeper for F {
    fn accepted(&mut self, step: &Step<'_>) -> std::io::Result<()> {
        self(step)
    }
}
