//! Bounds on the work of rewrites whose results may be far larger than the text.

use super::Context;
use std::cell::Cell;

/// The numbers that were tuned.
struct Tuning {
    /// A definition may take along at most the number of the text's nodes divided by this: a larger part is hardly ever
    /// useless to the oracle.
    nodes_divisor: usize,
    /// A definition may take along this many nodes in any text, however small.
    nodes_anyway: usize,
    /// At most this many times the number of the text's nodes are looked at, for all symbols together.
    nodes_factor: usize,
    /// At most this many times the text's bytes are written for the templates of all symbols together, beside
    /// `bytes_anyway`.
    bytes_factor: usize,
    /// This many bytes may be written in any text, however small.
    bytes_anyway: usize,
}

const TUNING: Tuning = Tuning {
    nodes_divisor: 4,
    nodes_anyway: 1_000,
    nodes_factor: 16,
    bytes_factor: 16,
    bytes_anyway: 1 << 16,
};

/// The number of nodes that may still be looked at, and of bytes that may still be written.
pub(super) struct Room {
    nodes: Cell<usize>,
    nodes_of_each: usize,
    bytes: Cell<usize>,
}

impl Room {
    /// Returns the room for all symbols of a text.
    pub fn new(cx: &Context<'_>) -> Self {
        let nodes = cx.tree.len();
        Self {
            nodes: Cell::new(nodes * TUNING.nodes_factor),
            nodes_of_each: TUNING.nodes_anyway.max(nodes / TUNING.nodes_divisor),
            bytes: Cell::new(TUNING.bytes_anyway + TUNING.bytes_factor * cx.source.len()),
        }
    }

    /// Takes room for this many bytes; `None` if there is less.
    pub fn take(&self, bytes: usize) -> Option<()> {
        self.bytes.set(self.bytes.get().checked_sub(bytes)?);
        Some(())
    }

    /// Gives `look` the number of nodes that it may look at for one symbol, and takes those that it has used.
    pub fn look<T>(&self, look: impl FnOnce(&mut usize) -> T) -> T {
        let most = self.nodes_of_each.min(self.nodes.get());
        let mut left = most;
        let found = look(&mut left);
        self.nodes.set(self.nodes.get() - (most - left));
        found
    }
}
