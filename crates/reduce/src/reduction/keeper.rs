//! Defines keepers, which store each new best, and can offer texts that the user edited by hand.

use crate::event::Size;
use nubbin_syntax::edit::Edit;

/// A new best with the step that led to it.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a> {
    /// The pass that found it.
    pub pass: &'a str,
    /// The edits that turn the previous best into the new one: sorted and disjoint, with positions in the previous
    /// best.
    pub edits: &'a [Edit],
    /// The bytes of the new best.
    pub best: &'a [u8],
    /// The size of the new best.
    pub size: Size,
}

/// Stores each new best.
pub trait Keeper {
    /// Stores a new best, before the next probe.
    ///
    /// # Errors
    /// Returns an error if it cannot be stored; that ends the reduction.
    fn accepted(&mut self, step: &Step<'_>) -> std::io::Result<()>;

    /// Restores an earlier best, before the next probe, because the oracle is flaky. The last `steps` accepted steps
    /// are reverted. The earlier best can be the unchanged input.
    ///
    /// # Errors
    /// Returns an error if it cannot be stored; that ends the reduction.
    fn undone(&mut self, steps: usize, best: &[u8]) -> std::io::Result<()> {
        let _ = (steps, best);
        Ok(())
    }

    /// Returns the current best as the user has edited it by hand, if so. It is called before each question, after this
    /// many probes.
    ///
    /// The text is probed. It becomes the current best if it is interesting and not larger; this step is called `hand`.
    /// A reduction is reproducible only if the same text is offered after the same number of probes.
    fn offered(&mut self, probes: usize) -> Option<Vec<u8>> {
        let _ = probes;
        None
    }

    /// Rejects an offered text. The reason is a sentence without a final period. Returns a note for the user.
    ///
    /// # Errors
    /// Returns an error if the current best cannot be stored; that ends the reduction.
    fn refused(&mut self, text: &[u8], why: &str) -> std::io::Result<Option<String>> {
        let _ = text;
        Ok(Some(format!("edit by hand rejected: {why}")))
    }
}

impl<F: FnMut(&Step<'_>) -> std::io::Result<()>> Keeper for F {
    fn accepted(&mut self, step: &Step<'_>) -> std::io::Result<()> {
        self(step)
    }
}
