//! Budgets for rewrites whose results can be far larger than the text.

use super::Context;
use std::cell::Cell;

struct Tuning {
    /// A definition can remove at most the number of nodes of the text divided by this with it: the oracle
    /// usually needs something in a larger part.
    nodes_divisor: usize,
    /// A definition can remove this many nodes with it in any text.
    nodes_anyway: usize,
    /// At most this many times the number of nodes of the text are visited for all symbols together.
    nodes_factor: usize,
    /// At most this many times the size of the text is written for the templates of all symbols together, in
    /// addition to `bytes_anyway`.
    bytes_factor: usize,
    /// This many bytes can be written for any text.
    bytes_anyway: usize,
}

const TUNING: Tuning = Tuning {
    nodes_divisor: 4,
    nodes_anyway: 1_000,
    nodes_factor: 16,
    bytes_factor: 16,
    bytes_anyway: 1 << 16,
};

/// The numbers of nodes that can still be visited and of bytes that can still be written.
pub(super) struct Room {
    nodes: Cell<usize>,
    nodes_of_each: usize,
    bytes: Cell<usize>,
}

impl Room {
    /// Returns the budget for all symbols of a text.
    pub fn new(cx: &Context<'_>) -> Self {
        let nodes = cx.tree.len();
        Self {
            nodes: Cell::new(nodes * TUNING.nodes_factor),
            nodes_of_each: TUNING.nodes_anyway.max(nodes / TUNING.nodes_divisor),
            bytes: Cell::new(TUNING.bytes_anyway + TUNING.bytes_factor * cx.source.len()),
        }
    }

    /// Uses this many bytes; `None` if fewer are left.
    pub fn take(&self, bytes: usize) -> Option<()> {
        self.bytes.set(self.bytes.get().checked_sub(bytes)?);
        Some(())
    }

    /// Passes to `look` the number of nodes that it can visit for one symbol, and subtracts the visited ones.
    pub fn look<T>(&self, look: impl FnOnce(&mut usize) -> T) -> T {
        let most = self.nodes_of_each.min(self.nodes.get());
        let mut left = most;
        let found = look(&mut left);
        self.nodes.set(self.nodes.get() - (most - left));
        found
    }
}
