//! Nubbin reduces a failing input to its nubbin: the smallest piece that still fails.

pub mod event;
pub mod input;
pub mod oracle;
mod reduce;
mod verdict;

pub use reduce::{Error, Outcome, PassReport, Proof, Reduction};
pub use verdict::Verdict;
