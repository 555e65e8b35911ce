//! Defines keepers of bests: a reduction gives them each new best, and asks them for texts that the user made by hand.
//!
//! It writes nothing itself.

use crate::event::Size;
use nubbin_syntax::edit::Edit;

/// A new best, and how it came from the one before it.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The pass that found it.
    pub pass: &'a str,
    /// The edits that turn the best before it into the new best: sorted and disjoint, with positions in the old best.
    pub edits: &'a [Edit],
    /// The bytes of the new best.
    pub best: &'a [u8],
    /// The size of the new best.
    pub size: Size,
}

/// Keeps the bests somewhere safe.
pub trait Keeper {
    /// Takes a new best, before the next probe.
    ///
    /// # Errors
    /// Returns an error if it cannot be kept; that ends the reduction.
    fn accepted(&mut self, step: &Step<'_>) -> std::io::Result<()>;

    /// Takes an older best, which is the best again, before the next probe. The last `steps` that were accepted no
    /// longer count, since the oracle does not repeat itself. The older best may be the unchanged input.
    ///
    /// # Errors
    /// Returns an error if it cannot be kept; that ends the reduction.
    fn undone(&mut self, steps: usize, best: &[u8]) -> std::io::Result<()> {
        let _ = (steps, best);
        Ok(())
    }

    /// Returns a text that the user has made of the best by hand, if there is one. It is asked before each question,
    /// after this many probes.
    ///
    /// The text is tried in a probe of its own. It is the best if it is interesting and not larger; the step is called
    /// `hand`. A reduction is repeatable only if the same text is offered after the same number of probes.
    fn offered(&mut self, probes: usize) -> Option<Vec<u8>> {
        let _ = probes;
        None
    }

    /// Takes back an offered text that is not used, with the reason in a sentence without a final period. Returns a
    /// note for the user.
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
